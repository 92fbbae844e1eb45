//! Hands the work of a project's last session over to another session, whatever client either runs in.
//!
//! The notes of the day and the log of the session are the source, as they stand now: a line that a person ticked, changed or removed, a
//! decision that a later one replaced, and a finding that a later session ruled out are not handed over. A session that has no log yet, because
//! it still runs or its end was lost, is completed from its transcript if that is on this machine. A session of another project is never
//! handed over.

#[cfg(test)]
mod tests;
mod text;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;

use jiff::civil::DateTime;
use jiff::{SignedDuration, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::content::SessionContent;
use super::progress::SessionProgress;
use super::transcript::of_session;
use super::unfinished::{DAYS, reason_names};
use crate::context::{LinesInForce, UntrustedLines};
use crate::{Refusal, Result, Service, UseCase};
use tars_agent::client::AgentClient;
use tars_agent::digest::same_subject;
use tars_agent::project::{Branches, Project};
use tars_agent::transcript::{self, turns};
use tars_base::domain::{OutcomeKind, Turn, one_line};
use tars_memory::upkeep::{ProjectView, is_same_matter};
use tars_memory::{LogProject, RecentLine, RecentSession, SessionLog, Unfinished, recent_sessions, short_session};
use tars_vault::MemoryFolder;

/// Days to look back for sessions.
const LOOK_BACK: i64 = 90;
/// Days to look back for decisions that hold.
const DECISION_DAYS: i64 = 30;
/// Maximum length of the text by default, in tokens.
const TOKENS: usize = 600;
/// The shortest and the longest text, in tokens.
const MIN_TOKENS: usize = 150;
const MAX_TOKENS: usize = 4_000;
/// If the session that asks is unknown, one without a log that was noted so recently is taken for it.
const RUNNING: SignedDuration = SignedDuration::from_hours(1);

/// Asks for the work of a project's last session, to go on with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HandoffRequest {
    /// The session: its id, its short id as notes have it, the name of its log, or the beginning of one. Default: the last one of the
    /// project.
    pub session: Option<String>,
    /// The project's name.
    pub project: Option<String>,
    /// The project's key, which distinguishes it from other projects of the same name.
    pub project_key: Option<String>,
    /// A folder of the project, if its name is not given. Decisions of branches that do not hold there are left out.
    pub directory: Option<String>,
    /// The session that asks, by the client's id; it is not handed over to itself.
    pub asking: Option<String>,
    /// Maximum length of the text in tokens, 150 to 4000; 600 by default.
    pub tokens: Option<usize>,
}

/// The work of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HandoffResponse {
    /// The session; `None` if the project has no other one with notes.
    pub session: Option<HandoffSession>,
    /// The first request and the last one, in one line each.
    pub asked: Vec<String>,
    /// Its open ends, newest first.
    pub next: Vec<HandoffLine>,
    /// Commands whose last run failed, oldest first.
    pub failed: Vec<HandoffEntry>,
    /// Decisions that hold, newest first.
    pub decided: Vec<HandoffLine>,
    /// Findings, newest first.
    pub found: Vec<HandoffLine>,
    /// Ideas that turned out wrong, newest first.
    pub ruled_out: Vec<HandoffLine>,
    /// Changed files, oldest first.
    pub files: Vec<HandoffEntry>,
    /// Chores, newest first.
    pub done: Vec<HandoffLine>,
    /// Open ends of earlier sessions of the project, newest first.
    pub earlier: Vec<HandoffLine>,
    /// Short ids of other unfinished sessions of the project, the last ended first.
    pub unfinished: Vec<String>,
    /// All of it as a text for an agent, within the limit: lines of the notes are escaped and marked as data.
    pub text: Option<String>,
}

