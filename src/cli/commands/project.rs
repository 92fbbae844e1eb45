//! `tars project`

use std::io::Write;

use anyhow::Result;

use super::proposals::put_before;
use crate::cli::args::{Project, ProjectCommand};
use crate::cli::terminal::clean_line;
use crate::cli::{Outcome, human, json, terminal};
use tars_service::app::App;
use tars_service::memory::{ProjectRequest, ProjectsRequest, UpdateProjectRequest};
use tars_service::{Reach, Service};

pub(in crate::cli) fn run(app: &App, args: &Project) -> Result<Outcome> {
    let service = Service::new(app, Reach::Local);
    if let Some(ProjectCommand::Update { name, json }) = &args.command {
        let response = service.call(&UpdateProjectRequest { name: name.clone() })?;
        return put_before(&service, &response, *json || args.json);
    }
    match &args.name {
        Some(name) => show(&service, name, args.json),
        None => list(&service, args.json),
    }
}

fn show(service: &Service<'_>, name: &str, as_json: bool) -> Result<Outcome> {
    let project = service.call(&ProjectRequest { name: name.to_owned() })?;
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, &project)?;
    } else if project.lines.is_empty() {
        terminal::note(&format!("{} has no page yet: tars project update {}", project.name, project.name));
    } else {
        writeln!(out, "{}  ({})", clean_line(&project.name), clean_line(&project.path))?;
        let mut section = "";
        for line in &project.lines {
            if line.section != section {
                writeln!(out, "\n{}", clean_line(&line.section))?;
                section = &line.section;
            }
            writeln!(out, "- {}", clean_line(&line.text))?;
        }
    }
    Ok(if project.lines.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

fn list(service: &Service<'_>, as_json: bool) -> Result<Outcome> {
    let projects = service.call(&ProjectsRequest {})?;
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, &projects)?;
    } else if projects.is_empty() {
        terminal::note("no session of a project was noted yet");
    } else {
        for project in &projects {
            let page =
                if project.lines.is_empty() { "no page".into() } else { human::count(project.lines.len(), "line") };
            let sessions = human::count(project.sessions, "session");
            writeln!(out, "{}  {sessions}, {page}", clean_line(&project.name))?;
        }
    }
    Ok(if projects.is_empty() { Outcome::Nothing } else { Outcome::Done })
}
