//! Vectors as two bits a value in a file beside the database, so that the nearest are found without reading all vectors.
//!
//! From a code the similarity with a question is estimated, and how far the estimate is likely to be off (see `code`). All
//! vectors are kept whose estimate leaves open that they are among the nearest; so few are left that the database can be
//! asked for each of them, and they are compared exactly. What is likely is not certain: of the ten nearest that comparing
//! all rows finds, all were found in measurements, of the forty nearest 0.9998 (see `scan`).
//!
//! The file never changes: a new one takes its place by a rename, whole or not at all, so that no reader sees half of one
//! and none waits. It says of which state of the vectors it is: the number of a change in the table `vector_changes` and
//! that change's nonce. A reader believes it if its own snapshot of the database holds that very change, and looks itself
//! at the vectors that changed later. So the file may lag behind, and the one of another database, or of a database that
//! went back to an older copy, is told by its nonce. Without a file that can be believed all vectors are compared.
//!
//! The file's layout is described in `format`, when it is written in `build`.

mod build;
mod code;
mod dot;
mod file;
mod format;
#[cfg(test)]
mod fuzz;
mod rotation;
mod scan;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};

use crate::store::{CodesState, StoreError};
pub(super) use build::{refresh, tolerated};
use file::{CodeFile, Identity};
use scan::Admitted;

/// The file of codes beside a database, opened when it is first needed and again when another has taken its place.
#[derive(Debug)]
pub(super) struct Codes {
    path: PathBuf,
    opened: RefCell<Option<Opened>>,
}

/// A file that was looked at, and its codes if they can be believed.
#[derive(Debug)]
struct Opened {
    identity: Identity,
    file: Option<Arc<CodeFile>>,
}

/// What is sought among the codes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sought<'a> {
    /// The question.
    pub(super) vector: &'a [f32],
    /// The model that made it.
    pub(super) model: &'a str,
    /// How many nearest vectors are wanted.
    pub(super) count: usize,
}

impl Codes {
    /// Codes of the database at `database`.
    pub(super) fn beside(database: &Path) -> Self {
        Self { path: database.with_extension("codes"), opened: RefCell::new(None) }
    }

    /// No codes, for a database that is no file.
    pub(super) fn none() -> Self {
        Self { path: PathBuf::new(), opened: RefCell::new(None) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the rows of the vectors that may be among the nearest, ascending; `None` where there are no codes to believe.
    /// `among` holds the rows to choose from, ascending.
    pub(super) fn nearest(
        &self,
        connection: &Connection,
        sought: Sought<'_>,
        among: Option<&[i64]>,
    ) -> Result<Option<Vec<i64>>, StoreError> {
        let Some(file) = self.believed(connection, sought.model)? else { return Ok(None) };
        if file.dimensions() != sought.vector.len() {
            return Ok(None);
        }
        let changed = changed(connection, &file)?;
        let admitted = match among {
            None => Admitted::all_but(&file, changed.iter().filter_map(|id| file.slot(*id))),
            Some(rows) => {
                let still = rows.iter().filter(|row| changed.binary_search(row).is_err());
                Admitted::only(&file, still.filter_map(|row| file.slot(*row)))
            }
        };
        let mut found = scan::nearest(&file, sought.vector, &admitted, sought.count);
        found.extend(changed.iter().filter(|id| among.is_none_or(|rows| rows.binary_search(id).is_ok())));
        found.sort_unstable();
        Ok(Some(found))
    }

    /// Returns how the file stands to what the connection sees; `None` where there is no file to believe.
    pub(super) fn state(&self, connection: &Connection, model: &str) -> Result<Option<CodesState>, StoreError> {
        let Some(file) = self.believed(connection, model)? else { return Ok(None) };
        let changed = changed(connection, &file)?.len();
        Ok(Some(CodesState { vectors: file.len(), changed, bytes: file.bytes() }))
    }

    /// Returns the file if it is of this model and the snapshot holds the change that it was made after.
    fn believed(&self, connection: &Connection, model: &str) -> Result<Option<Arc<CodeFile>>, StoreError> {
        let Some(file) = self.file().filter(|file| file.is_of(model)) else { return Ok(None) };
        let sql = "SELECT nonce FROM vector_changes WHERE number = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let nonce: Option<i64> = statement.query_row([file.state().number], |row| row.get(0)).optional()?;
        Ok((nonce == Some(file.state().nonce)).then_some(file))
    }

    /// Reads all of the file. One that is missing is made with the next vectors.
    ///
    /// # Errors
    /// It is damaged or cannot be read.
    pub(super) fn verify(&self) -> std::io::Result<()> {
        match CodeFile::open(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn file(&self) -> Option<Arc<CodeFile>> {
        let identity = Identity::of(&self.path)?;
        let mut opened = self.opened.borrow_mut();
        if opened.as_ref().is_none_or(|known| known.identity != identity) {
            let file = CodeFile::open(&self.path);
            if let Err(error) = &file {
                tracing::debug!(%error, "the file of vector codes is not used");
            }
            *opened = Some(Opened { identity, file: file.ok().map(Arc::new) });
        }
        opened.as_ref()?.file.clone()
    }
}

/// Returns the rows of the vectors that changed after the file was made, ascending: nothing that it says of them counts.
fn changed(connection: &Connection, file: &CodeFile) -> Result<Vec<i64>, StoreError> {
    let sql = "SELECT DISTINCT vector_id FROM vector_changes WHERE number > ?1 ORDER BY vector_id";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([file.state().number], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
