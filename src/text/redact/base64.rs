//! A minimal base64 decoder for looking into a token.

/// Decodes `text` in either alphabet, with or without padding. Returns `None` if it is not base64.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0u32, 0);
    for &byte in text.trim_ascii_end().split(|byte| *byte == b'=').next().unwrap_or_default() {
        bits = bits << 6 | u32::from(digit(byte)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(out)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_and_any_padding_decode() {
        assert_eq!(decode(b"dXNlcjpwYXNz").as_deref(), Some(&b"user:pass"[..]));
        assert_eq!(decode(b"YQ==").as_deref(), Some(&b"a"[..]));
        assert_eq!(decode(b"YQ").as_deref(), Some(&b"a"[..]));
        assert_eq!(decode(b"-_8"), decode(b"+/8="));
        assert_eq!(decode(b"a b"), None);
        assert_eq!(decode(b"").as_deref(), Some(&b""[..]));
    }
}
