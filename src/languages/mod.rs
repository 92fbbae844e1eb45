//! What is known of each language: its little words, its endings, the words that its dates are made of, and the words by which
//! sentences, questions, lines about the person and steps are told without a model.
//!
//! One file a language, all in the same form, so that a language is added by adding a file. The rooms that read text ask here, and
//! name no language. Which language a text is in is told by its script and its little words ([`spoken()`]); what is no language of
//! this list is read by the rules of none, which are those of English.

mod asking;
mod cues;
mod dates;
mod facts;
mod first_person;
mod headings;
mod letters;
mod share;
mod spoken;
mod statements;
mod steps;

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

pub use asking::Asking;
pub use cues::Cues;
pub use dates::{DateWords, Unit};
pub use facts::Facts;
pub use first_person::FirstPerson;
pub use headings::Headings;
pub use letters::{bare, fold, is_diacritic};
pub use share::LanguageShares;
pub use spoken::{Spoken, is_general, is_little_word_elsewhere, is_stop_word, languages_of, spoken};
pub use statements::Statements;
pub use steps::Steps;

/// Marks that end a question: of Latin and Cyrillic texts, of full width, and the Arabic one.
pub const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// How a language is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Latin letters.
    Latin,
    /// Cyrillic letters.
    Cyrillic,
    /// Chinese characters alone.
    Han,
    /// Japanese syllables, mixed with Chinese characters.
    Kana,
    /// Korean syllables.
    Hangul,
    /// Thai letters.
    Thai,
}

/// A language. Lists of words are parted by blanks; words are in small letters, without diacritics where it is not said
/// otherwise.
#[derive(Debug)]
pub struct Language {
    /// ISO 639-1.
    pub code: &'static str,
    /// Its English name.
    pub name: &'static str,
    /// How it is written.
    pub script: Script,
    /// Words that carry no subject.
    pub little: &'static str,
    /// Those of them that are English words too, or that names of other languages are made of: alone they prove nothing.
    pub shared: &'static str,
    /// Words that English has for little ones and that mean something here.
    pub content: &'static str,
    /// Letters that few other languages have.
    pub letters: &'static str,
    /// What is written before an apostrophe in place of a little word: `l'adresse`.
    pub elided: &'static str,
    /// Endings of words. Two words are forms of one if they differ in these.
    pub endings: &'static str,
    /// Consonants that change at the end of a stem: the letter before an ending, and the one without an ending.
    pub softened: &'static [(char, char)],
    /// Whether words are joined to longer ones, as German does it.
    pub joins_words: bool,
    /// In scripts without blanks: stretches that carry no subject.
    pub functions: &'static [&'static str],
    /// In Japanese and Korean: what follows a word and is no part of it.
    pub particles: &'static [&'static str],
    /// What its dates are made of.
    pub dates: DateWords,
    /// By which its sentences are told apart.
    pub cues: Cues,
    /// By which its questions are told, and whether they speak of what was before.
    pub asking: Asking,
    /// By which somebody speaks of themselves in it.
    pub first_person: FirstPerson,
    /// By which the steps of a procedure are told.
    pub steps: Steps,
    /// By which a fact is taken apart.
    pub facts: Facts,
    /// By which headings of the memory are told.
    pub headings: Headings,
    /// Words of everyday work with an agent that say nothing of what it is about. In the scripts of East Asia, where a short prompt names
    /// its subject, there are none.
    pub general: &'static str,
}

impl Language {
    /// A language of which nothing is known.
    pub const NONE: Self = Self {
        code: "",
        name: "",
        script: Script::Latin,
        little: "",
        shared: "",
        content: "",
        letters: "",
        elided: "",
        endings: "",
        softened: &[],
        joins_words: false,
        functions: &[],
        particles: &[],
        dates: DateWords::NONE,
        cues: Cues::NONE,
        asking: Asking::NONE,
        first_person: FirstPerson::NONE,
        steps: Steps::NONE,
        facts: Facts::NONE,
        headings: Headings::NONE,
        general: "",
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

/// Returns the language of that code.
pub fn by_code(code: &str) -> Option<&'static Language> {
    ALL.into_iter().find(|language| language.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_written_as_words_are_compared() {
        for language in ALL {
            for list in [
                language.little,
                language.shared,
                language.content,
                language.elided,
                language.endings,
                language.general,
            ] {
                for word in list.split(' ').filter(|word| !word.is_empty()) {
                    assert_eq!(bare(word), word, "{}", language.name);
                }
            }
            for shared in language.shared.split(' ').filter(|word| !word.is_empty()) {
                assert!(language.little.split(' ').any(|word| word == shared), "{}: {shared}", language.name);
            }
        }
        assert_eq!(by_code("tr").map(|language| language.name), Some("Turkish"));
        assert!(by_code("xx").is_none() && by_code("").is_none());
    }
}
