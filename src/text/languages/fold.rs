//! The one fold of letters: the text of a note and that of a question become the letters that people type.
//!
//! The fold is Unicode's NFKC (ligatures, sub- and superscripts, half- and full-width letters, decomposed letters), without invisible
//! characters, with plain letters (`letters`), and without the marks that readers do without: Greek accents, Arabic vowel signs, Hebrew
//! points. Latin diacritics stay, because FTS5 strips them and words with umlauts have several spellings. Case stays too. Each character
//! of the folded text knows its place in the original.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization_alignments::UnicodeNormalization;
use unicode_normalization_alignments::char::{compose, decompose_compatible};

use super::entities::entities;
use super::inline_markup;
use super::letters::{is_diacritic, is_greek, is_optional_mark, is_settled, keeps_its_marks, plain_letters};
use crate::invisible::is_invisible;

/// Returns a word as the index holds it, except for stemming: lower-case, without the diacritics of Latin letters, and
/// with letters such as `ø` as plain letters.
pub fn normalize_word(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut plain = String::with_capacity(word.len());
    let mut base = ' ';
    for (letter, _) in fold_letters(word).to_lowercase().nfd() {
        if is_diacritic(letter) {
            if keeps_its_marks(base) {
                plain.push(letter);
            }
        } else {
            // Only the end of a word has a small letter of its own.
            plain.push(if letter == 'ς' { 'σ' } else { letter });
            base = letter;
        }
    }
    if plain.is_ascii() { plain } else { plain.nfc().map(|(letter, _)| letter).collect() }
}

/// Returns `text` in the letters that people type.
pub fn fold_letters(text: &str) -> Cow<'_, str> {
    match text.is_ascii() || text.chars().all(|c| is_settled(c) && plain_letters(c).is_none()) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(Folder::new(text.len()).fold(text, &[]).text),
    }
}

/// Returns `text` in the letters that people type, with its HTML entities decoded and without the markup inside its words.
pub fn fold(text: &str) -> Cow<'_, str> {
    let edits = edits(text);
    match edits.is_empty() {
        true => fold_letters(text),
        false => Cow::Owned(Folder::new(text.len()).fold(text, &edits).text),
    }
}

/// A part of a text, and the characters that a reader sees in its place.
type Edit = (Range<usize>, String);

/// Returns the entities of a text and the markup inside its words, in order and without overlap.
fn edits(text: &str) -> Vec<Edit> {
    let mut edits: Vec<Edit> =
        inline_markup::within_words(text).into_iter().map(|place| (place, String::new())).collect();
    edits.extend(entities(text));
    edits.sort_by_key(|(place, _)| place.start);
    let mut free = 0;
    // An entity within a tag belongs to the tag.
    edits.retain(|(place, _)| {
        let fits = place.start >= free;
        free = if fits { place.end } else { free };
        fits
    });
    edits
}

/// A text as [`fold`] returns it, with the places of its characters in the original.
#[derive(Debug)]
pub struct Folded {
    /// The folded text.
    pub text: String,
    /// The characters of `text`, in order.
    places: Vec<Place>,
}

/// A character of the folded text, which begins at `at`, and its bytes in the original.
#[derive(Debug)]
struct Place {
    at: usize,
    original: Range<usize>,
}

impl Folded {
    /// Folds a text.
    pub fn of(text: &str) -> Self {
        Folder::new(text.len()).fold(text, &edits(text))
    }

    /// Returns the bytes of the original that a part of the folded text stands for. The part must begin and end at characters.
    pub fn original(&self, part: Range<usize>) -> Range<usize> {
        let first = self.places.partition_point(|place| place.at < part.start);
        let last = self.places.partition_point(|place| place.at < part.end);
        let end = self.places[..last].last().map_or(0, |place| place.original.end);
        let start = self.places.get(first).map_or(end, |place| place.original.start);
        start..end.max(start)
    }
}

/// Folds one text, character by character.
struct Folder {
    folded: Folded,
    /// The last character, if a mark may join it.
    last: Option<char>,
}

impl Folder {
    fn new(length: usize) -> Self {
        Self { folded: Folded { text: String::with_capacity(length), places: Vec::new() }, last: None }
    }