/// A session that is handed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HandoffSession {
    /// Its id.
    pub id: String,
    /// Its short id, as notes have it.
    pub short: String,
    /// The client that it ran in, if known.
    pub client: Option<&'static str>,
    /// Its project.
    pub project: Option<String>,
    /// Path of its log, relative to the vault; `None` if it has none yet.
    pub path: Option<String>,
    /// Its first request, local time.
    #[schemars(with = "String")]
    pub began: DateTime,
    /// Its last word or its last noted request, local time.
    #[schemars(with = "String")]
    pub ended: DateTime,
    /// Why it is unfinished: `open_ends`, `interrupted`, `failed`, `cut_off`, `unanswered`; empty if it is finished.
    pub unfinished: Vec<&'static str>,
    /// The id of its last turn, if known.
    pub last_turn: Option<String>,
    /// Whether its transcript is on this machine.
    pub has_transcript: bool,
}

/// A noted line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HandoffLine {
    /// Its id, by which commands refer to it.
    pub id: Option<String>,
    /// Path of its file, relative to the vault.
    pub path: String,
    /// Its number in the file, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// Whether an agent wrote it after it had read text of strangers, or nobody knows who wrote it.
    pub untrusted: bool,
}

/// A command or a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HandoffEntry {
    /// Its text.
    pub text: String,
    /// As in [`HandoffLine`].
    pub untrusted: bool,
}

/// The project that asks, and what is known of its sessions.
struct Known {
    folder: MemoryFolder,
    project: Option<LogProject>,
    all: Vec<RecentSession>,
    now: DateTime,
}

impl UseCase for HandoffRequest {
    type Response = HandoffResponse;

    fn run(&self, service: &Service<'_>) -> Result<HandoffResponse> {
        let known = self.known(service)?;
        let Some(mut session) = self.chosen(&known)? else { return Ok(HandoffResponse::default()) };
        if session.log.is_none() {
            complete(service, &mut session)?;
        }
        let mut response = known.response(service, self, &session);
        let reasons = known.reasons(&session);
        let tokens = self.tokens.unwrap_or(TOKENS).clamp(MIN_TOKENS, MAX_TOKENS);
        let text = |of: &HandoffSession| text::text(&response, of, (session.last.end, &reasons[..]), tokens);
        response.text = response.session.as_ref().map(text);
        Ok(response)
    }
}

impl HandoffRequest {
    fn known(&self, service: &Service<'_>) -> Result<Known> {
        let project = match (&self.project, &self.directory) {
            (Some(name), _) => Some(LogProject { name: Some(name.clone()), key: self.project_key.clone() }),
            (None, Some(directory)) => Some(of_directory(directory)),
            (None, None) => None,
        };
        if project.is_none() && self.session.is_none() {
            let hint = "tars handoff in a folder of the project, or tars handoff SESSION".to_owned();
            return Err(Refusal { message: "no project and no session is named".into(), hint }.into());
        }
        let (folder, now) = (service.app.memory_folder()?, service.app.environment.clock.now());
        let since = now.date().saturating_sub(LOOK_BACK.days());
        let is_meant = |of: &LogProject| project.as_ref().is_none_or(|project| is_of(of, project));
        let all = recent_sessions(&folder, since, &is_meant)?;
        Ok(Known { folder, project, all, now: now.datetime() })
    }

    /// Returns the session to hand over; `None` if the project has no other one.
    fn chosen(&self, known: &Known) -> Result<Option<RecentSession>> {
        let Some(id) = &self.session else {
            return Ok(known.all.iter().find(|session| !self.may_be_asking(session, known.now)).cloned());
        };
        let named: Vec<&RecentSession> = known.all.iter().filter(|session| session.is_named(id)).collect();
        let shown = one_line(id, 80);
        match named.as_slice() {
            [session] => Ok(Some((*session).clone())),
            [] => {
                let since = known.now.date().saturating_sub(LOOK_BACK.days());
                let elsewhere = recent_sessions(&known.folder, since, &|_| true)?;
                let of = elsewhere.iter().find(|session| session.is_named(id));
                Err(match of.and_then(|session| session.project.name.clone()) {
                    Some(project) => Refusal {
                        message: format!("the session {shown} belongs to the project {}", one_line(&project, 80)),
                        hint: "run tars handoff in a folder of that project".into(),
                    },
                    None => Refusal {
                        message: format!("no session '{shown}' was noted in the last {LOOK_BACK} days"),
                        hint: "tars sessions --open".into(),
                    },
                }
                .into())
            }
            several => {
                let ids: Vec<&str> = several.iter().take(5).map(|session| session.id.as_str()).collect();
                let message = format!("{} sessions are meant by {shown}: {}", several.len(), ids.join(", "));
                Err(Refusal { message, hint: format!("tars handoff {}", ids[0]) }.into())
            }
        }
    }

