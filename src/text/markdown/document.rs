//! Builds a document from front matter and body.

use super::data_blocks::data_blocks;
use super::front_matter::{self, FrontMatter};
use super::outline::Outline;
use super::properties::Properties;
use super::title::{stem, truncated_title};
use super::{inline_fields, note_dates, tags, transcript};
use tars_base::domain::{Document, TitleSource};

/// Whether a note declares itself private: it is never indexed, shown to an agent or sent to a model.
pub fn is_private(source: &str) -> bool {
    parse("", source).private
}

/// Parses `source` into a document.
///
/// `path` is relative to the collection's root, separated by `/`. It provides the title and the dates if the text does not. `source` is
/// decoded text; a byte order mark is dropped, line ends are kept, and only `\n` ends a line. Empty text gives a document without lines.
pub fn parse(path: &str, source: &str) -> Document {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let line_starts = line_starts(source);
    let stem = stem(path);

    let (body_start, body_line, properties, front_matter_error) = match front_matter::read(source) {
        FrontMatter::Absent { private } => (0, 1, Properties { private, ..Properties::default() }, None),
        FrontMatter::Broken { private, message, entries, body } => {
            let properties = Properties::of(entries);
            let private = private || properties.private;
            (body.byte, body.line, Properties { private, ..properties }, Some(message))
        }
        FrontMatter::Present { entries, body } => (body.byte, body.line, Properties::of(entries), None),
    };
    let outline = Outline::of(source, body_start, &line_starts);

    let heading = || outline.headings.iter().find(|heading| heading.level == 1 && !heading.text.is_empty());
    let (title, title_source) = match (properties.title, heading()) {
        (Some(title), _) => (truncated_title(&title).into_owned(), TitleSource::FrontMatter),
        (None, Some(heading)) => (heading.text.clone(), TitleSource::Heading),
        (None, None) => (stem.to_owned(), TitleSource::FileName),
    };
    let mut dates = properties.dates;
    dates.extend(note_dates::of_file_name(stem));
    dates.extend(outline.headings.iter().flat_map(note_dates::of_heading));

    let body = source[body_start..].split('\n');
    Document {
        opaque: data_blocks(body.clone(), body_line),
        exchanges: transcript::exchanges(body, body_line),
        source: source.to_owned(),
        line_starts,
        body_line,
        title,
        title_source,
        aliases: properties.aliases,
        tags: tags::sorted(properties.tags.into_iter().chain(outline.tags)),
        properties: properties.others,
        inline_fields: inline_fields::of_body(source[body_start..].split('\n')),
        dates,
        links: properties.links.into_iter().chain(outline.links).collect(),
        headings: outline.headings,
        callouts: outline.callouts,
        footnotes: outline.footnotes,
        citations: outline.citations,
        blocks: outline.blocks,
        private: properties.private,
        front_matter_error,
    }
}

