//! The tasks for a language model, by name.

use super::prompt::Instructions;

/// A task for a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Notes about a session.
    Notes,
    /// Rewording of a question.
    Reword,
    /// Facts in a text or a session.
    Extract,
    /// Rules and facts from lines that wait for a review.
    Review,
    /// Lines of memory to merge, supersede or move.
    Tidy,
    /// Decisions, lessons and finished work of a month.
    Compact,
    /// Current state of a project.
    Project,
    /// Parts of a conversation to keep.
    Consolidate,
    /// A conversation with the person. It is not one of tars' own tasks and has no instructions here.
    Chat,
}

impl Task {
    /// Returns the task's name, as used in the usage ledger, in `tars stats` and for its instructions file.
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

    /// Returns the built-in instructions; `None` for rewording and conversations, whose instructions cannot be changed.
    ///
    /// # Panics
    /// Never: a test parses all of them.
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
        Some(Instructions::parse(file.as_bytes()).expect("the built-in instructions are valid"))
    }

    /// Returns the lists that the task's answer may contain.
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
