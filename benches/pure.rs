//! Benchmarks of the pure parts: `cargo bench -p tars-benches`. They use generated text with a fixed seed.

use tars_base::domain::{ApproximateTokens, Filter, Mode, Query, QuerySyntax};
use tars_engine::search::{FeatureOptions, PartOptions, SearchOptions, VectorSearch, search};
use tars_rank::{Balance, Evidence, Fusion, FusionOptions, Signals, fuse};
use tars_store::{ColumnWeights, SqliteStore, Store};
use tars_text::chunker::{ChunkOptions, chunk};
use tars_text::{analysis, markdown, redact};

fn main() {
    divan::main();
}

/// Returns a note of `sections` sections, each with a paragraph, a list and a code block.
fn note(sections: usize) -> String {
    let mut seed = 7u64;
    let mut word = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ["vault", "index", "garden", "watcher", "decision", "bread", "train", "server"][(seed >> 33) as usize % 8]
    };
    let mut text = String::from("---\ntitle: A long note\ntags: [bench]\n---\n");
    for section in 0..sections {
        text.push_str(&format!("\n## Section {section}\n\n"));
        for _ in 0..60 {
            text.push_str(word());
            text.push(' ');
        }
        text.push_str("\n\n- [ ] one #task\n- two [[Link|text]]\n\n```rust\nlet portNumber = 8080;\n```\n");
    }
    text
}

#[divan::bench(args = [10, 100, 1000])]
fn parse(bencher: divan::Bencher<'_, '_>, sections: usize) {
    let text = note(sections);
    bencher.bench(|| markdown::parse("a/note.md", &text));
}

#[divan::bench(args = [10, 100, 1000])]
fn cut(bencher: divan::Bencher<'_, '_>, sections: usize) {
    let document = markdown::parse("a/note.md", &note(sections));
    let indexed = |line: &str| markdown::indexed_line(line).into_owned();
    bencher.bench(|| chunk(&document, &indexed, &ApproximateTokens, &ChunkOptions::default()));
}

#[divan::bench]
fn index_text(bencher: divan::Bencher<'_, '_>) {
    let text = note(100);
    bencher.bench(|| analysis::index_text(&text).len());
}

#[divan::bench]
fn redact_clean(bencher: divan::Bencher<'_, '_>) {
    let text = note(2000);
    bencher.counter(divan::counter::BytesCount::of_str(&text)).bench(|| redact::find(&text).len());
}

fn fusion_options() -> FusionOptions {
    FusionOptions {
        fusion: Fusion::Adaptive,
        vector_weight: 0.6,
        neighbour_credit: 0.05,
        link_credit: 0.1,
        balance: Balance::default(),
    }
}

#[divan::bench(args = [200, 400, 2000])]
fn fusion(bencher: divan::Bencher<'_, '_>, candidates: usize) {
    let list: Vec<Evidence> = (0..candidates as i64)
        .map(|chunk| Evidence {
            chunk,
            file: chunk / 7,
            sequence: (chunk % 7) as u32,
            lexical: (chunk % 3 != 0).then_some(20.0 / (chunk + 1) as f64),
            similarity: Some(1.0 / (chunk % 50 + 2) as f64),
            ..Evidence::default()
        })
        .collect();
    let signals = Signals { words: 6, lexical_ceiling: 30.0, ..Signals::default() };
    let options = fusion_options();
    bencher.bench(|| fuse(&list, &signals, &options).list.len());
}

/// The text work of the search features for thirty chunks: finds the word pairs of the question in each chunk.
#[divan::bench]
fn pairs_of_thirty_chunks(bencher: divan::Bencher<'_, '_>) {
    let chunks: Vec<String> = (0..30).map(|_| note(3)).collect();
    let pairs = analysis::word_pairs("what did the garden watcher say about the decision of the bread server");
    bencher.bench(|| {
        let held = |chunk: &String| analysis::pairs_in(chunk, &pairs).into_iter().filter(|held| *held).count();
        chunks.iter().map(held).sum::<usize>()
    });
}

/// Questions of 100 kB that once took seconds: the cost must not grow with their length.
#[divan::bench(args = ["2026-11-22 ", "walrus", "“x ", "“国国” ", "-path:a/** "])]
fn long_question(bencher: divan::Bencher<'_, '_>, piece: &str) {
    let store = SqliteStore::in_memory().expect("SQLite has memory");
    let options = SearchOptions {
        fusion: fusion_options(),
        features: FeatureOptions { pair_credit: 0.7, repeat_penalty: 0.5, recency: 0.0, project_credit: 0.1 },
        columns: ColumnWeights::default(),
        candidates: 200,
        parts: PartOptions::default(),
    };
    let query = Query {
        text: piece.repeat(100_000 / piece.len()),
        mode: Mode::Keyword,
        limit: 10,
        filter: Filter::default(),
        min_score: 0.0,
        language: QuerySyntax::Query,
        project: None,
        today: jiff::civil::date(2026, 11, 22),
        explain: false,
    };
    let index = store.snapshot().expect("it can be read");
    let none = VectorSearch::Unavailable { reason: "words alone", report: false };
    bencher
        .bench_local(|| search(&*index, none, &query, &options).map(|answer| answer.remarks.len()).unwrap_or_default());
}

/// Compares a word with as many others as start with its letter in a large vault.
#[divan::bench(args = [7, 40])]
fn slips(bencher: divan::Bencher<'_, '_>, letters: usize) {
    let words: Vec<Vec<char>> = (0..10_000u64)
        .map(|n| (0..letters as u64).map(|at| char::from(b'a' + (n * 31 + at * (n % 7 + 1)) as u8 % 26)).collect())
        .collect();
    bencher.bench(|| words.iter().filter(|word| analysis::distance_within(&words[17], word, 2).is_some()).count());
}
