//! Files here are drafts: chunks given as text, one passage a line, embedded by hashing.

mod codes;
mod concurrency;
mod conditions;
mod consistency;
mod documents;
mod lexical;
mod lookup;
mod retired;
mod scope;
mod upgrades;
mod vectors;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::civil::Date;
use tempfile::TempDir;

use super::*;
use crate::analysis::{date_tokens, index_text, terms};
use crate::domain::{ChunkId, ContentHash, Filter, MemoryType, ModelId, NoteDate, NoteDateSource, Section, TextHash};
use crate::store::*;

/// A day in January 2020, noon UTC, nanoseconds since 1970.
const MTIME: i64 = 1_578_571_200_000_000_000;

/// A store in a folder of its own, and what its passages say.
struct Fixture {
    store: SqliteStore,
    collection: CollectionId,
    texts: HashMap<TextHash, String>,
    folder: TempDir,
}

/// A file about to be stored.
#[derive(Debug, Clone)]
struct Draft {
    path: String,
    title: String,
    heading: String,
    chunks: Vec<String>,
    tags: Vec<String>,
    dates: Vec<Date>,
    sections: Vec<Section>,
    memory_type: MemoryType,
    mtime_ns: i64,
    moved_from: Option<FileId>,
    embed_again: bool,
}

fn draft(path: &str, chunks: &[&str]) -> Draft {
    Draft {
        path: path.into(),
        title: "Note".into(),
        heading: String::new(),
        chunks: chunks.iter().map(|chunk| (*chunk).to_owned()).collect(),
        tags: Vec::new(),
        dates: Vec::new(),
        sections: Vec::new(),
        memory_type: MemoryType::Note,
        mtime_ns: MTIME,
        moved_from: None,
        embed_again: false,
    }
}

/// Returns the vector of a text: its words hashed into 64 dimensions, each with a sign.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0f32; 64];
    for word in text.split_whitespace() {
        let hash = ContentHash::of(word.as_bytes());
        let bytes = hash.as_bytes();
        vector[usize::from(bytes[0] % 64)] += if bytes[1] & 1 == 0 { 1.0 } else { -1.0 };
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-9);
    vector.iter().map(|value| value / length).collect()
}

fn cosine(left: &[f32], right: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}

fn model() -> ModelId {
    ModelId::new("model:1")
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut store = SqliteStore::open(&folder.path().join("index.db")).unwrap();
        let collection = store.ensure_collection("vault", "/vault").unwrap();
        Self { store, collection, texts: HashMap::new(), folder }
    }

    fn reader(&self) -> Box<dyn Reader + '_> {
        self.store.snapshot().unwrap()
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("index.db")
    }

    fn put(&mut self, draft: &Draft) -> usize {
        self.put_in(self.collection, "vault", draft)
    }

    /// Stores a draft and returns how many of its passages lack a vector.
    fn put_in(&mut self, collection: CollectionId, collection_name: &str, draft: &Draft) -> usize {
        for (input, _, text) in draft.chunks.iter().flat_map(|chunk| draft.passages(chunk)) {
            self.texts.insert(input, text);
        }
        draft.store(&mut self.store, collection, collection_name)
    }

    /// Embeds whatever lacks a vector and returns how many passages that were.
    fn embed(&mut self) -> usize {
        self.store.adopt_model(&model()).unwrap();
        let mut count = 0;
        let files = self.reader().pending_files(Waiting::All).unwrap();
        for file in files {
            let pending = self.reader().pending_passages(file, Waiting::All).unwrap();
            let vectors: Vec<Vec<f32>> = pending.iter().map(|one| vector(&self.texts[&one.hash])).collect();
            let rows: Vec<(PendingPassage, &[f32])> =
                pending.into_iter().zip(vectors.iter().map(Vec::as_slice)).collect();
            self.store.put_vectors(&model(), &rows).unwrap();
            count += rows.len();
        }
        count
    }

    fn file(&self, path: &str) -> FileRecord {
        let files = self.reader().files(self.collection).unwrap();
        files.into_iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no file {path}"))
    }

    fn chunks_of(&self, path: &str) -> Vec<ChunkRow> {
        self.reader().chunk_range(self.file(path).id, 0, u32::MAX).unwrap()
    }

    fn ids_of(&self, path: &str) -> Vec<ChunkId> {
        self.chunks_of(path).into_iter().map(|chunk| chunk.id).collect()
    }

    /// Returns path and place of what a question finds by words.
    fn find(&self, question: &str) -> Vec<(String, u32)> {
        self.places(&self.reader().lexical(&words(question), None, 1000).unwrap())
    }

    fn places(&self, candidates: &[Candidate]) -> Vec<(String, u32)> {
        let rows: Vec<ChunkRef> = candidates.iter().map(|candidate| candidate.chunk).collect();
        let chunks = self.reader().chunks(&rows).unwrap();
        chunks.into_iter().map(|chunk| (chunk.path, chunk.sequence)).collect()
    }

    fn count(&self, sql: &str) -> i64 {
        self.store.connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// Fails where the tables do not agree with each other.
    fn check(&self) {
        assert_eq!(self.count("SELECT count(*) FROM chunks_fts"), self.count("SELECT count(*) FROM chunks"));
        assert_eq!(self.count("SELECT count(*) FROM chunks WHERE id NOT IN (SELECT rowid FROM chunks_fts)"), 0);
        self.store.connection.execute("INSERT INTO chunks_fts(chunks_fts) VALUES('integrity-check')", []).unwrap();
        let orphans = "SELECT count(*) FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM passages WHERE vector_id = v.id)";
        assert_eq!(self.count(orphans), 0, "vectors that no passage uses");
        assert_eq!(self.count("SELECT count(*) FROM pragma_foreign_key_check"), 0);
        let shadowed = "SELECT count(*) FROM retired WHERE chunk_key IN (SELECT chunk_key FROM chunks)";
        assert_eq!(self.count(shadowed), 0, "ids both live and retired");
        let sequences = "SELECT count(*) FROM (SELECT file_id, max(chunk_sequence) + 1 AS length, count(*) AS chunks
                         FROM chunks GROUP BY file_id) WHERE length <> chunks";
        assert_eq!(self.count(sequences), 0, "places with gaps");
    }
}

