//! Cleans and shortens foreign text for use in notes.

mod markdown;

use crate::markdown::{CodeFence, list_item};
use crate::redact::redact;

pub use markdown::cleaned_markdown;

/// Maximum length of a cleaned line, in characters.
pub const MAX_LINE_CHARS: usize = 300;

/// HTML tags that load, run or hide something even without an attribute.
const TAGS: [&str; 14] = [
    "a", "audio", "details", "embed", "form", "iframe", "img", "input", "link", "object", "script", "style", "svg",
    "video",
];

/// Cleans foreign text of several paragraphs for use below a heading of a note: at most `max_lines` lines, headings as bold
/// lines, without enclosing tags, code blocks, links and images, which a model may have made up.
pub fn cleaned_text(text: &str, max_lines: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut fence = CodeFence::default();
    for line in text.lines() {
        let trimmed = line.trim();
        if fence.holds(line) || (trimmed.starts_with('<') && trimmed.ends_with('>')) {
            continue;
        }
        let heading = trimmed.trim_start_matches('#').trim();
        let indent = if list_item(trimmed).is_some() { &line[..line.len() - line.trim_start().len()] } else { "" };
        let indent = "  ".repeat(indent.replace('\t', "  ").len().min(8) / 2);
        let said = match heading.len() < trimmed.len() && !heading.is_empty() {
            true => format!("**{}**", cleaned_line(heading).trim_matches('*')),
            false => format!("{indent}{}", cleaned_line(trimmed)),
        };
        let is_blank = said.trim().is_empty();
        if !(is_blank && lines.last().is_none_or(|last| last.is_empty())) {
            lines.push(if is_blank { String::new() } else { said });
        }
        if lines.len() >= max_lines {
            break;
        }
    }
    while lines.pop_if(|last| last.is_empty()).is_some() {}
    lines
}

/// Returns foreign text as one line of plain words, cleaned like a bullet and without links, images and HTML tags,
/// which a model may have made up. Empty if nothing is left.
pub fn cleaned_line(text: &str) -> String {
    truncated(&inert_line(text), MAX_LINE_CHARS)
}

/// Cleans an agent's sentence for use in a note: like [`cleaned_line`], but of any length, and with the text between
/// backticks unchanged, such as the path `app/[[...slug]]/page.tsx`.
pub fn cleaned_sentence(text: &str) -> String {
    let words = plain(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let parts: Vec<&str> = words.split('`').collect();
    // An unpaired backtick is a plain character.
    if parts.len().is_multiple_of(2) || words.contains("``") {
        return inert_line(&words);
    }
    let part = |(index, part): (usize, &&str)| if index % 2 == 0 { inert_part(part) } else { (*part).to_owned() };
    parts.iter().enumerate().map(part).collect::<Vec<_>>().join("`")
}

/// Shortens a text to at most `max_chars` characters: it is cut at a blank and ends in an ellipsis.
pub fn truncated(text: &str, max_chars: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(max_chars) else { return text.to_owned() };
    let room = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    let cut = &text[..room];
    // Without a blank in the second half the text is cut within a word.
    let cut = cut.rfind(' ').filter(|at| at * 2 > room).map_or(cut, |at| &cut[..at]);
    // Avoids a mark before the ellipsis: "… erlaubt sind 45.…".
    format!("{}…", cut.trim_end_matches([' ', '.', ',', ';', ':']))
}

/// Returns a part of a line like [`inert_line`], but keeps the blanks at its ends.
fn inert_part(part: &str) -> String {
    let (begin, end) = (part.len() - part.trim_start().len(), part.trim_end().len());
    if begin > end {
        return part.to_owned();
    }
    format!("{}{}{}", &part[..begin], inert_line(&part[begin..end]), &part[end..])
}

fn inert_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut line = words.join(" ");
    loop {
        // A removal may leave behind something else to remove: `<[!](x)--`.
        let next = without_tags(&without_links(&plain(&line)));
        if next == line {
            return line;
        }
        line = next;
    }
}

/// Breaks up every tag of a line that would load or run something.
fn without_tags(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for (position, piece) in line.split('<').enumerate() {
        if position > 0 {
            out.push('<');
            let name: String = piece
                .trim_start_matches('/')
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_lowercase())
                .collect();
            let inside = piece.split('>').next().unwrap_or_default();
            // `Vec<String>` is no HTML tag, and neither is a bracket before a blank.
            let is_tag = piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
            if is_tag && (inside.contains('=') || TAGS.contains(&name.as_str())) {
                out.push(' ');
            }
        }
        out.push_str(piece);
    }
    out
}

