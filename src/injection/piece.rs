//! An excerpt with its source, ready to stand in a block.

use jiff::civil::Date;

use super::budget::{cost, tokens};
use super::clean;
use super::comments::without_comments;
use crate::domain::MemoryType;

/// What stands where lines are missing.
pub(super) const MARK: &str = "…";
/// The longest path shown, in characters; longer ones are shown by their end.
const LONGEST_PATH: usize = 200;

/// Where an excerpt is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Name of the collection, if a path alone would be taken for one of the vault.
    pub collection: Option<String>,
    /// Path relative to the collection's root, `/` between its parts.
    pub path: String,
    /// The day it is from, if that is known.
    pub date: Option<Date>,
    /// Kind of memory.
    pub kind: MemoryType,
}

/// Which end of an excerpt stays if it is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The first lines.
    Start,
    /// The last entries: lines from one that is not indented on.
    End,
}

/// An excerpt, cleaned and escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    source: Source,
    keep: Keep,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    /// In the file; `None` for the mark.
    number: Option<usize>,
    text: String,
}

impl Line {
    /// The mark of missing lines.
    fn mark() -> Self {
        Self { number: None, text: MARK.into() }
    }

    fn cost(&self) -> usize {
        cost(&self.text) + 1
    }
}

impl Piece {
    /// Returns the piece of `text`, whose first line is `start_line` of its file; `None` if there is nothing to see in it.
    /// Comments go, and of several blank lines one stays.
    pub fn new(source: Source, start_line: usize, text: &str, keep: Keep) -> Option<Self> {
        let numbered = text.split('\n').enumerate().map(|(index, line)| (start_line + index, line));
        let mut lines: Vec<Line> = Vec::new();
        for (number, line) in without_comments(numbered) {
            for text in clean::lines(&line) {
                if !text.is_empty() || lines.last().is_some_and(|last| !last.text.is_empty()) {
                    lines.push(Line { number: Some(number), text });
                }
            }
        }
        while lines.pop_if(|last| last.text.is_empty()).is_some() {}
        (!lines.is_empty()).then_some(Self { source, keep, lines })
    }

    /// Returns where it is from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the first and the last line of the file that it shows.
    pub fn lines(&self) -> (usize, usize) {
        let mut numbers = self.lines.iter().filter_map(|line| line.number);
        let first = numbers.next().unwrap_or(1);
        (first, numbers.next_back().unwrap_or(first))
    }

    /// Returns its text as it stands in a block, without an end of line behind it.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// Returns about how many tokens its text takes.
    pub fn tokens(&self) -> usize {
        tokens(&self.text())
    }

    /// Returns the most that it takes of a budget, in [`Budget::units`](super::Budget::units), with its source.
    pub fn cost(&self) -> usize {
        self.head_cost() + self.lines.iter().map(Line::cost).sum::<usize>()
    }

    /// Returns as much of the piece as fits `units`; `None` if that is not one line. Lines that are too long even alone
    /// are passed over.
    pub fn cut_to(&self, units: usize) -> Option<Self> {
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
                drop_half_entry(&mut kept);
            }
            while kept.pop_if(|last| missing(last)).is_some() {}
            kept.push(mark);
        }
        if self.keep == Keep::End {
            kept.reverse();
        }
        kept.iter().any(|line| !missing(line)).then(|| Self { lines: kept, ..self.clone() })
    }

    /// Returns the piece as it stands in a block: a blank line, its source, its lines, each with its end.
    pub(super) fn rendered(&self) -> String {
        let (first, last) = self.lines();
        format!("{}{}\n", self.head(first, last), self.text())
    }

    fn head(&self, first: usize, last: usize) -> String {
        let path = &self.source.path;
        let beyond = path.chars().count().saturating_sub(LONGEST_PATH);
        let path: String =
            if beyond > 0 { MARK.chars().chain(path.chars().skip(beyond)).collect() } else { path.clone() };
        let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
        let date = self.source.date.map(|date| format!(" date=\"{date}\"")).unwrap_or_default();
        let collection = self.source.collection.as_deref().map(clean::attribute);
        let collection = collection.map(|name| format!(" collection=\"{name}\"")).unwrap_or_default();
        let (path, kind) = (clean::attribute(&path), self.source.kind);
        format!("\n<source at=\"{path}:{lines}\"{collection}{date} kind=\"{kind}\"/>\n")
    }

    /// Returns the cost of the source with the longest numbers that cutting can give.
    fn head_cost(&self) -> usize {
        let (_, last) = self.lines();
        cost(&self.head(last, last)) + 1 + last.to_string().len()
    }
}

/// Drops the half of an entry of which the beginning did not fit; `backwards` is in reverse order. Where no line begins an
/// entry, all stay.
fn drop_half_entry(backwards: &mut Vec<Line>) {
    let begins = |line: &Line| line.number.is_some() && !line.text.is_empty() && !line.text.starts_with([' ', '\t']);
    if let Some(first) = backwards.iter().rposition(begins) {
        backwards.truncate(first + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, keep: Keep) -> Piece {
        let source = Source { collection: None, path: "tars/a.md".into(), date: None, kind: MemoryType::Daily };
        Piece::new(source, 1, text, keep).unwrap()
    }

    #[test]
    fn the_first_lines_or_the_last_entries_stay() {
        let text = "- one\n  more\n- two\n  more\n- three\n";
        let start = piece(text, Keep::Start);
        let start = start.cut_to(start.cost() - 1).unwrap();
        assert_eq!((start.text().as_str(), start.lines()), ("- one\n  more\n- two\n  more\n…", (1, 4)));
        let end = piece(text, Keep::End);
        let end = end.cut_to(end.cost() - 1).unwrap();
        assert_eq!((end.text().as_str(), end.lines()), ("…\n- two\n  more\n- three", (3, 5)));
        assert_eq!(end.cut_to(10), None);
    }

    #[test]
    fn a_line_too_long_for_all_is_passed_over() {
        let text = format!("a\n{}\nb\n", "x".repeat(500));
        for keep in [Keep::Start, Keep::End] {
            assert_eq!(piece(&text, keep).cut_to(200).unwrap().text(), "a\n…\nb");
        }
        assert_eq!(piece(&"x".repeat(500), Keep::Start).cut_to(200), None);
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let cut = piece("<!-- x -->\n\na\r\n\n\n<!-- y -->\nb\u{2028}c\n\n", Keep::Start);
        assert_eq!((cut.text().as_str(), cut.lines()), ("a\n\nb\nc", (3, 7)));
    }

    #[test]
    fn nothing_to_see_is_no_piece() {
        let source = Source { collection: None, path: "a.md".into(), date: None, kind: MemoryType::Note };
        assert_eq!(Piece::new(source, 1, "\u{feff}<!-- x -->\r\n \u{200b}\n", Keep::Start), None);
    }

    proptest::proptest! {
        #[test]
        fn a_cut_piece_fits(text in "([ -~中]{0,30}\n){1,12}", units in 0usize..400, end in proptest::bool::ANY) {
            let source = Source { collection: None, path: "a.md".into(), date: None, kind: MemoryType::Note };
            let keep = if end { Keep::End } else { Keep::Start };
            if let Some(cut) = Piece::new(source, 95, &text, keep).and_then(|piece| piece.cut_to(units)) {
                proptest::prop_assert!(cost(&cut.rendered()) <= units);
            }
        }
    }
}
