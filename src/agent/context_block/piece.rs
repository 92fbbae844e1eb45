//! An excerpt with its source, cleaned for a block.

use jiff::civil::Date;

use super::budget::cost;
use super::comments::without_comments;
use super::escape;
use tars_base::domain::{ApproximateTokens, CountTokens, MemoryType};

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
    keep: Keep,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    /// Line number in the file, `None` for the mark.
    number: Option<usize>,
    text: String,
}

impl Line {
    /// Returns the mark of missing lines.
    fn mark() -> Self {
        Self { number: None, text: MARK.into() }
    }

    fn cost(&self) -> usize {
        cost(&self.text) + 1
    }
}

impl Piece {
    /// Returns the piece of `text`, whose first line is line `start_line` of its file, or `None` if nothing is visible.
    /// Comments are removed, and runs of blank lines reduced to one.
    pub fn new(source: Source, start_line: usize, text: &str, keep: Keep) -> Option<Self> {
        let numbered = text.split('\n').enumerate().map(|(index, line)| (start_line + index, line));
        let mut lines: Vec<Line> = Vec::new();
        for (number, line) in without_comments(numbered) {
            for text in escape::lines(&line) {
                if !text.is_empty() || lines.last().is_some_and(|last| !last.text.is_empty()) {
                    lines.push(Line { number: Some(number), text });
                }
            }
        }
        while lines.pop_if(|last| last.text.is_empty()).is_some() {}
        (!lines.is_empty()).then_some(Self { source, keep, lines })
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

    /// Appends a remark to each line, in parentheses.
    pub fn with_remark(&self, remark: &str) -> Self {
        let remark = escape::lines(remark).join(" ");
        self.with_shortened_lines(|line| format!("{line} ({remark})"))
    }

    /// Appends a line with the number of further lines in the file.
    pub fn with_omission_count(mut self, count: usize) -> Self {
        if count > 0 {
            self.lines.push(Line { number: None, text: format!("{MARK} {count} more in this file") });
        }
        self
    }

    /// Returns the source.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the line that answers, if the piece shows it.
    pub fn answer(&self) -> Option<&AnswerLine> {
        self.source.answer.as_ref().filter(|answer| self.shows(answer.line))
    }

    fn shows(&self, line: usize) -> bool {
        self.lines.iter().any(|shown| shown.number == Some(line))
    }

    /// Returns the first and the last shown line of the file.
    pub fn lines(&self) -> (usize, usize) {
        let mut numbers = self.lines.iter().filter_map(|line| line.number);
        let first = numbers.next().unwrap_or(1);
        (first, numbers.next_back().unwrap_or(first))
    }

    /// Returns its text as in a block, without a final line end.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// Returns its lines with their numbers in the file, without marks. A source line with inner line separators
    /// appears as several.
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

    /// Cuts the piece to fit `units`, or returns `None` if not one line fits. A single line beyond the limit is
    /// skipped. If the cut would drop the line that answers, the lines before it are dropped instead.
    pub fn cut_to(&self, units: usize) -> Option<Self> {
        let cut = self.cut_at_end(units)?;
        let lost = self.answer().filter(|answer| !cut.shows(answer.line));
        let Some(AnswerLine { line, .. }) = lost else { return Some(cut) };
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
        format!("\n<source at=\"{path}:{lines}\"{collection}{answer}{date} kind=\"{kind}\"/>\n")
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
mod tests {
    use super::*;

    fn piece(text: &str, keep: Keep) -> Piece {
        let source =
            Source { collection: None, path: "tars/a.md".into(), answer: None, date: None, kind: MemoryType::Daily };
        Piece::new(source, 1, text, keep).unwrap()
    }

    #[test]
    fn the_first_lines_or_the_last_entries_are_kept() {
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
    fn a_line_beyond_the_whole_budget_is_skipped() {
        let text = format!("a\n{}\nb\n", "x".repeat(500));
        for keep in [Keep::Start, Keep::End] {
            assert_eq!(piece(&text, keep).cut_to(200).unwrap().text(), "a\n…\nb");
        }
        assert_eq!(piece(&"x".repeat(500), Keep::Start).cut_to(200), None);
    }

    fn found(text: &str, line: usize, heading: &str) -> Piece {
        let answer = Some(AnswerLine { line, heading: heading.into() });
        let source = Source { collection: None, path: "a.md".into(), answer, date: None, kind: MemoryType::Note };
        Piece::new(source, 7, text, Keep::Start).unwrap()
    }

    fn source_of(piece: &Piece) -> String {
        piece.rendered().lines().nth(1).unwrap_or_default().to_owned()
    }

    #[test]
    fn a_source_names_the_heading_of_the_answering_line() {
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
    fn the_answering_line_survives_a_cut() {
        let text: String = (7..60).map(|number| format!("line {number} of this note\n")).collect();
        let cut = found(&text, 50, "A").cut_to(200).unwrap();
        assert_eq!((cut.lines().0, cut.answer().map(|answer| answer.line)), (50, Some(50)));
        assert!(cut.text().starts_with("…\nline 50 ") && cut.text().ends_with("\n…"), "{}", cut.text());
        assert!(cost(&cut.rendered()) <= 200);
        let near = found(&text, 8, "A").cut_to(200).unwrap();
        assert_eq!((near.lines().0, near.answer().map(|answer| answer.line)), (7, Some(8)));
    }

    #[test]
    fn line_numbers_are_those_of_the_file() {
        let cut = piece("<!-- x -->\n\na\r\n\n\n<!-- y -->\nb\u{2028}c\n\n", Keep::Start);
        assert_eq!((cut.text().as_str(), cut.lines()), ("a\n\nb\nc", (3, 7)));
    }

    #[test]
    fn invisible_text_gives_no_piece() {
        let source = Source { collection: None, path: "a.md".into(), answer: None, date: None, kind: MemoryType::Note };
        assert_eq!(Piece::new(source, 1, "\u{feff}<!-- x -->\r\n \u{200b}\n", Keep::Start), None);
    }

    proptest::proptest! {
        #[test]
        fn a_cut_piece_fits(text in "([ -~中]{0,30}\n){1,12}", units in 0usize..400, end in proptest::bool::ANY, line in 90usize..110) {
            let answer = Some(AnswerLine { line, heading: "A > B".into() });
            let source = Source { collection: None, path: "a.md".into(), answer, date: None, kind: MemoryType::Note };
            let keep = if end { Keep::End } else { Keep::Start };
            if let Some(cut) = Piece::new(source, 95, &text, keep).and_then(|piece| piece.cut_to(units)) {
                proptest::prop_assert!(cost(&cut.rendered()) <= units);
            }
        }
    }
}
