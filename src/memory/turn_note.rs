//! What an agent did in a turn, as bullets in the log of the day.
//!
//! The file of a day, `YYYY-MM-DD.md`, holds one section a session:
//!
//! ```text
//! ## Session 09:20 · pump
//! <!-- tars:session 5e55… -->
//! - 09:20 Asked: why does the pump stop at night? <!-- tars:turn session=5e55… turn=p-1 transcript=/… by=extractive -->
//! - 09:20 Answer: the timer overflowed at midnight.
//! ```
//!
//! The heading carries the time of the session's first turn of that day. The comment below it is how the section is found
//! again; where a person has removed it, any turn of the session is. Sections of sessions that run at the same time stand
//! below each other, and each grows at its own end.
//!
//! The first bullet of a turn ends with its anchor, fields parted by one blank: `session` and `turn` (letters, digits and
//! `._:-`, everything else `_`), `transcript` (a path; blanks, `%`, `"`, `<`, `>` and control characters as `%XX`; left
//! out if there is none), `by` (who made the bullets) and, where a model failed, `instead-of` (its name). A turn whose
//! `session` and `turn` stand in the file of its day is not written again.

use jiff::civil::DateTime;

use super::MemoryError;
use super::bullet::headings;
use super::file::{after_text, beginning, daily_file};
use super::remember::plain;
use super::review::EXTRACTED;
use crate::vault::{Lines, Splice, Writer};

/// Longest id in an anchor, in characters.
const LONGEST_ID: usize = 128;

/// What is noted of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnNote {
    /// The session's id.
    pub session: String,
    /// The turn's id.
    pub turn: String,
    /// The project's name.
    pub project: String,
    /// When the person asked, local time. It decides about the day.
    pub time: DateTime,
    /// The file that holds the whole turn.
    pub transcript: Option<String>,
    /// What is noted, without markers.
    pub bullets: Vec<String>,
    /// Who made the bullets.
    pub by: String,
    /// Who should have made them, but failed.
    pub instead_of: Option<String>,
}

/// Writes a turn into the log of its day. Returns `false` if it stands there already, or says nothing.
///
/// # Errors
/// See [`crate::vault::WriteError`].
pub fn note_turn(writer: &mut Writer<'_>, note: &TurnNote) -> Result<bool, MemoryError> {
    let bullets = note.lines();
    if bullets.is_empty() {
        return Ok(false);
    }
    let file = daily_file(note.time.date());
    Ok(writer.edit(&file, |lines| note.splice(lines, &bullets).into_iter().collect())?)
}

impl TurnNote {
    fn splice(&self, lines: &Lines<'_>, bullets: &[String]) -> Option<Splice> {
        let texts = lines.all();
        if texts.iter().any(|line| line.contains(&format!("<!-- {}", self.mark()))) {
            return None;
        }
        let session = clean_id(&self.session);
        let (anchor, turn) = (format!("<!-- tars:session {session} -->"), format!("<!-- tars:turn session={session} "));
        // Sections of the second level: a person may have put headings of their own into one.
        let starts: Vec<usize> =
            headings(lines).into_iter().map(|(line, _)| line).filter(|line| is_section(&texts[*line])).collect();
        let sections = starts
            .iter()
            .enumerate()
            .map(|(index, start)| (*start, starts.get(index + 1).copied().unwrap_or(texts.len())));
        let own = sections
            .filter(|(start, _)| texts[*start].starts_with("## "))
            .find(|(start, end)| texts[*start..*end].iter().any(|line| line.contains(&anchor) || line.contains(&turn)));
        if let Some((start, end)) = own {
            return Some(Splice { at: after_text(&texts, start + 1, end), remove: 0, insert: bullets.to_vec() });
        }
        let mut insert = beginning(&texts, &self.time.date().to_string());
        insert.push(format!("## Session {} · {}", self.time.strftime("%H:%M"), one_line(&self.project)));
        insert.push(anchor);
        insert.extend_from_slice(bullets);
        Some(Splice { at: after_text(&texts, 0, texts.len()), remove: 0, insert })
    }

