//! Where a model is put together before it is installed.
//!
//! A hidden folder of the catalog, `.pull-*`: `new/` is the model that is being fetched, `old/` the one whose place it takes,
//! for the moment in between. `lock` is held by the process that is at work; where nobody holds it, the process is gone, and
//! the next pull clears up after it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::embed::EmbedError;
use crate::embed::manifest::Manifest;

const PREFIX: &str = ".pull-";
const LOCK_FILE: &str = "lock";
/// How often a folder is made again that another process removed right away.
const ATTEMPTS: usize = 5;
/// A folder without a lock that holds something is one of an earlier version, which may be at work.
const YOUNG: Duration = Duration::from_secs(3600);

/// The folder; it goes when it is dropped.
#[derive(Debug)]
pub(super) struct Staging {
    folder: TempDir,
    /// Whether the folder stays, with the only copy of a model.
    holds_the_old: bool,
    _lock: File,
}

impl Staging {
    /// Makes a folder in `catalog_dir`, and clears up what pulls that were killed left there.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub(super) fn new(catalog_dir: &Path) -> Result<Self, EmbedError> {
        fs::create_dir_all(catalog_dir).map_err(EmbedError::io("create", catalog_dir))?;
        sweep(catalog_dir);
        let mut made = Self::make(catalog_dir);
        for _ in 1..ATTEMPTS {
            // Until the lock is held, another process may take the folder for one that was left.
            if !made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
                break;
            }
            made = Self::make(catalog_dir);
        }
        made.map_err(EmbedError::io("create a folder in", catalog_dir))
    }

    fn make(catalog_dir: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(catalog_dir)?;
        let lock = File::create_new(folder.path().join(LOCK_FILE))?;
        lock.lock()?;
        let staging = Self { folder, holds_the_old: false, _lock: lock };
        // The temporary folder is its maker's alone; the model within gets the rights of any other folder.
        fs::create_dir(staging.new_model())?;
        Ok(staging)
    }

    /// Returns the folder of the model that is being fetched.
    pub(super) fn new_model(&self) -> PathBuf {
        self.folder.path().join("new")
    }

    /// Puts the new model into `target`. The one that stood there comes back if that fails.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn install(mut self, target: &Path) -> Result<(), EmbedError> {
        let old = self.folder.path().join("old");
        match fs::rename(target, &old) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(EmbedError::io("replace", target)(error)),
        }
        fs::rename(self.new_model(), target).map_err(|error| {
            let _ = fs::rename(&old, target);
            if old.exists() {
                // The next pull puts it back.
                self.holds_the_old = true;
                self.folder.disable_cleanup(true);
            }
            EmbedError::io("rename to", target)(error)
        })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.holds_the_old {
            // What stays goes with the next pull.
            let _ = remove(self.folder.path());
        }
    }
}

/// Removes a folder, its lock last: without one, what a killed process left of it would be taken for somebody's work.
fn remove(folder: &Path) -> io::Result<()> {
    let [new, old] = ["new", "old"].map(|model| folder.join(model));
    unless_gone(fs::remove_dir_all(&new))?;
    // A kill may leave a part of the old model, which must not be taken for the only copy of one.
    unless_gone(fs::rename(old, &new))?;
    unless_gone(fs::remove_dir_all(&new))?;
    fs::remove_dir_all(folder)
}

fn unless_gone(done: io::Result<()>) -> io::Result<()> {
    done.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Removes the folders of processes that are gone. A model that one of them had taken out of its place is put back.
fn sweep(catalog_dir: &Path) {
    for entry in fs::read_dir(catalog_dir).into_iter().flatten().flatten() {
        let folder = entry.path();
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        // Held until the folder is gone: its maker may be about to lock it.
        let Some(_lock) = claim(&folder) else { continue };
        if let Err(error) = put_back(&folder.join("old"), catalog_dir) {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "{} stays: it may hold the only copy of a model", folder.display());
            continue;
        }
        if let Err(error) = remove(&folder) {
            tracing::debug!(%error, folder = %folder.display(), "what a pull left stays");
        }
    }
}

/// Gives the model in `old` its place again, unless there is none or another one stands there.
fn put_back(old: &Path, catalog_dir: &Path) -> Result<(), EmbedError> {
    if !old.try_exists().map_err(EmbedError::io("look for", old))? {
        return Ok(());
    }
    let target = catalog_dir.join(Manifest::read(old)?.id);
    if target.try_exists().map_err(EmbedError::io("look for", &target))? {
        return Ok(());
    }
    fs::rename(old, &target).map_err(EmbedError::io("rename to", &target))
}

