//! Lists the files of the memory folder.

use std::io::ErrorKind;

use super::MemoryFolder;
use crate::WriteError;
use crate::conflict_copy::is_conflict_side;
use tars_base::disk::Folder;

impl MemoryFolder {
    /// Returns the names of the markdown files in the folder, sorted, without hidden files, links and files below links. A folder
    /// that does not exist yet is empty.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn files(&self) -> Result<Vec<String>, WriteError> {
        let mut found = Vec::new();
        self.walk(|_, prefix, name| {
            let file = format!("{prefix}{name}");
            if name.ends_with(".md") && !self.hides(&file)? {
                found.push(file);
            }
            Ok(())
        })?;
        found.sort();
        Ok(found)
    }

    /// Returns an identifier of the folder's state, which changes with every write to one of its files. It derives from file
    /// metadata (private files included) and opens no file.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn version(&self) -> Result<String, WriteError> {
        let mut state = blake3::Hasher::new();
        self.walk(|folder, prefix, name| {
            let stat = folder.stat(name).map_err(|source| WriteError::at(folder, name, "read", source))?;
            if let Some(stat) = stat {
                let (inode, times) = (stat.identity.1, (stat.modified, stat.changed));
                state.update(format!("{prefix}{name}\n{inode} {} {times:?}\n", stat.length).as_bytes());
            }
            Ok(())
        })?;
        Ok(state.finalize().to_hex()[..32].to_owned())
    }

    /// Calls `visit` for each file that is not hidden, with its folder, that folder's path (with a trailing `/`) and the file's
    /// name. Links are not followed.
    fn walk(&self, mut visit: impl FnMut(&Folder, &str, &str) -> Result<(), WriteError>) -> Result<(), WriteError> {
        let mut folders: Vec<(Folder, String)> =
            self.open()?.map(|folder| (folder, String::new())).into_iter().collect();
        while let Some((folder, prefix)) = folders.pop() {
            let failed = |source| WriteError::Io { path: folder.path().to_owned(), action: "read", source };
            for (name, is_folder) in folder.names().map_err(failed)? {
                if name.starts_with('.') {
                    continue;
                }
                if !is_folder {
                    visit(&folder, &prefix, &name)?;
                    continue;
                }
                match folder.open_folder(&name) {
                    Ok(inner) => folders.push((inner, format!("{prefix}{name}/"))),
                    // It was removed or replaced meanwhile.
                    Err(error) if error.kind() == ErrorKind::NotFound || folder.link_target(&name).is_some() => {}
                    Err(error) => return Err(WriteError::at(&folder, &name, "read", error)),
                }
            }
        }
        Ok(())
    }

    /// Returns the names of the files that hold one side of a conflict, sorted: saves of a person that tars kept (`NAME (conflict
    /// …).md`), and copies by sync programs.
    ///
    /// # Errors
    /// As [`MemoryFolder::files`].
    pub fn conflicts(&self) -> Result<Vec<String>, WriteError> {
        let mut files = self.files()?;
        files.retain(|file| is_conflict_side(file.rsplit('/').next().unwrap_or(file)));
        Ok(files)
    }
}
