//! An excerpt with its source, cleaned for a block.

mod remark;

use std::ops::Range;

use jiff::civil::Date;

use super::budget::cost;
use super::comments::without_comments;
use super::escape;
use super::heading::is_heading;
use tars_base::domain::{ApproximateTokens, CountTokens, MemoryType};
use tars_text::sentences::{MAX_SENTENCE, sentences};

/// Marks missing lines.
pub(super) const MARK: &str = "…";
/// Maximum lengths of a file path and of a heading path, in characters. Longer ones show only their end.
const MAX_PATH: usize = 200;
const MAX_HEADING: usize = 120;

/// The source of an excerpt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Name of the collection, if the path alone would be taken for one in the vault.
    pub collection: Option<String>,
    /// Path relative to the collection's root, `/` between its parts.
    pub path: String,
    /// The line that answers, if the excerpt comes from a search.
    pub answer: Option<AnswerLine>,
    /// The excerpt's day, if known.
    pub date: Option<Date>,
    /// Kind of memory.
    pub kind: MemoryType,
}

/// The line that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerLine {
    /// Its number in the file.
    pub line: usize,
    /// Characters of it before the sentence that answers, in the text of the excerpt; 0 unless the line is long.
    pub column: usize,
    /// The heading path above it. Empty above the first heading.
    pub heading: String,
}

/// Which end of an excerpt to keep if it is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first lines.
    Start,
    /// The last entries. An entry begins with a line that is not indented.
    End,
}

/// An excerpt, cleaned and escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    source: Source,
    /// Further attributes of the source, escaped.
    attributes: String,
    keep: Keep,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    /// Line number in the file, `None` for the mark.
    number: Option<usize>,
    /// Characters of the line before this part of it, if a long line was cut into sentences.
    part: Option<usize>,
    /// Whether it is not cut, because it has a remark.
    is_whole: bool,
    text: String,
}

impl Line {
    /// Returns the mark of missing lines.
    fn mark() -> Self {
        Self { number: None, part: None, is_whole: false, text: MARK.into() }
    }

    /// Cuts the line into its sentences.
    fn parts(&self) -> Vec<Self> {
        let mut column = 0;
        let part = |range: Range<usize>| {
            let text = self.text[range].to_owned();
            let part = Some(column);
            column += text.chars().count();
            Self { number: self.number, part, is_whole: false, text }
        };
        sentences(&self.text, MAX_SENTENCE).into_iter().map(part).collect()
    }

    /// Whether it continues the line that ends with `before`.
    fn continues(&self, before: &Self) -> bool {
        let end = before.part.map(|start| start + before.text.chars().count());
        before.number.is_some() && self.number == before.number && self.part.is_some() && self.part == end
    }

    /// Whether it holds the answer.
    fn holds(&self, answer: &AnswerLine) -> bool {
        let holds = |start: usize| (start..start + self.text.chars().count()).contains(&answer.column);
        self.number == Some(answer.line) && self.part.is_none_or(holds)
    }

    fn cost(&self) -> usize {
        cost(&self.text) + 1
    }
}

impl Piece {
    /// Returns the piece of `text`, whose first line is line `start_line` of its file, or `None` if nothing is visible.
    /// Comments are removed, and runs of blank lines reduced to one.
    pub fn new(mut source: Source, start_line: usize, text: &str, keep: Keep) -> Option<Self> {
        if let Some(answer) = source.answer.as_mut().filter(|answer| answer.column > 0) {
            answer.column = cleaned_column(text, start_line, answer);
        }
        let numbered = text.split('\n').enumerate().map(|(index, line)| (start_line + index, line));
        let mut lines: Vec<Line> = Vec::new();
        for (number, line) in without_comments(numbered) {
            for text in escape::lines(&line) {
                if !text.is_empty() || lines.last().is_some_and(|last| !last.text.is_empty()) {
                    lines.push(Line { number: Some(number), part: None, is_whole: false, text });
                }
            }
        }
        while lines.pop_if(|last| last.text.is_empty()).is_some() {}
        (!lines.is_empty()).then_some(Self { source, attributes: String::new(), keep, lines })
    }

    /// Keeps only lines for which `keep` (of number and text) holds, with marks for omissions between them. Returns
    /// `None` if none is left.
    pub fn retain_lines(&self, keep: impl Fn(usize, &str) -> bool) -> Option<Self> {
        let mut lines: Vec<Line> = Vec::new();
        let mut left_out = false;
        for line in &self.lines {
            let stays = line.number.is_some_and(|number| keep(number, &line.text)) && !line.text.is_empty();
            if stays {
                if left_out && !lines.is_empty() {
                    lines.push(Line::mark());
                }
                lines.push(line.clone());
            }
            left_out = !stays && (left_out || !line.text.is_empty());
        }
        (!lines.is_empty()).then(|| Self { lines, ..self.clone() })
    }

