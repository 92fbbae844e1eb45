//! Prefetches notes: a second thread reads, parses and cuts them while earlier ones are written.
//!
//! Notes are grouped into batches by size. Each batch is one transaction, which saves the overhead of a transaction and of a
//! full-text segment per note. At most three batches are in memory: one being read, one waiting and one being written.

use std::sync::mpsc;
use std::thread;

use super::diff::is_chunked;
use super::note_rows::Note;
use super::{IndexOptions, Root};
use tars_base::domain::{ContentHash, CountTokens, Document};
use tars_store::{FileRecord, NewChunk, NewText};
use tars_text::chunker::ChunkOptions;
use tars_vault::{FoundNote, ReadError, SourceFile};

/// Bytes per batch. Other writers wait for a batch, a few hundredths of a second, and a killed run loses at most one.
const BATCH_BYTES: u64 = 256 * 1024;
/// Notes per batch, because tiny notes cost more than their bytes.
const BATCH_NOTES: usize = 256;

/// A note that differs, or may differ, from its known state.
pub(super) struct PrefetchedNote {
    pub(super) walked: FoundNote,
    pub(super) record: Option<FileRecord>,
    pub(super) content: Result<NoteContent, ReadError>,
}

/// The content of a note's file.
pub(super) struct NoteContent {
    pub(super) file: SourceFile,
    /// The note as rows; `None` if its bytes and its cut are unchanged.
    pub(super) note: Option<(Document, Vec<NewChunk>)>,
}

/// The inputs for reading and cutting notes.
pub(super) struct NoteReader<'a> {
    /// The folder of the notes.
    pub(super) root: &'a Root,
    pub(super) options: &'a IndexOptions,
    pub(super) counter: &'a dyn CountTokens,
    pub(super) chunk: &'a ChunkOptions,
    /// The current chunker's name; `None` if any will do.
    pub(super) chunker: Option<&'a str>,
    /// Converts a text to its stored form, which takes longer than writing it.
    pub(super) prepare: fn(&NewText),
}

impl NoteReader<'_> {
    /// Reads a note, and cuts it if it differs from its known state.
    pub(super) fn read(&self, walked: FoundNote, record: Option<FileRecord>) -> PrefetchedNote {
        let (links, limit) = (&self.options.walk.follow_links, self.options.max_file_size);
        let is_known = |hash: &ContentHash| {
            let known = |record: &FileRecord| record.content_hash == *hash && is_chunked(record, self.chunker);
            !self.options.full && record.as_ref().is_some_and(known)
        };
        let file = match self.options.pdf_reader(&walked.path) {
            Some(reader) => reader.read(&self.root.path, links, &walked.path, limit, is_known),
            None => tars_vault::read_following(&self.root.path, links, &walked.path, limit),
        };
        let found = file.map(|file| {
            let note = (!is_known(&file.hash)).then(|| {
                let chunk = self.options.chunk_options_of(self.root, &walked.path, self.chunk);
                let note = Note::new(&walked.path, &file.text, self.counter, &chunk);
                let rows = note.rows(&walked.path);
                rows.iter().for_each(|row| (self.prepare)(&row.content));
                (note.document, rows)
            });
            NoteContent { file, note }
        });
        PrefetchedNote { walked, record, content: found }
    }
}

/// Passes all notes to `write`, in batches and in order, until it returns `false`. `read` runs ahead of it, on another thread if
/// there is more than one batch.
pub(super) fn prefetch<E>(
    notes: Vec<(FoundNote, Option<FileRecord>)>,
    read: impl Fn(FoundNote, Option<FileRecord>) -> PrefetchedNote + Send,
    mut write: impl FnMut(Vec<PrefetchedNote>) -> Result<bool, E>,
) -> Result<(), E> {
    let mut batches = batches(notes);
    let read = move |batch: Vec<(FoundNote, Option<FileRecord>)>| -> Vec<PrefetchedNote> {
        batch.into_iter().map(|(walked, record)| read(walked, record)).collect()
    };
    if batches.len() <= 1 {
        return batches.pop().map_or(Ok(()), |batch| write(read(batch)).map(|_| ()));
    }
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(1);
        // Ends after the last batch, or when the receiver is gone.
        scope.spawn(move || batches.into_iter().all(|batch| sender.send(read(batch)).is_ok()));
        for batch in receiver {
            if !write(batch)? {
                break;
            }
        }
        Ok(())
    })
}

fn batches(notes: Vec<(FoundNote, Option<FileRecord>)>) -> Vec<Vec<(FoundNote, Option<FileRecord>)>> {
    let mut batches: Vec<Vec<(FoundNote, Option<FileRecord>)>> = Vec::new();
    let mut bytes = 0;
    for note in notes {
        let size = note.0.stat.size;
        match batches.last_mut() {
            Some(batch) if batch.len() < BATCH_NOTES && bytes + size <= BATCH_BYTES => {
                bytes += size;
                batch.push(note);
            }
            _ => {
                bytes = size;
                batches.push(vec![note]);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_base::disk::FileStat;

    fn notes(sizes: &[u64]) -> Vec<(FoundNote, Option<FileRecord>)> {
        let stat = |size| FileStat { size, ..FileStat::default() };
        let walked = |(at, size): (usize, &u64)| FoundNote { path: at.to_string(), stat: stat(*size) };
        sizes.iter().enumerate().map(|note| (walked(note), None)).collect()
    }

    fn unreadable(walked: FoundNote, record: Option<FileRecord>) -> PrefetchedNote {
        let found = Err(ReadError::TooLarge { path: walked.path.clone().into(), size: 1, limit: 0 });
        PrefetchedNote { walked, record, content: found }
    }

    fn written(sizes: &[u64], enough: usize) -> Vec<usize> {
        let (mut lengths, mut next) = (Vec::new(), 0);
        let done: Result<(), ()> = prefetch(notes(sizes), unreadable, |batch| {
            for read in &batch {
                assert_eq!(read.walked.path, next.to_string());
                next += 1;
            }
            lengths.push(batch.len());
            Ok(lengths.len() < enough)
        });
        assert_eq!(done, Ok(()));
        lengths
    }

    #[test]
    fn batches_are_limited_in_bytes_and_notes() {
        assert_eq!(written(&[], 9), [0; 0]);
        assert_eq!(written(&[1 << 30], 9), [1], "a large note goes by itself");
        assert_eq!(written(&[1, 1 << 30, 1, 1], 9), [1, 1, 2]);
        assert_eq!(written(&[100 * 1024; 5], 9), [2, 2, 1]);
        assert_eq!(written(&[0; 600], 9), [256, 256, 88]);
    }

    #[test]
    fn reading_stops_when_writing_stops() {
        assert_eq!(written(&[1 << 20; 50], 2), [1, 1]);
        let failed = prefetch(notes(&[1 << 20; 50]), unreadable, |_| Err("the disk is full"));
        assert_eq!(failed, Err("the disk is full"));
    }
}
