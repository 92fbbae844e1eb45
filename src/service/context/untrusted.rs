//! Marks the lines of a block that an agent wrote after it had read text of strangers.

use std::collections::{BTreeMap, HashSet};

use super::pieces::{Chosen, UNTRUSTED, unmarked};
use crate::{App, VAULT};
use tars_agent::context_block::unescape_line;
use tars_base::domain::Hit;
use tars_vault::{Author, Lines, MemoryFolder};

/// Returns the excerpts with the word behind each line of untrusted origin. While the origins cannot be read, each line of the memory folder
/// has it.
pub(super) fn marked(app: &App, chosen: Vec<Chosen>) -> Vec<Chosen> {
    let Ok(folder) = app.memory_folder() else { return chosen };
    let file = |one: &Chosen| {
        let path = one.piece.source().path.as_str();
        folder.relative_name(path).filter(|_| one.collection == VAULT).map(str::to_owned)
    };
    let files: HashSet<String> = chosen.iter().filter_map(file).collect();
    if files.is_empty() {
        return chosen;
    }
    let untrusted = UntrustedLines::of(&folder, &files);
    let mark = |one: Chosen| {
        let Some(file) = file(&one) else { return one };
        let piece = one.piece.with_remark_at(UNTRUSTED, |number, text| untrusted.holds(&file, number, text));
        Chosen { piece, ..one }
    };
    chosen.into_iter().map(mark).collect()
}

/// Puts the word behind each line of untrusted origin in the results of a search, for an agent.
pub fn mark_untrusted(app: &App, results: &mut [Hit]) {
    let Ok(folder) = app.memory_folder() else { return };
    let file = |hit: &Hit| folder.relative_name(&hit.path).filter(|_| hit.collection == VAULT).map(str::to_owned);
    let files: HashSet<String> = results.iter().filter_map(file).collect();
    if files.is_empty() {
        return;
    }
    let untrusted = UntrustedLines::of(&folder, &files);
    for hit in results {
        let Some(file) = file(&*hit) else { continue };
        let first = hit.start_line;
        let marked = |(index, line): (usize, &str)| match untrusted.holds(&file, first + index, line) {
            true if !line.trim().is_empty() => format!("{line} ({UNTRUSTED})"),
            _ => line.to_owned(),
        };
        hit.content = hit.content.split('\n').enumerate().map(marked).collect::<Vec<_>>().join("\n");
    }
}

/// The lines of untrusted origin in some files.
pub(crate) struct UntrustedLines {
    /// Their numbers in each file.
    numbers: BTreeMap<String, HashSet<usize>>,
    origins: Option<tars_vault::Origins>,
    is_unknown: bool,
}

impl UntrustedLines {
    /// Reads the origins of the lines in these files of the memory folder.
    pub(crate) fn of(folder: &MemoryFolder, files: &HashSet<String>) -> Self {
        let names: Vec<&str> = files.iter().map(String::as_str).collect();
        let origins = match folder.origins_of(&names) {
            Ok(origins) => origins,
            Err(error) => {
                tracing::warn!("the origins of lines are unknown: {error}");
                return Self { numbers: BTreeMap::new(), origins: None, is_unknown: true };
            }
        };
        let mut found = Self { numbers: BTreeMap::new(), origins, is_unknown: false };
        for file in files {
            // A shortened line is found by its number.
            let bytes = folder.read(file).ok().flatten().unwrap_or_default();
            let lines = Lines::of(&bytes);
            let is_meant = |at: &usize| found.is_untrusted(file, &lines.line(*at));
            let numbers: HashSet<usize> = (0..lines.len()).filter(is_meant).map(|at| at + 1).collect();
            found.numbers.insert(file.clone(), numbers);
        }
        found
    }

    fn is_untrusted(&self, file: &str, line: &str) -> bool {
        let origin = self.origins.as_ref().and_then(|origins| origins.of(file, line));
        origin.is_some_and(|origin| origin.by == Author::Untrusted)
    }

    /// Whether a line is of untrusted origin, by its number from 1 or by its words. Every line is while the origins cannot be read.
    pub(crate) fn holds(&self, file: &str, number: usize, text: &str) -> bool {
        self.is_unknown
            || self.numbers.get(file).is_some_and(|numbers| numbers.contains(&number))
            || self.is_untrusted(file, &unescape_line(unmarked(text)))
    }
}