    /// Keeps of each line of more than `most` bytes only the sentence that answers and those for which `keep` holds, with marks for
    /// omissions. A long line without any keeps its first sentence.
    pub fn retain_sentences(&self, most: usize, keep: impl Fn(&str) -> bool) -> Self {
        let mut lines: Vec<Line> = Vec::new();
        for line in &self.lines {
            if line.text.len() <= most {
                lines.push(line.clone());
                continue;
            }
            let parts = line.parts();
            let answers = |part: &Line| self.source.answer.as_ref().is_some_and(|answer| part.holds(answer));
            let mut kept: Vec<&Line> = parts.iter().filter(|part| answers(part) || keep(&part.text)).collect();
            if kept.is_empty() {
                kept.extend(parts.first());
            }
            let ends = |part: &Line| parts.last().is_some_and(|last| last.part == part.part);
            for (index, part) in kept.iter().enumerate() {
                let starts_late = index == 0 && part.part != Some(0);
                let skips = index > 0 && !part.continues(kept[index - 1]);
                lines.extend((starts_late || skips).then(Line::mark));
                lines.push((*part).clone());
            }
            lines.extend(kept.last().is_some_and(|part| !ends(part)).then(Line::mark));
        }
        Self { lines, ..self.clone() }
    }

    /// Drops lines for which `drop` (of number and text) holds, and blank lines, without marks. Returns `None` if none
    /// is left.
    pub fn without(&self, drop: impl Fn(usize, &str) -> bool) -> Option<Self> {
        let stays = |line: &&Line| line.number.is_some_and(|number| !line.text.is_empty() && !drop(number, &line.text));
        let lines: Vec<Line> = self.lines.iter().filter(stays).cloned().collect();
        (!lines.is_empty()).then(|| Self { lines, ..self.clone() })
    }

    /// Replaces the text of each line with a shortened form.
    pub fn with_shortened_lines(&self, shortened: impl Fn(&str) -> String) -> Self {
        let lines = self.lines.iter().map(|line| Line { text: shortened(&line.text), ..line.clone() }).collect();
        Self { lines, ..self.clone() }
    }

    /// Forbids to cut a line within, because its end changes the meaning of its beginning.
    #[must_use]
    pub fn uncut(mut self) -> Self {
        self.lines.iter_mut().for_each(|line| line.is_whole = true);
        self
    }

    /// Adds an attribute to the source, such as the score of its hit.
    pub fn with_attribute(mut self, name: &'static str, value: &str) -> Self {
        self.attributes.push_str(&format!(" {name}=\"{}\"", escape::attribute(value)));
        self
    }

    /// Returns whether a line holds more than a heading.
    pub fn says_something(&self) -> bool {
        self.numbered().any(|(_, line)| !line.trim().is_empty() && !is_heading(line))
    }

    /// Appends a line with the number of further lines in the file.
    pub fn with_omission_count(mut self, count: usize) -> Self {
        if count > 0 {
            let text = format!("{MARK} {count} more in this file");
            self.lines.push(Line { text, ..Line::mark() });
        }
        self
    }

    /// Returns the source.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the line that answers, if the piece shows it.
    pub fn answer(&self) -> Option<&AnswerLine> {
        self.source.answer.as_ref().filter(|answer| self.shows(answer))
    }

    fn shows(&self, answer: &AnswerLine) -> bool {
        self.lines.iter().any(|shown| shown.holds(answer))
    }

    /// Returns the first and the last shown line of the file.
    pub fn lines(&self) -> (usize, usize) {
        let mut numbers = self.lines.iter().filter_map(|line| line.number);
        let first = numbers.next().unwrap_or(1);
        (first, numbers.next_back().unwrap_or(first))
    }

