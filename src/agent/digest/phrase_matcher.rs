//! Looks up phrases in a text, in the languages that it may be in.

use super::cues;
use tars_text::analysis::is_unspaced;
use tars_text::languages::{Language, QUESTION_MARKS, phrase_languages};

/// Selects the phrases of one kind from a language.
pub type Phrases = fn(&'static Language) -> &'static [&'static str];

/// A text normalized for the comparison with phrases. Phrases of languages that it is clearly not in do not apply.
pub struct PhraseMatcher {
    text: String,
    languages: Vec<&'static Language>,
}

impl PhraseMatcher {
    /// Normalizes a text and detects the languages that it may be in.
    pub fn new(text: &str) -> Self {
        Self { text: cues::plain(text), languages: phrase_languages(text).collect() }
    }

    /// Normalizes another form of the text, in the same languages.
    pub fn form(&self, text: &str) -> Self {
        Self { text: cues::plain(text), languages: self.languages.clone() }
    }

    /// Returns the languages that the text may be in; English is the first.
    pub fn languages(&self) -> &[&'static Language] {
        &self.languages
    }

    /// Whether the text holds a question mark.
    pub fn has_question_mark(&self) -> bool {
        self.text.contains(QUESTION_MARKS)
    }

    /// Whether the text holds one of these phrases as whole words.
    pub fn holds(&self, phrases: Phrases) -> bool {
        self.any(phrases, |phrase| cues::holds_phrase(&self.text, phrase))
    }

    /// Whether the text holds a phrase of any language as whole words.
    pub(super) fn says(&self, phrase: &str) -> bool {
        cues::holds_phrase(&self.text, phrase)
    }

    /// Whether the text begins with one of these phrases, ignoring punctuation before it.
    pub fn begins(&self, phrases: Phrases) -> bool {
        let text = self.text.trim_start_matches(|c: char| !c.is_alphanumeric());
        self.any(phrases, |phrase| cues::begins(text, phrase))
    }

    /// Whether the text ends with one of these phrases, ignoring punctuation after it.
    pub fn ends(&self, phrases: Phrases) -> bool {
        let text = self.text.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_unspaced(c));
        self.any(phrases, |phrase| {
            let before = text.strip_suffix(phrase);
            before.is_some_and(|before| phrase.starts_with(is_unspaced) || !before.ends_with(char::is_alphanumeric))
        })
    }

    fn any(&self, phrases: Phrases, is_said: impl Fn(&str) -> bool) -> bool {
        self.languages.iter().flat_map(|language| phrases(language)).any(|phrase| is_said(phrase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_text::languages::ALL;

    const WITHIN: [Phrases; 7] = [
        |language| language.questions.markers,
        |language| language.questions.past_phrases,
        |language| language.questions.past_phrases_with_past_form,
        |language| language.questions.left_open,
        |language| language.questions.done,
        |language| language.questions.current_project,
        |language| language.first_person.anywhere,
    ];
    const AT_THE_BEGINNING: [Phrases; 2] =
        [|language| language.questions.question_words, |language| language.first_person.begins];
    const AT_THE_END: [Phrases; 2] =
        [|language| language.questions.past_phrases_at_end, |language| language.first_person.ends];

    #[test]
    fn phrases_match_whole_words_except_in_scripts_without_blanks() {
        let asks = |text: &str| PhraseMatcher::new(text).begins(|language| language.questions.question_words);
        assert!(asks("¿Dónde está?") && asks("« Où est-il »") && asks("qu'avons-nous fait") && !asks("whereabouts"));
        let past = |text: &str| PhraseMatcher::new(text).ends(|language| language.questions.past_phrases_at_end);
        assert!(past("where did I work before?!") && !past("before lunch") && !past("herebefore"));
        let now = |text: &str| PhraseMatcher::new(text).holds(|language| language.questions.markers);
        assert!(now("หมอฟันเมื่อไหร่") && now("会议几点") && !now("the meeting"));
        for mark in ["So?", "そう？", "كذا؟"] {
            assert!(PhraseMatcher::new(mark).has_question_mark(), "{mark}");
        }
    }

    #[test]
    fn every_phrase_is_normalized() {
        for phrases in WITHIN.iter().chain(&AT_THE_BEGINNING).chain(&AT_THE_END) {
            for phrase in ALL.iter().flat_map(|language| phrases(language)) {
                assert_eq!(cues::plain(phrase), *phrase);
                assert!(cues::holds_phrase(&format!("so {phrase} it"), phrase), "{phrase}");
            }
        }
    }

    /// Sentences in the languages that were supported first.
    fn sentences() -> Vec<String> {
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let german =
            std::fs::read_dir(root.join("tests/languages/german/vault")).unwrap().map(|entry| entry.unwrap().path());
        let english = ["README.md", "docs/reliability.md", "docs/assistant.md", "docs/plugin.md", "docs/schedules.md"];
        let files = german.filter(|path| path.is_file()).chain(english.iter().map(|page| root.join(page)));
        files.flat_map(|file| super::super::sentences::sentences(&std::fs::read_to_string(file).unwrap())).collect()
    }

    #[test]
    fn english_and_german_prose_holds_no_phrase_of_later_languages() {
        let before = ["en", "de", "fr", "es"];
        let known = |kinds: &[Phrases]| -> Vec<&str> {
            let languages = ALL.iter().filter(|language| before.contains(&language.code));
            languages.flat_map(|language| kinds.iter().flat_map(|kind| kind(language))).copied().collect()
        };
        let mut wrong = Vec::new();
        for sentence in sentences() {
            for language in ALL.iter().filter(|language| !before.contains(&language.code)) {
                let said = PhraseMatcher { text: cues::plain(&sentence), languages: vec![language] };
                let mut check = |kinds: &[Phrases], is_said: &dyn Fn(&str) -> bool| {
                    let known = known(kinds);
                    let phrases = kinds.iter().flat_map(|kind| kind(language)).filter(|phrase| !known.contains(phrase));
                    let found = phrases.filter(|phrase| is_said(phrase));
                    wrong.extend(found.map(|phrase| format!("{}: '{phrase}' in '{sentence}'", language.name)));
                };
                check(&WITHIN, &|phrase| cues::holds_phrase(&said.text, phrase));
                check(&AT_THE_BEGINNING, &|phrase| cues::begins(&said.text, phrase));
                check(&AT_THE_END, &|phrase| said.text.trim_end_matches(['.', '?']).ends_with(phrase));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
