//! Which layer a value came from.

use std::fmt;
use std::path::{Path, PathBuf};

/// The layer, and the place in it, that a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The built-in defaults.
    Default,
    /// A profile, by its name.
    Profile(&'static str),
    /// The user's file.
    UserFile {
        /// The file.
        path: PathBuf,
        /// Line of the key, from 1.
        line: usize,
    },
    /// A project's `.tars.toml`.
    Project {
        /// The file.
        path: PathBuf,
        /// Line of the key, from 1.
        line: usize,
    },
    /// An environment variable, by its name.
    Variable(String),
    /// A flag of the command line, by the key it sets.
    Flag(String),
}

impl Origin {
    /// Returns where to look for the value, as errors show it: `config.toml:12`, `TARS_SEARCH_LIMIT`, `--vault`.
    pub fn place(&self) -> String {
        match self {
            Self::Default => "defaults".into(),
            Self::Profile(_) => self.to_string(),
            Self::UserFile { path, line } | Self::Project { path, line } => format!("{}:{line}", shown(path)),
            Self::Variable(name) => name.clone(),
            Self::Flag(key) => flag_of(key),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Profile(name) => write!(f, "profile {name}"),
            Self::UserFile { path, .. } => write!(f, "user file {}", shown(path)),
            Self::Project { path, .. } => write!(f, "project {}", shown(path)),
            Self::Variable(name) => write!(f, "environment {name}"),
            Self::Flag(key) => write!(f, "flag {}", flag_of(key)),
        }
    }
}

/// Returns the flag that sets a key: one of its own, or `--set KEY`.
fn flag_of(key: &str) -> String {
    match key {
        "vault.path" => "--vault".into(),
        "data.dir" => "--data-dir".into(),
        "models.dir" => "--models-dir".into(),
        "output.color" => "--color".into(),
        _ => format!("--set {}", visible(key)),
    }
}

/// Returns a path as text that is safe to show.
pub(super) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

/// Returns text with control characters replaced: a name must not be able to steer the terminal that shows it.
pub(super) fn visible(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_read_as_words() {
        let path = PathBuf::from("/c/config.toml");
        assert_eq!(Origin::Default.to_string(), "default");
        assert_eq!(Origin::UserFile { path: path.clone(), line: 3 }.to_string(), "user file /c/config.toml");
        assert_eq!(Origin::Project { path: path.clone(), line: 3 }.to_string(), "project /c/config.toml");
        assert_eq!(Origin::UserFile { path, line: 3 }.place(), "/c/config.toml:3");
        assert_eq!(Origin::Variable("TARS_VAULT".into()).to_string(), "environment TARS_VAULT");
        assert_eq!(Origin::Flag("search.min_score".into()).to_string(), "flag --set search.min_score");
        assert_eq!(Origin::Flag("vault.path".into()).to_string(), "flag --vault");
    }

    #[test]
    fn control_characters_are_not_shown() {
        assert_eq!(shown(Path::new("/a\u{1b}[2J")), "/a\u{fffd}[2J");
    }
}
