//! Takes the sessions of opencode from its database, or from files that `opencode export` wrote, as kept transcripts.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::kept::KeptTranscripts;
use crate::{App, Context, Refusal, Result};
use tars_agent::client::AgentClient;
use tars_agent::client::opencode::{DATABASE, DATABASE_VARIABLE, FOLDER};
use tars_agent::transcript::opencode_sessions;

/// Most exports of a folder.
const MAX_EXPORTS: usize = 10_000;

/// The transcripts of the sessions to import.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Their paths. A session that has a log may have no file.
    pub(super) transcripts: Vec<PathBuf>,
    /// Files that could not be read, and why.
    pub(super) failed: Vec<(PathBuf, String)>,
    /// The folder of the transcripts if they must not be kept; it is removed with this value.
    _temporary: Option<tempfile::TempDir>,
}

/// Takes the sessions of `place`: a database, an export, or a folder with either. Without `place`, of opencode's own database. A session
/// that has a kept transcript or one of the logs in `logged` is not read again. In a dry run, the transcripts last as long as the answer.
pub(super) fn take_sessions(
    app: &App,
    place: Option<&Path>,
    logged: &BTreeMap<String, String>,
    dry_run: bool,
) -> Result<Taken> {
    let place = place.map(Path::to_owned).or_else(|| database(app)).ok_or_else(|| Refusal {
        message: "there is no home directory to look for opencode's database in".into(),
        hint: "tars import opencode FILE".into(),
    })?;
    let kept = KeptTranscripts::of(app, AgentClient::OpenCode);
    let temporary = dry_run.then(tempfile::tempdir).transpose()?;
    let target = match &temporary {
        Some(folder) => KeptTranscripts::in_folder(AgentClient::OpenCode, folder.path().to_owned()),
        None => KeptTranscripts::of(app, AgentClient::OpenCode),
    };
    let (mut transcripts, mut failed) = (Vec::new(), Vec::new());
    for file in files(&place).with_context(|| format!("cannot read {}", place.display()))? {
        let known = RefCell::new(Vec::new());
        let is_wanted = |id: &str| {
            let is_known = logged.contains_key(id) || kept.path(id).is_file();
            known.borrow_mut().extend(is_known.then(|| kept.path(id)));
            !is_known
        };
        let mut unwritten = None;
        let read = opencode_sessions(&file, &is_wanted, &mut |session| {
            match target.write(app, &session.id, &session.directory, &session.lines) {
                Ok(()) => transcripts.push(target.path(&session.id)),
                Err(error) => unwritten = Some(error),
            }
            if unwritten.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(error) = unwritten {
            return Err(error);
        }
        transcripts.extend(known.into_inner());
        if let Err(error) = read {
            failed.push((file, format!("{error}; tars import opencode also takes what `opencode export` writes")));
        }
    }
    Ok(Taken { transcripts, failed, _temporary: temporary })
}

/// Returns the path of opencode's database.
fn database(app: &App) -> Option<PathBuf> {
    let folder = app.environment.data_home()?.join(FOLDER);
    // A relative name is one in the client's own folder.
    let name = app.environment.variable(DATABASE_VARIABLE);
    Some(folder.join(name.unwrap_or(DATABASE.as_ref())))
}

/// Returns the databases and exports at `place`.
fn files(place: &Path) -> io::Result<Vec<PathBuf>> {
    let place = std::path::absolute(place)?;
    if !place.is_dir() {
        return Ok(vec![place]);
    }
    let database = place.join(DATABASE);
    if database.is_file() {
        return Ok(vec![database]);
    }
    let mut found: Vec<PathBuf> = fs::read_dir(&place)?.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "json") && path.is_file());
    found.sort();
    found.truncate(MAX_EXPORTS);
    Ok(found)
}
