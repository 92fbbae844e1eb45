//! Brings one collection up to date with its root.

use std::collections::{HashMap, HashSet};

use super::compare_root::{ComparedRoot, KnownFiles, compare_root};
use super::diff::{ChangeRules, PDF_RULE, PRIVATE, too_large};
use super::note_properties::properties;
use super::prefetch::{NoteContent, NoteReader, PrefetchedNote, prefetch};
use super::{HidingNote, IndexError, IndexOptions, Report, Root};
use tars_base::domain::{ContentHash, CountTokens, Progress, Stage};
use tars_base::embedding::Embedder;
use tars_store::{CollectionId, ExcludedFile, FileId, FileRecord, NewFile, Store, StoreError, Writer};
use tars_text::chunker::ChunkOptions;
use tars_vault::{Decoding, FoundNote, PdfRefusal, ReadError};

/// A run over one root: compares it with its collection in the store, and brings that up to date.
pub(super) struct CollectionRun<'a> {
    pub(super) root: &'a Root,
    pub(super) collection: CollectionId,
    pub(super) options: &'a IndexOptions,
    pub(super) counter: &'a dyn CountTokens,
    pub(super) chunk: &'a ChunkOptions,
    pub(super) chunker: &'a str,
    pub(super) embedder: Option<&'a dyn Embedder>,
    pub(super) progress: &'a dyn Progress,
    /// The collection's previous root, if it was another.
    pub(super) former: Option<&'a str>,
}

