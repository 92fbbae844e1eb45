//! Where turns wait while the data directory is not writable: a full disk, or a read-only one.
//!
//! The fallback is a private folder below the session's runtime directory, else below the temporary directory. Each data directory has
//! its own. A reboot may delete it, so the next process that can moves its files on.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tars_service::{Result, failure};

use tars_base::{data_files, private};

/// File name prefix of the marker that a session has been notified.
pub(super) const NOTIFIED_PREFIX: &str = "told-";

/// The candidate folders, best first.
#[derive(Debug)]
pub(super) struct Fallback {
    folders: Vec<PathBuf>,
}

impl Fallback {
    /// Returns the fallback for the data directory `data`.
    pub(super) fn new(data: &Path, runtime_dir: Option<&Path>) -> Self {
        let runtime = runtime_dir.filter(|dir| dir.is_absolute()).map(private::runtime_folder);
        let key = private::short_hash(data.as_os_str().as_encoded_bytes());
        let inside = |folder: PathBuf| folder.join(format!("spool-{key}"));
        Self { folders: runtime.into_iter().chain([private::temporary_folder()]).map(inside).collect() }
    }

    /// Returns the first usable folder, and creates it if needed.
    ///
    /// # Errors
    /// No folder can be used.
    pub(super) fn folder(&self) -> Result<&Path> {
        let mut last = None;
        for folder in &self.folders {
            match make(folder) {
                Ok(()) => return Ok(folder),
                Err(error) => last = Some(tars_service::Error::from(error).context(folder.display().to_string())),
            }
        }
        Err(last.unwrap_or_else(|| failure!("there is no temporary directory")))
    }

    /// Returns the existing folders that belong to this user alone.
    pub(super) fn existing(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path).filter(|folder| is_own(folder))
    }

    /// Returns whether the session is unnotified so far, and marks it as notified. If the marker cannot be written, the session is
    /// notified each time.
    pub(super) fn mark_notified(&self, session: &str) -> bool {
        let Ok(folder) = self.folder() else { return true };
        let name = format!("{NOTIFIED_PREFIX}{}", private::short_hash(session.as_bytes()));
        data_files::mark(folder, &name).unwrap_or(true)
    }
}

/// Fails unless the data directory `data` is writable; creates it if missing.
pub(super) fn check_room(data: &Path) -> io::Result<()> {
    private::create_folder(data)?;
    // Where the system allows, the file has no name, so it leaves nothing behind.
    tempfile::tempfile_in(data)?.write_all(&[b'\n'; 4 << 10])
}

fn make(folder: &Path) -> io::Result<()> {
    let around = folder.parent().unwrap_or(folder);
    private::create_folder(around)?;
    private::check_folder(around)?;
    private::create_folder(folder)?;
    private::check_folder(folder)
}

fn is_own(folder: &Path) -> bool {
    [folder.parent(), Some(folder)].into_iter().flatten().all(|folder| private::check_folder(folder).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_others_can_write_are_skipped() {
        use std::os::unix::fs::PermissionsExt;
        let runtime = tempfile::tempdir().unwrap();
        let fallback = Fallback::new(Path::new("/data"), Some(runtime.path()));
        assert!(fallback.folder().unwrap().starts_with(runtime.path()));
        std::fs::set_permissions(runtime.path().join("tars"), PermissionsExt::from_mode(0o777)).unwrap();
        assert!(!fallback.existing().any(|folder| folder.starts_with(runtime.path())));
        assert!(!fallback.folders[0].starts_with("/data") && fallback.folders.len() == 2);
    }

    #[test]
    fn a_session_is_notified_once() {
        let runtime = tempfile::tempdir().unwrap();
        let fallback = Fallback::new(Path::new("/data"), Some(runtime.path()));
        assert_eq!(
            ["../a", "../a", "b", "../a"].map(|session| fallback.mark_notified(session)),
            [true, false, true, false]
        );
    }

    #[test]
    fn an_unwritable_data_directory_is_detected() {
        let home = tempfile::tempdir().unwrap();
        check_room(&home.path().join("new")).unwrap();
        assert!(std::fs::read_dir(home.path().join("new")).unwrap().next().is_none());
        std::fs::write(home.path().join("file"), "").unwrap();
        assert!(check_room(&home.path().join("file/data")).is_err());
    }
}
