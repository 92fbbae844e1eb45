//! The place of the answer in a chunk: the line that a hit names, the sentence in a long line, the heading over it and its day.
//!
//! A line wins if it holds at least a quarter of the weight of the question's words. Otherwise the passage nearest in meaning
//! decides, and within it the line with the most weight. Words in the headings over a line count for it too, but less. A
//! chunk that matched only by title or tag is named by its first line of text. In a saved chat the words of a
//! person's line count twice, for that quarter too.

use std::cmp::Ordering;
use std::iter::repeat;
use std::ops::RangeInclusive;

use jiff::civil::Date;

use super::query_plan::QueryPlan;
use tars_base::domain::Mode;
use tars_store::ChunkRow;
use tars_text::analysis::{WordPair, date_tokens, pairs_in, term_presence};
use tars_text::markdown::{day_of_file_name, days_in_text, persons_lines};
use tars_text::sentences::{MAX_SENTENCE, sentences};

/// Share of the weight of the question's words from which a line wins whatever the passages say. On a development set of
/// conversations, shares from 0.2 to 0.35 named a line of the evidence more often than higher ones, or than passages alone.
const MIN_SHARE: f64 = 0.25;
/// Weight of a word in the headings over a line. A date there counts fully, because it is the date of the line.
const HEADING_WEIGHT: f64 = 0.5;
/// Weight of the words of a person's message in a saved chat, whose answer repeats them at length.
const PERSON_WEIGHT: f64 = 2.0;
/// A line of more bytes is named by its sentence as well.
const LONG_LINE: usize = 600;
/// Number of bytes examined per line: a line may be as long as its note.
const MAX_LINE_BYTES: usize = 32 * 1024;

/// The parts of a question to find in lines.
pub(super) struct LineFinder<'a> {
    plan: &'a QueryPlan,
    pairs: Vec<WordPair>,
    /// Weight of all words and dates together.
    whole: f64,
    /// Whether words may overrule the nearest passage.
    words_decide: bool,
}

/// A line with a letter or a digit in it.
struct Line {
    number: usize,
    /// Weight of the parts of the question that it holds.
    worth: f64,
    is_heading: bool,
}

impl<'a> LineFinder<'a> {
    pub(super) fn new(plan: &'a QueryPlan, mode: Mode) -> Self {
        let weights = plan.weights.terms.iter().chain(&plan.weights.dates);
        Self {
            plan,
            pairs: plan.pairs.iter().map(|(pair, _)| pair.clone()).collect(),
            whole: weights.map(|weight| weight.idf).sum(),
            words_decide: mode != Mode::Vector,
        }
    }

    /// Returns the line of a chunk that answers best, and the characters of the line before the sentence that does. `near` is the line range of its nearest passage, if vectors were searched.
    pub(super) fn place(&self, row: &ChunkRow, near: Option<&RangeInclusive<usize>>) -> (usize, usize) {
        let line = self.line(row, near);
        let before = if line == row.start_line { row.start_column } else { 0 };
        let text = row.content.split('\n').nth(line - row.start_line).unwrap_or_default();
        (line, before + if text.len() > LONG_LINE { self.column(text) } else { 0 })
    }

    /// Returns the characters before the sentence of a long line that answers best: the first with the most weight.
    fn column(&self, text: &str) -> usize {
        let mut best = (0.0, 0);
        for range in sentences(&text[..text.floor_char_boundary(MAX_LINE_BYTES)], MAX_SENTENCE) {
            let worth = self.worth(&text[range.clone()], &[]);
            if worth > best.0 {
                best = (worth, range.start);
            }
        }
        text[..best.1].chars().count()
    }

    fn line(&self, row: &ChunkRow, near: Option<&RangeInclusive<usize>>) -> usize {
        let lines = self.lines(row);
        let near: Vec<&Line> =
            lines.iter().filter(|line| near.is_none_or(|near| near.contains(&line.number))).collect();
        let best_line = best(lines.iter()).filter(|line| self.words_decide && line.worth >= MIN_SHARE * self.whole);
        best_line
            .or_else(|| best(near.iter().copied()))
            .or_else(|| near.iter().copied().find(|line| !line.is_heading))
            .or_else(|| near.first().copied())
            .map_or_else(|| first_line(row), |line| line.number)
    }

    fn lines(&self, row: &ChunkRow) -> Vec<Line> {
        let mut above = (row.heading.as_str(), self.held(&row.heading));
        let mut lines = Vec::new();
        let persons = persons_lines(&row.content, row.start_line);
        for (number, text) in (row.start_line..).zip(row.content.split('\n')) {
            if !text.chars().any(char::is_alphanumeric) {
                continue;
            }
            let heading = row.heading_at(number);
            if heading != above.0 {
                above = (heading, self.held(heading));
            }
            let text = &text[..text.floor_char_boundary(MAX_LINE_BYTES)];
            let is_heading = row.sections.binary_search_by_key(&number, |section| section.line).is_ok();
            let is_persons = persons.iter().any(|lines| lines.contains(&number));
            let weight = if is_persons { PERSON_WEIGHT } else { 1.0 };
            lines.push(Line { number, worth: weight * self.worth(text, &above.1), is_heading });
        }
        lines
    }

    /// Returns the weight of the parts of the question that a text holds. `above` is how fully the heading over it holds each.
    fn worth(&self, text: &str, above: &[f64]) -> f64 {
        let (words, dates) = (&self.plan.weights.terms, &self.plan.weights.dates);
        let inherited = words.iter().map(|_| HEADING_WEIGHT).chain(dates.iter().map(|_| 1.0));
        let above = above.iter().zip(inherited).map(|(held, share)| held * share).chain(repeat(0.0));
        let held = self.held(text).into_iter().zip(above).map(|(own, above)| own.max(above));
        let words: f64 = held.zip(words.iter().chain(dates)).map(|(held, weight)| held * weight.idf).sum();
        let pairs = pairs_in(text, &self.pairs).into_iter().zip(&self.plan.pairs);
        let pairs: f64 = pairs.filter(|(held, _)| *held).map(|(_, (_, worth))| worth).sum();
        words + pairs
    }

    /// Returns how fully a text holds each word, then each date.
    fn held(&self, text: &str) -> Vec<f64> {
        let mut held = term_presence(text, &self.plan.lexical.terms);
        if !self.plan.lexical.dates.is_empty() {
            let tokens: Vec<String> = days_in_text(text).flat_map(date_tokens).collect();
            let named = |date: &Vec<String>| date.iter().any(|token| tokens.contains(token));
            held.extend(self.plan.lexical.dates.iter().map(|date| f64::from(u8::from(named(date)))));
        }
        held
    }
}

/// Returns the line with the most weight. Among equals, text wins over headings, then the first wins.
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

/// Returns the day of a line of a chunk: from the file name, else from the heading over the line, else from the front matter.
pub(super) fn day(row: &ChunkRow, line: usize) -> Option<Date> {
    let of_heading = || days_in_text(row.heading_at(line)).last();
    day_of_file_name(&row.path).or_else(of_heading).or(row.day)
}
