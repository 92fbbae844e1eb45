//! The word vectors of a vocabulary, borrowed from any storage.

use crate::safetensors::f16_to_f32;

/// Number of weights that share a scale in the packed form.
pub(super) const BLOCK_WEIGHTS: usize = 32;

/// Bytes of a packed block: the scale, then half a byte for each weight.
pub(super) const BLOCK_BYTES: usize = 2 + BLOCK_WEIGHTS / 2;

/// A vector for each token of the vocabulary.
#[derive(Debug, Clone, Copy)]
pub(super) enum WordEmbeddings<'a> {
    /// One byte per number.
    Bytes {
        /// Vector after vector.
        values: &'a [i8],
        /// Scale of each token's vector.
        scales: &'a [f32],
    },
    /// Half a byte per number, vector after vector, in blocks of [`BLOCK_BYTES`] bytes. The first two bytes of a block are the
    /// scale as a 16-bit float. The lower halves of the others hold the first 16 numbers, the upper halves the last 16, each
    /// plus 8. A table of a quarter of a million tokens is thus read from disk as needed instead of filling the memory.
    Packed(&'a [u8]),
}

impl WordEmbeddings<'_> {
    /// Appends the vector of the token `id`, with `position` added to it.
    ///
    /// # Panics
    /// Panics if the token is not in the vocabulary.
    pub(super) fn extend(&self, id: u32, position: &[f32], values: &mut Vec<f32>) {
        let (id, hidden) = (id as usize, position.len());
        match self {
            Self::Bytes { values: bytes, scales } => {
                let scale = scales[id];
                let bytes = &bytes[id * hidden..][..hidden];
                values.extend(bytes.iter().zip(position).map(|(byte, position)| f32::from(*byte) * scale + position));
            }
            Self::Packed(blocks) => {
                let width = hidden / BLOCK_WEIGHTS * BLOCK_BYTES;
                let start = values.len();
                unpack(&blocks[id * width..][..width], values);
                for (value, position) in values[start..].iter_mut().zip(position) {
                    *value += position;
                }
            }
        }
    }
}

/// Appends the numbers of packed blocks.
pub(super) fn unpack(blocks: &[u8], values: &mut Vec<f32>) {
    for block in blocks.chunks_exact(BLOCK_BYTES) {
        let scale = block_scale(block);
        let number = |half: u8| f32::from(half as i8 - 8) * scale;
        values.extend(block[2..].iter().map(|byte| number(byte & 15)));
        values.extend(block[2..].iter().map(|byte| number(byte >> 4)));
    }
}

/// Returns the scale of a block.
pub(super) fn block_scale(block: &[u8]) -> f32 {
    f16_to_f32(u16::from_le_bytes([block[0], block[1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_give_the_vector_of_a_token_plus_its_position() {
        let position = [0.5; BLOCK_WEIGHTS];
        let mut bytes = vec![0i8; 2 * BLOCK_WEIGHTS];
        bytes[BLOCK_WEIGHTS..].iter_mut().zip(-8i8..).for_each(|(byte, value)| *byte = value.min(7));
        let mut blocks = vec![0u8; 2 * BLOCK_BYTES];
        blocks[BLOCK_BYTES..BLOCK_BYTES + 2].copy_from_slice(&0x3800u16.to_le_bytes());
        for (at, byte) in blocks[BLOCK_BYTES + 2..].iter_mut().enumerate() {
            *byte = (bytes[BLOCK_WEIGHTS + at] + 8) as u8 | ((bytes[BLOCK_WEIGHTS + at + 16] + 8) as u8) << 4;
        }
        let (mut plain, mut packed) = (Vec::new(), Vec::new());
        WordEmbeddings::Bytes { values: &bytes, scales: &[1.0, 0.5] }.extend(1, &position, &mut plain);
        WordEmbeddings::Packed(&blocks).extend(1, &position, &mut packed);
        assert_eq!(plain, packed);
        assert_eq!((plain[0], plain[15], plain[31]), (-3.5, 4.0, 4.0));
    }
}