/// Replaces the links and images of a line, `[text](target)` and `[[target]]`, with their words.
fn without_links(line: &str) -> String {
    let mut out = line.replace("![", "[").replace("[[", "").replace("]]", "");
    while let Some(at) = out.find("](") {
        let start = out[..at].rfind('[').unwrap_or(at);
        let end = out[at..].find(')').map_or(out.len(), |end| at + end + 1);
        let words = out[start..at].trim_start_matches('[').to_owned();
        out.replace_range(start..end, &words);
    }
    out
}

/// Reduces a line to plain text: no control characters, secrets or comments.
fn plain(line: &str) -> String {
    let seen: String = line
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| !c.is_control() && !('\u{202a}'..='\u{202e}').contains(c) && !('\u{2066}'..='\u{2069}').contains(c))
        .collect();
    let mut text = redact(&seen).text.replace("<!--", "<! --").replace("-->", "-- >");
    // `%%` opens a comment in Obsidian.
    while text.contains("%%") {
        text = text.replace("%%", "% %");
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_line_is_reduced_to_plain_words() {
        for (said, kept) in [
            ("see [the docs](https://x.example/a) and ![pixel](https://x.example/p.png)", "see the docs and pixel"),
            ("as [[Other note|alias]] says,\nin two lines", "as Other note|alias says, in two lines"),
            (
                "<img src=https://x.example/p.png> and <SCRIPT>x</SCRIPT>",
                "< img src=https://x.example/p.png> and < SCRIPT>x< /SCRIPT>",
            ),
            ("returns Vec<String> <!-- tars:session a -->", "returns Vec<String> <! -- tars:session a -- >"),
            ("\u{1b}[31m%%", "[31m% %"),
            ("<[!](x)-- a]\u{1b}(b) <\u{1b}img src=c> [[[x](y)]](z)", "<! -- a < img src=c> x(z)"),
            (" \n ", ""),
        ] {
            assert_eq!(cleaned_line(said), kept);
        }
        assert!(cleaned_line(&"word ".repeat(500)).chars().count() <= MAX_LINE_CHARS);
    }

    #[test]
    fn a_sentence_keeps_its_code_and_loses_active_content() {
        for (said, kept) in [
            ("Moved `app/[[...slug]]/page.tsx` beside `a<b>`.", "Moved `app/[[...slug]]/page.tsx` beside `a<b>`."),
            (
                "The cause was ![x](https://x.example/p.png), see [[Private note]].",
                "The cause was x, see Private note.",
            ),
            ("It is <img src=https://x.example/p.png> \u{202e}now", "It is < img src=https://x.example/p.png> now"),
            ("one ` mark, [a](b)", "one ` mark, a"),
            ("``[a](b)` c`", "``a` c`"),
        ] {
            assert_eq!(cleaned_sentence(said), kept);
        }
        let summary = "# ![x](https://x.example/p.png?h=1)\n\nhello <img src=x> there\n<!]]-- from here on\n%]]%";
        assert_eq!(cleaned_text(summary, 9), ["**x**", "", "hello < img src=x> there", "<! -- from here on", "% %"]);
    }

    #[test]
    fn secrets_in_a_line_are_redacted() {
        assert_eq!(cleaned_line("see <private>key</private>"), "see [redacted:private]");
        assert!(cleaned_line(&"word ".repeat(500)).ends_with('…'));
    }

    #[test]
    fn shortening_cuts_at_a_blank() {
        assert_eq!(truncated("one two three", 13), "one two three");
        assert_eq!(truncated("one two three", 10), "one two…");
        assert_eq!(truncated("one, two. three", 12), "one, two…");
        assert_eq!(truncated("ééééééé", 3), "éé…");
    }

    proptest::proptest! {
        #[test]
        fn a_shortened_text_keeps_its_limit(text in "([-#*.?!`|> \n]|a|é|。|1){0,40}", max_chars in 1..20usize) {
            proptest::prop_assert!(truncated(&text, max_chars).chars().count() <= max_chars);
        }

        #[test]
        fn any_text_is_made_inert(text in "([-*#<>!`%\n\u{1b}1. ]|<!--|-->|<img |\\]\\(|\\[\\[|a|é){0,40}") {
            let sentence = cleaned_sentence(&text);
            proptest::prop_assert!(!["<!--", "-->", "%%", "\n"].iter().any(|mark| sentence.contains(mark)), "{}", sentence);
            for line in cleaned_text(&text, 99).into_iter().chain([cleaned_line(&text), cleaned_sentence(&text.replace('`', ""))]) {
            proptest::prop_assert!(!["<!--", "-->", "%%", "\n", "<img ", "](", "[["].iter().any(|mark| line.contains(mark)), "{}", line);
            proptest::prop_assert!(!line.chars().any(char::is_control));
            }
        }
    }
}
