//! Prompts: the instructions of a task, and its data.

use tars_base::domain::{ContentHash, hex};

/// Maximum size of a person's own instructions file, in bytes.
pub const MAX_PROMPT_BYTES: usize = 16 << 10;

/// Returns a marker that cannot occur in `data`: a hash of it.
pub(super) fn delimiter(data: &str) -> String {
    let hash = ContentHash::of_parts([data.as_bytes()]);
    hex(&hash.as_bytes()[..6])
}

/// A prompt; both texts are sent unchanged.
pub(super) struct Prompt {
    pub(super) task: String,
    /// The data for the task, marked as data.
    pub(super) data: String,
}

/// The instructions of a task, with their version.
///
/// They come from a file: front matter with `version: NAME` between two lines `---`, followed by the instructions.
/// Without front matter, or without a version in it, the version is a short hash of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instructions {
    /// The instructions for the model.
    pub text: String,
    /// The version, which notes record as `prompt=`.
    pub version: String,
}

/// Why a person's own instructions are unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InstructionsError {
    /// The file is empty or has only front matter.
    #[error("it is empty")]
    Empty,
    /// The file is longer than [`MAX_PROMPT_BYTES`].
    #[error("it is longer than {MAX_PROMPT_BYTES} bytes")]
    TooLong,
    /// The file is not UTF-8 text.
    #[error("it is not UTF-8")]
    NotText,
}

impl Instructions {
    /// Parses an instructions file.
    ///
    /// # Errors
    /// See [`InstructionsError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, InstructionsError> {
        if bytes.len() > MAX_PROMPT_BYTES {
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
        assert_eq!(Instructions::parse(&[b'x'; MAX_PROMPT_BYTES + 1]), Err(InstructionsError::TooLong));
        assert_eq!(Instructions::parse(b"caf\xe9"), Err(InstructionsError::NotText));
    }
}
