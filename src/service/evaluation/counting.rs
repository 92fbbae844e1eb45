//! The baseline: counting words, as with grep.

use std::collections::HashMap;

use crate::{Error, Result};
use aho_corasick::AhoCorasick;

use super::Question;
use super::run::DEPTH;
use tars_rank::metrics::{Place, RankedResult};
use tars_store::{ChunkRow, Reader};
use tars_text::analysis::{Term, terms};

/// Returns for each question the chunks with the most occurrences of its words, at most ten. Ties are ordered by collection,
/// path and line.
///
/// Words are the terms of the full-text search: without stop words, unless a question has no others, and with pairs of
/// characters for scripts without blanks. Every occurrence in a chunk's lines counts equally, ignoring case, also inside
/// other words. There is no stemming and no weighting by rarity or length, and titles count only if they are part of those
/// lines. Chunks without any of the words are not listed.
///
/// # Errors
/// The index cannot be read.
pub(super) fn count_words(store: &dyn Reader, questions: &[Question]) -> Result<Vec<Vec<RankedResult>>> {
    let mut questions_by_word: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, question) in questions.iter().enumerate() {
        for term in terms(&question.text) {
            let (Term::Word(word) | Term::Prefix(word)) = term else { continue };
            let numbers = questions_by_word.entry(word).or_default();
            // `Getter getter` gives one word twice only if the spellings differ.
            if numbers.last() != Some(&index) {
                numbers.push(index);
            }
        }
    }
    let (words, questions_by_word): (Vec<String>, Vec<Vec<usize>>) = questions_by_word.into_iter().unzip();
    let finder = AhoCorasick::new(&words).map_err(Error::without_hint)?;
    let mut lists: Vec<Vec<(u64, RankedResult)>> = vec![Vec::new(); questions.len()];
    for collection in store.collections()? {
        for file in store.files(collection.id)? {
            for chunk in store.chunk_range(file.id, 0, u32::MAX)? {
                let mut counts: HashMap<usize, u64> = HashMap::new();
                for found in finder.find_overlapping_iter(&chunk.content.to_lowercase()) {
                    for question in &questions_by_word[found.pattern().as_usize()] {
                        *counts.entry(*question).or_default() += 1;
                    }
                }
                if counts.is_empty() {
                    continue;
                }
                let shown = shown(chunk);
                for (question, count) in counts {
                    if questions[question].counts(&shown.place) {
                        enter(&mut lists[question], count, &shown);
                    }
                }
            }
        }
    }
    Ok(lists.into_iter().map(|list| list.into_iter().map(|(_, shown)| shown).collect()).collect())
}

/// Inserts a chunk after those with at least as many words.
fn enter(list: &mut Vec<(u64, RankedResult)>, count: u64, shown: &RankedResult) {
    let rank = list.partition_point(|(other, _)| *other >= count);
    if rank < DEPTH {
        list.insert(rank, (count, shown.clone()));
        list.truncate(DEPTH);
    }
}

fn shown(chunk: ChunkRow) -> RankedResult {
    RankedResult {
        characters: chunk.content.chars().count(),
        place: Place {
            collection: Some(chunk.collection),
            path: chunk.path,
            start_line: chunk.start_line,
            end_line: chunk.end_line,
        },
    }
}