    fn lines(&self) -> Vec<String> {
        let time = self.time.strftime("%H:%M");
        let said = self.bullets.iter().map(|bullet| one_line(bullet)).filter(|bullet| !bullet.is_empty());
        let mut lines: Vec<String> = said.map(|bullet| format!("- {time} {bullet}")).collect();
        if let Some(first) = lines.first_mut() {
            first.push(' ');
            first.push_str(&self.anchor());
        }
        lines
    }

    /// How the turn is known again.
    fn mark(&self) -> String {
        format!("tars:turn session={} turn={} ", clean_id(&self.session), clean_id(&self.turn))
    }

    fn anchor(&self) -> String {
        let mut anchor = format!("<!-- {}", self.mark());
        if let Some(path) = self.transcript.as_deref().filter(|path| !path.is_empty()) {
            anchor.push_str(&format!("transcript={} ", clean_path(path)));
        }
        anchor.push_str(&format!("by={} ", clean_id(&self.by)));
        if let Some(failed) = &self.instead_of {
            anchor.push_str(&format!("instead-of={} ", clean_id(failed)));
        }
        anchor + "-->"
    }
}

/// Whether a heading ends the section before it.
fn is_section(line: &str) -> bool {
    line.starts_with("# ") || line.starts_with("## ")
}

/// Returns a text as it may stand in a bullet or a heading: in one line, without secrets, and opening no comment.
pub(super) fn one_line(text: &str) -> String {
    let words = plain(text).0.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut words = words.replace("<!--", "<! --").replace("-->", "-- >").replace(EXTRACTED, "(extracted)");
    while words.contains("%%") {
        words = words.replace("%%", "% %");
    }
    words
}

/// Returns an id that cannot end a comment or a field.
pub fn clean_id(id: &str) -> String {
    let id = plain(id).0;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:-".contains(c);
    let clean: String = id.chars().take(LONGEST_ID).map(|c| if is_plain(c) { c } else { '_' }).collect();
    if clean.is_empty() { "_".into() } else { clean }
}

