//! HTML comments out of lines.

use crate::markdown::list_item;

/// Leaves out HTML comments, of whole lines and of parts, over several lines too. A line of which nothing but blanks
/// remains goes with its comment. One that is never closed stays: a slip of the pen must not silence the rest of a file. Nor
/// does one that opens behind other words reach beyond their paragraph: it is spoken of rather than meant.
pub(super) fn without_comments<'a>(lines: impl IntoIterator<Item = (usize, &'a str)>) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    // Where the open comment began in `out`, and the lines since then as they stood.
    let mut open: Option<(usize, Vec<(usize, String)>)> = None;
    let mut spoken = false;
    for (number, line) in lines {
        if spoken
            && begins_anew(line)
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
            spoken = !kept.trim().is_empty();
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

/// Whether a line cannot go on with the paragraph above it.
fn begins_anew(line: &str) -> bool {
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
    fn comments_go_with_the_lines_that_they_fill() {
        assert_eq!(strip("a\n<!-- x -->\nb <!-- y --> c<!--z-->"), "0a|2b  c");
        assert_eq!(strip("a <!-- x\ny\nz --> b\n"), "0a |2 b|3");
        assert_eq!(strip("\n  <!-- x --> <!-- y -->  "), "0");
    }

    #[test]
    fn a_comment_that_is_spoken_of_ends_with_its_paragraph() {
        let text = "- a comment opens with <!--\n- the boiler is serviced in May\n- an arrow --> leads on";
        assert_eq!(
            strip(text),
            "0- a comment opens with <!--|1- the boiler is serviced in May|2- an arrow --> leads on"
        );
        assert_eq!(strip("<!--\n- hidden\n\n-->\nb"), "4b");
    }

    #[test]
    fn an_open_comment_hides_nothing() {
        assert_eq!(strip("a\nb <!-- x\nc"), "0a|1b <!-- x|2c");
        assert_eq!(strip("<!-- a --> b <!-- c\nd"), "0<!-- a --> b <!-- c|1d");
    }
}
