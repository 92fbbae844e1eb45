//! Features of the best candidates, from their texts, links and dates.
//!
//! Only the few best chunks of the first fusion are read, and then fused again with these features. So the cost does not grow
//! with the index.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::SearchError;
use super::month_summaries::summary_of_log;
use super::session_outcomes::outcome_of_log;
use tars_agent::project::{file_name_form, short_name};
use tars_base::domain::MemoryType;
use tars_rank::{Evidence, Ranked};
use tars_store::{ChunkRef, ChunkRow, FileId, Reader};
use tars_text::analysis::{Term, WordPair, pairs_in, term_presence};
use tars_text::names::{NoteNames, folded, link_readings};

/// Number of candidates that are read.
const MAX_CANDIDATES_READ: usize = 30;
/// Share of common words from which two texts count as repeats.
const REPEAT_SHARE: f64 = 0.9;
/// Days after which a note has lost half of the recency penalty's maximum.
const HALF_LIFE_DAYS: f64 = 90.0;

/// Weights of the features.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FeatureOptions {
    /// Weight of the question's words that are also adjacent in a text, relative to the words themselves.
    pub pair_credit: f64,
    /// Share that a chunk loses if it repeats a better one, 0 to 1.
    pub repeat_penalty: f64,
    /// Share that an old note loses at most, 0 to 1. Lasting memory (`Memory.md`, `Procedural.md`) loses none.
    pub recency: f64,
    /// Share by which notes of the project in which the question is asked are raised, 0 to 1.
    pub project_credit: f64,
}

/// The features to compute.
pub(super) struct FeatureRequest<'a> {
    pub(super) options: FeatureOptions,
    pub(super) pairs: &'a [(WordPair, f64)],
    /// The question's words, and the weight of each.
    pub(super) terms: &'a [Term],
    pub(super) weights: &'a [f64],
    /// Whether links count.
    pub(super) links: bool,
    pub(super) project: Option<&'a str>,
    pub(super) today: Date,
}

/// Computes the features of the best candidates of a fused list and stores them in `evidence`. Returns their rows.
pub(super) fn add_features(
    store: &dyn Reader,
    request: &FeatureRequest<'_>,
    list: &[Ranked],
    evidence: &mut [Evidence],
) -> Result<HashMap<ChunkRef, ChunkRow>, SearchError> {
    let rows = rows(store, list)?;
    let summaries = summary_of_log(&rows);
    let found = Features {
        repeats: if request.options.repeat_penalty > 0.0 { repeats(&rows) } else { HashSet::new() },
        linked: if request.links { linked(store, &rows)? } else { HashSet::new() },
        ages: if request.options.recency > 0.0 { ages(store, &rows, request.today)? } else { HashMap::new() },
    };
    let outcomes = outcome_of_log(&rows);
    let rows: HashMap<ChunkRef, ChunkRow> = rows.into_iter().map(|row| (row.row, row)).collect();
    let (pairs, worths): (Vec<WordPair>, Vec<f64>) = request.pairs.iter().cloned().unzip();
    for one in evidence {
        if let Some(row) = rows.get(&ChunkRef(one.chunk)) {
            one.pairs = request.options.pair_credit * worth(row, &pairs, &worths);
            one.named = named(row, request);
            one.linked = found.linked.contains(&row.file);
            one.boost = found.boost(row, request);
            one.demoted_below = outcomes.get(&row.row).map(|chunk| chunk.0);
            one.summary = summaries.get(&row.row).map(|summary| summary.0);
        }
    }
    Ok(rows)
}

/// Returns the rows of the best candidates and of those that tie with the last of them, best first. Ties are ordered by path
/// and line: row ids depend on the indexing order, and answers must not.
fn rows(store: &dyn Reader, list: &[Ranked]) -> Result<Vec<ChunkRow>, SearchError> {
    let least = list.get(MAX_CANDIDATES_READ - 1).map_or(0.0, |one| one.share);
    let end = list.partition_point(|one| one.share >= least);
    let shares: HashMap<ChunkRef, f64> =
        list[..end].iter().map(|one| (ChunkRef(one.evidence.chunk), one.share)).collect();
    let first: Vec<ChunkRef> = list[..end].iter().map(|one| ChunkRef(one.evidence.chunk)).collect();
    let mut rows = store.chunks(&first)?;
    let place = |row: &ChunkRow| (row.collection.clone(), row.path.clone(), row.sequence);
    rows.sort_by(|left, right| {
        let (better, worse) = (shares[&right.row], shares[&left.row]);
        better.total_cmp(&worse).then_with(|| place(left).cmp(&place(right)))
    });
    Ok(rows)
}

struct Features {
    /// Chunks that repeat a better one.
    repeats: HashSet<ChunkRef>,
    /// Files that the best hit's note links to.
    linked: HashSet<FileId>,
    /// Days since the newest date of each file.
    ages: HashMap<FileId, f64>,
}

impl Features {
    fn boost(&self, row: &ChunkRow, request: &FeatureRequest<'_>) -> f64 {
        let lasting = row.memory_type.is_lasting();
        let age =
            self.ages.get(&row.file).filter(|_| !lasting).map_or(0.0, |days| 1.0 - 0.5f64.powf(days / HALF_LIFE_DAYS));
        let repeated = if self.repeats.contains(&row.row) { request.options.repeat_penalty } else { 0.0 };
        let of_project = request.project.is_some_and(|project| is_of_project(row, project));
        let credit = if of_project { request.options.project_credit } else { 0.0 };
        (1.0 - request.options.recency * age) * (1.0 - repeated) * (1.0 + credit) - 1.0
    }
}

