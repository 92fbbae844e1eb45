//! Cuts a hit to the lines that answer, for a budget that has no room for whole passages of all hits.

use std::ops::RangeInclusive;

use tars_base::domain::Hit;
use tars_text::sentences::{MAX_SENTENCE, sentences};
use tars_text::units::units;

/// Lines of more bytes together are cut to the one that answers, and a longer line to its sentences from the answering one on.
const MOST_BYTES: usize = 600;

/// Returns the lines that answer: the list item, the sentence or the table row with the answering line. Where that line is a heading, the
/// first text below it is included.
pub fn answer_lines(hit: &Hit) -> RangeInclusive<usize> {
    let lines: Vec<&str> = hit.content.split('\n').collect();
    let all = units(&lines, hit.start_line);
    let below = || all.iter().find(|unit| *unit.lines.start() > hit.line);
    let found = match all.iter().find(|unit| unit.lines.contains(&hit.line)) {
        Some(unit) => unit.lines.clone(),
        None => hit.line..=below().map_or(hit.line, |unit| *unit.lines.end()),
    };
    if of_lines(hit, found.clone()).content.len() <= MOST_BYTES { found } else { hit.line..=hit.line }
}

/// Returns a hit cut to [`answer_lines`]. Its `line` stays. A hit without text there stays whole.
pub fn answer_only(hit: &Hit) -> Hit {
    let cut = of_lines(hit, answer_lines(hit));
    if cut.content.trim().is_empty() {
        return hit.clone();
    }
    if cut.content.len() <= MOST_BYTES {
        return cut;
    }
    let line = hit.from_answer().split('\n').next().unwrap_or_default();
    let mut end = 0;
    for sentence in sentences(line, MAX_SENTENCE) {
        if end > 0 && sentence.end > MOST_BYTES {
            break;
        }
        end = sentence.end;
    }
    from_sentence(hit, line[..end].trim_end().len())
}

/// Returns a hit cut to these lines of the file.
fn of_lines(hit: &Hit, lines: RangeInclusive<usize>) -> Hit {
    let (first, last) = (*lines.start(), *lines.end());
    let content = hit.content.split('\n').skip(first.saturating_sub(hit.start_line)).take(last + 1 - first);
    Hit {
        start_line: first,
        start_column: if first == hit.start_line { hit.start_column } else { 0 },
        end_line: last,
        end_column: hit.end_column.filter(|_| last == hit.end_line),
        content: content.collect::<Vec<_>>().join("\n"),
        ..hit.clone()
    }
}

/// Returns a hit cut to so many bytes of its answering line, from the answering sentence on.
pub(super) fn from_sentence(hit: &Hit, bytes: usize) -> Hit {
    let line = hit.from_answer().split('\n').next().unwrap_or_default();
    let kept = &line[..bytes];
    let end_column = match kept.len() == line.len() {
        true => hit.end_column.filter(|_| hit.line == hit.end_line),
        false => Some(hit.column + kept.chars().count()),
    };
    Hit {
        start_line: hit.line,
        start_column: hit.column,
        end_line: hit.line,
        end_column,
        content: kept.to_owned(),
        ..hit.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_base::domain::{ChunkId, MemoryType};

    /// A hit on text that begins in line 5, with its answering line.
    fn hit(line: usize, content: &str) -> Hit {
        Hit {
            id: ChunkId::from_stored("a".repeat(ChunkId::LENGTH)),
            path: "a.md".into(),
            title: String::new(),
            heading: String::new(),
            collection: "vault".into(),
            memory_type: MemoryType::Note,
            start_line: 5,
            start_column: 0,
            end_line: 4 + content.split('\n').count(),
            end_column: None,
            line,
            column: 0,
            date: None,
            score: 0.5,
            content: content.into(),
            matched_by: Vec::new(),
            reranked: None,
            superseded: None,
            request: None,
            explanation: None,
            preview: None,
        }
    }

    fn shown(line: usize, content: &str) -> (usize, usize, String) {
        let cut = answer_only(&hit(line, content));
        (cut.start_line, cut.end_line, cut.content)
    }

    #[test]
    fn the_answer_is_the_item_the_sentence_or_the_row() {
        let text =
            "# Boat\n\nIt is blue.\nIts hull\nis green.\n\n- keel: oak\n  since May\n- mast\n\n| a | b |\n| c | d |";
        assert_eq!(shown(7, text), (7, 7, "It is blue.".into()));
        assert_eq!(shown(9, text), (8, 9, "Its hull\nis green.".into()));
        assert_eq!(shown(11, text), (11, 12, "- keel: oak\n  since May".into()));
        assert_eq!(shown(16, text), (16, 16, "| c | d |".into()));
        assert_eq!(shown(5, text), (5, 7, "# Boat\n\nIt is blue.".into()), "a heading says nothing without its text");
        assert_eq!(shown(5, "# Boat"), (5, 5, "# Boat".into()));
        assert_eq!(shown(5, ""), (5, 5, String::new()));
    }

    #[test]
    fn a_long_line_is_cut_to_its_sentences_from_the_answering_one_on() {
        let sentence = format!("The keel {}is of oak. ", "that was laid in the spring ".repeat(8));
        let line = sentence.repeat(6);
        let before = sentence.chars().count();
        let cut = answer_only(&Hit { column: before, ..hit(6, &format!("# Boat\n{line}")) });
        assert_eq!((cut.start_line, cut.start_column, cut.end_line), (6, before, 6));
        assert_eq!(cut.content, sentence.repeat(2).trim_end());
        assert_eq!(cut.end_column, Some(before + cut.content.chars().count()));
        assert_eq!(cut.from_answer(), cut.content);
    }

    proptest::proptest! {
        #[test]
        fn an_answer_is_a_part_of_its_hit(content in "([-#|`a-z. é]{0,20}\n){0,8}[a-z]{1,9}", at in 0usize..9) {
            let lines = content.split('\n').count();
            let whole = hit(5 + at.min(lines - 1), &content);
            let cut = answer_only(&whole);
            proptest::prop_assert!(whole.content.contains(&cut.content));
            proptest::prop_assert!(cut.start_line <= cut.line && cut.line <= cut.end_line && cut.end_line <= whole.end_line);
            if cut.start_column == 0 && cut.end_column.is_none() {
                proptest::prop_assert_eq!(cut.end_line + 1 - cut.start_line, cut.content.split('\n').count());
            }
        }
    }
}
