//! The work for a question is bounded, however long it is.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::RangeInclusive;

use jiff::civil::Date;
use proptest::prelude::*;

use super::*;
use tars_base::domain::{Link, ModelId, Property};
use tars_store::{
    Candidate, ChunkRef, Collection, CollectionSize, DataVersion, ExcludedFile, FileDescription, FileRecord, IdLookup,
    KnownFile, LexicalQuery, NamedChunk, PassageLines, QueryWeights, Scope, Statistics, StoreError,
};

/// Counts the calls of a store.
struct Counting<'a> {
    inner: &'a dyn Reader,
    calls: Cell<usize>,
    parts: Cell<usize>,
    conditions: Cell<usize>,
}

impl<'a> Counting<'a> {
    fn new(inner: &'a dyn Reader) -> Self {
        Self { inner, calls: Cell::new(0), parts: Cell::new(0), conditions: Cell::new(0) }
    }

    fn count(&self) -> &'a dyn Reader {
        self.calls.set(self.calls.get() + 1);
        self.inner
    }

    /// Records the size of a query.
    fn note(&self, query: &LexicalQuery) -> &'a dyn Reader {
        let tokens: usize = query.dates.iter().map(Vec::len).sum();
        self.parts.set(self.parts.get().max(query.terms.len() + tokens));
        self.conditions.set(self.conditions.get().max(query.required.len()).max(query.excluded.len()));
        self.count()
    }
}

/// Other calls are forwarded.
macro_rules! passed_on {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&self, $($argument: $type),*) -> Result<$answer, StoreError> {
            self.count().$name($($argument),*)
        })*
    };
}
impl Reader for Counting<'_> {
    fn weights(&self, query: &LexicalQuery) -> Result<QueryWeights, StoreError> {
        self.note(query).weights(query)
    }

    fn lexical(&self, query: &LexicalQuery, scope: Option<&Scope>, limit: usize) -> Result<Vec<Candidate>, StoreError> {
        self.note(query).lexical(query, scope, limit)
    }

    fn filter_by_terms(&self, query: &LexicalQuery, chunks: &[ChunkRef]) -> Result<Vec<ChunkRef>, StoreError> {
        self.note(query).filter_by_terms(query, chunks)
    }

    fn vocabulary(&self, start: &str, letters: RangeInclusive<usize>) -> Result<Vec<String>, StoreError> {
        assert!(*letters.end() <= 42, "a word of {letters:?} letters is compared with the vocabulary");
        self.count().vocabulary(start, letters)
    }

    passed_on! {
        collections() -> Vec<Collection>;
        in_chats(chunks: &[ChunkId]) -> HashSet<ChunkId>;
        ids(prefix: &str, limit: usize) -> Vec<NamedChunk>;
        tags() -> Vec<(String, usize)>;
        files(collection: CollectionId) -> Vec<FileRecord>;
        collection_size(collection: CollectionId) -> CollectionSize;
        known_files(collection: CollectionId, chunker: Option<&str>) -> Vec<KnownFile>;
        properties(files: &[FileId], names: &[String]) -> Vec<(FileId, Property)>;
        excluded_files(collection: CollectionId) -> Vec<ExcludedFile>;
        damaged_files(collection: CollectionId) -> Vec<(String, String)>;
        pending_files(waiting: PendingSelection) -> Vec<FileId>;
        chunks_without_vectors(chunks: &[ChunkRef]) -> Vec<ChunkRef>;
        pending_file_count() -> usize;
        pending_passages(file: FileId, waiting: PendingSelection) -> Vec<PendingPassage>;
        file(id: FileId) -> Option<FileRecord>;
        scope(filter: &Filter) -> Option<Scope>;
        words_ending(end: &str, most: usize) -> Vec<String>;
        contains_words(words: &[String]) -> Vec<bool>;
        chunks_with(stem: &str, most: usize) -> Vec<ChunkRef>;
        nearest(vector: &[f32], model: &ModelId, scope: Option<&Scope>, limit: usize) -> Vec<Candidate>;
        similarities(vector: &[f32], model: &ModelId, chunks: &[ChunkRef]) -> Vec<Candidate>;
        chunks(rows: &[ChunkRef]) -> Vec<ChunkRow>;
        chunk_range(file: FileId, first: u32, last: u32) -> Vec<ChunkRow>;
        newest(scope: &Scope, limit: usize) -> Vec<FileId>;
        in_order(files: &[FileId]) -> Vec<FileId>;
        described_files(scope: Option<&Scope>) -> Vec<FileDescription>;
        links(file: FileId) -> Vec<Link>;
        link_targets(file: FileId) -> Vec<String>;
        link_counts() -> Vec<(String, usize)>;
        days(files: &[FileId]) -> Vec<(FileId, Date)>;
        nearest_lines(vector: &[f32], model: &ModelId, chunks: &[ChunkRef]) -> PassageLines;
        locate(prefix: &str) -> IdLookup;
        chunk_by_id(id: &ChunkId) -> Option<ChunkRow>;
        data_version() -> DataVersion;
        statistics() -> Statistics;
        meta(key: &str) -> Option<String>;
    }
}

