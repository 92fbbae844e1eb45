//! What a model is told: the instructions of a task, and the data that it is about.

use crate::domain::{ContentHash, hex};

/// Longest file with a person's own instructions, in bytes.
pub const LONGEST_PROMPT: usize = 16 << 10;

/// Returns a mark that `data` cannot hold: a hash over all of it.
pub(super) fn mark(data: &str) -> String {
    let hash = ContentHash::of_parts([data.as_bytes()]);
    hex(&hash.as_bytes()[..6])
}

/// What a model is sent; neither text is changed on the way.
pub(super) struct Prompt {
    /// What it is to do.
    pub(super) task: String,
    /// What it is to do that with, marked as data.
    pub(super) data: String,
}

/// The instructions of a task, and which version they are.
///
/// They are a file: front matter with `version: NAME` between two lines `---`, and the instructions below. Without front
/// matter, or without a version in it, the version is a short hash of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instructions {
    /// What the model is told.
    pub text: String,
    /// The version that notes name as `prompt=`.
    pub version: String,
}

/// Why a person's own instructions cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InstructionsError {
    /// Nothing stands in the file, or front matter alone.
    #[error("it is empty")]
    Empty,
    /// The file is longer than [`LONGEST_PROMPT`].
    #[error("it is longer than {LONGEST_PROMPT} bytes")]
    TooLong,
    /// The file is no text.
    #[error("it is not UTF-8")]
    NotText,
}

impl Instructions {
    /// Reads a file of instructions.
    ///
    /// # Errors
    /// See [`InstructionsError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, InstructionsError> {
        if bytes.len() > LONGEST_PROMPT {
            return Err(InstructionsError::TooLong);
        }
        let file = str::from_utf8(bytes).map_err(|_| InstructionsError::NotText)?.replace("\r\n", "\n");
        let file = file.strip_prefix('\u{feff}').unwrap_or(&file);
        let (matter, text) = file
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---"))
            .map_or(("", file), |(matter, rest)| (matter, rest.split_once('\n').map_or("", |(_, text)| text)));
        let text = text.replace('\0', "").trim().to_owned();
        if text.is_empty() {
            return Err(InstructionsError::Empty);
        }
        let named = matter.lines().find_map(|line| line.strip_prefix("version:"));
        let named = named.map(|version| version.trim().trim_matches(['"', '\''])).filter(|version| !version.is_empty());
        let version = named.map_or_else(|| hex(&ContentHash::of_parts([bytes]).as_bytes()[..4]), str::to_owned);
        Ok(Self { text, version })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_name_their_version_or_have_a_hash() {
        let named = Instructions::parse(b"---\nversion: \"mine-2\"\nby: me\n---\nBe terse.\n").unwrap();
        assert_eq!((named.text.as_str(), named.version.as_str()), ("Be terse.", "mine-2"));
        let plain = Instructions::parse(b"Be terse.").unwrap();
        assert_eq!((plain.text.as_str(), plain.version.len()), ("Be terse.", 8));
        assert_ne!(plain.version, Instructions::parse(b"Be long.").unwrap().version);
        assert_eq!(Instructions::parse("\u{feff}---\r\nversion: 3\r\n---\r\nHi".as_bytes()).unwrap().version, "3");
        assert_eq!(Instructions::parse(b"---\nBe terse.").unwrap().text, "---\nBe terse.", "no front matter");
    }

    #[test]
    fn broken_instructions_are_refused() {
        for empty in ["", " \n", "---\nversion: 1\n---\n", "---\nversion: 1\n---"] {
            assert_eq!(Instructions::parse(empty.as_bytes()), Err(InstructionsError::Empty), "{empty:?}");
        }
        assert_eq!(Instructions::parse(&[b'x'; LONGEST_PROMPT + 1]), Err(InstructionsError::TooLong));
        assert_eq!(Instructions::parse(b"caf\xe9"), Err(InstructionsError::NotText));
    }
}
