//! HTML comments out of lines.

/// Leaves out HTML comments, of whole lines and of parts, over several lines too. A line of which nothing but blanks
/// remains goes with its comment. One that is never closed stays: a slip of the pen must not silence the rest of a file.
pub(super) fn without_comments<'a>(lines: impl IntoIterator<Item = (usize, &'a str)>) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    // Where the open comment began in `out`, and the lines since then as they stood.
    let mut open: Option<(usize, Vec<(usize, String)>)> = None;
    for (number, line) in lines {
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
    fn an_open_comment_hides_nothing() {
        assert_eq!(strip("a\nb <!-- x\nc"), "0a|1b <!-- x|2c");
        assert_eq!(strip("<!-- a --> b <!-- c\nd"), "0<!-- a --> b <!-- c|1d");
    }
}
