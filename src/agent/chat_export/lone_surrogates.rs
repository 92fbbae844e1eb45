//! Halves of characters in JSON: JavaScript writes them for a text that was cut within an emoji.

/// Returns JSON with `\ufffd` for each escape of half a character; `None` if there is none.
pub(super) fn replaced(json: &[u8]) -> Option<Vec<u8>> {
    let mut out = json.to_vec();
    let mut found = false;
    let mut at = 0;
    while at < json.len() {
        match (json[at] == b'\\', unit(json, at)) {
            (true, Some(0xd800..=0xdbff)) if matches!(unit(json, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            (true, Some(0xd800..=0xdfff)) => {
                out[at..at + 6].copy_from_slice(b"\\ufffd");
                found = true;
                at += 6;
            }
            // The escaped character is no backslash that begins an escape.
            (true, _) => at += 2,
            (false, _) => at += 1,
        }
    }
    found.then_some(out)
}

/// Returns the value of the escape `\uXXXX` at a place.
fn unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_is_replaced() {
        let replaced = |json: &str| replaced(json.as_bytes()).map(|json| String::from_utf8(json).unwrap());
        assert_eq!(replaced(r#""a \ud83d b""#).unwrap(), r#""a \ufffd b""#);
        assert_eq!(replaced(r#""\ude00\ud83d\ude00""#).unwrap(), r#""\ufffd\ud83d\ude00""#);
        for whole in [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""\u00e9""#, "\"\\", ""] {
            assert_eq!(replaced(whole), None, "{whole}");
        }
    }
}
