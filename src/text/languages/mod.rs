//! Word lists of each language: stop words, endings, date words, and the cue words that classify sentences, questions,
//! lines about the person and steps without a model.
//!
//! Each language is one file of the same form, so adding a language means adding a file. The modules that read text use
//! these lists and never name a language themselves. [`detect_language()`] detects the language of a text by its script and its
//! stop words. Text in any other language is treated like English.

mod cues;
mod date_words;
mod detect;
mod entities;
mod fact_words;
mod first_person;
mod fold;
mod heading_words;
mod inline_markup;
mod language_shares;
mod letters;
mod part_words;
mod question_words;

mod step_words;

mod chinese;
mod dutch;
mod english;
mod french;
mod german;
mod italian;
mod japanese;
mod korean;
mod polish;
mod portuguese;
mod russian;
mod spanish;
mod thai;
mod turkish;

pub use cues::Cues;
pub use date_words::{DateUnit, DateWords};
pub use detect::{
    DetectedLanguages, detect_language, is_foreign_stop_word, is_generic_word, is_stop_word, phrase_languages,
};
pub(crate) use entities::entities;
pub use fact_words::FactWords;
pub use first_person::FirstPerson;
pub use fold::{Folded, fold, fold_letters, normalize_word};
pub use heading_words::HeadingWords;
pub use language_shares::LanguageShares;
pub use letters::is_diacritic;
pub use part_words::PartWords;
pub use question_words::QuestionWords;
pub use step_words::StepWords;

/// Marks that end a question: Latin and Cyrillic, full-width, and Arabic.
pub const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// The script of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Latin letters.
    Latin,
    /// Cyrillic letters.
    Cyrillic,
    /// Chinese characters only.
    Han,
    /// Japanese syllables, mixed with Chinese characters.
    Kana,
    /// Korean syllables.
    Hangul,
    /// Thai letters.
    Thai,
}

/// A language. Lists of words are separated by blanks. Words are lower-case and without diacritics unless a field says
/// otherwise.
#[derive(Debug)]
pub struct Language {
    /// ISO 639-1 code.
    pub code: &'static str,
    /// English name.
    pub name: &'static str,
    /// Script.
    pub script: Script,
    /// Stop words: function words that say nothing about the subject.
    pub stop_words: &'static str,
    /// The stop words that are also English words or parts of foreign names. On their own they do not prove the
    /// language.
    pub ambiguous_stop_words: &'static str,
    /// English stop words that carry meaning in this language.
    pub not_stop_words: &'static str,
    /// Letters that few other languages have.
    pub letters: &'static str,
    /// Elided stop words, written before an apostrophe: the `l` of `l'adresse`.
    pub elided: &'static str,
    /// Word endings. Two words are forms of one word if they differ only in these.
    pub endings: &'static str,
    /// Consonants that change at the end of a stem: the letter before an ending, and the letter without one.
    pub softened: &'static [(char, char)],
    /// Whether the language joins words to compounds, as German does.
    pub joins_words: bool,
    /// In scripts without blanks: stretches of characters that say nothing about the subject.
    pub function_sequences: &'static [&'static str],
    /// In Japanese and Korean: particles that follow a word and are no part of it.
    pub particles: &'static [&'static str],
    /// Words of dates.
    pub dates: DateWords,
    /// Cues that classify sentences.
    pub cues: Cues,
    /// Words that mark questions, and questions about the past.
    pub questions: QuestionWords,
    /// Words that show that a question has several parts.
    pub parts: PartWords,
    /// Words with which people speak about themselves.
    pub first_person: FirstPerson,
    /// Words that mark the steps of a procedure.
    pub steps: StepWords,
    /// Words that separate a fact's subject from its value.
    pub facts: FactWords,
    /// Words of memory headings.
    pub headings: HeadingWords,
    /// Words of everyday work with an agent that say nothing about the subject. Empty for the scripts of East Asia,
    /// where even a short prompt names its subject.
    pub generic_words: &'static str,
}

impl Language {
    /// A language without any words.
    pub const NONE: Self = Self {
        code: "",
        name: "",
        script: Script::Latin,
        stop_words: "",
        ambiguous_stop_words: "",
        not_stop_words: "",
        letters: "",
        elided: "",
        endings: "",
        softened: &[],
        joins_words: false,
        function_sequences: &[],
        particles: &[],
        dates: DateWords::NONE,
        cues: Cues::NONE,
        questions: QuestionWords::NONE,
        parts: PartWords::NONE,
        first_person: FirstPerson::NONE,
        steps: StepWords::NONE,
        facts: FactWords::NONE,
        headings: HeadingWords::NONE,
        generic_words: "",
    };
}

/// All languages; English is the first.
pub static ALL: [&Language; 14] = [
    &english::ENGLISH,
    &german::GERMAN,
    &french::FRENCH,
    &spanish::SPANISH,
    &italian::ITALIAN,
    &portuguese::PORTUGUESE,
    &dutch::DUTCH,
    &polish::POLISH,
    &russian::RUSSIAN,
    &turkish::TURKISH,
    &japanese::JAPANESE,
    &chinese::CHINESE,
    &korean::KOREAN,
    &thai::THAI,
];

/// Returns the language of an ISO 639-1 code.
pub fn by_code(code: &str) -> Option<&'static Language> {
    ALL.into_iter().find(|language| language.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_lists_hold_normalized_words() {
        for language in ALL {
            for list in [
                language.stop_words,
                language.ambiguous_stop_words,
                language.not_stop_words,
                language.elided,
                language.endings,
                language.generic_words,
            ] {
                for word in list.split(' ').filter(|word| !word.is_empty()) {
                    assert_eq!(normalize_word(word), word, "{}", language.name);
                }
            }
            for shared in language.ambiguous_stop_words.split(' ').filter(|word| !word.is_empty()) {
                assert!(language.stop_words.split(' ').any(|word| word == shared), "{}: {shared}", language.name);
            }
        }
        assert_eq!(by_code("tr").map(|language| language.name), Some("Turkish"));
        assert!(by_code("xx").is_none() && by_code("").is_none());
    }
}
