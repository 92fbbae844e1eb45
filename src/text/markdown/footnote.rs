//! The text of a footnote, as it is searched and embedded with the sentence that cites it.

use super::indexed_line;
use tars_base::domain::{Document, Footnote};

/// Longest text, in bytes: about 150 tokens. A longer definition stays whole where it stands.
const MAX_BYTES: usize = 600;

/// Returns the footnotes that the lines `first..=last` cite in `text`, which is theirs or a part of it, and that stand elsewhere: the citing
/// line and the footnote's text without its mark, cut to 600 bytes.
pub fn footnotes_of(document: &Document, (first, last): (usize, usize), text: &str) -> Vec<(usize, String)> {
    if !text.contains("[^") {
        return Vec::new();
    }
    let cited = document.cited(first, last).into_iter();
    let cited = cited.filter(|(_, note)| text.contains(&format!("[^{}]", note.label)));
    cited.map(|(line, note)| (line, words(document, note))).filter(|(_, words)| !words.is_empty()).collect()
}

fn words(document: &Document, footnote: &Footnote) -> String {
    let text = document.lines(footnote.start_line, footnote.end_line);
    let text = &text[..text.floor_char_boundary(4 * MAX_BYTES)];
    let text = text.split_once("]:").map_or(text, |(_, text)| text);
    let lines = text.split('\n').map(|line| indexed_line(line.trim()).into_owned());
    let mut words = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    words.truncate(words.floor_char_boundary(MAX_BYTES));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::parse;

    #[test]
    fn a_cited_footnote_is_given_without_its_mark() {
        let source = "Built in 1932.[^a]\n\nElsewhere.[^b]\n\n[^a]: See [[Harbour]],\n    page 12. ^id\n\n[^b]:\n";
        let note = parse("a.md", source);
        let given = |lines, text| footnotes_of(&note, lines, text);
        assert_eq!(given((1, 3), source), [(1, "See Harbour,\npage 12.".to_owned())], "an empty one says nothing");
        assert!(given((1, 6), source).is_empty(), "it stands there already");
        assert!(given((1, 1), "Built in 1932").is_empty(), "another piece of the line cites it");
        let long = parse("a.md", &format!("x[^1]\n\ny\n\n[^1]: {}\n", "é".repeat(900)));
        assert_eq!(footnotes_of(&long, (1, 1), "x[^1]")[0].1.len(), MAX_BYTES);
    }
}
