//! The comment under a session's heading in the log of a day. Tars finds its own section by it.
//!
//! ```text
//! <!-- tars:session 5e55b0a2 ff6e7c,a9007d 1a2b3c4d 9f3a21 -->
//! ```
//!
//! A single space separates the fields: the session, its turns, the project's key, and the start of a hash over the lines below, as tars
//! left them. A dash stands for a missing field. Ids are shortened to the first eight digits of a session's id and the first six of a turn's id,
//! as clients give them. A session's id that is a UUID and begins with a time keeps eighteen characters, which end with random digits. The
//! id's hash is used instead where the client's id is not hexadecimal, or where a turn's id begins with a time.
//! An id of at most eight characters stays as it is. Named fields may follow: `by` names the author of the lines unless they are tars' own,
//! `prompt` the version of the model's prompt, and `instead-of` the model that failed.
//!
//! Older versions wrote `<!-- tars:session 5e55b0a2 turns=ff6e7c project=1a2b3c4d digest=9f3a21c4 -->`, and some of them the path of the
//! transcript, in which spaces, `%`, `"`, `<`, `>` and control characters are percent-encoded (`%XX`).

use super::fact_line::is_fact_line;
use super::remember::sanitize_note;
use tars_base::domain::{ContentHash, hex};

/// Maximum length of a client's id, in characters.
const MAX_ID_LENGTH: usize = 128;
/// Digits of the short ids of a session and a turn.
const SESSION_DIGITS: usize = 8;
const TURN_DIGITS: usize = 6;
/// Characters of a UUID that begins with a time (version 7): the time in milliseconds, the version, and twelve random bits.
const TIMED_LENGTH: usize = 18;
const UUID_LENGTH: usize = 36;

/// Author of a section's lines if no model wrote them.
pub const EXTRACTIVE: &str = "extractive";

const OPENING: &str = "<!-- tars:session ";
const CLOSING: &str = " -->";
/// Stands for a missing field.
const MISSING: &str = "-";
/// Digits of the hash of the lines.
const HASH_DIGITS: usize = 6;

/// The parsed comment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The session's short id.
    pub session: String,
    /// Short ids of the noted turns.
    pub turns: Vec<String>,
    /// Author of the lines.
    pub by: String,
    /// Version of the model's prompt.
    pub prompt: Option<String>,
    /// The model that was configured but failed.
    pub instead_of: Option<String>,
    /// The project's key.
    pub project: Option<String>,
    /// Start of the hash of the lines as tars left them.
    pub hash: Option<String>,
    /// Path of the transcript.
    pub transcript: Option<String>,
}

impl Anchor {
    /// Parses a line. Returns `None` if it is not such a comment.
    pub fn parse(line: &str) -> Option<Self> {
        let inside = line.trim().strip_prefix(OPENING)?.strip_suffix(CLOSING.trim_start())?;
        let mut words = inside.split_whitespace();
        let mut anchor = Self { session: words.next()?.to_owned(), by: EXTRACTIVE.to_owned(), ..Self::default() };
        let (named, placed): (Vec<&str>, Vec<&str>) = words.partition(|word| word.contains('='));
        let field = |place: usize| placed.get(place).filter(|word| **word != MISSING).map(|word| (*word).to_owned());
        anchor.turns = field(0).map_or_else(Vec::new, |turns| turns.split(',').map(str::to_owned).collect());
        anchor.project = field(1);
        anchor.hash = field(2);
        for (name, value) in named.into_iter().filter_map(|word| word.split_once('=')) {
            let value = value.to_owned();
            match name {
                "turns" => anchor.turns = value.split(',').map(str::to_owned).collect(),
                "by" => anchor.by = value,
                "prompt" => anchor.prompt = Some(value),
                "instead-of" => anchor.instead_of = Some(value),
                "project" => anchor.project = Some(value),
                "digest" => anchor.hash = Some(value),
                "transcript" => anchor.transcript = Some(decoded_path(&value)),
                _ => {}
            }
        }
        Some(anchor)
    }

    /// Returns the comment as a line.
    pub fn line(&self) -> String {
        let turns = (!self.turns.is_empty()).then(|| self.turns.join(","));
        let project = self.project.as_deref().map(clean_id);
        let hash = self.hash.as_ref().map(|hash| hash.chars().take(HASH_DIGITS).collect());
        let placed = [turns, project, hash].map(|field| field.unwrap_or_else(|| MISSING.to_owned()));
        let mut line = format!("{OPENING}{} {}", self.session, placed.join(" "));
        let fields = [
            ("by", Some(clean_id(&self.by)).filter(|by| by != EXTRACTIVE)),
            ("prompt", self.prompt.as_deref().map(clean_id)),
            ("instead-of", self.instead_of.as_deref().map(clean_id)),
        ];
        for (name, value) in fields {
            line.extend(value.map(|value| format!(" {name}={value}")));
        }
        line + CLOSING
    }

    /// Whether nobody has edited these lines of the section since tars wrote them.
    pub(super) fn is_unedited(&self, lines: &[String]) -> bool {
        self.hash.as_ref().is_some_and(|hash| hash.len() >= HASH_DIGITS && section_hash(lines).starts_with(hash))
    }

    /// Whether the comment belongs to the session with this id, as the client gives it.
    pub fn is_of(&self, session: &str) -> bool {
        // Older versions wrote the whole id.
        self.session == short_session(session) || self.session == clean_id(session)
    }
}

