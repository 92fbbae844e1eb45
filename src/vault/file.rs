//! Reads one file.

use std::fs::Metadata;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use tars_base::disk::{Access, File, Folder, Stat};
use tars_base::domain::ContentHash;

/// The file metadata that the directory listing gives without opening the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileStat {
    /// Modification time, nanoseconds since 1970; negative before.
    pub mtime_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Inode; 0 where the system has none.
    pub inode: u64,
    /// When the inode last changed, in nanoseconds since 1970; 0 where the system does not say. Programs can reset a file's
    /// modification time, but not this one.
    pub ctime_ns: i64,
}

impl FileStat {
    /// Converts `metadata`.
    pub fn of(metadata: &Metadata) -> Self {
        let mtime_ns = metadata.modified().map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
        });
        let ctime_ns = metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec());
        Self { mtime_ns, size: metadata.len(), inode: metadata.ino(), ctime_ns }
    }
}

impl From<Stat> for FileStat {
    fn from(stat: Stat) -> Self {
        let nanoseconds = |(seconds, nanoseconds): (i128, i128)| {
            let since = seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds);
            i64::try_from(since).unwrap_or(if since < 0 { i64::MIN } else { i64::MAX })
        };
        Self {
            mtime_ns: nanoseconds(stat.modified),
            size: u64::try_from(stat.length).unwrap_or_default(),
            inode: stat.identity.1,
            ctime_ns: nanoseconds(stat.changed),
        }
    }
}

/// The content of a file, read at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The text as UTF-8; each invalid sequence is replaced.
    pub text: String,
    /// Hash of the bytes.
    pub hash: ContentHash,
    /// Metadata of the open file that was read.
    pub stat: FileStat,
}

/// The reason why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// The file is larger than the configured limit.
    #[error("{path}: {size} bytes, more than index.max_file_size ({limit})")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The file is not text.
    #[error("{path}: holds binary data, not text")]
    Binary {
        /// The file.
        path: PathBuf,
    },
}

/// Reads the file `path`, relative to the folder `root`, of at most `limit` bytes. A file that grows beyond the limit during the
/// read is refused. The function follows no link below the root and opens only regular files: a note may have been replaced by a
/// link or a pipe since the folder was listed.
///
/// # Errors
/// The file cannot be read, is no regular file, is too large, or holds NUL bytes among its first 8 KiB.
pub fn read(root: &Path, path: &str, limit: u64) -> Result<SourceFile, ReadError> {
    let shown = root.join(path);
    let failed = |reason| ReadError::Io { path: shown.clone(), reason };
    let file = open(root, path).map_err(failed)?;
    let stat = FileStat::of(&file.metadata().map_err(failed)?);
    let mut bytes = Vec::with_capacity(usize::try_from(stat.size.min(limit)).unwrap_or_default() + 1);
    file.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { path: shown, size: stat.size.max(limit + 1), limit });
    }
    if bytes[..bytes.len().min(8192)].contains(&0) {
        return Err(ReadError::Binary { path: shown });
    }
    let hash = ContentHash::of(&bytes);
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(SourceFile { text, hash, stat })
}

fn open(root: &Path, path: &str) -> io::Result<File> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = Folder::open(root)?.descend(folders.split('/').filter(|part| !part.is_empty()))?;
    if folder.link_target(name).is_some() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link"));
    }
    folder.open_file(name, Access::Read)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_are_replaced_in_the_text_but_hashed_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("note.md"), b"caf\xe9\n").unwrap();
        let file = read(folder.path(), "note.md", 100).unwrap();
        assert_eq!(file.text, "caf\u{fffd}\n");
        assert_eq!(file.hash, ContentHash::of(b"caf\xe9\n"));
        assert_eq!(file.stat.size, 5);
    }

    #[test]
    fn a_time_before_1970_is_negative() {
        let file = tempfile::tempfile().unwrap();
        file.set_modified(UNIX_EPOCH - std::time::Duration::from_secs(5)).unwrap();
        assert_eq!(FileStat::of(&file.metadata().unwrap()).mtime_ns, -5_000_000_000);
    }

    #[test]
    fn large_binary_and_missing_files_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.md");
        std::fs::write(&path, "12345").unwrap();
        let read = |limit| read(folder.path(), "note.md", limit);
        assert!(read(5).is_ok());
        assert!(matches!(read(4), Err(ReadError::TooLarge { limit: 4, .. })));
        std::fs::write(&path, b"a\0b").unwrap();
        assert!(matches!(read(9), Err(ReadError::Binary { .. })));
        assert!(super::read(folder.path(), "none.md", 9).unwrap_err().to_string().contains("none.md"));
    }

    /// A note may have become something else between the listing and the read.
    #[test]
    fn a_note_replaced_by_a_pipe_or_a_link_is_refused_at_once() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.md"), "outside").unwrap();
        let root = folder.path().join("vault");
        std::fs::create_dir(&root).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.join("pipe.md"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        symlink(outside.path().join("secret.md"), root.join("link.md")).unwrap();
        symlink(outside.path(), root.join("folder")).unwrap();
        for path in ["pipe.md", "link.md", "folder/secret.md", "../vault/pipe.md"] {
            assert!(matches!(read(&root, path, 100), Err(ReadError::Io { .. })), "{path}");
        }
    }
}