fn clean_path(path: &str) -> String {
    let mut out = String::new();
    for character in plain(path).0.chars() {
        match character {
            c if c.is_whitespace() || c.is_control() || "%\"<>".contains(c) => {
                let mut bytes = [0; 4];
                c.encode_utf8(&mut bytes).bytes().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns the path that an anchor's `transcript` names.
pub fn transcript_path(anchored: &str) -> String {
    let bytes = anchored.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = (bytes[at] == b'%').then(|| anchored.get(at + 1..at + 3)).flatten();
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_were_written() {
        for path in ["/home/a b/x.jsonl", "/größe/%41 \u{3000}\"<>", "%", "/-a--b/%zz"] {
            assert_eq!(transcript_path(&clean_path(path)), path);
        }
    }

    fn note(session: &str, turn: &str, time: &str) -> TurnNote {
        TurnNote {
            session: session.into(),
            turn: turn.into(),
            project: "pump".into(),
            time: format!("2026-03-15T{time}").parse().unwrap(),
            transcript: Some("/home/a b/x.jsonl".into()),
            bullets: vec![format!("Asked: {turn}"), "Answer: yes".into()],
            by: "extractive".into(),
            instead_of: None,
        }
    }

    fn put(text: &str, note: &TurnNote) -> String {
        let lines = Lines::of(text.as_bytes());
        let splices: Vec<Splice> = note.splice(&lines, &note.lines()).into_iter().collect();
        String::from_utf8(lines.spliced(&splices)).unwrap()
    }

    #[test]
    fn sessions_that_run_at_once_have_sections_of_their_own() {
        let mut text = "# 2026-03-15\n\n- 09:00 a person's line\n".to_owned();
        for (session, turn, time) in
            [("a", "1", "09:20:00"), ("b", "1", "09:25:00"), ("a", "2", "09:30:00"), ("b", "1", "09:31:00")]
        {
            text = put(&text, &note(session, turn, time));
        }
        assert_eq!(
            text,
            "# 2026-03-15\n\n- 09:00 a person's line\n\n\
             ## Session 09:20 · pump\n<!-- tars:session a -->\n\
             - 09:20 Asked: 1 <!-- tars:turn session=a turn=1 transcript=/home/a%20b/x.jsonl by=extractive -->\n\
             - 09:20 Answer: yes\n\
             - 09:30 Asked: 2 <!-- tars:turn session=a turn=2 transcript=/home/a%20b/x.jsonl by=extractive -->\n\
             - 09:30 Answer: yes\n\n\
             ## Session 09:25 · pump\n<!-- tars:session b -->\n\
             - 09:25 Asked: 1 <!-- tars:turn session=b turn=1 transcript=/home/a%20b/x.jsonl by=extractive -->\n\
             - 09:25 Answer: yes\n"
        );
    }

    #[test]
    fn an_id_that_begins_like_another_is_another() {
        let text = put("", &note("a", "12", "09:20:00"));
        assert!(
            text.starts_with("# 2026-03-15\n\n## Session 09:20 · pump\n<!-- tars:session a -->\n- 09:20 Asked: 12 ")
        );
        assert_ne!(put(&text, &note("a", "1", "09:21:00")), text);
        assert_eq!(put(&text, &note("aa", "12", "09:21:00")).matches("## Session").count(), 2);
    }

    #[test]
    fn a_section_is_found_by_its_turns_too_and_keeps_what_a_person_wrote_in_it() {
        let text = put("", &note("a", "1", "09:20:00"))
            .replace("<!-- tars:session a -->\n", "")
            .replace("## Session 09:20 · pump", "## The pump\n\n### Mine\ntext");
        let after = put(&format!("{text}\n# Else\n"), &note("a", "2", "09:30:00"));
        assert!(after.contains("- 09:20 Answer: yes\n- 09:30 Asked: 2 "), "{after}");
        assert!(after.ends_with("- 09:30 Answer: yes\n\n# Else\n"), "{after}");
    }

    #[test]
    fn nothing_hostile_leaves_its_place() {
        let hostile = "--> <!-- x\n# h \u{1b} %%";
        let text = put(
            "",
            &TurnNote {
                session: hostile.into(),
                turn: hostile.into(),
                project: hostile.into(),
                transcript: Some(hostile.into()),
                bullets: vec![hostile.into(), " \n".into()],
                by: hostile.into(),
                instead_of: Some(hostile.into()),
                ..note("a", "1", "09:20:00")
            },
        );
        assert_eq!(text.lines().count(), 5, "{text}");
        assert_eq!((text.matches("<!--").count(), text.matches("-->").count()), (2, 2), "{text}");
        assert!(!text.contains('\u{1b}') && text.ends_with("-->\n"), "{text}");
    }

    #[test]
    fn sessions_that_write_at_the_same_moment_lose_nothing() {
        use crate::vault::{MemoryFolder, Origin};
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("vault")).unwrap();
        let folder = MemoryFolder::new(&home.path().join("vault"), "tars").unwrap();
        let write = &|session: &str, turn: usize| {
            let origin = Origin { command: "test".into(), session: None };
            let mut writer = Writer::open(&folder, home.path(), origin, crate::clock::Clock::default()).unwrap();
            note_turn(&mut writer, &note(session, &turn.to_string(), "09:20:00")).unwrap()
        };
        std::thread::scope(|scope| {
            for session in ["a", "b", "c", "a", "b", "c"] {
                scope.spawn(move || (0..10).filter(|turn| write(session, *turn)).count());
            }
        });
        let text = std::fs::read_to_string(folder.path().join("2026-03-15.md")).unwrap();
        assert_eq!(text.matches("## Session").count(), 3);
        for session in ["a", "b", "c"] {
            let section =
                text.split("## Session").find(|part| part.contains(&format!("tars:session {session} "))).unwrap();
            assert_eq!(section.matches(&format!("tars:turn session={session} ")).count(), 10, "{text}");
            assert_eq!(section.matches("tars:turn").count(), 10, "{text}");
        }
        assert!(!write("a", 3));
    }

    #[test]
    fn secrets_are_taken_out() {
        let bullets = vec!["see <private>a\nb</private>".into()];
        let text = put("", &TurnNote { bullets, ..note("a", "1", "09:20:00") });
        assert!(text.contains("- 09:20 see [redacted:private] <!--"), "{text}");
    }
}
