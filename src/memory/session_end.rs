//! How a session ended: its last request, how the last turn ended, the steps that failed and were not made good, and a person's word that
//! it is done.

use jiff::civil::Date;

use super::MemoryError;
use super::generated_note::{digest, is_unedited};
use super::log_front_matter::{front_matter_field, log_field};
use tars_agent::digest::{command_line, headline};
use tars_base::domain::{Turn, TurnEnd};
use tars_vault::{Splice, Writer};

/// Maximum number of failed steps, the last ones.
const MAX_FAILED: usize = 5;

/// The field of a session that a person declared done.
const DONE: &str = "done";

/// How the last turn of a session ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LastEnd {
    /// The agent answered.
    #[default]
    Answered,
    /// The person interrupted the agent.
    Interrupted,
    /// The model's server failed.
    Failed,
    /// The client ended while the agent worked.
    CutOff,
    /// The agent did not react to the request.
    Unanswered,
}

/// The last turn of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastTurn {
    /// Its id, as the client gives it.
    pub id: String,
    /// The last request of the session that says something, in one line; empty if none does.
    pub request: String,
    /// How it ended.
    pub end: LastEnd,
    /// Whether the agent reacted to it, as far as the transcript was read.
    pub(super) is_answered: bool,
}

/// The commands whose last run failed.
#[derive(Debug, Clone, Default)]
pub(super) struct FailedSteps(Vec<(String, String)>);

impl LastEnd {
    /// All ends.
    pub const ALL: [Self; 5] = [Self::Answered, Self::Interrupted, Self::Failed, Self::CutOff, Self::Unanswered];

    /// Returns its name in the log of a session.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::CutOff => "cut off",
            Self::Unanswered => "unanswered",
        }
    }

    /// Returns the end with this name; an unknown name counts as answered.
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|end| end.as_str() == name).unwrap_or_default()
    }

    fn of(turn: &Turn) -> Self {
        match turn.end {
            TurnEnd::Interrupted => Self::Interrupted,
            TurnEnd::Failed => Self::Failed,
            TurnEnd::Answered if turn.is_answered() => Self::Answered,
            TurnEnd::Answered => Self::Unanswered,
        }
    }
}

impl LastTurn {
    /// Replaces the last turn by this redacted one.
    pub(super) fn replace(&mut self, turn: &Turn) {
        self.id.clone_from(&turn.id);
        self.end = LastEnd::of(turn);
        self.is_answered = turn.is_answered();
        if let Some(request) = headline(&turn.request) {
            self.request = request;
        }
    }

    /// Records that the client ended before the agent was done.
    pub(super) fn cut_off(&mut self) {
        self.end = if self.is_answered { LastEnd::CutOff } else { LastEnd::Unanswered };
    }
}

impl FailedSteps {
    /// Adds the commands of a redacted turn. A command that runs makes good an earlier one of the same step.
    pub(super) fn add(&mut self, turn: &Turn) {
        for command in &turn.commands {
            let step = step(command);
            self.0.retain(|(known, _)| *known != step);
            if turn.failed.contains(command) {
                self.0.push((step, command_line(command)));
            }
        }
        self.0.drain(..self.0.len().saturating_sub(MAX_FAILED));
    }

    /// Returns the command lines, oldest first.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, line)| line.as_str())
    }
}

/// Records in the log of a session that the person declares it done today, as the field `done` of its front matter. Returns whether
/// anything was written. A log that nobody has edited stays so.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn mark_session_done(writer: &mut Writer<'_>, file: &str, today: Date) -> Result<bool, MemoryError> {
    let written = writer.edit(file, |lines| {
        let texts = lines.all();
        let whole = texts.join("\n") + "\n";
        let is_open = log_field(&whole, "session").is_some() && front_matter_field(&whole, DONE).is_none();
        let Some(end) = texts.iter().skip(1).position(|line| line.trim_end() == "---").filter(|_| is_open) else {
            return Vec::new();
        };
        let field = done_field(&today.to_string());
        let place = texts.iter().position(|line| line.starts_with("digest:")).filter(|_| is_unedited(&whole));
        let Some(place) = place else { return vec![Splice { at: end + 1, remove: 0, insert: vec![field] }] };
        // All other lines stay, and with them the record of who wrote each.
        let bare: Vec<&str> = texts.iter().map(String::as_str).filter(|line| !line.starts_with("digest:")).collect();
        let hash = digest(&with_field(&(bare.join("\n") + "\n"), &field));
        vec![Splice { at: place, remove: 1, insert: vec![field, format!("digest: \"{hash}\"")] }]
    })?;
    Ok(written)
}

/// Returns the new text of a log, still done if its former text was done and the session has not gone on since.
pub(super) fn still_done(former: &str, text: &str) -> String {
    let ended = |text: &str| front_matter_field(text, "ended");
    let done = front_matter_field(former, DONE).filter(|_| ended(former) == ended(text));
    done.map_or_else(|| text.to_owned(), |day| with_field(text, &done_field(&day)))
}

fn done_field(day: &str) -> String {
    format!("{DONE}: {}", serde_json::Value::from(day))
}

/// Adds a field to the end of a text's front matter. The first `---` after a newline closes it.
fn with_field(text: &str, field: &str) -> String {
    text.replacen("\n---\n", &format!("\n{field}\n---\n"), 1)
}

/// Returns the step that a command line belongs to: its program and, if the program has them, its subcommand. `cd FOLDER &&` and variables before the program do not count.
fn step(command: &str) -> String {
    let line = command.trim().lines().next().unwrap_or_default();
    let line =
        line.split_once("&&").filter(|(first, _)| first.trim_start().starts_with("cd ")).map_or(line, |(_, rest)| rest);
    let mut words = line.split_whitespace().skip_while(|word| word.contains('='));
    let program = words.next().unwrap_or_default();
    let is_name =
        |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c)) && !word.starts_with('-');
    words.next().filter(is_name).map_or_else(|| program.to_owned(), |second| format!("{program} {second}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_stays_until_it_succeeds() {
        let mut steps = FailedSteps::default();
        let mut ran = |commands: &[&str], failed: &[&str]| {
            let owned = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect();
            steps.add(&Turn { commands: owned(commands), failed: owned(failed), ..Turn::default() });
            steps.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let failed = ["cargo test -p pump", "./deploy staging"];
        assert_eq!(ran(&failed, &failed), failed);
        assert_eq!(ran(&["cargo fmt", "git status"], &[]), failed, "other steps");
        assert_eq!(ran(&["cd pump && RUST_LOG=1 cargo test"], &[]), ["./deploy staging"]);
        let many: Vec<String> = (0..9).map(|number| format!("make part{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(ran(&many, &many).len(), MAX_FAILED);
    }

    #[test]
    fn names_of_ends_are_read_back() {
        for end in LastEnd::ALL {
            assert_eq!(LastEnd::named(end.as_str()), end);
        }
        assert_eq!(LastEnd::named("exploded"), LastEnd::Answered);
    }
}
