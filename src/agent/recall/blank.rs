//! Removes the text of forgotten lines from records.

use super::Record;
use tars_text::markdown::list_item;

/// Returns a record of the same length without the text of forgotten lines, or `None` if it holds none of them.
pub(super) fn blanked(line: &[u8], is_forgotten: &dyn Fn(&str) -> bool) -> Option<Vec<u8>> {
    let Ok(Record::Shown(mut shown)) = serde_json::from_slice(line) else { return None };
    let lines = shown.pieces.iter_mut().flat_map(|piece| &mut piece.lines);
    let mut any = false;
    for shown in lines.filter(|shown| is_forgotten(&shown.text)) {
        shown.text.clear();
        any = true;
    }
    let mut bytes = serde_json::to_vec(&Record::Shown(shown)).ok().filter(|bytes| any && bytes.len() <= line.len())?;
    // Trailing blanks are valid JSON.
    bytes.resize(line.len(), b' ');
    Some(bytes)
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
            let blanked = blanked(line.as_bytes(), &is_forgotten);
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