impl CollectionRun<'_> {
    /// Indexes the words of the collection.
    pub(super) fn index_words(&self, store: &mut dyn Store, report: &mut Report) -> Result<(), IndexError> {
        let compared = self.compare_root(store, report)?;
        self.check_root(&compared)?;
        let emptied = compared.is_emptied() && compared.walk.evicted.is_empty();
        if emptied && self.options.walk.only.is_empty() && !self.options.full {
            return Err(IndexError::RootEmpty { path: self.root.path.clone(), known: compared.files.len() });
        }
        report.files += compared.result.notes;
        report.conflict_copies += compared.walk.conflict_copies.len();
        report.evicted += compared.walk.evicted.len();
        report.private += compared.result.private;
        report.skipped += compared.result.skipped;
        report.unchanged += compared.result.unchanged;
        let diff = compared.diff();
        let index = store.snapshot()?;
        let mut gone: HashMap<ContentHash, Vec<FileRecord>> = HashMap::new();
        for file in &diff.gone {
            if let Some(record) = index.file(file.id)? {
                gone.entry(record.content_hash).or_default().push(record);
            }
        }
        let mut left: HashSet<FileId> = diff.gone.iter().map(|file| file.id).collect();
        let record = |id: Option<FileId>| id.map_or(Ok(None), |id| index.file(id));
        let read = diff.read.into_iter().map(|(walked, id)| Ok((walked, record(id)?)));
        let read: Vec<(FoundNote, Option<FileRecord>)> = read.collect::<Result<_, StoreError>>()?;
        drop(index);
        self.progress.start(Stage::Reading, read.len());
        let chunker = self.embedder.map(|_| self.chunker);
        let reading = NoteReader {
            root: self.root,
            options: self.options,
            counter: self.counter,
            chunk: self.chunk,
            chunker,
            prepare: store.text_preparer(),
        };
        prefetch(
            read,
            |walked, record| reading.read(walked, record),
            |batch| -> Result<bool, StoreError> {
                if self.progress.cancelled() {
                    report.interrupted = true;
                    return Ok(false);
                }
                store.transaction(&mut |store| {
                    for one in &batch {
                        match &one.content {
                            Ok(found) => {
                                let moved = match &one.record {
                                    // Equal content says nothing about files without any.
                                    None if found.file.stat.size > 0 => {
                                        gone.get_mut(&found.file.hash).and_then(Vec::pop)
                                    }
                                    _ => None,
                                };
                                if let Some(moved) = &moved {
                                    left.remove(&moved.id);
                                }
                                self.index_note(store, one, found, moved.as_ref(), report)?;
                            }
                            Err(error) => self.record_failure(store, error, one, report)?,
                        }
                    }
                    Ok(())
                })?;
                self.progress.advance(batch.len());
                Ok(true)
            },
        )?;
        self.progress.finish();
        if !report.interrupted {
            let gone: Vec<FileId> = left.into_iter().collect();
            report.removed += gone.len();
            store.remove_files(&gone)?;
        }
        Ok(())
    }

    /// Compares the root with the known files.
    fn compare_root(&self, store: &dyn Store, report: &mut Report) -> Result<ComparedRoot, IndexError> {
        let root = &self.root.path;
        if let Err(error) = std::fs::read_dir(root) {
            return Err(IndexError::RootMissing {
                collection: self.root.name.clone(),
                path: root.clone(),
                detail: error.to_string(),
            });
        }
        let chunker = self.embedder.map(|_| self.chunker);
        let too_large = too_large(self.options.max_file_size);
        let rules = ChangeRules { full: self.options.full, too_large: Some(&too_large) };
        let known = || {
            let known = KnownFiles::read(&*store.snapshot()?, self.collection, chunker)?;
            Ok(self.restricted(known))
        };
        let compared = compare_root(root, &self.options.walk, rules, known)?.compared;
        let compared = compared.map_err(|error| IndexError::Exclude(error.to_string()))?;
        for place in &compared.walk.skipped {
            report.warn(place.message.clone(), self.progress);
            report.failed += 1;
        }
        // Runs for a single note do not repeat the remarks.
        for remark in compared.walk.remarks.iter().filter(|_| self.options.walk.only.is_empty()) {
            report.warn(remark.clone(), self.progress);
        }
        Ok(compared)
    }

    /// Refuses a root that probably replaces the indexed folder by mistake. A moved folder still holds most of its notes.
    fn check_root(&self, compared: &ComparedRoot) -> Result<(), IndexError> {
        let Some(former) = self.former.filter(|_| !self.options.full) else { return Ok(()) };
        let known = compared.files.len();
        if 2 * compared.found_count() >= known {
            return Ok(());
        }
        Err(IndexError::OtherRoot {
            collection: self.root.name.clone(),
            path: self.root.path.clone(),
            former: former.into(),
            known,
        })
    }

    fn restricted(&self, mut known: KnownFiles) -> KnownFiles {
        let only = &self.options.walk.only;
        if !only.is_empty() {
            known.files.retain(|record| {
                let location = self.root.path.join(&record.path);
                only.iter().any(|only| location.starts_with(only))
            });
        }
        known
    }

    fn index_note(
        &self,
        store: &mut dyn Writer,
        one: &PrefetchedNote,
        found: &NoteContent,
        moved: Option<&FileRecord>,
        report: &mut Report,
    ) -> Result<(), StoreError> {
        let PrefetchedNote { walked, record, .. } = one;
        let NoteContent { file, note } = found;
        let Some((document, rows)) = note else {
            if let Some(record) = record {
                store.touch_file(record.id, file.stat)?;
            }
            report.unchanged += 1;
            return Ok(());
        };
        if let Some(error) = &document.front_matter_error {
            report.refused_front_matter.push(format!("{}: front matter that is no YAML: {error}", walked.path));
        }
        if let Some(known) = record.as_ref().or(moved)
            && (document.private || file.text.contains("rivate") || file.text.contains("PRIVATE"))
        {
            let (collection, path) = (self.root.name.clone(), walked.path.clone());
            let (known_as, is_private) = (known.path.clone(), document.private);
            report.hiding.push(HidingNote { collection, path, known_as, is_private });
        }
        if document.private {
            report.private += 1;
            if let Some(record) = record.as_ref().or(moved) {
                store.remove_files(&[record.id])?;
            }
            return store.exclude_file(self.collection, &excluded_file(walked, PRIVATE));
        }
        match file.decoding {
            Decoding::Utf8 => {}
            Decoding::From(encoding) => report.decoded.push(format!("{} ({encoding})", walked.path)),
            Decoding::Damaged => {
                let why = file.decoding.damage().unwrap_or_default();
                report.warn(format!("{}: {why}", walked.path), self.progress);
            }
        }
        let new = NewFile {
            collection: self.collection,
            collection_name: &self.root.name,
            path: &walked.path,
            title: &document.title,
            memory_type: self.options.memory_type(self.root, &walked.path),
            content_hash: file.hash,
            stat: file.stat,
            chunker: self.chunker,
            damage: file.decoding.damage(),
            tags: &document.tags,
            aliases: &document.aliases,
            properties: &properties(document),
            links: &document.links,
            dates: &document.dates,
            day: document.day(),
            moved_from: moved.map(|record| record.id),
            embed_again: self.options.full && self.embedder.is_some(),
            opaque_bytes: document.opaque_bytes(),
            is_chat: !document.exchanges.is_empty(),
        };
        store.replace_file(&new, rows, self.embedder.map(|embedder| embedder.model()))?;
        match (record, moved) {
            (Some(_), _) => report.changed += 1,
            (None, Some(_)) => report.moved += 1,
            (None, None) => report.added += 1,
        }
        Ok(())
    }

    /// Records a failed read. A file excluded by a rule is removed from the index; one that cannot be read now keeps its known
    /// state.
    fn record_failure(
        &self,
        store: &mut dyn Writer,
        error: &ReadError,
        one: &PrefetchedNote,
        report: &mut Report,
    ) -> Result<(), StoreError> {
        match error {
            ReadError::Io { reason, .. } if reason.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            ReadError::Io { .. } => report.failed += 1,
            ReadError::TooLarge { .. } | ReadError::Binary { .. } | ReadError::Pdf { .. } => {
                report.skipped += 1;
                if let Some(record) = &one.record {
                    store.remove_files(&[record.id])?;
                }
                let rule = match error {
                    // Another limit may admit it.
                    ReadError::Pdf { reason: PdfRefusal::TooMuchText, .. } => too_large(self.options.max_file_size),
                    ReadError::Pdf { reason, .. } => format!("{PDF_RULE}{reason}"),
                    _ => too_large(self.options.max_file_size),
                };
                store.exclude_file(self.collection, &excluded_file(&one.walked, &rule))?;
            }
        }
        report.warn(error.to_string(), self.progress);
        Ok(())
    }
}

fn excluded_file(walked: &FoundNote, rule: &str) -> ExcludedFile {
    ExcludedFile { path: walked.path.clone(), stat: walked.stat, rule: rule.into(), noticed_at_ns: 0 }
}
