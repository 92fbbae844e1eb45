//! Reads the structure of a note's body: headings, blocks, links and tags.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::opaque::without_marks;
use super::title::truncated_title;
use super::{link, tags};
use tars_base::domain::{Block, BlockKind, Heading, Link, LinkKind};

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
            Event::Html(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
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
            Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => self.containers += 1,
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
            TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => {
                self.containers = self.containers.saturating_sub(1);
            }
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
        let text = self.body.get(range.clone()).unwrap_or_default();
        let last = range.start + text.trim_end().len().saturating_sub(1);
        let (start_line, end_line) = (self.line(range.start), self.line(last));
        self.outline.blocks.push(Block { kind, start_line, end_line });
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
mod tests {
    use super::*;
    use crate::markdown::parse;

    fn blocks(source: &str) -> Vec<(BlockKind, usize, usize)> {
        parse("a.md", source).blocks.iter().map(|block| (block.kind, block.start_line, block.end_line)).collect()
    }

    fn headings(source: &str) -> Vec<(u8, String, usize)> {
        parse("a.md", source).headings.into_iter().map(|h| (h.level, h.text, h.line)).collect()
    }

    #[test]
    fn a_reference_definition_is_a_link_even_if_nothing_refers_to_it() {
        let source = "See [the plan][p], [x].\n\n[p]: ../a%20b.md\n[x]: <../c d.md> 'Title'\n[unused]: ./e.md#part\n[^1]: a note\n";
        let found: Vec<_> = links(source).into_iter().map(|(target, _, line)| (target, line)).collect();
        assert_eq!(found, [("../a b.md".into(), 1), ("../c d.md".into(), 1), ("./e.md".into(), 5)]);
    }

    fn links(source: &str) -> Vec<(String, LinkKind, usize)> {
        parse("a.md", source).links.into_iter().map(|link| (link.target, link.kind, link.line)).collect()
    }

    fn tags(source: &str) -> Vec<String> {
        parse("a.md", source).tags
    }

    #[test]
    fn headings_are_plain_text() {
        let source =
            "# A *b* `c` [d](e) #\n\nSet\next\n---\n\n### [[Note#x|shown]] and [[Other]] &amp; ![alt](i.png)\n";
        assert_eq!(
            headings(source),
            [(1, "A b c d".into(), 1), (2, "Set ext".into(), 3), (3, "shown and Other & alt".into(), 7)]
        );
    }

    #[test]
    fn headings_in_code_and_containers_do_not_count() {
        assert!(headings("```\n# a\n```\n\n    # b\n\n> # c\n\n- # d\n\n<!--\n# e\n-->\n#tag\n").is_empty());
        assert_eq!(headings("~~~\n# never closed\n"), []);
    }

    #[test]
    fn blocks_have_their_lines() {
        let source =
            "```rust\nx\n\n```\n\n    indented\n\n    code\n\n| a |\n|---|\n| b |\n\n***\n\n<div>\nx\n</div>\n\ntext\n";
        assert_eq!(
            blocks(source),
            [
                (BlockKind::Code, 1, 4),
                (BlockKind::Code, 6, 8),
                (BlockKind::Table, 10, 12),
                (BlockKind::Rule, 14, 14),
                (BlockKind::Html, 16, 18),
            ]
        );
    }

    #[test]
    fn list_items_nest() {
        assert_eq!(
            blocks("- a\n  - b\n\n    c\n- d\n\n\ntext\n"),
            [(BlockKind::ListItem, 1, 4), (BlockKind::ListItem, 2, 4), (BlockKind::ListItem, 5, 5)]
        );
    }

    #[test]
    fn blocks_after_front_matter_count_lines_of_the_file() {
        assert_eq!(blocks("---\na: b\n---\n\n```\nx"), [(BlockKind::Code, 5, 6)]);
        assert_eq!(blocks("> ```\n> x\n> ```\n"), [(BlockKind::Code, 1, 3)]);
    }

    #[test]
    fn links_of_every_kind_are_found() {
        let source = "[[A#h|t]] ![[b.png|300]]\n[t](c%20d.md#x) ![i](e.png)\n<https://f.g> [r][ref] [ref]\n\n[ref]: h.md\n\
                      | a |\n|---|\n| [[I\\|j]] |\n";
        assert_eq!(
            links(source),
            [
                ("A".into(), LinkKind::Wiki, 1),
                ("b.png".into(), LinkKind::Embed, 1),
                ("c d.md".into(), LinkKind::Markdown, 2),
                ("e.png".into(), LinkKind::Embed, 2),
                ("https://f.g".into(), LinkKind::Markdown, 3),
                ("h.md".into(), LinkKind::Markdown, 3),
                ("h.md".into(), LinkKind::Markdown, 3),
                ("I".into(), LinkKind::Wiki, 8),
            ]
        );
    }

    #[test]
    fn links_in_code_do_not_count() {
        assert!(links("`[[a]]` ``[b](c)``\n\n```\n[[d]]\n```\n\n    [[e]]\n\n<!-- [[f]] -->\n").is_empty());
        assert!(links("![x](data:image/png;base64,AA) [[#here]] [y](#z)\n").is_empty());
    }

    #[test]
    fn tags_are_found_in_text() {
        assert_eq!(
            tags("#a text #b_c_d\n- #e\n> #f\n\n| #g |\n|---|\n|#h|\n\n## On #i\n"),
            ["a", "b_c_d", "e", "f", "g", "h", "i"]
        );
        assert_eq!(tags("line\n#after-break *#no* x &amp;#no"), ["after-break"]);
    }

    #[test]
    fn tags_in_code_links_and_addresses_do_not_count() {
        assert!(
            tags("`#a` [#b](c) [x](#d) [[#e]] [[f|#g]] <https://h#i> https://j/#k \\#l\n\n```\n#m\n```\n").is_empty()
        );
        assert!(tags("<!-- #n -->\n\n# o\n").is_empty());
    }

    #[test]
    fn nesting_is_limited_without_moving_bytes() {
        let deep = format!("{}# a\n\n# b\n", "> ".repeat(5_000));
        assert_eq!(headings(&deep), [(1, "b".into(), 3)]);
        assert_eq!(limited(&deep).len(), deep.len());
        let wide = format!("```\n{}x\n```\n{}\n", " ".repeat(400), " ".repeat(400));
        assert_eq!(blocks(&wide), [(BlockKind::Code, 1, 3)]);
        assert!(matches!(limited("- a\n  - b\n"), Cow::Borrowed(_)));
        assert_eq!(blocks(&"-".repeat(500)), [(BlockKind::Rule, 1, 1)]);
    }
}
