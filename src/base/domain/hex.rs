//! Hexadecimal encoding.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Returns bytes as lower-case hexadecimal digits, two per byte.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}

/// Decodes hexadecimal digits of either case. Returns `None` for any other character or an odd number of digits.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let half = |digit: u8| char::from(digit).to_digit(16);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some((half(*high)? << 4 | half(*low)?) as u8));
    if rest.is_empty() { bytes.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_lower_case_and_two_per_byte() {
        assert_eq!(hex(&[0, 0xab, 0x1f]), "00ab1f");
        assert_eq!(hex(&[]), "");
    }

    #[test]
    fn non_hexadecimal_text_is_refused() {
        assert_eq!(from_hex("00aB1f"), Some(vec![0, 0xab, 0x1f]));
        for wrong in ["0", "0g", "+1", "é"] {
            assert_eq!(from_hex(wrong), None, "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn encoding_round_trips(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..40)) {
            proptest::prop_assert_eq!(from_hex(&hex(&bytes)), Some(bytes));
        }
    }
}