impl Draft {
    /// Returns hash, lineage and text of each line: the title is the file name's, so that lineage leaves it out.
    fn passages<'a>(&'a self, chunk: &'a str) -> impl Iterator<Item = (TextHash, TextHash, String)> + 'a {
        chunk.lines().filter(|line| !line.is_empty()).map(|line| {
            let text = format!("{}\n{line}", self.title);
            (TextHash::of(&text), TextHash::of(line), text)
        })
    }

    fn store(&self, store: &mut SqliteStore, collection: CollectionId, collection_name: &str) -> usize {
        let dates: Vec<NoteDate> =
            self.dates.iter().map(|date| NoteDate { date: *date, source: NoteDateSource::FileName, line: 0 }).collect();
        let file = NewFile {
            collection,
            collection_name,
            path: &self.path,
            title: &self.title,
            memory_type: self.memory_type,
            content_hash: ContentHash::of(self.chunks.join("\n").as_bytes()),
            mtime_ns: self.mtime_ns,
            size: self.chunks.concat().len() as u64,
            inode: 7,
            ctime_ns: 0,
            chunker: "chunker",
            tags: &self.tags,
            aliases: &[],
            properties: &[],
            links: &[],
            dates: &dates,
            day: dates.iter().map(|date| date.date).max(),
            moved_from: self.moved_from,
            embed_again: self.embed_again,
        };
        let date_words: Vec<String> = self.dates.iter().flat_map(|date| date_tokens(*date)).collect();
        let mut line = 1;
        let chunks: Vec<NewChunk> = self
            .chunks
            .iter()
            .map(|chunk| {
                let start_line = line;
                line += chunk.split('\n').count();
                NewChunk {
                    start_line,
                    end_line: line - 1,
                    heading: self.heading.clone(),
                    content: chunk.as_str().into(),
                    fts_title: index_text(&format!("{}\n{}", self.title, self.heading)).into_owned(),
                    fts_body: index_text(chunk).into_owned(),
                    fts_meta: format!("{}\n{}", self.tags.join("\n"), date_words.join("\n")),
                    sections: self.sections.clone(),
                    passages: (start_line..)
                        .zip(chunk.lines())
                        .filter(|(_, text)| !text.is_empty())
                        .zip(self.passages(chunk))
                        .map(|((line, _), (hash, lineage, _))| NewPassage { line, hash, lineage })
                        .collect(),
                }
            })
            .collect();
        store.replace_file(&file, &chunks, Some(&model())).unwrap()
    }
}

fn words(question: &str) -> LexicalQuery {
    LexicalQuery { terms: terms(question), ..LexicalQuery::default() }
}

fn place(path: &str, sequence: u32) -> (String, u32) {
    (path.into(), sequence)
}
