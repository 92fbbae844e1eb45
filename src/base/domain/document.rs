//! One parsed note: its text, outline and metadata.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use jiff::civil::Date;

use super::{NoteDate, NoteDateSource};

/// A parsed markdown file. Line numbers start at 1 and are inclusive.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// The text of the file, decoded as UTF-8 with replacement, without a byte order mark.
    pub source: String,
    /// Byte offset in `source` of the start of each line; `line_starts[0]` is line 1. Empty for an empty source.
    pub line_starts: Vec<usize>,
    /// First line after the front matter, 1 if there is none. May be one past the last line.
    pub body_line: usize,
    /// The title.
    pub title: String,
    /// The source of the title.
    pub title_source: TitleSource,
    /// Other names, from the front matter's `aliases` or `alias`.
    pub aliases: Vec<String>,
    /// Tags without `#`, lower-case, sorted, without duplicates. Nested ones have the form `area/topic`.
    pub tags: Vec<String>,
    /// Front-matter values other than title, aliases and tags, flattened, in order of appearance.
    pub properties: Vec<Property>,
    /// The inline fields of the text (`key:: value`, `[key:: value]`) as properties, in order of appearance; those of tasks belong to the
    /// task.
    pub inline_fields: Vec<Property>,
    /// Dates of the note, most reliable source first.
    pub dates: Vec<NoteDate>,
    /// Links to other notes and places: first those of the front matter, then in order of appearance.
    pub links: Vec<Link>,
    /// Headings outside quotes and lists, in order of appearance. Very long ones are truncated.
    pub headings: Vec<Heading>,
    /// The callouts, by first line; they may nest.
    pub callouts: Vec<Callout>,
    /// The definitions of footnotes, in order.
    pub footnotes: Vec<Footnote>,
    /// The places that cite footnotes: the line, and the position in `footnotes`, in order of appearance.
    pub citations: Vec<(usize, usize)>,
    /// The exchanges of a saved chat with an assistant, in order; empty for other notes.
    pub exchanges: Vec<Exchange>,
    /// The blocks that the chunker respects, by first line. List items may nest; other kinds never overlap, but may lie
    /// inside a list item. Trailing blank lines belong to no block.
    pub blocks: Vec<Block>,
    /// The line ranges of opaque data, in order, such as a picture in base64. Nothing of them is indexed.
    pub opaque: Vec<RangeInclusive<usize>>,
    /// Whether the author excluded this note from the index (`tars: private`).
    pub private: bool,
    /// The parse error of the front matter, if any. Its lines then count as text.
    pub front_matter_error: Option<String>,
}

/// The source of a title, most deliberate first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TitleSource {
    /// `title:` in the front matter.
    FrontMatter,
    /// The first level-one heading.
    Heading,
    /// The file's name without its extension.
    #[default]
    FileName,
}

/// One `name: value` of the front matter. A list gives one property per element, and a map gives `outer.inner`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// The key, nested keys joined by a dot.
    pub name: String,
    /// The value as its author wrote it, without quotes.
    pub value: String,
}

/// A link from a note to something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Target as written, without `#fragment` and display text. Markdown links are percent-decoded.
    pub target: String,
    /// Its syntax.
    pub kind: LinkKind,
    /// Its line.
    pub line: usize,
}

/// The syntax of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// `[[target]]`.
    Wiki,
    /// `![[target]]` or `![](target)`.
    Embed,
    /// `[text](target)` or an autolink.
    Markdown,
}

/// A heading and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// The text without markup.
    pub text: String,
    /// The line of its first character.
    pub line: usize,
}

/// A quote with a kind and perhaps a title (`> [!warning] Mind the gap`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callout {
    /// First line, which names the kind.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// Its kind and its title: `warning: Mind the gap`.
    pub words: String,
}

/// The definition of a footnote (`[^1]: text`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footnote {
    /// Its name: `1`.
    pub label: String,
    /// First line.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
}

/// An exchange of a saved chat: what a person said to an assistant, and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The line at which the person's words begin, or that names the person.
    pub line: usize,
    /// The line at which the answer begins, or that names the assistant; one past the last line without an answer.
    pub answer_line: usize,
    /// The line of `topic`.
    pub topic_line: usize,
    /// The first sentences of the person.
    pub topic: String,
}

/// A heading and the path that it opens. The path covers the lines up to the next section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Line of the heading, from 1.
    pub line: usize,
    /// Heading path, `outer > inner`, without empty headings.
    pub heading: String,
}

/// A run of lines that belong together, or a line at which a cut is natural.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Its kind.
    pub kind: BlockKind,
    /// First line.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
}

/// Kinds of blocks that the chunker distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// A fenced or indented code block, fences included.
    Code,
    /// A table, header included.
    Table,
    /// A horizontal rule.
    Rule,
    /// A list item, nested items included.
    ListItem,
    /// An HTML block, for example a comment.
    Html,
}

impl Document {
    /// Whether a line is opaque data.
    pub fn is_opaque(&self, line: usize) -> bool {
        let at = self.opaque.partition_point(|block| *block.end() < line);
        self.opaque.get(at).is_some_and(|block| block.contains(&line))
    }

