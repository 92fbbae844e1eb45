//! The staging folder where a model is assembled before it is installed.
//!
//! A hidden folder of the catalog, `.pull-*`. `new/` is the model being downloaded. `old/` is the replaced model, which exists only
//! during the swap. The working process holds `lock`; if nobody holds it, the process is gone, and the next pull cleans up.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::EmbedError;
use crate::manifest::Manifest;

const PREFIX: &str = ".pull-";
const LOCK_FILE: &str = "lock";
/// How often a folder is created again after another process removed it at once.
const ATTEMPTS: usize = 5;
/// A non-empty folder without a lock belongs to an earlier version, which may still be running; only an old one is removed.
const MIN_UNLOCKED_AGE: Duration = Duration::from_secs(3600);

/// The staging folder; dropping it removes the folder.
#[derive(Debug)]
pub(super) struct Staging {
    folder: TempDir,
    /// Whether to keep the folder because it holds the only copy of a model.
    keeps_old_model: bool,
    _lock: File,
}

impl Staging {
    /// Creates a folder in `catalog_dir`, and removes what killed pulls left there.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub(super) fn new(catalog_dir: &Path) -> Result<Self, EmbedError> {
        fs::create_dir_all(catalog_dir).map_err(EmbedError::io("create", catalog_dir))?;
        sweep(catalog_dir);
        let mut made = Self::make(catalog_dir);
        for _ in 1..ATTEMPTS {
            // Until this process holds the lock, another one may mistake the folder for an abandoned one.
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
        let staging = Self { folder, keeps_old_model: false, _lock: lock };
        // Only the owner can read a temporary folder; the model inside gets the default permissions.
        fs::create_dir(staging.new_model())?;
        Ok(staging)
    }

    /// Returns the folder of the model being downloaded.
    pub(super) fn new_model(&self) -> PathBuf {
        self.folder.path().join("new")
    }

    /// Moves the new model to `target`. If that fails, the replaced model is moved back.
    ///
    /// # Errors
    /// The system refuses a rename.
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
                // The next pull restores it.
                self.keeps_old_model = true;
                self.folder.disable_cleanup(true);
            }
            EmbedError::io("rename to", target)(error)
        })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.keeps_old_model {
            // The next pull removes what remains.
            let _ = remove(self.folder.path());
        }
    }
}

/// Removes a folder, its lock last: without a lock, the remains after a kill would look like somebody's work.
fn remove(folder: &Path) -> io::Result<()> {
    let [new, old] = ["new", "old"].map(|model| folder.join(model));
    unless_gone(fs::remove_dir_all(&new))?;
    // A kill during removal may leave part of the old model, which must not be mistaken for the only copy of one.
    unless_gone(fs::rename(old, &new))?;
    unless_gone(fs::remove_dir_all(&new))?;
    fs::remove_dir_all(folder)
}

fn unless_gone(done: io::Result<()>) -> io::Result<()> {
    done.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Removes the folders of dead processes. Restores a model that such a process had moved away.
fn sweep(catalog_dir: &Path) {
    for entry in fs::read_dir(catalog_dir).into_iter().flatten().flatten() {
        let folder = entry.path();
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        // The lock is held until the folder is gone, because its creator may be about to lock it.
        let Some(_lock) = claim(&folder) else { continue };
        if let Err(error) = put_back(&folder.join("old"), catalog_dir) {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "{} stays: it may hold the only copy of a model", folder.display());
            continue;
        }
        if let Err(error) = remove(&folder) {
            tracing::debug!(%error, folder = %folder.display(), "cannot remove an abandoned staging folder");
        }
    }
}

/// Moves the model in `old` back to its place, unless `old` does not exist or the place is taken.
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

/// Locks a folder and returns the lock; `None` if a process may be working there, or nothing is left to remove.
fn claim(folder: &Path) -> Option<File> {
    let path = folder.join(LOCK_FILE);
    let lock = match File::options().write(true).open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // An empty folder comes from a process that was killed right after creating it.
            if fs::remove_dir(folder).is_ok() {
                return None;
            }
            let age = fs::metadata(folder).and_then(|metadata| metadata.modified()).ok()?.elapsed().ok()?;
            if age < MIN_UNLOCKED_AGE {
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
    fn folders_of_killed_pulls_are_removed_and_active_ones_stay() {
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
        let long_ago = std::time::SystemTime::now() - 2 * MIN_UNLOCKED_AGE;
        File::open(catalog.path().join(".pull-early")).unwrap().set_modified(long_ago).unwrap();
        drop(Staging::new(catalog.path()).unwrap());
        assert!(!catalog.path().join(".pull-early").exists());
    }

    #[test]
    fn a_failed_install_keeps_the_old_model() {
        let catalog = tempfile::tempdir().unwrap();
        install(&catalog.path().join("small"), "small");
        let staging = Staging::new(catalog.path()).unwrap();
        fs::remove_dir(staging.new_model()).unwrap();
        assert!(staging.install(&catalog.path().join("small")).is_err());
        assert_eq!(names(catalog.path()), ["small"]);
    }

    #[test]
    fn a_model_moved_away_by_a_killed_pull_is_restored() {
        let catalog = tempfile::tempdir().unwrap();
        let left = catalog.path().join(".pull-dead");
        install(&left.join("old"), "small");
        fs::write(left.join(LOCK_FILE), "").unwrap();
        drop(Staging::new(catalog.path()).unwrap());
        assert_eq!(names(catalog.path()), ["small"]);
        // If the new model is installed, the old one is removed.
        install(&left.join("old"), "small");
        fs::write(left.join(LOCK_FILE), "").unwrap();
        fs::write(left.join("old/mark"), "").unwrap();
        drop(Staging::new(catalog.path()).unwrap());
        assert_eq!(names(catalog.path()), ["small"]);
        assert!(!catalog.path().join("small/mark").exists());
    }

    #[test]
    fn an_old_model_with_an_unreadable_manifest_is_kept() {
        let catalog = tempfile::tempdir().unwrap();
        let left = catalog.path().join(".pull-dead");
        install(&left.join("old"), "small");
        fs::write(left.join("old/manifest.toml"), "torn").unwrap();
        fs::write(left.join(LOCK_FILE), "").unwrap();
        drop(Staging::new(catalog.path()).unwrap());
        assert_eq!(names(catalog.path()), [".pull-dead"]);
        assert!(left.join("old/manifest.toml").exists());
        // The model is restored once its manifest is readable.
        fs::remove_dir_all(left.join("old")).unwrap();
        install(&left.join("old"), "small");
        drop(Staging::new(catalog.path()).unwrap());
        assert_eq!(names(catalog.path()), ["small"]);
    }

    #[test]
    fn a_folder_that_is_being_removed_cannot_be_locked_by_its_creator() {
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
