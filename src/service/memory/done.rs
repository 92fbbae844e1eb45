//! Finds open ends, and ticks those that are done.

use jiff::ToSpan;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::sessions::{UnfinishedSession, unfinished_sessions};
use crate::{Refusal, Result, Service, UseCase};
use tars_memory::{Bullet, OpenEnd, matching_items};
use tars_vault::MemoryFolder;

/// Days to look back for open ends.
const DAYS: i64 = 180;

/// Asks for the open ends of the last half year, and ticks some of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DoneRequest {
    /// Words of the open ends, or the prefix of an id; empty for all of them. If no open end matches, the id of an unfinished session means
    /// its open ends, and ticks all of them.
    pub query: String,
    /// Which of those that match to tick.
    pub tick: Tick,
}

/// Which of the found open ends to tick.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tick {
    /// None: only find them.
    #[default]
    None,
    /// The only one; several are refused.
    One,
    /// All of them.
    All,
}

/// The open ends that match, and those that were ticked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoneResponse {
    /// Open ends that match, newest first.
    pub found: Vec<OpenEndLine>,
    /// Lines that were ticked, also earlier ones that say the same.
    pub ticked: Vec<MemoryLine>,
    /// The unfinished session that the words name, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// An open end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpenEndLine {
    /// The day of its newest line.
    pub day: Date,
    /// The project of its session.
    pub project: Option<String>,
    /// Its text, without time and label.
    pub said: String,
    /// The newest line.
    #[serde(flatten)]
    pub line: MemoryLine,
}

impl UseCase for DoneRequest {
    type Response = DoneResponse;

    fn run(&self, service: &Service<'_>) -> Result<DoneResponse> {
        let folder = service.app.memory_folder()?;
        let since = service.app.environment.clock.today().saturating_sub(DAYS.days());
        let all = tars_memory::open_ends(&folder, since)?;
        let found: Vec<&OpenEnd> = match self.query.trim().is_empty() {
            true => all.iter().collect(),
            false => matching_items(&all, &self.query, |end| (&end.bullet.id, &end.text)),
        };
        let session = if found.is_empty() { self.session(service, &folder)? } else { None };
        let found: Vec<&OpenEnd> = match &session {
            Some(session) => all.iter().filter(|end| session.left(end)).collect(),
            None => found,
        };
        let unticked: Vec<&OpenEnd> = match self.tick {
            Tick::None => Vec::new(),
            Tick::One if found.len() > 1 && session.is_none() => {
                let message = format!("{} open ends match: nothing was ticked", found.len());
                return Err(Refusal { message, hint: "tars done ID for one of them, or --all for all".into() }.into());
            }
            Tick::One | Tick::All => found.clone(),
        };
        let lines: Vec<Bullet> =
            unticked.iter().flat_map(|end| end.earlier.iter().chain([&end.bullet])).cloned().collect();
        let log = session.as_ref().and_then(|session| session.log.as_deref()).filter(|_| self.tick != Tick::None);
        let mut ticked = Vec::new();
        if !lines.is_empty() || log.is_some() {
            let mut writer = service.writer(&folder, "done")?;
            ticked = tars_memory::tick(&mut writer, &lines)?;
            if let Some(log) = log {
                tars_memory::mark_session_done(&mut writer, log, service.app.environment.clock.today())?;
            }
        }
        let line = |end: &OpenEnd| OpenEndLine {
            day: end.day,
            project: end.project.name.clone(),
            said: end.text.clone(),
            line: MemoryLine::new(&folder, &end.bullet),
        };
        Ok(DoneResponse {
            found: found.into_iter().map(line).collect(),
            ticked: MemoryLine::list(&folder, &ticked),
            session: session.map(|session| session.id),
        })
    }
}

/// The unfinished session that a request names.
struct NamedSession {
    id: String,
    log: Option<String>,
    /// Ids of the lines of its open ends.
    open_ends: Vec<String>,
}

impl NamedSession {
    fn left(&self, end: &OpenEnd) -> bool {
        end.earlier.iter().chain([&end.bullet]).any(|line| self.open_ends.contains(&line.id))
    }
}

impl DoneRequest {
    /// Returns the unfinished session that the query names; `None` if there is none, or several.
    fn session(&self, service: &Service<'_>, folder: &MemoryFolder) -> Result<Option<NamedSession>> {
        let query = self.query.trim();
        if query.is_empty() || query.contains(char::is_whitespace) {
            return Ok(None);
        }
        let mut found = unfinished_sessions(folder, service.app.environment.clock.today())?;
        found.retain(|one| one.session.is_named(query));
        let [UnfinishedSession { session, open_ends, .. }] = found.as_slice() else { return Ok(None) };
        let open_ends = open_ends.iter().filter_map(|line| line.id.clone()).collect();
        Ok(Some(NamedSession { id: session.id.clone(), log: session.log.clone(), open_ends }))
    }
}
