//! The sessions of the last days as their notes show them: what the daily logs hold of each, joined with its own log if it has one.
//!
//! All texts are redacted. Private files, sections that a person wrote, and facts that wait for their review are left out.

use std::collections::HashMap;

use jiff::civil::{Date, DateTime, Time};

use super::MemoryError;
use super::anchor::{clean_id, short_session};
use super::bullet::{bullets, heading_of};
use super::fact_line::time_of;
use super::file::{day_file, is_session_log, logged_days};
use super::log_front_matter::{front_matter_field, log_field, quoted_field};
use super::log_lines::{LogLine, log_lines};
use super::log_project::LogProject;
use super::session_end::{LastEnd, LastTurn};
use super::session_list::{began, client_of, topic};
use tars_agent::client::AgentClient;
use tars_base::domain::OutcomeKind;
use tars_text::markdown::is_private;
use tars_text::redact::redact;
use tars_vault::{Lines, MemoryFolder, text_of};

/// Maximum number of session logs to read, the newest ones: a session waits for them.
const MAX_LOGS: usize = 200;

/// A session of one project. One that went on in another project is another of these.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecentSession {
    /// Its id as its log records it; the short id if it has no log.
    pub id: String,
    /// Its log within the memory folder; `None` while it runs, if its end was lost, or if the log belongs to another project.
    pub log: Option<String>,
    /// The client that it ran in, if it has a log and the client is known.
    pub client: Option<AgentClient>,
    /// Its project.
    pub project: LogProject,
    /// Its first request, local time of its machine.
    pub began: DateTime,
    /// The last word of the agent; without a log its last noted request.
    pub ended: DateTime,
    /// Its first request, in one line; empty without a log.
    pub topic: String,
    /// Its last turn.
    pub last: LastTurn,
    /// The transcript that its log names.
    pub transcript: Option<String>,
    /// Whether a person declared it done.
    pub is_done: bool,
    /// Changed files, as the log lists them.
    pub files: Vec<String>,
    /// Commands whose last run failed.
    pub failed: Vec<String>,
    /// The work that was merely done, in the words of the session's log.
    pub done: Vec<String>,
    /// Its lines in the logs of days, in order; for an imported session those of its own log.
    pub lines: Vec<RecentLine>,
}

/// A noted line of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentLine {
    /// Its id, by which commands refer to it; `None` if it stands in no list.
    pub id: Option<String>,
    /// Its file within the memory folder.
    pub file: String,
    /// Its number in the file, from 1.
    pub number: usize,
    /// When the person sent the request, local time.
    pub at: DateTime,
    /// Its kind.
    pub kind: OutcomeKind,
    /// Whether it is ticked or set aside.
    pub is_ticked: bool,
    /// The side branch on which a decision was made.
    pub branch: Option<String>,
    /// Its text, without label, branch and the words of the request.
    pub text: String,
}

/// Returns the sessions with notes since a day in the projects that `is_meant` selects, the last ended first.
///
/// # Errors
/// A file cannot be read.
pub fn recent_sessions(
    folder: &MemoryFolder,
    since: Date,
    is_meant: &dyn Fn(&LogProject) -> bool,
) -> Result<Vec<RecentSession>, MemoryError> {
    let mut found = logged(folder, since, is_meant)?;
    // A session has a place for each of its projects.
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, session) in found.iter().enumerate() {
        places.entry(short_session(&session.id)).or_default().push(place);
    }
    for day in logged_days(folder)?.into_iter().filter(|day| *day >= since) {
        let file = day_file(folder, day)?;
        let Some(text) = shown_text(folder, &file)? else { continue };
        for (session, project, line) in
            day_lines(&file, day, &text).into_iter().filter(|(_, project, _)| is_meant(project))
        {
            let own = places.entry(short_session(&session)).or_default();
            let place =
                own.iter().copied().find(|place| found[*place].project.is_same(&project)).unwrap_or_else(|| {
                    let (began, ended) = (line.at, line.at);
                    found.push(RecentSession { id: session, project, began, ended, ..RecentSession::default() });
                    own.push(found.len() - 1);
                    found.len() - 1
                });
            found[place].add(line);
        }
    }
    found.sort_by(|one, other| (other.ended, other.began, &other.id).cmp(&(one.ended, one.began, &one.id)));
    Ok(found)
}

impl RecentSession {
    /// Whether a line stands in the session's own log, where no command ticks it.
    pub fn is_in_log(&self, line: &RecentLine) -> bool {
        self.log.as_ref() == Some(&line.file)
    }

    /// Whether `id` means this session: its id or the beginning of it, its short id, or the name of its log.
    pub fn is_named(&self, id: &str) -> bool {
        let name = self.log.as_deref().and_then(|log| log.rsplit('/').next()?.strip_suffix(".md"));
        self.is_of(id)
            || id.len() >= 4 && self.id.starts_with(id)
            || name.is_some_and(|name| name.starts_with(id) && id.len() >= 10)
    }

    /// Whether it is the session that the client knows by this id.
    pub fn is_of(&self, id: &str) -> bool {
        self.id == clean_id(id) || short_session(&self.id) == short_session(id)
    }

    /// Adds a line. One that is newer than the log says more about the last turn than the log.
    fn add(&mut self, line: RecentLine) {
        let minute = |at: DateTime| (at.date(), at.hour(), at.minute());
        if self.log.is_none() || minute(line.at) > minute(self.ended) {
            self.last.end = match line.kind {
                OutcomeKind::Unfinished if line.text.contains("(the model's server failed") => LastEnd::Failed,
                OutcomeKind::Unfinished => LastEnd::Interrupted,
                _ => LastEnd::Answered,
            };
        }
        self.ended = self.ended.max(line.at);
        self.lines.push(line);
    }
}

