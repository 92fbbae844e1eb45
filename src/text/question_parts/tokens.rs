//! The words of a question, with what their form shows.

use crate::languages::{
    DetectedLanguages, Language, QUESTION_MARKS, Script, detect_language, is_stop_word, normalize_word,
};

/// The part of a word in a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It joins two things.
    Conjunction,
    /// It opens a question.
    Asking,
    /// It says nothing about the subject.
    Stop,
    /// It says what the question is about.
    Content,
}

/// A word of a question.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is one property of a word's form")]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) kind: Kind,
    /// Whether it begins with a capital letter and does not open the question.
    pub(super) is_capital: bool,
    /// Whether it stands in a quotation.
    pub(super) is_quoted: bool,
    pub(super) has_comma: bool,
    pub(super) ends_sentence: bool,
    /// Whether a question mark follows.
    pub(super) is_question: bool,
    /// Whether a hyphen stands for the rest of a compound: `Salz- und Pfeffermühle`.
    pub(super) is_cut: bool,
    /// Whether a mark or a particle ends the group of words.
    pub(super) ends_group: bool,
    /// Whether its ending joins two clauses, as in Korean.
    pub(super) joins_clauses: bool,
    pub(super) is_pairing: bool,
    pub(super) is_separating: bool,
    /// Whether it is a verb that stands before its subject in a question.
    pub(super) is_inverted: bool,
    /// Whether it is a verb that asks for something.
    pub(super) is_requesting: bool,
    /// Whether it is a number or the name of a month or a day.
    pub(super) is_time: bool,
}

/// The words of the question's languages.
pub(super) struct Words {
    languages: Vec<&'static Language>,
    detected: Option<DetectedLanguages>,
    pub(super) bare_nouns: bool,
    pub(super) capital_nouns: bool,
    is_korean: bool,
}

impl Words {
    pub(super) fn new(languages: &[&'static Language], question: &str) -> Self {
        Self {
            languages: languages.to_vec(),
            detected: detect_language(question),
            bare_nouns: languages.iter().any(|language| language.parts.bare_nouns),
            capital_nouns: languages.iter().any(|language| language.parts.capital_nouns),
            is_korean: languages.iter().any(|language| language.script == Script::Hangul),
        }
    }

    fn lists(&self, word: &str, list: impl Fn(&Language) -> &'static [&'static str]) -> bool {
        self.languages.iter().any(|language| list(language).contains(&word))
    }

    fn is_stop(&self, word: &str) -> bool {
        let plain = normalize_word(word);
        self.detected.map_or_else(|| is_stop_word(&plain), |detected| detected.is_stop_word(&plain))
    }

    fn asks(&self, word: &str) -> bool {
        self.lists(word, |language| language.parts.asking)
            || (self.is_korean
                && self.languages.iter().any(|language| {
                    language.questions.markers.iter().any(|marker| word.starts_with(marker.trim_end()))
                }))
    }

    fn kind(&self, word: &str) -> Kind {
        if self.lists(word, |language| language.parts.conjunctions) {
            Kind::Conjunction
        } else if self.asks(word) {
            Kind::Asking
        } else if self.is_stop(word) || self.is_joined_stop(word) {
            Kind::Stop
        } else {
            Kind::Content
        }
    }

    /// Whether a word is joined of stop words and single letters: `a-t-elle`.
    fn is_joined_stop(&self, word: &str) -> bool {
        word.contains('-') && word.split('-').all(|part| part.chars().nth(1).is_none() || self.is_stop(part))
    }

    fn is_time(&self, word: &str) -> bool {
        let plain = normalize_word(word);
        let named = |names: &[&str]| names.iter().any(|name| normalize_word(name) == plain);
        word.starts_with(|c: char| c.is_ascii_digit())
            || self.languages.iter().any(|language| {
                language.dates.months.iter().any(|names| named(names))
                    || language.dates.weekdays.iter().any(|names| named(names))
            })
    }
}

