//! Errors of the configuration, each with a command to run next.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::origin::{shown, visible};
use super::{MCP_SERVERS, Origin, SCHEDULE};

/// Why the configuration cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file exists but cannot be read.
    #[error("{}: cannot read the configuration", shown(.path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{}: cannot write the configuration", shown(.path))]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file is too large for a configuration.
    #[error("{}: larger than the limit of {limit} bytes", shown(.path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Maximum size, in bytes.
        limit: u64,
    },
    /// A file is not TOML.
    #[error("{}:{line}: {message}", shown(.path))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Message of the parser.
        message: String,
    },
    /// An unknown key.
    #[error("{}unknown key '{}'{}", prefix(.origin), visible(.key), suggestion(.nearest))]
    UnknownKey {
        /// Where it was set; `None` for a key given to a command.
        origin: Option<Origin>,
        /// The key as written.
        key: String,
        /// The nearest known key, if any.
        nearest: Option<String>,
    },
    /// A value of the wrong type or out of range.
    #[error("{}{}: expected {expected}{}", prefix(.origin), visible(.key), instead(.found))]
    Invalid {
        /// Where it was set; `None` for a value given to a command.
        origin: Option<Origin>,
        /// The key.
        key: String,
        /// The values that the key accepts.
        expected: String,
        /// The value; `None` where it may be a secret.
        found: Option<String>,
    },
    /// A key that tunes the ranking was given as a setting.
    #[error("{key} tunes the ranking and is not a setting: use 'tars eval --set'")]
    Tuning {
        /// The key.
        key: String,
        /// The given value.
        value: String,
    },
    /// A folder that `tars index` would refuse as a collection.
    #[error("{key}: {} {reason}", shown(.path))]
    Collection {
        /// The key.
        key: String,
        /// The folder.
        path: PathBuf,
        /// The reason, in words that follow the path.
        reason: String,
    },
    /// A schedule that cannot be added, removed or changed.
    #[error("schedule '{}': {reason}", visible(.name))]
    Schedule {
        /// Name of the schedule.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A collection or a tool server that cannot be added, removed or renamed.
    #[error("{kind} '{}' {reason}", visible(.name))]
    Entry {
        /// The kind of the entry.
        kind: EntryKind,
        /// Its name.
        name: String,
        /// The reason, in words that follow the name.
        reason: String,
    },
    /// The file was changed by another program while a person edited its text.
    #[error("{} has changed since its text was opened in the editor", shown(.path))]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A path needs the home directory, which is unknown.
    #[error("{}: the home directory is not known", shown(.needed_for))]
    NoHome {
        /// The path.
        needed_for: PathBuf,
    },
    /// A relative path in a variable or a flag cannot be resolved, because the current directory was removed.
    #[error("{}: cannot resolve a relative path without a current directory", shown(.needed_for))]
    NoDirectory {
        /// The path.
        needed_for: PathBuf,
    },
    /// The merged layers do not form a configuration. This is a bug in tars, because each value was checked before.
    #[error("the settings are inconsistent: {0}")]
    Shape(String),
}

/// The kind of an entry that commands add and remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A collection.
    Collection,
    /// A tool server.
    Server,
}

impl fmt::Display for EntryKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Collection => "collection",
            Self::Server => "server",
        })
    }
}

impl ConfigError {
    /// Returns the line of a mistake in a file, from 1, if it is known.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Syntax { line, .. } => Some(*line),
            Self::UnknownKey { origin, .. } | Self::Invalid { origin, .. } => match origin {
                Some(Origin::UserFile { line, .. }) => Some(*line),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the command to run next, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read { path, .. } | Self::Write { path, .. } | Self::TooLarge { path, .. } => {
                Some(format!("ls -l {}", quoted(&path.to_string_lossy())?))
            }
            Self::Syntax { .. } => Some("tars config edit".into()),
            Self::UnknownKey { origin, key, .. } | Self::Invalid { origin, key, .. } => match origin {
                // Commands can remove only keys that are settings.
                Some(Origin::UserFile { .. })
                    if key.split('.').next() == Some(SCHEDULE) || key.starts_with(MCP_SERVERS) =>
                {
                    Some("tars config edit".into())
                }
                Some(Origin::UserFile { .. }) => Some(format!("tars config unset {}", quoted(key)?)),
                None if key.split('.').next() == Some(SCHEDULE) => Some("tars schedule add --help".into()),
                Some(Origin::Variable(name)) => Some(format!("unset {name}")),
                _ => Some("tars config list".into()),
            },
            Self::Tuning { key, value } => Some(format!("tars eval --self --set {key}={}", quoted(value)?)),
            Self::Collection { key, .. } => Some(format!("tars config set {key} FOLDER")),
            Self::Schedule { .. } => Some("tars schedule list".into()),
            Self::Entry { kind: EntryKind::Collection, .. } => Some("tars collection list".into()),
            Self::Entry { kind: EntryKind::Server, .. } => Some("tars mcp servers list".into()),
            Self::Changed { .. } => Some("tars config edit".into()),
            Self::NoHome { .. } => Some("export HOME=...".into()),
            Self::NoDirectory { .. } => Some("cd".into()),
            Self::Shape(_) => None,
        }
    }
}

/// Returns `text` quoted for a shell; `None` if it holds control characters.
fn quoted(text: &str) -> Option<String> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
    match text {
        _ if text.chars().any(char::is_control) => None,
        _ if !text.is_empty() && text.chars().all(plain) => Some(text.to_owned()),
        _ => Some(format!("'{}'", text.replace('\'', r"'\''"))),
    }
}

fn prefix(origin: &Option<Origin>) -> String {
    origin.as_ref().map(|origin| format!("{}: ", origin.place())).unwrap_or_default()
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|key| format!(", did you mean '{key}'?")).unwrap_or_default()
}

fn instead(value: &Option<String>) -> String {
    value.as_ref().map(|value| format!(", found {}", visible(value))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_place_and_the_key() {
        let origin = Some(Origin::UserFile { path: "/c.toml".into(), line: 4 });
        let unknown =
            ConfigError::UnknownKey { origin, key: "search.limt".into(), nearest: Some("search.limit".into()) };
        assert_eq!(unknown.to_string(), "/c.toml:4: unknown key 'search.limt', did you mean 'search.limit'?");
        assert_eq!(unknown.hint().unwrap(), "tars config unset search.limt");
    }

    #[test]
    fn hints_are_safe_to_paste() {
        assert_eq!(quoted("a b").unwrap(), "'a b'");
        assert_eq!(quoted("it's").unwrap(), r"'it'\''s'");
        assert_eq!(quoted("a\nb"), None);
    }
}
