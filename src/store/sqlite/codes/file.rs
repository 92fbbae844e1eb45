//! A file of codes, mapped into memory.

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::{Mmap, MmapOptions};

use super::format::{HEADER, Header, State, model_hash};

/// Tells one file from the one that takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    inode: u64,
    len: u64,
    modified: Option<std::time::SystemTime>,
}

impl Identity {
    /// Returns the identity of the file at `path`; `None` where there is none.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Some(Self { inode, len: metadata.len(), modified: metadata.modified().ok() })
    }
}

/// Codes whose header and checksum are right.
#[derive(Debug)]
pub(super) struct CodeFile {
    header: Header,
    map: Mmap,
}

impl CodeFile {
    /// Opens the file at `path` and reads all of it once to compare it with its checksum.
    ///
    /// # Errors
    /// It cannot be read, or it is none of ours, of another length than it says, or damaged.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let map = map(&File::open(path)?)?;
        let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {what}", path.display()));
        let header = Header::from_bytes(&map).ok_or_else(|| wrong("no header of this format"))?;
        if header.file_len() != Some(map.len()) {
            return Err(wrong("not as long as its header says"));
        }
        if crc32fast::hash(&map[HEADER..]) != header.body_crc {
            return Err(wrong("its checksum is another"));
        }
        Ok(Self { header, map })
    }

    pub(super) fn state(&self) -> State {
        self.header.state
    }

    pub(super) fn is_of(&self, model: &str) -> bool {
        self.header.model == model_hash(model)
    }

    pub(super) fn dimensions(&self) -> usize {
        self.header.dimensions
    }

    /// Bytes of one code.
    pub(super) fn stride(&self) -> usize {
        self.header.stride()
    }

    /// How many vectors it holds.
    pub(super) fn len(&self) -> usize {
        self.header.count
    }

    /// Size of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// All codes, [`CodeFile::stride`] bytes each.
    pub(super) fn codes(&self) -> &[u8] {
        &self.map[HEADER..HEADER + self.len() * self.stride()]
    }

    /// Row of the vector in `slot`.
    pub(super) fn id(&self, slot: usize) -> i64 {
        i64::from_le_bytes(self.ids()[slot])
    }

    /// Where the vector of row `id` lies.
    pub(super) fn slot(&self, id: i64) -> Option<usize> {
        self.ids().binary_search_by_key(&id, |bytes| i64::from_le_bytes(*bytes)).ok()
    }

    /// What each code is multiplied by, little-endian.
    pub(super) fn steps(&self) -> &[[u8; 4]] {
        self.floats(0)
    }

    /// Length of what each code lacks, little-endian.
    pub(super) fn lacks(&self) -> &[[u8; 4]] {
        self.floats(1)
    }

    fn ids(&self) -> &[[u8; 8]] {
        let start = HEADER + self.len() * self.stride();
        self.map[start..start + 8 * self.len()].as_chunks().0
    }

    fn floats(&self, column: usize) -> &[[u8; 4]] {
        let start = HEADER + self.len() * (self.stride() + 8 + 4 * column);
        self.map[start..start + 4 * self.len()].as_chunks().0
    }
}

/// Maps a file for reading, its pages fetched ahead.
fn map(file: &File) -> io::Result<Mmap> {
    #[expect(unsafe_code, reason = "mapped memory changes if the file does")]
    // SAFETY: tars writes a file of codes under another name before it takes its place, and never again; what replaces it
    // is another inode. So nothing of tars changes or shortens what is mapped, in this process or another. Its folder is
    // the user's own (mode 0700); whoever writes into it can end the process in simpler ways.
    unsafe {
        MmapOptions::new().populate().map(file)
    }
}
