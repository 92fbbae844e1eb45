//! Detects the languages of the notes, and recommends an embedding model for them.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{App, Result, VAULT};
use tars_config::Provider;
use tars_store::Reader;
use tars_text::languages::{LanguageShares, by_code};
use tars_vault::walk;

/// Maximum number of notes of each collection to look at, spread evenly over their paths.
const SAMPLE_SIZE: usize = 200;
/// A model for English only.
const ENGLISH_MODEL: &str = "all-minilm-l6-v2-int8";
/// A model for many languages.
const MULTILINGUAL_MODEL: &str = "multilingual-e5-small";
/// From this share of notes in other languages on, the multilingual model is recommended.
const ADVICE_SHARE: f64 = 0.2;
/// A smaller share is likely a quotation or a name.
const SMALLEST_SHARE: f64 = 0.02;
/// Share of notes from which a language is named to a person.
const NAMED_SHARE: f64 = 0.1;

/// The share of the notes in a language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LanguageReport {
    /// ISO 639-1.
    pub code: String,
    /// Its English name.
    pub name: String,
    /// Share of the sampled notes; a language that tars does not know counts as English.
    pub share: f64,
}

impl Eq for LanguageReport {}

/// An embedding model that fits the notes better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelAdvice {
    /// Its id.
    pub model: String,
    /// The reason, in a sentence without its full stop.
    pub reason: String,
    /// The commands that switch to it, in order.
    pub commands: Vec<String>,
}

/// Returns the languages of the notes of an index, by the beginnings of a sample of them. The files of `memory`, the memory
/// folder, do not count: tars writes them in the language of its headings.
pub(crate) fn of_index(index: &dyn Reader, memory: &str) -> Result<LanguageShares> {
    let mut shares = LanguageShares::default();
    for collection in index.collections()? {
        let mut files = index.files(collection.id)?;
        files.retain(|file| collection.name != VAULT || !is_below(&file.path, memory));
        for file in sample(&files) {
            if let Some(first) = index.chunk_range(file.id, 0, 0)?.first() {
                shares.add(&first.content);
            }
        }
    }
    Ok(shares)
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns at most [`SAMPLE_SIZE`] elements of a list, spread evenly over it.
fn sample<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(SAMPLE_SIZE).max(1))
}

impl App {
    /// Returns the languages of the notes below a folder, by a sample of them. The memory folder and unreadable notes do not count.
    pub fn languages_of(&self, folder: &Path) -> LanguageShares {
        let mut shares = LanguageShares::default();
        let Ok(mut found) = walk(folder, &self.walk_options()) else { return shares };
        found.notes.retain(|note| !is_below(&note.path, &self.settings.config.vault.memory_folder));
        for note in sample(&found.notes) {
            if let Ok(file) = self.read_note(folder, &note.path) {
                shares.add(&file.text);
            }
        }
        shares
    }

    /// Returns a report of languages, the most common first, and a model that fits them better than the current one.
    pub fn report_languages(&self, shares: &LanguageShares) -> (Vec<LanguageReport>, Option<ModelAdvice>) {
        let known = shares.shares().into_iter().filter(|(_, share)| *share >= SMALLEST_SHARE);
        let reports: Vec<LanguageReport> = known
            .filter_map(|(code, share)| {
                let name = by_code(code)?.name.to_owned();
                Some(LanguageReport { code: code.to_owned(), name, share: (share * 100.0).round() / 100.0 })
            })
            .collect();
        let embedding = &self.settings.config.embedding;
        let is_meant = embedding.provider == Provider::Onnx && embedding.model == ENGLISH_MODEL;
        let foreign = shares.other_than_english();
        let advice = (is_meant && foreign >= ADVICE_SHARE).then(|| {
            let install = format!("tars models pull hf:intfloat/{MULTILINGUAL_MODEL}");
            let is_there = self.catalog().get(MULTILINGUAL_MODEL).is_ok();
            let commands = (!is_there).then_some(install).into_iter();
            ModelAdvice {
                model: MULTILINGUAL_MODEL.to_owned(),
                reason: format!(
                    "{:.0} % of the notes are not in English, the only language that {ENGLISH_MODEL} reads",
                    foreign * 100.0
                ),
                commands: commands.chain([format!("tars models use {MULTILINGUAL_MODEL}")]).collect(),
            }
        });
        (reports, advice)
    }
}

impl ModelAdvice {
    /// Returns the advice in one line.
    pub fn line(&self) -> String {
        format!("{}: {}", self.reason, self.commands.join(", then "))
    }
}

/// Returns the languages with their shares in one line, without those of fewer than a tenth of the notes; `None` if only English is left.
pub fn line_of_languages(languages: &[LanguageReport]) -> Option<String> {
    let named: Vec<&LanguageReport> = languages.iter().filter(|language| language.share >= NAMED_SHARE).collect();
    let is_english = named.iter().all(|language| language.code == "en");
    let one = |language: &&LanguageReport| format!("{} {:.0} %", language.name, language.share * 100.0);
    (!is_english).then(|| named.iter().map(one).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_few_notes_are_not_named() {
        let named = |shares: &[(&str, f64)]| {
            let one = |(code, share): &(&str, f64)| {
                let name = by_code(code).unwrap().name.to_owned();
                LanguageReport { code: (*code).into(), name, share: *share }
            };
            line_of_languages(&shares.iter().map(one).collect::<Vec<_>>())
        };
        assert_eq!(named(&[("de", 0.86), ("en", 0.1), ("nl", 0.04)]).unwrap(), "German 86 %, English 10 %");
        assert_eq!(named(&[("en", 0.96), ("de", 0.04)]), None);
        assert_eq!(named(&[("de", 0.95), ("en", 0.05)]).unwrap(), "German 95 %");
        assert_eq!(named(&[]), None);
    }

    #[test]
    fn a_sample_is_spread_evenly() {
        let all: Vec<usize> = (0..1000).collect();
        let some: Vec<usize> = sample(&all).copied().collect();
        assert!(some.len() <= SAMPLE_SIZE && some[0] == 0 && *some.last().unwrap() > 900);
        assert_eq!(sample(&all[..3]).count(), 3);
        assert_eq!(sample(&all[..0]).count(), 0);
    }
}
