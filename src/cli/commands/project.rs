//! `tars project`

use std::io::Write;

use super::proposals::present;
use crate::args::{Project, ProjectCommand};
use crate::terminal::sanitize_line;
use crate::{Outcome, format, json, terminal};
use tars_service::memory::{ProjectRequest, ProjectsRequest, UpdateProjectRequest};
use tars_service::{App, Backend, Result, Service};

pub(crate) fn run(app: &App, args: &Project) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    if let Some(ProjectCommand::Update { name, json }) = &args.command {
        let directory = std::env::current_dir().ok().map(|path| path.to_string_lossy().into_owned());
        let response = service.call(&UpdateProjectRequest { name: name.clone(), directory })?;
        return present(&service, &response, *json || args.json);
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
        terminal::print_note(&format!("{} has no page yet: tars project update {}", project.name, project.name));
    } else {
        writeln!(out, "{}  ({})", sanitize_line(&project.name), sanitize_line(&project.path))?;
        let mut section = "";
        for line in &project.lines {
            if line.section != section {
                writeln!(out, "\n{}", sanitize_line(&line.section))?;
                section = &line.section;
            }
            writeln!(out, "- {}", sanitize_line(&line.text))?;
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
        terminal::print_note("no session of a project was noted yet");
    } else {
        for project in &projects {
            let page = if project.lines.is_empty() {
                "no page".into()
            } else {
                format::pluralize(project.lines.len(), "line")
            };
            let sessions = format::pluralize(project.sessions, "session");
            writeln!(out, "{}  {sessions}, {page}", sanitize_line(&project.name))?;
        }
    }
    Ok(if projects.is_empty() { Outcome::Nothing } else { Outcome::Done })
}
