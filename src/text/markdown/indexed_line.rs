//! Cleans lines for the index, so that search and embedding only see text that a reader would see.

use std::borrow::Cow;

use super::callout::callout_line;
use super::inline_data::{self, run};
use super::rewriter::Rewriter;
use crate::languages::entities;

/// Longest address that is indexed, in bytes. Longer ones are opaque and only fill the model's window.
const MAX_ADDRESS_BYTES: usize = 200;

/// Returns `line` as it is searched and embedded.
///
/// It drops `<!-- tars:... -->` comments, data URIs, long runs of opaque data, block ids (` ^id` at the end), task boxes, and the
/// marker of a callout (keeping its kind before its title). HTML entities outside code are decoded. `[[target|text]]` becomes
/// `text (target)`, `[[target]]` becomes `target`.
/// Markdown links stay, but a link to an address of more than 200 bytes is reduced to its text, and a bare address of that
/// length to its beginning. The result depends on the line only, takes linear time, and borrows if nothing changes.
pub fn indexed_line(line: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(line);
    // Most lines hold none of these bytes and need no work.
    if line.len() < inline_data::MIN_BYTES && !line.bytes().any(|byte| matches!(byte, b'[' | b'^' | b'<' | b':' | b'&'))
    {
        return text;
    }
    if line.contains("<!--") {
        rewrite(&mut text, without_comments);
    }
    if line.contains('^') {
        rewrite(&mut text, without_block_id);
    }
    if line.contains('[') {
        rewrite(&mut text, without_line_marker);
        rewrite(&mut text, with_plain_links);
    }
    if line.contains(':') || line.len() > inline_data::MIN_BYTES {
        rewrite(&mut text, inline_data::without_uris);
        rewrite(&mut text, inline_data::without_runs);
    }
    if line.len() > MAX_ADDRESS_BYTES && line.contains("://") {
        rewrite(&mut text, with_short_addresses);
    }
    if line.contains('&') {
        // Last of all, so that no entity becomes markup.
        rewrite(&mut text, with_entities);
    }
    text
}

fn rewrite(text: &mut Cow<'_, str>, step: impl Fn(&str) -> Option<String>) {
    if let Some(changed) = step(text) {
        *text = Cow::Owned(changed);
    }
}

fn with_entities(line: &str) -> Option<String> {
    let mut rewriter = Rewriter::new(line);
    for (place, characters) in entities(line) {
        // A person's `&#10;` does not end a line.
        rewriter.skip(place.start, place.end).push_str(if characters.contains('\n') { " " } else { &characters });
    }
    rewriter.finish()
}

fn without_comments(line: &str) -> Option<String> {
    let mut rewriter = Rewriter::new(line);
    let mut at = 0;
    while let Some(start) = line[at..].find("<!--").map(|start| at + start) {
        // An unclosed comment means that no later comment is closed either.
        let Some(end) = line[start..].find("-->").map(|end| start + end + 3) else { break };
        at = end;
        if line[start + 4..].trim_start().starts_with("tars:") {
            let before = line[..start].trim_end_matches([' ', '\t']).len().max(rewriter.copied);
            // White space before a comment is dropped too, unless it indents or separates the text after it.
            let keeps_space = before == 0 || !line[end..].trim_end().is_empty();
            rewriter.skip(if keeps_space { start } else { before }, end);
        }
    }
    rewriter.finish()
}

fn without_block_id(line: &str) -> Option<String> {
    let kept = line.trim_end();
    let (before, id) = kept.rsplit_once('^')?;
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let stands_alone = before.is_empty() || before.ends_with([' ', '\t']);
    (is_id && stands_alone).then(|| before.trim_end().to_owned())
}

/// Drops a task box or the marker of a callout.
fn without_line_marker(line: &str) -> Option<String> {
    if let Some(callout) = callout_line(line) {
        return Some(format!("{}{}", callout.marks, callout.words()));
    }
    let content = line.trim_start_matches([' ', '\t', '>']);
    let digits = run(content, |byte| byte.is_ascii_digit());
    let marker =
        if digits == 0 { content.strip_prefix(['-', '*', '+']) } else { content[digits..].strip_prefix(['.', ')']) };
    let task = marker?.trim_start_matches([' ', '\t']).strip_prefix('[')?;
    let mut characters = task.chars();
    let (state, close) = (characters.next()?, characters.next()?);
    let text = characters.as_str();
    let is_box = state != ']' && close == ']' && (text.is_empty() || text.starts_with([' ', '\t']));
    let kept = &line[..line.len() - marker?.len()];
    is_box.then(|| format!("{kept}{text}"))
}

