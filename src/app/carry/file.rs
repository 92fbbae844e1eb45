//! The file in which an index is carried from one machine to another.
//!
//! Four parts follow each other:
//!
//! 1. the line `tars index 1`, whose number is the version of this format;
//! 2. a line of JSON, the [`Header`], of 64 KiB at most;
//! 3. a line of 64 hexadecimal digits, the blake3 hash of the line of JSON without its end;
//! 4. the index, which is one file of the engine, as one frame of zstd.
//!
//! The header says how long the index is and which blake3 hash it has. Nothing is unpacked before the header was checked, and never more
//! than the header says; nothing of it names a path.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::CarryError;
use crate::private;

/// The version of the format.
const FORMAT: u32 = 1;
/// What the first line begins with.
const MAGIC: &str = "tars index ";
/// The longest line of JSON, in bytes.
const LONGEST_HEADER: u64 = 64 << 10;
/// A fast level of zstd: half of an index are vectors, which no level makes much smaller.
const LEVEL: i32 = 3;
/// Bytes that are read at a time.
const STEP: usize = 1 << 16;

/// What is known of a carried index before it is unpacked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Header {
    /// The version of tars that wrote it.
    pub tars: String,
    /// When, RFC 3339.
    pub made: String,
    /// When the notes were last compared with it, RFC 3339.
    pub indexed_at: Option<String>,
    /// The version of the engine's form.
    pub schema: u32,
    /// Fingerprint of the model whose vectors it holds: the model's id and a hash of its files.
    pub model: Option<String>,
    /// How notes are cut.
    pub cutting: Option<Cutting>,
    /// The processor's architecture, and the instructions that the vectors were made with.
    pub processor: String,
    /// Notes in it.
    pub notes: usize,
    /// Passages of them.
    pub passages: usize,
    /// Passages that have a vector.
    pub embedded: usize,
    /// Length of the index in bytes.
    pub bytes: u64,
    /// Its blake3 hash, hexadecimal.
    pub blake3: String,
}

/// What decides how notes are cut into passages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cutting {
    /// Version of the chunker.
    pub chunker: u32,
    /// Version of what takes secrets out.
    pub redact: u32,
    /// Setting `chunk.target_tokens`.
    pub target_tokens: usize,
    /// Setting `chunk.passage_tokens`.
    pub passage_tokens: usize,
    /// Setting `chunk.overlap`.
    pub overlap: f64,
    /// Setting `chunk.context_prefix`.
    pub context_prefix: bool,
    /// Tokens of a passage and its context at most.
    pub window_tokens: usize,
    /// Name of the counter of tokens.
    pub counter: String,
}

/// Writes a header and the index behind it.
pub(super) fn write(out: &mut dyn Write, header: &Header, index: &Path) -> io::Result<()> {
    let json = serde_json::to_string(header)?;
    writeln!(out, "{MAGIC}{FORMAT}\n{json}\n{}", blake3::hash(json.as_bytes()).to_hex())?;
    let mut packed = zstd::stream::write::Encoder::new(out, LEVEL)?;
    packed.include_checksum(true)?;
    io::copy(&mut File::open(index)?, &mut packed)?;
    packed.finish()?.flush()
}

/// Returns the length of a file, and its blake3 hash.
pub(super) fn measured(path: &Path) -> io::Result<(u64, String)> {
    let mut hasher = blake3::Hasher::new();
    let bytes = io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok((bytes, hasher.finalize().to_hex().to_string()))
}

/// Whether a file begins as an exported index does.
pub(super) fn is_export(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *MAGIC.as_bytes()
}

/// A carried index whose header was read.
pub(super) struct Carried {
    path: std::path::PathBuf,
    file: BufReader<File>,
    pub(super) header: Header,
}

impl Carried {
    /// Opens the file at `path` and reads its header.
    ///
    /// # Errors
    /// It is no exported index, of a newer format, or damaged.
    pub(super) fn open(path: &Path) -> Result<Self, CarryError> {
        let mut file = BufReader::new(private::open_named(path).map_err(CarryError::io("read", path))?);
        let damaged = |detail: &str| CarryError::Damaged { path: path.to_owned(), detail: detail.to_owned() };
        let mut line = || -> Result<String, CarryError> {
            let mut bytes = Vec::new();
            (&mut file).take(LONGEST_HEADER + 1).read_until(b'\n', &mut bytes).map_err(CarryError::io("read", path))?;
            match bytes.pop() {
                Some(b'\n') => String::from_utf8(bytes).map_err(|_| damaged("its head is no text")),
                _ => Err(damaged("its head is cut short or too long")),
            }
        };
        let not_one = || CarryError::NotAnExport { path: path.to_owned() };
        let first = line().map_err(|_| not_one())?;
        let format: u32 = first.strip_prefix(MAGIC).and_then(|number| number.parse().ok()).ok_or_else(not_one)?;
        if format != FORMAT {
            return Err(CarryError::Format { path: path.to_owned(), found: format });
        }
        let (json, hash) = (line()?, line()?);
        if blake3::hash(json.as_bytes()).to_hex().as_str() != hash {
            return Err(damaged("its head is not what was written"));
        }
        let header =
            serde_json::from_str(&json).map_err(|error| damaged(&format!("its head cannot be read: {error}")))?;
        Ok(Self { path: path.to_owned(), file, header })
    }

