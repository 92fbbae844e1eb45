//! Fixtures: drafts of files, whose chunks are given as text with one passage per line, embedded by hashing.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::*;
use tars_base::disk::FileStat;
use tars_base::domain::{
    ChunkId, ContentHash, MemoryType, ModelId, NoteDate, NoteDateSource, Property, Section, TextHash,
};
use tars_text::analysis::{date_tokens, index_text, terms};

/// A day in January 2020, noon UTC, nanoseconds since 1970.
pub(crate) const MTIME: i64 = 1_578_571_200_000_000_000;

/// The storage of an index.
pub(crate) trait Home {
    /// Opens the index again.
    fn open(&self) -> Index;

    /// Panics if the stored data is inconsistent.
    fn check(&self);
}

/// A store with one collection, and the texts of its passages.
pub(crate) struct Fixture<S: Store + ?Sized> {
    pub(crate) store: Box<S>,
    pub(crate) collection: CollectionId,
    pub(crate) texts: HashMap<TextHash, String>,
    pub(crate) home: Box<dyn Home>,
}

/// A file to be stored.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) heading: String,
    pub(crate) chunks: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) properties: Vec<Property>,
    pub(crate) dates: Vec<Date>,
    pub(crate) sections: Vec<Section>,
    pub(crate) memory_type: MemoryType,
    pub(crate) mtime_ns: i64,
    pub(crate) moved_from: Option<FileId>,
    pub(crate) embed_again: bool,
    pub(crate) is_chat: bool,
}

pub(crate) fn draft(path: &str, chunks: &[&str]) -> Draft {
    Draft {
        path: path.into(),
        title: "Note".into(),
        heading: String::new(),
        chunks: chunks.iter().map(|chunk| (*chunk).to_owned()).collect(),
        tags: Vec::new(),
        properties: Vec::new(),
        dates: Vec::new(),
        sections: Vec::new(),
        memory_type: MemoryType::Note,
        mtime_ns: MTIME,
        moved_from: None,
        embed_again: false,
        is_chat: false,
    }
}

/// Returns the vector of a text: its words hashed into 64 dimensions, each with a sign.
pub(crate) fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0f32; 64];
    for word in text.split_whitespace() {
        let hash = ContentHash::of(word.as_bytes());
        let bytes = hash.as_bytes();
        vector[usize::from(bytes[0] % 64)] += if bytes[1] & 1 == 0 { 1.0 } else { -1.0 };
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-9);
    vector.iter().map(|value| value / length).collect()
}

pub(crate) fn cosine(left: &[f32], right: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}

pub(crate) fn model() -> ModelId {
    ModelId::new("model:1")
}

impl<S: Store + ?Sized> Fixture<S> {
    /// Wraps an empty index.
    pub(crate) fn of(mut store: Box<S>, home: impl Home + 'static) -> Self {
        let collection = store.ensure_collection("vault", "/vault").unwrap();
        Self { store, collection, texts: HashMap::new(), home: Box::new(home) }
    }

    pub(crate) fn reader(&self) -> Box<dyn Reader + '_> {
        self.store.snapshot().unwrap()
    }

    /// Panics if the stored data is inconsistent.
    pub(crate) fn check(&self) {
        self.home.check();
    }

    pub(crate) fn put(&mut self, draft: &Draft) -> usize {
        self.put_in(self.collection, "vault", draft)
    }

    /// Stores a draft and returns how many of its passages lack a vector.
    pub(crate) fn put_in(&mut self, collection: CollectionId, collection_name: &str, draft: &Draft) -> usize {
        for (input, _, text) in draft.chunks.iter().flat_map(|chunk| draft.passages(chunk)) {
            self.texts.insert(input, text);
        }
        draft.store(&mut *self.store, collection, collection_name)
    }

    /// Embeds all pending passages and returns their number.
    pub(crate) fn embed(&mut self) -> usize {
        self.store.adopt_model(&model()).unwrap();
        let mut count = 0;
        let files = self.reader().pending_files(PendingSelection::All).unwrap();
        for file in files {
            let pending = self.reader().pending_passages(file, PendingSelection::All).unwrap();
            let vectors: Vec<Vec<f32>> = pending.iter().map(|one| vector(&self.texts[&one.hash])).collect();
            let rows: Vec<(PendingPassage, &[f32])> =
                pending.into_iter().zip(vectors.iter().map(Vec::as_slice)).collect();
            self.store.put_vectors(&model(), &rows).unwrap();
            count += rows.len();
        }
        count
    }

    pub(crate) fn file(&self, path: &str) -> FileRecord {
        let files = self.reader().files(self.collection).unwrap();
        files.into_iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no file {path}"))
    }

    pub(crate) fn chunks_of(&self, path: &str) -> Vec<ChunkRow> {
        self.reader().chunk_range(self.file(path).id, 0, u32::MAX).unwrap()
    }

    pub(crate) fn ids_of(&self, path: &str) -> Vec<ChunkId> {
        self.chunks_of(path).into_iter().map(|chunk| chunk.id).collect()
    }

    /// Returns path and position of each lexical match of a question.
    pub(crate) fn find(&self, question: &str) -> Vec<(String, u32)> {
        self.places(&self.reader().lexical(&words(question), None, 1000).unwrap())
    }

    pub(crate) fn places(&self, candidates: &[Candidate]) -> Vec<(String, u32)> {
        let rows: Vec<ChunkRef> = candidates.iter().map(|candidate| candidate.chunk).collect();
        let chunks = self.reader().chunks(&rows).unwrap();
        chunks.into_iter().map(|chunk| (chunk.path, chunk.sequence)).collect()
    }
}

