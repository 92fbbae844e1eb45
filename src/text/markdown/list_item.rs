//! Markers of list items.

/// Maximum number of digits in a list number, as in CommonMark.
const DIGITS: usize = 9;

/// Returns the text after the marker of a list item (`-`, `*`, `+`, `1.`, `1)`) in a line without indentation; `None` if it
/// has no marker. The text may be empty.
pub fn list_item(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(['-', '*', '+']).or_else(|| {
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        digits.strip_prefix(['.', ')']).filter(|_| (1..=DIGITS).contains(&(line.len() - digits.len())))
    })?;
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_a_marker_and_a_blank() {
        for (line, said) in [("- a", "a"), ("* a b ", "a b"), ("+\ta", "a"), ("12. a", "a"), ("1) a", "a"), ("-  ", "")]
        {
            assert_eq!(list_item(line), Some(said), "{line:?}");
        }
        for line in ["", "-", "-a", "**a**", "a. b", ". a", "1.5 m", "2026-03-15", "1234567890. a", "— a"] {
            assert_eq!(list_item(line), None, "{line:?}");
        }
    }
}
