//! `tars doctor`

use std::io::Write;
use std::path::Path;

use crate::args::Doctor;
use crate::format::pluralize;
use crate::progress::Bar;
use crate::{Outcome, interrupt, json, terminal};
use tars_service::setup::HooksState;
use tars_service::{
    App, Backend, ClientRemark, DataProblemKind, DoctorRequest, DoctorResponse, Result, Service, UnindexedFile,
};

pub(crate) fn run(app: &App, args: &Doctor) -> Result<Outcome> {
    if args.repair {
        interrupt::listen();
    }
    let bar = Bar::new(args.json);
    let service = Service::new(app, Backend::Local).with_observer(&bar);
    let response = service.call(&DoctorRequest { repair: args.repair })?;
    show(args, &response)?;
    Ok(match response.report {
        Some(report) if report.interrupted => Outcome::Interrupted,
        Some(report) if report.failed > 0 => Outcome::Partial,
        _ if response.healthy => Outcome::Done,
        _ => Outcome::Nothing,
    })
}

/// Writes a finding, and the command that mends it.
fn write_line(out: &mut impl Write, kind: &str, finding: &str, command: &str) -> Result<()> {
    writeln!(out, "{kind:<12} {}", terminal::for_output(&terminal::sanitize_line(finding), 2))?;
    writeln!(out, "{:<12} {}", "", terminal::sanitize_line(&format!("try: {command}")))?;
    Ok(())
}

/// Returns a command with a path as its argument, quoted for a shell.
fn with_path(command: &str, path: &Path) -> String {
    let path = path.to_string_lossy();
    // A path with a NUL cannot exist.
    format!("{command} {}", shlex::try_quote(&path).unwrap_or_default())
}

fn show(args: &Doctor, response: &DoctorResponse) -> Result<()> {
    let mut out = anstream::stdout().lock();
    if args.json {
        return json::line(&mut out, response);
    }
    for done in &response.repaired {
        writeln!(out, "{:<12} {}", "repaired", terminal::sanitize_line(done))?;
    }
    for problem in &response.problems {
        let kind = match problem.kind {
            DataProblemKind::Index => "index",
            DataProblemKind::Permissions => "permissions",
            DataProblemKind::Leftover => "left over",
        };
        let line = format!("{}: {}", problem.path.display(), problem.detail);
        write_line(&mut out, kind, &line, "tars doctor --repair")?;
    }
    for path in &response.set_aside {
        let line = format!("{}: a damaged index that was set aside", path.display());
        write_line(&mut out, "set aside", &line, &with_path("rm", path))?;
    }
    for path in &response.conflicts {
        let line = format!("{}: one side of a conflict", path.display());
        write_line(&mut out, "conflict", &line, "tars conflicts --resolve")?;
    }
    for note in &response.front_matter {
        let line = format!("{}: {}", note.path.display(), note.detail);
        write_line(&mut out, "front matter", &line, &with_path("tars open", &note.path))?;
    }
    for UnindexedFile { path, reason } in &response.unindexed {
        let command = if reason.contains("index.max_file_size") { "tars config edit" } else { "tars status --verbose" };
        write_line(&mut out, "not indexed", &format!("{path}: {reason}"), command)?;
    }
    for agent in &response.agents {
        let state = match agent.hooks {
            HooksState::Missing => "no hooks",
            _ => "hooks of another version, or edited",
        };
        let command = format!("tars agents install {}", agent.client);
        write_line(&mut out, "agent", &format!("{}: {state}", agent.label), &command)?;
    }
    for ClientRemark { client, detail } in &response.clients {
        let line = format!("{} {detail}", client.label());
        writeln!(out, "{:<12} {}", "client", terminal::for_output(&terminal::sanitize_line(&line), 13))?;
    }
    match response.problems.len() {
        0 => writeln!(out, "{:<12} {}", "healthy", terminal::sanitize_line(&response.database.display().to_string()))?,
        problems => terminal::print_note(&format!("found {}: tars doctor --repair", pluralize(problems, "problem"))),
    }
    Ok(())
}
