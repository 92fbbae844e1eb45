//! Sums up the older part of a conversation before it becomes too long for the model.

use super::conversation::{Entry, Stamped, sendable};
use super::tools::one_line;
use super::{Assistant, AssistantError, ChatFrontend, TurnEvent};
use tars_base::domain::{ApproximateTokens, CountTokens};
use tars_chat::CancelToken;
use tars_chat::tasks::summarize;

/// Percentage of the history budget from which the older part is summed up, and the percentage that is kept.
const FULL: usize = 80;
const KEPT: usize = 30;
/// Characters of each tool result that go into a summary.
const RESULT: usize = 400;

impl Assistant<'_, '_> {
    /// Sums up the older part if there are many messages, or if the history would soon exceed its budget. If that fails, the
    /// conversation continues without sending its oldest turns.
    pub(super) fn compact_if_needed(&mut self, frontend: &mut dyn ChatFrontend, cancel: &CancelToken) {
        let (_, first) = self.conversation.latest_summary();
        let entries = sendable(self.conversation.entries().get(first..).unwrap_or_default());
        let tokens: usize = entries.iter().map(|entry| tokens(entry)).sum();
        let is_full = tokens > self.history_tokens() * FULL / 100;
        if (is_full || entries.len() > self.settings.compact_messages)
            && !cancel.is_cancelled()
            && let Err(error) = self.compact(&self.retention(), true, frontend)
        {
            let line = one_line(&format!("the older part of the conversation could not be summed up: {error}"), 200);
            frontend.show(TurnEvent::Notice(&line));
        }
    }

    /// Sums up everything except the last turn, because the person wants it. Returns whether there was anything to sum up.
    ///
    /// # Errors
    /// There is no model, it fails, or the conversation cannot be saved.
    pub fn compact_now(&mut self, frontend: &mut dyn ChatFrontend) -> Result<bool, AssistantError> {
        self.compact(&Retention { tokens: 0, entries: 0 }, true, frontend)
    }

    /// Sums up what does not fit into the model's window, in the middle of a turn.
    pub(super) fn sum_up_for_room(&mut self, frontend: &mut dyn ChatFrontend) -> Result<bool, AssistantError> {
        self.compact(&self.retention(), false, frontend)
    }

    /// Returns the limits of what an ordinary summary keeps.
    fn retention(&self) -> Retention {
        Retention { tokens: self.history_tokens() * KEPT / 100, entries: self.settings.compact_messages / 2 }
    }

    /// Sums up everything except the turns that `kept` allows and the last one. A turn that still runs is not noted.
    fn compact(
        &mut self,
        kept: &Retention,
        is_noted: bool,
        frontend: &mut dyn ChatFrontend,
    ) -> Result<bool, AssistantError> {
        let Some(model) = self.model.clone() else { return Err(AssistantError::NoModel) };
        let (earlier, first) = self.conversation.latest_summary();
        let entries = self.conversation.entries();
        let Some(until) = boundary(entries, first, kept) else { return Ok(false) };
        let earlier = earlier.map(|earlier| format!("(earlier, summed up)\n{earlier}\n\n")).unwrap_or_default();
        let said: String = sendable(&entries[first..until]).into_iter().filter_map(in_words).collect();
        if said.is_empty() {
            return Ok(false);
        }
        // A request of the model's whole window leaves no room for its answer.
        let room = self.request_tokens() / 2;
        let summary = summarize(&model.model, (&earlier, &said), room, self.settings.timeout)?;
        if is_noted {
            // The daily log is written now, while the conversation is still available word for word.
            self.note(frontend);
        }
        let kept = self.conversation.entries().len() - until;
        self.add(Entry::Summary { text: summary, kept })?;
        frontend.show(TurnEvent::Notice("the older part of the conversation was summed up"));
        Ok(true)
    }
}

/// Limits of the newest turns that are kept.
struct Retention {
    tokens: usize,
    entries: usize,
}

/// Returns where the newest turns that fit begin: at a message of the person, and always including the last turn. Returns
/// `None` if nothing would be summed up.
fn boundary(entries: &[Stamped], first: usize, kept: &Retention) -> Option<usize> {
    let mut left = kept.tokens;
    let mut found = None;
    for at in (first..entries.len()).rev() {
        let cost = tokens(&entries[at].entry);
        let fits = cost <= left && entries.len() - at <= kept.entries;
        left = left.saturating_sub(cost);
        if entries[at].entry.user_text().is_some() {
            if found.is_some() && !fits {
                break;
            }
            found = Some(at);
        }
        if !fits && found.is_some() {
            break;
        }
    }
    found.filter(|at| *at > first)
}

fn tokens(entry: &Entry) -> usize {
    match entry {
        Entry::User { text } | Entry::Tool { text, .. } => ApproximateTokens.count(text),
        Entry::Assistant { text, calls, .. } => {
            let calls: usize = calls.iter().map(|call| ApproximateTokens.count(&call.arguments.to_string())).sum();
            ApproximateTokens.count(text) + calls
        }
        Entry::Summary { .. } | Entry::Noted | Entry::TooLong | Entry::WithoutTools { .. } => 0,
    }
}

fn in_words(entry: &Entry) -> Option<String> {
    let said = |who: &str, text: &str| Some(format!("{who}: {}\n\n", text.trim()));
    match entry {
        Entry::User { text } => said("The person", text),
        Entry::Assistant { text, calls, stopped, .. } => {
            let calls: Vec<String> =
                calls.iter().map(|call| format!("[called {} with {}]", call.name, call.arguments)).collect();
            let end = if *stopped { "[stopped: this answer is not whole]" } else { "" };
            said("The assistant", &[text.as_str(), &calls.join(" "), end].join(" "))
        }
        Entry::Tool { text, .. } => said("Result", &text.chars().take(RESULT).collect::<String>()),
        Entry::Summary { .. } | Entry::Noted | Entry::TooLong | Entry::WithoutTools { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use tars_chat::Usage;

    proptest! {
        #[test]
        fn the_kept_part_begins_with_a_message_and_includes_the_last_turn(
            kinds in prop::collection::vec(0..3usize, 0..30), first in 0..5usize, budget in 0..200usize
        ) {
            let text = "word ".repeat(20);
            let entry = |kind: &usize| match kind {
                0 => Entry::User { text: text.clone() },
                1 => Entry::answer(text.clone(), &[], Usage::default(), false),
                _ => Entry::Tool { call: "1".into(), text: text.clone(), failed: false },
            };
            let entries: Vec<Stamped> =
                kinds.iter().map(|kind| Stamped { at: Timestamp::UNIX_EPOCH, entry: entry(kind) }).collect();
            let kept = Retention { tokens: budget, entries: 12 };
            if let Some(at) = boundary(&entries, first, &kept) {
                prop_assert!(at > first && entries[at].entry.user_text().is_some());
                let last = entries.iter().rposition(|stamped| stamped.entry.user_text().is_some()).unwrap();
                prop_assert!(at <= last);
            }
        }
    }
}
