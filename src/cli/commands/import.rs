//! `tars import`

use std::io::Write;

use crate::args::ImportClaudeCode;
use crate::format::pluralize;
use crate::progress::Bar;
use crate::terminal::sanitize_line;
use crate::{Outcome, interrupt, json, terminal};
use tars_service::sessions::{ImportRequest, ImportResponse};
use tars_service::{App, Backend, Result, Service};

pub(crate) fn run(app: &App, args: &ImportClaudeCode) -> Result<Outcome> {
    interrupt::listen();
    let bar = Bar::new(args.json);
    let service = Service::new(app, Backend::Local).with_observer(&bar);
    let response = service.call(&ImportRequest { folder: args.folder.clone(), dry_run: args.dry_run })?;
    let ImportResponse { logs, known, empty, failed, interrupted, dry_run } = &response;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &response)?;
    } else {
        let verb = if *dry_run { "would write" } else { "written" };
        for log in logs {
            writeln!(out, "{verb}  {}  {}", sanitize_line(&log.path), sanitize_line(&log.topic))?;
        }
        for failed in failed {
            terminal::print_note(&failed.error);
        }
        let known = if *known > 0 { format!(", {known} known") } else { String::new() };
        let empty = if *empty > 0 { format!(", {empty} without a turn") } else { String::new() };
        terminal::print_note(&format!("{verb}: {}{known}{empty}", pluralize(logs.len(), "session log")));
    }
    Ok(match (interrupted, failed.is_empty(), logs.len() + known) {
        (true, ..) => Outcome::Interrupted,
        (_, false, _) => Outcome::Partial,
        (_, _, 0) => Outcome::Nothing,
        _ => Outcome::Done,
    })
}
