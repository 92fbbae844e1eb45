//! The file format of an exported index.
//!
//! The file has four parts:
//!
//! 1. the line `tars index 1`, whose number is the version of this format;
//! 2. a line of JSON, the [`Header`], of 64 KiB at most;
//! 3. a line of 64 hexadecimal digits, the blake3 hash of the line of JSON without its line end;
//! 4. the index, which is one file of the engine, as one zstd frame.
//!
//! The header holds the length and the blake3 hash of the index. Unpacking starts only after the header was verified, and never
//! writes more than the header's length. The header contains no paths.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::IndexTransferError;
use tars_base::private;

/// The version of the format.
const FORMAT: u32 = 1;
/// The start of the first line.
const MAGIC: &str = "tars index ";
/// Maximum length of the line of JSON, in bytes.
const LONGEST_HEADER: u64 = 64 << 10;
/// A fast level of zstd: half of an index is vectors, which no level compresses well.
const LEVEL: i32 = 3;
/// Number of bytes to read at a time.
const BUFFER_SIZE: usize = 1 << 16;

/// The metadata of an exported index, readable before it is unpacked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Header {
    /// The version of tars that wrote it.
    pub tars: String,
    /// The time of the export, RFC 3339.
    pub made: String,
    /// When the notes were last compared with it, RFC 3339.
    pub indexed_at: Option<String>,
    /// The version of the engine's schema.
    pub schema: u32,
    /// Fingerprint of the model whose vectors it holds: the model's id and a hash of its files.
    pub model: Option<String>,
    /// How notes were cut.
    pub cutting: Option<ChunkingParameters>,
    /// The processor's architecture, and the instructions that the vectors were made with.
    pub processor: String,
    /// Number of notes.
    pub notes: usize,
    /// Number of passages.
    pub passages: usize,
    /// Number of passages with a vector.
    pub embedded: usize,
    /// Length of the index, in bytes.
    pub bytes: u64,
    /// Blake3 hash of the index, hexadecimal.
    pub blake3: String,
}

/// The parameters for cutting notes into passages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ChunkingParameters {
    /// Version of the chunker.
    pub chunker: u32,
    /// Version of the redaction.
    pub redact: u32,
    /// Setting `chunk.target_tokens`.
    pub target_tokens: usize,
    /// Setting `chunk.passage_tokens`.
    pub passage_tokens: usize,
    /// Setting `chunk.overlap`.
    pub overlap: f64,
    /// Setting `chunk.context_prefix`.
    pub context_prefix: bool,
    /// Maximum number of tokens of a passage with its context.
    pub window_tokens: usize,
    /// Name of the token counter.
    pub counter: String,
}

/// Writes a header and the index after it.
pub(super) fn write(out: &mut dyn Write, header: &Header, index: &Path) -> io::Result<()> {
    let json = serde_json::to_string(header)?;
    writeln!(out, "{MAGIC}{FORMAT}\n{json}\n{}", blake3::hash(json.as_bytes()).to_hex())?;
    let mut packed = zstd::stream::write::Encoder::new(out, LEVEL)?;
    packed.include_checksum(true)?;
    io::copy(&mut File::open(index)?, &mut packed)?;
    packed.finish()?.flush()
}

/// Returns the length and the blake3 hash of a file.
pub(super) fn measured(path: &Path) -> io::Result<(u64, String)> {
    let mut hasher = blake3::Hasher::new();
    let bytes = io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok((bytes, hasher.finalize().to_hex().to_string()))
}

/// Whether a file starts like an exported index.
pub(super) fn is_export(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *MAGIC.as_bytes()
}

/// An exported index with its parsed header.
pub(super) struct ExportReader {
    path: std::path::PathBuf,
    file: BufReader<File>,
    pub(super) header: Header,
}

