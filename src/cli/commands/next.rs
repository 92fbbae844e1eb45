//! `tars next`, and `tars` alone unless the picker is shown: the current state, and the next steps.

use std::io::Write;
use std::path::Path;

use crate::Outcome;
use crate::format::pluralize;
use crate::terminal::{for_output, sanitize_line};
use tars_config::Provider;
use tars_service::setup::FindVaultsRequest;
use tars_service::{App, Backend, Result, Service, StatusReport, StatusRequest};

/// Columns of a label.
const INDENT: usize = 9;

/// A command and its purpose.
type Step = (String, &'static str);

pub(crate) fn run(app: &App) -> Result<Outcome> {
    let service = Service::new(app, Backend::Fallback);
    let (lines, steps) = match app.collections().is_empty() {
        true => without_vault(app, &service)?,
        false => with_vault(app, &service.call(&StatusRequest {})?),
    };
    let mut out = anstream::stdout().lock();
    for line in lines {
        writeln!(out, "{}", for_output(&line, INDENT))?;
    }
    let width = steps.iter().map(|(command, _)| command.chars().count()).max().unwrap_or_default();
    for (at, (command, what)) in steps.iter().enumerate() {
        let label = if at == 0 { "next" } else { "" };
        writeln!(out, "{}", for_output(format!("{label:<INDENT$}{command:<width$}  {what}").trim_end(), INDENT))?;
    }
    Ok(Outcome::Done)
}

fn without_vault(app: &App, service: &Service<'_>) -> Result<(Vec<String>, Vec<Step>)> {
    let found = service.call(&FindVaultsRequest::default())?.vaults;
    let mut lines = vec![line("vault", "none is set yet, so nothing is indexed or remembered")];
    lines.extend(found.iter().map(|vault| {
        let (path, notes) = (in_home(app, &vault.path), pluralize(vault.notes, "note"));
        line("", &format!("Obsidian has {path} ({notes})"))
    }));
    let mut steps: Vec<Step> = match found.is_empty() {
        true => vec![("tars init FOLDER".into(), "names the folder that holds your notes")],
        false => {
            let init =
                |path: &Path| (format!("tars init {}", quoted(path)), "makes it your vault; nothing in it changes");
            let asked = ("tars init".to_owned(), "sets tars up, a question at a time");
            std::iter::once(asked).chain(found.iter().take(1).map(|vault| init(&vault.path))).collect()
        }
    };
    steps.push(("tars --help".into(), "lists all commands"));
    Ok((lines, steps))
}

fn with_vault(app: &App, status: &StatusReport) -> (Vec<String>, Vec<Step>) {
    let mut lines = Vec::new();
    for collection in &status.collections {
        let state = match (&collection.problem, collection.pending) {
            (Some(problem), _) => problem.clone(),
            (None, 0) if status.last_index.is_some() || collection.files > 0 => {
                format!("{}, all in the index", pluralize(collection.files, "note"))
            }
            (None, 0) => "no notes".into(),
            (None, pending) => {
                format!(
                    "{} in the index, {} to bring in",
                    pluralize(collection.files, "note"),
                    pluralize(pending, "note")
                )
            }
        };
        let root = in_home(app, Path::new(&collection.root));
        lines.push(line(&collection.name, &format!("{root}: {state}")));
    }
    let wanted = status.model.provider != Provider::None;
    let waiting = status.passages.saturating_sub(status.embedded);
    if let Some(problem) = status.model.problem.as_ref().filter(|_| wanted) {
        lines.push(line("meaning", &format!("only words are searched: {problem}")));
    } else if wanted && waiting > 0 {
        let (embedded, all) = (status.embedded, pluralize(status.passages, "passage"));
        lines.push(line("meaning", &format!("{embedded} of {all} embedded; words answer already")));
    }
    if let Some(change) = &status.model_change {
        let (to, embedded, all) = (&change.to, change.embedded, pluralize(change.passages, "passage"));
        lines.push(line(
            "changing",
            &format!("{embedded} of {all} embedded with {to}; the former model answers meanwhile"),
        ));
    }
    let watcher = if status.watcher { "runs, and keeps the index up to date" } else { "not running" };
    lines.push(line("watcher", watcher));
    if !status.paused.is_empty() {
        lines.push(line("paused", "sessions are not noted and get no context (tars resume --all)"));
    }
    let changing = status.model_change.is_some();
    let changed = status.collections.iter().any(|collection| collection.pending > 0);
    let mut steps: Vec<Step> = Vec::new();
    if status.files == 0 && (changed || status.last_index.is_none()) {
        steps.push(("tars index".into(), "brings your notes in; their words answer within seconds"));
    } else {
        if !status.watcher && (changed || changing || wanted && waiting > 0 && status.model.problem.is_none()) {
            steps.push(("tars index".into(), "brings in what is missing"));
        }
        steps.push(("tars search QUESTION".into(), "asks your notes"));
    }
    if !status.watcher {
        steps.push(("tars watch --detach".into(), "keeps the index up to date and answers faster"));
    }
    steps.push(("tars status".into(), "shows all of this in detail"));
    steps.push(("tars --help".into(), "lists all commands"));
    (lines, steps)
}

fn line(label: &str, text: &str) -> String {
    format!("{:<INDENT$}{}", sanitize_line(label), sanitize_line(text))
}

/// Returns a path with `~` for the home folder.
pub(super) fn in_home(app: &App, path: &Path) -> String {
    let below = app.environment.home.as_ref().and_then(|home| path.strip_prefix(home).ok());
    sanitize_line(&below.map_or_else(|| path.display().to_string(), |below| format!("~/{}", below.display())))
}

/// Returns a path quoted as one shell word.
pub(super) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