/// Returns the sessions with a log.
fn logged(
    folder: &MemoryFolder,
    since: Date,
    is_meant: &dyn Fn(&LogProject) -> bool,
) -> Result<Vec<RecentSession>, MemoryError> {
    let named = |file: String| Some((began(file.rsplit('/').next()?.strip_suffix(".md")?)?, file));
    let mut files: Vec<(DateTime, String)> =
        folder.files()?.into_iter().filter(|file| is_session_log(file)).filter_map(named).collect();
    files.retain(|(began, _)| began.date() >= since);
    files.sort_unstable_by(|one, other| other.cmp(one));
    let mut found: Vec<RecentSession> = Vec::new();
    for (named, file) in files.into_iter().take(MAX_LOGS) {
        let Some(text) = shown_text(folder, &file)? else { continue };
        let session = of_log(&text.shown, named, file);
        found.extend(session.filter(|session| is_meant(&session.project)));
    }
    Ok(found)
}

/// Returns the session of a log; `None` for a text that is no such log.
fn of_log(text: &str, named: DateTime, file: String) -> Option<RecentSession> {
    let field = |name: &str| front_matter_field(text, name);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let time = |name: &str| field(name).and_then(|value| value.parse().ok()).unwrap_or(named);
    let (began, ended) = (time("began"), time("ended"));
    let noted = noted_lines(&file, began.date(), text, &HashMap::new()).into_iter().map(|(_, _, line)| line);
    Some(RecentSession {
        id: clean_id(&log_field(text, "session")?),
        lines: noted.collect(),
        log: Some(file),
        client: client_of(text),
        project: LogProject { name: field("project"), key: field("project_key") },
        began,
        ended: ended.max(began),
        topic: topic(&lines),
        last: LastTurn {
            id: field("last_turn").map(|id| clean_id(&id)).unwrap_or_default(),
            request: quoted_field(text, "last_request").unwrap_or_default(),
            end: field("last_end").map(|end| LastEnd::named(&end)).unwrap_or_default(),
            ..LastTurn::default()
        },
        transcript: quoted_field(text, "transcript"),
        is_done: field("done").is_some(),
        files: section(&lines, "Files"),
        failed: section(&lines, "Failed"),
        done: section(&lines, "Done"),
    })
}

/// Returns the entries of a section of a session's log, without their marks.
fn section(lines: &[String], name: &str) -> Vec<String> {
    let is_heading = |line: &String| heading_of(line).is_some();
    let Some(start) = lines.iter().position(|line| line.starts_with("## ") && heading_of(line) == Some(name)) else {
        return Vec::new();
    };
    let entries =
        lines[start + 1..].iter().take_while(|line| !is_heading(line)).filter_map(|line| line.strip_prefix("- "));
    entries.map(|entry| entry.trim().trim_matches('`').to_owned()).filter(|entry| !entry.is_empty()).collect()
}

/// Returns the noted lines of a daily log, each with its session and its project. Lines after a private span of several lines have no id.
fn day_lines(file: &str, day: Date, text: &Redacted) -> Vec<(String, LogProject, RecentLine)> {
    let ids: HashMap<usize, String> = match text.is_aligned() {
        true => bullets(file, &Lines::of(text.raw.as_bytes())).into_iter().map(|one| (one.line(), one.id)).collect(),
        false => HashMap::new(),
    };
    noted_lines(file, day, &text.shown, &ids)
}

/// Returns the lines of a log with an outcome, each with its session and its project. `ids` are those of list items, by line.
fn noted_lines(
    file: &str,
    day: Date,
    text: &str,
    ids: &HashMap<usize, String>,
) -> Vec<(String, LogProject, RecentLine)> {
    let shown: Vec<&str> = text.lines().collect();
    let noted = log_lines(text.as_bytes()).into_iter().filter(|line| !line.is_unconfirmed);
    let line = |line: LogLine| {
        let (kind, anchor) = (line.kind?, line.section.anchor.as_ref()?);
        let time = shown.get(line.number - 1).and_then(|line| time_of(line)).and_then(|time| time.parse::<Time>().ok());
        let of = RecentLine {
            id: ids.get(&line.number).cloned(),
            file: file.to_owned(),
            number: line.number,
            at: day.to_datetime(time.unwrap_or_default()),
            kind,
            is_ticked: line.is_ticked,
            branch: line.branch.clone(),
            text: line.text_without_request().to_owned(),
        };
        Some((anchor.session.clone(), line.section.project.clone(), of))
    };
    noted.filter_map(line).collect()
}

/// A file's text, and the form of it that may be shown.
struct Redacted {
    raw: String,
    shown: String,
}

impl Redacted {
    /// Whether both have the same lines.
    fn is_aligned(&self) -> bool {
        self.raw.lines().count() == self.shown.lines().count()
    }
}

/// Returns the text of a file; `None` if it does not exist or is private.
fn shown_text(folder: &MemoryFolder, file: &str) -> Result<Option<Redacted>, MemoryError> {
    let Some(bytes) = folder.read(file)? else { return Ok(None) };
    let raw = text_of(&bytes).into_owned();
    let shown = redact(&raw).text.into_owned();
    Ok((!is_private(&shown)).then_some(Redacted { raw, shown }))
}
