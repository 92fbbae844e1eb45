//! The turns of a session with an agent, read from its transcript. Secrets are redacted.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kept::kept_transcripts_of;
use super::places::{newest_of_sessions, transcripts_of};
use crate::{Refusal, Result, Service, UseCase};
use tars_agent::client::opencode::SESSION_PREFIX;
use tars_agent::digest::headline;
use tars_agent::transcript::turns;
use tars_base::domain::Turn;
use tars_memory::decoded_path;
use tars_text::cleaning::truncated;
use tars_text::redact::redact_turn;

/// Minimum length of a turn id's prefix, in characters.
const SHORTEST_ID: usize = 4;
/// Characters of a request to show in a list.
const SHOWN: usize = 100;
/// Maximum number of turns to show on either side of a turn, because turns are long.
const MAX_AROUND: usize = 100;

/// Asks for the turns of a session, a line each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TurnsRequest {
    /// The transcript: the agent's file, or the id of a session, as notes have it.
    pub file: PathBuf,
}

/// The turns, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct TurnsResponse {
    /// A line for each.
    pub turns: Vec<TurnLine>,
    /// Skipped lines of the transcript: not JSON, or too long.
    #[serde(skip)]
    pub unread: usize,
}

/// A turn in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TurnLine {
    /// The turn's id.
    pub id: String,
    /// When the person sent the request.
    pub at: Option<Timestamp>,
    /// The beginning of the request.
    pub request: String,
}

/// Asks for a turn in full, and for the turns around it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TurnRequest {
    /// The transcript, as in [`TurnsRequest`].
    pub file: PathBuf,
    /// The turn's id, or a unique prefix of four characters or more.
    pub id: String,
    /// Number of turns before it and after it, 100 at most.
    pub context: usize,
}

/// The turns, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct TurnResponse {
    /// The requested turn and the turns around it.
    pub turns: VecDeque<Turn>,
    /// Skipped lines of the transcript: not JSON, or too long.
    #[serde(skip)]
    pub unread: usize,
}

impl UseCase for TurnsRequest {
    type Response = TurnsResponse;

    fn run(&self, service: &Service<'_>) -> Result<TurnsResponse> {
        let mut listed = Vec::new();
        let unread = turns(&located(service, &self.file)?, &mut |turn| {
            let turn = redact_turn(&turn);
            let request = headline(&turn.request).unwrap_or_default();
            listed.push(TurnLine { id: turn.id, at: turn.at, request: truncated(&request, SHOWN) });
            ControlFlow::Continue(())
        })?;
        Ok(TurnsResponse { turns: listed, unread })
    }
}

impl UseCase for TurnRequest {
    type Response = TurnResponse;

    fn run(&self, service: &Service<'_>) -> Result<TurnResponse> {
        let around = self.context;
        if around > MAX_AROUND {
            let message = format!("context is {around}, not 0 to {MAX_AROUND}");
            return Err(Refusal { message, hint: "fewer turns, or the list of them".into() }.into());
        }
        let file = located(service, &self.file)?;
        let id = full_id(&file, &self.id)?;
        let mut shown: VecDeque<Turn> = VecDeque::new();
        let mut after = None;
        let unread = turns(&file, &mut |turn| {
            match &mut after {
                Some(0) => return ControlFlow::Break(()),
                Some(left) => *left -= 1,
                None if turn.id == id => after = Some(around),
                None if shown.len() == around => {
                    shown.pop_front();
                }
                None => {}
            }
            if after.is_some() || around > 0 {
                shown.push_back(redact_turn(&turn));
            }
            ControlFlow::Continue(())
        })?;
        Ok(TurnResponse { turns: shown, unread })
    }
}

/// Returns the transcript that `named` means: a file, the path in the comment of an older note, which encodes blanks, or the id of a
/// session as a note has it.
fn located(service: &Service<'_>, named: &Path) -> Result<PathBuf> {
    let Some(name) = named.to_str().filter(|_| !named.exists()) else { return Ok(named.to_owned()) };
    let name = name.strip_prefix(SESSION_PREFIX).unwrap_or(name);
    let anchored = PathBuf::from(decoded_path(name));
    if anchored.exists() {
        return Ok(anchored);
    }
    let is_id = name.len() >= SHORTEST_ID && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let mut found = if is_id { of_session(service, name)? } else { Vec::new() };
    match found.len() {
        0 => Ok(named.to_owned()),
        1 => Ok(found.remove(0)),
        count => {
            let hint = "give more of the id, or the path of one of them".to_owned();
            Err(Refusal { message: format!("{count} transcripts have an id that begins with {name}"), hint }.into())
        }
    }
}

/// Returns the existing transcripts of sessions whose id begins with `id`: those that session logs name, and those in the clients' folders.
pub(super) fn of_session(service: &Service<'_>, id: &str) -> Result<Vec<PathBuf>> {
    let mut found: BTreeSet<PathBuf> = BTreeSet::new();
    if let Ok(folder) = service.app.memory_folder() {
        let logged = tars_memory::logged_transcripts(&folder)?.into_iter();
        found.extend(logged.filter(|(session, _)| session.starts_with(id)).map(|(_, path)| PathBuf::from(path)));
    }
    found.extend(kept_transcripts_of(service.app, id));
    found.extend(transcripts_of(service.app, id));
    Ok(newest_of_sessions(found.into_iter().filter(|path| path.is_file()).collect()))
}

/// Returns the full id of the turn that `id` names.
fn full_id(file: &Path, id: &str) -> Result<String> {
    let mut found: Vec<String> = Vec::new();
    turns(file, &mut |turn| {
        if turn.id == id {
            found = vec![turn.id];
            return ControlFlow::Break(());
        }
        if id.len() >= SHORTEST_ID && turn.id.starts_with(id) && !found.contains(&turn.id) {
            found.push(turn.id);
        }
        ControlFlow::Continue(())
    })?;
    let hint = format!("tars transcript {}", file.display());
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Refusal { message: format!("no turn is called {id}"), hint }.into()),
        several => Err(Refusal { message: format!("{several} turns begin with {id}"), hint }.into()),
    }
}
