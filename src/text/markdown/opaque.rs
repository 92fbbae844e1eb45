//! Finds the parts of a text that are no markdown: formulas, comments and folded blocks. Hides the marks of headings and tags in all of
//! them, and blanks comments out of what people see.

use std::borrow::Cow;
use std::ops::Range;

use super::CodeFence;

/// Longest such part, in bytes. A mark without its counterpart hides nothing.
const MAX_BYTES: usize = 64 << 10;

/// The marks around an opaque part: the opening one, the closing one, and where the opening one may stand.
type Marks = (&'static str, &'static str, Place);

/// Where a mark may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the start of a line, unless the part ends on the same line.
    LineStart,
    /// Anywhere.
    Anywhere,
}

/// The marks of Obsidian's comments and of HTML's.
const COMMENTS: [Marks; 2] = [("%%", "%%", Place::LineStart), ("<!--", "-->", Place::Anywhere)];
/// The marks of all opaque parts.
const MARKS: [Marks; 5] = [
    ("$$", "$$", Place::LineStart),
    ("\\[", "\\]", Place::LineStart),
    COMMENTS[0],
    COMMENTS[1],
    ("<details", "</details>", Place::LineStart),
];

/// Returns `body` with the marks of headings and tags in such parts replaced by a letter. Byte positions stay the same.
pub(super) fn without_marks(body: Cow<'_, str>) -> Cow<'_, str> {
    let hidden = opaque_parts(&body, &MARKS);
    changed(body, &hidden, hide)
}

/// Returns `text` with blanks instead of its comments: `%% … %%` and `<!-- … -->`, outside of code. Lines and byte positions stay the same.
pub fn without_comments(text: &str) -> Cow<'_, str> {
    let blank = |part: &mut [u8]| part.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    changed(Cow::Borrowed(text), &opaque_parts(text, &COMMENTS), blank)
}

/// Returns `body` with `change` made to the bytes of `parts`. A part is changed whole, or in ASCII only.
fn changed<'t>(body: Cow<'t, str>, parts: &[Range<usize>], change: impl Fn(&mut [u8])) -> Cow<'t, str> {
    if parts.is_empty() {
        return body;
    }
    let mut bytes = body.into_owned().into_bytes();
    for part in parts {
        change(&mut bytes[part.clone()]);
    }
    Cow::Owned(String::from_utf8(bytes).unwrap_or_default())
}

/// Returns the parts between these marks, in order.
fn opaque_parts(body: &str, marks: &[Marks]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut fence = CodeFence::default();
    let mut at = 0;
    while at < body.len() {
        let length = body[at..].find('\n').map_or(body.len() - at, |end| end + 1);
        let line = &body[at..at + length];
        if fence.holds(line) {
            at += length;
            continue;
        }
        match opaque_part(body, at, line, marks) {
            Some(part) => {
                at = part.end;
                parts.push(part);
            }
            None => at += length,
        }
    }
    parts
}

/// Returns the first opaque part that begins in the line at `start`.
fn opaque_part(body: &str, start: usize, line: &str, marks: &[Marks]) -> Option<Range<usize>> {
    let part = |(open, close, place): &Marks| {
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
    marks.iter().filter_map(part).min_by_key(|part| part.start)
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
    use super::without_comments;
    use crate::markdown::parse;

    #[test]
    fn comments_are_blanked_and_lines_stay() {
        let text = "%% é a\n# b %%\nseen <!-- c --> too\n`%%` d `%%`\n```\n%% code %%\n```\n%% open";
        let shown = without_comments(text);
        let lines: Vec<&str> = shown.split('\n').map(str::trim_end).collect();
        let expected = ["", "", "seen            too", "`%%` d `%%`", "```", "%% code %%", "```", "%% open"];
        assert_eq!((lines, shown.len()), (expected.to_vec(), text.len()));
        assert!(matches!(without_comments("plain"), std::borrow::Cow::Borrowed(_)));
    }

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
