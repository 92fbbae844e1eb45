//! A copy of the index with hidden names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::note::read_notes;
use super::sample::{Sample, sample};
use super::{Kind, Name, SampleOptions, SourceNote, names};
use crate::evaluation::Question;
use crate::evaluation::ask::unavailable_reason;
use crate::{App, Context, ENGINE, IndexScope, Model, Result, VAULT, bail};
use tars_base::domain::{Progress, QuerySyntax, pluralize};
use tars_config::CollectionSettings;
use tars_engine::index::IndexLock;
use tars_rank::metrics::Place;
use tars_store::{Index, Maintenance};

/// Why no questions can be made from the notes.
#[derive(Debug, thiserror::Error)]
pub enum SelfQuestionsError {
    /// There are too few notes.
    #[error("too few notes: questions need at least two unchanged notes, and the index holds {notes}")]
    TooFew {
        /// Number of indexed notes that are unchanged since.
        notes: usize,
    },
    /// No name is usable as a question.
    #[error(
        "no question can be made of these notes: none has a unique heading, title or alias with a few lines of text, and no \
         link names one"
    )]
    Nameless,
}

impl SelfQuestionsError {
    /// Returns a suggestion for the next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::TooFew { .. } => "tars index, if there are more",
            Self::Nameless => "tars eval QUERIES.jsonl, with questions of your own",
        }
    }
}

/// Source of the questions.
#[derive(Clone, Copy)]
pub struct SelfQuestionsSource<'a> {
    /// The settings.
    pub app: &'a App,
    /// The index of `app`, which stays unchanged.
    pub store: &'a dyn Maintenance,
    /// The model that embeds the notes with hidden names.
    pub model: &'a Model,
}

/// Questions derived from notes, and the index to ask. Dropping this deletes the index.
pub struct SelfQuestions {
    /// The questions; never empty.
    pub questions: Vec<Question>,
    /// The settings, pointing to the copy.
    pub app: App,
    /// The copy, with hidden names.
    pub store: Index,
    /// Number of notes that changed after indexing and were skipped.
    pub changed: usize,
    /// Folder of the copy.
    pub folder: TempDir,
}

impl SelfQuestions {
    /// Samples names of the indexed notes and hides them in a copy of the index. Returns `None` if interrupted.
    ///
    /// # Errors
    /// No questions can be made ([`SelfQuestionsError`]), or the copy fails.
    pub fn make(
        source: SelfQuestionsSource<'_>,
        options: SampleOptions,
        progress: &dyn Progress,
    ) -> Result<Option<Self>> {
        Self::of(source, options, progress, false)
    }

    /// Does the same in an index of its own, which `source.model` makes of all notes: their cut depends on it too. The settings of
    /// `source.app` select the model, and `source.store` only names the notes. The same options give every model the same questions.
    ///
    /// # Errors
    /// As [`SelfQuestions::make`].
    pub fn make_with_own_index(
        source: SelfQuestionsSource<'_>,
        options: SampleOptions,
        progress: &dyn Progress,
    ) -> Result<Option<Self>> {
        Self::of(source, options, progress, true)
    }

    fn of(
        source: SelfQuestionsSource<'_>,
        options: SampleOptions,
        progress: &dyn Progress,
        own_index: bool,
    ) -> Result<Option<Self>> {
        let SelfQuestionsSource { app, store, model } = source;
        let (notes, changed) = read_notes(app, &*store.snapshot()?)?;
        let sample = hideable(&notes, options)?;
        let folder = private_folder()?;
        let mut copy = Copy::of(app, (!own_index).then_some(store), folder.path())?;
        for number in (0..notes.len()).filter(|number| own_index || sample.masks.contains_key(number)) {
            copy.put_hidden(&notes, &sample, number)?;
        }
        let questions = questions(&notes, &sample);
        // A model other than that of a copied index would replace all vectors.
        let replaces = !own_index && unavailable_reason(&*store.snapshot()?, model)?.is_some();
        let model = if replaces { &Model::Off } else { model };
        let Some((app, store)) = copy.indexed(model, progress)? else { return Ok(None) };
        Ok(Some(Self { questions, app, store, changed, folder }))
    }
}

/// Returns the names to ask for.
fn hideable(notes: &[SourceNote], options: SampleOptions) -> Result<Sample> {
    if notes.len() < 2 {
        return Err(SelfQuestionsError::TooFew { notes: notes.len() }.into());
    }
    let sample = sample(notes, names(notes), options);
    match sample.names.is_empty() {
        true => Err(SelfQuestionsError::Nameless.into()),
        false => Ok(sample),
    }
}

/// Returns a folder that only its owner can read, because it holds the contents of the notes.
fn private_folder() -> Result<TempDir> {
    tempfile::Builder::new().prefix("tars-eval-").tempdir().context("cannot make a temporary folder")
}