    /// Whether a session is the one that asks, or may be it.
    fn may_be_asking(&self, session: &RecentSession, now: DateTime) -> bool {
        match &self.asking {
            Some(asking) => session.is_of(asking),
            None => session.log.is_none() && now.duration_since(session.ended) < RUNNING,
        }
    }
}

impl Known {
    fn response(&self, service: &Service<'_>, request: &HandoffRequest, session: &RecentSession) -> HandoffResponse {
        let oldest = session.began.date().min(self.now.date().saturating_sub(DECISION_DAYS.days()));
        // The project that asks may have a newer name than its notes.
        let of = self.project.as_ref().unwrap_or(&session.project);
        let branches = request.directory.as_deref().and_then(|directory| Branches::of(Path::new(directory)));
        let view = ProjectView {
            name: of.name.as_deref().unwrap_or_default(),
            key: of.key.as_deref(),
            branches: branches.as_ref(),
        };
        let in_force = LinesInForce::read(service, view, oldest);
        let later: Vec<&RecentSession> = self.all.iter().filter(|other| other.ended > session.ended).collect();
        let later_lines = || later.iter().flat_map(|other| &other.lines);
        let is_ruled_out = |line: &RecentLine| {
            later_lines().any(|one| one.kind == OutcomeKind::RuledOut && same_subject(&one.text, &line.text))
        };
        let may_hold = |line: &RecentLine| view.may_hold(line.branch.as_deref());
        let is_replaced = |line: &RecentLine| {
            later_lines().any(|one| one.kind == OutcomeKind::Decided && is_same_matter(&one.text, &line.text))
        };
        let holds = |line: &RecentLine| match session.is_in_log(line) {
            true => may_hold(line) && !in_force.is_superseded(&line.text) && !is_replaced(line) && !is_ruled_out(line),
            false => in_force.holds(line.at.date(), &line.text),
        };
        let of_others = self.all.iter().filter(|other| !other.is_of(&session.id) && self.is_recent(other));
        let of_others: Vec<&RecentSession> =
            of_others.filter(|other| !request.may_be_asking(other, self.now)).collect();
        let shown = || std::iter::once(session).chain(of_others.iter().copied());
        let files: HashSet<String> =
            shown().flat_map(|one| one.lines.iter().map(|line| line.file.clone()).chain(one.log.clone())).collect();
        let untrusted = UntrustedLines::of(&self.folder, &files);
        let as_line = |line: &RecentLine| self.line(line, &untrusted);
        // Without a log it is unknown who wrote them.
        let as_entry = |text: &String| HandoffEntry {
            untrusted: session.log.as_deref().is_none_or(|log| untrusted.holds(log, 0, &format!("- `{text}`"))),
            text: text.clone(),
        };
        let lines = |is_meant: &dyn Fn(&RecentLine) -> bool| -> Vec<HandoffLine> {
            session.lines.iter().rev().filter(|line| is_meant(line)).map(as_line).collect()
        };
        let of_kind = |line: &RecentLine, kind: OutcomeKind| line.kind == kind && may_hold(line);
        let next = session.open_ends(&self.all);
        let mut asked = vec![session.topic.clone(), session.last.request.clone()];
        asked.retain(|request| !request.is_empty());
        asked.dedup();
        if asked.is_empty() {
            // Without a log and a transcript, a broken request is all that is known.
            let broken = session.lines.iter().rfind(|line| line.kind == OutcomeKind::Unfinished);
            asked.extend(broken.map(|line| line.text.clone()));
        }
        HandoffResponse {
            session: Some(self.session(session)),
            asked,
            next: next.iter().rev().map(|line| as_line(line)).collect(),
            failed: session.failed.iter().map(as_entry).collect(),
            decided: lines(&|line| line.kind == OutcomeKind::Decided && holds(line)),
            found: lines(&|line| {
                of_kind(line, OutcomeKind::Found) && !in_force.is_superseded(&line.text) && !is_ruled_out(line)
            }),
            ruled_out: lines(&|line| of_kind(line, OutcomeKind::RuledOut)),
            files: session.files.iter().map(as_entry).collect(),
            done: lines(&|line| matches!(line.kind, OutcomeKind::Done | OutcomeKind::Also | OutcomeKind::Changed)),
            earlier: of_others
                .iter()
                .filter(|other| other.ended <= session.ended)
                .flat_map(|other| other.open_ends(&self.all).into_iter().rev())
                .map(as_line)
                .collect(),
            unfinished: of_others
                .iter()
                .filter(|other| !other.unfinished(&self.all).is_empty())
                .map(|other| short_session(&other.id))
                .collect(),
            text: None,
        }
    }