    /// Unpacks the index into `out`; `step` is told of each piece's bytes, and says whether to go on.
    ///
    /// # Errors
    /// It is cut short, longer than its header says, or not what was written; or `out` cannot be written.
    pub(super) fn unpack(self, out: &mut dyn Write, step: &dyn Fn(usize) -> bool) -> Result<bool, CarryError> {
        let Self { path, file, header } = self;
        let damaged = |detail: String| CarryError::Damaged { path: path.clone(), detail };
        let mut packed = zstd::stream::read::Decoder::with_buffer(file).map_err(|error| damaged(error.to_string()))?;
        let (mut piece, mut hasher, mut left) = (vec![0; STEP], blake3::Hasher::new(), header.bytes);
        loop {
            let read = packed.read(&mut piece).map_err(|error| damaged(error.to_string()))?;
            if read == 0 {
                break;
            }
            left = left.checked_sub(read as u64).ok_or_else(|| damaged("it is longer than its head says".into()))?;
            hasher.update(&piece[..read]);
            out.write_all(&piece[..read]).map_err(CarryError::io("unpack", &path))?;
            if !step(read) {
                return Ok(false);
            }
        }
        if left > 0 {
            return Err(damaged(format!("{left} of {} bytes are missing", header.bytes)));
        }
        if hasher.finalize().to_hex().as_str() != header.blake3 {
            return Err(damaged("it is not what was written".into()));
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the bytes of a file that carries `index`.
    fn packed(folder: &Path, index: &[u8], change: impl FnOnce(&mut Header)) -> Vec<u8> {
        let path = folder.join("index");
        fs::write(&path, index).unwrap();
        let (bytes, blake3) = measured(&path).unwrap();
        let mut header = Header { tars: "0.1.0".into(), bytes, blake3, ..Header::default() };
        change(&mut header);
        let mut out = Vec::new();
        write(&mut out, &header, &path).unwrap();
        out
    }

    fn unpacked(folder: &Path, bytes: &[u8]) -> Result<Vec<u8>, CarryError> {
        let path = folder.join("carried");
        fs::write(&path, bytes).unwrap();
        let mut out = Vec::new();
        Carried::open(&path)?.unpack(&mut out, &|_| true).map(|_| out)
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let folder = tempfile::tempdir().unwrap();
        for index in [Vec::new(), b"index".repeat(100_000)] {
            assert_eq!(unpacked(folder.path(), &packed(folder.path(), &index, |_| ())).unwrap(), index);
        }
        let bytes = packed(folder.path(), b"index", |_| ());
        fs::write(folder.path().join("carried"), bytes).unwrap();
        let mut out = Vec::new();
        assert!(!Carried::open(&folder.path().join("carried")).unwrap().unpack(&mut out, &|_| false).unwrap());
        assert!(is_export(&folder.path().join("carried")) && !is_export(&folder.path().join("index")));
    }

    #[test]
    fn a_file_that_is_cut_short_or_changed_is_refused_wherever_that_is() {
        let folder = tempfile::tempdir().unwrap();
        let index: Vec<u8> =
            (0..40_000u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let whole = packed(folder.path(), &index, |_| ());
        for length in (0..whole.len()).step_by(997).chain([whole.len() - 1]) {
            assert!(unpacked(folder.path(), &whole[..length]).is_err(), "cut at {length}");
        }
        for place in (0..whole.len()).step_by(1_009) {
            let mut changed = whole.clone();
            changed[place] ^= 0x10;
            assert!(unpacked(folder.path(), &changed).is_err(), "changed at {place}");
        }
    }

    #[test]
    fn no_more_is_unpacked_than_the_head_says() {
        let folder = tempfile::tempdir().unwrap();
        let bomb = vec![0; 8 << 20];
        let said = |change: fn(&mut Header)| {
            unpacked(folder.path(), &packed(folder.path(), &bomb, change)).unwrap_err().to_string()
        };
        assert!(said(|header| header.bytes = 10).contains("longer than its head says"));
        assert!(said(|header| header.bytes += 1).contains("1 of 8388609 bytes are missing"));
        assert!(said(|header| header.blake3 = "0".repeat(64)).contains("not what was written"));
        assert!(unpacked(folder.path(), b"# A note\n").unwrap_err().to_string().contains("no index"));
        assert!(unpacked(folder.path(), b"tars index 2\n{}\n\n").unwrap_err().to_string().contains("newer tars"));
        let endless = [b"tars index 1\n".to_vec(), vec![b'x'; 1 << 20]].concat();
        assert!(unpacked(folder.path(), &endless).unwrap_err().to_string().contains("too long"));
    }
}
