//! Forms of a word in languages that inflect: `встреча` and `встречи`, `riunione` and `riunioni`, `toplantıda` and `toplantı`.
//!
//! The index stems English alone. Words of other languages are looked for in their other forms, which the words of the notes name.

use super::stem::stem;
use crate::languages::{Language, Spoken, bare};

/// Letters that two forms have in common at least ...
const STEM: usize = 4;
/// ... and words of so few letters one less.
const SHORT: usize = 5;
/// Letters that an ending has at most; longer ones are not in the lists.
const ENDING: usize = 6;

/// The forms that a word may have in the languages of a text.
#[derive(Debug)]
pub struct Forms {
    word: String,
    languages: Vec<&'static Language>,
}

impl Forms {
    /// Returns the forms of a word in the languages of `spoken`; `None` where it can have none.
    pub fn of(word: &str, spoken: Spoken) -> Option<Self> {
        let languages: Vec<_> = spoken.languages().filter(|language| !language.endings.is_empty()).collect();
        let word = bare(word);
        let may_have = word.chars().count() >= STEM && word.chars().all(char::is_alphabetic) && !languages.is_empty();
        may_have.then_some(Self { word, languages })
    }

    /// Returns the letters that all of them begin with, and how many letters they have at most.
    pub fn bounds(&self) -> (&str, usize) {
        let letters = self.word.chars().count();
        let stem = letters.saturating_sub(ENDING).max(self.least());
        let stem = if self.softens() { stem.min(letters - 1) } else { stem };
        let end = self.word.char_indices().nth(stem).map_or(self.word.len(), |(at, _)| at);
        (&self.word[..end], letters + ENDING)
    }

    /// Whether `other`, a stem as the index holds it, is that of another form of the word, and not that of the word itself.
    pub fn hold(&self, other: &str) -> bool {
        other != stem(&self.word)
            && other != self.word
            && self.languages.iter().any(|language| self.are_forms(other, language))
    }

    fn are_forms(&self, other: &str, language: &Language) -> bool {
        let endings = || language.endings.split(' ').chain(std::iter::once(""));
        endings().filter_map(|ending| self.word.strip_suffix(ending)).any(|stem| {
            let letters = stem.chars().count();
            letters >= self.least()
                && endings().filter_map(|ending| other.strip_suffix(ending)).any(|found| {
                    // The index's stemmer takes a last `e` off words of any language.
                    found == stem || is_softened(stem, found, language)
                })
        })
    }

    fn least(&self) -> usize {
        if self.word.chars().count() <= SHORT { STEM - 1 } else { STEM }
    }

    fn softens(&self) -> bool {
        self.languages.iter().any(|language| !language.softened.is_empty())
    }
}

/// Whether two stems differ in a last consonant that is softened before endings: `kitap` and `kitab`.
fn is_softened(stem: &str, other: &str, language: &Language) -> bool {
    let (Some(last), Some(others)) = (stem.chars().next_back(), other.chars().next_back()) else { return false };
    stem[..stem.len() - last.len_utf8()] == other[..other.len() - others.len_utf8()]
        && language.softened.iter().any(|(soft, hard)| {
            let of = |letter: char| if letter == 'ğ' { 'g' } else { letter };
            (of(last), of(others)) == (*soft, *hard) || (of(last), of(others)) == (*hard, *soft)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::by_code;

    fn forms(code: &str, word: &str) -> Forms {
        Forms::of(word, Spoken::of(by_code(code).unwrap())).unwrap()
    }

    #[test]
    fn words_have_forms_in_their_language() {
        for (code, word, others) in [
            ("de", "Termine", &["terminen"][..]),
            ("de", "Häuser", &["haus", "hausern"]),
            ("fr", "loué", &["louer", "louee"]),
            ("es", "llegaron", &["llegar", "llego"]),
            ("it", "riunioni", &["riunion"]),
            ("pt", "reuniões", &["reuniao"]),
            ("nl", "ketels", &["ketelen"]),
            ("pl", "spotkania", &["spotkanie", "spotkaniu"]),
            ("ru", "встречи", &["встреча", "встрече", "встречу", "встречами"]),
            ("tr", "toplantıda", &["toplanti", "toplantinin"]),
            ("tr", "kitabı", &["kitap"]),
        ] {
            for other in others {
                let forms = forms(code, word);
                assert!(forms.hold(other), "{word}: {other}");
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
            assert!(!forms(code, word).hold(other), "{word}: {other}");
        }
        assert!(Forms::of("ist", Spoken::of(by_code("de").unwrap())).is_none(), "too short");
        assert!(Forms::of("회의", Spoken::of(by_code("ko").unwrap())).is_none());
    }
}
