//! Reads the sessions of opencode from its database, or from a file that `opencode export` wrote.
//!
//! The database has the tables `session` (`id`, `parent_id`, `directory`, `revert`, `time_created`), `message` (`id`, `session_id`,
//! `time_created`, `data`) and `part` (`id`, `message_id`, `data`); `data` is a JSON object as in an export, without the id. It belongs to
//! opencode, which may be writing it: it is opened to read only. An export is a JSON object of `info` (`id`, `directory`, `parentID`) and
//! `messages`. Both are untrusted.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Row, params};
use serde_json::{Map, Value};

use super::TranscriptError;
use crate::client::opencode::{KeptLine, SESSION_PREFIX, kept_line};
use tars_base::private;

/// How long opencode may hold the database.
const BUSY: Duration = Duration::from_secs(2);
/// Most sessions, messages of a session and parts of a message.
const MAX_SESSIONS: i64 = 100_000;
const MAX_MESSAGES: i64 = 50_000;
const MAX_PARTS: i64 = 2_000;
/// The longest object, and the longest export, in bytes.
const MAX_DATA: i64 = 8 << 20;
const MAX_EXPORT: u64 = 256 << 20;
/// The beginning of every SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// A session of opencode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCodeSession {
    /// Its id, without `ses_`.
    pub id: String,
    /// The directory that it began in.
    pub directory: String,
    /// Its messages, as lines of a kept transcript.
    pub lines: Vec<KeptLine>,
}

/// Passes the sessions in opencode's database, or the one in an export, to `each` until it breaks, the oldest first. Sessions of subagents
/// and those that `is_wanted` refuses by their id are skipped.
///
/// # Errors
/// The file cannot be read, or it is neither.
pub fn opencode_sessions(
    path: &Path,
    is_wanted: &dyn Fn(&str) -> bool,
    each: &mut dyn FnMut(OpenCodeSession) -> ControlFlow<()>,
) -> Result<(), TranscriptError> {
    let failed = |reason| TranscriptError::Io { path: path.to_owned(), reason };
    let mut beginning = Vec::new();
    private::open_untrusted_path(path)
        .map_err(failed)?
        .take(MAGIC.len() as u64)
        .read_to_end(&mut beginning)
        .map_err(failed)?;
    if beginning == MAGIC {
        let unknown =
            |reason: rusqlite::Error| TranscriptError::Unknown { path: path.to_owned(), reason: reason.to_string() };
        return in_database(path, is_wanted, each).map_err(unknown);
    }
    let unknown = |reason: &str| TranscriptError::Unknown { path: path.to_owned(), reason: reason.to_owned() };
    let mut bytes = Vec::new();
    private::open_untrusted_path(path).map_err(failed)?.take(MAX_EXPORT + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_EXPORT {
        return Err(unknown("it is longer than 256 MiB"));
    }
    // The client's own messages may stand before the object.
    let start = bytes.iter().position(|byte| *byte == b'{').unwrap_or(0);
    let value: Value = serde_json::from_slice(&bytes[start..]).map_err(|error| unknown(&error.to_string()))?;
    let session = exported(&value).ok_or_else(|| unknown("it is no export of a session"))?;
    if session.1 && is_wanted(&session.0.id) {
        // There is no other session to pass.
        let _ = each(session.0);
    }
    Ok(())
}

/// Returns the session of an export, and whether a person began it.
fn exported(value: &Value) -> Option<(OpenCodeSession, bool)> {
    let info = value.get("info")?;
    let text = |name: &str| info.get(name).and_then(Value::as_str);
    let id = own_id(text("id")?);
    let lines = value.get("messages")?.as_array()?.iter().filter_map(kept_line).collect();
    let directory = text("directory").unwrap_or_default().to_owned();
    Some((OpenCodeSession { id, directory, lines }, text("parentID").is_none()))
}

fn own_id(id: &str) -> String {
    id.strip_prefix(SESSION_PREFIX).unwrap_or(id).to_owned()
}

fn in_database(
    path: &Path,
    is_wanted: &dyn Fn(&str) -> bool,
    each: &mut dyn FnMut(OpenCodeSession) -> ControlFlow<()>,
) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags)?;
    database.busy_timeout(BUSY)?;
    // A foreign database may hold views and triggers with functions.
    database.pragma_update(None, "trusted_schema", false)?;
    let mut listed = database.prepare(
        "SELECT id, directory, revert FROM session WHERE parent_id IS NULL ORDER BY time_created, id LIMIT ?1",
    )?;
    let rows = listed.query_map(params![MAX_SESSIONS], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<String>>(2)?))
    })?;
    for row in rows {
        let (full_id, directory, revert) = row?;
        let id = own_id(&full_id);
        if !is_wanted(&id) {
            continue;
        }
        let lines = messages(&database, &full_id, reverted(revert.as_deref()).as_deref())?;
        if each(OpenCodeSession { id, directory, lines }).is_break() {
            break;
        }
    }
    Ok(())
}

