//! Decodes the bytes of notes.
//!
//! Notes are UTF-8, except those that other programs wrote long ago or elsewhere. They are decoded for reading alone: nothing is written
//! back, and their hash is that of the bytes.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use super::lines::BOM;

/// Bytes at the start of a file that are searched for NUL, which marks binary data.
const BINARY_BYTES: usize = 8192;
/// One control character in this number of bytes makes a file binary that is not UTF-8.
const CONTROL_SHARE: usize = 100;

/// At least one in this number of letters is Latin in UTF-16 that is told without a mark.
const LATIN_SHARE: usize = 4;

/// How bytes became text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decoding {
    /// They are UTF-8.
    #[default]
    Utf8,
    /// They were in this encoding.
    From(&'static str),
    /// They are in no encoding that can be told, or damaged: invalid sequences are replaced.
    Damaged,
}

impl Decoding {
    /// Returns why the text is not wholly that of the file; `None` if it is.
    pub fn damage(self) -> Option<&'static str> {
        (self == Self::Damaged).then_some("bytes that are not UTF-8 are read as \u{fffd}")
    }
}

/// Returns the text of a file and how it was decoded; `None` if it is binary.
pub(super) fn decode(bytes: &[u8]) -> Option<(Cow<'_, str>, Decoding)> {
    if let Some(encoding) = [UTF_16LE, UTF_16BE].into_iter().find(|encoding| bytes.starts_with(bom(encoding))) {
        let (text, is_damaged) = encoding.decode_without_bom_handling(&bytes[2..]);
        let decoding = if is_damaged { Decoding::Damaged } else { Decoding::From(encoding.name()) };
        return (!text.contains('\0')).then_some((text, decoding));
    }
    if bytes[..bytes.len().min(BINARY_BYTES)].contains(&0) {
        return utf_16_without_mark(bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !(bytes.contains(&b'\x1b') && text.contains("\x1b$")) => {
            Some((Cow::Borrowed(text), Decoding::Utf8))
        }
        Ok(text) => Some(in_guessed(bytes, &[ISO_2022_JP]).unwrap_or((Cow::Borrowed(text), Decoding::Utf8))),
        Err(_) if is_binary(bytes) => None,
        Err(_) if is_mostly_utf8(bytes) => Some((String::from_utf8_lossy(bytes), Decoding::Damaged)),
        Err(_) => Some(in_guessed(bytes, &[]).unwrap_or_else(|| (String::from_utf8_lossy(bytes), Decoding::Damaged))),
    }
}

/// Returns the text of a file as [`crate::read()`] decodes it. Binary data is read as UTF-8 with replacements.
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    decode(bytes).map_or_else(|| String::from_utf8_lossy(bytes), |(text, _)| text)
}

fn bom(encoding: &Encoding) -> &'static [u8] {
    if encoding == UTF_16LE { b"\xff\xfe" } else { b"\xfe\xff" }
}

/// Decodes UTF-16 without a byte order mark: the zero bytes of its ASCII letters are all at even places or all at odd ones, and it holds
/// no control characters.
fn utf_16_without_mark(bytes: &[u8]) -> Option<(Cow<'_, str>, Decoding)> {
    let zeros = |parity: usize| bytes.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    // A single zero may also stand in text of another kind.
    let is_many = |zeros: usize| zeros * LATIN_SHARE >= bytes.len() / 2;
    let encoding = match (zeros(0), zeros(1)) {
        (0, high) if is_many(high) => UTF_16LE,
        (high, 0) if is_many(high) => UTF_16BE,
        _ => return None,
    };
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    let is_text = |letter: char| !letter.is_control() || matches!(letter, '\n' | '\r' | '\t' | '\u{c}');
    (bytes.len().is_multiple_of(2) && text.chars().all(is_text)).then_some((text, Decoding::From(encoding.name())))
}

/// Decodes bytes in the encoding that they are most likely in, if it is among `admitted` (an empty list admits all).
fn in_guessed<'b>(bytes: &'b [u8], admitted: &[&'static Encoding]) -> Option<(Cow<'b, str>, Decoding)> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    if encoding == UTF_8 || !(admitted.is_empty() || admitted.contains(&encoding)) {
        return None;
    }
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    Some((text, Decoding::From(encoding.name())))
}

