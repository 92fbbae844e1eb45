//! Counts the tokens that language models received and returned, by day and task.
//!
//! One small JSON file in the data directory, `language-model/use.json`. It cannot be rebuilt: neither `tars index` nor `tars
//! doctor` touches it.
//!
//! ```text
//! {"2026-11-23": {"notes": {"calls": 3, "failures": 1, "input_tokens": 18422, "output_tokens": 911, "is_estimated": true}}}
//! ```
//!
//! If a server does not report the number of tokens, and for a program, which never does, a quarter of the characters is the estimate.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use tars_base::clock::Clock;
use tars_base::data_files;
use tars_base::domain::days_before;
use tars_base::private;
use tars_chat::tasks::Task;
use tars_chat::{ChatError, ChatEvent, ChatModel, ChatRequest, Completion, Message, OnEvent, Usage};

const FILE: &str = "use.json";
const LOCK: &str = "use.lock";
const KEPT_DAYS: i64 = 92;
/// Maximum number of bytes to read: a day takes about 200.
const LARGEST: u64 = 1 << 20;
/// Characters per token, for estimates.
const CHARACTERS_PER_TOKEN: usize = 4;

/// The usage of models in one or more calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelUse {
    /// Requests, including failed ones.
    pub calls: u64,
    /// Requests without an answer or with an unusable one.
    pub failures: u64,
    /// Tokens that were sent.
    pub input_tokens: u64,
    /// Tokens that were received.
    pub output_tokens: u64,
    /// Whether some of the tokens were estimated.
    pub is_estimated: bool,
}

impl ModelUse {
    /// Returns the tokens of both directions.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.failures = self.failures.saturating_add(other.failures);
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.is_estimated |= other.is_estimated;
    }
}

/// Usage by day and task.
type Days = BTreeMap<Date, BTreeMap<String, ModelUse>>;

/// The file that holds the counts.
#[derive(Debug, Clone)]
pub struct ModelLedger {
    folder: PathBuf,
    clock: Clock,
}

impl ModelLedger {
    /// Returns the ledger in `folder`, which need not exist.
    pub(super) fn new(folder: PathBuf, clock: Clock) -> Self {
        Self { folder, clock }
    }

    /// Returns the usage of the last `days` days, today included, by day and task, oldest first.
    ///
    /// # Errors
    /// The file exists and cannot be read.
    pub fn last(&self, days: u16) -> io::Result<Vec<(Date, String, ModelUse)>> {
        let since = days_before(self.clock.today(), days.saturating_sub(1).into());
        let known = self.read()?.into_iter().filter(|(day, _)| *day >= since);
        Ok(known.flat_map(|(day, tasks)| tasks.into_iter().map(move |(task, used)| (day, task, used))).collect())
    }

    /// Returns today's tokens of all tasks, both directions together. A person's conversations do not count.
    ///
    /// # Errors
    /// As [`ModelLedger::last`].
    pub fn today_tokens(&self) -> io::Result<u64> {
        let is_task = |task: &str| task != Task::Chat.as_str();
        Ok(self.last(1)?.iter().filter(|(_, task, _)| is_task(task)).map(|(_, _, used)| used.tokens()).sum())
    }

    /// Adds usage to today's counts.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub fn add(&self, task: Task, used: &ModelUse) -> io::Result<()> {
        private::create_folder(&self.folder)?;
        let lock = private::open_lock(&self.folder.join(LOCK))?;
        lock.lock()?;
        let today = self.clock.today();
        let mut days = self.read()?;
        days.entry(today).or_default().entry(task.as_str().to_owned()).or_default().add(used);
        let oldest = today.saturating_sub(KEPT_DAYS.days());
        days.retain(|day, _| *day >= oldest);
        data_files::write(&self.folder, FILE, &serde_json::to_vec(&days)?)
    }

    fn read(&self) -> io::Result<Days> {
        // A broken file must not block notes; the counts start again.
        Ok(data_files::read_json(&self.folder.join(FILE), LARGEST)?.unwrap_or_default())
    }
}

/// A language model whose calls are counted.
pub(super) struct CountedModel {
    pub(super) model: Box<dyn ChatModel>,
    pub(super) ledger: ModelLedger,
    pub(super) task: Task,
}

impl ChatModel for CountedModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn supports_tools(&self) -> bool {
        self.model.supports_tools()
    }

    fn window(&self, must_ask: bool) -> Option<usize> {
        self.model.window(must_ask)
    }

    fn send(&self, request: &ChatRequest, on_event: &mut OnEvent<'_>) -> Result<Completion, ChatError> {
        let mut came = 0;
        let answer = self.model.send(request, &mut |event| {
            if let ChatEvent::Text(text) = event {
                came += text.chars().count();
            }
            on_event(event)
        });
        let (usage, given, received) = match &answer {
            Ok(completion) => (completion.usage, sent(request), completion.text.chars().count()),
            Err(ChatError::Empty { usage, .. }) => (*usage, sent(request), came),
            Err(error) if has_arrived(error) => (Usage::default(), sent(request), came),
            Err(_) => (Usage::default(), 0, 0),
        };
        let estimate = |characters: usize| characters.div_ceil(CHARACTERS_PER_TOKEN) as u64;
        let used = ModelUse {
            calls: 1,
            failures: u64::from(answer.is_err()),
            input_tokens: usage.input_tokens.unwrap_or_else(|| estimate(given)),
            output_tokens: usage.output_tokens.unwrap_or_else(|| estimate(received)),
            is_estimated: usage.input_tokens.is_none() || usage.output_tokens.is_none(),
        };
        if let Err(error) = self.ledger.add(self.task, &used) {
            tracing::warn!(%error, "the tokens of a language model were not counted");
        }
        answer
    }
}

