//! Removes the clause by which a person asks to remember a statement: "remember that …", "merk dir: …", "…, keep that in mind".

use super::cues::{self, CueKind, REMINDERS, REMINDERS_THAT};
use tars_base::domain::capitalize;
use tars_text::analysis::is_unspaced;

/// Marks between such a clause and the statement.
const MARKS: [char; 13] = [',', ':', '.', '!', ';', '–', '—', '-', '，', '：', '、', '。', '！'];

/// Maximum length of a sentence that is looked at.
const MAX_BYTES: usize = 2_000;

/// Returns the statement without such a clause before or behind it; `None` without a clause. A statement that begins with what follows a
/// clause gets a capital letter.
pub(super) fn without_reminder(sentence: &str) -> Option<String> {
    // A statement is short, so a long text is a paste.
    if sentence.len() > MAX_BYTES {
        return None;
    }
    behind_reminder(sentence).map(capitalize).or_else(|| before_reminder(sentence).map(str::to_owned))
}

fn behind_reminder(sentence: &str) -> Option<&str> {
    let joined = cues::of(sentence, REMINDERS_THAT).filter_map(|clause| {
        let mut rest = sentence;
        for word in clause.split(' ') {
            rest = behind(rest, word)?.trim_start_matches([',', ' ']);
        }
        (rest.len() < sentence.len()).then_some(rest)
    });
    let marked = cues::of(sentence, REMINDERS).filter_map(|clause| {
        let rest = behind(sentence, clause)?.trim_start();
        rest.starts_with(MARKS).then(|| rest.trim_start_matches(|c: char| MARKS.contains(&c) || c.is_whitespace()))
    });
    joined.chain(marked).filter(|said| says_something(said)).min_by_key(|said| said.len())
}

/// Returns what follows a phrase as whole words at the start of a text.
fn behind<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    let (start, rest) = split_plain(text, phrase.chars().count())?;
    let goes_on = phrase.ends_with(char::is_alphanumeric) && rest.starts_with(char::is_alphanumeric);
    (cues::plain(start) == phrase && (!goes_on || phrase.ends_with(is_unspaced))).then_some(rest)
}

/// Splits a text behind so many characters.
fn split_plain(text: &str, characters: usize) -> Option<(&str, &str)> {
    let at = text
        .char_indices()
        .nth(characters)
        .map(|(at, _)| at)
        .or((text.chars().count() == characters).then_some(text.len()))?;
    Some(text.split_at(at))
}

fn before_reminder(sentence: &str) -> Option<&str> {
    let said = sentence.trim_end_matches(|c: char| MARKS.contains(&c) || c.is_whitespace());
    let before = |kind: CueKind| {
        cues::of(said, kind).filter_map(move |clause| {
            let count = said.chars().count().checked_sub(clause.chars().count())?;
            let (before, end) = split_plain(said, count)?;
            let statement = without_polite_end(before.trim_end());
            let ends = statement.trim_end_matches(|c: char| MARKS.contains(&c) || c.is_whitespace());
            (cues::plain(end) == clause && ends.len() < statement.len()).then_some(ends)
        })
    };
    before(REMINDERS).chain(before(REMINDERS_THAT)).filter(|said| says_something(said)).min_by_key(|said| said.len())
}

fn says_something(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Returns a text without a polite word at its end: "…, please remember that".
fn without_polite_end(text: &str) -> &str {
    let without = cues::of(text, cues::POLITE).filter_map(|word| {
        let (before, end) = split_plain(text, text.chars().count().checked_sub(word.chars().count())?)?;
        let is_apart = before.ends_with(|c: char| !c.is_alphanumeric()) || word.starts_with(is_unspaced);
        (cues::plain(end) == word && is_apart).then(|| before.trim_end())
    });
    without.min_by_key(|before| before.len()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clause_goes_and_the_statement_stays() {
        for (said, statement) in [
            ("Remember that the staging database is read only.", "The staging database is read only."),
            ("remember: my sister Ilse has the spare key", "My sister Ilse has the spare key"),
            ("merk dir: Deployments nur vor 15 Uhr", "Deployments nur vor 15 Uhr"),
            ("Denk dran, dass die Presse mittwochs steht.", "Die Presse mittwochs steht."),
            ("always use ruff, never black, remember that", "always use ruff, never black"),
            ("Deploy only before noon, please keep that in mind.", "Deploy only before noon"),
            ("N'oublie pas que le relais écoute sur 9090", "Le relais écoute sur 9090"),
            ("la base está en solo lectura, no lo olvides", "la base está en solo lectura"),
            ("Pamiętaj, że kopie robimy w piątki", "Kopie robimy w piątki"),
            ("Запомни: по пятницам не выкладываем", "По пятницам не выкладываем"),
            ("Unutma ki yedekler cuma günü alınır", "Yedekler cuma günü alınır"),
            ("记住：周五不要部署", "周五不要部署"),
            ("จำไว้ว่าสำรองข้อมูลทุกวันศุกร์", "สำรองข้อมูลทุกวันศุกร์"),
        ] {
            assert_eq!(without_reminder(said).as_deref(), Some(statement), "{said}");
        }
        for said in [
            "remember to water the plants",
            "Remember the port?",
            "I don't remember that",
            "we keep the logs we remember",
            "Remember that.",
            "",
        ] {
            assert_eq!(without_reminder(said), None, "{said}");
        }
    }
}
