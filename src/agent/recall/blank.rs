//! Removes the text of forgotten lines from records.

use super::{Record, ShownPiece};
use tars_text::markdown::list_item;

/// Effect of an edit on a record.
pub(super) enum Edited {
    No,
    Yes,
    /// Nothing of it may stay.
    Gone,
}

/// Returns an edited record of the same length, or `None` if the edit changes nothing.
pub(super) fn edited(line: &[u8], edit: &dyn Fn(&mut Record) -> Edited) -> Option<Vec<u8>> {
    let mut record = serde_json::from_slice(line).ok()?;
    let mut bytes = match edit(&mut record) {
        Edited::No => return None,
        Edited::Yes => serde_json::to_vec(&record).ok().filter(|bytes| bytes.len() <= line.len())?,
        Edited::Gone => Vec::new(),
    };
    // Trailing blanks are valid JSON, and a line of blanks is no record.
    bytes.resize(line.len(), b' ');
    Some(bytes)
}

/// Removes the text of the lines, and of the heading, for which `is_forgotten` holds from a record.
pub(super) fn blank_lines(record: &mut Record, is_forgotten: &dyn Fn(&ShownPiece, &str) -> bool) -> Edited {
    let Record::Shown(shown) = record else { return Edited::No };
    let mut any = false;
    for piece in &mut shown.pieces {
        let mut lines = std::mem::take(&mut piece.lines);
        for line in lines.iter_mut().filter(|line| is_forgotten(piece, &line.text)) {
            line.text.clear();
            any = true;
        }
        piece.lines = lines;
        if !piece.heading.is_empty() && is_forgotten(piece, &piece.heading) {
            piece.heading.clear();
            any = true;
        }
    }
    if any { Edited::Yes } else { Edited::No }
}

/// Removes everything about a note from a record.
pub(super) fn drop_note(record: &mut Record, is_meant: &dyn Fn(&str, &str) -> bool) -> Edited {
    match record {
        Record::Used(used) if is_meant(&used.collection, &used.path) => Edited::Gone,
        Record::Used(_) => Edited::No,
        Record::Shown(shown) => {
            let before = shown.pieces.len();
            shown.pieces.retain(|piece| !is_meant(&piece.collection, &piece.path));
            if shown.pieces.len() < before { Edited::Yes } else { Edited::No }
        }
    }
}

/// Whether a ledger line `kept`, which may be truncated, is the beginning of `text`, ignoring its list marker.
pub fn is_prefix_of_line(kept: &str, text: &str) -> bool {
    let kept = list_item(kept).unwrap_or(kept).trim();
    match kept.strip_suffix('…') {
        Some(beginning) => !beginning.is_empty() && text.starts_with(beginning),
        None => !kept.is_empty() && kept == text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let line = format!(r#"{{"number":1,"key":"k","text":"{text}"}}"#);
        let piece = format!(
            r#"{{"collection":"vault","path":"a.md","start_line":1,"end_line":1,"memory_type":"note","score":null,"lines":[{line}]}}"#
        );
        format!(
            r#"{{"kind":"shown","at":"2026-11-01T01:00:00Z","session":"a","event":"prompt","question":"","pieces":[{piece}]}}"#
        )
    }

    #[test]
    fn forgotten_text_is_removed_and_the_record_keeps_its_length() {
        let long = format!("the gate opens with {}", "x".repeat(300));
        let is_forgotten =
            |kept: &str| ["the safe opens with 17", &long].iter().any(|text| is_prefix_of_line(kept, text));
        for (kept, goes) in [
            ("- the safe opens with 17", true),
            ("- the door is green", false),
            (&*format!("- {}…", &long[..100]), true),
        ] {
            let line = shown(kept);
            let edit = |record: &mut Record| blank_lines(record, &|_, kept| is_forgotten(kept));
            let blanked = edited(line.as_bytes(), &edit);
            assert_eq!(blanked.is_some(), goes, "{kept}");
            if let Some(blanked) = blanked {
                assert_eq!(blanked.len(), line.len());
                let text = String::from_utf8(blanked).unwrap();
                assert!(!text.contains("opens") && serde_json::from_str::<Record>(text.trim_end()).is_ok(), "{text}");
            }
        }
        assert!(!is_prefix_of_line("…", "anything") && !is_prefix_of_line("", ""));
    }
}
