//! Compresses the texts of chunks.
//!
//! Each text is compressed separately (Zstandard), so that reading one needs no others. Texts are short, a kilobyte or two, and
//! most repetition is of a language's common words. So all texts share a dictionary of such words, the fixed one of Brotli's
//! specification (RFC 7932, appendix A: 13,504 words of six languages and some markup). A dictionary trained on a person's notes
//! would compress better, but would keep pieces of notes long after their deletion.
//!
//! The dictionary is part of the format: with another dictionary, or its words in another order, stored texts are unreadable.

use std::cell::RefCell;
use std::sync::LazyLock;

use brotli_decompressor::dictionary::{
    kBrotliDictionary, kBrotliDictionaryOffsetsByLength, kBrotliDictionarySizeBitsByLength,
};
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe;

use crate::NewText;

/// On texts of 1.2 kB, level 9 compresses synthetic notes to 0.386, documentation to 0.357 and conversations to 0.461 of their
/// size, in some 40 µs each. With level 6, 0.02 more remains. Level 19 takes five times as long for 0.01 less.
const LEVEL: i32 = 9;

/// Compresses a text in advance, unless it is already compressed or compression would not shrink it. This is the slow part of
/// storing a text, and needs no database.
pub(super) fn prepare(text: &NewText) {
    compressed(text);
}

/// Returns the compressed text, or `None` if it is stored uncompressed.
pub(super) fn compressed(text: &NewText) -> Option<&[u8]> {
    text.stored_form(compress)
}

fn compress(text: &str) -> Option<Vec<u8>> {
    static DICTIONARY: LazyLock<EncoderDictionary<'static>> =
        LazyLock::new(|| EncoderDictionary::copy(&dictionary(), LEVEL));
    thread_local! {
        // The compressor's working memory exceeds a text's size, so each thread creates it once.
        static COMPRESSOR: RefCell<Option<Compressor<'static>>> =
            RefCell::new(Compressor::with_prepared_dictionary(&DICTIONARY).ok());
    }
    let packed = COMPRESSOR.with_borrow_mut(|packer| packer.as_mut()?.compress(text.as_bytes()).ok())?;
    (packed.len() < text.len()).then_some(packed)
}

/// Returns the decompressed text; `None` if the bytes are damaged.
pub(super) fn decompress(packed: &[u8]) -> Option<String> {
    static DICTIONARY: LazyLock<DecoderDictionary<'static>> = LazyLock::new(|| DecoderDictionary::copy(&dictionary()));
    thread_local! {
        static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> =
            RefCell::new(Decompressor::with_prepared_dictionary(&DICTIONARY).ok());
    }
    let length = usize::try_from(zstd_safe::get_frame_content_size(packed).ok()??).ok()?;
    let mut text = Vec::new();
    // A damaged length may have any value.
    text.try_reserve_exact(length).ok()?;
    DECOMPRESSOR.with_borrow_mut(|unpacker| unpacker.as_mut()?.decompress_to_buffer(packed, &mut text).ok())?;
    String::from_utf8(text).ok()
}

/// Returns the words, each preceded by a blank as in a text. References to the end of the dictionary are the cheapest, so the
/// shortest words come last. Among words of equal length, the last are those that the specification lists first, which are the most
/// frequent.
fn dictionary() -> Vec<u8> {
    let mut words = Vec::with_capacity(kBrotliDictionary.len() + (1 << 14));
    for length in (4..kBrotliDictionarySizeBitsByLength.len()).rev() {
        let count = match kBrotliDictionarySizeBitsByLength[length] {
            0 => continue,
            bits => 1usize << bits,
        };
        let first = kBrotliDictionaryOffsetsByLength[length] as usize;
        for word in kBrotliDictionary[first..first + count * length].chunks_exact(length).rev() {
            words.push(b' ');
            words.extend_from_slice(word);
        }
    }
    words.push(b' ');
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_dictionary_never_changes() {
        assert_eq!(
            blake3::hash(&dictionary()).to_hex().as_str(),
            "76cce2f8362f3f2a894500f7886fecfe82a34e7b2668813cd1bfabbc8c3c2c67"
        );
    }

    #[test]
    fn only_texts_that_shrink_are_compressed() {
        let prose =
            "The meeting about the new database was moved to Thursday because the project manager is on holiday.";
        let stored = NewText::from(prose);
        let small = compressed(&stored).expect("words of the dictionary take less room");
        assert!(small.len() * 10 < prose.len() * 7, "{} of {}", small.len(), prose.len());
        assert_eq!(decompress(small).as_deref(), Some(prose));
        assert_eq!(compressed(&NewText::from("")), None);
        assert_eq!(compressed(&NewText::from("q7#")), None);
    }

    #[test]
    fn damage_is_detected() {
        let stored = NewText::from("again and again and again and again and again and again");
        let packed = compressed(&stored).expect("it repeats itself");
        assert_eq!(decompress(&packed[..packed.len() - 1]), None);
        assert_eq!(decompress(b"(\xb5/\xfd and no more"), None);
        assert_eq!(decompress(b""), None);
    }

    proptest! {
        #[test]
        fn texts_survive_a_round_trip(text in "(\\PC|\n|the |Übung |会议){0,300}") {
            let stored = NewText::from(text.as_str());
            if let Some(packed) = compressed(&stored) {
                prop_assert!(packed.len() < text.len());
                prop_assert_eq!(decompress(packed), Some(text));
            }
        }

        #[test]
        fn no_bytes_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), start in any::<bool>()) {
            let magic: &[u8] = if start { b"\x28\xb5\x2f\xfd" } else { b"" };
            let _ = decompress(&[magic, &bytes].concat());
        }
    }
}
