//! Detects the language of a text by its script and its stop words.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::fold::normalize_word;
use super::{ALL, Language, Script};

/// Limit on the words of a text that are read.
const MAX_WORDS: usize = 256;
/// Stop words that are also names of people: "Ella's birthday" is English.
const NAMES: [&str; 14] =
    ["alla", "bo", "della", "ela", "ella", "elle", "kim", "lo", "mai", "mia", "noi", "ona", "sara", "ten"];

/// The language of a text that is not in English, or several languages if its words are stop words of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetectedLanguages(u16);

impl DetectedLanguages {
    /// Returns the set of this one language.
    pub fn of(language: &Language) -> Self {
        let place = ALL.iter().position(|one| one.code == language.code).unwrap_or_default();
        Self(1 << place)
    }

    /// Returns the possible languages, at least one.
    pub fn languages(self) -> impl Iterator<Item = &'static Language> {
        ALL.into_iter().enumerate().filter(move |(place, _)| self.0 >> place & 1 == 1).map(|(_, language)| language)
    }

    /// Whether `word` (lower-case, without diacritics) is a stop word: in each of the languages, or in English if none
    /// of them gives it a meaning.
    pub fn is_stop_word(self, word: &str) -> bool {
        let Some(known) = WORD_LANGUAGES.get(word) else { return false };
        let of_english = known.stop_words & ENGLISH != 0 && known.not_stop_words & self.0 == 0;
        known.stop_words & self.0 == self.0 || of_english
    }
}

/// Returns the language of a text, or `None` if it is English or unknown. Proof takes at least one word that occurs in
/// no English text and no name, and more stop words than English has in the text.
pub fn detect_language(text: &str) -> Option<DetectedLanguages> {
    if let Some(language) = of_script(text) {
        return Some(DetectedLanguages::of(language));
    }
    let mut hits = [0usize; ALL.len()];
    let mut proof = 0u16;
    for (word, is_elided) in words(text).take(MAX_WORDS) {
        let plain = normalize_word(word);
        if let Some(known) = WORD_LANGUAGES.get(plain.as_str()) {
            let stop_words = if is_elided { known.elided | known.stop_words } else { known.stop_words };
            count(&mut hits, stop_words);
            proof |= if is_elided { known.elided } else { 0 };
            proof |= if known.is_shared || NAMES.contains(&plain.as_str()) { 0 } else { known.stop_words };
        }
        if !word.is_ascii() {
            let typical = typical(word);
            count(&mut hits, typical);
            proof |= typical;
        }
    }
    let proven = |place: usize| proof >> place & 1 == 1;
    let most = (1..ALL.len()).filter(|place| proven(*place)).map(|place| hits[place]).max()?;
    let best = (1..ALL.len()).filter(|place| hits[*place] == most && proven(*place));
    (most > hits[0]).then(|| DetectedLanguages(best.fold(0, |mask, place| mask | 1 << place)))
}

/// Returns the languages whose phrases apply to a text: its own and English, which people mix with any language; all
/// languages if its own is unknown. A phrase of one language may be an everyday word of another: `hier` means yesterday
/// in French only.
pub fn phrase_languages(text: &str) -> impl Iterator<Item = &'static Language> {
    let mask = detect_language(text).map_or(u16::MAX, |detected| detected.0 | ENGLISH);
    DetectedLanguages(mask).languages()
}

/// Whether `word` (lower-case) is an English stop word, which a question drops unless nothing else is left.
pub fn is_stop_word(word: &str) -> bool {
    WORD_LANGUAGES.get(word).is_some_and(|known| known.stop_words & ENGLISH != 0)
}

/// Whether `word` (lower-case, without diacritics) is a word of everyday work with an agent, in any language. A prompt
/// of such words alone continues the session's subject.
pub fn is_generic_word(word: &str) -> bool {
    static GENERIC: LazyLock<HashSet<&'static str>> =
        LazyLock::new(|| ALL.iter().flat_map(|language| language.generic_words.split_whitespace()).collect());
    GENERIC.contains(word)
}

/// Whether `word` (lower-case, without diacritics) is a stop word of another language and not an English word. Such a
/// word shows that a text is not in English, and is no typo.
pub fn is_foreign_stop_word(word: &str) -> bool {
    WORD_LANGUAGES.get(word).is_some_and(|known| known.stop_words & !ENGLISH != 0 && !known.is_shared)
}

/// The bit of English.
const ENGLISH: u16 = 1;

/// The languages of a word, one bit each.
#[derive(Default, Clone, Copy)]
struct WordLanguages {
    stop_words: u16,
    not_stop_words: u16,
    elided: u16,
    is_shared: bool,
}

static WORD_LANGUAGES: LazyLock<HashMap<&'static str, WordLanguages>> = LazyLock::new(|| {
    let mut known: HashMap<&'static str, WordLanguages> = HashMap::with_capacity(2048);
    for (place, language) in ALL.iter().enumerate() {
        let bit = 1 << place;
        for word in language.stop_words.split_ascii_whitespace() {
            let one = known.entry(word).or_default();
            one.stop_words |= bit;
            one.is_shared |= bit == ENGLISH;
        }
        for word in language.ambiguous_stop_words.split_ascii_whitespace() {
            known.entry(word).or_default().is_shared = true;
        }
        for word in language.not_stop_words.split_ascii_whitespace() {
            known.entry(word).or_default().not_stop_words |= bit;
        }
        for word in language.elided.split_ascii_whitespace() {
            known.entry(word).or_default().elided |= bit;
        }
    }
    known
});

fn count(hits: &mut [usize; ALL.len()], mask: u16) {
    for (place, hits) in hits.iter_mut().enumerate() {
        *hits += usize::from(mask >> place & 1);
    }
}