    fn session(&self, session: &RecentSession) -> HandoffSession {
        HandoffSession {
            id: session.id.clone(),
            short: short_session(&session.id),
            client: session.client.map(AgentClient::name),
            project: self.project.as_ref().unwrap_or(&session.project).name.clone(),
            path: session.log.as_deref().map(|log| self.folder.vault_path(log)),
            began: session.began,
            ended: session.ended,
            unfinished: reason_names(&self.reasons(session)),
            last_turn: Some(session.last.id.clone()).filter(|id| !id.is_empty()),
            has_transcript: session.transcript.as_deref().is_some_and(|path| Path::new(path).is_file()),
        }
    }

    /// Returns why a session is unfinished.
    fn reasons(&self, session: &RecentSession) -> Vec<Unfinished> {
        if self.is_recent(session) { session.unfinished(&self.all) } else { Vec::new() }
    }

    fn is_recent(&self, session: &RecentSession) -> bool {
        session.ended.date() >= self.now.date().saturating_sub(DAYS.days())
    }

    fn line(&self, line: &RecentLine, untrusted: &UntrustedLines) -> HandoffLine {
        let RecentLine { id, file, number, text, .. } = line;
        HandoffLine {
            id: id.clone(),
            path: self.folder.vault_path(file),
            line: *number,
            text: text.clone(),
            untrusted: untrusted.holds(file, *number, text),
        }
    }
}

/// Returns the project of a folder.
fn of_directory(directory: &str) -> LogProject {
    let Project { name, key } = Project::of(Path::new(directory));
    LogProject { name: Some(name), key: Some(key) }
}

/// Whether notes of the project `of` belong to the project that asks.
fn is_of(of: &LogProject, asking: &LogProject) -> bool {
    asking.name.as_deref().is_some_and(|name| of.is(name, asking.key.as_deref()))
}

/// Completes a session without a log from its transcript, if exactly one is on this machine. Turns of a pause are left out.
fn complete(service: &Service<'_>, session: &mut RecentSession) -> Result<()> {
    let found = of_session(service, &session.id)?;
    let [path] = found.as_slice() else { return Ok(()) };
    let Some(id) = path.file_stem().and_then(|stem| stem.to_str()).filter(|id| session.is_of(id)) else {
        return Ok(());
    };
    let app = service.app;
    let log = SessionLog::new(id, Some(path), app.environment.clock.zone()).of_client(transcript::client_of(path)?);
    let mut content = SessionContent::new(log, app.pauses().times(id)?);
    let progress = SessionProgress::of(&app.settings.config.data.dir, id);
    let mut last: Option<Turn> = None;
    turns(path, &mut |turn| {
        if let Some(turn) = progress.own(turn)
            && content.add(&turn)
        {
            last = Some(turn);
        }
        ControlFlow::Continue(())
    })?;
    if let Some(turn) = last.filter(|turn| progress.lacks_end(turn)) {
        content.log.cut_off(&turn.id);
    }
    content.log.complete(session);
    Ok(())
}
