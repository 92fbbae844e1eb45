//! The tasks that a language model is given, by name.

use super::prompt::Instructions;

/// What a language model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Notes of a session.
    Notes,
    /// A question in other words.
    Reword,
    /// Facts of a text or a session.
    Extract,
    /// Rules and facts that follow from lines that wait for a review.
    Review,
    /// Lines of memory that could be one, that a later one supersedes, or that belong elsewhere.
    Tidy,
    /// What was decided, learnt and finished in a month.
    Compact,
    /// What is true of a project today.
    Project,
    /// What of a conversation should be kept.
    Consolidate,
    /// A conversation with the person, which is no task of tars' own and has no instructions here.
    Chat,
}

impl Task {
    /// Returns its word: in the ledger of uses, in `tars stats`, and as the name of its file of instructions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Notes => "notes",
            Self::Reword => "reword",
            Self::Extract => "extract",
            Self::Review => "review",
            Self::Tidy => "tidy",
            Self::Compact => "compact",
            Self::Project => "project",
            Self::Consolidate => "consolidate",
            Self::Chat => "chat",
        }
    }

    /// Returns the instructions that are built in; `None` for a question in other words and a
    /// conversation, which have none that can be changed.
    ///
    /// # Panics
    /// Never: a test reads all of them.
    pub fn instructions(self) -> Option<Instructions> {
        let file = match self {
            Self::Reword | Self::Chat => return None,
            Self::Notes => include_str!("prompts/notes.md"),
            Self::Extract => include_str!("prompts/extract.md"),
            Self::Review => include_str!("prompts/review.md"),
            Self::Tidy => include_str!("prompts/tidy.md"),
            Self::Compact => include_str!("prompts/compact.md"),
            Self::Project => include_str!("prompts/project.md"),
            Self::Consolidate => include_str!("prompts/consolidate.md"),
        };
        Some(Instructions::parse(file.as_bytes()).expect("the instructions that are built in are whole"))
    }

    /// Returns the lists that the answer to it may hold.
    pub(super) fn lists(self) -> &'static [&'static str] {
        match self {
            Self::Notes | Self::Reword | Self::Chat => &[],
            Self::Extract => &["facts"],
            Self::Review => &["proposals"],
            Self::Tidy => &["changes"],
            Self::Compact => &["decided", "learnt", "finished"],
            Self::Consolidate => &["keep"],
            Self::Project => &["state", "conventions", "decisions", "open"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_instructions_are_whole_and_name_their_lists() {
        for task in
            [Task::Notes, Task::Extract, Task::Review, Task::Tidy, Task::Compact, Task::Project, Task::Consolidate]
        {
            let instructions = task.instructions().unwrap();
            let (name, version) = instructions.version.rsplit_once('-').unwrap();
            assert!(name == task.as_str() && version.parse::<u8>().is_ok(), "{}", instructions.version);
            for list in task.lists() {
                assert!(instructions.text.contains(&format!("\"{list}\": [")), "{list}");
            }
        }
        assert!(Task::Reword.instructions().is_none());
    }
}
