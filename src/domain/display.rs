//! Text that a terminal may show.

/// Whether a terminal acts on a character instead of showing it: control characters of both sets, and the embeddings,
/// overrides and isolates that reorder what is read (Unicode UAX #9).
pub fn is_command(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns `text` without the control characters with which a file's name or content could speak to the terminal.
/// Line breaks and tabs stay; those of Windows lose their carriage return, also at the end, where a line was cut out of a text.
pub fn clean(text: &str) -> String {
    let shown = |character| match character {
        '\n' | '\t' => character,
        _ if is_command(character) => '\u{fffd}',
        _ => character,
    };
    text.strip_suffix('\r').unwrap_or(text).replace("\r\n", "\n").chars().map(shown).collect()
}

/// Returns the name of a file, a heading or a message as one line: line breaks and tabs could forge others.
pub fn clean_line(text: &str) -> String {
    clean(text).replace(['\n', '\t'], "\u{fffd}")
}

/// Returns a count with its noun: `1 note`, `3 notes`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\tc\n\u{202e}d"), "a\u{fffd}[31mb\tc\n\u{fffd}d");
    }

    #[test]
    fn line_ends_of_windows_are_line_ends() {
        assert_eq!(clean("one\r\ntwo\r"), "one\ntwo");
        assert_eq!(
            clean("over\rwritten\r\r\n"),
            "over\u{fffd}written\u{fffd}\n",
            "alone it goes back to the line's beginning"
        );
        assert_eq!(clean_line("a heading\r"), "a heading");
    }
}