fn fixture() -> Fixture {
    let words: String = (0..200).map(|n| format!("wal{}rus{} ", "aeiou".repeat(n % 7), n)).collect();
    Fixture::new(&[("many.md", &words), ("one.md", "# Storage\n\nThe database keeps every row of 2026-11-22.\n")])
}

/// Asks, checks the size of the queries, and returns the number of store calls.
fn asked(fixture: &Fixture, text: &str, mode: Mode) -> usize {
    let reader = fixture.reader();
    let store = Counting::new(&*reader);
    let query = Query { mode, ..query(text) };
    let answer = search(&store, VectorSearch::Model(&fixture.embedder), &query, &search_options());
    if let Err(error) = &answer {
        assert!(error.is_question_fault(), "{error} about {:?}", text.chars().take(80).collect::<String>());
    }
    assert!(store.parts.get() <= 64 + 32 + 128, "{} parts", store.parts.get());
    assert!(store.conditions.get() <= 256, "{} conditions", store.conditions.get());
    store.calls.get()
}

/// Maximum number of calls: a dozen for the question itself; for each of three misspelt words two lists of stems, with 32
/// stems each examined in two steps; for each of four rare words a few, two ways to cut it at each of its letters, and two
/// for each of its candidate compounds; for each of four prefixes one, and two for each of ten stems.
const CALLS: usize = 16 + 3 * (2 + 2 * (1 + 32 * 2)) + 4 * (20 + 2 * (40 + 7 + 2 * 32)) + 4 * (1 + 2 * 10);

#[test]
fn a_long_question_takes_no_more_work_than_a_short_one() {
    let fixture = fixture();
    for piece in [
        "2026-11-22 ",
        "a",
        "walrus",
        "walrus ",
        "w-",
        "aB",
        "\"a b\" ",
        "“x ",
        "\"",
        "-foo ",
        "tag:x ",
        "walr* ",
        "Zahnarzttermin ",
        "-path:a/** ",
        "path:[ ",
        "type:x ",
        "after:2023 ",
        "last month, 3 weeks ago, ",
        "2020-01-09..2024-03-07 ",
        "战国无双",
        "水 ",
        "é",
        "🎉 x",
    ] {
        for mode in [Mode::Hybrid, Mode::Keyword] {
            let calls = asked(&fixture, &piece.repeat(100_000 / piece.len()), mode);
            assert!(calls <= CALLS, "{calls} calls for {piece:?}");
        }
    }
    let different: String =
        (0..20_000).map(|n| format!("{}-{:02}-{:02} ", 1200 + n / 360, n / 30 % 12 + 1, n % 28 + 1)).collect();
    assert!(asked(&fixture, &different, Mode::Keyword) <= CALLS);
    let phrases: String = (0..2_000).map(|n| format!("\"战国无双战国无双战国无双 {n}\" ")).collect();
    assert!(asked(&fixture, &phrases, Mode::Keyword) <= CALLS);
}

#[test]
fn a_long_word_is_not_corrected() {
    let fixture = fixture();
    for letters in [41, 1_900, 5_000] {
        let calls = asked(&fixture, &"w".repeat(letters), Mode::Keyword);
        assert!(calls < 16, "{calls} calls for {letters} letters");
    }
    // A letter that expands to two.
    for word in ["\u{fb31}".repeat(30), format!("{}\u{fb31}", "w".repeat(39))] {
        let calls = asked(&fixture, &word, Mode::Keyword);
        assert!(calls <= CALLS, "{calls} calls for {word}");
    }
}

#[test]
fn remarks_name_the_ignored_parts_of_a_question() {
    let fixture = fixture();
    let remarks = |text: String| fixture.ask(&query(&text)).remarks.join("; ");
    assert!(remarks(format!("storage {}", "x ".repeat(40_000))).contains("first 32768 characters"));
    assert!(
        remarks(format!("storage {}", (0..50).map(|n| format!("-x{n}z ")).collect::<String>()))
            .contains("first 32 conditions")
    );
    let filters: String = (0..50).map(|n| format!("-tag:t{n} ")).collect();
    let said = remarks(format!("storage {filters}"));
    assert!(said.contains("32 filters of a kind") && said.len() < 2_000, "{said}");
    let said = remarks(format!("storage {} type:note path:Notes after:2023", "-tag:t ".repeat(32)));
    assert!(!said.contains("of a kind"), "one full kind does not refuse the others: {said}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_question_ends_within_its_bounds(
        text in "(\\PC{0,30}|[a-z]{0,60}|[\"“”'-]|tag:|path:|[0-9]{4}-[0-9]{2}|(\\s|\\x00|\\u{301}){1,3}){0,60}",
        times in 1usize..40,
        mode in prop_oneof![Just(Mode::Hybrid), Just(Mode::Keyword), Just(Mode::Vector)],
    ) {
        thread_local!(static FIXTURE: Fixture = fixture());
        let calls = FIXTURE.with(|fixture| asked(fixture, &text.repeat(times), mode));
        prop_assert!(calls <= CALLS, "{} calls", calls);
    }
}
