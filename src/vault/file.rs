//! Reads one file.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::decode::{Decoding, decode, text_of};
use super::follow::followed;
use super::pdf_refusal::PdfRefusal;
use tars_base::disk::{Access, File, FileStat, Folder};
use tars_base::domain::ContentHash;
use tars_text::formats;

/// The content of a file, read at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The decoded text, as markdown ([`tars_text::formats`]).
    pub text: String,
    /// How it was decoded.
    pub decoding: Decoding,
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
    /// The text of a PDF is left out.
    #[error("{path}: {reason}")]
    Pdf {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: PdfRefusal,
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
/// The file cannot be read, is no regular file, is too large, or is binary.
pub fn read(root: &Path, path: &str, limit: u64) -> Result<SourceFile, ReadError> {
    read_following(root, &[], path, limit)
}

/// Reads a file like [`read`], but follows the links to folders at the absolute paths `links` ([`crate::WalkOptions::follow_links`]).
///
/// # Errors
/// As [`read`].
pub fn read_following(root: &Path, links: &[PathBuf], path: &str, limit: u64) -> Result<SourceFile, ReadError> {
    let (bytes, stat) = read_bytes(root, links, path, limit)?;
    let hash = ContentHash::of(&bytes);
    let decoded = decode(&bytes).map(|(text, decoding)| match text {
        // The bytes themselves are the text.
        Cow::Borrowed(_) => (None, decoding),
        Cow::Owned(text) => (Some(text), decoding),
    });
    let Some((text, decoding)) = decoded else { return Err(ReadError::Binary { path: root.join(path) }) };
    let text = text.unwrap_or_else(|| {
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    });
    let text = match formats::as_markdown(path, &text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    };
    Ok(SourceFile { text, decoding, hash, stat })
}

/// Returns the line of a file that holds `line` of its text, as [`read_following`] reads it: another one in files whose text stands in
/// JSON. An unreadable file has no other line.
pub fn line_in_file(file: &Path, line: usize, limit: u64) -> usize {
    let read = || {
        let (root, path) = (file.parent()?, file.file_name()?.to_str().filter(|name| formats::is_json(name))?);
        let (bytes, _) = read_bytes(root, &[], path, limit).ok()?;
        Some(formats::line_in_file(path, &text_of(&bytes), line))
    };
    read().unwrap_or(line)
}

/// Reads the bytes of a file like [`read_following`], of any kind.
///
/// # Errors
/// The file cannot be read, is no regular file, or is too large.
pub fn read_bytes(root: &Path, links: &[PathBuf], path: &str, limit: u64) -> Result<(Vec<u8>, FileStat), ReadError> {
    let shown = root.join(path);
    let failed = |reason| ReadError::Io { path: shown.clone(), reason };
    let file = open(root, links, path).map_err(failed)?;
    let stat = FileStat::of(&file.metadata().map_err(failed)?);
    let mut bytes = Vec::with_capacity(usize::try_from(stat.size.min(limit)).unwrap_or_default() + 1);
    file.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { path: shown, size: stat.size.max(limit + 1), limit });
    }
    Ok((bytes, stat))
}

fn open(root: &Path, links: &[PathBuf], path: &str) -> io::Result<File> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folder = Folder::open(root)?;
    for part in folders.split('/').filter(|part| !part.is_empty()) {
        folder = match followed(root, links, &folder.path().join(part)) {
            Some(target) => Folder::open_as(&target, &folder.path().join(part))?,
            None => folder.open_folder(part)?,
        };
    }
    if folder.link_target(name).is_some() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link"));
    }
    folder.open_file(name, Access::Read)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_encodings_are_decoded_but_hashed_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("note.md"), b"caf\xe9\n").unwrap();
        let file = read(folder.path(), "note.md", 100).unwrap();
        assert_eq!((file.text.as_str(), file.decoding), ("café\n", Decoding::From("windows-1252")));
        assert_eq!(file.hash, ContentHash::of(b"caf\xe9\n"));
        assert_eq!(file.stat.size, 5);
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
