//! The folder of tars' plugin in a vault of Obsidian: the one place in a vault outside the memory folder that tars writes to, and only
//! when a person runs `tars obsidian`.
//!
//! The folder is `.obsidian/plugins/tars`. As in the memory folder, every access descends from the vault's descriptor and follows no
//! link. This module neither reads nor writes Obsidian's own files, such as the list of enabled plugins.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::WriteError;
use super::folder::{descend, make};
use super::place::Place;
use tars_base::disk::{Folder, create_atomic};

/// The folder that Obsidian creates in a vault.
const SETTINGS: &str = ".obsidian";
/// The folders below it, the outer one first.
const FOLDERS: [&str; 2] = ["plugins", "tars"];
/// Mode of the plugin's files: a sync program of the vault may run as another user.
const MODE: u32 = 0o644;

/// The plugin's folder in one vault. It need not exist.
#[derive(Debug)]
pub struct PluginFolder {
    /// The open folder of Obsidian's settings.
    settings: Folder,
}

impl PluginFolder {
    /// Returns the plugin's folder in the vault at `vault`, which Obsidian has opened before.
    ///
    /// # Errors
    /// The vault cannot be opened, has no folder `.obsidian`, or that folder is a link.
    pub fn of(vault: &Path) -> Result<Self, WriteError> {
        let failed = |source| WriteError::Io { path: vault.to_owned(), action: "open", source };
        let root = Folder::open(&fs::canonicalize(vault).map_err(failed)?).map_err(failed)?;
        match root.open_folder(SETTINGS) {
            Ok(settings) => Ok(Self { settings }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(WriteError::NotObsidian { path: root.path().to_owned() })
            }
            Err(error) => Err(of_plugin(WriteError::at(&root, SETTINGS, "open", error))),
        }
    }

    /// Returns the folder's path, with the links above the vault resolved.
    pub fn path(&self) -> PathBuf {
        FOLDERS.iter().fold(self.settings.path().to_owned(), |path, name| path.join(name))
    }