impl Draft {
    /// Returns hash, lineage and text of each line. The title represents the file's name, so the lineage omits it.
    pub(crate) fn passages<'a>(&'a self, chunk: &'a str) -> impl Iterator<Item = (TextHash, TextHash, String)> + 'a {
        chunk.lines().filter(|line| !line.is_empty()).map(|line| {
            let text = format!("{}\n{line}", self.title);
            (TextHash::of(&text), TextHash::of(line), text)
        })
    }

    pub(crate) fn store(
        &self,
        store: &mut (impl Writer + ?Sized),
        collection: CollectionId,
        collection_name: &str,
    ) -> usize {
        let dates: Vec<NoteDate> =
            self.dates.iter().map(|date| NoteDate { date: *date, source: NoteDateSource::FileName, line: 0 }).collect();
        let file = NewFile {
            collection,
            collection_name,
            path: &self.path,
            title: &self.title,
            memory_type: self.memory_type,
            content_hash: ContentHash::of(self.chunks.join("\n").as_bytes()),
            stat: FileStat { mtime_ns: self.mtime_ns, size: self.chunks.concat().len() as u64, inode: 7, ctime_ns: 0 },
            chunker: "chunker",
            damage: None,
            tags: &self.tags,
            aliases: &[],
            properties: &self.properties,
            links: &[],
            dates: &dates,
            day: dates.iter().map(|date| date.date).max(),
            moved_from: self.moved_from,
            embed_again: self.embed_again,
            opaque_bytes: 0,
            is_chat: self.is_chat,
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
                    start_column: 0,
                    end_line: line - 1,
                    end_column: None,
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

pub(crate) fn words(question: &str) -> LexicalQuery {
    LexicalQuery { terms: terms(question), ..LexicalQuery::default() }
}

pub(crate) fn place(path: &str, sequence: u32) -> (String, u32) {
    (path.into(), sequence)
}

/// Returns a file without content.
pub(crate) fn new_file(collection: CollectionId, path: &str) -> NewFile<'_> {
    NewFile {
        collection,
        collection_name: "vault",
        path,
        title: "",
        memory_type: MemoryType::Note,
        content_hash: ContentHash::of(b""),
        stat: FileStat::default(),
        chunker: "",
        damage: None,
        tags: &[],
        aliases: &[],
        properties: &[],
        links: &[],
        dates: &[],
        day: None,
        moved_from: None,
        embed_again: false,
        opaque_bytes: 0,
        is_chat: false,
    }
}

/// Fills the index, so that a word of a few notes is rare.
pub(crate) fn fill<S: Store + ?Sized>(fixture: &mut Fixture<S>) {
    for number in 0..20 {
        let text = format!("filler text number {number} about gardens and weather");
        fixture.put(&draft(&format!("filler/{number:02}.md"), &[&text]));
    }
}

/// Fills the index with a dozen files of four chunks each and their vectors. Returns their paths.
pub(crate) fn library<S: Store + ?Sized>(fixture: &mut Fixture<S>) -> Vec<String> {
    const WORDS: [&str; 12] =
        ["apple", "banana", "cherry", "dates", "elder", "fig", "grape", "honey", "iris", "jasmine", "kiwi", "lemon"];
    let word = |number: usize| WORDS[(number * 7 + number / 5) % WORDS.len()];
    let paths: Vec<String> = (0..12).map(|file| format!("{}/{file:02}.md", ["even", "odd"][file % 2])).collect();
    for (file, path) in paths.iter().enumerate() {
        let chunks: Vec<String> = (0..4)
            .map(|chunk| {
                let line = |line| {
                    let seed = file * 16 + chunk * 4 + line;
                    format!("{} {} {} n{seed}", word(seed), word(seed * 3 + 1), word(seed * 5 + 2))
                };
                (0..1 + chunk).map(line).collect::<Vec<_>>().join("\n")
            })
            .collect();
        let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
        fixture.put(&draft(path, &chunks));
    }
    fixture.embed();
    paths
}
