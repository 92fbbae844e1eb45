//! The origins of lines that agents were shown.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::learning::shown_key;
use crate::{App, Result, VAULT};
use tars_agent::recall::{ShownLine, ShownPiece};
use tars_text::redact::redact;
use tars_vault::{LineOrigin, MemoryFolder, Origins};

/// Finds the origins of shown lines of the memory folder.
pub(super) struct ShownOrigins {
    known: Option<(MemoryFolder, Arc<Origins>)>,
    /// The lines of each file as they stand now, by the key that the ledger has.
    files: RefCell<HashMap<String, HashMap<String, String>>>,
}

impl ShownOrigins {
    /// Reads the origins; without a vault there are none.
    ///
    /// # Errors
    /// They cannot be read.
    pub(super) fn of(app: &App) -> Result<Self> {
        let folder = app.memory_folder().ok();
        let known = match folder {
            Some(folder) => folder.origins()?.map(|origins| (folder, origins)),
            None => None,
        };
        Ok(Self { known, files: RefCell::default() })
    }

    /// Returns the origin of a line of an excerpt, if it is known.
    pub(super) fn origin(&self, piece: &ShownPiece, line: &ShownLine) -> Option<LineOrigin> {
        let (folder, origins) = self.known.as_ref().filter(|_| piece.collection == VAULT)?;
        let file = folder.relative_name(&piece.path)?;
        let mut files = self.files.borrow_mut();
        let lines = files.entry(file.to_owned()).or_insert_with(|| {
            let bytes = folder.read(file).ok().flatten().unwrap_or_default();
            let text = tars_vault::text_of(&bytes);
            let shown = redact(&text).text.into_owned();
            let lines = shown.lines().zip(text.lines());
            lines.filter_map(|(shown, line)| Some((shown_key(shown)?, line.to_owned()))).collect()
        });
        // A line of a session's start is shown without its time, and keeps its words.
        let text = lines.get(&line.key).map_or(line.text.as_str(), String::as_str);
        origins.of(file, text).cloned()
    }
}