/// Returns the hash of a section's lines. Extracted facts are left out, because a review changes their tags.
pub(super) fn section_hash(lines: &[String]) -> String {
    lines_hash(lines.iter().filter(|line| !is_fact_line(line)))
}

/// Returns a hash of lines, eight digits. Blanks at the end of a line and blank lines around the text do not count.
pub(crate) fn lines_hash<'l>(lines: impl IntoIterator<Item = &'l String>) -> String {
    let text: Vec<&str> = lines.into_iter().map(|line| line.trim_end()).collect();
    hex(&ContentHash::of_parts([text.join("\n").trim().as_bytes()]).as_bytes()[..4])
}

/// Returns the short id of a session.
pub fn short_session(id: &str) -> String {
    short(id, SESSION_DIGITS)
}

/// Returns the short id of a turn.
pub fn short_turn(id: &str) -> String {
    short(id, TURN_DIGITS)
}

fn short(id: &str, digits: usize) -> String {
    let id = clean_id(id);
    if id.len() <= SESSION_DIGITS {
        return id.replace(',', "_");
    }
    match id.get(..digits).filter(|start| start.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        Some(_) if digits == SESSION_DIGITS && is_timed(&id) => id[..TIMED_LENGTH].to_owned(),
        Some(start) if digits == SESSION_DIGITS || is_random(&id) => start.to_owned(),
        _ => hex(ContentHash::of_parts([id.as_bytes()]).as_bytes())[..digits].to_owned(),
    }
}

/// Replaces every character that could end a comment or a field.
pub fn clean_id(id: &str) -> String {
    let id = sanitize_note(id).0;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._:-".contains(c);
    let clean: String = id.chars().take(MAX_ID_LENGTH).map(|c| if is_plain(c) { c } else { '_' }).collect();
    if clean.is_empty() { "_".into() } else { clean }
}

/// Whether an id is a UUID that starts with random digits (version 4) or with a hash (3 and 5). Other versions and numbers may start with
/// a time, whose first digits stay the same for hours.
fn is_random(id: &str) -> bool {
    id.len() == UUID_LENGTH && matches!(id.as_bytes()[14], b'3' | b'4' | b'5')
}

/// Whether an id is a UUID that starts with a time (version 7).
fn is_timed(id: &str) -> bool {
    let bytes = id.as_bytes();
    id.is_ascii() && id.len() == UUID_LENGTH && bytes[8] == b'-' && bytes[13] == b'-' && bytes[14] == b'7'
}

/// Displays a text as one word of a comment: whitespace, separators, comment marks and control characters become `%XX`.
pub struct Encoded<'t>(pub &'t str);

impl Encoded<'_> {
    /// Decodes a word.
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
    for character in sanitize_note(path).0.chars() {
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

/// Decodes the `transcript` field of a comment into the path that `tars transcript` accepts.
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
    fn encoded_paths_decode_to_themselves() {
        for path in ["/home/a b/x.jsonl", "/größe/%41 \u{3000}\"<>", "%", "/-a--b/%zz"] {
            assert_eq!(decoded_path(&encoded_path(path)), path);
        }
    }

    #[test]
    fn an_anchor_round_trips() {
        let anchor = Anchor {
            session: "5e55b0a2".into(),
            turns: vec!["ff6e7c".into(), "a9007d".into()],
            by: "extractive".into(),
            project: Some("1a2b3c4d".into()),
            hash: Some("9f3a21".into()),
            ..Anchor::default()
        };
        let line = anchor.line();
        assert_eq!(line, "<!-- tars:session 5e55b0a2 ff6e7c,a9007d 1a2b3c4d 9f3a21 -->");
        assert_eq!(Anchor::parse(&line).as_ref(), Some(&anchor));
        let older = "<!-- tars:session 5e55b0a2 turns=ff6e7c,a9007d by=extractive project=1a2b3c4d digest=9f3a21c4 \
                     transcript=/home/a%20b/x.jsonl -->";
        let (hash, transcript) = (Some("9f3a21c4".into()), Some("/home/a b/x.jsonl".into()));
        assert_eq!(Anchor::parse(older), Some(Anchor { hash, transcript, ..anchor }));
        let by_model = Anchor { session: "a".into(), by: "claude".into(), ..Anchor::default() };
        assert_eq!(by_model.line(), "<!-- tars:session a - - - by=claude -->");
        assert_eq!(Anchor::parse(&by_model.line()), Some(by_model));
        assert_eq!(Anchor::parse("- 09:20 <!-- tars:turn session=a -->"), None);
        assert_eq!(Anchor::parse("<!-- tars:session a -->").unwrap().session, "a");
    }

    #[test]
    fn short_ids_stay_distinct() {
        assert_eq!(short_session("e078bf60-d85e-4de8-a3d7-78eaff36a58a"), "e078bf60");
        // Sessions of the same minute, whose ids begin with the time.
        let timed = short_session("01a220f2-9d2e-7681-968a-4b8ff93ae8ef");
        assert_eq!(timed, "01a220f2-9d2e-7681");
        assert_ne!(timed, short_session("01a220f2-a4ce-7a91-8c39-a2955ae27755"));
        assert!(Anchor { session: timed, ..Anchor::default() }.is_of("01a220f2-9d2e-7681-968a-4b8ff93ae8ef"));
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