fn is_binary(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(**byte, 0..=8 | 11 | 14..=26 | 28..=31 | 127);
    bytes.iter().filter(is_control).count() * CONTROL_SHARE > bytes.len()
}

/// Whether invalid sequences are no more than the valid ones beyond ASCII: such a file is damaged UTF-8. In other encodings valid
/// sequences occur by chance and are rare.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let (mut valid, mut invalid) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    valid >= invalid
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_KR, GB18030, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};

    use super::*;

    fn decoded(bytes: &[u8]) -> Option<(String, Decoding)> {
        decode(bytes).map(|(text, decoding)| (text.into_owned(), decoding))
    }

    #[test]
    fn old_encodings_are_recognised() {
        let french = "Été à la mer : l’hôtel près du château, déjà payé 40 €.\n";
        let german = "# Gespräch\n\nDie Bücher für Köln müssen größtenteils zurück, sagte Jürgen.\n";
        let japanese = "# 会議\n\n来週の月曜日に東京で会議があります。資料を準備してください。\n";
        let chinese = "# 会议记录\n\n我们下周一在北京开会，请准备好所有的材料和报告。\n";
        let russian = "# Встреча\n\nМы встречаемся в понедельник, принесите все документы.\n";
        let korean = "# 회의\n\n다음 주 월요일에 서울에서 회의가 있습니다. 자료를 준비해 주세요.\n";
        for (text, encoding) in [
            (french, WINDOWS_1252),
            (german, WINDOWS_1252),
            (japanese, SHIFT_JIS),
            (japanese, ISO_2022_JP),
            (chinese, GB18030),
            (russian, WINDOWS_1251),
            (korean, EUC_KR),
        ] {
            let (bytes, _, had_errors) = encoding.encode(text);
            assert!(!had_errors);
            let (read, decoding) = decoded(&bytes).unwrap();
            assert!(read == text && matches!(decoding, Decoding::From(_)), "{}: {read} {decoding:?}", encoding.name());
        }
        assert_eq!(decoded(b"caf\xe9\n"), Some(("café\n".into(), Decoding::From("windows-1252"))));
    }

    #[test]
    fn utf_16_is_recognised_with_and_without_its_mark() {
        let text = "# Plan\n\nDie Bücher für Köln.\n日本\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (mark, bytes, name) in [
            (&b"\xff\xfe"[..], &little, "UTF-16LE"),
            (b"", &little, "UTF-16LE"),
            (b"\xfe\xff", &big, "UTF-16BE"),
            (b"", &big, "UTF-16BE"),
        ] {
            let read = decoded(&[mark, bytes].concat());
            assert_eq!(read, Some((text.to_owned(), Decoding::From(name))));
        }
        let odd = decoded(&[&b"\xff\xfe"[..], &little[..7]].concat()).unwrap();
        assert_eq!(odd, ("# P\u{fffd}".into(), Decoding::Damaged));
    }

    #[test]
    fn damaged_utf_8_stays_utf_8() {
        let (text, decoding) = decoded(b"Caf\xc3\xa9 und B\xc3\xbccher, cut: \xe6\x97\n").unwrap();
        assert_eq!((text.as_str(), decoding), ("Café und Bücher, cut: \u{fffd}\n", Decoding::Damaged));
        assert_eq!(decoded("plain ünd 日本\u{1b}[0m".as_bytes()).unwrap().1, Decoding::Utf8);
        assert_eq!(decoded(b""), Some((String::new(), Decoding::Utf8)));
    }

    #[test]
    fn binary_data_is_no_text() {
        let picture = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x08\x06";
        let noise: Vec<u8> = (0..2000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
        for bytes in [&picture[..], &noise, b"a\0b", b"\0", b"\xff\xfe\0\0a\0\0\0", b"one \0 in a text of letters"] {
            assert_eq!(decoded(bytes), None);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_decoded_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            let utf8 = std::str::from_utf8(&bytes).ok();
            if let (Some(text), Some((read, Decoding::Utf8))) = (utf8, decode(&bytes)) {
                proptest::prop_assert_eq!(text, read);
            }
        }
    }
}
