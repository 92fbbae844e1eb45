//! A change of the memory that waits for the person's word.

use crate::domain::{ContentHash, hex};
use crate::memory::{Bullet, normal};

/// A change, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Who proposes it.
    pub job: Job,
    /// What would be changed.
    pub change: Change,
    /// The lines that it rests on. Those that wait for a review are settled with it.
    pub sources: Vec<Line>,
}

/// What proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// The review of corrections, rewards and extracted lines.
    Review,
    /// The tidying of what is remembered.
    Tidy,
    /// A conversation in which nobody could be asked.
    Chat,
    /// The upkeep of a project's page.
    Project(String),
}

/// A line of the memory folder as it was when the proposal was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// Name of its file within the memory folder.
    pub file: String,
    /// Its id.
    pub id: String,
    /// The heading above it.
    pub section: String,
    /// What it says.
    pub text: String,
}

/// A place that a line is written to.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Name of the file within the memory folder.
    pub file: String,
    /// The heading.
    pub section: String,
}

/// A change of the memory folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A line is added.
    Add {
        /// Where.
        to: Place,
        /// What it says.
        text: String,
    },
    /// A file that is not there is made.
    Page {
        /// Its name within the memory folder.
        file: String,
        /// Its lines, each with its heading.
        lines: Vec<(String, String)>,
    },
    /// One line says what several said, or what one said in other words.
    Merge {
        /// Lines of one file, at least one.
        lines: Vec<Line>,
        /// What is said in the place of the first one.
        text: String,
    },
    /// A line is no longer true: the words that are true now take its place.
    Replace {
        /// The line.
        old: Line,
        /// What is true now.
        text: String,
    },
    /// A line is no longer true, since a line that is there says what is.
    Supersede {
        /// The line that is no longer true.
        old: Line,
        /// The one that is.
        by: Line,
    },
    /// A line goes.
    Remove {
        /// The line.
        line: Line,
        /// The one that says the same, or says why it can go.
        since: Line,
    },
    /// A link of a line that leads nowhere is mended.
    Link {
        /// The line.
        line: Line,
        /// What the link names.
        target: String,
        /// What it is to name; `None` where it is to be no link any more.
        to: Option<String>,
    },
    /// A line moves to another file.
    Move {
        /// The line.
        line: Line,
        /// Where to.
        to: Place,
    },
}

impl Job {
    /// Returns the heading that its proposals stand under.
    pub(super) fn heading(&self) -> String {
        match self {
            Self::Review => "From the review".into(),
            Self::Tidy => "To tidy".into(),
            Self::Chat => "From conversations".into(),
            Self::Project(name) => format!("Project {name}"),
        }
    }

    /// Returns the job whose proposals stand under a heading.
    pub(super) fn of(heading: &str) -> Self {
        match heading.strip_prefix("Project ") {
            Some(name) => Self::Project(name.trim().to_owned()),
            None if heading == Self::Tidy.heading() => Self::Tidy,
            None if heading == Self::Chat.heading() => Self::Chat,
            None => Self::Review,
        }
    }
}

impl Line {
    /// Returns how `from=` and `lines=` of a comment name it.
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
    /// Returns its word in the list's comments and in JSON.
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

    /// Returns the words that a person may change before they accept it; those of the line that it is about where it brings none.
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

    /// Whether it brings words of its own.
    pub fn brings_text(&self) -> bool {
        matches!(self, Self::Add { .. } | Self::Merge { .. } | Self::Replace { .. })
    }

    /// Returns the lines that it takes away or puts elsewhere.
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

    /// Returns eight hexadecimal digits over what would be changed. Case, marks and the machine do not count, so that two machines
    /// that share a vault give one change one id.
    pub fn id(&self) -> String {
        let mut parts: Vec<String> = vec![self.as_str().into()];
        parts.extend(self.lines().iter().flat_map(|line| [line.file.clone(), normal(&line.text)]));
        match self {
            Self::Add { to, text } => parts.extend([to.file.clone(), normal(text)]),
            Self::Merge { text, .. } | Self::Replace { text, .. } => parts.push(normal(text)),
            Self::Supersede { by: line, .. } | Self::Remove { since: line, .. } => parts.push(normal(&line.text)),
            Self::Move { to, .. } => parts.push(to.file.clone()),
            Self::Page { file, lines } => {
                parts.push(file.clone());
                parts.extend(lines.iter().map(|(_, text)| normal(text)));
            }
            Self::Link { target, to, .. } => parts.extend([target.clone(), to.clone().unwrap_or_default()]),
        }
        let parts: Vec<&[u8]> = parts.iter().flat_map(|part| [part.as_bytes(), b"\0".as_slice()]).collect();
        hex(&ContentHash::of_parts(parts).as_bytes()[..4])
    }
}