fn with_plain_links(line: &str) -> Option<String> {
    let mut rewriter = Rewriter::new(line);
    let mut at = 0;
    while let Some(next) = line[at..].find('[').map(|next| at + next) {
        let start = if line[..next].ends_with('!') && next > rewriter.copied { next - 1 } else { next };
        if let Some((inner, end)) = wikilink(line, next) {
            let embed = start < next;
            push_wikilink(rewriter.skip(start, end), inner, embed);
            at = end;
        } else if let Some((text_end, end)) = opaque_link(line, next) {
            let text = &line[next + 1..text_end];
            rewriter.skip(start, end).push_str(text);
            at = end;
        } else {
            at = next + 1;
        }
    }
    rewriter.finish()
}

/// Returns the text between the brackets of the wikilink at `start`, and the position after it.
fn wikilink(line: &str, start: usize) -> Option<(&str, usize)> {
    let inner = line[start..].strip_prefix("[[")?;
    let length = inner.find(['[', ']'])?;
    // Neither a shell's `[[ -f x ]]` nor a program's `[["a", "b"]]` is a link.
    let is_link = inner[length..].starts_with("]]") && !inner.starts_with([' ', '\t', '"', '\'', '`']) && length > 0;
    is_link.then(|| (&inner[..length], start + 2 + length + 2))
}

fn push_wikilink(output: &mut String, inner: &str, embed: bool) {
    let (target, text) = inner.split_once('|').map_or((inner, ""), |(target, text)| (target, text.trim()));
    // In a table, the bar is written as `\|`.
    let target = target.trim_end_matches('\\').trim();
    let target = target.split_once("#^").map_or(target, |(note, _)| note).replace('#', " ");
    let target = target.trim();
    let is_size = embed && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x');
    match (text.is_empty() || is_size || text == target, target.is_empty()) {
        (true, _) => output.push_str(target),
        (false, true) => output.push_str(text),
        (false, false) => output.extend([text, " (", target, ")"]),
    }
}

/// Returns the end of the text and of the whole markdown link at `start`, if its address is too long or holds data.
fn opaque_link(line: &str, start: usize) -> Option<(usize, usize)> {
    let text_end = start + 1 + line[start + 1..].find(['[', ']'])?;
    let address = line[text_end..].strip_prefix("](")?;
    let mut depth = 0usize;
    let length = address.bytes().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return true,
            b')' => depth -= 1,
            // Another link opens here: reading on would make a line of such openings quadratic.
            b'[' => return true,
            _ => return byte.is_ascii_whitespace(),
        }
        false
    })?;
    let close = length + address[length..].find([')', '['])?;
    let address_is_opaque = length > MAX_ADDRESS_BYTES || address[..length].contains(";base64,");
    let is_opaque = address[close..].starts_with(')') && address_is_opaque;
    is_opaque.then_some((text_end, text_end + 2 + close + 1))
}

