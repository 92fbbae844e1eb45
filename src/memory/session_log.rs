//! Writes one file per session: `sessions/YYYY-MM-DDTHH-MM-SS-<project>.md`. A project `acme/pump` becomes `acme-pump` in the name.
//!
//! The name carries the local time of the first request. Every value of the front matter is quoted:
//!
//! ```text
//! ---
//! date: "2026-03-15"            day of the first request
//! began: "2026-03-15T09:20:05"  first request, local time
//! ended: "2026-03-15T11:02:40"  last word of the agent
//! session: "5e55…"              the session's id, by which its log is known
//! project: "acme/pump"          both left out if unknown
//! project_key: "1a2b3c4d"       see [`Project`]
//! client: "codex"               left out for Claude Code
//! transcript: "/…/5e55….jsonl"  left out if unknown
//! last_turn: "ff6e7c…"          id of the last turn, and
//! last_request: "release it"    the last request that says something; both left out for a single turn with an answer
//! last_end: "interrupted"       left out if the last turn ended with an answer, see [`LastEnd`]
//! tars: "session"
//! done: "2026-03-16"            the day on which a person declared the session done, until it goes on
//! digest: "9f3a…"               hash of everything else in the file, as tars left it
//! ---
//! ```
//!
//! Below it stand `# topic` and the non-empty sections among `## Summary`, `## Outcomes`, `## Done`, `## Files`, `## Commands` and
//! `## Failed`, about 150 lines at most. Lasting lines are stored once: if the log of a day holds one, the session's log links there.
//! Chores are here.
//!
//! A session has one log. A session may continue, so tars overwrites the log as long as it is unedited (the hash matches). After a
//! person has edited the log, tars leaves it alone.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::anchor::clean_id;
use super::entry_list::{bounded, bulleted, push_unique, quoted};
use super::file::day_file;
use super::generated_note::{is_unedited, unused_name, with_digest};
use super::line_credit::{author_of, credit};
use super::recent_session::RecentSession;
use super::remember::sanitize_note;
use super::session_end::{FailedSteps, LastEnd, LastTurn, still_done};
use super::session_note::{one_line, section_of};
use super::wiki_link::section_link;
use super::{MemoryError, SESSIONS};
use tars_agent::client::AgentClient;
use tars_agent::digest::{SessionDigest, TurnDigest, changed_file, command_line, headline};
use tars_agent::project::{Branches, Project, file_name_form};
use tars_base::domain::{Outcome, OutcomeKind, Turn};
use tars_text::cleaning::{cleaned_text, truncated};
use tars_text::redact::redact_turn;
use tars_vault::{Edit, LineCredit, MemoryFolder, Splice, Writer};

/// Maximum number of entries per section.
const MAX_OUTCOMES: usize = 50;
const MAX_DONE: usize = 30;
const MAX_FILES: usize = 20;
const MAX_COMMANDS: usize = 15;
const MAX_TOPIC_LENGTH: usize = 100;
/// Maximum number of days that a session's log links to.
const MAX_DAYS: usize = 60;
/// Maximum lines of a client's summary.
const MAX_SUMMARY_LINES: usize = 40;

/// The log of a session, collected turn by turn. Its size is bounded, whatever the length of the session.
#[derive(Debug, Clone)]
pub struct SessionLog {
    session: String,
    project: Option<Project>,
    /// The part of the file name that replaces an unknown project.
    place: &'static str,
    client: AgentClient,
    transcript: Option<String>,
    zone: TimeZone,
    began: Option<Timestamp>,
    ended: Option<Timestamp>,
    topic: Option<String>,
    digest: SessionDigest,
    summary: Vec<String>,
    files: Vec<String>,
    commands: Vec<String>,
    failed: FailedSteps,
    last: LastTurn,
    /// The working directories of the turns, and whether they belong to the project.
    directories: HashMap<String, bool>,
    /// The branches of the turns by working directory, and whether they are side branches.
    branches: HashMap<(String, String), bool>,
}

/// Outcome of writing a session's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionLogWrite {
    /// Tars wrote it to this file of the memory folder.
    Written(String),
    /// The file already holds it, word for word.
    Known(String),
    /// A person has edited the file; tars left it alone.
    Edited(String),
}

