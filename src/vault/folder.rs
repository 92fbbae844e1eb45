//! The memory folder: the one place in a vault that tars may write to.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use super::WriteError;

/// How long a write waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a lock that another process holds is tried.
const LOOK: Duration = Duration::from_millis(5);

/// The memory folder of a vault. Names of files in it are relative, with `/` between their parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFolder {
    vault: PathBuf,
    /// The folder relative to the vault.
    name: String,
    /// The folder itself, free of links.
    path: PathBuf,
}

/// The right to write to the memory folder, held by an OS lock on the folder itself: two data directories with one vault
/// exclude each other too, and nothing is left in the vault.
#[derive(Debug)]
pub struct FolderLock {
    _folder: File,
}

impl MemoryFolder {
    /// Names the folder `name` of the vault at `vault`. It need not exist yet, but the vault must.
    ///
    /// # Errors
    /// The vault is missing, or the folder leads out of it.
    pub fn new(vault: &Path, name: &str) -> Result<Self, WriteError> {
        let vault = fs::canonicalize(vault)
            .map_err(|source| WriteError::Vault { path: vault.to_owned(), source })
            .and_then(|real| if real.is_dir() { Ok(real) } else { Err(WriteError::NoFolder { path: real }) })?;
        let mut path = vault.clone();
        for part in parts(name).ok_or_else(|| WriteError::Name { name: name.into() })? {
            path.push(part);
            no_link(&path)?;
        }
        Ok(Self { vault, name: name.into(), path })
    }

    /// Returns the folder's real path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the real path of the vault.
    pub fn vault(&self) -> &Path {
        &self.vault
    }

    /// Returns a file's path relative to the vault, as answers show it.
    pub fn shown(&self, file: &str) -> String {
        format!("{}/{file}", self.name)
    }

    /// Returns the name within this folder of a file that is known by its path relative to the vault.
    pub fn inner<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.name.as_str())?.strip_prefix('/')
    }

    /// Makes the folder where there is none, and whatever is missing above it within the vault.
    ///
    /// # Errors
    /// The system refuses, or a link lies in the way.
    pub fn create(&self) -> Result<(), WriteError> {
        self.make(&self.path)
    }

    /// Makes `folder`, one level after the other: making them all at once would follow a link before it is seen.
    fn make(&self, folder: &Path) -> Result<(), WriteError> {
        let mut levels: Vec<&Path> = folder.ancestors().take_while(|level| *level != self.vault).collect();
        levels.reverse();
        for level in levels {
            match fs::create_dir(level) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(WriteError::Io { path: level.to_owned(), action: "create", source: error });
                }
                _ => no_link(level)?,
            }
        }
        Ok(())
    }

    /// Returns where the file `name` is or would be, after a look at every link on the way; makes its folders.
    pub(super) fn place(&self, name: &str) -> Result<PathBuf, WriteError> {
        let path = self.file(name)?;
        self.make(path.parent().unwrap_or(&self.path))?;
        Ok(path)
    }

    /// Returns where the file `name` is or would be.
    fn file(&self, name: &str) -> Result<PathBuf, WriteError> {
        let mut path = self.path.clone();
        for part in parts(name).ok_or_else(|| WriteError::Name { name: name.into() })? {
            path.push(part);
            no_link(&path)?;
        }
        Ok(path)
    }

    /// Reads a file of the folder; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read, is a link, or its name leads out of the folder.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, WriteError> {
        read(&self.file(name)?)
    }

    /// Returns the names of the markdown files in the folder, sorted; hidden files, links and what lies below links
    /// are passed over. A folder that does not exist yet is empty.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn files(&self) -> Result<Vec<String>, WriteError> {
        let mut found = Vec::new();
        let mut folders = vec![(self.path.clone(), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            let failed = |source| WriteError::Io { path: folder.clone(), action: "read", source };
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                entries => entries.map_err(failed)?,
            };
            for entry in entries {
                let entry = entry.map_err(failed)?;
                let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
                if name.starts_with('.') {
                    continue;
                }
                if kind.is_dir() {
                    folders.push((entry.path(), format!("{prefix}{name}/")));
                } else if kind.is_file() && name.ends_with(".md") {
                    found.push(format!("{prefix}{name}"));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Takes the right to write, waiting for another process that holds it. The folder must exist.
    ///
    /// # Errors
    /// It is held for longer than ten seconds, or cannot be taken.
    pub fn lock(&self) -> Result<FolderLock, WriteError> {
        let failed = |source| WriteError::Io { path: self.path.clone(), action: "lock", source };
        let folder = File::open(&self.path).map_err(failed)?;
        let started = Instant::now();
        loop {
            match folder.try_lock() {
                Ok(()) => return Ok(FolderLock { _folder: folder }),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
                Err(TryLockError::WouldBlock) if started.elapsed() > PATIENCE => {
                    return Err(WriteError::Busy { path: self.path.clone() });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            }
        }
    }
}

/// Returns the parts of a relative name; `None` if there are none, or one that is hidden, leads upwards or is no name.
fn parts(name: &str) -> Option<Vec<&str>> {
    let path = Path::new(name);
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if name.is_empty() || name.contains('\0') || name.contains('\\') || !path.components().all(plain) {
        return None;
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
    (!parts.iter().any(|part| part.starts_with('.'))).then_some(parts)
}

/// Refuses a link, whatever it leads to: tars would write somewhere else than where it says.
fn no_link(path: &Path) -> Result<(), WriteError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            Err(WriteError::Link { path: path.to_owned(), target: fs::read_link(path).unwrap_or_default() })
        }
        _ => Ok(()),
    }
}

/// Opens a file of the folder without following a link that took its place a moment ago, and without waiting for what is
/// no file.
pub(super) fn open(path: &Path, options: &mut OpenOptions) -> Result<Option<File>, WriteError> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    let failed = |source| WriteError::Io { path: path.to_owned(), action: "open", source };
    match options.open(path) {
        Ok(file) if file.metadata().map_err(failed)?.is_file() => Ok(Some(file)),
        Ok(_) => Err(failed(std::io::Error::other("it is no file"))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(source)),
    }
}

