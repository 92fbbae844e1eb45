//! How codes lie in their file. All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | `TARSCODE` |
//! | 8–11 | version of the format, 2 |
//! | 12–15 | values in a vector |
//! | 16–23 | vectors |
//! | 24–31 | number of the change after which it was made |
//! | 32–39 | that change's nonce |
//! | 40–71 | blake3 of the model's id |
//! | 72–79 | how many vectors there were when the centre was found |
//! | 80–83 | CRC-32 of everything from byte 128 to the end |
//! | 84–87 | CRC-32 of bytes 0–83 |
//! | 88–127 | zeros |
//! | 128– | the centre, rotated: f32, as many as a vector has values, rounded up to 16 (the *width*) |
//! | then | blocks of 32 vectors each, the last filled up with zeros |
//! | then | rows of the vectors in the database, 4 bytes each, ascending |
//!
//! A block holds, for each 16 values of the width, 4 bytes of each of its vectors in turn, so that one machine instruction
//! goes on with the sums of 16 vectors. Bits `2 * k` and the next of byte `j` are the level, 0 to 3, of value `4 * k + j` of
//! those 16. Then come, for each vector, its offset, its factor and its spread (see `code`), as the upper half of an f32.

pub(super) use super::dot::{BLOCK, GROUP, PIECE};

/// Length of what stands before the centre.
pub(super) const HEADER: usize = 128;
/// Numbers that belong to a vector beside its levels.
pub(super) const NUMBERS: usize = 3;
const MAGIC: &[u8; 8] = b"TARSCODE";
const VERSION: u32 = 2;

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
    pub(super) centred: usize,
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
        bytes[72..80].copy_from_slice(&(self.centred as u64).to_le_bytes());
        bytes[80..84].copy_from_slice(&self.body_crc.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..84]);
        bytes[84..88].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads a header; `None` where it is another format's or damaged.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let long = |at: usize| Some(i64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let sound = bytes.len() >= HEADER
            && bytes.starts_with(MAGIC)
            && number(8)? == VERSION
            && number(84)? == crc32fast::hash(&bytes[..84])
            && bytes[88..HEADER].iter().all(|byte| *byte == 0);
        sound.then_some(())?;
        Some(Self {
            dimensions: usize::try_from(number(12)?).ok()?,
            count: usize::try_from(long(16)?).ok()?,
            state: State { number: long(24)?, nonce: long(32)? },
            model: *bytes.get(40..)?.first_chunk()?,
            centred: usize::try_from(long(72)?).ok()?,
            body_crc: number(80)?,
        })
    }

    /// Where the blocks begin.
    pub(super) fn blocks_at(&self) -> usize {
        HEADER + 4 * width(self.dimensions)
    }

    /// Where the rows begin.
    pub(super) fn rows_at(&self) -> usize {
        self.blocks_at() + self.count.div_ceil(BLOCK) * block_len(self.dimensions)
    }

    /// Length of the whole file; `None` where it would be beyond all measure.
    pub(super) fn file_len(&self) -> Option<usize> {
        let blocks = self.count.div_ceil(BLOCK).checked_mul(block_len(self.dimensions))?;
        blocks.checked_add(self.count.checked_mul(4)?)?.checked_add(self.blocks_at())
    }
}

/// How many values a vector has once it is filled up with zeros.
pub(super) fn width(dimensions: usize) -> usize {
    dimensions.next_multiple_of(GROUP)
}

/// Bytes of the levels of a block.
pub(super) fn levels_len(dimensions: usize) -> usize {
    width(dimensions) / 4 * BLOCK
}

/// Bytes of a block.
pub(super) fn block_len(dimensions: usize) -> usize {
    levels_len(dimensions) + 2 * NUMBERS * BLOCK
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
            count: 70,
            state: State { number: 9, nonce: -3 },
            model: model_hash("a"),
            centred: 41,
            body_crc: 17,
        };
        let bytes = header.to_bytes();
        assert_eq!(Header::from_bytes(&bytes), Some(header.clone()));
        assert_eq!(header.file_len(), Some(128 + 384 * 4 + 3 * 32 * (96 + 6) + 70 * 4));
        assert_eq!(header.rows_at() + 70 * 4, header.file_len().unwrap());
        for at in 0..88 {
            let mut other = bytes;
            other[at] ^= 4;
            assert_eq!(Header::from_bytes(&other), None, "byte {at}");
        }
        assert_eq!(Header::from_bytes(&bytes[..100]), None);
        assert_eq!(Header { count: usize::MAX, ..header }.file_len(), None);
    }
}