/// Returns the lock of a folder, held; `None` if a process may be at work there, or there is nothing left to remove.
fn claim(folder: &Path) -> Option<File> {
    let path = folder.join(LOCK_FILE);
    let lock = match File::options().write(true).open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // One that is empty was made by a process that was killed right then.
            if fs::remove_dir(folder).is_ok() {
                return None;
            }
            let age = fs::metadata(folder).and_then(|metadata| metadata.modified()).ok()?.elapsed().ok()?;
            if age < YOUNG {
                return None;
            }
            File::create_new(&path)
        }
        opened => opened,
    };
    lock.ok().filter(|lock| lock.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::super::verify::tests::install;
    use super::*;

    fn names(catalog: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(catalog).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_killed_pulls_left_goes_and_what_is_at_work_stays() {
        let catalog = tempfile::tempdir().unwrap();
        let working = Staging::new(catalog.path()).unwrap();
        for (name, locked) in [(".pull-dead", true), (".pull-early", false)] {
            fs::create_dir_all(catalog.path().join(name).join("new")).unwrap();
            fs::write(catalog.path().join(name).join("new/model.onnx"), "half").unwrap();
            if locked {
                fs::write(catalog.path().join(name).join(LOCK_FILE), "").unwrap();
            }
        }
        drop(Staging::new(catalog.path()).unwrap());
        assert_eq!(names(catalog.path()).len(), 2, "{:?}", names(catalog.path()));
        assert!(working.new_model().exists());
        assert!(catalog.path().join(".pull-early").exists(), "one without a lock may be an earlier version's, at work");
        let long_ago = std::time::SystemTime::now() - 2 * YOUNG;
        File::open(catalog.path().join(".pull-early")).unwrap().set_modified(long_ago).unwrap();
        drop(Staging::new(catalog.path()).unwrap());
        assert!(!catalog.path().join(".pull-early").exists());
    }

    #[test]
    fn a_model_that_cannot_be_put_in_its_place_leaves_the_old_one_there() {
        let catalog = tempfile::tempdir().unwrap();
        install(&catalog.path().join("small"), "small");
        let staging = Staging::new(catalog.path()).unwrap();
        fs::remove_dir(staging.new_model()).unwrap();
        assert!(staging.install(&catalog.path().join("small")).is_err());
        assert_eq!(names(catalog.path()), ["small"]);
    }

    #[test]
    fn a_model_that_was_out_of_its_place_comes_back() {
        let catalog = tempfile::tempdir().unwrap();
        let left = catalog.path().join(".pull-dead");
        install(&left.join("old"), "small");
        fs::write(left.join(LOCK_FILE), "").unwrap();
        drop(Staging::new(catalog.path()).unwrap());
        assert_eq!(names(catalog.path()), ["small"]);
        // Where the new one is installed, the old one goes.
        install(&left.join("old"), "small");
        fs::write(left.join(LOCK_FILE), "").unwrap();
        fs::write(left.join("old/mark"), "").unwrap();
        drop(Staging::new(catalog.path()).unwrap());
        assert_eq!(names(catalog.path()), ["small"]);
        assert!(!catalog.path().join("small/mark").exists());
    }

    #[test]
    fn an_old_model_whose_manifest_cannot_be_read_is_kept() {
        let catalog = tempfile::tempdir().unwrap();
        let left = catalog.path().join(".pull-dead");
        install(&left.join("old"), "small");
        fs::write(left.join("old/manifest.toml"), "torn").unwrap();
        fs::write(left.join(LOCK_FILE), "").unwrap();
        drop(Staging::new(catalog.path()).unwrap());
        assert_eq!(names(catalog.path()), [".pull-dead"]);
        assert!(left.join("old/manifest.toml").exists());
        // It comes back when it can be read again.
        fs::remove_dir_all(left.join("old")).unwrap();
        install(&left.join("old"), "small");
        drop(Staging::new(catalog.path()).unwrap());
        assert_eq!(names(catalog.path()), ["small"]);
    }

    #[test]
    fn a_folder_that_is_being_removed_is_not_locked_by_its_maker() {
        let catalog = tempfile::tempdir().unwrap();
        let left = catalog.path().join(".pull-dead");
        fs::create_dir(&left).unwrap();
        let made = File::create(left.join(LOCK_FILE)).unwrap();
        let claimed = claim(&left).unwrap();
        assert!(made.try_lock().is_err(), "its maker waits until the folder is gone, and makes another");
        assert!(claim(&left).is_none(), "one process removes it");
        drop(claimed);
    }
}
