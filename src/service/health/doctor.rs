//! Checks and repairs the data of tars.

use std::fs;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::UnindexedFile;
use super::clients::{self, ClientRemark};
use super::data_dir_audit::{DataDirectory, DataProblem, DataProblemKind};
use crate::setup::{AgentReport, AgentsResponse, HooksState};
use crate::{App, ENGINE, IndexScope, Result, Service, UseCase};
use tars_engine::index::Report;
use tars_store::StoreError;
use tars_text::markdown;
use tars_text::redact::redact;
use tars_vault::{read, walk};

/// Examines everything in the data directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DoctorRequest {
    /// Whether to repair problems; otherwise nothing is changed.
    pub repair: bool,
}

/// The result of the examination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorResponse {
    /// Whether there are no problems.
    pub healthy: bool,
    /// The database.
    pub database: PathBuf,
    /// The problems; with `--repair`, those that remain.
    pub problems: Vec<DataProblem>,
    /// The repairs, a line each.
    pub repaired: Vec<String>,
    /// Damaged indexes that were set aside; they can be deleted.
    pub set_aside: Vec<PathBuf>,
    /// Files of the memory folder that hold one side of a conflict, for a person to merge.
    pub conflicts: Vec<PathBuf>,
    /// Notes with front matter that YAML refuses. Tars reads such a note, and its keys line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub front_matter: Vec<RefusedFrontMatter>,
    /// Files that are not indexed, or not wholly, by absolute path.
    pub unindexed: Vec<UnindexedFile>,
    /// The agents of this machine whose hooks are missing, or not as this version writes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentReport>,
    /// Remarks about clients of agents in which the plugin is installed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<ClientRemark>,
    /// The run that rebuilt a damaged index, if one did.
    #[serde(skip)]
    pub report: Option<Report>,
}

/// A note with front matter that YAML refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RefusedFrontMatter {
    /// The note.
    pub path: PathBuf,
    /// The fault that YAML finds, with its line.
    pub detail: String,
}

impl UseCase for DoctorRequest {
    type Response = DoctorResponse;

    fn run(&self, service: &Service<'_>) -> Result<DoctorResponse> {
        if !self.repair {
            return examine(service.app);
        }
        let lock = service.lock_index()?;
        service.close();
        let Service { app, observer, .. } = service;
        let found = examine(app)?;
        let (mut repaired, mut report) = (Vec::new(), None);
        if found.problems.iter().any(|problem| problem.kind == DataProblemKind::Index) && app.is_damaged()? {
            let aside = ENGINE.set_aside(&app.database(), app.environment.clock.timestamp())?;
            let mut made = app.index(&lock, &IndexScope::default(), &app.model(app.workers()), *observer)?;
            repaired.push(format!("the index is rebuilt; the damaged one is {}", aside.display()));
            made.set_aside = Some(aside);
            report = Some(made);
        }
        for DataProblem { kind, path, .. } in found.problems {
            match kind {
                DataProblemKind::Index => continue,
                DataProblemKind::Leftover => {
                    fs::remove_file(&path)?;
                    repaired.push(format!("{} is deleted", path.display()));
                }
                DataProblemKind::Permissions => match DataDirectory::of(app).make_private(&path) {
                    // The folder holds foreign files, so the problem remains.
                    Ok(false) => {}
                    Ok(true) => repaired.push(format!("{} is now accessible to its owner only", path.display())),
                    // It belongs to another user, so the problem remains.
                    Err(error) => tracing::debug!(%error, "{} cannot be changed", path.display()),
                },
            }
        }
        Ok(DoctorResponse { repaired, report, ..examine(app)? })
    }
}

/// Examines everything in the data directory; nothing is changed.
///
/// # Errors
/// There is no index; or it belongs to another program or to a newer tars.
fn examine(app: &App) -> Result<DoctorResponse> {
    let database = app.database();
    let mut problems = Vec::new();
    match ENGINE.examine(&database) {
        Ok(flaws) => {
            let problem = |flaw: tars_store::Flaw| DataProblem::new(DataProblemKind::Index, &database, flaw.detail);
            problems.extend(flaws.into_iter().map(problem));
        }
        // The next run converts it.
        Err(StoreError::Older { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    problems.extend(DataDirectory::of(app).exposed());
    problems.extend(DataDirectory::of(app).leftovers());
    Ok(DoctorResponse {
        healthy: problems.is_empty(),
        set_aside: ENGINE.set_aside_indexes(&database).unwrap_or_default(),
        database,
        problems,
        repaired: Vec::new(),
        conflicts: conflicts(app)?,
        front_matter: refused_front_matter(app),
        unindexed: unindexed(app),
        agents: agents(app),
        clients: clients::remarks(app),
        report: None,
    })
}

/// Returns the agents of this machine whose hooks need the person; empty if no agent was ever joined, because many people want none.
fn agents(app: &App) -> Vec<AgentReport> {
    let Ok(AgentsResponse { agents }) = AgentsResponse::of(app) else { return Vec::new() };
    let is_used = agents.iter().any(|agent| agent.costs.is_some() || agent.hooks == HooksState::Current);
    let needs =
        |agent: &AgentReport| agent.is_present && matches!(agent.hooks, HooksState::Missing | HooksState::Different);
    agents.into_iter().filter(|agent| is_used && needs(agent)).collect()
}

/// Returns the notes whose front matter YAML refuses, by path. Private and unreadable notes, and folders that are away, are left out.
fn refused_front_matter(app: &App) -> Vec<RefusedFrontMatter> {
    let mut refused = Vec::new();
    for root in app.roots().unwrap_or_default().into_iter().filter(|root| app.shows(&root.name)) {
        let Ok(found) = walk(&root.path, &app.walk_options()) else { continue };
        for note in found.notes {
            let Ok(file) = read(&root.path, &note.path, app.settings.config.index.max_file_size) else { continue };
            let document = markdown::parse(&note.path, &redact(&file.text).text);
            if let Some(detail) = document.front_matter_error.filter(|_| !document.private) {
                refused.push(RefusedFrontMatter { path: root.path.join(&note.path), detail });
            }
        }
    }
    refused.sort_by(|one, other| one.path.cmp(&other.path));
    refused
}

/// Returns the files that are not indexed, or not wholly; empty while the index or the folders cannot be read, which is a problem of its
/// own.
fn unindexed(app: &App) -> Vec<UnindexedFile> {
    let collections = app.status().map(|status| status.collections).unwrap_or_default();
    let whole = |root: &str, file: UnindexedFile| UnindexedFile { path: format!("{root}/{}", file.path), ..file };
    let shown = collections.into_iter().filter(|one| app.shows(&one.name));
    let files = shown.map(|one| (one.root, one.unindexed));
    files.flat_map(|(root, files)| files.into_iter().map(move |file| whole(&root, file))).collect()
}

/// Returns the conflict files of the memory folder; empty without a vault, or while the vault is away.
fn conflicts(app: &App) -> Result<Vec<PathBuf>> {
    let Ok(folder) = app.memory_folder() else { return Ok(Vec::new()) };
    Ok(folder.conflicts()?.iter().map(|file| folder.path().join(file)).collect())
}
