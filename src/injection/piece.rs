//! An excerpt with its source, ready to stand in a block.

use jiff::civil::Date;

use super::budget::{cost, tokens};
use super::clean;
use super::comments::without_comments;
use crate::domain::MemoryType;

/// What stands where lines are missing.
pub(super) const MARK: &str = "…";
/// The longest path of a file and the longest path of headings shown, in characters; longer ones are shown by their end.
const LONGEST_PATH: usize = 200;
const LONGEST_HEADING: usize = 120;

/// Where an excerpt is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Name of the collection, if a path alone would be taken for one of the vault.
    pub collection: Option<String>,
    /// Path relative to the collection's root, `/` between its parts.
    pub path: String,
    /// The line that answers, if the excerpt was looked for.
    pub answer: Option<Answer>,
    /// The day it is from, if that is known.
    pub date: Option<Date>,
    /// Kind of memory.
    pub kind: MemoryType,
}

/// The line of an excerpt for which it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its number in the file.
    pub line: usize,
    /// The heading path over it; empty above the first heading.
    pub heading: String,
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

    /// Returns the piece with those of its lines alone of which `keep` says so, by number and text, and a mark where others were
    /// between them; `None` if none is left.
    pub fn keeping(&self, keep: impl Fn(usize, &str) -> bool) -> Option<Self> {
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

    /// Returns the piece without those of its lines of which `drop` says so, by number and text, and without blank ones; no mark stands
    /// for them. `None` if none is left.
    pub fn without(&self, drop: impl Fn(usize, &str) -> bool) -> Option<Self> {
        let stays = |line: &&Line| line.number.is_some_and(|number| !line.text.is_empty() && !drop(number, &line.text));
        let lines: Vec<Line> = self.lines.iter().filter(stays).cloned().collect();
        (!lines.is_empty()).then(|| Self { lines, ..self.clone() })
    }

    /// Returns the piece with its lines in other words; what is there is shortened, nothing is added.
    pub fn reworded(&self, shortened: impl Fn(&str) -> String) -> Self {
        let lines = self.lines.iter().map(|line| Line { text: shortened(&line.text), ..line.clone() }).collect();
        Self { lines, ..self.clone() }
    }

    /// Returns the piece with a last line that says how many more lines its file holds.
    pub fn saying_more(mut self, count: usize) -> Self {
        if count > 0 {
            self.lines.push(Line { number: None, text: format!("{MARK} {count} more in this file") });
        }
        self
    }

    /// Returns where it is from.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the line that answers, if it is among those shown.
    pub fn answer(&self) -> Option<&Answer> {
        self.source.answer.as_ref().filter(|answer| self.shows(answer.line))
    }

    fn shows(&self, line: usize) -> bool {
        self.lines.iter().any(|shown| shown.number == Some(line))
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

    /// Returns its lines with their numbers in the file, without the marks of missing ones. A line that was too long for one stands
    /// there as several.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines.iter().filter_map(|line| Some((line.number?, line.text.as_str())))
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
    /// are passed over. Where the line that answers would be cut off, what stands before it goes instead.
    pub fn cut_to(&self, units: usize) -> Option<Self> {
        let cut = self.cut_at_end(units)?;
        let lost = self.answer().filter(|answer| !cut.shows(answer.line));
        let Some(Answer { line, .. }) = lost else { return Some(cut) };
        let behind = self.lines.iter().skip_while(|shown| shown.number != Some(*line)).cloned();
        let from_answer = Self { lines: std::iter::once(Line::mark()).chain(behind).collect(), ..self.clone() };
        from_answer.cut_at_end(units).filter(|piece| piece.shows(*line)).or(Some(cut))
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
        let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
        let answer = self.answer().map(|answer| answer.attributes(first == last)).unwrap_or_default();
        format!("{}{}\n", self.head(&lines, &answer), self.text())
    }

    fn head(&self, lines: &str, answer: &str) -> String {
        let date = self.source.date.map(|date| format!(" date=\"{date}\"")).unwrap_or_default();
        let collection = self.source.collection.as_deref().map(clean::attribute);
        let collection = collection.map(|name| format!(" collection=\"{name}\"")).unwrap_or_default();
        let (path, kind) = (clean::attribute(&end_of(&self.source.path, LONGEST_PATH)), self.source.kind);
        format!("\n<source at=\"{path}:{lines}\"{collection}{answer}{date} kind=\"{kind}\"/>\n")
    }

    /// Returns the cost of the source with the longest numbers that cutting can give.
    fn head_cost(&self) -> usize {
        let (_, last) = self.lines();
        let answer = self.source.answer.as_ref().map(|answer| answer.attributes(false)).unwrap_or_default();
        cost(&self.head(&format!("{last}-{last}"), &answer))
    }
}

impl Answer {
    /// Returns what a source says of it. The line goes without saying where it is the `only` one.
    fn attributes(&self, only: bool) -> String {
        let line = if only { String::new() } else { format!(" line=\"{}\"", self.line) };
        match clean::attribute(&end_of(&self.heading, LONGEST_HEADING)) {
            heading if heading.is_empty() => line,
            heading => format!("{line} heading=\"{heading}\""),
        }
    }
}

/// Returns the last characters of a path that is longer than `most`, with a mark before them.
fn end_of(path: &str, most: usize) -> String {
    let beyond = path.chars().count().saturating_sub(most);
    if beyond > 0 { MARK.chars().chain(path.chars().skip(beyond)).collect() } else { path.to_owned() }
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
        let source =
            Source { collection: None, path: "tars/a.md".into(), answer: None, date: None, kind: MemoryType::Daily };
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

    fn found(text: &str, line: usize, heading: &str) -> Piece {
        let answer = Some(Answer { line, heading: heading.into() });
        let source = Source { collection: None, path: "a.md".into(), answer, date: None, kind: MemoryType::Note };
        Piece::new(source, 7, text, Keep::Start).unwrap()
    }

    fn source_of(piece: &Piece) -> String {
        piece.rendered().lines().nth(1).unwrap_or_default().to_owned()
    }

    #[test]
    fn an_excerpt_did_not_say_under_which_heading_its_answer_stands() {
        let piece = found("one\n## Keys\ntwo", 9, "A > \"Keys\"");
        let expected = "<source at=\"a.md:7-9\" line=\"9\" heading=\"A &gt; &quot;Keys&quot;\" kind=\"note\"/>";
        assert_eq!(source_of(&piece), expected);
        assert_eq!(source_of(&found("one", 7, "A")), "<source at=\"a.md:7\" heading=\"A\" kind=\"note\"/>");
        assert_eq!(source_of(&found("one\ntwo", 8, "")), "<source at=\"a.md:7-8\" line=\"8\" kind=\"note\"/>");
        let hidden = found("one\n<!-- two -->\nthree", 8, "A");
        assert_eq!(source_of(&hidden), "<source at=\"a.md:7-9\" kind=\"note\"/>", "the line is not shown");
        let long = found("one", 7, &"Chapter > ".repeat(50));
        assert!(source_of(&long).contains("heading=\"…") && source_of(&long).len() < 250, "{}", source_of(&long));
    }

    #[test]
    fn the_line_that_answers_was_cut_off() {
        let text: String = (7..60).map(|number| format!("line {number} of this note\n")).collect();
        let cut = found(&text, 50, "A").cut_to(200).unwrap();
        assert_eq!((cut.lines().0, cut.answer().map(|answer| answer.line)), (50, Some(50)));
        assert!(cut.text().starts_with("…\nline 50 ") && cut.text().ends_with("\n…"), "{}", cut.text());
        assert!(cost(&cut.rendered()) <= 200);
        let near = found(&text, 8, "A").cut_to(200).unwrap();
        assert_eq!((near.lines().0, near.answer().map(|answer| answer.line)), (7, Some(8)));
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let cut = piece("<!-- x -->\n\na\r\n\n\n<!-- y -->\nb\u{2028}c\n\n", Keep::Start);
        assert_eq!((cut.text().as_str(), cut.lines()), ("a\n\nb\nc", (3, 7)));
    }

    #[test]
    fn nothing_to_see_is_no_piece() {
        let source = Source { collection: None, path: "a.md".into(), answer: None, date: None, kind: MemoryType::Note };
        assert_eq!(Piece::new(source, 1, "\u{feff}<!-- x -->\r\n \u{200b}\n", Keep::Start), None);
    }

    proptest::proptest! {
        #[test]
        fn a_cut_piece_fits(text in "([ -~中]{0,30}\n){1,12}", units in 0usize..400, end in proptest::bool::ANY, line in 90usize..110) {
            let answer = Some(Answer { line, heading: "A > B".into() });
            let source = Source { collection: None, path: "a.md".into(), answer, date: None, kind: MemoryType::Note };
            let keep = if end { Keep::End } else { Keep::Start };
            if let Some(cut) = Piece::new(source, 95, &text, keep).and_then(|piece| piece.cut_to(units)) {
                proptest::prop_assert!(cost(&cut.rendered()) <= units);
            }
        }
    }
}
