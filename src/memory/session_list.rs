//! Lists session logs: one file per session in `sessions/`, or in `archive/sessions/` after compaction moved them.

use std::collections::BTreeMap;

use jiff::civil::DateTime;

use super::anchor::short_session;
use super::bullet::heading_of;
use super::file::is_session_log;
use super::log_front_matter::{front_matter_field, log_field};
use super::shared_words::words;
use super::{ARCHIVED_SESSIONS, MemoryError, SESSIONS};
use tars_agent::client::AgentClient;
use tars_text::redact::redact;
use tars_vault::{Lines, MemoryFolder};

/// Minimum length of the beginning of a session's id.
const SHORTEST_ID: usize = 4;

/// An entry of the list of session logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The file's name without folder and extension.
    pub id: String,
    /// Name of the file within the memory folder.
    pub file: String,
    /// When it began, if the name tells it: `YYYY-MM-DDTHH-MM-SS-<project>`.
    pub began: Option<DateTime>,
    /// Its topic: its first heading, else its first line of text.
    pub topic: String,
    /// The client that it ran in; `None` for a log that tars did not write, and for an unknown client.
    pub client: Option<AgentClient>,
    /// The project that it names.
    pub project: Option<String>,
}

/// Returns the session logs that hold every word of `query`, newest first. An empty query returns all of them.
///
/// # Errors
/// A file cannot be read.
pub fn sessions(folder: &MemoryFolder, query: &str) -> Result<Vec<Session>, MemoryError> {
    let wanted = words(query);
    let mut found = Vec::new();
    for file in folder.files()? {
        let name =
            [SESSIONS, ARCHIVED_SESSIONS].into_iter().find_map(|place| file.strip_prefix(place)?.strip_prefix('/'));
        let Some(name) = name else { continue };
        let id = name.trim_end_matches(".md").to_owned();
        let bytes = folder.read(&file)?.unwrap_or_default();
        let lines = Lines::of(&bytes).all();
        // Secrets are no words to find a log by.
        let holds = || wanted.is_subset(&words(&format!("{id} {}", redact(&lines.join("\n")).text)));
        if !wanted.is_empty() && !holds() {
            continue;
        }
        let text = lines.join("\n");
        let client = log_field(&text, "session").and_then(|_| client_of(&text));
        let project = log_field(&text, "project");
        found.push(Session { began: began(&id), topic: topic(&lines), id, file, client, project });
    }
    // Names start with a time. Those without one sort last.
    found.sort_by(|one, other| other.began.cmp(&one.began).then_with(|| other.id.cmp(&one.id)));
    Ok(found)
}

/// Returns the session logs with this id, else those whose id starts with it, else those of the session that the client knows by this id,
/// its beginning or its short form, newest first.
///
/// # Errors
/// A file cannot be read.
pub fn session(folder: &MemoryFolder, id: &str) -> Result<Vec<Session>, MemoryError> {
    let all = sessions(folder, "")?;
    let of = |is_meant: &dyn Fn(&Session) -> bool| -> Vec<Session> {
        all.iter().filter(|session| is_meant(session)).cloned().collect()
    };
    let mut found = of(&|session| session.id == id);
    if found.is_empty() {
        found = of(&|session| session.id.starts_with(id));
    }
    if found.is_empty() && id.len() >= SHORTEST_ID {
        let logged = logged_sessions(folder)?.into_iter();
        let logged = logged.filter(|(session, _)| session.starts_with(id) || short_session(session) == id);
        let files: Vec<String> = logged.map(|(_, file)| file).collect();
        found = of(&|session| files.contains(&session.file));
    }
    Ok(found)
}

/// Returns the session logs of a folder by session id, archived ones included.
///
/// # Errors
/// A file cannot be read.
pub fn logged_sessions(folder: &MemoryFolder) -> Result<BTreeMap<String, String>, MemoryError> {
    let mut found = BTreeMap::new();
    for file in folder.files()?.into_iter().filter(|file| is_session_log(file)) {
        let bytes = folder.read(&file)?.unwrap_or_default();
        let session = front_matter_field(&String::from_utf8_lossy(&bytes), "session");
        if let Some(session) = session {
            found.entry(session).or_insert(file);
        }
    }
    Ok(found)
}

/// Returns the transcripts that the logs of sessions name, by session id.
///
/// # Errors
/// A file cannot be read.
pub fn logged_transcripts(folder: &MemoryFolder) -> Result<BTreeMap<String, String>, MemoryError> {
    let mut found = BTreeMap::new();
    for (session, file) in logged_sessions(folder)? {
        let bytes = folder.read(&file)?.unwrap_or_default();
        let transcript = front_matter_field(&String::from_utf8_lossy(&bytes), "transcript");
        found.extend(transcript.map(|transcript| (session, transcript)));
    }
    Ok(found)
}

/// Returns the client that the log of a session names, which is Claude Code if it names none; `None` for an unknown client, and for a
/// conversation with tars itself, which has no transcript.
pub(super) fn client_of(text: &str) -> Option<AgentClient> {
    match front_matter_field(text, "client") {
        Some(name) => AgentClient::named(&name),
        None => front_matter_field(text, "transcript").map(|_| AgentClient::ClaudeCode),
    }
}

pub(super) fn began(id: &str) -> Option<DateTime> {
    let (date, time) = (id.get(..10)?, id.get(11..19));
    let time = time.map_or_else(|| "00:00:00".to_owned(), |time| time.replace('-', ":"));
    format!("{date}T{time}").parse().or_else(|_| format!("{date}T00:00:00").parse()).ok()
}

/// Returns the topic. It skips front matter, blank lines and comments.
pub(super) fn topic(lines: &[String]) -> String {
    let body = match lines.first().map(|line| line.trim_end()) {
        Some("---") => lines.iter().skip(1).position(|line| line.trim_end() == "---").map_or(0, |end| end + 2),
        _ => 0,
    };
    let mut texts = lines[body.min(lines.len())..].iter().map(|line| line.trim());
    texts
        .find(|line| !line.is_empty() && !line.starts_with("<!--"))
        .map(|line| heading_of(line).unwrap_or(line).to_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_times_are_parsed_from_names() {
        assert_eq!(began("2026-03-15T09-20-05-tars").unwrap().to_string(), "2026-03-15T09:20:05");
        assert_eq!(began("2026-03-15-notes").unwrap().to_string(), "2026-03-15T00:00:00");
        assert_eq!(began("2026-03-15").unwrap().to_string(), "2026-03-15T00:00:00");
        assert_eq!(began("notes"), None);
        assert_eq!(began("é2026-03-15"), None);
    }

    #[test]
    fn the_topic_is_the_first_heading_or_line() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(topic(&lines("---\nproject: p\n---\n\n<!-- a -->\n# Moving the index\n- b")), "Moving the index");
        assert_eq!(topic(&lines("just text")), "just text");
        assert_eq!(topic(&lines("---\nnever closed")), "---");
        assert_eq!(topic(&[]), "");
    }
}