/// Whether a chunk belongs to a project: it is in a folder of that name, under the project's heading in a daily log, or in a
/// log of one of its sessions.
fn is_of_project(row: &ChunkRow, project: &str) -> bool {
    // Older versions wrote the name without its owner.
    let plain = short_name(project);
    let has_heading = |name: &str| {
        let heading = format!("· {name}");
        row.heading.ends_with(&heading) || row.heading.contains(&format!("{heading} >"))
    };
    match row.memory_type {
        MemoryType::Daily => has_heading(project) || has_heading(plain),
        MemoryType::Episodic => {
            let name = session_project(&row.path);
            name == file_name_form(project) || name == plain
        }
        _ => row.path.rsplit('/').skip(1).any(|folder| folder.eq_ignore_ascii_case(plain)),
    }
}

/// Returns the part after date and time in the name of a session log: `YYYY-MM-DDTHH-MM-SS-PROJECT.md`.
fn session_project(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".md").unwrap_or(name);
    let behind_date = name.get("YYYY-MM-DD".len()..).unwrap_or_default();
    let behind_time = if behind_date.starts_with('T') { behind_date.get("THH-MM-SS".len()..) } else { None };
    behind_time.unwrap_or(behind_date).trim_start_matches('-')
}

/// Returns the share of the question's words, by weight, in the name of a chunk's note and in its headings.
fn named(row: &ChunkRow, request: &FeatureRequest<'_>) -> f64 {
    let stem = row.path.rsplit('/').next().unwrap_or_default();
    let headings = row.sections.iter().map(|section| section.heading.as_str());
    let names: Vec<&str> = [&row.title, stem, &row.heading].into_iter().chain(headings).collect();
    let held = term_presence(&names.join("\n"), request.terms);
    let whole: f64 = request.weights.iter().sum();
    let held: f64 = held.iter().zip(request.weights).map(|(held, weight)| held * weight).sum();
    if whole > 0.0 { held / whole } else { 0.0 }
}

/// Returns the total weight of the pairs that a chunk holds.
fn worth(row: &ChunkRow, pairs: &[WordPair], worths: &[f64]) -> f64 {
    let held = pairs_in(&row.content, pairs);
    worths.iter().zip(held).filter(|(_, held)| *held).fold(0.0, |sum, (worth, _)| sum + worth)
}

/// Returns the chunks whose words are nearly the same as those of an earlier one.
fn repeats(rows: &[ChunkRow]) -> HashSet<ChunkRef> {
    let words: Vec<Vec<u64>> = rows.iter().map(|row| words(&row.content)).collect();
    let repeated = |at: &usize| words[..*at].iter().any(|before| is_repeat(before, &words[*at]));
    (1..rows.len()).filter(repeated).map(|at| rows[at].row).collect()
}

/// Returns the distinct words of a text as sorted hashes.
fn words(text: &str) -> Vec<u64> {
    let mut words: Vec<u64> = text
        .split_whitespace()
        .map(|word| {
            let mut hasher = DefaultHasher::new();
            word.hash(&mut hasher);
            hasher.finish()
        })
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether two sets of words share at least [`REPEAT_SHARE`] of their union.
fn is_repeat(left: &[u64], right: &[u64]) -> bool {
    let (few, many) = (left.len().min(right.len()), left.len().max(right.len()));
    // Notes without text repeat nothing.
    if many == 0 {
        return false;
    }
    // The sizes alone often rule it out.
    if (few as f64) < REPEAT_SHARE * many as f64 {
        return false;
    }
    let (mut common, mut at) = (0, 0);
    for word in left {
        at += right[at..].iter().take_while(|other| *other < word).count();
        common += usize::from(right.get(at) == Some(word));
    }
    common as f64 >= REPEAT_SHARE * (left.len() + right.len() - common) as f64
}

/// Returns the files among `rows` that the note of the first row links to by path, name or title.
fn linked(store: &dyn Reader, rows: &[ChunkRow]) -> Result<HashSet<FileId>, SearchError> {
    let Some(best) = rows.first() else { return Ok(HashSet::new()) };
    let others: Vec<&ChunkRow> = rows.iter().filter(|row| row.file != best.file).collect();
    let names = NoteNames::of(others.iter().map(|row| row.path.as_str()));
    let mut titles: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, row) in others.iter().enumerate() {
        titles.entry(folded(&row.title)).or_default().push(index);
    }
    let mut found = HashSet::new();
    for target in store.link_targets(best.file)? {
        let by_path = names.find(&link_readings(&best.path, &target), |_| true);
        // A link may name a heading or a block in the note.
        let title = target.split(['#', '^']).next().unwrap_or_default();
        let by_title = titles.get(&folded(title.trim())).into_iter().flatten().copied();
        found.extend(by_path.into_iter().chain(by_title).map(|index| others[index].file));
    }
    Ok(found)
}

fn ages(store: &dyn Reader, rows: &[ChunkRow], today: Date) -> Result<HashMap<FileId, f64>, SearchError> {
    let files: HashSet<FileId> = rows.iter().map(|row| row.file).collect();
    let files: Vec<FileId> = files.into_iter().collect();
    let age = |day: Date| (today - day).get_days().max(0);
    Ok(store.days(&files)?.into_iter().map(|(file, day)| (file, f64::from(age(day)))).collect())
}