impl SessionLog {
    /// Returns an empty log of `session`, with times in `zone`.
    pub fn new(session: &str, transcript: Option<&Path>, zone: TimeZone) -> Self {
        Self {
            session: clean_id(session),
            project: None,
            place: "unnamed",
            client: AgentClient::default(),
            transcript: transcript.map(|path| path.to_string_lossy().into_owned()),
            zone,
            began: None,
            ended: None,
            topic: None,
            digest: SessionDigest::default(),
            summary: Vec::new(),
            files: Vec::new(),
            commands: Vec::new(),
            failed: FailedSteps::default(),
            last: LastTurn::default(),
            directories: HashMap::new(),
            branches: HashMap::new(),
        }
    }

    /// Sets the part of the file name to use if no turn names a project.
    pub fn with_fallback_name(self, place: &'static str) -> Self {
        Self { place, ..self }
    }

    /// Returns the client that the session ran in.
    pub fn client(&self) -> AgentClient {
        self.client
    }

    /// Sets the client that the session ran in.
    pub fn of_client(self, client: AgentClient) -> Self {
        Self { client, ..self }
    }

    /// Records that the client ended before the agent was done with this turn, if it is the last one in the log.
    pub fn cut_off(&mut self, turn: &str) {
        if self.last.id == turn {
            self.last.cut_off();
        }
    }

    /// Returns the session's id as the log records it.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Adds a turn, with secrets redacted. The first turn with a directory decides the project.
    pub fn add(&mut self, turn: &Turn) {
        let turn = self.prepared(turn);
        self.began = self.began.or(turn.at);
        self.ended = turn.ended.or(turn.at).or(self.ended);
        let directory = turn.directory.as_deref();
        if let Some(directory) = directory.filter(|_| self.project.is_none()) {
            self.project = Some(Project::of(Path::new(directory)));
        }
        self.topic = self.topic.take().or_else(|| headline(&turn.request));
        // A turn in another project is handed over there, and its files say nothing here.
        if self.is_own(directory) {
            turn.files.iter().for_each(|file| push_unique(&mut self.files, one_line(&changed_file(file, directory))));
            self.failed.add(&turn);
            self.last.replace(&turn);
        }
        turn.commands.iter().for_each(|command| push_unique(&mut self.commands, one_line(&command_line(command))));
        self.digest.add(&turn);
    }

    /// Whether a working directory belongs to the session's project.
    fn is_own(&mut self, directory: Option<&str>) -> bool {
        let (Some(directory), Some(own)) = (directory, &self.project) else { return true };
        let is_own = || Project::of(Path::new(directory)).key == own.key;
        *self.directories.entry(directory.to_owned()).or_insert_with(is_own)
    }

    /// Returns the outcomes of a turn that is not added, with secrets redacted.
    pub fn digest_of(&mut self, turn: &Turn) -> TurnDigest {
        let turn = self.prepared(turn);
        self.digest.next(&turn)
    }

    /// Returns a turn with secrets redacted, and without its branch if that is the main one.
    fn prepared(&mut self, turn: &Turn) -> Turn {
        let mut turn = redact_turn(turn);
        let directory = turn.directory.clone().unwrap_or_default();
        turn.branch = turn.branch.take().filter(|branch| {
            let is_side = || Branches::is_side_branch(Path::new(&directory), branch);
            *self.branches.entry((directory.clone(), branch.clone())).or_insert_with(is_side)
        });
        turn
    }

    /// Returns the outcomes of the added turns.
    pub fn digest(&self) -> &SessionDigest {
        &self.digest
    }

    /// Sets the summary that the client made of the session. It replaces an earlier one.
    pub fn summarize(&mut self, summary: &str) {
        self.summary = cleaned_text(summary, MAX_SUMMARY_LINES);
    }

