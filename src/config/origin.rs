//! Origins of settings.

use std::fmt;
use std::path::{Path, PathBuf};

/// The origin of a value: its layer and its place there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The built-in defaults.
    Default,
    /// A profile, by name.
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
    /// An environment variable, by name.
    Variable(String),
    /// A command-line flag, by its key.
    Flag(String),
}

impl Origin {
    /// Returns the place of the value for an error: `config.toml:12`, `TARS_SEARCH_LIMIT`, `--vault`.
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

/// Returns the flag that sets a key: its own flag, or `--set KEY`.
fn flag_of(key: &str) -> String {
    match key {
        "vault.path" => "--vault".into(),
        "data.dir" => "--data-dir".into(),
        "models.dir" => "--models-dir".into(),
        "output.color" => "--color".into(),
        _ => format!("--set {}", visible(key)),
    }
}

/// Returns a path as text that is safe to display.
pub(super) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

/// Replaces control characters, so that a name cannot control the terminal.
pub(super) fn visible(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_display_as_words() {
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
