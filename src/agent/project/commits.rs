//! Reads commits from a repository's object store.
//!
//! Format: `git help gitformat-pack` (versions 2 of pack and index) and `git help gitformat-loose`. Repositories may come from others, so
//! each object has a size limit and each chain of deltas a length limit. Alternates, SHA-256 and reftable are not read: what depends on
//! them is unknown.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use tars_base::private;

/// Most bytes of an object that are read: a commit is a few hundred bytes long.
const MAX_OBJECT: u64 = 1 << 20;
/// Longest chain of deltas; git makes chains of 50 at most unless a person asks for more.
const MAX_CHAIN: usize = 250;
/// Most packs that are searched.
const MAX_PACKS: usize = 50;
/// Place of the table of names in an index: after magic, version and the 256 sums of the first byte.
const NAMES: u64 = 8 + 256 * 4;

/// The name of an object: 20 bytes of SHA-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ObjectId([u8; 20]);

impl ObjectId {
    /// Parses 40 hexadecimal digits. The name of no object at all, forty zeros, gives `None`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits: &[u8; 40] = text.as_bytes().try_into().ok()?;
        let mut bytes = [0; 20];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        (bytes != [0; 20]).then_some(Self(bytes))
    }

    fn hex(self) -> String {
        tars_base::domain::hex(&self.0)
    }
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commit {
    /// The content of all files.
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    /// When it was committed, in seconds since 1970.
    pub(super) time: i64,
}

impl Commit {
    fn parse(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let (mut tree, mut parents, mut time) = (None, Vec::new(), None);
        for line in text.lines().take_while(|line| !line.is_empty()) {
            match line.split_once(' ') {
                Some(("tree", id)) => tree = ObjectId::parse(id),
                Some(("parent", id)) => parents.push(ObjectId::parse(id)?),
                // `committer NAME <ADDRESS> SECONDS ZONE`
                Some(("committer", who)) => time = who.rsplit(' ').nth(1).and_then(|seconds| seconds.parse().ok()),
                _ => {}
            }
        }
        Some(Self { tree: tree?, parents, time: time? })
    }
}

/// The objects of a repository.
pub(super) struct Objects {
    folder: PathBuf,
    packs: OnceCell<Vec<Pack>>,
}

/// A pack and its index.
struct Pack {
    index: File,
    pack: File,
    /// Number of objects.
    count: u32,
}

impl Objects {
    /// Returns the objects in the folder `objects` of a repository.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, packs: OnceCell::new() }
    }

    /// Reads a commit; `None` if it is missing, damaged or something else.
    pub(super) fn commit(&self, id: ObjectId) -> Option<Commit> {
        if let Some(text) = self.loose(id) {
            return Commit::parse(text.strip_prefix(b"commit ")?.splitn(2, |byte| *byte == 0).nth(1)?);
        }
        let packs = self.packs.get_or_init(|| packs(&self.folder.join("pack")));
        let (pack, place) = packs.iter().find_map(|pack| Some((pack, pack.place(id)?)))?;
        let (kind, text) = pack.object(place, MAX_CHAIN)?;
        Commit::parse(&text).filter(|_| kind == COMMIT)
    }

    /// Reads an object that has a file of its own, with its header.
    fn loose(&self, id: ObjectId) -> Option<Vec<u8>> {
        let hex = id.hex();
        let file = private::open_untrusted_path(&self.folder.join(&hex[..2]).join(&hex[2..])).ok()?;
        inflated(file)
    }
}

fn packs(folder: &Path) -> Vec<Pack> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let indexes = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "idx"));
    indexes.take(MAX_PACKS).filter_map(|path| Pack::open(&path)).collect()
}

/// Types of objects in a pack.
const COMMIT: u8 = 1;
const OFFSET_DELTA: u8 = 6;
const NAMED_DELTA: u8 = 7;

impl Pack {
    fn open(index: &Path) -> Option<Self> {
        let pack = private::open_untrusted_path(&index.with_extension("pack")).ok()?;
        let index = private::open_untrusted_path(index).ok()?;
        if bytes_at::<8>(&index, 0)? != *b"\xfftOc\0\0\0\x02" {
            return None;
        }
        let count = number_at(&index, NAMES - 4)?;
        Some(Self { index, pack, count })
    }

