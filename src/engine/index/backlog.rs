//! Embeds passages that lack a vector or need a new one.

use std::collections::HashMap;

use super::note_rows::Note;
use super::order;
use super::{IndexError, IndexOptions, Report, Root, RunPart};
use tars_base::domain::{CountTokens, Progress, Stage, TextHash};
use tars_base::embedding::{Embedder, TextKind};
use tars_store::{FileId, PendingPassage, PendingSelection, Store};
use tars_text::chunker::ChunkOptions;

/// Passages per batch while a question waits: some tens of milliseconds.
const SMALL_BATCH: usize = 4;
/// Largest note, in bytes, that is cut while a question waits.
const SMALL_NOTE: u64 = 256 << 10;

/// The inputs for cutting a note again.
pub(super) struct EmbeddingContext<'a> {
    pub(super) roots: &'a [Root],
    pub(super) options: &'a IndexOptions,
    pub(super) counter: &'a dyn CountTokens,
    pub(super) chunk: &'a ChunkOptions,
}

/// Embeds until nothing is missing or the user interrupts. Texts of several files share a batch; at most one batch and one file are
/// in memory.
pub(super) fn embed(
    store: &mut dyn Store,
    embedder: &dyn Embedder,
    backlog: &EmbeddingContext<'_>,
    progress: &dyn Progress,
    report: &mut Report,
) -> Result<(), IndexError> {
    let files = order::by_priority(&*store.snapshot()?, backlog.selection())?;
    if files.is_empty() {
        return Ok(());
    }
    let size = match backlog.options.part {
        RunPart::Missing => SMALL_BATCH.min(embedder.batch_size()),
        RunPart::Both | RunPart::Words | RunPart::Vectors => embedder.batch_size(),
    };
    progress.start(Stage::Embedding, store.snapshot()?.statistics()?.pending);
    let mut batch: Vec<(PendingPassage, String)> = Vec::new();
    for file in files {
        batch.extend(backlog.texts(store, file)?);
        while batch.len() >= size && !progress.cancelled() {
            let rest = batch.split_off(size);
            embed_batch(store, embedder, &batch, progress, report)?;
            batch = rest;
        }
        if progress.cancelled() {
            report.interrupted = true;
            break;
        }
    }
    if !report.interrupted {
        embed_batch(store, embedder, &batch, progress, report)?;
    }
    progress.finish();
    Ok(())
}

fn embed_batch(
    store: &mut dyn Store,
    embedder: &dyn Embedder,
    batch: &[(PendingPassage, String)],
    progress: &dyn Progress,
    report: &mut Report,
) -> Result<(), IndexError> {
    if batch.is_empty() {
        return Ok(());
    }
    // Embed equal texts only once.
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut texts: Vec<&str> = Vec::new();
    for (_, text) in batch {
        places.entry(text).or_insert_with(|| {
            texts.push(text);
            texts.len() - 1
        });
    }
    let vectors = embedder.embed(TextKind::Passage, &texts)?;
    let rows: Vec<(PendingPassage, &[f32])> =
        batch.iter().map(|(passage, text)| (*passage, vectors[places[text.as_str()]].as_slice())).collect();
    store.put_vectors(embedder.model(), &rows)?;
    report.embedded += texts.len();
    progress.advance(batch.len());
    Ok(())
}

impl EmbeddingContext<'_> {
    fn selection(&self) -> PendingSelection {
        if self.options.part == RunPart::Missing { PendingSelection::WithoutVector } else { PendingSelection::All }
    }

    /// Returns the texts of a file's passages that need a vector. A file that changed since its words were read has none: the next
    /// run reads it again.
    fn texts(&self, store: &dyn Store, file: FileId) -> Result<Vec<(PendingPassage, String)>, IndexError> {
        let index = store.snapshot()?;
        let Some(record) = index.file(file)? else {
            return Ok(Vec::new());
        };
        if self.options.part == RunPart::Missing && record.stat.size > SMALL_NOTE {
            return Ok(Vec::new());
        }
        let collection = index.collections()?.into_iter().find(|collection| collection.id == record.collection);
        drop(index);
        let root = collection.and_then(|collection| self.roots.iter().find(|root| root.name == collection.name));
        let Some(root) = root else {
            return Ok(Vec::new());
        };
        let (links, limit) = (&self.options.walk.follow_links, self.options.max_file_size);
        let source = match self.options.pdf_reader(&record.path) {
            Some(_) if self.options.part == RunPart::Missing => return Ok(Vec::new()),
            Some(reader) => reader.read(&root.path, links, &record.path, limit, |hash| *hash != record.content_hash),
            None => tars_vault::read_following(&root.path, links, &record.path, limit),
        };
        let Ok(source) = source else { return Ok(Vec::new()) };
        if source.hash != record.content_hash {
            return Ok(Vec::new());
        }
        let chunk = self.options.chunk_options_of(root, &record.path, self.chunk);
        let note = Note::new(&record.path, &source.text, self.counter, &chunk);
        let texts: HashMap<TextHash, String> = note
            .chunks
            .into_iter()
            .flat_map(|chunk| chunk.passages)
            .map(|passage| (passage.hash, passage.text))
            .collect();
        let pending = store.snapshot()?.pending_passages(file, self.selection())?;
        Ok(pending.into_iter().filter_map(|passage| Some((passage, texts.get(&passage.hash)?.clone()))).collect())
    }
}