    /// Completes what the notes tell of a session without a log of its own, unless it began in another project.
    pub fn complete(&self, session: &mut RecentSession) {
        if !self.project.as_ref().is_some_and(|own| session.project.is(&own.name, Some(&own.key))) {
            return;
        }
        session.id.clone_from(&self.session);
        session.topic = self.topic();
        session.last.clone_from(&self.last);
        session.files = bounded(&self.files, MAX_FILES);
        session.failed = self.failed.lines().map(one_line).collect();
        session.transcript.clone_from(&self.transcript);
        session.client = Some(self.client);
        if let Some(ended) = self.ended {
            session.ended = self.local(ended);
        }
    }

    /// Returns the file name and the topic of the log; `None` if no turn with a time was added.
    pub fn file_and_topic(&self) -> Option<(String, String)> {
        let began = self.local(self.began?);
        let project =
            self.project.as_ref().map_or_else(|| self.place.to_owned(), |project| file_name_form(&project.name));
        let file = format!("{SESSIONS}/{}-{project}.md", began.strftime("%Y-%m-%dT%H-%M-%S"));
        Some((file, self.topic()))
    }

    fn topic(&self) -> String {
        one_line(&truncated(self.topic.as_deref().unwrap_or("(no words)"), MAX_TOPIC_LENGTH))
    }

    fn local(&self, time: Timestamp) -> DateTime {
        time.to_zoned(self.zone.clone()).datetime()
    }

    /// Returns the text of the log without its digest. `days` are links to the daily sections that hold the outcomes.
    fn text(&self, days: &[String]) -> Option<String> {
        let began = self.local(self.began?).strftime("%Y-%m-%dT%H:%M:%S").to_string();
        let ended = self.local(self.ended.or(self.began)?).strftime("%Y-%m-%dT%H:%M:%S").to_string();
        let (_, topic) = self.file_and_topic()?;
        let mut lines = vec!["---".to_owned()];
        let mut field = |name: &str, value: &str| {
            // A JSON string is a valid YAML string.
            lines.push(format!("{name}: {}", serde_json::Value::from(one_line(value))));
        };
        field("date", &began[..10]);
        field("began", &began);
        field("ended", &ended);
        field("session", &self.session);
        if let Some(Project { name, key }) = &self.project {
            field("project", name);
            field("project_key", key);
        }
        let is_answered = self.last.end == LastEnd::Answered;
        let last = Some(&self.last).filter(|_| !is_answered || self.digest.turns().len() > 1);
        for (name, value) in [
            ("client", Some(self.client.name()).filter(|_| self.client != AgentClient::default())),
            ("transcript", self.transcript.as_deref()),
            ("last_turn", last.map(|last| last.id.as_str())),
            ("last_request", last.map(|last| last.request.as_str())),
            ("last_end", Some(self.last.end.as_str()).filter(|_| !is_answered)),
        ] {
            if let Some(value) = value {
                field(name, value);
            }
        }
        field("tars", "session");
        lines.extend(["---".to_owned(), String::new(), format!("# {topic}")]);
        if !days.is_empty() {
            lines.extend([String::new(), format!("What came of it: {}", days.join(", "))]);
        }
        let (done, lasting): (Vec<_>, Vec<_>) =
            self.outcomes().into_iter().partition(|(kind, _)| *kind == OutcomeKind::Done);
        let texts = |outcomes: Vec<(OutcomeKind, LineCredit)>| -> Vec<String> {
            outcomes.into_iter().map(|(_, credit)| credit.line).collect()
        };
        let lasting = if days.is_empty() { texts(lasting) } else { Vec::new() };
        let sections = [
            ("Summary", self.summary.clone()),
            ("Outcomes", bulleted(&bounded(&lasting, MAX_OUTCOMES))),
            ("Done", bulleted(&bounded(&texts(done), MAX_DONE))),
            ("Files", bulleted(&bounded(&quoted(&self.files), MAX_FILES))),
            ("Commands", bulleted(&bounded(&quoted(&self.commands), MAX_COMMANDS))),
            ("Failed", bulleted(&quoted(&self.failed.lines().map(one_line).collect::<Vec<_>>()))),
        ];
        for (name, entries) in sections {
            if !entries.is_empty() {
                lines.extend([String::new(), format!("## {name}"), String::new()]);
                lines.extend(entries);
            }
        }
        Some(sanitize_note(&(lines.join("\n") + "\n")).0)
    }