/// Whether a model may have read a request that got no answer. Such a request is counted.
fn has_arrived(error: &ChatError) -> bool {
    use ChatError::{Answer, CutOff, Failed, Reported, ServerTimedOut, Silent, TimedOut};
    matches!(
        error,
        Answer { .. }
            | CutOff { .. }
            | Failed { .. }
            | Reported { .. }
            | ServerTimedOut { .. }
            | Silent { .. }
            | TimedOut { .. }
    )
}

/// Returns the number of characters of a request.
fn sent(request: &ChatRequest) -> usize {
    let of_message = |message: &Message| match message {
        Message::User(text) | Message::Assistant { text, .. } | Message::ToolResult { text, .. } => {
            text.chars().count()
        }
    };
    request.system.chars().count() + request.messages.iter().map(of_message).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::Path;

    use super::*;
    use tars_chat::StopReason;

    struct Says(Option<Usage>);

    impl ChatModel for Says {
        fn name(&self) -> &str {
            "says"
        }

        fn supports_tools(&self) -> bool {
            false
        }

        fn send(&self, _: &ChatRequest, _: &mut OnEvent<'_>) -> Result<Completion, ChatError> {
            let (text, stop) = ("12345678".to_owned(), StopReason::Finished);
            let usage = self.0.ok_or(ChatError::NoModelName)?;
            Ok(Completion {
                text,
                calls: vec![],
                refused_calls: vec![],
                stop,
                usage,
                omitted_messages: 0,
                carried: None,
            })
        }
    }

    fn ask(ledger: &ModelLedger, usage: Option<Usage>) {
        let counted = CountedModel { model: Box::new(Says(usage)), ledger: ledger.clone(), task: Task::Notes };
        let messages = vec![Message::User("x".repeat(40))];
        let request = ChatRequest { messages, ..ChatRequest::default() };
        let _ = counted.send(&request, &mut |_| ControlFlow::Continue(()));
    }

    fn ledger(folder: &Path) -> ModelLedger {
        ModelLedger::new(folder.join("language-model"), Clock::default())
    }

    #[test]
    fn calls_are_counted_by_day_and_task() {
        let data = tempfile::tempdir().unwrap();
        let ledger = ledger(data.path());
        assert_eq!(ledger.today_tokens().unwrap(), 0);
        ask(&ledger, Some(Usage { input_tokens: Some(100), output_tokens: Some(7) }));
        let (_, task, used) = ledger.last(30).unwrap().remove(0);
        let exact = ModelUse { calls: 1, failures: 0, input_tokens: 100, output_tokens: 7, is_estimated: false };
        assert_eq!((task.as_str(), used), ("notes", exact));
        ask(&ledger, Some(Usage::default()));
        ask(&ledger, None);
        let (_, _, used) = ledger.last(30).unwrap().remove(0);
        let both = ModelUse { calls: 3, failures: 1, input_tokens: 110, output_tokens: 9, is_estimated: true };
        assert_eq!(used, both, "a quarter of the characters; a call that did not arrive counts no tokens");
        assert_eq!(ledger.today_tokens().unwrap(), 119);
    }

    #[test]
    fn old_days_are_dropped_and_a_broken_file_is_replaced() {
        let data = tempfile::tempdir().unwrap();
        let ledger = ledger(data.path());
        let file = data.path().join("language-model/use.json");
        private::create_folder(file.parent().unwrap()).unwrap();
        std::fs::write(&file, r#"{"2001-01-01":{"notes":{"calls":1}}}"#).unwrap();
        assert!(ledger.last(30).unwrap().is_empty());
        ledger.add(Task::Reword, &ModelUse { calls: 1, ..ModelUse::default() }).unwrap();
        assert!(!std::fs::read_to_string(&file).unwrap().contains("2001"));
        std::fs::write(&file, "{").unwrap();
        ledger.add(Task::Reword, &ModelUse { calls: 1, ..ModelUse::default() }).unwrap();
        assert_eq!(ledger.last(1).unwrap()[0].1, "reword");
    }

    #[test]
    fn concurrent_calls_are_all_counted() {
        let data = tempfile::tempdir().unwrap();
        let ledger = ledger(data.path());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10).for_each(|_| ask(&ledger, Some(Usage::default()))));
            }
        });
        assert_eq!(ledger.last(1).unwrap()[0].2.calls, 40);
    }
}