/// Reads a file; `None` if there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, WriteError> {
    let Some(mut file) = open(path, OpenOptions::new().read(true))? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|source| WriteError::Io { path: path.to_owned(), action: "read", source })?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside() {
        for wrong in ["", "..", "../a.md", "a/../../b.md", "/etc/passwd", "./a.md", ".hidden.md", "a/.b/c.md", "a\0.md"]
        {
            assert!(parts(wrong).is_none(), "{wrong}");
        }
        assert_eq!(parts("sessions/a.md"), Some(vec!["sessions", "a.md"]));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused_wherever_they_lead() {
        use std::os::unix::fs::symlink;
        let home = tempfile::tempdir().unwrap();
        let (vault, elsewhere) = (home.path().join("vault"), home.path().join("elsewhere"));
        fs::create_dir_all(vault.join("real")).unwrap();
        fs::create_dir(&elsewhere).unwrap();
        symlink(&elsewhere, vault.join("out")).unwrap();
        symlink(vault.join("real"), vault.join("inside")).unwrap();
        for name in ["out", "inside", "out/deeper"] {
            assert!(matches!(MemoryFolder::new(&vault, name), Err(WriteError::Link { .. })), "{name}");
        }
        let folder = MemoryFolder::new(&vault, "real").unwrap();
        symlink(elsewhere.join("target.md"), vault.join("real/Memory.md")).unwrap();
        symlink(&elsewhere, vault.join("real/sessions")).unwrap();
        assert!(matches!(folder.read("Memory.md"), Err(WriteError::Link { .. })));
        assert!(matches!(folder.place("sessions/a.md"), Err(WriteError::Link { .. })));
        assert_eq!(folder.files().unwrap(), Vec::<String>::new());
        assert!(fs::read_dir(&elsewhere).unwrap().next().is_none());
    }

    #[test]
    fn a_vault_that_vanished_is_named() {
        let home = tempfile::tempdir().unwrap();
        let error = MemoryFolder::new(&home.path().join("gone"), "tars").unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }
}
