//! What tars itself has noted, read back line by line from the log of a day or of a session.

use super::anchor::Anchor;
use super::bullet::headings;
use super::session_log::front_matter_field;
use crate::digest::OutcomeKind;
use crate::vault::Lines;

/// A line of a log that says something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedLine {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The comment of its section; `None` for a line outside the sections of sessions, which a person wrote.
    pub anchor: Option<Anchor>,
    /// What kind of outcome it is, in a section of a session; `None` for other lines.
    pub kind: Option<OutcomeKind>,
    /// Whether it is ticked: an open end that was closed.
    pub is_ticked: bool,
    /// What it says, without marker, time and label.
    pub text: String,
}

/// Returns the lines of a log that say something; headings and comments do not. A session's log is one section.
pub fn noted_lines(file: &[u8]) -> Vec<NotedLine> {
    let lines = Lines::of(file);
    let texts = lines.all();
    let whole = front_matter_field(&texts.join("\n"), "session");
    let mut anchor = whole.map(|session| Anchor { session, ..Anchor::default() });
    let ends: Vec<usize> = headings(&lines)
        .into_iter()
        .map(|(line, _)| line)
        .filter(|line| texts[*line].starts_with("# ") || texts[*line].starts_with("## "))
        .collect();
    let is_log = anchor.is_some();
    let body = if texts.first().is_some_and(|line| line.trim_end() == "---") {
        texts.iter().skip(1).position(|line| line.trim_end() == "---").map_or(0, |end| end + 2)
    } else {
        0
    };
    let mut found = Vec::new();
    for (index, line) in texts.iter().enumerate().skip(body) {
        if ends.contains(&index) && !is_log {
            anchor = None;
        }
        if let Some(begun) = Anchor::parse(line) {
            anchor = Some(begun);
        }
        let trimmed = line.trim();
        if trimmed.starts_with("<!--") || trimmed.starts_with('#') || !trimmed.chars().any(char::is_alphanumeric) {
            continue;
        }
        let (is_ticked, said) = without_marker(trimmed);
        let outcome = OutcomeKind::of_line(said).filter(|_| anchor.is_some());
        found.push(NotedLine {
            number: index + 1,
            anchor: anchor.clone(),
            kind: outcome.map(|(kind, _)| kind),
            is_ticked,
            text: outcome.map_or(said, |(_, text)| text).to_owned(),
        });
    }
    found
}

/// Returns whether a line is ticked, and what it says behind its marker and time.
fn without_marker(line: &str) -> (bool, &str) {
    let said = line.strip_prefix("- ").unwrap_or(line);
    let (is_ticked, said) =
        match ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| Some((mark, said.strip_prefix(mark)?))) {
            Some((mark, said)) => (!mark.starts_with("[ ]"), said),
            None => (false, said),
        };
    let is_time = |time: &str| {
        time.len() == 5 && time.bytes().enumerate().all(|(at, b)| if at == 2 { b == b':' } else { b.is_ascii_digit() })
    };
    match said.split_once(' ') {
        Some((time, rest)) if is_time(time) => (is_ticked, rest),
        _ => (is_ticked, said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_days_lines_are_told_apart() {
        let day = "# 2026-03-15\n\n- 08:00 [garden] Moved the panel\n\n## Session 09:20 · pump\n\
                   <!-- tars:session 5e55b0a2 turns=ff6e7c by=extractive project=1a2b3c4d -->\n\
                   - 09:20 Found: the timer — why?\n- [x] 09:20 Open: restart it\n- a person's own: line\n\n## Mine\n- Found: keys\n";
        let lines = noted_lines(day.as_bytes());
        let told: Vec<_> =
            lines.iter().map(|line| (line.number, line.kind, line.is_ticked, line.text.as_str())).collect();
        assert_eq!(
            told,
            [
                (3, None, false, "[garden] Moved the panel"),
                (7, Some(OutcomeKind::Found), false, "the timer — why?"),
                (8, Some(OutcomeKind::Open), true, "restart it"),
                (9, None, false, "a person's own: line"),
                (12, None, false, "Found: keys"),
            ]
        );
        let projects: Vec<_> =
            lines.iter().map(|line| line.anchor.as_ref().and_then(|anchor| anchor.project.clone())).collect();
        assert_eq!(projects[0], None);
        assert_eq!((projects[1].as_deref(), projects[4].as_deref()), (Some("1a2b3c4d"), None));
    }

    #[test]
    fn a_sessions_log_is_one_section() {
        let log = "---\nsession: \"5e55\"\n---\n\n# Topic\n\n## Outcomes\n\n- 09:20 Decided: minutes\n\n## Files\n\n- `a.rs`\n";
        let lines = noted_lines(log.as_bytes());
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.anchor.as_ref().unwrap().is_of("5e55")));
        assert_eq!((lines[0].number, lines[0].kind, lines[1].kind), (9, Some(OutcomeKind::Decided), None));
    }
}
