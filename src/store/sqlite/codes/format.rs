//! How codes lie in their file. All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | `TARSCODE` |
//! | 8–11 | version of the format, 1 |
//! | 12–15 | values in a vector |
//! | 16–23 | vectors |
//! | 24–31 | number of the change after which it was made |
//! | 32–39 | that change's nonce |
//! | 40–71 | blake3 of the model's id |
//! | 72–75 | CRC-32 of everything from byte 128 to the end |
//! | 76–79 | CRC-32 of bytes 0–75 |
//! | 80–127 | zeros |
//! | 128– | codes: for each vector so many bytes as it has values, rounded up to 64 with zeros |
//! | then | rows of the vectors in the database, 8 bytes each, ascending |
//! | then | steps: what a code is multiplied by, f32 each |
//! | then | lengths of what rounding took away, f32 each |

/// Length of what stands before the codes.
pub(super) const HEADER: usize = 128;
/// Codes are padded to a multiple of this, one step of the widest machine instructions.
const LANE: usize = 64;
const MAGIC: &[u8; 8] = b"TARSCODE";
const VERSION: u32 = 1;
/// Bytes that each vector takes beside its code.
const TAIL: usize = 8 + 4 + 4;

/// A state of the vectors: the last change, and what tells it from one of another database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    /// Its number.
    pub(super) number: i64,
    /// A random number that it was given.
    pub(super) nonce: i64,
}

/// What a file says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) dimensions: usize,
    pub(super) count: usize,
    pub(super) state: State,
    pub(super) model: [u8; 32],
    pub(super) body_crc: u32,
}

impl Header {
    pub(super) fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(self.dimensions as u32).to_le_bytes());
        bytes[16..24].copy_from_slice(&(self.count as u64).to_le_bytes());
        bytes[24..32].copy_from_slice(&self.state.number.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.state.nonce.to_le_bytes());
        bytes[40..72].copy_from_slice(&self.model);
        bytes[72..76].copy_from_slice(&self.body_crc.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..76]);
        bytes[76..80].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads a header; `None` where it is another format's or damaged.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let long = |at: usize| Some(i64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let sound = bytes.len() >= HEADER
            && bytes.starts_with(MAGIC)
            && number(8)? == VERSION
            && number(76)? == crc32fast::hash(&bytes[..76]);
        sound.then_some(())?;
        Some(Self {
            dimensions: usize::try_from(number(12)?).ok()?,
            count: usize::try_from(long(16)?).ok()?,
            state: State { number: long(24)?, nonce: long(32)? },
            model: *bytes.get(40..)?.first_chunk()?,
            body_crc: number(72)?,
        })
    }

    /// Bytes of one code.
    pub(super) fn stride(&self) -> usize {
        stride(self.dimensions)
    }

    /// Length of the whole file; `None` where it would be beyond all measure.
    pub(super) fn file_len(&self) -> Option<usize> {
        self.count.checked_mul(self.stride() + TAIL)?.checked_add(HEADER)
    }
}

/// Bytes of one code.
pub(super) fn stride(dimensions: usize) -> usize {
    dimensions.next_multiple_of(LANE)
}

/// How a model is named in a header.
pub(super) fn model_hash(model: &str) -> [u8; 32] {
    *blake3::hash(model.as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_it_was_written_and_no_other_is() {
        let header = Header {
            dimensions: 384,
            count: 7,
            state: State { number: 9, nonce: -3 },
            model: model_hash("a"),
            body_crc: 17,
        };
        let bytes = header.to_bytes();
        assert_eq!(Header::from_bytes(&bytes), Some(header.clone()));
        assert_eq!(header.file_len(), Some(128 + 7 * 400));
        for at in 0..80 {
            let mut other = bytes;
            other[at] ^= 4;
            assert_eq!(Header::from_bytes(&other), None, "byte {at}");
        }
        assert_eq!(Header::from_bytes(&bytes[..100]), None);
        assert_eq!(Header { count: usize::MAX, ..header }.file_len(), None);
    }
}
