//! Tests with vaults in temporary folders and an embedder that counts its texts.

mod faults;
mod hidden;
mod interruptions;
mod models;
mod notes;
mod runs;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use super::*;
use tars_base::domain::{ChunkId, CountTokens, ModelId, NoProgress, Progress, Stage};
use tars_base::embedding::{EmbedError, Embedder, HashingEmbedder, TextKind};
use tars_store::{ChunkRef, ChunkRow, LexicalQuery, SqliteStore, Statistics, Store};
use tars_text::analysis::terms;
use tars_text::chunker::ChunkOptions;
use tars_vault::WalkOptions;

/// A temporary folder with a vault and indexes.
struct Vault {
    folder: TempDir,
}

impl Vault {
    fn new(notes: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let vault = Self { folder };
        fs::create_dir(vault.path()).unwrap();
        for (path, text) in notes {
            vault.write(path, text);
        }
        vault
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("vault")
    }

    fn root(&self) -> Root {
        Root { name: "vault".into(), path: self.path() }
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.path().join(path)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        let to = self.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(self.path().join(from), to).unwrap();
    }

    /// Opens the index with this name, creating it the first time.
    fn store(&self, name: &str) -> SqliteStore {
        SqliteStore::open(&self.folder.path().join(name)).unwrap()
    }

    /// Indexes the vault with `embedder`.
    fn index(&self, store: &mut dyn Store, embedder: &dyn Embedder) -> Report {
        run(store, Some(embedder), &[self.root()], &options(), &NoProgress).unwrap()
    }
}

fn options() -> IndexOptions {
    IndexOptions {
        walk: WalkOptions::default(),
        pdf: None,
        max_file_size: 1 << 20,
        chunk: ChunkOptions { target_tokens: 60, passage_tokens: 40, window_tokens: 64, ..ChunkOptions::default() },
        memory_folder: "tars".into(),
        vault: "vault".into(),
        full: false,
        part: RunPart::Both,
    }
}

/// Counts the texts it embeds, and fails at the given call.
struct Counting {
    inner: HashingEmbedder,
    texts: AtomicUsize,
    calls: AtomicUsize,
    fails_at: Option<usize>,
    batch_size: usize,
}

impl Counting {
    fn new() -> Self {
        Self::with_dimensions(64)
    }

    fn with_dimensions(dimensions: usize) -> Self {
        Self {
            inner: HashingEmbedder::new(dimensions),
            texts: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            fails_at: None,
            batch_size: 4,
        }
    }

    /// Returns the number of texts embedded since the last call.
    fn taken(&self) -> usize {
        self.texts.swap(0, Ordering::Relaxed)
    }
}

impl Embedder for Counting {
    fn model(&self) -> &ModelId {
        self.inner.model()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn window(&self) -> usize {
        self.inner.window()
    }

    fn tokens(&self) -> &dyn CountTokens {
        self.inner.tokens()
    }

    fn batch_size(&self) -> usize {
        self.batch_size
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if Some(self.calls.fetch_add(1, Ordering::Relaxed)) == self.fails_at {
            return Err(EmbedError::Runtime { model: "counting".into(), reason: "as the test wants it".into() });
        }
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        self.inner.embed(kind, texts)
    }
}

/// The full content of an index, in a form that compares.
#[derive(Debug, PartialEq)]
struct Snapshot {
    files: usize,
    passages: usize,
    chunks: BTreeMap<ChunkId, (String, u32, usize, usize, String, String)>,
    /// Cosine similarity of each chunk to each probe, in ten-thousandths.
    similarities: BTreeMap<(ChunkId, &'static str), i64>,
    /// Lexical score of each chunk for each probe, in ten-thousandths.
    words: BTreeMap<(ChunkId, &'static str), i64>,
}

const PROBES: [&str; 6] = ["garden", "apple", "storage engine", "morning walk", "zebra", "first second"];

fn snapshot(store: &dyn Store, embedder: &dyn Embedder) -> Snapshot {
    let statistics = store.snapshot().unwrap().statistics().unwrap();
    assert_eq!(
        (statistics.embedded, store.snapshot().unwrap().pending_file_count().unwrap()),
        (statistics.passages, 0),
        "something still waits"
    );
    let rows: Vec<ChunkRow> = all_chunks(store);
    let by_row: BTreeMap<ChunkRef, ChunkId> = rows.iter().map(|chunk| (chunk.row, chunk.id.clone())).collect();
    let numbers: Vec<ChunkRef> = by_row.keys().copied().collect();
    let rounded = |score: f64| (score * 10_000.0).round() as i64;
    let (mut similarities, mut words) = (BTreeMap::new(), BTreeMap::new());
    for probe in PROBES {
        let vector = embedder.embed(TextKind::Query, &[probe]).unwrap().remove(0);
        for one in store.snapshot().unwrap().similarities(&vector, embedder.model(), &numbers).unwrap() {
            similarities.insert((by_row[&one.chunk].clone(), probe), rounded(one.score));
        }
        let query = LexicalQuery { terms: terms(probe), ..LexicalQuery::default() };
        for one in store.snapshot().unwrap().lexical(&query, None, 1000).unwrap() {
            words.insert((by_row[&one.chunk].clone(), probe), rounded(one.score));
        }
    }
    let place =
        |chunk: ChunkRow| (chunk.path, chunk.sequence, chunk.start_line, chunk.end_line, chunk.heading, chunk.content);
    Snapshot {
        files: statistics.files,
        passages: statistics.passages,
        chunks: rows.into_iter().map(|chunk| (chunk.id.clone(), place(chunk))).collect(),
        similarities,
        words,
    }
}

fn all_chunks(store: &dyn Store) -> Vec<ChunkRow> {
    let collections = store.snapshot().unwrap().collections().unwrap();
    let files = collections.iter().flat_map(|collection| store.snapshot().unwrap().files(collection.id).unwrap());
    files.flat_map(|file| store.snapshot().unwrap().chunk_range(file.id, 0, u32::MAX).unwrap()).collect()
}

/// Returns the paths of the notes that match a question's words.
fn find(store: &dyn Store, question: &str) -> Vec<String> {
    let query = LexicalQuery { terms: terms(question), ..LexicalQuery::default() };
    let list = store.snapshot().unwrap().lexical(&query, None, 1000).unwrap();
    let rows: Vec<ChunkRef> = list.iter().map(|one| one.chunk).collect();
    let mut paths: Vec<String> =
        store.snapshot().unwrap().chunks(&rows).unwrap().into_iter().map(|chunk| chunk.path).collect();
    paths.sort();
    paths.dedup();
    paths
}

fn statistics(store: &dyn Store) -> Statistics {
    store.snapshot().unwrap().statistics().unwrap()
}

/// Returns a note with `paragraphs` paragraphs of distinct words under a heading.
fn long_note(name: &str, paragraphs: usize) -> String {
    let paragraph = |number: usize| {
        let words: Vec<String> = (0..14).map(|word| format!("{name}{number}word{word}")).collect();
        format!("{}.\n\n", words.join(" "))
    };
    let text: String = (0..paragraphs).map(paragraph).collect();
    format!("# Note about {name}\n\n{text}")
}
