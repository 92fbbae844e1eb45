//! The labels of the models.

/// A label of a model.
pub trait Label: Copy + PartialEq + 'static {
    /// Every label.
    const ALL: &'static [Self];

    /// Returns its name in the labelled lines.
    fn name(self) -> &'static str;
}

/// The kind of a sentence of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SentenceKind {
    /// A choice that holds from now on was made or agreed.
    Decision,
    /// A cause, a fact or an insight of later use.
    Finding,
    /// Tried or considered, and rejected.
    RuledOut,
    /// Remains to be done, is blocked, or must be decided.
    Open,
    /// A lasting statement of a person about themself, or a standing rule.
    Preference,
    /// A chore was done; nothing lasts.
    Outcome,
    /// Explanation, narration, small talk, a question, an offer.
    Other,
}

impl SentenceKind {
    /// The kinds that are worth remembering.
    pub const LASTING: [Self; 5] = [Self::Decision, Self::Finding, Self::RuledOut, Self::Open, Self::Preference];
}

impl Label for SentenceKind {
    const ALL: &'static [Self] =
        &[Self::Decision, Self::Finding, Self::RuledOut, Self::Open, Self::Preference, Self::Outcome, Self::Other];

    fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Finding => "finding",
            Self::RuledOut => "ruled_out",
            Self::Open => "open",
            Self::Preference => "preference",
            Self::Outcome => "outcome",
            Self::Other => "other",
        }
    }
}

/// The aim of a person's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intent {
    /// To be reminded of the past.
    Recall,
    /// To know something that notes may answer.
    Question,
    /// To have something done.
    Task,
    /// To know something about the code or text at hand.
    Code,
}

impl Label for Intent {
    const ALL: &'static [Self] = &[Self::Recall, Self::Question, Self::Task, Self::Code];

    fn name(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::Question => "question",
            Self::Task => "task",
            Self::Code => "code",
        }
    }
}

/// The effect of a person's reply to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reply {
    /// Agrees to the agent's proposal.
    Accepts,
    /// Picks an alternative, or names a value or rule that holds now.
    Sets,
    /// Rejects or takes back something.
    Refuses,
    /// Leaves it for later.
    Postpones,
    /// Settles nothing.
    Other,
}

impl Label for Reply {
    const ALL: &'static [Self] = &[Self::Accepts, Self::Sets, Self::Refuses, Self::Postpones, Self::Other];

    fn name(self) -> &'static str {
        match self {
            Self::Accepts => "accepts",
            Self::Sets => "sets",
            Self::Refuses => "refuses",
            Self::Postpones => "postpones",
            Self::Other => "other",
        }
    }
}

/// The form of the answer that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuestionShape {
    /// One fact or one passage.
    Single,
    /// Every item of a kind.
    List,
    /// Several events in their order.
    Order,
    /// One subject from its beginning to its present state.
    Development,
    /// Everything about a subject.
    Summary,
}

impl QuestionShape {
    /// The shapes whose answer is spread over several notes.
    pub const SPREAD: [Self; 4] = [Self::List, Self::Order, Self::Development, Self::Summary];
    /// Those of them whose answer is a course of events.
    pub const COURSES: [Self; 3] = [Self::Order, Self::Development, Self::Summary];
}

impl Label for QuestionShape {
    const ALL: &'static [Self] = &[Self::Single, Self::List, Self::Order, Self::Development, Self::Summary];

    fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::List => "list",
            Self::Order => "order",
            Self::Development => "development",
            Self::Summary => "summary",
        }
    }
}

/// Whether a sentence holds beyond the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Standing {
    /// It does: a standing rule, or a statement of the person about themself.
    Standing,
    /// It does not.
    Other,
}

impl Label for Standing {
    const ALL: &'static [Self] = &[Self::Standing, Self::Other];

    fn name(self) -> &'static str {
        match self {
            Self::Standing => "standing",
            Self::Other => "other",
        }
    }
}
