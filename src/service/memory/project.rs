//! The pages of projects.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::proposals::{ProposeResponse, propose};
use crate::{Error, Refusal, Result, Service, UseCase};
use tars_agent::project::{Branches, Project};
use tars_chat::tasks::Task;
use tars_memory::bullets_of;
use tars_memory::upkeep::{self, ProjectSeen, ProjectView};
use tars_text::redact::redact;
use tars_vault::MemoryFolder;

/// Asks for the projects with noted sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectsRequest {}

/// Asks for the page of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectRequest {
    /// The project: `owner/name`, or a name that only one project has.
    pub name: String,
}

/// Asks for proposals that would bring a project's page up to date, and puts them on the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateProjectRequest {
    /// The project, as in [`ProjectRequest`].
    pub name: String,
    /// A working directory of the project: its repository tells which branches are merged. Without one, decisions of side branches stay
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
}

/// A project and its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProjectResponse {
    /// Its name.
    pub name: String,
    /// Its key, if a note states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Number of its sessions in the daily logs.
    pub sessions: usize,
    /// Path of its page, relative to the vault, even if the page does not exist.
    pub path: String,
    /// The lines of the page.
    pub lines: Vec<PageLine>,
}

/// A line of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PageLine {
    /// The heading above it.
    pub section: String,
    /// Its text.
    pub text: String,
}

impl UseCase for ProjectsRequest {
    type Response = Vec<ProjectResponse>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<ProjectResponse>> {
        let folder = service.app.memory_folder()?;
        upkeep::projects(&folder)?.into_iter().filter_map(|seen| page(&folder, seen).transpose()).collect()
    }
}

impl UseCase for ProjectRequest {
    type Response = ProjectResponse;

    fn run(&self, service: &Service<'_>) -> Result<ProjectResponse> {
        let folder = service.app.memory_folder()?;
        let seen = named(&folder, &self.name)?;
        page(&folder, seen)?.ok_or_else(|| unknown(&self.name))
    }
}

impl UseCase for UpdateProjectRequest {
    type Response = ProposeResponse;

    fn run(&self, service: &Service<'_>) -> Result<ProposeResponse> {
        let folder = service.app.memory_folder()?;
        let seen = named(&folder, &self.name)?;
        let directory = self.directory.as_deref().map(Path::new);
        let is_own = |directory: &&Path| seen.key.as_ref().is_some_and(|key| Project::of(directory).key == *key);
        let branches = directory.filter(is_own).and_then(Branches::of);
        let of = ProjectView { name: &seen.name, key: seen.key.as_deref(), branches: branches.as_ref() };
        propose(service, &folder, (Task::Project, "project update"), |entries, model, read| {
            Ok(upkeep::project_page(&folder, of, entries, (model.unwrap_or_default(), read))?)
        })
    }
}

/// Returns the only project with this name.
fn named(folder: &MemoryFolder, name: &str) -> Result<ProjectSeen> {
    let all = upkeep::projects(folder)?;
    let of_name = |is_meant: &dyn Fn(&ProjectSeen) -> bool| -> Vec<ProjectSeen> {
        all.iter().filter(|seen| is_meant(seen)).cloned().collect()
    };
    let mut found = of_name(&|seen| seen.name == name);
    if found.is_empty() {
        found = of_name(&|seen| tars_agent::project::short_name(&seen.name) == name);
    }
    match (found.pop(), found.is_empty()) {
        (Some(seen), true) if upkeep::page_file(&seen.name).is_some() => Ok(seen),
        _ => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> Error {
    let message = format!("no single project with noted sessions is called {name:?}");
    Refusal { message, hint: "tars project".into() }.into()
}

fn page(folder: &MemoryFolder, seen: ProjectSeen) -> Result<Option<ProjectResponse>> {
    let Some(file) = upkeep::page_file(&seen.name) else { return Ok(None) };
    let line = |bullet: tars_memory::Bullet| PageLine {
        section: bullet.heading,
        text: redact(&bullet.text).text.into_owned(),
    };
    let lines = bullets_of(folder, &file)?.into_iter().map(line).collect();
    let ProjectSeen { name, key, sessions } = seen;
    Ok(Some(ProjectResponse { name, key, sessions, path: folder.vault_path(&file), lines }))
}
