//! Forms of a word in inflecting languages: `встреча` and `встречи`, `riunione` and `riunioni`, `toplantıda` and `toplantı`.
//!
//! The index stems English only. Words of other languages are searched in their other forms, as far as the notes hold them.

use std::collections::HashSet;

use super::stem::stem;
use crate::languages::{DetectedLanguages, Language, normalize_word};

/// Minimum number of letters that two forms share.
const STEM: usize = 4;
/// Words of at most this length may share one letter less.
const SHORT: usize = 5;
/// Maximum number of letters of an ending; the lists hold no longer ones.
const ENDING: usize = 6;

/// The possible forms of a word in the languages of a text, as the index holds them.
#[derive(Debug)]
pub struct Forms {
    word: String,
    stems: HashSet<String>,
    /// Number of letters that all forms share with the word, except for letters that the index's stemmer cuts.
    min_shared: usize,
}

impl Forms {
    /// Returns the forms of a word in the languages of `spoken`; `None` if it has none.
    pub fn of(word: &str, detected: DetectedLanguages) -> Option<Self> {
        let word = normalize_word(word);
        if word.chars().count() < STEM || !word.chars().all(char::is_alphabetic) {
            return None;
        }
        let mut forms = Self { stems: HashSet::new(), min_shared: word.chars().count(), word };
        for language in detected.languages().filter(|language| !language.endings.is_empty()) {
            forms.add(language);
        }
        // A form with the same stem in the index is no other form.
        forms.stems.remove(&stem(&forms.word));
        forms.stems.remove(&forms.word);
        (!forms.stems.is_empty()).then_some(forms)
    }

    /// Returns the common beginning of all forms and their maximum number of letters.
    pub fn bounds(&self) -> (&str, usize) {
        let letters = self.min_shared.saturating_sub(1).max(STEM - 1);
        let end = self.word.char_indices().nth(letters).map_or(self.word.len(), |(at, _)| at);
        (&self.word[..end], self.word.chars().count() + ENDING)
    }

    /// Whether a stem of the index belongs to another form of the word.
    pub fn contains(&self, other: &str) -> bool {
        self.stems.contains(other)
    }

    fn add(&mut self, language: &Language) {
        let endings = || language.endings.split(' ').chain(std::iter::once(""));
        let shortest = if self.word.chars().count() <= SHORT { STEM - 1 } else { STEM };
        for stump in endings().filter_map(|ending| self.word.strip_suffix(ending)) {
            let letters = stump.chars().count();
            if letters < shortest {
                continue;
            }
            self.min_shared = self.min_shared.min(letters);
            for stump in [Some(stump.to_owned()), softened(stump, language)].into_iter().flatten() {
                self.stems.extend(endings().map(|ending| stem(&format!("{stump}{ending}"))));
            }
        }
    }
}

/// Returns a stem with its last consonant softened or hardened, as it occurs before other endings: `kitap` and `kitab`.
fn softened(stump: &str, language: &Language) -> Option<String> {
    let last = stump.chars().next_back()?;
    let other = language.softened.iter().find_map(|(soft, hard)| match last {
        last if last == *soft => Some(*hard),
        last if last == *hard => Some(*soft),
        _ => None,
    })?;
    Some(format!("{}{other}", &stump[..stump.len() - last.len_utf8()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::by_code;

    fn forms(code: &str, word: &str) -> Forms {
        Forms::of(word, DetectedLanguages::of(by_code(code).unwrap())).unwrap()
    }

    #[test]
    fn words_have_forms_in_their_language() {
        for (code, word, others) in [
            ("de", "Termine", &["terminen"][..]),
            ("de", "Häuser", &["hau", "hausern"]),
            ("fr", "loué", &["louer", "louee"]),
            ("es", "llegaron", &["llegar", "llego"]),
            ("it", "riunioni", &["riunion"]),
            ("pt", "reuniões", &["reuniao"]),
            ("nl", "ketel", &["ketelen"]),
            ("pl", "spotkania", &["spotkani", "spotkaniu"]),
            ("ru", "встречи", &["встреча", "встрече", "встречу", "встречами"]),
            ("tr", "toplantıda", &["toplanti", "toplantinin"]),
            ("tr", "kitabı", &["kitap"]),
            ("tr", "bisikletim", &["bisikletl", "bisikletin"]),
        ] {
            for other in others {
                let forms = forms(code, word);
                assert!(forms.contains(other), "{word}: {other}");
                let (start, most) = forms.bounds();
                assert!(other.starts_with(start) && other.chars().count() <= most, "{word}: {start}");
            }
        }
    }

    #[test]
    fn other_words_are_no_forms() {
        for (code, word, other) in [
            ("de", "Termin", "terminal"),
            ("fr", "porte", "portugal"),
            ("es", "casa", "castillo"),
            ("ru", "порт", "портрет"),
            ("tr", "kapı", "kaplan"),
            ("it", "riunione", "riunione"),
            ("it", "riunione", "riunion"),
        ] {
            assert!(!forms(code, word).contains(other), "{word}: {other}");
        }
        assert!(Forms::of("ist", DetectedLanguages::of(by_code("de").unwrap())).is_none(), "too short");
        assert!(Forms::of("회의", DetectedLanguages::of(by_code("ko").unwrap())).is_none());
    }
}
