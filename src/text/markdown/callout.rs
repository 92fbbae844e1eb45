//! The first line of a callout: a quote that names its kind (`> [!warning]- Mind the gap`), in the dialect of Obsidian.

/// The parts of the first line of a callout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalloutLine<'l> {
    /// The blanks and marks of quotes before it.
    pub marks: &'l str,
    /// Its kind, as it is written.
    pub kind: &'l str,
    /// Its title; empty if it has none.
    pub title: &'l str,
}

impl CalloutLine<'_> {
    /// Returns the words that head the callout: its kind and its title.
    pub fn words(&self) -> String {
        if self.title.is_empty() { self.kind.to_owned() } else { format!("{}: {}", self.kind, self.title) }
    }
}

/// Reads the first line of a callout; `None` for any other line. Takes linear time.
pub fn callout_line(line: &str) -> Option<CalloutLine<'_>> {
    let content = line.trim_start_matches([' ', '\t', '>']);
    let marks = &line[..line.len() - content.len()];
    let (kind, title) = content.strip_prefix("[!").filter(|_| marks.contains('>'))?.split_once(']')?;
    let kind = kind.split('|').next().unwrap_or_default().trim();
    let title = title.strip_prefix(['-', '+']).unwrap_or(title).trim();
    let is_kind = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    (!kind.is_empty() && kind.chars().all(is_kind)).then_some(CalloutLine { marks, kind, title })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callout_has_a_kind_and_perhaps_a_title() {
        for (line, expected) in [
            ("> [!note]- Mind the gap ", Some("> note: Mind the gap")),
            (">> [!tip|wide]+", Some(">> tip")),
            (">[!faq] ", Some(">faq")),
            ("[!note] no quote", None),
            ("> [!]", None),
            ("> [!note", None),
            ("> [!a*b] x", None),
            ("> plain", None),
        ] {
            let read = callout_line(line).map(|callout| format!("{}{}", callout.marks, callout.words()));
            assert_eq!(read.as_deref(), expected, "{line}");
        }
    }
}