    /// Folds `text` with `edits`, which are in order.
    fn fold(mut self, text: &str, edits: &[Edit]) -> Folded {
        let mut at = 0;
        for (place, characters) in edits {
            text[at..place.start]
                .char_indices()
                .for_each(|(from, c)| self.read(c, &(at + from..at + from + c.len_utf8())));
            characters.chars().for_each(|c| self.read(c, place));
            at = place.end;
        }
        text[at..].char_indices().for_each(|(from, c)| self.read(c, &(at + from..at + from + c.len_utf8())));
        self.folded
    }

    /// Adds a character of the original.
    fn read(&mut self, character: char, place: &Range<usize>) {
        if is_settled(character) {
            return self.settle(character, place);
        }
        let (mut parts, mut length) = ([' '; 32], 0);
        decompose_compatible(character, |part| {
            if let Some(room) = parts.get_mut(length) {
                *room = part;
                length += 1;
            }
        });
        let parts = &parts[..length];
        let letters = parts.iter().filter(|part| !is_optional_mark(**part)).count();
        if parts.first() == Some(&' ') && !character.is_whitespace() {
            // An accent of its own.
            self.push(character, place);
        } else if letters > 1 && !character.is_alphabetic() {
            // A sign for several letters, such as ½ or ™, is no part of the word before it.
            self.push(' ', place);
            parts.iter().for_each(|part| self.add(*part, place));
            self.push(' ', place);
        } else {
            parts.iter().for_each(|part| self.add(*part, place));
        }
    }

    /// Adds a character that may join the one before it.
    fn add(&mut self, character: char, place: &Range<usize>) {
        if is_invisible(character) {
            return;
        }
        let joined = self.last.filter(|last| !is_greek(*last)).and_then(|last| compose(last, character));
        if let Some(joined) = joined
            && let Some(before) = self.folded.places.pop()
        {
            self.folded.text.truncate(before.at);
            return self.settle(joined, &(before.original.start..place.end));
        }
        match is_optional_mark(character) {
            true => {
                if let Some(last) = self.folded.places.last_mut() {
                    last.original.end = place.end;
                }
            }
            false => self.settle(character, place),
        }
    }

    /// Adds a character in its plain form.
    fn settle(&mut self, character: char, place: &Range<usize>) {
        match plain_letters(character) {
            Some(letters) => letters.chars().for_each(|letter| self.push(letter, place)),
            None => self.push(character, place),
        }
    }

