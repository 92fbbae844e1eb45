//! The author of a line of the memory, and whether the line may be promoted.

use std::sync::Arc;

use super::MemoryError;
use tars_agent::digest::Wording;
use tars_base::domain::Reading;
use tars_vault::{Author, LineCredit, MemoryFolder, Origins};

/// Returns the author of an agent's words.
pub fn author_of(reading: Reading) -> Author {
    match reading {
        Reading::Local => Author::Agent,
        Reading::Unknown => Author::Unknown,
        Reading::Foreign => Author::Untrusted,
    }
}

/// Returns who worded the outcome `text`, which stands in `line`.
pub(super) fn credit(wording: &Wording, text: &str, line: String) -> LineCredit {
    match wording.persons.contains(text) {
        true => LineCredit { line, by: Author::Person, model: None },
        false => LineCredit { line, by: author_of(wording.reading), model: wording.model.clone() },
    }
}

/// Tells what may be proposed from which line.
#[derive(Debug)]
pub struct Trust(Option<Arc<Origins>>);

impl Trust {
    /// Reads the origins of a folder's lines. A folder that knows of no origins is trusted.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn of(folder: &MemoryFolder) -> Result<Self, MemoryError> {
        Ok(Self(folder.origins()?))
    }

    /// Whether a rule may rest on a line that tars wrote into this file. A line of unknown origin is none.
    pub fn is_for_rules(&self, file: &str, line: &str) -> bool {
        self.holds(file, line, |by| by.is_some_and(Author::may_be_promoted))
    }

    /// Whether a rule may rest on a line of this file that a person may have written: a line of unknown origin is theirs.
    pub fn is_persons(&self, file: &str, line: &str) -> bool {
        self.holds(file, line, |by| by.is_none_or(Author::may_be_promoted))
    }

    /// Whether a fact may be proposed from a line of this file, which a person then sees.
    pub fn is_for_facts(&self, file: &str, line: &str) -> bool {
        self.holds(file, line, |by| by != Some(Author::Untrusted))
    }

    fn holds(&self, file: &str, line: &str, accepts: impl Fn(Option<Author>) -> bool) -> bool {
        let Some(origins) = &self.0 else { return true };
        accepts(origins.of(file, line).map(|origin| origin.by))
    }
}