fn with_short_addresses(line: &str) -> Option<String> {
    let mut rewriter = Rewriter::new(line);
    let mut at = 0;
    while let Some(colon) = line[at..].find("://").map(|colon| at + colon) {
        // An address is ASCII. In scripts without blanks, text may follow it directly.
        let ends = |c: char| !c.is_ascii_graphic() || matches!(c, '<' | '>' | '"' | '\'' | ')' | ']');
        let end = line[colon..].find(ends).map_or(line.len(), |length| colon + length);
        if end - colon > MAX_ADDRESS_BYTES {
            let longest = colon + MAX_ADDRESS_BYTES;
            let kept = line[colon..longest].find(['?', '#']).map_or(longest, |query| colon + query);
            rewriter.skip(kept, end);
        }
        at = end.max(colon + 3);
    }
    rewriter.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(cases: &[(&str, &str)]) {
        for (line, expected) in cases {
            assert_eq!(indexed_line(line), *expected, "{line}");
        }
    }

    #[test]
    fn plain_lines_are_borrowed() {
        for line in [
            "",
            "text",
            "- [a](b.md): c",
            "key: value",
            "x < y",
            "a ^ b",
            "[ref]: https://a.b",
            "- [] x",
            "map[Symbol.iterator]()",
            "x = [['a', 1]]",
        ] {
            assert!(matches!(indexed_line(line), Cow::Borrowed(same) if same == line), "{line}");
        }
    }

    #[test]
    fn anchors_are_dropped() {
        check(&[
            ("- fact <!-- tars:id 7 -->", "- fact"),
            ("<!-- tars:begin -->", ""),
            ("a <!-- tars:x --> b <!--tars:y-->", "a  b"),
            ("  <!-- tars:x -->b", "  b"),
            ("a <!-- other --> b", "a <!-- other --> b"),
            ("a <!-- tars:x", "a <!-- tars:x"),
        ]);
    }

    #[test]
    fn data_is_dropped() {
        check(&[
            ("![chart](data:image/png;base64,iVBORw0KGgo=) x", "chart x"),
            ("![](data:image/png;base64,AA==)", ""),
            ("<img src=\"data:image/png;base64,AA/+==\">", "<img src=\"\">"),
            ("[i]: <DATA:image/png;charset=x;base64,AAAA>", "[i]: <>"),
            ("data: base64, x", "data: base64, x"),
            ("日data:a;base64,AAAA", "日"),
        ]);
    }

    #[test]
    fn entities_are_decoded_outside_code() {
        check(&[
            ("K&ouml;nigsberger&nbsp;Allee &amp; R&amp;D", "Königsberger\u{a0}Allee & R&D"),
            ("a `&nbsp;` b", "a `&nbsp;` b"),
            ("&#91;&#91;Note]]", "[[Note]]"),
            ("a&#10;b", "a b"),
            ("a & b; c&d", "a & b; c&d"),
        ]);
    }

    #[test]
    fn block_ids_are_dropped() {
        check(&[("text ^abc-1 ", "text"), ("^abc", ""), ("x^2", "x^2"), ("a ^b c", "a ^b c"), ("[^1]", "[^1]")]);
    }

    #[test]
    fn callouts_keep_their_kind_and_title() {
        check(&[
            ("> [!note]- Title", "> note: Title"),
            ("> [!WARNING]", "> WARNING"),
            (">> [!tip|wide]+ [[A]]", ">> tip: A"),
            ("[!note] no quote", "[!note] no quote"),
        ]);
    }

    #[test]
    fn task_boxes_are_dropped() {
        check(&[
            ("- [ ] x", "- x"),
            ("  * [x] y", "  * y"),
            ("> 1. [/] z", "> 1. z"),
            ("- [ ]", "-"),
            ("- [x](y)", "- [x](y)"),
            ("- [x]y", "- [x]y"),
            ("- [ ] [[A]]", "- A"),
        ]);
    }

    #[test]
    fn wikilinks_keep_text_and_target() {
        check(&[
            ("see [[Note]].", "see Note."),
            ("[[Note|it]]", "it (Note)"),
            ("[[Note#Part|Note Part]] [[Note#Part]]", "Note Part Note Part"),
            ("[[Note#^abc]] [[#Part]]", "Note Part"),
            ("![[embed.png]] ![[embed.png|300x200]]", "embed.png embed.png"),
            ("| [[A\\|b]] |", "| b (A) |"),
            ("if [[ -f x ]]; a[[[1]]] [[1,2],[3,4]]", "if [[ -f x ]]; a[1] [[1,2],[3,4]]"),
            ("[[]] [[a]", "[[]] [[a]"),
        ]);
    }

    #[test]
    fn opaque_addresses_are_cut() {
        let long = format!("https://a.b/c?q={}", "x".repeat(300));
        check(&[
            (&format!("[text]({long} \"title\") y"), "text y"),
            (&format!("![alt]({long})"), "alt"),
            (&format!("see {long} y"), "see https://a.b/c y"),
            ("[text](https://a.b/c(d)?q=1)", "[text](https://a.b/c(d)?q=1)"),
        ]);
        let opaque = format!("见https://a.b/{}后{}", "x".repeat(300), "文".repeat(300));
        let cut = indexed_line(&opaque);
        assert!(cut.len() < opaque.len() && cut.contains(&format!("x后{}", "文".repeat(300))));
    }

    #[test]
    fn a_line_of_a_megabyte_can_be_cleaned() {
        for unit in ["[[", "[[a", "[a](", "](", "data:", "data:a;base64,", "<!--", "<!-- tars:", "://", "![", "(", "^"]
        {
            let line = unit.repeat((1 << 20) / unit.len());
            assert!(indexed_line(&line).len() <= line.len());
        }
    }

    proptest! {
        #[test]
        fn lines_never_grow(
            line in "(\\[\\[|\\]\\]|!\\[|\\]\\(|\\)|\\||#|- \\[ \\] |> \\[!|<!-- tars:|-->|data:a;base64,|\\^a|://|.){0,24}",
        ) {
            let once = indexed_line(&line).into_owned();
            prop_assert!(once.len() <= line.len());
            prop_assert!(!once.contains('\n') || line.contains('\n'));
        }

        #[test]
        fn any_line_can_be_cleaned(line in any::<String>()) {
            prop_assert!(indexed_line(&line).len() <= line.len());
        }
    }
}
