//! The memory folder: the one place in a vault that tars may write to.

mod listing;

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use super::WriteError;
use super::origins::OriginsSlot;
use super::place::Place;
use tars_base::disk::{Access, Folder};
use tars_text::{markdown, redact};

/// A word of the tag of private spans.
const TAG: &[u8] = b"private";

/// The memory folder of a vault. Names of files in it are relative, with `/` between their parts.
///
/// Every read and write descends from the vault's descriptor, one name at a time, and never through a link. Replacing a folder with
/// a link meanwhile has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFolder {
    vault: PathBuf,
    /// The folder relative to the vault.
    name: String,
    /// The folder's real path, free of links.
    path: PathBuf,
    /// Whether private files count as absent.
    hides_private: bool,
    /// The data directory with the origins of its lines, and the origins once they were read.
    pub(super) data: Option<PathBuf>,
    pub(super) origins: OriginsSlot,
}

impl MemoryFolder {
    /// Returns the folder `name` of the vault at `vault`. The vault must exist; the folder need not.
    ///
    /// # Errors
    /// The vault is missing, or the folder leads out of it.
    pub fn new(vault: &Path, name: &str) -> Result<Self, WriteError> {
        let vault = fs::canonicalize(vault)
            .map_err(|source| WriteError::Vault { path: vault.to_owned(), source })
            .and_then(|real| if real.is_dir() { Ok(real) } else { Err(WriteError::NotAFolder { path: real }) })?;
        let path = parts(name)?.into_iter().fold(vault.clone(), |path, part| path.join(part));
        let (data, origins) = Default::default();
        let folder = Self { vault, name: name.into(), path, hides_private: false, data, origins };
        // Opening reports a link in the path at once.
        folder.open()?;
        Ok(folder)
    }

    /// Names the data directory, so that the folder knows the origins of its lines.
    pub fn with_data(self, data: &Path) -> Self {
        Self { data: Some(data.to_owned()), origins: OriginsSlot::default(), ..self }
    }

    /// Hides private files from reads and listings. Writes still find them.
    pub fn hiding_private(self) -> Self {
        Self { hides_private: true, ..self }
    }

    /// Whether private files and private lines count as absent.
    pub fn is_guarded(&self) -> bool {
        self.hides_private
    }

