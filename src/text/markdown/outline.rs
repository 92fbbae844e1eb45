//! Reads the structure of a note's body: headings, blocks, links and tags.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::callout::callout_line;
use super::opaque::without_marks;
use super::title::truncated_title;
use super::{link, tags};
use tars_base::domain::{Block, BlockKind, Callout, Footnote, Heading, Link, LinkKind};

/// Maximum nesting of quotes and lists, and maximum indentation in columns. A parser examines each open container for each
/// line, so without limits a file of a megabyte could take hours.
const MAX_DEPTH: usize = 100;
const MAX_WIDTH: usize = 300;

/// The elements of a note's body, each list in order of appearance.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) headings: Vec<Heading>,
    pub(super) blocks: Vec<Block>,
    pub(super) links: Vec<Link>,
    pub(super) tags: Vec<String>,
    pub(super) callouts: Vec<Callout>,
    pub(super) footnotes: Vec<Footnote>,
    /// The citing line, and the position of its footnote.
    pub(super) citations: Vec<(usize, usize)>,
}

impl Outline {
    /// Parses `source` from byte `body_start` on. `line_starts` belongs to the whole of `source`.
    pub(super) fn of(source: &str, body_start: usize, line_starts: &[usize]) -> Self {
        let body = &source[body_start..];
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_WIKILINKS;
        let limited = without_marks(limited(body));
        let mut reader = Reader {
            body: &limited,
            body_start,
            line_starts,
            outline: Self::default(),
            containers: 0,
            quotes: 0,
            cited: Vec::new(),
            links: 0,
            in_code: false,
            heading: None,
            run: 0..0,
            run_opens: true,
        };
        let parser = Parser::new_ext(&limited, options);
        let definitions = parser.reference_definitions().iter();
        let mut definitions: Vec<(usize, String)> =
            definitions.map(|(_, one)| (one.span.start, one.dest.to_string())).collect();
        for (event, range) in parser.into_offset_iter() {
            reader.read(event, range);
        }
        reader.finish_run();
        definitions.sort();
        reader.add_definitions(definitions);
        reader.resolve_citations();
        reader.outline
    }
}

/// Returns `body` with nesting beyond the limits broken up. Byte positions stay the same.
fn limited(body: &str) -> Cow<'_, str> {
    let mut limited = Cow::Borrowed(body);
    let mut start = 0;
    for line in body.split_inclusive(['\n', '\r']) {
        if let Some(at) = excess(line) {
            limited.to_mut().replace_range(start + at..start + at + 1, "x");
        }
        start += line.len();
    }
    limited
}

/// Returns the position in `line` of the ASCII byte at which its nesting exceeds the limits.
fn excess(line: &str) -> Option<usize> {
    let (mut depth, mut width) = (0, 0);
    let bytes = line.as_bytes();
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b' ' => width += 1,
            b'\t' => width += 4,
            b'>' => depth += 1,
            b'-' | b'+' | b'*' | b'.' | b')' => {
                depth += usize::from(bytes.get(at + 1).is_some_and(u8::is_ascii_whitespace));
            }
            b'0'..=b'9' => {}
            _ => return None,
        }
        if depth > MAX_DEPTH || width > MAX_WIDTH {
            let rest = line[at..].trim_ascii_start();
            return (!rest.is_empty()).then_some(at);
        }
    }
    None
}

struct OpenHeading {
    level: HeadingLevel,
    start: usize,
    text: String,
}

struct Reader<'a> {
    body: &'a str,
    body_start: usize,
    line_starts: &'a [usize],
    outline: Outline,
    /// Number of open quotes, list items and footnotes.
    containers: usize,
    /// Number of open quotes.
    quotes: usize,
    /// The labels of cited footnotes, each with its line.
    cited: Vec<(usize, String)>,
    /// Number of open links and images.
    links: usize,
    in_code: bool,
    heading: Option<OpenHeading>,
    /// Range of plain text that is not yet searched for tags.
    run: Range<usize>,
    /// Whether a tag may be at the very start of the run, judging by the character before it.
    run_opens: bool,
}

