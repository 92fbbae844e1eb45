//! A file of codes, mapped into memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use memmap2::{Mmap, MmapOptions};

use super::code::{Code, Coder};
use super::format::{BLOCK, HEADER, Header, NUMBERS, PIECE, State, block_len, levels_len, model_hash};
use crate::private;

/// Tells one file from the one that takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    inode: u64,
    len: u64,
    modified: Option<std::time::SystemTime>,
}

impl Identity {
    /// Returns the identity of the file at `path`; `None` where there is none, or what is there is none: to open a pipe would
    /// wait for the process that writes to it.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        Some(Self { inode: metadata.ino(), len: metadata.len(), modified: metadata.modified().ok() })
    }
}

/// Codes whose header and checksum are right.
#[derive(Debug)]
pub(super) struct CodeFile {
    header: Header,
    map: Mmap,
    coder: Coder,
}

impl CodeFile {
    /// Opens the file at `path` and reads all of it once to compare it with its checksum.
    ///
    /// # Errors
    /// It cannot be read, or it is none of ours, of another length than it says, or damaged.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let map = map(&private::open_named(path)?)?;
        let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {what}", path.display()));
        let header = Header::from_bytes(&map).ok_or_else(|| wrong("no header of this format"))?;
        if header.file_len() != Some(map.len()) {
            return Err(wrong("not as long as its header says"));
        }
        if crc32fast::hash(&map[HEADER..]) != header.body_crc {
            return Err(wrong("its checksum is another"));
        }
        let centre = map[HEADER..header.blocks_at()].as_chunks().0;
        let coder = Coder::with_centre(centre.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect());
        Ok(Self { header, map, coder })
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

    /// What its codes share.
    pub(super) fn coder(&self) -> &Coder {
        &self.coder
    }

    /// How many vectors its centre was found of.
    pub(super) fn centred(&self) -> usize {
        self.header.centred
    }

    /// How many vectors it holds.
    pub(super) fn len(&self) -> usize {
        self.header.count
    }

    /// Size of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// Returns the vectors of a block: their levels, and their offsets, factors and spreads.
    pub(super) fn block(&self, number: usize) -> (&[u8], &[[[u8; 2]; BLOCK]; NUMBERS]) {
        let len = block_len(self.header.dimensions);
        let block = &self.map[self.header.blocks_at() + number * len..][..len];
        let (levels, numbers) = block.split_at(levels_len(self.header.dimensions));
        let numbers = numbers.as_chunks().0.as_chunks().0.first_chunk();
        (levels, numbers.expect("a block ends with as many numbers"))
    }

    /// Returns the code in `slot`.
    pub(super) fn code(&self, slot: usize) -> Code {
        let (levels, numbers) = self.block(slot / BLOCK);
        let place = slot % BLOCK;
        let pieces = levels.as_chunks::<PIECE>().0.iter().skip(place).step_by(BLOCK);
        Code {
            levels: pieces.flatten().copied().collect(),
            numbers: std::array::from_fn(|number| u16::from_le_bytes(numbers[number][place])),
        }
    }

    /// Row of the vector in `slot`.
    pub(super) fn id(&self, slot: usize) -> i64 {
        u32::from_le_bytes(self.ids()[slot]).into()
    }

    /// Where the vector of row `id` lies.
    pub(super) fn slot(&self, id: i64) -> Option<usize> {
        self.ids().binary_search_by_key(&id, |bytes| u32::from_le_bytes(*bytes).into()).ok()
    }

    fn ids(&self) -> &[[u8; 4]] {
        self.map[self.header.rows_at()..].as_chunks().0
    }
}

/// Maps a file for reading, its pages fetched ahead.
fn map(file: &File) -> io::Result<Mmap> {
    #[expect(unsafe_code, reason = "mapped memory changes if the file does")]
    // SAFETY: tars writes a file of codes under another name before it takes its place, and never again; what replaces it
    // is another inode. So nothing of tars changes or shortens what is mapped, in this process or another. Its folder is
    // the user's own (mode 0700); a program that writes into it can end the process in simpler ways.
    unsafe {
        MmapOptions::new().populate().map(file)
    }
}