fn line_starts(source: &str) -> Vec<usize> {
    if source.is_empty() {
        return Vec::new();
    }
    let ends = source.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends.filter(|&start| start < source.len())).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::title::MAX_TITLE_BYTES;
    use super::*;
    use tars_base::domain::{LinkKind, NoteDateSource};

    #[test]
    fn titles_prefer_front_matter_then_headings_then_file_names() {
        let title = |source| {
            let document = parse("a/b.c/My note.v2.md", source);
            (document.title, document.title_source)
        };
        assert_eq!(title("---\ntitle: One\n---\n# Two"), ("One".into(), TitleSource::FrontMatter));
        assert_eq!(title("text\n\n## Three\n# *Two* `x`\n"), ("Two x".into(), TitleSource::Heading));
        assert_eq!(title("---\ntitle:\n---\n## Three"), ("My note.v2".into(), TitleSource::FileName));
        assert_eq!(title("#\n"), ("My note.v2".into(), TitleSource::FileName));
        assert_eq!(parse(".hidden", "").title, ".hidden");
        assert_eq!(parse("", "").title, "");
    }

    #[test]
    fn lines_are_those_of_the_file() {
        let document = parse("a.md", "\u{feff}---\r\ntags: x\r\n---\r\n# H\r\n\r\n- a\r\n- b\r\n");
        assert!(document.source.starts_with("---"));
        assert_eq!((document.body_line, document.line_count()), (4, 7));
        assert_eq!(document.headings[0].line, 4);
        assert_eq!(document.line(4), Some("# H"));
        assert_eq!(document.blocks.iter().map(|block| block.start_line).collect::<Vec<_>>(), [6, 7]);
    }

    #[test]
    fn empty_lines_at_the_end_of_a_range_belong_to_it() {
        let document = parse("a.md", "one\n\n\ntwo\r\n\r\n");
        assert_eq!((document.lines(1, 3), document.lines(1, 1)), ("one\n\n", "one"));
        assert_eq!((document.lines(4, 5), document.lines(2, 2)), ("two\r\n", ""));
    }

    #[test]
    fn empty_text_has_no_lines() {
        let document = parse("a.md", "");
        assert_eq!((document.line_count(), document.body_line), (0, 1));
        assert_eq!(parse("a.md", "\n").line_count(), 1);
        assert_eq!(parse("a.md", "\u{feff}").source, "");
    }

    #[test]
    fn body_may_start_past_the_last_line() {
        let document = parse("a.md", "---\ntitle: x\n---");
        assert_eq!((document.line_count(), document.body_line), (3, 4));
        assert!(document.headings.is_empty() && document.blocks.is_empty());
    }

    #[test]
    fn tags_of_front_matter_and_text_are_merged() {
        let document = parse("a.md", "---\ntags: [Work, b]\n---\nA #work and #Area/Topic.\n");
        assert_eq!(document.tags, ["area/topic", "b", "work"]);
    }

    #[test]
    fn dates_come_most_certain_first() {
        let document = parse("logs/2023-05-08 x.md", "---\nupdated: 2024-01-02\n---\n# On 8 May 2022\n");
        let sources: Vec<_> = document.dates.iter().map(|date| (date.source, date.line)).collect();
        let expected = [(NoteDateSource::FrontMatter, 2), (NoteDateSource::FileName, 0), (NoteDateSource::Heading, 4)];
        assert_eq!(sources, expected);
    }

    #[test]
    fn links_of_properties_come_first() {
        let document = parse("a.md", "---\nup: \"[[Parent|p]]\"\n---\n[[Child#x]]\n");
        let links: Vec<_> = document.links.iter().map(|link| (link.target.as_str(), link.kind, link.line)).collect();
        assert_eq!(links, [("Parent", LinkKind::Wiki, 2), ("Child", LinkKind::Wiki, 4)]);
    }

    #[test]
    fn a_title_of_a_megabyte_is_cut() {
        let document = parse("a.md", &format!("# {}", "ä".repeat(1 << 20)));
        assert!(document.title.len() <= MAX_TITLE_BYTES + 3 && document.title.ends_with('…'));
    }

    #[test]
    fn hostile_text_can_be_parsed() {
        let nested = |unit: &str| unit.repeat(20_000);
        for source in [
            nested("["),
            nested("[["),
            nested("]]"),
            nested("![["),
            nested("> "),
            nested("- "),
            nested("1. "),
            nested("> - "),
            nested("*a _"),
            nested("`` `"),
            nested("<a "),
            nested("<!--"),
            nested("[a]("),
            nested("#a/"),
            nested("|a"),
            nested("\t"),
            nested("```\n"),
            nested("- a\n\n"),
            format!("{}{}", "- ".repeat(10_000), "\n".repeat(20_000)),
            format!("---\n{}\n---\n", nested("[")),
            format!("---\na: {}\n---\n", nested("{")),
            format!("---\n{}---\n", nested("- ")),
        ] {
            let document = parse("a.md", &source);
            assert_eq!(document.source, source);
        }
    }

    fn markdown_like() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("\n"),
            Just("\n\n"),
            Just("\r\n"),
            Just("\r"),
            Just("# "),
            Just("## "),
            Just("---\n"),
            Just("===\n"),
            Just("- "),
            Just("  "),
            Just("    "),
            Just("\t"),
            Just("1. "),
            Just("> "),
            Just("```\n"),
            Just("~~~"),
            Just("|"),
            Just("|-|-|\n"),
            Just("[["),
            Just("]]"),
            Just("![["),
            Just("["),
            Just("]"),
            Just("]("),
            Just(")"),
            Just("]: "),
            Just("<"),
            Just(">"),
            Just("<!--"),
            Just("-->"),
            Just("<div>\n"),
            Just("`"),
            Just("#tag"),
            Just("#"),
            Just("*"),
            Just("_"),
            Just("\\"),
            Just("$"),
            Just("&amp;"),
            Just("[^1]"),
            Just("tags: a, b\n"),
            Just("date: 2023-05-08\n"),
            Just("title: "),
            Just("tars: private\n"),
            Just("- [ ] "),
            Just("2023-05-08"),
            Just("8 May 2023"),
            Just("日本語"),
            Just("é"),
            Just("👩‍👧"),
            Just("\u{0}"),
            Just("a"),
            Just(" "),
            Just(": "),
            Just("{{date}}"),
            Just("&a"),
            Just("*a"),
            Just("\u{feff}"),
            Just("\u{2028}"),
        ];
        (any::<bool>(), proptest::collection::vec(piece, 0..40)).prop_map(|(front, pieces)| {
            let text = pieces.concat();
            if front { format!("---\n{text}") } else { text }
        })
    }

    fn check(source: &str) -> Result<(), TestCaseError> {
        let document = parse("dir/2023-05-08.md", source);
        let last = document.line_count();
        prop_assert_eq!(&document.source, source.strip_prefix('\u{feff}').unwrap_or(source));
        prop_assert!(document.body_line >= 1 && document.body_line <= last + 1);
        for block in &document.blocks {
            prop_assert!(document.body_line <= block.start_line, "{block:?}");
            prop_assert!(block.start_line <= block.end_line && block.end_line <= last, "{block:?}");
        }
        prop_assert!(document.blocks.is_sorted_by_key(|block| block.start_line));
        prop_assert!(document.headings.is_sorted_by_key(|heading| heading.line));
        prop_assert!(document.headings.iter().all(|h| h.line >= document.body_line && h.line <= last));
        prop_assert!(document.links.iter().all(|link| link.line >= 1 && link.line <= last && !link.target.is_empty()));
        prop_assert!(document.dates.iter().all(|date| date.line <= last));
        prop_assert!(document.dates.is_sorted_by_key(|date| date.source));
        prop_assert!(document.tags.is_sorted() && document.tags.iter().all(|tag| !tag.is_empty()));
        if document.body_line > 1 {
            let fence = document.line(document.body_line - 1).unwrap_or_default().trim_end();
            prop_assert!(fence == "---" || fence == "...");
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn any_text_becomes_a_consistent_document(source in any::<String>()) {
            check(&source)?;
        }

        #[test]
        fn any_markdown_becomes_a_consistent_document(source in markdown_like()) {
            check(&source)?;
        }
    }
}