    /// Returns the number of bytes of opaque data.
    pub fn opaque_bytes(&self) -> usize {
        self.opaque.iter().map(|block| self.lines(*block.start(), *block.end()).len()).sum()
    }

    /// Returns the number of lines. A final newline starts no further line.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// Returns line `number` without its line end, or `None` outside the text.
    pub fn line(&self, number: usize) -> Option<&str> {
        let start = *self.line_starts.get(number.checked_sub(1)?)?;
        let end = self.line_starts.get(number).copied().unwrap_or(self.source.len());
        Some(self.source[start..end].trim_end_matches(['\n', '\r']))
    }

    /// Returns the lines `first..=last` with their inner line ends and blank lines, but without the final line end.
    /// Empty for an empty range.
    pub fn lines(&self, first: usize, last: usize) -> &str {
        if first == 0 || first > last || first > self.line_count() {
            return "";
        }
        let start = self.line_starts[first - 1];
        let end = self.line_starts.get(last).copied().unwrap_or(self.source.len());
        let text = &self.source[start..end];
        // Only one line end is stripped: empty lines at the end of the range belong to it.
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// Returns the texts of the headings that enclose `line`, outermost first. A heading encloses its own line.
    pub fn heading_path(&self, line: usize) -> Vec<&str> {
        let before = self.headings.partition_point(|heading| heading.line <= line);
        let mut open: Vec<&Heading> = Vec::new();
        // Backwards from the line, each heading of a higher level than those found encloses it.
        for heading in self.headings[..before].iter().rev() {
            if open.last().is_none_or(|inner| heading.level < inner.level) {
                open.push(heading);
            }
            if heading.level == 1 {
                break;
            }
        }
        open.into_iter().rev().map(|heading| heading.text.as_str()).collect()
    }

    /// Returns the words of the callouts that begin above `line` and enclose it, outermost first. Looks at the fifty nearest at most.
    pub fn callouts_over(&self, line: usize) -> Vec<&str> {
        const NEAREST: usize = 50;
        let before = self.callouts.partition_point(|callout| callout.start_line < line);
        let nearest = &self.callouts[before.saturating_sub(NEAREST)..before];
        nearest.iter().filter(|callout| callout.end_line >= line).map(|callout| callout.words.as_str()).collect()
    }

    /// Returns the footnotes that the lines `first..=last` cite and that stand elsewhere, each once, with the first line that cites it.
    pub fn cited(&self, first: usize, last: usize) -> Vec<(usize, &Footnote)> {
        let from = self.citations.partition_point(|(line, _)| *line < first);
        let mut seen = HashSet::new();
        let inside = self.citations[from..].iter().take_while(|(line, _)| *line <= last);
        let new =
            inside.filter(|(_, at)| seen.insert(*at)).filter_map(|(line, at)| Some((*line, self.footnotes.get(*at)?)));
        new.filter(|(_, footnote)| footnote.start_line < first || footnote.start_line > last).collect()
    }

    /// Returns the exchange that holds `line`. A heading that is no deeper than the one over the chat ends it: a day's note may go on.
    pub fn exchange(&self, line: usize) -> Option<&Exchange> {
        let before = self.exchanges.partition_point(|exchange| exchange.line <= line);
        let exchange = self.exchanges.get(before.checked_sub(1)?)?;
        let heading_before = |line| self.headings.partition_point(|heading| heading.line < line);
        let over_chat = self.headings[..heading_before(self.exchanges[0].line)].last();
        let inside = &self.headings[heading_before(exchange.line + 1)..heading_before(line + 1)];
        let ends = |heading: &Heading| over_chat.is_some_and(|over| heading.level <= over.level);
        (!inside.iter().any(ends)).then_some(exchange)
    }

    /// Returns a section for each heading, in order. Takes time linear in the size of the result.
    pub fn sections(&self) -> Vec<Section> {
        let mut path = String::new();
        // The open headings: their level, and the length of the path before each.
        let mut open: Vec<(u8, usize)> = Vec::new();
        let section = |heading: &Heading| {
            while let Some((_, length)) = open.pop_if(|(level, _)| *level >= heading.level) {
                path.truncate(length);
            }
            open.push((heading.level, path.len()));
            if !heading.text.is_empty() {
                if !path.is_empty() {
                    path.push_str(" > ");
                }
                path.push_str(&heading.text);
            }
            Section { line: heading.line, heading: path.clone() }
        };
        self.headings.iter().map(section).collect()
    }

    /// Returns the day of the note as a whole: the newest in the file's name, otherwise the newest in the front matter.
    pub fn day(&self) -> Option<Date> {
        let newest = |source| self.dates.iter().filter(|date| date.source == source).map(|date| date.date).max();
        newest(NoteDateSource::FileName).or_else(|| newest(NoteDateSource::FrontMatter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(source: &str, headings: &[(u8, &str, usize)]) -> Document {
        let starts = source.split_inclusive('\n').scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some(start)
        });
        Document {
            source: source.into(),
            line_starts: starts.collect(),
            headings: headings
                .iter()
                .map(|(level, text, line)| Heading { level: *level, text: (*text).into(), line: *line })
                .collect(),
            ..Document::default()
        }
    }

    #[test]
    fn a_heading_encloses_lines_up_to_the_next_of_its_level() {
        let note = document("", &[(2, "a", 2), (4, "b", 4), (3, "c", 6), (1, "d", 8), (3, "e", 9)]);
        assert!(note.heading_path(0).is_empty() && note.heading_path(1).is_empty());
        assert_eq!(note.heading_path(2), ["a"]);
        assert_eq!(note.heading_path(5), ["a", "b"]);
        assert_eq!(note.heading_path(6), ["a", "c"], "a level that was left out does not stay open");
        assert_eq!(note.heading_path(8), ["d"]);
        assert_eq!(note.heading_path(1000), ["d", "e"]);
    }

    #[test]
    fn sections_have_the_heading_paths_of_their_lines() {
        let note = document("", &[(2, "a", 2), (4, "b", 4), (3, "c > d", 6), (1, "e", 8), (2, "", 9), (3, "f", 10)]);
        let sections: Vec<(usize, String)> =
            note.sections().into_iter().map(|section| (section.line, section.heading)).collect();
        let path = |line: usize| {
            note.heading_path(line).into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" > ")
        };
        let expected: Vec<(usize, String)> = [2, 4, 6, 8, 9, 10].map(|line| (line, path(line))).into();
        assert_eq!(sections, expected);
        assert_eq!((sections[2].1.as_str(), sections[5].1.as_str()), ("a > c > d", "e > f"));
    }

    #[test]
    fn lines_know_the_callouts_over_them_and_the_footnotes_that_they_cite() {
        let callout = |start_line, end_line, words: &str| Callout { start_line, end_line, words: words.into() };
        let footnote = |label: &str, line| Footnote { label: label.into(), start_line: line, end_line: line + 1 };
        let note = Document {
            callouts: vec![callout(2, 9, "note"), callout(4, 6, "tip: x"), callout(12, 13, "faq")],
            footnotes: vec![footnote("a", 20), footnote("b", 5)],
            citations: vec![(3, 0), (3, 1), (7, 0), (20, 1)],
            ..Document::default()
        };
        assert!(note.callouts_over(2).is_empty(), "its own line has the words already");
        assert_eq!([note.callouts_over(5), note.callouts_over(8)], [vec!["note", "tip: x"], vec!["note"]]);
        assert_eq!([note.callouts_over(10), note.callouts_over(13)], [vec![], vec!["faq"]]);
        let cited =
            |first, last| note.cited(first, last).iter().map(|(line, one)| (*line, one.start_line)).collect::<Vec<_>>();
        assert_eq!([cited(1, 8), cited(4, 19), cited(8, 19)], [vec![(3, 20)], vec![(7, 20)], vec![]]);
        assert_eq!(cited(20, 21), [(20, 5)]);
    }

    #[test]
    fn day_prefers_the_file_name_and_ignores_headings() {
        let date = |day, source| NoteDate { date: jiff::civil::date(2023, 5, day), source, line: 0 };
        let of = |dates: &[NoteDate]| Document { dates: dates.into(), ..Document::default() }.day();
        let (front, name) = (NoteDateSource::FrontMatter, NoteDateSource::FileName);
        assert_eq!(of(&[date(9, front), date(3, front), date(1, name)]), Some(jiff::civil::date(2023, 5, 1)));
        assert_eq!(of(&[date(3, front), date(9, front)]), Some(jiff::civil::date(2023, 5, 9)));
        assert_eq!(of(&[date(4, NoteDateSource::Heading)]), None, "a heading dates its section alone");
    }

    #[test]
    fn lines_start_at_one_and_lack_the_final_line_end() {
        let note = document("one\r\ntwo\n\nfour", &[]);
        assert_eq!((note.line(0), note.line(1), note.line(3), note.line(5)), (None, Some("one"), Some(""), None));
        assert_eq!(note.lines(1, 2), "one\r\ntwo");
        assert_eq!(note.lines(2, 3), "two\n", "an empty line at the end belongs to the range");
        assert_eq!(note.lines(2, 99), "two\n\nfour");
        assert_eq!((note.lines(0, 1), note.lines(3, 2), note.lines(5, 9)), ("", "", ""));
        assert_eq!((document("", &[]).line_count(), document("a\n", &[]).line_count()), (0, 1));
    }

    #[test]
    fn an_exchange_ends_where_the_note_goes_on() {
        let heading = |line, level| Heading { level, text: format!("h{line}"), line };
        let exchange = |line| Exchange { line, answer_line: line + 2, topic_line: line, topic: format!("t{line}") };
        let note = Document {
            headings: vec![heading(1, 1), heading(2, 2), heading(6, 3), heading(20, 2)],
            exchanges: vec![exchange(3), exchange(10)],
            ..Document::default()
        };
        let topic = |line| note.exchange(line).map(|exchange| exchange.topic.as_str());
        assert_eq!([topic(2), topic(3), topic(7)], [None, Some("t3"), Some("t3")], "an answer has headings of its own");
        assert_eq!([topic(19), topic(20), topic(25)], [Some("t10"), None, None]);
    }
}