    /// Reads the file `name`; `None` if it does not exist.
    ///
    /// # Errors
    /// It cannot be read, or a link lies at its place or above it.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, WriteError> {
        self.existing(name)?.map_or(Ok(None), |place| place.read()).map_err(of_plugin)
    }

    /// Creates the file `name` with all of `content`, and the folders above it. An existing file is an error.
    ///
    /// # Errors
    /// The name is taken, a link lies in the way, or the system refuses.
    pub fn create(&self, name: &str, content: &[u8]) -> Result<(), WriteError> {
        let folder = make(self.settings()?, &FOLDERS).map_err(of_plugin)?;
        create_atomic(&folder, name, content, MODE)
            .map_err(|error| of_plugin(WriteError::at(&folder, name, "create", error)))
    }

    /// Removes the file `name` if `is_own` says so about its content. Returns whether it did.
    ///
    /// # Errors
    /// As [`PluginFolder::read`], or the system refuses.
    pub fn remove_if(&self, name: &str, is_own: &dyn Fn(&[u8]) -> bool) -> Result<bool, WriteError> {
        self.existing(name)?.map_or(Ok(false), |place| place.remove_if(is_own)).map_err(of_plugin)
    }

    /// Returns the paths of the missing folders above the plugin's files, which [`PluginFolder::create`] would make.
    ///
    /// # Errors
    /// As [`PluginFolder::read`].
    pub fn missing_folders(&self) -> Result<Vec<PathBuf>, WriteError> {
        let mut missing = Vec::new();
        for depth in 1..=FOLDERS.len() {
            if descend(self.settings()?, &FOLDERS[..depth]).map_err(of_plugin)?.is_none() {
                missing
                    .push(FOLDERS[..depth].iter().fold(self.settings.path().to_owned(), |path, name| path.join(name)));
            }
        }
        Ok(missing)
    }

    /// Removes those of the plugin's folders that are empty and that `is_own` names by their paths, the inner one first.
    ///
    /// # Errors
    /// A link lies in the way, or the system refuses.
    pub fn remove_empty_folders(&self, is_own: &dyn Fn(&Path) -> bool) -> Result<(), WriteError> {
        for depth in (0..FOLDERS.len()).rev() {
            let Some(above) = descend(self.settings()?, &FOLDERS[..depth]).map_err(of_plugin)? else { continue };
            if !is_own(&above.path().join(FOLDERS[depth])) {
                continue;
            }
            match above.remove_folder(FOLDERS[depth]) {
                Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => {
                    return Err(of_plugin(WriteError::at(&above, FOLDERS[depth], "remove", error)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn existing(&self, name: &str) -> Result<Option<Place>, WriteError> {
        let folder = descend(self.settings()?, &FOLDERS).map_err(of_plugin)?;
        Ok(folder.map(|folder| Place { folder, name: name.to_owned() }))
    }

    fn settings(&self) -> Result<Folder, WriteError> {
        self.settings.try_clone().map_err(|source| WriteError::Io {
            path: self.settings.path().to_owned(),
            action: "open",
            source,
        })
    }
}

/// Says of a link in the way that it concerns the plugin, not the memory folder.
fn of_plugin(error: WriteError) -> WriteError {
    match error {
        WriteError::Link { path, target } => WriteError::PluginLink { path, target },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn vault() -> (tempfile::TempDir, PluginFolder) {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join(SETTINGS)).unwrap();
        let folder = PluginFolder::of(home.path()).unwrap();
        (home, folder)
    }

    #[test]
    fn a_folder_that_obsidian_never_opened_is_refused() {
        let home = tempfile::tempdir().unwrap();
        assert!(matches!(PluginFolder::of(home.path()), Err(WriteError::NotObsidian { .. })));
        assert!(matches!(PluginFolder::of(&home.path().join("gone")), Err(WriteError::Io { .. })));
        assert!(fs::read_dir(home.path()).unwrap().next().is_none());
    }

    #[test]
    fn a_file_is_created_once_and_removed_only_as_its_own() {
        let (_home, folder) = vault();
        assert_eq!(folder.read("main.js").unwrap(), None);
        assert_eq!(folder.missing_folders().unwrap().len(), 2);
        folder.create("main.js", b"one").unwrap();
        assert!(folder.missing_folders().unwrap().is_empty());
        assert!(folder.create("main.js", b"two").is_err(), "it is there already");
        assert_eq!(folder.read("main.js").unwrap().unwrap(), b"one");
        assert!(!folder.remove_if("main.js", &|content| content == b"two").unwrap());
        folder.remove_empty_folders(&|_| true).unwrap();
        assert!(folder.remove_if("main.js", &|content| content == b"one").unwrap());
        folder.remove_empty_folders(&|path| path.ends_with("tars")).unwrap();
        assert!(!folder.path().exists() && folder.path().parent().unwrap().is_dir());
        folder.remove_empty_folders(&|_| true).unwrap();
        assert!(!folder.path().parent().unwrap().exists());
    }

    #[test]
    fn no_link_leads_the_plugin_out_of_the_vault() {
        let (home, folder) = vault();
        let elsewhere = tempfile::tempdir().unwrap();
        let is_link = |result: Result<(), WriteError>| matches!(result, Err(WriteError::PluginLink { .. }));
        symlink(elsewhere.path(), home.path().join(".obsidian/plugins")).unwrap();
        assert!(is_link(folder.create("main.js", b"one")));
        assert!(is_link(folder.read("main.js").map(drop)));
        fs::remove_file(home.path().join(".obsidian/plugins")).unwrap();
        fs::create_dir_all(folder.path()).unwrap();
        fs::write(elsewhere.path().join("theirs"), "theirs").unwrap();
        symlink(elsewhere.path().join("theirs"), folder.path().join("main.js")).unwrap();
        assert!(is_link(folder.create("main.js", b"one")));
        assert!(is_link(folder.remove_if("main.js", &|_| true).map(drop)));
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
        assert_eq!(fs::read(elsewhere.path().join("theirs")).unwrap(), b"theirs");

        let other = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), other.path().join(SETTINGS)).unwrap();
        assert!(is_link(PluginFolder::of(other.path()).map(drop)));
    }
}
