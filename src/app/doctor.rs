//! Whether what tars keeps is sound, and mending it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use serde::Serialize;

use super::{App, IndexRequest, Model};
use crate::disk::is_unfinished;
use crate::domain::Progress;
use crate::index::{IndexLock, Report};
use crate::store::{FlawPlace, SqliteStore, StoreError};

/// What is unfinished for so long was left over by a process that was killed.
const LEFT_OVER: Duration = Duration::from_secs(3600);
/// What names of other unfinished files begin with: earlier versions left some of them.
const UNFINISHED: [&str; 2] = [".index.codes.", ".tmp"];

/// The answer to `tars doctor`, and its JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Examination {
    /// Whether nothing is wrong.
    pub healthy: bool,
    /// The database.
    pub database: PathBuf,
    /// What is wrong; with `--repair` what is still wrong.
    pub problems: Vec<Problem>,
    /// What was mended, a line each.
    pub repaired: Vec<String>,
    /// Damaged indexes that were set aside; they can be deleted.
    pub set_aside: Vec<PathBuf>,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What it is about.
    pub kind: ProblemKind,
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong, in a line.
    pub detail: String,
}

/// What a problem is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// The database is damaged.
    Index,
    /// The file of vector codes is damaged; questions are answered more slowly.
    VectorFile,
    /// Others than the owner may read or write what tars keeps, or it belongs to somebody else.
    Permissions,
    /// A file was left over by a process that was killed.
    Leftover,
}

impl App {
    /// Looks at all that is kept in the data directory; nothing is changed.
    ///
    /// # Errors
    /// There is no index, or it is another program's or a newer tars'.
    pub fn examine(&self) -> Result<Examination> {
        let database = self.database();
        let mut problems = Vec::new();
        match SqliteStore::examine(&database) {
            Ok(flaws) => problems.extend(flaws.into_iter().map(|flaw| match flaw.place {
                FlawPlace::Database => Problem::new(ProblemKind::Index, &database, flaw.detail),
                FlawPlace::VectorFile => {
                    Problem::new(ProblemKind::VectorFile, &database.with_extension("codes"), flaw.detail)
                }
            })),
            // The next run converts it.
            Err(StoreError::Older { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let data = &self.settings.config.data.dir;
        problems.extend(permissions(data));
        problems.extend(leftovers(data));
        let set_aside = SqliteStore::aside(&database).unwrap_or_default();
        Ok(Examination { healthy: problems.is_empty(), database, problems, repaired: Vec::new(), set_aside })
    }

    /// Mends what [`App::examine`] finds: a damaged index is set aside and made anew, leftovers are deleted, and what only its
    /// owner should read is only read by its owner. The caller holds `lock`.
    ///
    /// # Errors
    /// As [`App::examine`] and [`App::index`]; or a file cannot be changed.
    pub fn repair(
        &self,
        lock: &IndexLock,
        load: impl FnOnce() -> Model,
        progress: &dyn Progress,
    ) -> Result<(Examination, Option<Report>)> {
        let found = self.examine()?;
        let (mut repaired, mut report) = (Vec::new(), None);
        if found.problems.iter().any(|problem| problem.kind == ProblemKind::Index) && self.is_damaged()? {
            let aside = SqliteStore::set_aside(&self.database())?;
            let mut made = self.index(lock, &IndexRequest::default(), &load(), progress)?;
            repaired.push(format!("the index is made anew; the damaged one is {}", aside.display()));
            made.set_aside = Some(aside);
            report = Some(made);
        }
        for problem in found.problems {
            let Problem { kind, path, .. } = &problem;
            match kind {
                ProblemKind::Index => continue,
                ProblemKind::VectorFile if report.is_some() => continue,
                ProblemKind::VectorFile | ProblemKind::Leftover => {
                    fs::remove_file(path)?;
                    repaired.push(format!("{} is deleted", path.display()));
                }
                ProblemKind::Permissions => match make_private(path) {
                    Ok(()) => repaired.push(format!("{} is its owner's alone", path.display())),
                    // It is somebody else's: that stays a problem.
                    Err(error) => tracing::debug!(%error, "{} cannot be changed", path.display()),
                },
            }
        }
        Ok((Examination { repaired, ..self.examine()? }, report))
    }
}

impl Problem {
    fn new(kind: ProblemKind, path: &Path, detail: impl Into<String>) -> Self {
        Self { kind, path: path.to_owned(), detail: detail.into() }
    }
}

/// Returns what lies in the data directory and others may read, or that belongs to another user.
#[cfg(unix)]
fn permissions(data: &Path) -> Vec<Problem> {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    let look = |path: &Path| -> Option<Problem> {
        let metadata = fs::symlink_metadata(path).ok().filter(|found| !found.is_symlink())?;
        let others = metadata.mode() & 0o077;
        let detail = match (metadata.uid() == user, others) {
            (false, _) => format!("belongs to user {}, not to {user}", metadata.uid()),
            (true, 0) => return None,
            (true, _) => format!("others may use it (mode {:03o})", metadata.mode() & 0o777),
        };
        Some(Problem::new(ProblemKind::Permissions, path, detail))
    };
    // Below a folder that nobody else may enter nothing else matters.
    let Some(folder) = look(data) else { return Vec::new() };
    let files = fs::read_dir(data).into_iter().flatten().flatten().map(|entry| entry.path());
    let of_index = files.filter(|path| path.is_file());
    std::iter::once(folder).chain(of_index.filter_map(|path| look(&path))).collect()
}

#[cfg(not(unix))]
fn permissions(_data: &Path) -> Vec<Problem> {
    Vec::new()
}

#[cfg(unix)]
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if path.is_dir() { 0o700 } else { 0o600 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn make_private(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Returns files that were begun long ago and never finished.
fn leftovers(data: &Path) -> Vec<Problem> {
    let folders = [data.to_owned(), data.join("spool")];
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let mut found: Vec<Problem> = entries
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let begun = is_unfinished(&name) || UNFINISHED.iter().any(|start| name.starts_with(start));
            let age = entry.metadata().ok().filter(fs::Metadata::is_file).and_then(|file| file.modified().ok());
            let is_old = |time| SystemTime::now().duration_since(time).is_ok_and(|age| age > LEFT_OVER);
            begun && age.is_some_and(is_old)
        })
        .map(|entry| Problem::new(ProblemKind::Leftover, &entry.path(), "was begun long ago and never finished"))
        .collect();
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}
