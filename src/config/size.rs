//! Parses file sizes with units.

/// Units by their lower-case names, in bytes. K, M and G alone are left out, because they are ambiguous.
const UNITS: [(&str, u64); 8] = [
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
];

/// Returns the number of bytes in `text`, such as `5 MiB`, `1.5 kB` or `300`; `None` if it is not a size. Case and spaces before the unit
/// do not matter. Fractions of a byte are truncated.
pub(super) fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start().to_ascii_lowercase();
    let (_, factor) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    match number.parse::<u64>() {
        Ok(whole) => whole.checked_mul(factor),
        // Below 2^53 the product is exact enough to truncate.
        Err(_) => number.parse::<f64>().ok().map(|part| part * factor as f64).filter(|n| *n < 9e15).map(|n| n as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("5 MiB"), Some(5 << 20));
        assert_eq!(parse_size("5mib"), Some(5 << 20));
        assert_eq!(parse_size("1.5 kB"), Some(1_500));
        assert_eq!(parse_size(" 300 "), Some(300));
        assert_eq!(parse_size("2 GB"), Some(2_000_000_000));
    }

    #[test]
    fn invalid_sizes_are_refused() {
        for text in ["", "MiB", "-1 MiB", "5 M", "5 MiB/s", "1e3", "1.2.3 MB", "99999999999999 GiB", "inf", "."] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }
}
