//! The baseline: counting words, as one could with grep.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;
use anyhow::Result;

use super::Question;
use super::run::DEPTH;
use crate::analysis::{Term, terms};
use crate::metrics::{Place, Shown};
use crate::store::{ChunkRow, Reader};

/// Returns, for each question, the chunks in which its words occur most often, the most first, ten at most; equals by
/// collection, path and line.
///
/// Words are what the full-text search would look for (so without stop words, unless a question has no others, and with
/// pairs of characters for scripts without blanks). They are counted wherever their letters stand in a chunk's lines, also
/// inside other words, whatever their case, each occurrence alike; nothing is stemmed, weighed by rarity or by length, and
/// titles count only as far as they stand in those lines. A chunk that holds none of them is not listed.
///
/// # Errors
/// The index cannot be read.
pub(super) fn count_words(store: &dyn Reader, questions: &[Question]) -> Result<Vec<Vec<Shown>>> {
    let mut askers: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, question) in questions.iter().enumerate() {
        for term in terms(&question.text) {
            let (Term::Word(word) | Term::Prefix(word)) = term else { continue };
            let asking = askers.entry(word).or_default();
            // `Getter getter` gives one word twice only if they were spelt differently.
            if asking.last() != Some(&index) {
                asking.push(index);
            }
        }
    }
    let (words, askers): (Vec<String>, Vec<Vec<usize>>) = askers.into_iter().unzip();
    let finder = AhoCorasick::new(&words)?;
    let mut lists: Vec<Vec<(u64, Shown)>> = vec![Vec::new(); questions.len()];
    for collection in store.collections()? {
        for file in store.files(collection.id)? {
            for chunk in store.chunk_range(file.id, 0, u32::MAX)? {
                let mut counts: HashMap<usize, u64> = HashMap::new();
                for found in finder.find_overlapping_iter(&chunk.content.to_lowercase()) {
                    for asker in &askers[found.pattern().as_usize()] {
                        *counts.entry(*asker).or_default() += 1;
                    }
                }
                if counts.is_empty() {
                    continue;
                }
                let shown = shown(chunk);
                for (asker, count) in counts {
                    if questions[asker].counts(&shown.place) {
                        enter(&mut lists[asker], count, &shown);
                    }
                }
            }
        }
    }
    Ok(lists.into_iter().map(|list| list.into_iter().map(|(_, shown)| shown).collect()).collect())
}

/// Enters a chunk behind those that hold as many words or more.
fn enter(list: &mut Vec<(u64, Shown)>, count: u64, shown: &Shown) {
    let rank = list.partition_point(|(other, _)| *other >= count);
    if rank < DEPTH {
        list.insert(rank, (count, shown.clone()));
        list.truncate(DEPTH);
    }
}

fn shown(chunk: ChunkRow) -> Shown {
    Shown {
        characters: chunk.content.chars().count(),
        place: Place {
            collection: Some(chunk.collection),
            path: chunk.path,
            start_line: chunk.start_line,
            end_line: chunk.end_line,
        },
    }
}
