//! Decodes HTML entities, as a reader sees them: `K&ouml;nigsberger`, `&nbsp;`, `&#8211;`.

use std::ops::Range;

use pulldown_cmark::{Event, Parser};

/// Longest entity, in bytes, with its ampersand and semicolon. The longest in HTML is `&CounterClockwiseContourIntegral;`.
const MAX_BYTES: usize = 33;

/// Returns the entities of `text` outside inline code, each with its characters, in order. In code an entity is text.
pub(crate) fn entities(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    if !text.contains('&') {
        return found;
    }
    let mut in_code = false;
    let mut free = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => in_code = false,
            b'`' => in_code = !in_code,
            b'&' if !in_code && at >= free => {
                if let Some((end, characters)) = entity_at(text, at) {
                    free = end;
                    found.push((at..end, characters));
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the end of the entity at `at`, and its characters.
fn entity_at(text: &str, at: usize) -> Option<(usize, String)> {
    let reach = &text.as_bytes()[at + 1..text.len().min(at + MAX_BYTES)];
    let length = reach.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'#')?;
    if length < 2 || reach[length] != b';' {
        return None;
    }
    let end = at + length + 2;
    let entity = &text[at..end];
    let characters = match entity {
        "&amp;" => "&".to_owned(),
        "&lt;" => "<".to_owned(),
        "&gt;" => ">".to_owned(),
        "&quot;" => "\"".to_owned(),
        "&nbsp;" => "\u{a0}".to_owned(),
        // The markdown parser knows all names of HTML. It gives an unknown one back.
        _ => Parser::new(entity)
            .filter_map(|event| if let Event::Text(text) = event { Some(text) } else { None })
            .fold(String::new(), |mut all, text| {
                all.push_str(&text);
                all
            }),
    };
    // A tab or a line end as an entity is white space to the parser.
    let characters = if characters.is_empty() || characters == "\n" { " ".to_owned() } else { characters };
    (characters != entity && characters.len() <= entity.len()).then_some((end, characters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_read_as_a_reader_sees_them() {
        let said = |text: &str| {
            let mut out = text.to_owned();
            for (place, characters) in entities(text).into_iter().rev() {
                out.replace_range(place, &characters);
            }
            out
        };
        assert_eq!(said("K&ouml;nigsberger &amp; S&#246;hne&nbsp;&#x2013; 5&lt;6"), "Königsberger & Söhne\u{a0}– 5<6");
        assert_eq!(said("soft&shy;ware &zwnj;"), "soft\u{ad}ware \u{200c}");
        for text in ["R&D; &unknown; & x; &#; &;", "`&nbsp;` and AT&T", "?a=1&copy=2", "&ouml no end"] {
            assert_eq!(said(text), text);
        }
        assert_eq!(said("a&#32;b"), "a b");
        assert_eq!(said("&#0; and &#99999999;"), "\u{fffd} and &#99999999;", "too many digits");
    }
}