impl ExportReader {
    /// Opens the file at `path` and reads its header.
    ///
    /// # Errors
    /// It is not an exported index, has a newer format, or is damaged.
    pub(super) fn open(path: &Path) -> Result<Self, IndexTransferError> {
        let mut file =
            BufReader::new(private::open_untrusted_path(path).map_err(IndexTransferError::io("read", path))?);
        let damaged = |detail: &str| IndexTransferError::Damaged { path: path.to_owned(), detail: detail.to_owned() };
        let mut line = || -> Result<String, IndexTransferError> {
            let mut bytes = Vec::new();
            (&mut file)
                .take(LONGEST_HEADER + 1)
                .read_until(b'\n', &mut bytes)
                .map_err(IndexTransferError::io("read", path))?;
            match bytes.pop() {
                Some(b'\n') => String::from_utf8(bytes).map_err(|_| damaged("its header is not text")),
                _ => Err(damaged("its header is truncated or too long")),
            }
        };
        let not_one = || IndexTransferError::NotAnExport { path: path.to_owned() };
        let first = line().map_err(|_| not_one())?;
        let format: u32 = first.strip_prefix(MAGIC).and_then(|number| number.parse().ok()).ok_or_else(not_one)?;
        if format != FORMAT {
            return Err(IndexTransferError::Format { path: path.to_owned(), found: format });
        }
        let (json, hash) = (line()?, line()?);
        if blake3::hash(json.as_bytes()).to_hex().as_str() != hash {
            return Err(damaged("its header has changed since it was written"));
        }
        let header =
            serde_json::from_str(&json).map_err(|error| damaged(&format!("its header cannot be parsed: {error}")))?;
        Ok(Self { path: path.to_owned(), file, header })
    }

    /// Unpacks the index into `out`; `step` receives the size of each piece and returns whether to continue.
    ///
    /// # Errors
    /// The index is truncated, longer than its header states, or changed; or `out` cannot be written.
    pub(super) fn unpack(self, out: &mut dyn Write, step: &dyn Fn(usize) -> bool) -> Result<bool, IndexTransferError> {
        let Self { path, file, header } = self;
        let damaged = |detail: String| IndexTransferError::Damaged { path: path.clone(), detail };
        let mut packed = zstd::stream::read::Decoder::with_buffer(file).map_err(|error| damaged(error.to_string()))?;
        let (mut piece, mut hasher, mut left) = (vec![0; BUFFER_SIZE], blake3::Hasher::new(), header.bytes);
        loop {
            let read = packed.read(&mut piece).map_err(|error| damaged(error.to_string()))?;
            if read == 0 {
                break;
            }
            left = left.checked_sub(read as u64).ok_or_else(|| damaged("it is longer than its header says".into()))?;
            hasher.update(&piece[..read]);
            out.write_all(&piece[..read]).map_err(IndexTransferError::io("unpack", &path))?;
            if !step(read) {
                return Ok(false);
            }
        }
        if left > 0 {
            return Err(damaged(format!("{left} of {} bytes are missing", header.bytes)));
        }
        if hasher.finalize().to_hex().as_str() != header.blake3 {
            return Err(damaged("it has changed since it was written".into()));
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the bytes of an export file that holds `index`.
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

    fn unpacked(folder: &Path, bytes: &[u8]) -> Result<Vec<u8>, IndexTransferError> {
        let path = folder.join("carried");
        fs::write(&path, bytes).unwrap();
        let mut out = Vec::new();
        ExportReader::open(&path)?.unpack(&mut out, &|_| true).map(|_| out)
    }

    #[test]
    fn an_index_survives_packing_and_unpacking() {
        let folder = tempfile::tempdir().unwrap();
        for index in [Vec::new(), b"index".repeat(100_000)] {
            assert_eq!(unpacked(folder.path(), &packed(folder.path(), &index, |_| ())).unwrap(), index);
        }
        let bytes = packed(folder.path(), b"index", |_| ());
        fs::write(folder.path().join("carried"), bytes).unwrap();
        let mut out = Vec::new();
        assert!(!ExportReader::open(&folder.path().join("carried")).unwrap().unpack(&mut out, &|_| false).unwrap());
        assert!(is_export(&folder.path().join("carried")) && !is_export(&folder.path().join("index")));
    }

    #[test]
    fn a_truncated_or_changed_file_is_refused() {
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
    fn unpacking_stops_at_the_length_in_the_header() {
        let folder = tempfile::tempdir().unwrap();
        let bomb = vec![0; 8 << 20];
        let said = |change: fn(&mut Header)| {
            unpacked(folder.path(), &packed(folder.path(), &bomb, change)).unwrap_err().to_string()
        };
        assert!(said(|header| header.bytes = 10).contains("longer than its header says"));
        assert!(said(|header| header.bytes += 1).contains("1 of 8388609 bytes are missing"));
        assert!(said(|header| header.blake3 = "0".repeat(64)).contains("has changed since"));
        assert!(unpacked(folder.path(), b"# A note\n").unwrap_err().to_string().contains("no index"));
        assert!(unpacked(folder.path(), b"tars index 2\n{}\n\n").unwrap_err().to_string().contains("newer tars"));
        let endless = [b"tars index 1\n".to_vec(), vec![b'x'; 1 << 20]].concat();
        assert!(unpacked(folder.path(), &endless).unwrap_err().to_string().contains("too long"));
    }
}
