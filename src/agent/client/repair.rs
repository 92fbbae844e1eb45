//! Repairs JSON from clients that cut characters in two.

use std::borrow::Cow;

/// Returns a line as valid UTF-8 with paired surrogates. A client that cuts a text in the middle of a character leaves
/// a lone surrogate, which a strict JSON parser rejects.
pub(super) fn repair_json_text(line: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(line);
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        let start = at + found;
        let unit = |from: usize| {
            let digits = text.get(from..from + 6)?.strip_prefix("\\u")?;
            u16::from_str_radix(digits, 16).ok()
        };
        at = match (unit(start), unit(start + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => start + 12,
            (Some(0xd800..=0xdfff), _) => {
                Cow::to_mut(&mut text).replace_range(start..start + 6, "\\ufffd");
                start + 6
            }
            (Some(_), _) => start + 6,
            // Skips the escaped character, which may be a backslash or have several bytes.
            (None, _) => start + 1 + text[start + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_and_invalid_bytes_are_replaced() {
        assert_eq!(repair_json_text(br#""a\ud83d""#), r#""a\ufffd""#);
        assert_eq!(repair_json_text(br#""\udc00\ud83d\ude00\ud83d""#), r#""\ufffd\ud83d\ude00\ufffd""#);
        assert_eq!(repair_json_text(br#""\\ud83d\n\ud83dx""#), r#""\\ud83d\n\ufffdx""#);
        assert_eq!(repair_json_text(b"\"\\\xff\\u12\""), "\"\\\u{fffd}\\u12\"");
    }

    proptest::proptest! {
        #[test]
        fn valid_json_is_unchanged(text in ".{0,20}") {
            let line = serde_json::to_string(&text).unwrap();
            proptest::prop_assert_eq!(repair_json_text(line.as_bytes()), line);
        }
    }
}
