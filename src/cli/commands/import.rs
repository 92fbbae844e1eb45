//! `tars import`

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use crate::app::{App, Imported};
use crate::cli::args::ImportClaudeCode;
use crate::cli::human::count;
use crate::cli::progress::Bar;
use crate::cli::terminal::clean_line;
use crate::cli::{Outcome, interrupt, json, terminal};
use crate::service::Refusal;

#[derive(Serialize)]
struct ImportJson<'a> {
    logs: Vec<LogJson<'a>>,
    known: usize,
    empty: usize,
    failed: Vec<FailedJson<'a>>,
    interrupted: bool,
    dry_run: bool,
}

#[derive(Serialize)]
struct LogJson<'a> {
    session: &'a str,
    path: String,
    topic: &'a str,
    transcript: String,
}

#[derive(Serialize)]
struct FailedJson<'a> {
    transcript: String,
    error: &'a str,
}

pub(in crate::cli) fn run(app: &App, args: &ImportClaudeCode) -> Result<Outcome> {
    interrupt::listen();
    let place = args.folder.clone().or_else(|| app.claude_code_projects()).ok_or_else(|| Refusal {
        message: "there is no home directory to look for transcripts in".into(),
        hint: "tars import claude-code DIR".into(),
    })?;
    let imported = app.import_claude_code(&place, args.dry_run, &Bar::new(args.json))?;
    let folder = app.memory_folder()?;
    let Imported { logs, known, empty, failed, interrupted } = &imported;
    let mut out = anstream::stdout().lock();
    if args.json {
        let logs = logs.iter().map(|log| LogJson {
            session: &log.session,
            path: folder.shown(&log.file),
            topic: &log.topic,
            transcript: log.transcript.display().to_string(),
        });
        let failed = failed.iter().map(|(path, error)| FailedJson { transcript: path.display().to_string(), error });
        let answer = ImportJson {
            logs: logs.collect(),
            known: *known,
            empty: *empty,
            failed: failed.collect(),
            interrupted: *interrupted,
            dry_run: args.dry_run,
        };
        json::line(&mut out, &answer)?;
    } else {
        let verb = if args.dry_run { "would write" } else { "written" };
        for log in logs {
            writeln!(out, "{verb}  {}  {}", clean_line(&folder.shown(&log.file)), clean_line(&log.topic))?;
        }
        for (_, error) in failed {
            terminal::note(error);
        }
        let known = if *known > 0 { format!(", {known} known") } else { String::new() };
        let empty = if *empty > 0 { format!(", {empty} without a turn") } else { String::new() };
        terminal::note(&format!("{verb}: {}{known}{empty}", count(logs.len(), "session log")));
    }
    Ok(match (interrupted, failed.is_empty(), logs.len() + known) {
        (true, ..) => Outcome::Interrupted,
        (_, false, _) => Outcome::Partial,
        (_, _, 0) => Outcome::Nothing,
        _ => Outcome::Done,
    })
}
