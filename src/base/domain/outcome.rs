//! The outcomes of a turn, one line each.

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
    /// Returns the note's line, without a list marker.
    pub fn line(&self) -> String {
        let about = self.about.as_deref().map(|about| format!(" — {about}")).unwrap_or_default();
        format!("{}: {}{about}", self.kind.label(), self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_gives_the_kind_of_a_line() {
        let outcome =
            Outcome { kind: OutcomeKind::RuledOut, text: "the cache: stale".into(), about: Some("why?".into()) };
        assert_eq!(outcome.line(), "Ruled out: the cache: stale — why?");
        assert_eq!(OutcomeKind::of_line(&outcome.line()), Some((OutcomeKind::RuledOut, "the cache: stale — why?")));
        assert_eq!(OutcomeKind::of_line("Note: x"), None);
    }
}
