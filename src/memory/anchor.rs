//! The comment under a session's heading in the log of a day, by which tars finds what it has written.
//!
//! ```text
//! <!-- tars:session 5e55b0a2 turns=ff6e7c,a9007d by=extractive project=1a2b3c4d digest=9f3a21c4 transcript=/… -->
//! ```
//!
//! Fields are parted by one blank. Ids are short: the first eight digits of the session's and the first six of a turn's, as
//! clients give them, or of their hash where the client's are no hexadecimal digits, or where a turn's begin with a time; an id of
//! at most eight characters stays as it is. `by` says who wrote the lines, `prompt` which version of a prompt a model was given, and `instead-of` which model
//! failed. `digest` is that of the lines below as tars left them. In a path, blanks, `%`, `"`, `<`, `>` and control characters
//! are written as `%XX`.

use super::fact_line::is_fact_line;
use super::remember::plain;
use crate::domain::{ContentHash, hex};

/// Longest id as a client gives it, in characters.
const LONGEST_ID: usize = 128;
/// Digits of a session's and of a turn's short id.
const SESSION_DIGITS: usize = 8;
const TURN_DIGITS: usize = 6;

const OPENING: &str = "<!-- tars:session ";
const CLOSING: &str = " -->";

/// What the comment says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The session's short id.
    pub session: String,
    /// Short ids of the turns that are noted.
    pub turns: Vec<String>,
    /// Who wrote the lines.
    pub by: String,
    /// The version of the prompt that a model was given.
    pub prompt: Option<String>,
    /// The model that should have written them and failed.
    pub instead_of: Option<String>,
    /// The project's key.
    pub project: Option<String>,
    /// Digest of the lines as they were left.
    pub digest: Option<String>,
    /// Path of the transcript.
    pub transcript: Option<String>,
}

impl Anchor {
    /// Reads a line; `None` if it is no such comment.
    pub fn parse(line: &str) -> Option<Self> {
        let inside = line.trim().strip_prefix(OPENING)?.strip_suffix(CLOSING.trim_start())?;
        let mut words = inside.split_whitespace();
        let mut anchor = Self { session: words.next()?.to_owned(), ..Self::default() };
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            let value = value.to_owned();
            match name {
                "turns" => anchor.turns = value.split(',').map(str::to_owned).collect(),
                "by" => anchor.by = value,
                "prompt" => anchor.prompt = Some(value),
                "instead-of" => anchor.instead_of = Some(value),
                "project" => anchor.project = Some(value),
                "digest" => anchor.digest = Some(value),
                "transcript" => anchor.transcript = Some(decoded_path(&value)),
                _ => {}
            }
        }
        Some(anchor)
    }

    /// Returns the comment.
    pub fn line(&self) -> String {
        let mut line = format!("{OPENING}{}", self.session);
        let turns = (!self.turns.is_empty()).then(|| self.turns.join(","));
        let fields = [
            ("turns", turns),
            ("by", Some(clean_id(&self.by))),
            ("prompt", self.prompt.as_deref().map(clean_id)),
            ("instead-of", self.instead_of.as_deref().map(clean_id)),
            ("project", self.project.as_deref().map(clean_id)),
            ("digest", self.digest.clone()),
            ("transcript", self.transcript.as_deref().map(encoded_path)),
        ];
        for (name, value) in fields {
            line.extend(value.map(|value| format!(" {name}={value}")));
        }
        line + CLOSING
    }

    /// Whether it is that of the session with this id, as the client gives it.
    pub fn is_of(&self, session: &str) -> bool {
        // Older versions wrote the whole id.
        self.session == short_session(session) || self.session == clean_id(session)
    }
}

/// Returns the digest of lines, eight digits. Extracted facts do not count: a review changes their tags.
pub(super) fn digest_of(lines: &[String]) -> String {
    let text: Vec<&str> = lines.iter().filter(|line| !is_fact_line(line)).map(|line| line.trim_end()).collect();
    let hash = ContentHash::of_parts([text.join("\n").trim().as_bytes()]);
    hex(&hash.as_bytes()[..4])
}

/// Returns a session's short id.
pub fn short_session(id: &str) -> String {
    short(id, SESSION_DIGITS)
}

/// Returns a turn's short id.
pub fn short_turn(id: &str) -> String {
    short(id, TURN_DIGITS)
}

