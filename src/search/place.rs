//! Where in a chunk the answer stands: the line that a hit names, the heading over it and the day that it is of.
//!
//! A line that holds at least a quarter of what the question's words tell is the one. Otherwise the passage that is nearest in
//! meaning decides, and within it the line with most of the question's words. Words in the headings over a line count for it
//! too, but less. What only a title or a tag matched is named by its first line of text.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use jiff::civil::Date;

use super::understand::Understood;
use crate::analysis::{WordPair, date_tokens, pairs_in, presence};
use crate::domain::Mode;
use crate::markdown::{day_of_file_name, days_in_text};
use crate::store::ChunkRow;

/// From this share of what the question's words tell on, a line is the answer whatever the passages say. On a development set
/// of conversations shares from 0.2 to 0.35 named a line of the evidence more often than higher ones, or than passages alone.
const LEAST_SHARE: f64 = 0.25;
/// What a word counts that stands in the headings over a line. A date there is that of the line.
const ABOVE: f64 = 0.5;
/// So much of a line is looked at, in bytes: one may be as long as its note.
const LOOKED_AT: usize = 32 * 1024;

/// What lines are looked through for.
pub(super) struct Wanted<'a> {
    understood: &'a Understood,
    pairs: Vec<WordPair>,
    /// What all words and dates tell together.
    whole: f64,
    /// Whether words may decide against the nearest passage.
    words_decide: bool,
}

/// A line with a letter or a digit in it.
struct Line {
    number: usize,
    /// What it holds of the question.
    worth: f64,
    is_heading: bool,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(understood: &'a Understood, mode: Mode) -> Self {
        let weights = understood.weights.terms.iter().chain(&understood.weights.dates);
        Self {
            understood,
            pairs: understood.pairs.iter().map(|(pair, _)| pair.clone()).collect(),
            whole: weights.map(|weight| weight.idf).sum(),
            words_decide: mode != Mode::Vector,
        }
    }

    /// Returns the line of a chunk that answers best; `near` are the lines of its nearest passage, where vectors tell.
    pub(super) fn line(&self, row: &ChunkRow, near: Option<&RangeInclusive<usize>>) -> usize {
        let lines = self.lines(row);
        let near: Vec<&Line> =
            lines.iter().filter(|line| near.is_none_or(|near| near.contains(&line.number))).collect();
        let best_line = best(lines.iter()).filter(|line| self.words_decide && line.worth >= LEAST_SHARE * self.whole);
        best_line
            .or_else(|| best(near.iter().copied()))
            .or_else(|| near.iter().copied().find(|line| !line.is_heading))
            .or_else(|| near.first().copied())
            .map_or_else(|| first_line(row), |line| line.number)
    }

    fn lines(&self, row: &ChunkRow) -> Vec<Line> {
        let mut above = (row.heading.as_str(), self.held(&row.heading));
        let mut lines = Vec::new();
        for (number, text) in (row.start_line..).zip(row.content.split('\n')) {
            if !text.chars().any(char::is_alphanumeric) {
                continue;
            }
            let heading = row.heading_at(number);
            if heading != above.0 {
                above = (heading, self.held(heading));
            }
            let text = &text[..text.floor_char_boundary(LOOKED_AT)];
            let (words, dates) = (&self.understood.weights.terms, &self.understood.weights.dates);
            let inherited = words.iter().map(|_| ABOVE).chain(dates.iter().map(|_| 1.0));
            let above = above.1.iter().zip(inherited).map(|(held, share)| held * share);
            let held = self.held(text).into_iter().zip(above).map(|(own, above)| own.max(above));
            let words: f64 = held.zip(words.iter().chain(dates)).map(|(held, weight)| held * weight.idf).sum();
            let pairs = pairs_in(text, &self.pairs).into_iter().zip(&self.understood.pairs);
            let pairs: f64 = pairs.filter(|(held, _)| *held).map(|(_, (_, worth))| worth).sum();
            let is_heading = row.sections.binary_search_by_key(&number, |section| section.line).is_ok();
            lines.push(Line { number, worth: words + pairs, is_heading });
        }
        lines
    }

    /// How far a text holds each word, then each date.
    fn held(&self, text: &str) -> Vec<f64> {
        let mut held = presence(text, &self.understood.lexical.terms);
        if !self.understood.lexical.dates.is_empty() {
            let tokens: Vec<String> = days_in_text(text).flat_map(date_tokens).collect();
            let named = |date: &Vec<String>| date.iter().any(|token| tokens.contains(token));
            held.extend(self.understood.lexical.dates.iter().map(|date| f64::from(u8::from(named(date)))));
        }
        held
    }
}

/// Returns the line that holds most: of equals one of the text before a heading, then the first.
fn best<'l>(lines: impl Iterator<Item = &'l Line>) -> Option<&'l Line> {
    let order = |one: &&Line, other: &&Line| -> Ordering {
        let by_worth = one.worth.total_cmp(&other.worth);
        by_worth.then(other.is_heading.cmp(&one.is_heading)).then(other.number.cmp(&one.number))
    };
    lines.filter(|line| line.worth > 0.0).max_by(order)
}

/// Returns the first line of a chunk that is not blank.
pub(super) fn first_line(row: &ChunkRow) -> usize {
    let mut lines = (row.start_line..).zip(row.content.split('\n'));
    lines.find(|(_, text)| !text.trim().is_empty()).map_or(row.start_line, |(number, _)| number)
}

/// Returns the day that a line of a chunk is of, as the note says it: in its file's name, else in the heading over the line,
/// else in the front matter.
pub(super) fn day(row: &ChunkRow, line: usize) -> Option<Date> {
    let of_heading = || days_in_text(row.heading_at(line)).last();
    day_of_file_name(&row.path).or_else(of_heading).or(row.day)
}
