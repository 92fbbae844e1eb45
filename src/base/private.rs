//! Opens files that belong to this user alone, and files whose names come from somebody else.
//!
//! Locks, spooled turns, logs and sockets lie outside the vault and concern nobody else: another user must not read
//! them, write them, hold a lock on them, or replace them by a link, a pipe or a device. A file opened here is a
//! regular file, and opening it never blocks. Errors do not name the path, because the caller knows the purpose of the
//! file.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

/// Permission bits of the group and of others.
const FOREIGN: u32 = 0o077;
/// Their write bits.
const FOREIGN_WRITE: u32 = 0o022;
/// Only the owner of an entry can replace it in such a folder.
const STICKY: u32 = 0o1000;

/// Opens one's own file with `options`. A new file has mode 0600, and an existing one loses the permissions of others.
/// Root may use everybody's files.
///
/// # Errors
/// The system refuses, or it is a link, no regular file, or another user's file.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = opened(path, options.mode(0o600), OFlags::NOFOLLOW)?;
    let metadata = file.metadata()?;
    let user = rustix::process::geteuid();
    if metadata.uid() != user.as_raw() && !user.is_root() {
        return Err(refused("it belongs to another user"));
    }
    if let Some(permissions) = tightened_permissions(&metadata) {
        log_failure(path, file.set_permissions(permissions));
    }
    Ok(file)
}

/// Removes the permissions of others from one's own file without opening it: closing a second descriptor of an open
/// database would release its locks.
pub fn restrict_to_owner(path: &Path) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    if let Some(permissions) =
        tightened_permissions(&metadata).filter(|_| metadata.is_file() && check_owner(&metadata).is_ok())
    {
        log_failure(path, fs::set_permissions(path, permissions));
    }
}

/// Returns the permissions without those of others, or `None` if only the owner has any.
fn tightened_permissions(metadata: &fs::Metadata) -> Option<Permissions> {
    let mode = metadata.mode() & 0o7777;
    (mode & FOREIGN != 0).then(|| Permissions::from_mode(mode & !FOREIGN))
}

/// Logs a failure: some file systems have no permissions to change.
fn log_failure(path: &Path, tightened: io::Result<()>) {
    if let Err(error) = tightened {
        tracing::debug!(%error, path = %path.display(), "others may use a private file");
    }
}

/// Opens a file to lock it, and creates it if it is missing. Its content is kept.
///
/// # Errors
/// Like [`open`].
pub fn open_lock(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

/// Reads one's own file.
///
/// # Errors
/// Like [`open`], or it is longer than `max_bytes` bytes.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, OpenOptions::new().read(true))?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {max_bytes} bytes")));
    }
    Ok(bytes)
}

/// Opens a file that somebody else named, for reading. Links are followed.
///
/// # Errors
/// The system refuses, or it is no regular file ([`io::ErrorKind::InvalidInput`]).
pub fn open_untrusted_path(path: &Path) -> io::Result<File> {
    // Merely opening a device may have effects. If the file is swapped after this check, `opened` notices.
    if !path.metadata()?.is_file() {
        return Err(no_file());
    }
    opened(path, OpenOptions::new().read(true), OFlags::empty())
}

/// Creates a folder and its parents with access for the owner only. An existing one is left unchanged.
///
/// # Errors
/// The system refuses.
pub fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Fails unless `path` is a folder of this user (and no link to one) in which nobody else can replace anything.
///
/// # Errors
/// The reason.
pub fn check_folder(path: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() {
        return Err(refused("it is not a folder"));
    }
    check_owner(&metadata)?;
    if metadata.mode() & FOREIGN_WRITE != 0 && metadata.mode() & STICKY == 0 {
        return Err(refused("other users may write to it"));
    }
    Ok(())
}

/// Fails unless `path` is a socket of this user that nobody else may connect to.
///
/// # Errors
/// The reason.
pub fn check_socket(path: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.file_type().is_socket() {
        return Err(refused("it is not a socket"));
    }
    check_owner(&metadata)?;
    if metadata.mode() & FOREIGN != 0 {
        return Err(refused("other users may connect to it"));
    }
    Ok(())
}

