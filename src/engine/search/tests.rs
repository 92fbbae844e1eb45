//! A small vault in a real store. The embedder hashes words, so shared words are the only meaning.
//!
//! A second store keeps the same notes in memory, and [`Fixture::ask`] checks that both give the same answers.

mod answers;
mod bounds;
mod compounds;
mod expansion;
mod links;
mod missing;
mod parts;
mod places;
mod queries;
mod reranked;
mod reworded;
mod signals;
mod spelling;
mod ties;
mod windows;
mod written;

use tempfile::TempDir;

use super::*;
use tars_base::disk::FileStat;
use tars_base::domain::{
    ApproximateTokens, Chunk, ChunkId, ContentHash, CountTokens, Filter, Hit, MemoryType, Mode, Query, QuerySyntax,
    Retriever, SearchAnswer,
};
use tars_base::embedding::{Embedder, HashingEmbedder, TextKind};
use tars_rank::{Balance, Fusion, FusionOptions};
use tars_store::in_memory::MemoryStore;
use tars_store::{
    ChunkRow, CollectionId, ColumnWeights, FileId, NewChunk, NewFile, PendingPassage, PendingSelection, Reader,
    SqliteStore, Store, Writer,
};
use tars_text::analysis::index_text;
use tars_text::chunker::{ChunkOptions, chunk};
use tars_text::markdown;

struct Fixture {
    store: SqliteStore,
    twin: MemoryStore,
    collection: CollectionId,
    embedder: HashingEmbedder,
    options: ChunkOptions,
    /// Kind of the notes that are added from now on.
    memory_type: MemoryType,
    _folder: TempDir,
}

impl Fixture {
    fn new(notes: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut store = SqliteStore::open(&folder.path().join("index.db")).unwrap();
        let mut twin = MemoryStore::default();
        let collection = store.ensure_collection("vault", "/vault").unwrap();
        assert_eq!(twin.ensure_collection("vault", "/vault").unwrap(), collection);
        let options =
            ChunkOptions { target_tokens: 24, passage_tokens: 24, window_tokens: 40, ..ChunkOptions::default() };
        let embedder = HashingEmbedder::new(256);
        let mut fixture =
            Self { store, twin, collection, embedder, options, memory_type: MemoryType::Note, _folder: folder };
        for (path, text) in notes {
            fixture.put(path, text);
        }
        fixture
    }

    /// Stores a note with its vectors.
    fn put(&mut self, path: &str, text: &str) {
        let chunks = self.put_words(path, text);
        self.embed(path, &chunks, usize::MAX);
    }

    /// Embeds at most `most` of a note's passages that lack a vector.
    fn embed(&mut self, path: &str, chunks: &[Chunk], most: usize) {
        let model = self.embedder.model().clone();
        for store in [&mut self.store as &mut dyn Store, &mut self.twin] {
            store.adopt_model(&model).unwrap();
            let file = file(&*store.snapshot().unwrap(), self.collection, path);
            let waiting = store.snapshot().unwrap().pending_passages(file, PendingSelection::All).unwrap();
            for pending in waiting.into_iter().take(most) {
                let passages = chunks.iter().flat_map(|chunk| &chunk.passages);
                let text = passages.into_iter().find(|passage| passage.hash == pending.hash).unwrap().text.as_str();
                let vector = self.embedder.embed(TextKind::Passage, &[text]).unwrap().remove(0);
                let row: (PendingPassage, &[f32]) = (pending, &vector);
                store.put_vectors(&model, &[row]).unwrap();
            }
        }
    }

    fn remove(&mut self, path: &str) {
        for store in [&mut self.store as &mut dyn Store, &mut self.twin] {
            let file = file(&*store.snapshot().unwrap(), self.collection, path);
            store.remove_files(&[file]).unwrap();
        }
    }

