//! Who wrote a line of the memory, and whether it may be promoted.

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

/// Tells which lines may become rules or facts.
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

    /// Whether a line that tars wrote into this file may be promoted. A line of unknown origin may not.
    pub fn trusts(&self, file: &str, line: &str) -> bool {
        self.by(file, line, false)
    }

    /// Whether a line of this file may be promoted that a person may have written: a line of unknown origin is theirs.
    pub fn trusts_persons(&self, file: &str, line: &str) -> bool {
        self.by(file, line, true)
    }

    fn by(&self, file: &str, line: &str, otherwise: bool) -> bool {
        let Some(origins) = &self.0 else { return true };
        origins.of(file, line).map_or(otherwise, |origin| origin.by.may_be_promoted())
    }
}
