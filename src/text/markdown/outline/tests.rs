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
    let source =
        "See [the plan][p], [x].\n\n[p]: ../a%20b.md\n[x]: <../c d.md> 'Title'\n[unused]: ./e.md#part\n[^1]: a note\n";
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
    let source = "# A *b* `c` [d](e) #\n\nSet\next\n---\n\n### [[Note#x|shown]] and [[Other]] &amp; ![alt](i.png)\n";
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
    assert!(tags("`#a` [#b](c) [x](#d) [[#e]] [[f|#g]] <https://h#i> https://j/#k \\#l\n\n```\n#m\n```\n").is_empty());
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

#[test]
fn callouts_know_their_lines_and_their_kind() {
    let source = "> [!warning]- Mind the gap\n> wide\n>> [!tip]\n>> ladders\n>\n> more\n\n> plain\n\n```\n> [!bug]\n```\n\n>> [!faq] x\n";
    let found: Vec<_> =
        parse("a.md", source).callouts.into_iter().map(|one| (one.start_line, one.end_line, one.words)).collect();
    assert_eq!(
        found,
        [(1, 6, "warning: Mind the gap".into()), (3, 4, "tip".into()), (14, 14, "faq: x".into())],
        "a callout begins where its own quote does"
    );
}

#[test]
fn footnotes_know_who_cites_them() {
    let source = "one[^1] two[^B][^none] `[^1]`\n\n[^b]: Second,\n    with more\n\n[^1]: First[^b]\n\nend[^1]\n";
    let note = parse("a.md", source);
    let defined: Vec<_> = note.footnotes.iter().map(|one| (one.label.as_str(), one.start_line, one.end_line)).collect();
    assert_eq!(defined, [("b", 3, 4), ("1", 6, 6)]);
    assert_eq!(note.citations, [(1, 1), (1, 0), (6, 0), (8, 1)]);
}
