//! The notes of the searched collections, and the ways to name one.

use tars_store::{Collection, FileId, FileRecord, Reader, StoreError};
use tars_text::names::{NoteNames, Reading, link_readings, typed_readings};

/// The notes of some collections.
pub(super) struct KnownNotes {
    collections: Vec<Collection>,
    /// Each with the index of its collection.
    files: Vec<(usize, FileRecord)>,
}

impl KnownNotes {
    /// Reads the notes of those collections that are among `wanted` (an empty list admits all).
    pub(super) fn read(reader: &dyn Reader, wanted: &[String]) -> Result<Self, StoreError> {
        let mut collections = reader.collections()?;
        collections.retain(|collection| is_searched(wanted, &collection.name));
        let mut files = Vec::new();
        for (index, collection) in collections.iter().enumerate() {
            files.extend(reader.files(collection.id)?.into_iter().map(|file| (index, file)));
        }
        Ok(Self { collections, files })
    }

    /// Returns the names of the notes. The position of a note there is its index here.
    pub(super) fn names(&self) -> KnownNames<'_> {
        KnownNames { names: NoteNames::of(self.files.iter().map(|(_, file)| file.path.as_str())), notes: self }
    }

    /// Returns the index of the note at `path` of a collection.
    pub(super) fn position(&self, collection: &str, path: &str) -> Option<usize> {
        self.files.iter().position(|(index, file)| self.collections[*index].name == collection && file.path == path)
    }

    /// Returns the id of a note.
    pub(super) fn file(&self, index: usize) -> FileId {
        self.files[index].1.id
    }

    /// Returns the collection of a note.
    pub(super) fn collection(&self, index: usize) -> &Collection {
        &self.collections[self.files[index].0]
    }

    /// Returns the searched collections.
    pub(super) fn collections(&self) -> &[Collection] {
        &self.collections
    }

    /// Returns the collection and path of a note.
    pub(super) fn place(&self, index: usize) -> (&str, &str) {
        let (collection, file) = &self.files[index];
        (&self.collections[*collection].name, &file.path)
    }

    /// Returns a note for display.
    pub(super) fn shown(&self, index: usize) -> String {
        let (collection, path) = self.place(index);
        format!("{path} ({collection})")
    }

    /// Returns the number of notes.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns the collection and path of all notes.
    pub(super) fn paths(self) -> Vec<(String, String)> {
        let place = |(index, file): (usize, FileRecord)| (self.collections[index].name.clone(), file.path);
        self.files.into_iter().map(place).collect()
    }
}

/// The names of known notes.
pub(super) struct KnownNames<'n> {
    names: NoteNames<'n>,
    notes: &'n KnownNotes,
}

impl KnownNames<'_> {
    /// Returns the notes that a typed name means: several if it is ambiguous. An absolute path names a note below its root.
    pub(super) fn typed(&self, name: &str) -> Vec<usize> {
        for (index, collection) in self.notes.collections.iter().enumerate() {
            let inside = name.strip_prefix(&collection.root).and_then(|rest| rest.strip_prefix('/'));
            if let Some(inside) = inside {
                let mut exact = typed_readings(inside);
                exact.retain(|reading| reading.path().is_some());
                let found = self.names.find(&exact, |note| self.notes.files[note].0 == index);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        self.names.find(&typed_readings(name), |_| true)
    }

    /// Returns the only note that a link in the note `source` means.
    pub(super) fn linked(&self, source: usize, target: &str) -> Option<usize> {
        match self.all_linked(source, target)[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the notes that a link in the note `source` may mean: several if it is ambiguous. Notes of the same collection come first,
    /// and only a name without a place leads to another collection.
    pub(super) fn all_linked(&self, source: usize, target: &str) -> Vec<usize> {
        let (collection, file) = &self.notes.files[source];
        let readings = link_readings(&file.path, target);
        let own = self.names.find(&readings, |note| self.notes.files[note].0 == *collection);
        match own.is_empty() {
            true => {
                let names: Vec<Reading> = readings.into_iter().filter(|reading| reading.path().is_none()).collect();
                self.names.find(&names, |_| true)
            }
            false => own,
        }
    }
}

/// Whether the collection `name` is among `collections` (an empty list admits all).
pub(super) fn is_searched(collections: &[String], name: &str) -> bool {
    collections.is_empty() || collections.iter().any(|one| one == name)
}