/// Returns the languages that have a letter of this word as a typical letter.
fn typical(word: &str) -> u16 {
    let lower = word.to_lowercase();
    let has = |language: &Language| !language.letters.is_empty() && lower.contains(|c| language.letters.contains(c));
    ALL.iter().enumerate().filter(|(_, language)| has(language)).fold(0, |mask, (place, _)| mask | 1 << place)
}

/// Returns the words of a text, and whether an apostrophe follows.
fn words(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let is_letter = |c: char| c.is_alphanumeric() || super::is_diacritic(c);
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| !is_letter(c));
        let end = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        let elided = behind.strip_prefix(['\'', '\u{2019}']).is_some_and(|next| next.starts_with(is_letter));
        (!word.is_empty()).then_some((word, elided))
    })
}

/// Returns the language of a text's script, if enough of the text is in a script other than Latin.
fn of_script(text: &str) -> Option<&'static Language> {
    if text.is_ascii() {
        return None;
    }
    let (mut letters, mut cyrillic, mut east) = (0usize, 0usize, [0usize; 4]);
    for character in text.chars().filter(|c| c.is_alphabetic()).take(32 * MAX_WORDS) {
        letters += 1;
        match script_of(character) {
            Some(Script::Cyrillic) => cyrillic += 1,
            Some(Script::Kana) => east[0] += 1,
            Some(Script::Hangul) => east[1] += 1,
            Some(Script::Thai) => east[2] += 1,
            Some(Script::Han) => east[3] += 1,
            _ => {}
        }
    }
    let script = if 2 * cyrillic >= letters.max(1) {
        Script::Cyrillic
    } else if 3 * east.iter().sum::<usize>() >= letters.max(1) {
        // Japanese and Korean texts hold Chinese characters, but not the other way round.
        [Script::Kana, Script::Hangul, Script::Thai, Script::Han]
            .into_iter()
            .zip(east)
            .find(|(_, count)| 8 * count >= letters)
            .map_or(Script::Han, |(script, _)| script)
    } else {
        return None;
    };
    ALL.into_iter().find(|language| language.script == script)
}

/// Returns the script of a letter that only languages of this list use, or `None` for Latin and all other letters.
pub(super) fn script_of(letter: char) -> Option<Script> {
    Some(match letter {
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{e00}'..='\u{e7f}' => Script::Thai,
        '\u{3040}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9f}' => Script::Kana,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}' => Script::Hangul,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => Script::Han,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> String {
        let codes = |detected: DetectedLanguages| {
            detected.languages().map(|language| language.code).collect::<Vec<_>>().join(" ")
        };
        detect_language(text).map(codes).unwrap_or_default()
    }

    #[test]
    fn questions_are_recognized_by_stop_words_or_script() {
        for (code, text) in [
            ("de", "Wann ist der Zahnarzttermin?"),
            ("de", "Was war die Entscheidung zum Port in der Datei?"),
            ("fr", "Où est l'adresse du plombier ?"),
            ("fr it", "l'adresse"),
            ("es", "¿Dónde está la llave del sótano?"),
            ("it", "Quando abbiamo pagato la bolletta?"),
            ("pt", "Onde estão as chaves do carro?"),
            ("nl", "Wanneer hebben we de ketel laten nakijken?"),
            ("pl", "Kiedy jest wizyta u dentysty?"),
            ("ru", "Когда приём у врача?"),
            ("tr", "Ayşe'nin doğum günü ne zaman?"),
            ("ja", "会議はいつですか"),
            ("ja", "Redis のポートは"),
            ("zh", "会议什么时候开始?"),
            ("ko", "회의는 언제인가요?"),
            ("th", "นัดหมอฟันเมื่อไหร่"),
        ] {
            assert_eq!(codes(text), code, "{text}");
        }
    }

    #[test]
    fn english_texts_and_names_are_no_foreign_language() {
        for text in [
            "When is the dentist's appointment?",
            "what did we decide about the port in the file",
            "die hard movie night",
            "trip to La Paz",
            "Los Angeles flight",
            "San Francisco de la Vega",
            "O'Brien and d'Artagnan in the book",
            "the war of the worlds",
            "no-unused-vars",
            "getUserName",
            "café",
            "Rock 'n' roll on the radio",
            "prefer-const",
            "Ella birthday present",
            "Kim dentist",
            "",
            "?!",
        ] {
            assert_eq!(codes(text), "", "{text}");
        }
    }

    #[test]
    fn phrases_of_the_text_language_and_of_english_apply() {
        let codes = |text: &str| phrase_languages(text).map(|language| language.code).collect::<Vec<_>>().join(" ");
        assert_eq!(codes("Schau dir hier den Parser an"), "en de");
        assert_eq!(codes("powiedz mi, czym się różni"), "en pl");
        assert_eq!(phrase_languages("Redis port").count(), ALL.len());
    }

    #[test]
    fn english_stop_words_with_a_foreign_meaning_are_kept() {
        let french = detect_language("Quel est le but de l'association ?").unwrap();
        assert!(!french.is_stop_word("but") && french.is_stop_word("est") && french.is_stop_word("the"));
        assert!(is_stop_word("but") && !is_stop_word("est"));
    }

    #[test]
    fn foreign_stop_words_exclude_english_words() {
        for word in ["wann", "warum", "pourquoi", "donde", "kiedy", "nicin"] {
            assert!(is_foreign_stop_word(word), "{word}");
        }
        for word in ["die", "war", "also", "fast", "pour", "sin", "come", "the", "la", "size", "due"] {
            assert!(!is_foreign_stop_word(word), "{word}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_accepted(text in "\\PC{0,60}") {
            if let Some(detected) = detect_language(&text) {
                proptest::prop_assert!(detected.languages().next().is_some());
            }
        }
    }
}
