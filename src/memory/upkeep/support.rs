//! Checks whether a text may be proposed: its sources support it, it is specific, and it is new.

use crate::{Bullet, Relation, similar_bullets};
use tars_agent::digest::looks_injected;
use tars_text::analysis::{Term, is_foreign_stop_word, term_presence, terms};

/// Minimum share of a text's content words that its sources must contain.
const MIN_SHARED: f64 = 0.5;
/// Generic words that say nothing about a person or a project, in search-term form. A rule of such words only is true of anybody.
const STOCK: &str = "write code clean good better best practice practices quality careful carefully always make sure follow ensure \
    properly correctly important helpful user agent assistant test tests testing check double mistake mistakes avoid clear clearly \
    concise communicate communication instructions instruction remember keep mind respond response answer answers answering question \
    questions pay attention detail details thorough thoroughly use appropriate work working needs need task tasks request requests \
    schreibe sauberen code gut besser immer achte darauf sorgfältig wichtig hilfreich nutzer antworten antwort fragen aufgabe \
    aufgaben qualität fehler vermeiden";

/// Why a proposal was dropped before a person saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// No source supports it.
    Unsupported,
    /// It is true of anybody.
    Generic,
    /// The memory already says it.
    Known,
    /// It was proposed before.
    Proposed,
}

/// Whether a line commands an agent, after a leading date or time. Such a line was planted to be remembered, so nothing may rest on it.
pub(super) fn commands(line: &str) -> bool {
    looks_injected(line.trim_start_matches(|c: char| c.is_ascii_digit() || "-–: .,[](){}".contains(c)))
}

/// Whether `sources` support `text`: they contain half of its content words, and all of its numbers and names in backticks.
pub(super) fn is_supported<'s>(text: &str, sources: impl IntoIterator<Item = &'s str>) -> bool {
    let sources = sources.into_iter().collect::<Vec<_>>().join("\n");
    let words = content(text);
    if words.is_empty() || sources.trim().is_empty() {
        return false;
    }
    let held = term_presence(&sources, &words).iter().filter(|held| **held > 0.0).count();
    held as f64 >= MIN_SHARED * words.len() as f64 && holds_values(&sources, text)
}

/// Whether `sources` hold every number and every name in backticks of `text`, each as whole words: 4 is not part of 14.
pub(super) fn holds_values(sources: &str, text: &str) -> bool {
    let holds = |value: &str| {
        sources.match_indices(value).any(|(at, _)| {
            let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let (before, after) = (&sources[..at], &sources[at + value.len()..]);
            // A name may be the end of a path, or its beginning.
            (!is_part(before.chars().next_back()) || !value.starts_with(char::is_alphanumeric))
                && (!is_part(after.chars().next()) || !value.ends_with(char::is_alphanumeric))
        })
    };
    exact(text).all(holds)
}

/// Whether `text` holds every number and every name in backticks of `sources`, so that it can replace them without loss.
pub(super) fn keeps_values<'s>(text: &str, sources: impl IntoIterator<Item = &'s str>) -> bool {
    sources.into_iter().all(|source| holds_values(text, source))
}

/// Whether a text is generic.
pub(super) fn is_generic(text: &str) -> bool {
    exact(text).next().is_none() && term_presence(STOCK, &content(text)).iter().all(|held| *held > 0.0)
}

/// Whether one of `known` says the same or nearly the same. A contradicting text does not count.
pub(super) fn is_known(text: &str, known: &[Bullet]) -> bool {
    let near = similar_bullets(text, known, None).unwrap_or_default();
    near.iter().any(|like| matches!(like.relation, Relation::Equal | Relation::Close))
}

fn content(text: &str) -> Vec<Term> {
    let is_content = |term: &Term| matches!(term, Term::Word(word) if !is_foreign_stop_word(word));
    terms(text).into_iter().filter(is_content).collect()
}

/// Returns the words of a text that must not change: those with a digit, and text in backticks.
fn exact(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split('`').skip(1).step_by(2).map(str::trim).filter(|code| !code.is_empty());
    let numbers = text.split(|c: char| c.is_whitespace() || "(),;\"'`".contains(c));
    let numbers = numbers.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    code.chain(numbers.filter(|word| word.contains(|c: char| c.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_supported_text_says_no_more_than_its_sources() {
        let source = "2026-03-01 you used npm, this repository uses pnpm 9";
        assert!(is_supported("The repository uses pnpm 9.", [source]));
        assert!(is_supported("Das Ticket steht in `T-81`.", ["das ticket heißt `T-81`, es steht im Plan"]));
        assert!(!is_supported("The repository uses pnpm 10.", [source]), "another number");
        assert!(!is_supported("Use `yarn` in this repository.", [source]), "another name");
        assert!(!is_supported("Deploy to the production server at night.", [source]));
        assert!(!is_supported("The repository uses pnpm.", []));
        assert!(!is_supported("", [source]) && !is_supported("…", [source]));
    }

    #[test]
    fn statements_true_of_anybody_are_generic() {
        for text in [
            "Always write clean code.",
            "Be careful and avoid mistakes.",
            "Make sure to test properly",
            "Achte immer auf Qualität",
        ] {
            assert!(is_generic(text), "{text}");
        }
        for text in ["Always use pnpm.", "Write tests for `parse`", "Answer in German.", "Keep 2 replicas"] {
            assert!(!is_generic(text), "{text}");
        }
    }

    #[test]
    fn a_merged_line_keeps_numbers_and_names() {
        assert!(keeps_values("The port is 81 and `x` runs there", ["port 81", "`x` runs on the port"]));
        assert!(!keeps_values("The port is fixed", ["port 81"]));
    }
}