fn short(id: &str, digits: usize) -> String {
    let id = clean_id(id);
    if id.len() <= SESSION_DIGITS {
        return id.replace(',', "_");
    }
    match id.get(..digits).filter(|start| start.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        Some(start) if digits == SESSION_DIGITS || is_random(&id) => start.to_owned(),
        _ => hex(ContentHash::of_parts([id.as_bytes()]).as_bytes())[..digits].to_owned(),
    }
}

/// Returns an id that cannot end a comment or a field.
pub fn clean_id(id: &str) -> String {
    let id = plain(id).0;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:-".contains(c);
    let clean: String = id.chars().take(LONGEST_ID).map(|c| if is_plain(c) { c } else { '_' }).collect();
    if clean.is_empty() { "_".into() } else { clean }
}

/// Whether an id is a UUID whose first digits are random (version 4) or a hash (3 and 5). Those of other versions and numbers may be
/// times, whose first digits are the same for hours.
fn is_random(id: &str) -> bool {
    id.len() == 36 && matches!(id.as_bytes()[14], b'3' | b'4' | b'5')
}

/// A text as a word of a comment: blanks, marks that part words or end a comment, and control characters as `%XX`.
pub struct Encoded<'t>(pub &'t str);

impl Encoded<'_> {
    /// Returns the text that a word stands for.
    pub fn decoded(word: &str) -> String {
        decoded_path(word)
    }
}

impl std::fmt::Display for Encoded<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = encoded_path(self.0).replace(',', "%2C").replace('#', "%23");
        formatter.write_str(&word)
    }
}

fn encoded_path(path: &str) -> String {
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

/// Returns the path that the field `transcript` of a comment names, as `tars transcript` is given it.
pub fn decoded_path(encoded: &str) -> String {
    let bytes = encoded.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = (bytes[at] == b'%').then(|| encoded.get(at + 1..at + 3)).flatten();
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
            assert_eq!(decoded_path(&encoded_path(path)), path);
        }
    }

    #[test]
    fn a_comment_says_what_it_was_given() {
        let anchor = Anchor {
            session: "5e55b0a2".into(),
            turns: vec!["ff6e7c".into(), "a9007d".into()],
            by: "extractive".into(),
            project: Some("1a2b3c4d".into()),
            digest: Some("9f3a21c4".into()),
            transcript: Some("/home/a b/x.jsonl".into()),
            ..Anchor::default()
        };
        let line = anchor.line();
        assert_eq!(
            line,
            "<!-- tars:session 5e55b0a2 turns=ff6e7c,a9007d by=extractive project=1a2b3c4d digest=9f3a21c4 transcript=/home/a%20b/x.jsonl -->"
        );
        assert_eq!(Anchor::parse(&line), Some(anchor));
        assert_eq!(Anchor::parse("- 09:20 <!-- tars:turn session=a -->"), None);
        assert_eq!(Anchor::parse("<!-- tars:session a -->").unwrap().session, "a");
    }

    #[test]
    fn ids_are_short_and_stay_apart() {
        assert_eq!(short_session("e078bf60-d85e-4de8-a3d7-78eaff36a58a"), "e078bf60");
        assert_eq!(short_turn("91b97aa0-9b84-4a23-a108-12d634afd973"), "91b97a");
        assert_eq!((short_turn("p-1").as_str(), short_turn("7c0d").as_str()), ("p-1", "7c0d"));
        assert_ne!(short_turn("turn-number-0001"), short_turn("turn-number-0002"));
        assert_ne!(short_turn("1774344000000"), short_turn("1774344000001"));
        let at = |end| format!("019abeb3-5e55-7b0a-8c1d-00000000000{end}");
        assert_ne!(short_turn(&at(1)), short_turn(&at(2)));
        let old = Anchor::parse("<!-- tars:session e078bf60-d85e-4de8-a3d7-78eaff36a58a -->").unwrap();
        assert!(old.is_of("e078bf60-d85e-4de8-a3d7-78eaff36a58a") && !old.is_of("e078bf61"));
    }

    proptest::proptest! {
        #[test]
        fn no_field_ends_the_comment(text in "(-->|<!--|[ -~é\n]){0,30}") {
            let anchor = Anchor { session: short_session(&text), turns: vec![short_turn(&text)], by: text.clone(),
                instead_of: Some(text.clone()), transcript: Some(text), ..Anchor::default() };
            let line = anchor.line();
            proptest::prop_assert!(!line.contains('\n') && line.matches("-->").count() == 1, "{}", line);
            proptest::prop_assert!(Anchor::parse(&line).is_some());
        }
    }
}
