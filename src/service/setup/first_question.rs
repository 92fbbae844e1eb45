//! A first question, made from the person's own notes.

use std::cmp::Reverse;
use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Result, Service, UseCase, VAULT};
use tars_store::{FileRecord, Reader};

/// Notes to look at, the newest.
const NEWEST: usize = 300;
/// Chunks of each note to look at.
const CHUNKS: u32 = 4;
/// A heading in more than this share of the notes comes from a template and says nothing about a single note.
const TEMPLATE: f64 = 0.2;

/// Asks for a question that the notes of the vault answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FirstQuestionRequest {}

/// The question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FirstQuestionResponse {
    /// A heading that stands in several notes, otherwise the title or a heading of the newest note that has a telling one; `None`
    /// if no note has one.
    pub question: Option<String>,
}

impl UseCase for FirstQuestionRequest {
    type Response = FirstQuestionResponse;

    fn run(&self, service: &Service<'_>) -> Result<FirstQuestionResponse> {
        let app = service.app;
        let index = app.open_index()?;
        let index = index.snapshot()?;
        let memory = format!("{}/", app.settings.config.vault.memory_folder.trim_end_matches('/'));
        let vault = index.collections()?.into_iter().find(|collection| collection.name == VAULT);
        let mut files = vault.map_or(Ok(Vec::new()), |vault| index.files(vault.id))?;
        files.retain(|file| !file.path.starts_with(&memory));
        files.sort_by_key(|file| Reverse(file.stat.mtime_ns));
        files.truncate(NEWEST);
        Ok(FirstQuestionResponse { question: question(&*index, &files)? })
    }
}

/// Returns the question that `files` suggest. The newest file comes first.
fn question(index: &dyn Reader, files: &[FileRecord]) -> Result<Option<String>> {
    // Each heading with the number of its notes and the position of the newest of them.
    let mut headings: HashMap<String, (String, usize, usize)> = HashMap::new();
    let mut newest = None;
    for (age, file) in files.iter().enumerate() {
        let mut of_note: Vec<String> = Vec::new();
        let chunks = index.chunk_range(file.id, 0, CHUNKS - 1)?;
        let title = chunks.first().map(|chunk| chunk.title.trim().to_owned());
        for chunk in chunks {
            let inner = chunk.sections.iter().map(|section| section.heading.as_str());
            for heading in std::iter::once(chunk.heading.as_str()).chain(inner) {
                let last = heading.rsplit(" > ").next().unwrap_or_default().trim();
                if is_telling(last) && !of_note.iter().any(|known| known == last) {
                    of_note.push(last.to_owned());
                }
            }
        }
        if newest.is_none() {
            newest = title.filter(|title| is_telling(title)).or_else(|| of_note.first().cloned());
        }
        for heading in of_note {
            headings.entry(heading.to_lowercase()).or_insert((heading, 0, age)).1 += 1;
        }
    }
    let most = ((files.len() as f64 * TEMPLATE) as usize).max(2);
    let frequent = headings.into_values().filter(|(_, notes, _)| (2..=most).contains(notes));
    let best = frequent.max_by(|(_, one, age), (_, other, than)| one.cmp(other).then(than.cmp(age)));
    Ok(best.map(|(heading, ..)| heading).or(newest))
}

/// Whether a heading or a title says what a text is about: at least two words of letters, and no signs of code, links or dates.
fn is_telling(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 2).count();
    let is_wide = |c: char| !c.is_ascii() && c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase();
    let is_plain = !text.contains(['[', ']', '|', '`', '<', '>', '{', '}', '#', ':', '"', '*', '_']);
    // Some languages write without spaces.
    let says = words >= 2 || text.chars().filter(|c| is_wide(*c)).count() >= 4;
    says && is_plain && (4..=60).contains(&text.chars().count()) && !text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_that_say_nothing_are_not_telling() {
        for telling in ["Heat pump", "Anbau im Garten", "金沢メモ帳の続き", "What we pay for power"] {
            assert!(is_telling(telling), "{telling}");
        }
        for idle in
            ["", "Log", "2026-05-08", "2026-05-08 10", "[[Link to it]]", "`cargo test` runs", "12 34", "todo: mend it"]
        {
            assert!(!is_telling(idle), "{idle}");
        }
    }
}