impl Reader<'_> {
    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Text(text) => {
                self.add_to_heading(&text);
                if !self.in_code && self.links == 0 {
                    self.add_to_run(range);
                }
                return;
            }
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.add_to_heading(&text),
            Event::SoftBreak | Event::HardBreak => self.add_to_heading(" "),
            Event::Start(tag) => {
                self.finish_run();
                return self.open(tag, range);
            }
            Event::End(tag) => {
                self.finish_run();
                return self.close(tag);
            }
            Event::Rule => self.add_block(BlockKind::Rule, &range),
            Event::FootnoteReference(label) => {
                let line = self.line(range.start);
                self.cited.push((line, label.into_string()));
            }
            Event::Html(_) | Event::InlineHtml(_) | Event::TaskListMarker(_) => {}
        }
        self.finish_run();
    }

    fn open(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Heading { level, .. } if self.containers == 0 => {
                self.heading = Some(OpenHeading { level, start: range.start, text: String::new() });
            }
            Tag::CodeBlock(_) => {
                self.in_code = true;
                self.add_block(BlockKind::Code, &range);
            }
            Tag::Table(_) => self.add_block(BlockKind::Table, &range),
            Tag::HtmlBlock => self.add_block(BlockKind::Html, &range),
            Tag::Item => {
                self.containers += 1;
                self.add_block(BlockKind::ListItem, &range);
            }
            Tag::BlockQuote(_) => {
                self.containers += 1;
                self.quotes += 1;
                self.add_callout(&range);
            }
            Tag::FootnoteDefinition(label) => {
                self.containers += 1;
                let (start_line, end_line) = self.lines(&range);
                self.outline.footnotes.push(Footnote { label: label.into_string(), start_line, end_line });
            }
            Tag::Link { link_type, dest_url, .. } => {
                self.links += 1;
                let wiki = matches!(link_type, LinkType::WikiLink { .. });
                let kind = if wiki { LinkKind::Wiki } else { LinkKind::Markdown };
                self.add_link(kind, link::target(link_type, &dest_url), range.start);
            }
            Tag::Image { link_type, dest_url, .. } => {
                self.links += 1;
                self.add_link(LinkKind::Embed, link::target(link_type, &dest_url), range.start);
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.finish_heading(),
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::BlockQuote(_) => {
                self.containers = self.containers.saturating_sub(1);
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::Item | TagEnd::FootnoteDefinition => self.containers = self.containers.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => self.links = self.links.saturating_sub(1),
            _ => {}
        }
    }

    fn add_to_heading(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(text);
        }
    }

    fn finish_heading(&mut self) {
        if let Some(OpenHeading { level, start, text }) = self.heading.take() {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let line = self.line(start);
            self.outline.headings.push(Heading { level: level as u8, text: truncated_title(&text).into_owned(), line });
        }
    }

    fn add_block(&mut self, kind: BlockKind, range: &Range<usize>) {
        let (start_line, end_line) = self.lines(range);
        self.outline.blocks.push(Block { kind, start_line, end_line });
    }

    /// Adds the quote that has just been opened if its first line names a kind.
    fn add_callout(&mut self, range: &Range<usize>) {
        let start = self.body[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.body[start..].split('\n').next().unwrap_or_default();
        // Where nested quotes begin in one line, the innermost has the kind.
        if let Some(callout) = callout_line(line).filter(|line| line.marks.matches('>').count() == self.quotes) {
            let (start_line, end_line) = self.lines(range);
            let words = truncated_title(&callout.words()).into_owned();
            self.outline.callouts.push(Callout { start_line, end_line, words });
        }
    }

    /// Finds the definitions of the cited footnotes. Labels are the same in upper and lower case.
    fn resolve_citations(&mut self) {
        let labels = self.outline.footnotes.iter().enumerate().rev();
        let known: HashMap<String, usize> = labels.map(|(at, one)| (one.label.to_lowercase(), at)).collect();
        let cited = self.cited.drain(..);
        let resolved = cited.filter_map(|(line, label)| Some((line, *known.get(&label.to_lowercase())?)));
        self.outline.citations = resolved.collect();
    }

    /// Returns the first and the last line of a range, without blank lines at its end.
    fn lines(&self, range: &Range<usize>) -> (usize, usize) {
        let text = self.body.get(range.clone()).unwrap_or_default();
        let last = range.start + text.trim_end().len().saturating_sub(1);
        (self.line(range.start), self.line(last))
    }

    fn add_link(&mut self, kind: LinkKind, target: Option<String>, start: usize) {
        if let Some(target) = target {
            let line = self.line(start);
            self.outline.links.push(Link { target, kind, line });
        }
    }

    /// Adds the targets of reference definitions, each a start and a destination, that no link of the text has.
    fn add_definitions(&mut self, definitions: Vec<(usize, String)>) {
        let known: HashSet<String> = self.outline.links.iter().map(|link| link.target.clone()).collect();
        for (start, destination) in definitions {
            let target = link::target(LinkType::Reference, &destination).filter(|target| !known.contains(target));
            self.add_link(LinkKind::Markdown, target, start);
        }
    }

    /// Returns the line of the file that holds byte `offset` of the body.
    fn line(&self, offset: usize) -> usize {
        let offset = self.body_start + offset;
        self.line_starts.partition_point(|&start| start <= offset).max(1)
    }

    fn add_to_run(&mut self, range: Range<usize>) {
        if self.run.end == range.start && !self.run.is_empty() {
            self.run.end = range.end;
        } else {
            self.finish_run();
            let before = self.body.get(..range.start).and_then(|text| text.chars().next_back());
            self.run_opens = before.is_none_or(|character| character.is_whitespace() || matches!(character, '>' | '|'));
            self.run = range;
        }
    }

    fn finish_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if let Some(text) = self.body.get(run) {
            tags::collect(text, self.run_opens, &mut self.outline.tags);
        }
    }
}

#[cfg(test)]
mod tests;
