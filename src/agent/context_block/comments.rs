//! Removes HTML comments.

use tars_text::markdown::list_item;

/// Removes HTML comments, also in parts of lines and over several lines. A line that becomes blank is removed. A
/// comment without an end is kept, because a typo must not hide the rest of a file. A comment that opens after other
/// words does not reach beyond their paragraph: the author is writing about comments.
pub(super) fn without_comments<'a>(lines: impl IntoIterator<Item = (usize, &'a str)>) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    // The index of the open comment in `out`, and the original lines since then.
    let mut open: Option<(usize, Vec<(usize, String)>)> = None;
    let mut is_mention = false;
    for (number, line) in lines {
        if is_mention
            && starts_block(line)
            && let Some((at, since)) = open.take()
        {
            out.truncate(at);
            out.extend(since);
        }
        let mut rest = line;
        let mut kept = String::new();
        let mut touched = open.is_some();
        if let Some((_, since)) = &mut open {
            since.push((number, line.to_owned()));
        }
        loop {
            if open.is_some() {
                let Some(end) = rest.find("-->") else { break };
                rest = &rest[end + 3..];
                open = None;
            }
            let Some(start) = rest.find("<!--") else {
                kept.push_str(rest);
                break;
            };
            kept.push_str(&rest[..start]);
            is_mention = !kept.trim().is_empty();
            open = Some((out.len(), vec![(number, line.to_owned())]));
            rest = &rest[start + 4..];
            touched = true;
        }
        if !touched || !kept.trim().is_empty() {
            out.push((number, kept));
        }
    }
    if let Some((at, since)) = open {
        out.truncate(at);
        out.extend(since);
    }
    out
}

/// Whether a line cannot continue the paragraph above it.
fn starts_block(line: &str) -> bool {
    let text = line.trim_start();
    text.is_empty() || text.starts_with('#') || text.starts_with('>') || list_item(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(text: &str) -> String {
        let lines = without_comments(text.split('\n').enumerate());
        lines.into_iter().map(|(number, line)| format!("{number}{line}")).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn comments_are_removed_with_the_lines_they_fill() {
        assert_eq!(strip("a\n<!-- x -->\nb <!-- y --> c<!--z-->"), "0a|2b  c");
        assert_eq!(strip("a <!-- x\ny\nz --> b\n"), "0a |2 b|3");
        assert_eq!(strip("\n  <!-- x --> <!-- y -->  "), "0");
    }

    #[test]
    fn a_mentioned_comment_ends_with_its_paragraph() {
        let text = "- a comment opens with <!--\n- the boiler is serviced in May\n- an arrow --> leads on";
        assert_eq!(
            strip(text),
            "0- a comment opens with <!--|1- the boiler is serviced in May|2- an arrow --> leads on"
        );
        assert_eq!(strip("<!--\n- hidden\n\n-->\nb"), "4b");
    }

    #[test]
    fn an_unclosed_comment_hides_nothing() {
        assert_eq!(strip("a\nb <!-- x\nc"), "0a|1b <!-- x|2c");
        assert_eq!(strip("<!-- a --> b <!-- c\nd"), "0<!-- a --> b <!-- c|1d");
    }
}
