//! The languages of a collection of texts.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::{by_code, detect_language};

/// The number of texts in each language, by code. Text in an unknown language counts as English; text without letters
/// does not count.
///
/// Its text form is `de 12 en 3`, most frequent first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LanguageShares(BTreeMap<String, usize>);

impl LanguageShares {
    /// The index's key for this value.
    pub const KEY: &'static str = "languages";

    /// Counts one text.
    pub fn add(&mut self, text: &str) {
        if text.chars().any(char::is_alphabetic) {
            let code = detect_language(text)
                .and_then(|detected| detected.languages().next())
                .map_or("en", |language| language.code);
            *self.0.entry(code.to_owned()).or_default() += 1;
        }
    }

    /// Returns the languages with their shares of all texts, most frequent first.
    pub fn shares(&self) -> Vec<(&'static str, f64)> {
        let all: usize = self.0.values().sum();
        let known = self.0.iter().filter_map(|(code, count)| Some((by_code(code)?.code, *count)));
        let mut counts: Vec<(&'static str, usize)> = known.collect();
        counts.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        counts.into_iter().map(|(code, count)| (code, count as f64 / all as f64)).collect()
    }

    /// Returns the share of texts that are not in English, 0 without texts.
    pub fn other_than_english(&self) -> f64 {
        self.shares().into_iter().filter(|(code, _)| *code != "en").map(|(_, share)| share).sum()
    }
}

impl fmt::Display for LanguageShares {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (code, _)) in self.shares().into_iter().enumerate() {
            let blank = if place == 0 { "" } else { " " };
            write!(out, "{blank}{code} {}", self.0[code])?;
        }
        Ok(())
    }
}

impl FromStr for LanguageShares {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pieces: Vec<&str> = text.split_ascii_whitespace().collect();
        let pairs = pieces.chunks(2).map(|pair| match pair {
            [code, count] => count.parse().map(|count| ((*code).to_owned(), count)).map_err(|_| text.to_owned()),
            _ => Err(text.to_owned()),
        });
        pairs.collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_counted_by_language() {
        let mut shares = LanguageShares::default();
        for text in [
            "Der Termin ist am Montag.",
            "Die Heizung wurde gewartet, und das war gut.",
            "The plan is set.",
            "42",
            "会議は月曜日です",
        ] {
            shares.add(text);
        }
        assert_eq!(shares.to_string(), "de 2 en 1 ja 1");
        assert_eq!(shares.to_string().parse(), Ok(shares.clone()));
        assert!((shares.other_than_english() - 0.75).abs() < 1e-9);
        assert_eq!(shares.shares()[0], ("de", 0.5));
        assert!(
            LanguageShares::default().to_string().is_empty() && LanguageShares::default().other_than_english() == 0.0
        );
        assert!("de".parse::<LanguageShares>().is_err() && "de x".parse::<LanguageShares>().is_err());
        assert_eq!("".parse(), Ok(LanguageShares::default()));
    }
}
