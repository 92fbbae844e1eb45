//! The parts of a question in a script without blanks between words.
//!
//! Nothing marks where a word begins, so a thing reaches from a conjunction to the next function word, particle or mark.

use std::ops::Range;

use super::QuestionPart;
use crate::languages::{Language, QUESTION_MARKS, Script};

/// Minimum number of characters of a thing. Shorter ones are mostly parts of a word.
const MIN_ITEM: usize = 2;
/// A second thing that is this many times as long as the first one is another word that the conjunction belongs to.
const UNLIKE: usize = 2;
/// Forms of address, which end a Japanese name.
const ADDRESSES: [&str; 4] = ["さん", "ちゃん", "くん", "さま"];
/// Characters around the name of a thing, in Chinese and Thai. The latter are words.
const AROUND: [&str; 12] = ["的", "是", "在", "有", "放", "把", "给", "之间", "ของ", "ที่", "ระหว่าง", "คือ"];
/// Marks that separate the items of an enumeration.
const COMMAS: [char; 3] = ['、', '，', ','];

/// Returns the parts, or nothing.
pub(super) fn parts(question: &str, languages: &[&'static Language]) -> Vec<QuestionPart> {
    let Some(language) = languages.first() else { return Vec::new() };
    let asks = |text: &str| language.questions.markers.iter().any(|marker| text.contains(marker));
    let ends = |c: char| QUESTION_MARKS.contains(&c) || matches!(c, '。' | '！' | '!' | '；' | ';');
    let clauses = |is_end: &dyn Fn(char) -> bool| -> Vec<&str> {
        question.split(is_end).map(str::trim).filter(|clause| clause.chars().any(char::is_alphanumeric)).collect()
    };
    let sentences = clauses(&ends);
    if sentences.len() > 1 {
        // A mark of a question ends each of them, or a word of theirs asks.
        let marks = question.matches(QUESTION_MARKS).count();
        let all = marks >= sentences.len() || sentences.iter().all(|sentence| asks(sentence));
        return if all { questions(&sentences) } else { Vec::new() };
    }
    let clauses = clauses(&|c| ends(c) || COMMAS.contains(&c));
    if clauses.len() > 1 && clauses.iter().all(|clause| asks(clause)) {
        return questions(&clauses);
    }
    let is_paired = language.parts.pairing.iter().any(|word| question.contains(word));
    if !(is_paired || asks(question) || question.ends_with(QUESTION_MARKS)) {
        return Vec::new();
    }
    let text = question.trim_end_matches(ends);
    let reader = Reader { text, language };
    let joined = |conjunction: &&'static str| {
        text.match_indices(*conjunction).find_map(|(at, _)| reader.joined_at(at, conjunction))
    };
    let items = language.parts.conjunctions.iter().find_map(joined).unwrap_or_default();
    with_each(text, &items)
}

fn questions(clauses: &[&str]) -> Vec<QuestionPart> {
    clauses.iter().map(|clause| QuestionPart { text: (*clause).to_owned(), own: (*clause).to_owned() }).collect()
}

/// Returns the question once with each item. The items and the marks between them form one stretch of the text.
fn with_each(text: &str, items: &[Range<usize>]) -> Vec<QuestionPart> {
    let (Some(first), Some(last)) = (items.first(), items.last()) else { return Vec::new() };
    let (before, after) = (&text[..first.start], &text[last.end..]);
    let part = |item: &Range<usize>| {
        let own = text[item.clone()].to_owned();
        QuestionPart { text: format!("{before}{own}{after}"), own }
    };
    items.iter().map(part).collect()
}

struct Reader<'t> {
    text: &'t str,
    language: &'static Language,
}

impl Reader<'_> {
    /// Returns the things that a conjunction joins.
    fn joined_at(&self, at: usize, conjunction: &str) -> Option<Vec<Range<usize>>> {
        let left = self.before(at)..at;
        let begin = at + conjunction.len();
        let right = begin..self.after(begin);
        let mut items = vec![left.clone()];
        while let Some(end) = self.text[..items[0].start].trim_end().strip_suffix(COMMAS).map(str::len) {
            let item = self.before(end)..end;
            if item.is_empty() {
                break;
            }
            items.insert(0, item);
        }
        items.push(right.clone());
        let length = |range: &Range<usize>| self.text[range.clone()].trim().chars().count();
        let is_enumeration = items.len() > 2;
        let is_alike = is_enumeration || length(&right) < UNLIKE * length(&left);
        let is_noun = self.language.script != Script::Kana || self.is_noun_before_particle(right.end);
        (items.iter().all(|item| length(item) >= MIN_ITEM) && is_alike && is_noun).then_some(items)
    }

    /// Returns the beginning of the thing that ends at `end`.
    fn before(&self, end: usize) -> usize {
        let text = &self.text[..end];
        let address = if self.language.script == Script::Kana { address(text).map_or(0, str::len) } else { 0 };
        let mut begin = end - address;
        while let Some(letter) = text[..begin].chars().next_back() {
            let rest = &text[..begin];
            if !self.belongs(letter) || self.borders().any(|border| rest.ends_with(border)) {
                break;
            }
            begin -= letter.len_utf8();
        }
        if begin == end - address { end } else { begin }
    }

    /// Returns the end of the thing that begins at `begin`.
    fn after(&self, begin: usize) -> usize {
        let mut end = begin;
        while let Some(letter) = self.text[end..].chars().next() {
            let rest = &self.text[end..];
            if !self.belongs(letter) || self.borders().any(|border| rest.starts_with(border)) {
                break;
            }
            end += letter.len_utf8();
        }
        let is_kana = self.language.script == Script::Kana && end > begin;
        let address = ADDRESSES.iter().find(|address| is_kana && self.text[end..].starts_with(**address));
        end + address.map_or(0, |address| address.len())
    }

    /// Whether a letter can be one of a thing's name. In Japanese, syllables in Hiragana are endings and particles.
    fn belongs(&self, letter: char) -> bool {
        let is_hiragana = ('ぁ'..='ゖ').contains(&letter);
        let is_vowel_sign = self.language.script == Script::Thai;
        (letter.is_alphanumeric() || letter == 'ー' || is_vowel_sign) && !letter.is_whitespace() && !is_hiragana
    }

    fn borders(&self) -> impl Iterator<Item = &'static str> {
        let language = self.language;
        AROUND.into_iter().chain(language.function_sequences.iter().chain(language.parts.pairing).copied())
    }

    /// Whether a particle, a mark or the end follows, not the ending of a verb.
    fn is_noun_before_particle(&self, end: usize) -> bool {
        let particles = self.language.particles;
        let mut rest = self.text[end..].chars();
        rest.next()
            .is_none_or(|letter| !letter.is_alphanumeric() || particles.iter().any(|one| one.starts_with(letter)))
    }
}

/// Returns the form of address at the end of a text.
fn address(text: &str) -> Option<&'static str> {
    ADDRESSES.into_iter().find(|address| text.ends_with(address))
}