/// Returns the folder of tars in the session's runtime directory `dir`.
pub fn runtime_folder(dir: &Path) -> PathBuf {
    dir.join("tars")
}

/// Returns the folder of tars in the temporary directory. Anybody may have created it: see [`check_folder`].
pub fn temporary_folder() -> PathBuf {
    std::env::temp_dir().join(format!("tars-{}", rustix::process::geteuid().as_raw()))
}

/// Returns a file name for something that belongs to `owner`, such as a path: 16 digits of its hash.
pub fn short_hash(owner: &[u8]) -> String {
    blake3::hash(owner).to_hex()[..16].to_owned()
}

fn check_owner(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.uid() == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    Err(refused("it belongs to another user"))
}

fn opened(path: &Path, options: &mut OpenOptions, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
    match options.custom_flags(flags.bits().cast_signed()).open(path) {
        Ok(file) if file.metadata()?.is_file() => Ok(file),
        Ok(_) => Err(no_file()),
        Err(error) => Err(match Errno::from_io_error(&error) {
            Some(Errno::LOOP) => refused("it is a link"),
            Some(Errno::NXIO) => no_file(),
            _ => error,
        }),
    }
}

fn refused(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o7777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn own_files_lose_the_permissions_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        open_lock(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
        fs::write(&path, "kept").unwrap();
        set_mode(&path, 0o666);
        open_lock(&path).unwrap();
        assert_eq!((mode(&path), read(&path, 4).unwrap()), (0o600, b"kept".to_vec()));
        assert_eq!(read(&path, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn tighten_changes_a_file_but_no_link_target() {
        let folder = tempfile::tempdir().unwrap();
        let [file, other, link] = ["file", "other", "link"].map(|name| folder.path().join(name));
        for path in [&file, &other] {
            fs::write(path, "").unwrap();
            set_mode(path, 0o644);
        }
        symlink(&other, &link).unwrap();
        [&file, &link, &folder.path().join("gone")].into_iter().for_each(|path| restrict_to_owner(path));
        assert_eq!((mode(&file), mode(&other)), (0o600, 0o644));
    }

    #[test]
    fn links_pipes_and_folders_are_refused_without_blocking() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink(at("nothing"), at("dangling")).unwrap();
        pipe(&at("pipe"));
        fs::create_dir(at("folder")).unwrap();
        for name in ["link", "dangling", "pipe", "folder"] {
            assert!(open_lock(&at(name)).is_err(), "{name}");
            assert!(read(&at(name), 9).is_err(), "{name}");
            assert!(open(&at(name), OpenOptions::new().append(true)).is_err(), "{name}");
        }
        assert!(!at("nothing").exists(), "nothing is made through a link");
        open_untrusted_path(&at("link")).unwrap();
        for name in ["pipe", "folder"] {
            assert_eq!(open_untrusted_path(&at(name)).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{name}");
        }
    }

    fn pipe(path: &Path) {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn folders_and_sockets_open_to_others_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a/b");
        create_folder(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        check_folder(&folder).unwrap();
        let socket = folder.join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        for (mode, is_private) in [(0o600, true), (0o660, false), (0o606, false)] {
            set_mode(&socket, mode);
            assert_eq!(check_socket(&socket).is_ok(), is_private, "{mode:o}");
        }
        for (mode, is_private) in [(0o755, true), (0o720, false), (0o777, false), (0o1777, true)] {
            set_mode(&folder, mode);
            assert_eq!(check_folder(&folder).is_ok(), is_private, "{mode:o}");
        }
        symlink(&folder, home.path().join("link")).unwrap();
        assert!(check_folder(&home.path().join("link")).is_err());
        assert!(check_socket(&folder).is_err());
        assert_eq!(check_folder(&home.path().join("gone")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