    /// Stores a note without vectors.
    fn put_words(&mut self, path: &str, text: &str) -> Vec<Chunk> {
        let document = markdown::parse(path, text);
        let chunks = chunk(&document, &str::to_owned, &ApproximateTokens, &self.options);
        let headings: Vec<String> = chunks.iter().map(Chunk::heading).collect();
        let rows: Vec<NewChunk> = chunks
            .iter()
            .zip(&headings)
            .map(|(chunk, heading)| NewChunk {
                start_line: chunk.start_line,
                start_column: chunk.start_column,
                end_line: chunk.end_line,
                end_column: chunk.end_column,
                heading: heading.clone(),
                content: chunk.content.as_str().into(),
                fts_title: index_text(&format!("{}\n{heading}", document.title)).into_owned(),
                fts_body: index_text(&chunk.content).into_owned(),
                fts_meta: String::new(),
                sections: chunk.sections.clone(),
                passages: chunk.passages.iter().map(Into::into).collect(),
            })
            .collect();
        let file = NewFile {
            collection: self.collection,
            collection_name: "vault",
            path,
            title: &document.title,
            memory_type: self.memory_type,
            content_hash: ContentHash::of(text.as_bytes()),
            stat: FileStat::default(),
            chunker: "",
            damage: None,
            tags: &document.tags,
            aliases: &[],
            properties: &[],
            links: &document.links,
            dates: &document.dates,
            day: document.day(),
            moved_from: None,
            embed_again: false,
            opaque_bytes: 0,
            is_chat: !document.exchanges.is_empty(),
        };
        for store in [&mut self.store as &mut dyn Writer, &mut self.twin] {
            store.replace_file(&file, &rows, Some(self.embedder.model())).unwrap();
        }
        chunks
    }

    fn reader(&self) -> Box<dyn Reader + '_> {
        self.store.snapshot().unwrap()
    }

    fn file(&self, path: &str) -> FileId {
        file(&*self.reader(), self.collection, path)
    }

    fn chunks(&self, path: &str) -> Vec<ChunkRow> {
        self.reader().chunk_range(self.file(path), 0, u32::MAX).unwrap()
    }

    /// Returns the id of the chunk that holds a text.
    fn id_of(&self, path: &str, text: &str) -> ChunkId {
        let chunks = self.chunks(path).into_iter();
        chunks.filter(|chunk| chunk.content.contains(text)).map(|chunk| chunk.id).next_back().unwrap()
    }

    fn ask(&self, query: &Query) -> SearchAnswer {
        let ask = |reader: &dyn Reader| {
            search(reader, VectorSearch::Model(&self.embedder), query, &search_options()).unwrap()
        };
        let answer = ask(&*self.reader());
        let other = ask(&*self.twin.snapshot().unwrap());
        let shown = |answer: &SearchAnswer| -> Vec<(ChunkId, usize, Vec<Retriever>)> {
            answer.hits.iter().map(|hit| (hit.id.clone(), hit.line, hit.matched_by.clone())).collect()
        };
        assert_eq!(shown(&answer), shown(&other), "{:?} on SQLite and in memory", query.text);
        assert_eq!((&answer.remarks, &answer.degraded, answer.index), (&other.remarks, &other.degraded, other.index));
        for (hit, twin) in answer.hits.iter().zip(&other.hits) {
            // SQLite rounds vectors.
            assert!((hit.score - twin.score).abs() < 0.005, "{} is not {}", hit.score, twin.score);
        }
        answer
    }
}

fn file(reader: &dyn Reader, collection: CollectionId, path: &str) -> FileId {
    let files = reader.files(collection).unwrap();
    files.into_iter().find(|file| file.path == path).unwrap().id
}

fn search_options() -> SearchOptions {
    SearchOptions {
        fusion: FusionOptions {
            fusion: Fusion::Adaptive,
            vector_weight: 0.6,
            neighbour_credit: 0.1,
            link_credit: 0.1,
            balance: Balance::default(),
        },
        features: FeatureOptions { pair_credit: 0.7, repeat_penalty: 0.5, recency: 0.0, project_credit: 0.1 },
        columns: ColumnWeights::default(),
        candidates: 50,
        parts: PartOptions::default(),
    }
}

fn query(text: &str) -> Query {
    Query {
        text: text.into(),
        mode: Mode::Hybrid,
        limit: 10,
        filter: Filter::default(),
        min_score: 0.0,
        language: QuerySyntax::Query,
        project: None,
        today: jiff::civil::date(2023, 5, 10),
        explain: false,
    }
}

fn paths(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.path.as_str()).collect()
}