/// Returns the words of a question.
pub(super) fn tokens<'t>(question: &'t str, words: &Words) -> Vec<Token<'t>> {
    let mut tokens: Vec<Token<'t>> = Vec::new();
    let mut is_quoted = false;
    for piece in question.split_whitespace() {
        let text = piece.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
        let text = text.trim_start_matches('-');
        if !text.contains(char::is_alphanumeric) {
            // French sets marks off by blanks.
            if let Some(last) = tokens.last_mut() {
                last.is_question |= piece.contains(QUESTION_MARKS);
                last.ends_sentence |= last.is_question || piece.contains(['!', ';']);
            }
            continue;
        }
        let behind = &piece[piece.rfind(text).map_or(piece.len(), |at| at + text.len())..];
        is_quoted |= piece.starts_with(OPENING_QUOTES);
        let known = tokens.len();
        let opens = tokens.last().is_none_or(|token| token.ends_sentence);
        // `l'adresse` is an article and a noun; `Anna's` is one word, and so is `what's`.
        let elided = text
            .find(['\'', '’'])
            .filter(|at| text[*at..].chars().count() > 3 && words.is_stop(&text[..*at].to_lowercase()));
        if let Some(at) = elided {
            let cut = at + text[at..].chars().next().map_or(1, char::len_utf8);
            tokens.push(token(&text[..cut], "", opens, words));
            tokens.push(token(&text[cut..], behind, false, words));
        } else {
            let stem = words.is_korean.then(|| before_particle(text)).flatten().filter(|_| behind.is_empty());
            let (text, joining) = stem.map_or((text, None), |stem| (stem, Some(&text[stem.len()..])));
            tokens.push(token(text, behind, opens, words));
            tokens.extend(joining.map(|joining| Token { kind: Kind::Conjunction, ..token(joining, "", false, words) }));
        }
        // Every word of a title or a quotation belongs to one thing.
        for token in tokens[known..].iter_mut().filter(|_| is_quoted) {
            (token.kind, token.is_quoted) = (Kind::Content, true);
        }
        is_quoted &= !behind.contains(CLOSING_QUOTES);
    }
    tokens
}

fn token<'t>(text: &'t str, behind: &str, opens: bool, words: &Words) -> Token<'t> {
    let lower = text.to_lowercase();
    // `what's` asks, and `Anna's` is a content word: the letters before the apostrophe decide.
    let word = lower.split(['\'', '’']).next().unwrap_or(&lower);
    let is_question = behind.contains(QUESTION_MARKS);
    let is_particle_bound = words.is_korean && CASE_PARTICLES.iter().any(|particle| lower.ends_with(particle));
    Token {
        text,
        kind: words.kind(word),
        is_capital: text.starts_with(char::is_uppercase) && !(opens && words.capital_nouns),
        is_quoted: false,
        has_comma: behind.contains([',', '、', '，']),
        ends_sentence: is_question
            || behind.contains(['!', ';', '。'])
            || (behind.contains('.') && (text.len() > ABBREVIATION || words.is_stop(word))),
        is_question,
        is_cut: text.ends_with('-'),
        ends_group: behind.contains(|c: char| !matches!(c, ',' | '\'' | '"' | '”' | '’')) || is_particle_bound,
        joins_clauses: words.is_korean && lower.ends_with(['고', '며']) && lower.chars().count() > 1,
        is_pairing: words.lists(word, |language| language.parts.pairing),
        is_separating: words.lists(word, |language| language.parts.separating),
        is_inverted: words.lists(word, |language| language.parts.inverted),
        is_requesting: words.lists(word.split('-').next().unwrap_or(word), |language| language.parts.requesting),
        is_time: words.is_time(word),
    }
}

/// Marks before the first and after the last word of a quotation.
const OPENING_QUOTES: [char; 5] = ['"', '“', '„', '«', '「'];
const CLOSING_QUOTES: [char; 5] = ['"', '”', '“', '»', '」'];
/// A word of at most this number of bytes before a full stop may be an abbreviation.
const ABBREVIATION: usize = 2;
/// Korean particles that end a group of words.
const CASE_PARTICLES: [&str; 9] = ["의", "는", "은", "가", "이", "를", "을", "도", "에"];

/// Returns the noun before a Korean particle that means "and". 와 and 랑 follow a vowel, 과 and 이랑 a consonant, so the 과 of 사과 is none;
/// a noun of one syllable would leave too many words such as 결과.
fn before_particle(word: &str) -> Option<&str> {
    let ends_in_consonant = |stem: &str| {
        let last = u32::from(stem.chars().next_back()?);
        (0xac00..=0xd7a3).contains(&last).then(|| (last - 0xac00) % 28 != 0)
    };
    let particles = [("이랑", true), ("랑", false), ("와", false), ("과", true)];
    particles.into_iter().find_map(|(particle, after_consonant)| {
        let stem = word.strip_suffix(particle).filter(|stem| stem.chars().nth(1).is_some())?;
        (ends_in_consonant(stem)? == after_consonant).then_some(stem)
    })
}
