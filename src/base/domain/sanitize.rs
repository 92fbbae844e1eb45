//! Sanitizes text for a terminal.

/// Whether a terminal interprets a character instead of showing it: control characters (C0 and C1), and the embeddings,
/// overrides and isolates that reorder text (Unicode UAX #9).
pub fn is_terminal_control(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces the characters with which a file's name or content could control the terminal. Line breaks and tabs stay.
/// Windows line breaks lose their carriage return, also a single one at the end, where a line was cut out of a text.
pub fn sanitize(text: &str) -> String {
    let shown = |character| match character {
        '\n' | '\t' => character,
        _ if is_terminal_control(character) => '\u{fffd}',
        _ => character,
    };
    text.strip_suffix('\r').unwrap_or(text).replace("\r\n", "\n").chars().map(shown).collect()
}

/// Sanitizes the name of a file, a heading or a message to one line, since line breaks and tabs could forge further
/// output.
pub fn sanitize_line(text: &str) -> String {
    sanitize(text).replace(['\n', '\t'], "\u{fffd}")
}

/// Joins the words of a text with single spaces, so that it is one line.
pub fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text with its first letter in upper case.
pub fn capitalize(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Sanitizes a text to one line of at most `most` characters. A truncated line ends in an ellipsis.
pub fn one_line(text: &str, most: usize) -> String {
    let line = sanitize_line(&collapse_whitespace(text));
    match line.chars().count() > most {
        true => line.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => line,
    }
}

/// Returns a count with its noun: `1 note`, `3 notes`.
pub fn pluralize(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(sanitize("a\u{1b}[31mb\tc\n\u{202e}d"), "a\u{fffd}[31mb\tc\n\u{fffd}d");
    }

    #[test]
    fn windows_line_ends_become_line_feeds() {
        assert_eq!(sanitize("one\r\ntwo\r"), "one\ntwo");
        assert_eq!(
            sanitize("over\rwritten\r\r\n"),
            "over\u{fffd}written\u{fffd}\n",
            "alone it goes back to the line's beginning"
        );
        assert_eq!(sanitize_line("a heading\r"), "a heading");
    }
}