/// Returns the id of the first message that the person has gone back behind.
fn reverted(revert: Option<&str>) -> Option<String> {
    let revert: Value = serde_json::from_str(revert?).ok()?;
    Some(revert.get("messageID")?.as_str()?.to_owned())
}

fn messages(database: &Connection, session: &str, reverted: Option<&str>) -> rusqlite::Result<Vec<KeptLine>> {
    let mut listed = database.prepare_cached(
        "SELECT id, data FROM message WHERE session_id = ?1 AND length(data) <= ?2 ORDER BY time_created, id LIMIT ?3",
    )?;
    let mut parts = database
        .prepare_cached("SELECT data FROM part WHERE message_id = ?1 AND length(data) <= ?2 ORDER BY id LIMIT ?3")?;
    let rows = listed
        .query_map(params![session, MAX_DATA, MAX_MESSAGES], |row| Ok((row.get::<_, String>(0)?, text(row, 1)?)))?;
    let mut lines = Vec::new();
    for row in rows {
        let (id, data) = row?;
        // The ids of messages ascend.
        if reverted.is_some_and(|reverted| id.as_str() >= reverted) {
            break;
        }
        let Some(mut info) = object(&data) else { continue };
        info.insert("id".into(), id.as_str().into());
        let found = parts.query_map(params![id, MAX_DATA, MAX_PARTS], |row| text(row, 0))?;
        let mut its = Vec::new();
        for part in found {
            its.extend(object(&part?).map(Value::Object));
        }
        lines.extend(kept_line(&serde_json::json!({ "info": info, "parts": its })));
    }
    Ok(lines)
}

/// Returns the text in a column; empty if it holds none, so that one damaged row hides no other.
fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(row.get_ref(column)?.as_str().map(str::to_owned).unwrap_or_default())
}

fn object(data: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(data).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables and columns of opencode 1.18.33 that tars reads.
    const TABLES: &str = "
        CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, revert text, time_created integer NOT NULL);
        CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, data text NOT NULL);
        CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, data text NOT NULL);
        INSERT INTO session VALUES ('ses_b', NULL, '/p', '{\"messageID\":\"msg_3\"}', 2), ('ses_a', NULL, '/o', NULL, 1), ('ses_c', 'ses_b', '/p', NULL, 3);
        INSERT INTO message VALUES ('msg_1', 'ses_b', 10, '{\"role\":\"user\",\"time\":{\"created\":10}}'),
            ('msg_2', 'ses_b', 11, '{\"role\":\"assistant\",\"finish\":\"stop\"}'), ('msg_x', 'ses_b', 11, 'broken'),
            ('msg_3', 'ses_b', 12, '{\"role\":\"user\"}');
        INSERT INTO part VALUES ('p1', 'msg_1', 'ses_b', '{\"type\":\"text\",\"text\":\"Why?\"}'),
            ('p2', 'msg_2', 'ses_b', '{\"type\":\"text\",\"text\":\"Because.\"}'), ('p3', 'msg_3', 'ses_b', '{\"type\":\"text\",\"text\":\"Taken back\"}');";

    fn read(path: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Result<Vec<OpenCodeSession>, TranscriptError> {
        let mut found = Vec::new();
        opencode_sessions(path, is_wanted, &mut |session| {
            found.push(session);
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    #[test]
    fn sessions_of_the_database_are_read_without_those_of_subagents() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("opencode.db");
        Connection::open(&path).unwrap().execute_batch(TABLES).unwrap();
        let found = read(&path, &|_| true).unwrap();
        let texts: Vec<&str> = found[1].lines.iter().map(|line| line.json.as_str()).collect();
        assert_eq!(
            found.iter().map(|one| (one.id.as_str(), one.directory.as_str())).collect::<Vec<_>>(),
            [("a", "/o"), ("b", "/p")]
        );
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].contains("Why?") && texts[1].contains("Because."), "{texts:?}");
        assert_eq!(read(&path, &|id| id == "b").unwrap().len(), 1);
    }

    #[test]
    fn exports_are_read_and_other_files_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("export.json");
        let export = r#"Exporting session: ses_b
            {"info": {"id": "ses_b", "directory": "/p"}, "messages": [{"info": {"id": "m", "role": "user"}, "parts": [{"type": "text", "text": "Why?"}]}, 5]}"#;
        std::fs::write(&path, export).unwrap();
        let found = read(&path, &|_| true).unwrap();
        assert_eq!((found[0].id.as_str(), found[0].directory.as_str(), found[0].lines.len()), ("b", "/p", 1));
        std::fs::write(&path, export.replace("\"directory\"", "\"parentID\"")).unwrap();
        assert!(read(&path, &|_| true).unwrap().is_empty());
        for other in ["", "{}", "[1]", "SQLite format 3\0 and no more", "\u{feff}"] {
            std::fs::write(&path, other).unwrap();
            assert!(matches!(read(&path, &|_| true), Err(TranscriptError::Unknown { .. })), "{other}");
        }
        assert!(read(&folder.path().join("missing"), &|_| true).is_err());
    }
}
