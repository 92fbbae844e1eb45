//! `tars doctor`

use std::io::Write;

use crate::args::Doctor;
use crate::format::pluralize;
use crate::progress::Bar;
use crate::{Outcome, interrupt, json, terminal};
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
        writeln!(out, "{kind:<12} {}", terminal::sanitize_line(&line))?;
    }
    for path in &response.set_aside {
        let line = format!("{}: a damaged index that was set aside; it can be deleted", path.display());
        writeln!(out, "{:<12} {}", "set aside", terminal::sanitize_line(&line))?;
    }
    for path in &response.conflicts {
        let line = format!("{}: one side of a conflict; merge it into its file and delete it", path.display());
        writeln!(out, "{:<12} {}", "conflict", terminal::sanitize_line(&line))?;
    }
    for note in &response.front_matter {
        let line = format!("{}: {}", note.path.display(), note.detail);
        writeln!(out, "{:<12} {}", "front matter", terminal::for_output(&terminal::sanitize_line(&line), 2))?;
    }
    for UnindexedFile { path, reason } in &response.unindexed {
        writeln!(out, "{:<12} {}", "not whole", terminal::sanitize_line(&format!("{path}: {reason}")))?;
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