    fn push(&mut self, character: char, place: &Range<usize>) {
        self.folded.places.push(Place { at: self.folded.text.len(), original: place.clone() });
        self.folded.text.push(character);
        self.last = Some(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diacritics_and_capitals_are_folded() {
        assert_eq!(normalize_word("Käsespätzle"), "kasespatzle");
        assert_eq!(normalize_word("Cre\u{300}me"), "creme");
        assert_eq!(normalize_word("Łódź"), "lodz");
    }

    #[test]
    fn strokes_and_ligatures_are_folded() {
        assert_eq!(fold_letters("Bodø, Łódź, Straße, cœur, Ærø"), "Bodo, Lódź, Strasse, coeur, Aero");
        assert!(matches!(fold_letters("über café"), Cow::Borrowed(_)));
    }

    #[test]
    fn turkish_i_has_one_form_with_and_without_its_dot() {
        for word in ["ışık", "IŞIK", "Işık", "isik"] {
            assert_eq!(normalize_word(word), "isik", "{word}");
        }
        assert_eq!(
            (normalize_word("İstanbul"), normalize_word("istanbul"), normalize_word("ISTANBUL")),
            ("istanbul".into(), "istanbul".into(), "istanbul".into())
        );
    }

    #[test]
    fn cyrillic_short_i_is_kept() {
        assert_eq!(
            (normalize_word("Ёлка"), normalize_word("йод"), normalize_word("НОВЫЙ")),
            ("елка".into(), "йод".into(), "новый".into())
        );
        assert_eq!(normalize_word("но\u{432}ы\u{438}\u{306}"), "новый", "as macOS writes it in names of files");
        assert_eq!(fold_letters("и\u{306}од"), "йод");
        assert_eq!(fold_letters("за\u{301}мок е\u{308}лка"), "замок елка", "stress is optional");
    }

    #[test]
    fn east_asian_letters_are_composed_and_narrowed() {
        assert_eq!(fold_letters("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"), "한국");
        assert_eq!(fold_letters("カ\u{3099}ラス ＡＢＣ１２３"), "ガラス ABC123");
        assert_eq!(fold_letters("ｶﾞﾗｽ ﾊﾟﾝ ｺｰﾋｰ"), "ガラス パン コーヒー");
        assert_eq!(fold_letters("ที่นี่"), "ทน", "the index would part the word at each of these marks");
        assert_eq!(fold_letters("น้ำ ㄱㅏ"), "นำ ㄱㅏ");
    }

    #[test]
    fn invisible_characters_vanish() {
        for hidden in ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{34f}', '\u{fe0f}'] {
            assert_eq!(fold_letters(&format!("soft{hidden}ware")), "software", "{hidden:?}");
        }
        assert_eq!(fold_letters("a\u{a0}b\u{202f}c\u{3000}d"), "a b c d");
    }

    #[test]
    fn ligatures_and_raised_figures_are_typed_plainly() {
        assert_eq!(fold_letters("eﬃcient ﬂow of CO₂, m² and xⁿ"), "efficient flow of CO2, m2 and xn");
        assert_eq!(fold_letters("Acme™ 1½ №5 20℃"), "Acme TM  1 1⁄2   No 5 20 °C ", "signs are no part of a word");
        assert_eq!(fold_letters("it´s 5 µm"), "it´s 5 μm");
    }

    #[test]
    fn marks_that_readers_do_without_are_dropped() {
        assert_eq!(normalize_word("Ἀθῆναι"), normalize_word("Αθηναι"));
        assert_eq!((normalize_word("ΟΔΟΣ"), normalize_word("οδός")), ("οδοσ".into(), "οδοσ".into()));
        assert_eq!(fold_letters("مُحَمَّد"), "محمد");
        assert_eq!(fold_letters("كتـــاب"), "كتاب");
        assert_eq!(fold_letters("ﻛﺘﺎﺏ"), "كتاب", "forms of presentation");
        assert_eq!(fold_letters("أ ا\u{64e}\u{654}"), "أ أ", "a hamza is a letter");
        assert_eq!(fold_letters("שָׁלוֹם"), "שלום");
        assert_eq!(fold_letters("किताब"), "किताब", "here marks are vowels");
    }

    #[test]
    fn markup_within_a_word_is_no_part_of_it() {
        assert_eq!(fold("un**believ**able H<sub>2</sub>O"), "unbelievable H2O");
        assert_eq!(fold("K&ouml;nigsberger&nbsp;&amp; Sohn soft&shy;ware R&amp;D"), "Königsberger & Sohn software R&D");
        assert!(matches!(fold("**bold** and <b>bold</b>"), Cow::Borrowed(_)));
    }

    #[test]
    fn folded_words_are_found_in_the_original() {
        for (text, word, place) in [
            ("Das ist un**believ**able!", "unbelievable", "un**believ**able"),
            ("trink H<sub>2</sub>O jetzt", "H2O", "H<sub>2</sub>O"),
            ("ein eﬃcient Motor", "efficient", "eﬃcient"),
            ("Große Straße hier", "Strasse", "Straße"),
            ("ｶﾞﾗｽ", "ガラス", "ｶﾞﾗｽ"),
            ("Herr K&ouml;nig!", "König", "K&ouml;nig"),
            ("so\u{ad}ft\u{200b}ware x", "software", "so\u{ad}ft\u{200b}ware"),
            ("a مُحَمَّد b", "محمد", "مُحَمَّد"),
            ("plain text", "text", "text"),
        ] {
            let folded = Folded::of(text);
            let at = folded.text.find(word).unwrap_or_else(|| panic!("{word} in {}", folded.text));
            assert_eq!(&text[folded.original(at..at + word.len())], place);
        }
    }

    proptest::proptest! {
        #[test]
        fn folding_is_idempotent(text in "\\PC{0,40}") {
            let once = fold_letters(&text).into_owned();
            proptest::prop_assert_eq!(fold_letters(&once).into_owned(), once);
        }

        #[test]
        fn every_part_has_a_place(text in "([a-zé*<>/~=]|<b>|</b>|\u{ad}|ｶ|ﾞ|½|ﬁ|\\PC){0,30}") {
            let folded = Folded::of(&text);
            proptest::prop_assert_eq!(&folded.text, &*fold(&text));
            let mut before = 0;
            for (at, letter) in folded.text.char_indices() {
                let place = folded.original(at..at + letter.len_utf8());
                proptest::prop_assert!(text.get(place.clone()).is_some(), "{:?}", place);
                proptest::prop_assert!(place.start >= before);
                before = place.start;
            }
        }
    }
}
