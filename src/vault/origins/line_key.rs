//! The hashes by which a line is found again.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use tars_base::domain::{OutcomeKind, without_branch};

/// Digits of each of the two hashes.
const DIGITS: usize = 16;
/// The tags of an extracted fact, which a review exchanges.
const TAGS: [&str; 3] = ["[extracted] ", "[promoted] ", "[dropped] "];
const BOXES: [&str; 4] = ["[ ] ", "[x] ", "[X] ", "[-] "];

/// The hashes of a line: of its words, and of the whole line but for its box and a review's tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LineKey {
    /// Hash of its words.
    pub(crate) words: u64,
    /// Hash of the whole line.
    pub(crate) whole: u64,
}

impl LineKey {
    /// Returns the key of a line; `None` if it holds no letter or digit, or is a comment or a heading.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let line = line.trim();
        let words = words(line);
        let is_text = words.chars().any(char::is_alphanumeric) && !line.starts_with(['#', '<']);
        is_text.then(|| Self { words: hash(words), whole: hash(&unmarked(line)) })
    }
}

/// Returns the words of a line: without its marker, box, time, tag and label, and without the branch, the request and the links that
/// notes of sessions and summaries put behind it.
fn words(line: &str) -> &str {
    let mut said = without_comment(line);
    for marker in ["- ", "* ", "+ "] {
        said = said.strip_prefix(marker).unwrap_or(said).trim_start();
    }
    said = BOXES.iter().find_map(|mark| said.strip_prefix(mark)).unwrap_or(said);
    let timed = said.split_once(' ').filter(|(time, _)| is_time(time));
    said = timed.map_or(said, |(_, rest)| rest.trim_start());
    said = TAGS.iter().find_map(|tag| said.strip_prefix(tag)).unwrap_or(said);
    let labelled = OutcomeKind::of_line(said);
    if timed.is_some() && labelled.is_some() {
        said = said.split_once(" — ").map_or(said, |(said, _)| said);
    }
    if let Some((_, text)) = OutcomeKind::of_line(said) {
        // A branch stands at the end of a decision.
        let length = without_branch(text).0.len();
        said = text.get(..length).unwrap_or(text);
    }
    if said.ends_with("]])") {
        said = said.rfind(" ([[").map_or(said, |at| &said[..at]);
    }
    said.trim()
}

/// Returns a line with an empty box and the first tag, which a tick and a review exchange.
fn unmarked(line: &str) -> String {
    let mut text = line.to_owned();
    for mark in &BOXES[1..] {
        if let Some(rest) = text.strip_prefix("- ").and_then(|rest| rest.strip_prefix(mark)) {
            text = format!("- {}{rest}", BOXES[0]);
        }
    }
    for tag in &TAGS[1..] {
        text = text.replacen(tag, TAGS[0], 1);
    }
    text
}

fn without_comment(text: &str) -> &str {
    match text.rfind("<!--") {
        Some(at) if at > 0 && text.ends_with("-->") => text[..at].trim_end(),
        _ => text,
    }
}

fn is_time(word: &str) -> bool {
    word.len() == 5
        && word.bytes().enumerate().all(|(at, byte)| if at == 2 { byte == b':' } else { byte.is_ascii_digit() })
}

fn hash(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    u64::from_be_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default())
}

impl Serialize for LineKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}{:016x}", self.words, self.whole))
    }
}

impl<'de> Deserialize<'de> for LineKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = |text: Option<&str>| text.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let parts = (digits(text.get(..DIGITS)), digits(text.get(DIGITS..)));
        let (Some(words), Some(whole)) = parts else { return Err(serde::de::Error::custom("no hashes of a line")) };
        Ok(Self { words, whole })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_ticks_times_tags_and_links() {
        for line in [
            "- 09:20 Decided: We count minutes.",
            "- 11:00 Decided: We count minutes. (on branch `fix`) — why does it stop?",
            "- We count minutes.",
            "- 10:42 [extracted] We count minutes.",
            "- 10:42 [promoted] We count minutes.",
            "  * [x] We count minutes. <!-- tars:from a -->",
            "- We count minutes. ([[tars/2026-03-14#Session 09 00|2026-03-14]])",
        ] {
            assert_eq!(words(line.trim()), "We count minutes.", "{line}");
        }
        assert_eq!(words("- Redis — not Postgres"), "Redis — not Postgres");
        let whole = |line: &str| LineKey::of(line).unwrap().whole;
        assert_eq!(whole("- [ ] 09:20 Open: a"), whole("- [x] 09:20 Open: a"));
        assert_ne!(whole("- 09:20 Open: a — b"), whole("- 09:20 Open: a — c"));
        for none in ["", "- ", "## Session 09:20", "<!-- tars:session a -->", "---"] {
            assert_eq!(LineKey::of(none), None, "{none}");
        }
    }

    #[test]
    fn a_key_round_trips() {
        let key = LineKey::of("- é 1").unwrap();
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!((text.len(), serde_json::from_str::<LineKey>(&text).unwrap()), (34, key));
        assert!(
            serde_json::from_str::<LineKey>("\"0123\"").is_err() && serde_json::from_str::<LineKey>("\"é\"").is_err()
        );
    }

    proptest::proptest! {
        #[test]
        fn any_line_has_words(line in r"(- |\[x\] |09:20 |Decided: | — |<!--|-->| \(\[\[|\]\]\)|[a-zé ]){0,12}") {
            let _ = LineKey::of(&line);
        }
    }
}