    /// Whether `file` is hidden because it is private.
    ///
    /// # Errors
    /// As [`MemoryFolder::read`].
    pub fn hides(&self, file: &str) -> Result<bool, WriteError> {
        Ok(self.hides_private && self.content(file)?.is_some_and(|bytes| is_private(&bytes)))
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
    pub fn vault_path(&self, file: &str) -> String {
        format!("{}/{file}", self.name)
    }

    /// Returns the name within this folder of a file given by its path relative to the vault; `None` if it lies elsewhere.
    pub fn relative_name<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.name.as_str())?.strip_prefix('/')
    }

    /// Creates the folder and all missing folders above it within the vault.
    ///
    /// # Errors
    /// The system refuses, or a link lies in the way.
    pub fn create(&self) -> Result<(), WriteError> {
        self.make().map(drop)
    }

    /// Creates the folder `name` inside it if it is missing.
    ///
    /// # Errors
    /// As [`MemoryFolder::create`].
    pub fn create_folder(&self, name: &str) -> Result<(), WriteError> {
        make(self.make()?, &parts(name)?).map(drop)
    }

    /// Returns the outermost missing folder above `file`; `None` if all exist.
    ///
    /// # Errors
    /// As [`MemoryFolder::read`].
    pub(super) fn outermost_missing_folder(&self, file: &str) -> Result<Option<String>, WriteError> {
        let mut names = parts(file)?;
        names.pop();
        let Some(mut folder) = self.open()? else { return Ok(names.first().map(|name| (*name).to_owned())) };
        for (at, name) in names.iter().enumerate() {
            match descend(folder, &[name])? {
                Some(inner) => folder = inner,
                None => return Ok(Some(names[..=at].join("/"))),
            }
        }
        Ok(None)
    }

    /// Creates the folder if needed, and the file `name` with `text` unless it exists. Returns whether it created the file.
    ///
    /// # Errors
    /// As [`MemoryFolder::create`].
    pub fn create_file(&self, name: &str, text: &str) -> Result<bool, WriteError> {
        let place = place(&self.make()?, name)?;
        match place.folder.create(&place.name, 0o644) {
            Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true).map_err(place.failed("write")),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(place.failed("create")(error)),
        }
    }

    /// Removes the file `name` if it holds exactly `text`. Returns whether it did; edited files stay.
    ///
    /// # Errors
    /// As [`MemoryFolder::read`], or the system refuses.
    pub fn remove_unedited(&self, name: &str, text: &str) -> Result<bool, WriteError> {
        let Some(folder) = self.open()? else { return Ok(false) };
        existing(&folder, name)?.map_or(Ok(false), |place| place.remove_if(&|content| content == text.as_bytes()))
    }

    /// Removes the folder `name` inside it (or the folder itself if `name` is empty) if it is empty. Returns whether it did.
    ///
    /// # Errors
    /// A link lies in the way, or the system refuses.
    pub fn remove_empty(&self, name: &str) -> Result<bool, WriteError> {
        let mut path = self.parts()?;
        if !name.is_empty() {
            path.extend(parts(name)?);
        }
        let Some((last, above)) = path.split_last() else { return Ok(false) };
        let Some(folder) = descend(self.open_vault()?, above)? else { return Ok(false) };
        match folder.remove_folder(last) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => Ok(false),
            Err(error) => Err(WriteError::at(&folder, last, "remove", error)),
        }
    }

    /// Opens the folder, creating it if needed.
    pub(super) fn make(&self) -> Result<Folder, WriteError> {
        make(self.open_vault()?, &self.parts()?)
    }

    /// Opens the folder; `None` if it does not exist.
    pub(super) fn open(&self) -> Result<Option<Folder>, WriteError> {
        descend(self.open_vault()?, &self.parts()?)
    }

    fn open_vault(&self) -> Result<Folder, WriteError> {
        Folder::open(&self.vault).map_err(|source| WriteError::Vault { path: self.vault.clone(), source })
    }

    fn parts(&self) -> Result<Vec<&str>, WriteError> {
        parts(&self.name)
    }

    /// Reads a file of the folder; `None` if it does not exist. If private files are hidden, so are private spans of several
    /// lines, because a line does not show that it stands in one. Its place stays as empty lines.
    ///
    /// # Errors
    /// It cannot be read, is a link, or its name leads out of the folder.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, WriteError> {
        let content = self.content(name)?;
        Ok(match self.hides_private {
            true => content.filter(|bytes| !is_private(bytes)).map(without_private_blocks),
            false => content,
        })
    }

    /// Like [`MemoryFolder::read`], but also reads private files. For writers.
    pub(super) fn content(&self, name: &str) -> Result<Option<Vec<u8>>, WriteError> {
        // An invalid name is an error even if the folder does not exist yet.
        parts(name)?;
        let Some(folder) = self.open()? else { return Ok(None) };
        existing(&folder, name)?.map_or(Ok(None), |place| place.read())
    }

    /// Returns the last modification time of a file; `None` if it does not exist or the system does not say.
    ///
    /// # Errors
    /// As [`MemoryFolder::read`].
    pub fn modified_at(&self, name: &str) -> Result<Option<SystemTime>, WriteError> {
        parts(name)?;
        let Some(folder) = self.open()? else { return Ok(None) };
        let file = existing(&folder, name)?.map_or(Ok(None), |place| place.open(Access::Read))?;
        Ok(file.and_then(|file| file.metadata().ok()?.modified().ok()))
    }
}

/// Returns the place of the file `name` below `folder`, creating missing folders.
pub(super) fn place(folder: &Folder, name: &str) -> Result<Place, WriteError> {
    let mut parts = parts(name)?;
    let file = parts.pop().unwrap_or_default();
    let folder = folder.try_clone().map_err(|source| WriteError::at(folder, file, "open", source))?;
    Ok(Place { folder: make(folder, &parts)?, name: file.into() })
}

/// Returns the place of the file `name` below `folder`; `None` if its folder does not exist.
pub(super) fn existing(folder: &Folder, name: &str) -> Result<Option<Place>, WriteError> {
    let mut parts = parts(name)?;
    let file = parts.pop().unwrap_or_default();
    let folder = folder.try_clone().map_err(|source| WriteError::at(folder, file, "open", source))?;
    Ok(descend(folder, &parts)?.map(|folder| Place { folder, name: file.into() }))
}

fn is_private(bytes: &[u8]) -> bool {
    markdown::is_private(&super::text_of(bytes))
}

/// Replaces each private span of several lines with its marker and its line ends.
fn without_private_blocks(bytes: Vec<u8>) -> Vec<u8> {
    let is_tagged = bytes.windows(TAG.len()).any(|part| part.eq_ignore_ascii_case(TAG));
    let shown = if is_tagged { without_blocks(&super::text_of(&bytes)) } else { None };
    shown.map_or(bytes, String::into_bytes)
}

fn without_blocks(text: &str) -> Option<String> {
    let spans = redact::find(text).into_iter().filter(|found| found.kind == "private").map(|found| found.span);
    let (mut out, mut end) = (String::new(), 0);
    for span in spans.filter(|span| text[span.clone()].contains('\n')) {
        out.push_str(&text[end..span.start]);
        out.push_str(&redact::redact(&text[span.clone()]).text);
        end = span.end;
    }
    (end > 0).then(|| out + &text[end..])
}

/// Opens the folder at the path `parts` below `folder`, and creates missing ones.
pub(super) fn make(mut folder: Folder, parts: &[&str]) -> Result<Folder, WriteError> {
    for part in parts {
        folder = folder.open_or_create_folder(part).map_err(|error| WriteError::at(&folder, part, "create", error))?;
    }
    Ok(folder)
}

