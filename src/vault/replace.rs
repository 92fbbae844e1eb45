//! New content for a file, whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use super::WriteError;
use super::folder::{open, read};

/// A write within one page reaches the file whole even if the process is killed meanwhile; a longer one may not.
const PAGE: usize = 4096;

/// How the name of a file that is written beside begins and ends.
const BESIDE: (&str, &str) = (".tars-", ".tmp");

/// How a replacement went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replaced {
    /// The file holds the new content, on the disk.
    Done,
    /// Somebody else changed the file since it was read: nothing was written.
    Changed,
}

/// Makes the file at `path`, which held `before` (nothing: there was none), hold `after`.
///
/// A few lines at the end are appended in place, in one write. Everything else is written beside and takes the file's
/// place at once, with its mode. A crash leaves the old content or the new one.
///
/// # Errors
/// The system refuses; the file is as it was.
pub(super) fn replace(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Result<Replaced, WriteError> {
    match before {
        Some(before) => match after.strip_prefix(before) {
            Some([]) => Ok(Replaced::Done),
            Some(tail) if before.len() % PAGE + tail.len() <= PAGE => append(path, before, tail),
            _ => exchange(path, before, after),
        },
        None => create(path, after),
    }
}

/// Removes the file at `path`, which held `before`.
///
/// # Errors
/// The system refuses.
pub(super) fn remove(path: &Path, before: &[u8]) -> Result<Replaced, WriteError> {
    if read(path)?.as_deref() != Some(before) {
        return Ok(Replaced::Changed);
    }
    fs::remove_file(path).map_err(failed(path, "remove"))?;
    sync_folder(path);
    Ok(Replaced::Done)
}

fn append(path: &Path, before: &[u8], tail: &[u8]) -> Result<Replaced, WriteError> {
    let Some(mut file) = open(path, OpenOptions::new().read(true).append(true))? else { return Ok(Replaced::Changed) };
    let mut now = Vec::with_capacity(before.len());
    file.read_to_end(&mut now).map_err(failed(path, "read"))?;
    if now != before {
        return Ok(Replaced::Changed);
    }
    if let Err(source) = file.write_all(tail).and_then(|()| file.sync_data()) {
        // A full disk may have taken a part of the line; only the part that is ours is taken back.
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        if length > before.len() as u64 && length <= (before.len() + tail.len()) as u64 {
            let _ = file.set_len(before.len() as u64);
        }
        return Err(WriteError::Io { path: path.to_owned(), action: "write", source });
    }
    // An editor may have put another file here meanwhile, made before or after the line came.
    let taken_over = is_elsewhere(&file, path) && !read(path)?.is_some_and(|now| holds(&now, tail));
    Ok(if taken_over { Replaced::Changed } else { Replaced::Done })
}

/// Whether `path` names another file by now.
#[cfg(unix)]
fn is_elsewhere(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    fs::symlink_metadata(path).ok().map(inode) != file.metadata().ok().map(inode)
}

#[cfg(not(unix))]
fn is_elsewhere(_file: &File, _path: &Path) -> bool {
    false
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn create(path: &Path, after: &[u8]) -> Result<Replaced, WriteError> {
    let beside = beside(path, after, None)?;
    match beside.persist_noclobber(path) {
        Ok(_) => {
            sync_folder(path);
            Ok(Replaced::Done)
        }
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(Replaced::Changed),
        Err(error) => Err(WriteError::Io { path: path.to_owned(), action: "create", source: error.error }),
    }
}

fn exchange(path: &Path, before: &[u8], after: &[u8]) -> Result<Replaced, WriteError> {
    let Some(now) = open(path, OpenOptions::new().read(true))? else { return Ok(Replaced::Changed) };
    let beside = beside(path, after, Some(&now))?;
    if read(path)?.as_deref() != Some(before) {
        return Ok(Replaced::Changed);
    }
    if swap(beside.path(), path) {
        // What an editor saved since the comparison above is beside now: it goes back where it was.
        if read(beside.path())?.as_deref() != Some(before) {
            swap(beside.path(), path);
            // And what it saved since that: the newer one stays.
            if read(beside.path())?.as_deref() != Some(after) {
                swap(beside.path(), path);
            }
            return Ok(Replaced::Changed);
        }
    } else {
        beside.persist(path).map_err(|error| failed(path, "replace")(error.error))?;
    }
    sync_folder(path);
    Ok(Replaced::Done)
}

/// Exchanges two files in one step; `false` where the system cannot.
#[cfg(target_os = "linux")]
fn swap(one: &Path, other: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn swap(_one: &Path, _other: &Path) -> bool {
    false
}

/// Writes `content` to a hidden file in the same folder, with the mode of `like`; it goes when it is dropped.
fn beside(path: &Path, content: &[u8], like: Option<&File>) -> Result<tempfile::NamedTempFile, WriteError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    sweep(folder);
    let mut builder = tempfile::Builder::new();
    builder.prefix(BESIDE.0).suffix(BESIDE.1);
    #[cfg(unix)]
    if like.is_none() {
        // The usual mode of a new file, less what the umask takes.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).map_err(failed(folder, "write in"))?;
    let written = (|| {
        if let Some(like) = like {
            file.as_file().set_permissions(like.metadata()?.permissions())?;
        }
        file.write_all(content)?;
        file.as_file().sync_all()
    })();
    written.map_err(failed(path, "write"))?;
    Ok(file)
}

/// Removes what a killed write left beside. The caller holds the folder's lock: nobody else writes beside now.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(BESIDE.0) && name.ends_with(BESIDE.1)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes a rename last through a power cut. Some file systems have no way to; the content is whole either way.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}

fn failed(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> WriteError {
    move |source| WriteError::Io { path: path.to_owned(), action, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(content: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Memory.md");
        fs::write(&path, content).unwrap();
        (folder, path)
    }

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_change_by_somebody_else_is_never_overwritten() {
        let (folder, path) = folder_with(b"theirs\n");
        assert_eq!(replace(&path, Some(b"ours\n"), b"ours\nmore\n").unwrap(), Replaced::Changed);
        assert_eq!(replace(&path, Some(b"other\n"), b"x\n").unwrap(), Replaced::Changed);
        assert_eq!(replace(&path, None, b"x\n").unwrap(), Replaced::Changed);
        assert_eq!(remove(&path, b"other\n").unwrap(), Replaced::Changed);
        assert_eq!(fs::read(&path).unwrap(), b"theirs\n");
        assert_eq!(names(folder.path()), 1, "nothing is left beside");
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_stays() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, path) = folder_with(b"a\nb\n");
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        assert_eq!(replace(&path, Some(b"a\nb\n"), b"b\n").unwrap(), Replaced::Done);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(replace(&path, Some(b"b\n"), b"b\nc\n").unwrap(), Replaced::Done);
        assert_eq!(fs::read(&path).unwrap(), b"b\nc\n");
        assert_eq!(names(folder.path()), 1);
    }

    #[test]
    fn long_tails_are_written_beside() {
        let (_folder, path) = folder_with(b"a\n");
        let after = [b"a\n".as_slice(), &[b'x'; 3 * PAGE], b"\n"].concat();
        assert_eq!(replace(&path, Some(b"a\n"), &after).unwrap(), Replaced::Done);
        assert_eq!(fs::read(&path).unwrap(), after);
    }

    #[test]
    fn a_new_file_appears_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.md");
        assert_eq!(replace(&path, None, b"a\n").unwrap(), Replaced::Done);
        assert_eq!(fs::read(&path).unwrap(), b"a\n");
        assert_eq!(remove(&path, b"a\n").unwrap(), Replaced::Done);
        assert_eq!(names(folder.path()), 0);
    }
}