/// A copy of the index, and notes that replace others in it.
struct Copy {
    app: App,
    folder: PathBuf,
    store: Index,
    roots: BTreeMap<String, PathBuf>,
    paths: Vec<PathBuf>,
    /// Whether the index started empty, so that all notes are among the replacements.
    is_whole: bool,
}

impl Copy {
    /// Returns a copy of `store`, or an empty index.
    fn of(app: &App, store: Option<&dyn Maintenance>, folder: &Path) -> Result<Self> {
        // Roots are compared by their real paths, and the temporary folder is often a link.
        let folder = fs::canonicalize(folder)?;
        let mut app = App::of(app.environment.clone(), app.settings.clone());
        app.settings.config.data.dir = folder.join("data");
        let place = app.data_dir()?.join("index.db");
        let is_whole = store.is_none();
        let store = match store {
            Some(store) => {
                store.copy_to(&place)?;
                app.open_index()?
            }
            None => {
                // A folder without a note to copy would be indexed where it is.
                let config = &mut app.settings.config;
                config.collections.clear();
                (config.vault.path, config.index.client_memory) = (None, false);
                ENGINE.open(&place)?
            }
        };
        Ok(Self { app, folder, store, roots: BTreeMap::new(), paths: Vec::new(), is_whole })
    }

    /// Writes the note of this number, with the names hidden that the sample hides.
    fn put_hidden(&mut self, notes: &[SourceNote], sample: &Sample, number: usize) -> Result<()> {
        let note = &notes[number];
        let Some(mask) = sample.masks.get(&number) else { return self.put(note, &note.path, &note.document.source) };
        let text = mask.apply(note).expect("a name that cannot be hidden is not chosen");
        self.put(note, mask.path.as_deref().unwrap_or(&note.path), &text)
    }

    /// Writes `text` to `path` as the replacement of a note.
    fn put(&mut self, note: &SourceNote, path: &str, text: &str) -> Result<()> {
        let root = match self.roots.get(&note.collection) {
            Some(root) => root.clone(),
            None => self.new_root(&note.collection)?,
        };
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&root))?;
        fs::write(&file, text)?;
        // Indexing the former path as well removes the original note from the index.
        self.paths.extend([file, root.join(&note.path)]);
        Ok(())
    }

    /// Creates a folder that replaces a collection's root.
    fn new_root(&mut self, collection: &str) -> Result<PathBuf> {
        let root = self.folder.join("notes").join(self.roots.len().to_string());
        fs::create_dir_all(&root)?;
        self.store.ensure_collection(collection, &root.to_string_lossy())?;
        let config = &mut self.app.settings.config;
        match collection {
            VAULT => config.vault.path = Some(root.clone()),
            _ => {
                let new = || CollectionSettings::of(&root);
                config.collections.entry(collection.to_owned()).or_insert_with(new).path.clone_from(&root);
            }
        }
        self.roots.insert(collection.to_owned(), root.clone());
        Ok(root)
    }

    /// Indexes the replaced notes and returns the index; `None` if interrupted.
    fn indexed(self, model: &Model, progress: &dyn Progress) -> Result<Option<(App, Index)>> {
        let Self { app, store, paths, is_whole, .. } = self;
        if !paths.is_empty() {
            let lock = IndexLock::try_acquire(&app.settings.config.data.dir)?;
            let lock = lock.context("another process has locked the temporary folder")?;
            // Thousands of single paths would take longer than all of them at once.
            let paths = if is_whole { Vec::new() } else { paths };
            let report = app.index(&lock, &IndexScope { paths, ..IndexScope::default() }, model, progress)?;
            if report.failed > 0 {
                bail!("{} could not be indexed without their names", pluralize(report.failed, "note"));
            }
            if report.interrupted {
                return Ok(None);
            }
        }
        Ok(Some((app, store)))
    }
}

fn questions(notes: &[SourceNote], sample: &Sample) -> Vec<Question> {
    let place = |number: usize, start_line: usize, end_line: usize| {
        let note = &notes[number];
        let hidden = sample.masks.get(&number).and_then(|mask| mask.path.clone());
        let path = hidden.unwrap_or_else(|| note.path.clone());
        Place { collection: Some(note.collection.clone()), path, start_line, end_line }
    };
    let question = |name: &Name| {
        let note = &notes[name.note];
        let relevant = match name.kind {
            Kind::Heading => {
                let heading = &note.document.headings[name.heading];
                place(name.note, heading.line, note.section_end(name.heading))
            }
            Kind::Title | Kind::Alias | Kind::Link => place(name.note, 1, usize::MAX),
        };
        Question {
            id: format!("{} {}/{}: {}", name.kind.as_str(), note.collection, note.path, name.text),
            text: name.text.clone(),
            language: QuerySyntax::Prose,
            category: Some(name.kind.as_str().into()),
            relevant: vec![relevant],
            ignored: name.places.iter().map(|(source, line)| place(*source, *line, *line)).collect(),
        }
    };
    sample.names.iter().map(question).collect()
}