/// Opens the folder at the path `parts` below `folder`; `None` if it does not exist.
pub(super) fn descend(mut folder: Folder, parts: &[&str]) -> Result<Option<Folder>, WriteError> {
    for part in parts {
        folder = match folder.open_folder(part) {
            Ok(inner) => inner,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(WriteError::at(&folder, part, "open", error)),
        };
    }
    Ok(Some(folder))
}

/// Splits a relative name into its parts.
///
/// # Errors
/// The name is empty, leads upwards, or has a hidden or invalid part.
fn parts(name: &str) -> Result<Vec<&str>, WriteError> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let wrong = name.is_empty() || name.contains(['\0', '\\']) || !Path::new(name).components().all(plain);
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
    if wrong || parts.is_empty() || parts.iter().any(|part| part.starts_with('.')) {
        return Err(WriteError::InvalidName { name: name.into() });
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guarded_folder_shows_no_line_inside_a_private_span() {
        let vault = tempfile::tempdir().unwrap();
        let folder = MemoryFolder::new(vault.path(), "tars").unwrap();
        let text = "- a <private>b</private>\n<private>\r\n- c\n</private> d\n- e <private>f\ng";
        folder.create_file("a.md", text).unwrap();
        assert_eq!(folder.read("a.md").unwrap().unwrap(), text.as_bytes());
        let guarded = folder.hiding_private();
        let shown = String::from_utf8(guarded.read("a.md").unwrap().unwrap()).unwrap();
        assert_eq!(shown, "- a <private>b</private>\n[redacted:private]\r\n\n d\n- e [redacted:private]\n");
        assert_eq!(guarded.content("a.md").unwrap().unwrap(), text.as_bytes());
    }

    #[test]
    fn names_cannot_leave_the_folder() {
        for wrong in ["", "..", "../a.md", "a/../../b.md", "/etc/passwd", "./a.md", ".hidden.md", "a/.b/c.md", "a\0.md"]
        {
            assert!(parts(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parts("sessions/a.md").unwrap(), ["sessions", "a.md"]);
    }

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
        assert!(matches!(place(&folder.make().unwrap(), "sessions/a.md"), Err(WriteError::Link { .. })));
        assert_eq!(folder.files().unwrap(), Vec::<String>::new());
        assert!(fs::read_dir(&elsewhere).unwrap().next().is_none());
    }

    #[test]
    fn seeded_files_are_created_once_and_never_overwritten() {
        let home = tempfile::tempdir().unwrap();
        let folder = MemoryFolder::new(home.path(), "notes/tars").unwrap();
        folder.create_folder("sessions").unwrap();
        assert!(home.path().join("notes/tars/sessions").is_dir());
        folder.create_folder("sessions").unwrap();
        assert!(folder.create_file("Memory.md", "# Memory\n").unwrap());
        assert!(!folder.create_file("Memory.md", "something else").unwrap(), "it is there already");
        assert_eq!(folder.read("Memory.md").unwrap().unwrap(), b"# Memory\n");
        assert_eq!(folder.vault_path("Memory.md"), "notes/tars/Memory.md");
        assert_eq!(folder.relative_name("notes/tars/sessions/a.md"), Some("sessions/a.md"));
        for other in ["notes/tarsier/a.md", "tars/a.md", "notes/tars"] {
            assert_eq!(folder.relative_name(other), None, "{other}");
        }
        assert!(folder.create_file(&format!("{}.md", "x".repeat(300)), "").is_err(), "no file system has such names");
    }

    #[test]
    fn unseed_removes_only_unedited_files() {
        let home = tempfile::tempdir().unwrap();
        let folder = MemoryFolder::new(home.path(), "notes/tars").unwrap();
        assert!(!folder.remove_unedited("Memory.md", "# Memory\n").unwrap(), "there is none");
        folder.create_folder("sessions").unwrap();
        folder.create_file("Memory.md", "# Memory\n").unwrap();
        folder.create_file("Procedural.md", "# Procedural\n").unwrap();
        fs::write(folder.path().join("Procedural.md"), "# Procedural\n\n- mine\n").unwrap();
        assert!(folder.remove_unedited("Memory.md", "# Memory\n").unwrap());
        assert!(!folder.remove_unedited("Procedural.md", "# Procedural\n").unwrap());
        assert!(folder.remove_empty("sessions").unwrap() && !folder.remove_empty("sessions").unwrap());
        assert!(!folder.remove_empty("").unwrap(), "a file is in it");
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["Procedural.md"]);
        fs::remove_file(folder.path().join("Procedural.md")).unwrap();
        assert!(folder.remove_empty("").unwrap() && home.path().join("notes").is_dir());
    }

    #[test]
    fn the_error_names_a_missing_vault() {
        let home = tempfile::tempdir().unwrap();
        let error = MemoryFolder::new(&home.path().join("gone"), "tars").unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }
}
