//! Hides the marks of headings and tags in parts of a text that are no markdown: formulas, comments and folded blocks.

use std::borrow::Cow;

use super::CodeFence;

/// Longest such part, in bytes. A mark without its counterpart hides nothing.
const MAX_BYTES: usize = 64 << 10;

/// Where a mark may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the start of a line, unless the part ends on the same line.
    LineStart,
    /// Anywhere.
    Anywhere,
}

/// The marks around such parts: the opening one, the closing one, and where the opening one may stand.
const MARKS: [(&str, &str, Place); 5] = [
    ("$$", "$$", Place::LineStart),
    ("\\[", "\\]", Place::LineStart),
    ("%%", "%%", Place::LineStart),
    ("<!--", "-->", Place::Anywhere),
    ("<details", "</details>", Place::LineStart),
];

/// Returns `body` with the marks of headings and tags in such parts replaced by a letter. Byte positions stay the same.
pub(super) fn without_marks(body: Cow<'_, str>) -> Cow<'_, str> {
    let mut hidden = Vec::new();
    let mut fence = CodeFence::default();
    let mut at = 0;
    while at < body.len() {
        let length = body[at..].find('\n').map_or(body.len() - at, |end| end + 1);
        let line = &body[at..at + length];
        if fence.holds(line) {
            at += length;
            continue;
        }
        match opaque_part(&body, at, line) {
            Some(part) => {
                at = part.end;
                hidden.push(part);
            }
            None => at += length,
        }
    }
    if hidden.is_empty() {
        return body;
    }
    let mut bytes = body.into_owned().into_bytes();
    for part in hidden {
        hide(&mut bytes[part]);
    }
    // Only ASCII was replaced by ASCII.
    Cow::Owned(String::from_utf8(bytes).unwrap_or_default())
}

/// Returns the first opaque part that begins in the line at `start`.
fn opaque_part(body: &str, start: usize, line: &str) -> Option<std::ops::Range<usize>> {
    let part = |(open, close, place): &(&str, &str, Place)| {
        let (before, inside) = line.split_once(open)?;
        // In code the marks are characters.
        if before.matches('`').count() % 2 == 1 {
            return None;
        }
        let ends_here = inside.contains(close);
        if *place == Place::LineStart && !ends_here && !before.chars().all(|c| c.is_whitespace() || c == '>') {
            return None;
        }
        let from = start + before.len();
        let begin = from + open.len();
        let limit = body.floor_char_boundary((begin + MAX_BYTES).min(body.len()));
        let end = begin + body[begin..limit].find(close)? + close.len();
        Some(from..end)
    };
    MARKS.iter().filter_map(part).min_by_key(|part| part.start)
}

/// Replaces what could be the mark of a heading or a tag.
fn hide(part: &mut [u8]) {
    for line in part.split_mut(|byte| *byte == b'\n') {
        let is_underline = line.iter().all(|byte| matches!(byte, b'=' | b'-' | b' ' | b'\t' | b'\r'));
        for byte in line.iter_mut() {
            if *byte == b'#' || (is_underline && matches!(byte, b'=' | b'-')) {
                *byte = b'x';
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::markdown::parse;

    #[test]
    fn formulas_and_comments_give_no_titles_headings_or_tags() {
        for part in [
            "$$\n\\eta\n=\n# 3\n$$",
            "\\[\na\n-\n# b #tag\n\\]",
            "%%\n# hidden\n#tag\n%%",
            "%% #tag %%",
            "<!--\n# x\n\n# y\n#tag\n-->",
            "<details>\n<summary>More</summary>\n\n# inside\n#tag\n</details>",
            "> $$\n> a\n> =\n> $$",
        ] {
            let document = parse("Note.md", &format!("# Chapter\n\n{part}\n\n## Proof\n\ntext #real\n"));
            let headings: Vec<&str> = document.headings.iter().map(|heading| heading.text.as_str()).collect();
            assert_eq!((headings, &document.tags[..]), (vec!["Chapter", "Proof"], &["real".to_owned()][..]), "{part}");
        }
    }

    #[test]
    fn marks_without_a_counterpart_hide_nothing() {
        for text in [
            "Price: $$\n\n# A\n\nPrice: $$\n",
            "%% never closed\n\n# A\n",
            "`%%`\n\n# A\n\n`%%`\n",
            "```\n$$\n```\n\n# A\n\n```\n$$\n```\n",
        ] {
            assert_eq!(parse("Note.md", text).title, "A", "{text}");
        }
    }
}