    /// Returns the outcomes of all turns with their lines and authors.
    fn outcomes(&self) -> Vec<(OutcomeKind, LineCredit)> {
        let line = |at: Option<Timestamp>, text: String| {
            let time = at.map(|at| self.local(at).strftime("%H:%M ").to_string()).unwrap_or_default();
            format!("{time}{}", one_line(&text))
        };
        let said = |turn: &TurnDigest, outcome: &Outcome| match outcome.kind {
            OutcomeKind::Done => outcome.text.clone(),
            _ => outcome.line(turn.branch.as_deref()),
        };
        let entry = |turn: &TurnDigest, outcome: &Outcome| {
            (outcome.kind, credit(&turn.wording, &outcome.text, line(turn.at, said(turn, outcome))))
        };
        let turns = self.digest.turns().iter();
        turns.flat_map(|turn| turn.outcomes.iter().map(|outcome| entry(turn, outcome)).collect::<Vec<_>>()).collect()
    }

    /// Returns who worded the lines of the log. Lists of files and commands and the client's summary are the agent's.
    fn credits(&self, text: &str) -> Vec<LineCredit> {
        let wordings = || self.digest.turns().iter().map(|turn| &turn.wording);
        let by = author_of(wordings().map(|wording| wording.reading).max().unwrap_or_default());
        let model = wordings().next_back().and_then(|wording| wording.model.clone());
        let of_agent = text.lines().map(|line| LineCredit { line: line.to_owned(), by, model: model.clone() });
        // The later one counts.
        of_agent.chain(self.outcomes().into_iter().map(|(_, credit)| credit)).collect()
    }

    /// Returns links to the daily sections that hold the outcomes.
    fn days(&self, folder: &MemoryFolder) -> Result<Vec<String>, MemoryError> {
        let (Some(began), Some(ended)) = (self.began, self.ended.or(self.began)) else { return Ok(Vec::new()) };
        let mut days = Vec::new();
        let mut day = self.local(began).date();
        let last = self.local(ended).date();
        // A session that was resumed after weeks has turns on only a few of the days between.
        while day <= last && days.len() < MAX_DAYS {
            let file = day_file(folder, day)?;
            let bytes = folder.read(&file)?.unwrap_or_default();
            if let Some(heading) = section_of(&bytes, &self.session) {
                days.push(section_link(&folder.vault_path(&file), &heading, &day.to_string()));
            }
            let Ok(next) = day.tomorrow() else { break };
            day = next;
        }
        Ok(days)
    }
}

/// Writes the log of a session. It replaces an earlier, unedited log. `logged` holds the existing logs (see [`logged_sessions`](super::logged_sessions)) and
/// receives the new one. Returns `None` if there is nothing to write.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn write_session_log(
    writer: &mut Writer<'_>,
    log: &SessionLog,
    logged: &mut BTreeMap<String, String>,
) -> Result<Option<SessionLogWrite>, MemoryError> {
    let days = log.days(writer.folder())?;
    let (Some((named, _)), Some(text)) = (log.file_and_topic(), log.text(&days)) else { return Ok(None) };
    let file = match logged.get(&log.session) {
        Some(file) => file.clone(),
        None => unused_name(writer.folder(), &named, &|_| false)?,
    };
    let mut edited = false;
    let credits = log.credits(&text);
    writer.set_source(None, &log.session);
    let written = writer.edit_credited(&file, |lines| {
        let old = lines.all().join("\n") + "\n";
        edited = !lines.is_empty() && !is_unedited(&old);
        if edited {
            return Edit::default();
        }
        let text = with_digest(&still_done(&old, &text));
        let whole = Splice { at: 0, remove: lines.len(), insert: text.lines().map(str::to_owned).collect() };
        Edit { splices: vec![whole], credits: credits.clone() }
    })?;
    if !edited {
        writer.recredit(&file, &credits)?;
    }
    logged.insert(log.session.clone(), file.clone());
    Ok(Some(match (written, edited) {
        (true, _) => SessionLogWrite::Written(file),
        (false, true) => SessionLogWrite::Edited(file),
        (false, false) => SessionLogWrite::Known(file),
    }))
}

#[cfg(test)]
mod tests;