    /// Returns its text as in a block, without a final line end.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (index, line) in self.lines.iter().enumerate() {
            if index > 0 && !line.continues(&self.lines[index - 1]) {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
            }
            out.push_str(&line.text);
        }
        out
    }

    /// Returns its lines with their numbers in the file, without marks. A source line with inner line separators, or
    /// one that was cut into sentences, appears as several.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines.iter().filter_map(|line| Some((line.number?, line.text.as_str())))
    }

    /// Returns the approximate number of tokens in its text.
    pub fn tokens(&self) -> usize {
        ApproximateTokens.count(&self.text())
    }

    /// Returns its maximum cost including the source, in [`Budget::units`](super::Budget::units).
    pub fn cost(&self) -> usize {
        self.head_cost() + self.lines.iter().map(Line::cost).sum::<usize>()
    }

    /// Cuts the piece to fit `units`, or returns `None` if not one sentence fits. A line beyond the limit is cut into its
    /// sentences. If the cut would drop the line or sentence that answers, the text before it is dropped instead.
    pub fn cut_to(&self, units: usize) -> Option<Self> {
        if self.cost() <= units {
            return Some(self.clone());
        }
        let room = units.saturating_sub(self.head_cost() + 2 * Line::mark().cost());
        let is_cut = |line: &Line| line.cost() > room && line.text.len() > MAX_SENTENCE && !line.is_whole;
        let parts = |line: &Line| if is_cut(line) { line.parts() } else { vec![line.clone()] };
        let whole = Self { lines: self.lines.iter().flat_map(parts).collect(), ..self.clone() };
        let cut = whole.cut_at_end(units);
        let lost = whole.answer().filter(|answer| !cut.as_ref().is_some_and(|cut| cut.shows(answer)));
        let Some(answer) = lost else { return cut };
        let behind = whole.lines.iter().skip_while(|shown| !shown.holds(answer)).cloned();
        let from_answer = Self { lines: std::iter::once(Line::mark()).chain(behind).collect(), ..self.clone() };
        from_answer.cut_at_end(units).filter(|piece| piece.shows(answer)).or(cut)
    }

    fn cut_at_end(&self, units: usize) -> Option<Self> {
        if self.cost() <= units {
            return Some(self.clone());
        }
        let mark = Line::mark();
        let all = units.checked_sub(self.head_cost() + mark.cost())?;
        let mut left = all;
        let mut kept: Vec<Line> = Vec::new();
        let ordered: Box<dyn Iterator<Item = &Line>> = match self.keep {
            Keep::Start => Box::new(self.lines.iter()),
            Keep::End => Box::new(self.lines.iter().rev()),
        };
        let mut ended = false;
        for line in ordered {
            let line = if line.cost() > all { &mark } else { line };
            if line.number.is_none() && kept.last().is_some_and(|last| last.number.is_none()) {
                continue;
            }
            if line.cost() > left {
                ended = true;
                break;
            }
            left -= line.cost();
            kept.push(line.clone());
        }
        let missing = |line: &Line| line.number.is_none() || line.text.is_empty();
        if ended {
            if self.keep == Keep::End {
                drop_partial_entry(&mut kept);
            }
            while kept.pop_if(|last| missing(last)).is_some() {}
            kept.push(mark);
        }
        if self.keep == Keep::End {
            kept.reverse();
        }
        kept.iter().any(|line| !missing(line)).then(|| Self { lines: kept, ..self.clone() })
    }

    /// Returns the piece as in a block: a blank line, the source, and the lines, each with its line end.
    pub(super) fn rendered(&self) -> String {
        let (first, last) = self.lines();
        let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
        let answer = self.answer().map(|answer| answer.attributes(first == last)).unwrap_or_default();
        format!("{}{}\n", self.head(&lines, &answer), self.text())
    }

    fn head(&self, lines: &str, answer: &str) -> String {
        let date = self.source.date.map(|date| format!(" date=\"{date}\"")).unwrap_or_default();
        let collection = self.source.collection.as_deref().map(escape::attribute);
        let collection = collection.map(|name| format!(" collection=\"{name}\"")).unwrap_or_default();
        let (path, kind) = (escape::attribute(&end_of(&self.source.path, MAX_PATH)), self.source.kind);
        let attributes = &self.attributes;
        format!("\n<source at=\"{path}:{lines}\"{collection}{answer}{date} kind=\"{kind}\"{attributes}/>\n")
    }

    /// Returns the cost of the source with the longest possible line numbers after a cut.
    fn head_cost(&self) -> usize {
        let (_, last) = self.lines();
        let answer = self.source.answer.as_ref().map(|answer| answer.attributes(false)).unwrap_or_default();
        cost(&self.head(&format!("{last}-{last}"), &answer))
    }
}

impl AnswerLine {
    /// Returns the attributes for a source. The line is left out if it is the `only` one.
    fn attributes(&self, only: bool) -> String {
        let line = if only { String::new() } else { format!(" line=\"{}\"", self.line) };
        match escape::attribute(&end_of(&self.heading, MAX_HEADING)) {
            heading if heading.is_empty() => line,
            heading => format!("{line} heading=\"{heading}\""),
        }
    }
}

/// Returns the characters before the answer in its line as a block shows it: comments and invisible characters are gone.
fn cleaned_column(text: &str, start_line: usize, answer: &AnswerLine) -> usize {
    let line = answer.line.checked_sub(start_line).and_then(|index| text.split('\n').nth(index)).unwrap_or_default();
    // A letter keeps the blanks before it.
    let before: String = line.chars().take(answer.column).chain(['x']).collect();
    let cleaned = without_comments(std::iter::once((answer.line, before.as_str())));
    let shown = cleaned.iter().flat_map(|(_, line)| escape::lines(line));
    shown.map(|line| line.chars().count()).sum::<usize>().saturating_sub(1)
}

/// Returns the end of a path that is longer than `max_chars`, after a mark.
fn end_of(path: &str, max_chars: usize) -> String {
    let beyond = path.chars().count().saturating_sub(max_chars);
    if beyond > 0 { MARK.chars().chain(path.chars().skip(beyond)).collect() } else { path.to_owned() }
}

/// Drops an entry whose beginning did not fit; `backwards` is in reverse order. If no line begins an entry, all lines
/// stay.
fn drop_partial_entry(backwards: &mut Vec<Line>) {
    let begins = |line: &Line| line.number.is_some() && !line.text.is_empty() && !line.text.starts_with([' ', '\t']);
    if let Some(first) = backwards.iter().rposition(begins) {
        backwards.truncate(first + 1);
    }
}

#[cfg(test)]
mod tests;