    /// Returns the place of an object in the pack.
    fn place(&self, id: ObjectId) -> Option<u64> {
        let first = u64::from(id.0[0]);
        let mut low = if first == 0 { 0 } else { number_at(&self.index, 8 + (first - 1) * 4)? };
        let mut high = number_at(&self.index, 8 + first * 4)?.min(self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            let name = bytes_at::<20>(&self.index, NAMES + u64::from(middle) * 20)?;
            match name.cmp(&id.0) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.nth_place(middle),
            }
        }
        None
    }

    /// Returns the place of the object whose name is the `nth` of the index. Checksums of four bytes stand between names and places.
    fn nth_place(&self, nth: u32) -> Option<u64> {
        let (nth, count) = (u64::from(nth), u64::from(self.count));
        let place = number_at(&self.index, NAMES + count * 24 + nth * 4)?;
        if place & 1 << 31 == 0 {
            return Some(u64::from(place));
        }
        // Packs of more than 2 GB have a table of longer places.
        let far = u64::from(place & !(1 << 31));
        Some(u64::from_be_bytes(bytes_at(&self.index, NAMES + count * 28 + far * 8)?))
    }

    /// Returns the type and the text of the object at `place`, of which at most `chain` bases are read.
    fn object(&self, place: u64, chain: usize) -> Option<(u8, Vec<u8>)> {
        let mut header = [0; 64];
        let read = self.pack.read_at(&mut header, place).ok()?;
        let mut rest = header[..read].iter().copied();
        let first = rest.next()?;
        let kind = first >> 4 & 7;
        if first & 0x80 != 0 {
            rest.by_ref().find(|byte| byte & 0x80 == 0)?;
        }
        let base = match kind {
            OFFSET_DELTA => Some(place.checked_sub(distance(&mut rest)?)?),
            NAMED_DELTA => {
                let name: Vec<u8> = rest.by_ref().take(20).collect();
                Some(self.place(ObjectId(name.try_into().ok()?))?)
            }
            _ => None,
        };
        let begin = place + (read - rest.len()) as u64;
        let mut file = &self.pack;
        file.seek(SeekFrom::Start(begin)).ok()?;
        let text = inflated(file)?;
        match base {
            None => Some((kind, text)),
            Some(base) => {
                let (kind, base) = self.object(base, chain.checked_sub(1)?)?;
                Some((kind, patched(&base, &text)?))
            }
        }
    }
}

/// Reads how far before a delta its base lies: seven bits a byte, the highest first, each continued byte one more than its bits say.
fn distance(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut byte = bytes.next()?;
    let mut value = u64::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = bytes.next()?;
        value = value.checked_add(1)?.checked_mul(128)? | u64::from(byte & 0x7f);
    }
    Some(value)
}

/// Returns `base` as a delta changes it.
fn patched(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = delta.iter().copied();
    let (_, length) = (size(&mut bytes)?, size(&mut bytes)?);
    if length > MAX_OBJECT {
        return None;
    }
    let mut out = Vec::new();
    while let Some(command) = bytes.next() {
        if command & 0x80 == 0 {
            let before = out.len();
            out.extend(bytes.by_ref().take(usize::from(command)));
            if command == 0 || out.len() - before < usize::from(command) {
                return None;
            }
        } else {
            let mut given = |bits: std::ops::Range<u8>| {
                bits.clone()
                    .filter(|bit| command >> bit & 1 != 0)
                    .try_fold(0, |sum: usize, bit| Some(sum | usize::from(bytes.next()?) << (8 * (bit - bits.start))))
            };
            let start = given(0..4)?;
            let length = Some(given(4..7)?).filter(|length| *length > 0).unwrap_or(0x10000);
            out.extend_from_slice(base.get(start..start.checked_add(length)?)?);
        }
        if out.len() as u64 > length {
            return None;
        }
    }
    (out.len() as u64 == length).then_some(out)
}

/// Reads a length of a delta: seven bits a byte, the lowest first.
fn size(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let byte = bytes.next()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Returns compressed bytes in plain; `None` if they are damaged or too long.
fn inflated(compressed: impl Read) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    ZlibDecoder::new(compressed).take(MAX_OBJECT + 1).read_to_end(&mut out).ok()?;
    (out.len() as u64 <= MAX_OBJECT).then_some(out)
}

fn bytes_at<const N: usize>(file: &File, place: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact_at(&mut bytes, place).ok()?;
    Some(bytes)
}

fn number_at(file: &File, place: u64) -> Option<u32> {
    bytes_at(file, place).map(u32::from_be_bytes)
}
