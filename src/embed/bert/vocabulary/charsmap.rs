//! SentencePiece's table of character replacements, as in `tokenizer.json` (`precompiled_charsmap`).
//!
//! Encoded in base64: the size of a trie in bytes as u32, the trie, and then the replacements, each terminated by a byte 0. The trie is a
//! double array of u32 (darts-clone). In a unit, bits 0 to 7 and 31 are the byte that leads to it, bit 8 says that a spelling ends there,
//! and the upper bits are the offset of its children, times 256 if bit 9 is set. The unit of an end holds the offset of the replacement.
//!
//! The table's entries for sequences of several characters are Unicode composition, which [`super::super::unigram`] does itself.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Maximum bytes of one replacement. The longest in Unicode has 33.
const MAX_REPLACEMENT: usize = 64;
/// Maximum bytes of all replacements: SentencePiece's own tables have less than 64 KiB.
const MAX_TOTAL: usize = 1 << 20;

/// Single characters and their replacements, in the form of [`super::super::unigram::ReplacementTable`].
#[derive(Debug, Default)]
pub(super) struct Replacements {
    pub(super) from: Vec<u32>,
    pub(super) ends: Vec<u32>,
    pub(super) text: String,
}

impl Replacements {
    /// Parses the table.
    ///
    /// # Errors
    /// A short description of the error.
    pub(super) fn read(encoded: &str) -> Result<Self, String> {
        let bytes = STANDARD.decode(encoded).map_err(|_| "its table of characters is not base64")?;
        let (size, rest) = bytes.split_first_chunk().ok_or(CUT_OFF)?;
        let size = u32::from_le_bytes(*size) as usize;
        let (units, text) = rest.split_at_checked(size).ok_or(CUT_OFF)?;
        let mut reader = Reader { units, text, found: Self::default() };
        if !reader.is_sound() {
            return Err("its table of characters is inconsistent".into());
        }
        let root = reader.unit(0).ok_or(CUT_OFF)?;
        // The first byte of a character determines its length.
        for (first, length) in (1..=0x7f).map(|byte| (byte, 1)).chain((0xc2..=0xf4).map(|byte| (byte, width(byte)))) {
            reader.walk(children(root), &mut vec![first], length)?;
        }
        Ok(reader.found)
    }

    /// Replaces `c` by a space, unless it has a replacement already.
    pub(super) fn blank(&mut self, c: char) {
        if let Err(place) = self.from.binary_search(&u32::from(c)) {
            let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
            self.from.insert(place, u32::from(c));
            self.text.insert(start as usize, ' ');
            self.ends.insert(place, start);
            self.ends[place..].iter_mut().for_each(|end| *end += 1);
        }
    }
}

const CUT_OFF: &str = "its table of characters is cut off";

struct Reader<'a> {
    units: &'a [u8],
    text: &'a [u8],
    found: Replacements,
}

impl Reader<'_> {
    fn unit(&self, at: usize) -> Option<u32> {
        let bytes = self.units.get(at.checked_mul(4)?..)?;
        Some(u32::from_le_bytes(*bytes.first_chunk()?))
    }

    /// Whether no path through the trie leads out of it, and no end out of the replacements. The crate `tokenizers`, which this tokenizer
    /// is compared with, follows every path unchecked. The children of a unit lie within a block of 256, which must be complete.
    fn is_sound(&self) -> bool {
        let count = self.units.len() / 4;
        let Ok(text) = std::str::from_utf8(self.text) else { return false };
        (0..count).filter_map(|at| Some((at, self.unit(at)?))).all(|(at, unit)| match unit & !VALUE {
            0 => (at ^ children(unit)) | 0xff < count,
            _ => text.is_char_boundary((unit & VALUE) as usize),
        })
    }

    /// Continues from units at `base` by the last byte of `spelling`, and by all bytes that may follow in a character of `length` bytes.
    /// Visits characters in ascending order. For any units, it looks at no more sequences than there are characters.
    fn walk(&mut self, base: usize, spelling: &mut Vec<u8>, length: usize) -> Result<(), String> {
        let Some(byte) = spelling.last().copied() else { return Ok(()) };
        let at = base ^ usize::from(byte);
        let Some(unit) = self.unit(at).filter(|unit| unit & LABEL == u32::from(byte)) else { return Ok(()) };
        let base = at ^ children(unit);
        if spelling.len() == length {
            let character = std::str::from_utf8(spelling).ok().and_then(|text| text.chars().next());
            return match character.filter(|_| unit & ENDS != 0) {
                Some(character) => self.take(character, base),
                None => Ok(()),
            };
        }
        for next in 0x80..=0xbf {
            spelling.push(next);
            self.walk(base, spelling, length)?;
            spelling.pop();
        }
        Ok(())
    }

    fn take(&mut self, character: char, end: usize) -> Result<(), String> {
        let start = (self.unit(end).ok_or(CUT_OFF)? & VALUE) as usize;
        let text = self.text.get(start..).ok_or(CUT_OFF)?;
        let text = &text[..text.len().min(MAX_REPLACEMENT + 1)];
        let length =
            text.iter().position(|byte| *byte == 0).ok_or("its table of characters replaces one by a long text")?;
        let replacement = std::str::from_utf8(&text[..length]).map_err(|_| "its table of characters holds no text")?;
        let mut spelled = [0; 4];
        if replacement == character.encode_utf8(&mut spelled) {
            return Ok(());
        }
        // The tokenizer keeps these unchanged without consulting the table.
        if character.is_ascii_graphic() {
            return Err(format!("its table of characters replaces {character:?}"));
        }
        if self.found.text.len() + replacement.len() > MAX_TOTAL {
            return Err("its table of characters is larger than any known".into());
        }
        self.found.text.push_str(replacement);
        self.found.from.push(u32::from(character));
        self.found.ends.push(self.found.text.len() as u32);
        Ok(())
    }
}

/// The byte that leads to a unit; the unit of an end has bit 31 set instead.
const LABEL: u32 = 1 << 31 | 0xff;
const ENDS: u32 = 1 << 8;
const VALUE: u32 = !(1 << 31);

/// Returns the offset of a unit's children, to be combined with its own position.
fn children(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 1 << 9) >> 6)) as usize
}

fn width(first: u8) -> usize {
    match first {
        ..=0x7f => 1,
        0x80..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}
