//! The outcomes of a turn, one line each.

use std::borrow::Cow;

/// The kind of an outcome. A line of a note begins with the kind's label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutcomeKind {
    /// A decision of the person or the agent.
    Decided,
    /// A cause, or what something turned out to be.
    Found,
    /// A finding or decision that turned out wrong later in the session.
    RuledOut,
    /// An open task.
    Open,
    /// A change.
    Done,
    /// The agent's answer, if nothing was changed. Older notes have such lines.
    Answered,
    /// The changed files, if another line says what for. Older notes have such lines.
    Changed,
    /// A request with no answer or an incomplete one.
    Unfinished,
    /// Chores of a session, in one line.
    Also,
}

impl OutcomeKind {
    /// Whether a line of this kind names the side branch on which it was noted.
    pub fn names_branch(self) -> bool {
        matches!(self, Self::Decided | Self::RuledOut | Self::Done | Self::Also)
    }

    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Decided,
        Self::Found,
        Self::RuledOut,
        Self::Open,
        Self::Done,
        Self::Answered,
        Self::Changed,
        Self::Unfinished,
        Self::Also,
    ];

    /// Returns the word that opens a line of this kind, before a colon.
    pub fn label(self) -> &'static str {
        match self {
            Self::Decided => "Decided",
            Self::Found => "Found",
            Self::RuledOut => "Ruled out",
            Self::Open => "Open",
            Self::Done => "Done",
            Self::Answered => "Answered",
            Self::Changed => "Changed",
            Self::Unfinished => "Unfinished",
            Self::Also => "Also",
        }
    }

    /// Returns the kind of a line and the text after its label, or `None` for a line without a label.
    pub fn of_line(line: &str) -> Option<(Self, &str)> {
        let (label, said) = line.split_once(':')?;
        let kind = Self::ALL.into_iter().find(|kind| kind.label() == label)?;
        Some((kind, said.trim_start()))
    }
}

/// One outcome of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Its kind.
    pub kind: OutcomeKind,
    /// Its text, one line.
    pub text: String,
    /// The request in a few words. One outcome of a turn has it.
    pub about: Option<String>,
}

impl Outcome {
    /// Returns the note's line, without a list marker. A decision, a rejection or a change on a side branch names the branch.
    pub fn line(&self, branch: Option<&str>) -> String {
        let about = self.about.as_deref().map(|about| format!(" — {about}")).unwrap_or_default();
        let branch = branch.filter(|_| self.kind.names_branch()).map(branch_mark).unwrap_or_default();
        // The dash begins the request's words.
        format!("{}: {}{branch}{about}", self.kind.label(), self.text.replace(" — ", ", "))
    }
}

/// Returns the words behind a decision that was made on a side branch.
fn branch_mark(branch: &str) -> String {
    let branch = branch.replace(|c: char| c == '`' || c.is_whitespace() || c.is_control(), "-");
    format!("{ON_BRANCH}{branch}`)")
}

/// Returns a noted text with the branch that [`without_branch`] took out.
pub fn with_branch(text: &str, branch: &str) -> String {
    let (said, about) = text.find(" — ").map_or((text, ""), |at| text.split_at(at));
    format!("{said}{}{about}", branch_mark(branch))
}

/// The words before a branch.
const ON_BRANCH: &str = " (on branch `";

/// Splits a noted text from the branch that it names: `we count minutes (on branch `fix`) — why?`.
pub fn without_branch(text: &str) -> (Cow<'_, str>, Option<&str>) {
    let (said, about) = text.find(" — ").map_or((text, ""), |at| text.split_at(at));
    let named = said.strip_suffix("`)").and_then(|said| said.rsplit_once(ON_BRANCH));
    match named.filter(|(_, branch)| !branch.contains(['`', ' '])) {
        Some((said, branch)) => (Cow::Owned(format!("{said}{about}")), Some(branch)),
        None => (Cow::Borrowed(text), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_gives_the_kind_of_a_line() {
        let outcome =
            Outcome { kind: OutcomeKind::RuledOut, text: "the cache: stale".into(), about: Some("why?".into()) };
        assert_eq!(outcome.line(None), "Ruled out: the cache: stale — why?");
        assert_eq!(OutcomeKind::of_line(&outcome.line(None)), Some((OutcomeKind::RuledOut, "the cache: stale — why?")));
        assert_eq!(OutcomeKind::of_line("Note: x"), None);
    }

    #[test]
    fn a_decision_names_its_branch() {
        let outcome = Outcome { kind: OutcomeKind::Decided, text: "minutes".into(), about: Some("why?".into()) };
        assert_eq!(outcome.line(Some("fix/a b`")), "Decided: minutes (on branch `fix/a-b-`) — why?");
        assert_eq!(without_branch("minutes (on branch `fix`) — why?"), ("minutes — why?".into(), Some("fix")));
        assert_eq!(with_branch("minutes — why?", "fix"), "minutes (on branch `fix`) — why?");
        let dashed = Outcome { text: "Redis — Postgres is slow".into(), ..outcome };
        assert_eq!(dashed.line(Some("a=b")), "Decided: Redis, Postgres is slow (on branch `a=b`) — why?");
        for none in ["minutes (on branch `fix`).", "minutes — why (on branch `fix`)", "runs (on `db01`)"] {
            assert_eq!(without_branch(none), (none.into(), None));
        }
    }
}
