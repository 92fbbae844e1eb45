//! Short forms of the parts of a turn, one line each: its request, its commands and its files.

use std::path::Path;

use super::own_words::own_words;
use super::sentences::sentences;
use super::small_talk::is_small_talk;
use tars_text::cleaning::truncated;

/// Maximum length of a quotation of a request or an answer, in characters.
pub(super) const MAX_QUOTE: usize = 240;
const MAX_COMMAND: usize = 80;

/// Returns the beginning of a request in one line, at most 240 characters. Text other than prose is used only if there
/// is no prose. Returns `None` without a word.
pub fn headline(request: &str) -> Option<String> {
    let mut found = String::new();
    // Pasted text follows the first paragraph, and some of its lines may look like words.
    let own = own_words(request);
    let said = sentences(own.split("\n\n").find(|part| !part.trim().is_empty()).unwrap_or_default());
    let begins = said.iter().position(|sentence| !is_small_talk(sentence)).unwrap_or_default();
    for sentence in &said[begins..] {
        if !found.is_empty() && found.chars().count() + sentence.chars().count() > MAX_QUOTE {
            break;
        }
        if !found.is_empty() {
            found.push(' ');
        }
        found.push_str(sentence);
    }
    if found.is_empty() {
        let line = request.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric))?;
        found = line.trim_start_matches(['#', '>', '|', ' ']).to_owned();
    }
    Some(truncated(&found, MAX_QUOTE))
}

/// Returns a command in one line of at most 82 characters that is safe between backticks.
pub fn command_line(command: &str) -> String {
    let line = command.trim().lines().next().unwrap_or_default().trim();
    let more = if command.trim().lines().count() > 1 { " …" } else { "" };
    format!("{}{more}", truncated(line, MAX_COMMAND)).replace('`', "'")
}

/// Returns a file's path relative to the agent's working directory, safe between backticks.
pub fn changed_file(file: &str, directory: Option<&str>) -> String {
    let inner = directory.and_then(|directory| Path::new(file).strip_prefix(directory).ok()?.to_str());
    inner.filter(|inner| !inner.is_empty()).unwrap_or(file).replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headline_leaves_out_greetings_and_pasted_text() {
        for (request, named) in [
            ("moin. im shop fehlen karten", "im shop fehlen karten"),
            ("super danke! den lasttest machen wir", "den lasttest machen wir"),
            ("Software. 150 ms.", "Software. 150 ms."),
            (
                "the ingest failed. what happened?\n\nTraceback:\n    for chunk in file\nno such file",
                "the ingest failed. what happened?",
            ),
            ("thanks", "thanks"),
            (
                "why does it fail?\n\nexport function pay(total: number): number {\n  return total;\n}",
                "why does it fail?",
            ),
        ] {
            assert_eq!(headline(request).as_deref(), Some(named));
        }
    }
}
