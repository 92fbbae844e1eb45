//! Proposals: changes to the memory that wait for a person's decision.

use jiff::civil::Date;

use crate::{Bullet, normalized};
use tars_base::domain::{ContentHash, hex};

/// Precedes the day of the import in the heading of its proposals.
const IMPORTED_CHATS: &str = "From chats imported on ";

/// A change and its sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The job that made the proposal.
    pub job: Job,
    /// The proposed change.
    pub change: Change,
    /// The lines that it is based on. Settling the proposal also settles those that wait for a review.
    pub sources: Vec<Line>,
}

/// Origin of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// The review of corrections, rewards and extracted lines.
    Review,
    /// Tidying of the durable files.
    Tidy,
    /// A conversation in which nobody could be asked for approval.
    Chat,
    /// The import, on this day, of chats with other programs.
    ImportedChats(Date),
    /// Maintenance of a project's page.
    Project(String),
}

/// A line of the memory folder, as it was when the proposal was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// Name of its file within the memory folder.
    pub file: String,
    /// Id of its bullet.
    pub id: String,
    /// The heading above it.
    pub section: String,
    /// Its text.
    pub text: String,
}

/// A place to write a line to.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Destination {
    /// Name of the file within the memory folder.
    pub file: String,
    /// The heading of the section.
    pub section: String,
}

/// A change to the memory folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Adds a line.
    Add {
        /// Destination.
        to: Destination,
        /// Text of the line.
        text: String,
    },
    /// Creates a file.
    Page {
        /// Its name within the memory folder.
        file: String,
        /// Its lines, each as heading and text.
        lines: Vec<(String, String)>,
    },
    /// Merges lines into one, or rewords a single line.
    Merge {
        /// Lines of one file, at least one.
        lines: Vec<Line>,
        /// The new text. It replaces the first line.
        text: String,
    },
    /// Replaces a line that is no longer true by new text.
    Replace {
        /// The outdated line.
        old: Line,
        /// The text that is true now.
        text: String,
    },
    /// Supersedes a line that is no longer true by an existing line.
    Supersede {
        /// The outdated line.
        old: Line,
        /// The line that is true now.
        by: Line,
    },
    /// Removes a line.
    Remove {
        /// The line to remove.
        line: Line,
        /// The line that says the same, or that explains the removal.
        since: Line,
    },
    /// Repairs a broken link in a line.
    Link {
        /// The line with the link.
        line: Line,
        /// The target of the broken link.
        target: String,
        /// The new target; `None` turns the link into plain text.
        to: Option<String>,
    },
    /// Moves a line to another file.
    Move {
        /// The line to move.
        line: Line,
        /// Destination.
        to: Destination,
    },
}

impl Job {
    /// Returns the heading of the job's proposals in the list.
    pub(super) fn heading(&self) -> String {
        match self {
            Self::Review => "From the review".into(),
            Self::Tidy => "To tidy".into(),
            Self::Chat => "From conversations".into(),
            Self::ImportedChats(day) => format!("{IMPORTED_CHATS}{day}"),
            Self::Project(name) => format!("Project {name}"),
        }
    }

    /// Returns the job whose proposals stand under a heading.
    pub(super) fn of(heading: &str) -> Self {
        if let Some(day) = heading.strip_prefix(IMPORTED_CHATS).and_then(|day| day.trim().parse().ok()) {
            return Self::ImportedChats(day);
        }
        match heading.strip_prefix("Project ") {
            Some(name) => Self::Project(name.trim().to_owned()),
            None if heading == Self::Tidy.heading() => Self::Tidy,
            None if heading == Self::Chat.heading() => Self::Chat,
            None => Self::Review,
        }
    }
}

impl Line {
    /// Returns the file and the id that name the line in the fields of a comment.
    pub(super) fn key(&self) -> (&str, &str) {
        (&self.file, &self.id)
    }
}

impl From<&Bullet> for Line {
    fn from(bullet: &Bullet) -> Self {
        Self {
            file: bullet.file.clone(),
            id: bullet.id.clone(),
            section: bullet.heading.clone(),
            text: bullet.text.clone(),
        }
    }
}

impl Change {
    /// Returns the word for the change in the list's comments and in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Add { .. } => "add",
            Self::Page { .. } => "page",
            Self::Merge { .. } => "merge",
            Self::Replace { .. } => "replace",
            Self::Supersede { .. } => "supersede",
            Self::Remove { .. } => "remove",
            Self::Link { .. } => "link",
            Self::Move { .. } => "move",
        }
    }

    /// Returns the text that a person may edit before accepting. A change without text of its own returns the text of its line.
    pub fn text(&self) -> &str {
        match self {
            Self::Add { text, .. } | Self::Merge { text, .. } | Self::Replace { text, .. } => text,
            Self::Supersede { old: line, .. }
            | Self::Remove { line, .. }
            | Self::Link { line, .. }
            | Self::Move { line, .. } => &line.text,
            Self::Page { .. } => "",
        }
    }

    /// Returns the file of the page that the change creates.
    pub fn page(&self) -> Option<&str> {
        match self {
            Self::Page { file, .. } => Some(file),
            _ => None,
        }
    }

    /// Whether the change brings new text.
    pub fn brings_text(&self) -> bool {
        matches!(self, Self::Add { .. } | Self::Merge { .. } | Self::Replace { .. })
    }

    /// Returns the lines that the change removes, replaces or moves.
    pub fn lines(&self) -> &[Line] {
        match self {
            Self::Merge { lines, .. } => lines,
            Self::Replace { old: line, .. }
            | Self::Supersede { old: line, .. }
            | Self::Remove { line, .. }
            | Self::Link { line, .. }
            | Self::Move { line, .. } => std::slice::from_ref(line),
            Self::Add { .. } | Self::Page { .. } => &[],
        }
    }

    /// Returns the change's id: eight hexadecimal digits of a hash. Case, punctuation and the machine do not matter, so two machines with
    /// a shared vault compute the same id.
    pub fn id(&self) -> String {
        let mut parts: Vec<String> = vec![self.as_str().into()];
        parts.extend(self.lines().iter().flat_map(|line| [line.file.clone(), normalized(&line.text)]));
        match self {
            Self::Add { to, text } => parts.extend([to.file.clone(), normalized(text)]),
            Self::Merge { text, .. } | Self::Replace { text, .. } => parts.push(normalized(text)),
            Self::Supersede { by: line, .. } | Self::Remove { since: line, .. } => parts.push(normalized(&line.text)),
            Self::Move { to, .. } => parts.push(to.file.clone()),
            Self::Page { file, lines } => {
                parts.push(file.clone());
                parts.extend(lines.iter().map(|(_, text)| normalized(text)));
            }
            Self::Link { target, to, .. } => parts.extend([target.clone(), to.clone().unwrap_or_default()]),
        }
        let parts: Vec<&[u8]> = parts.iter().flat_map(|part| [part.as_bytes(), b"\0".as_slice()]).collect();
        hex(&ContentHash::of_parts(parts).as_bytes()[..4])
    }
}
