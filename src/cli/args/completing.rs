//! Completions of a shell, and the values that it is offered from the index: names of notes, ids of results, tags, collections,
//! models, conversations. Neither a model nor a note is opened for it, and what is private is in no index.
//!
//! A shell that has loaded the script of `tars completions` starts tars with [`COMPLETE`] in its environment each time that the
//! person asks for a completion. What cannot be had offers nothing: a completion never says what is wrong.

use std::ffi::{OsStr, OsString};

use clap_complete::CompletionCandidate;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter};

use crate::app::App;
use crate::assistant::conversation::Conversations;
use crate::config::Environment;
use crate::domain::{clean_line, count};
use crate::service::{IdsRequest, NotesRequest, Reach, ResultId, Service, TagsRequest};

/// The variable by which a shell says that it wants completions.
pub(in crate::cli) const COMPLETE: &str = "TARS_COMPLETE";
/// Names that are offered at most.
const MOST: usize = 200;

/// Answers a shell that asks for completions, and returns whether one did.
pub(in crate::cli) fn answer(arguments: &[OsString]) -> bool {
    let completing = clap_complete::CompleteEnv::with_factory(super::command).var(COMPLETE);
    let directory = std::env::current_dir().ok();
    completing.try_complete(arguments.iter().cloned(), directory.as_deref()).unwrap_or_else(|error| error.exit())
}

/// Names of notes and ids of results, as `tars get` takes both.
pub(super) fn notes_and_ids() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let name = typed.to_string_lossy().into_owned();
        let mut found = of_notes(&name);
        found.extend(of_ids(&name));
        found
    })
}

/// Ids of results, once their first digit was typed.
pub(super) fn ids() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| of_ids(&typed.to_string_lossy()))
}

/// Tags of notes.
pub(super) fn tags() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let found =
            app().and_then(|app| Service::new(&app, Reach::Local).call(&TagsRequest {}).ok()).unwrap_or_default();
        let one = |(tag, notes): (String, usize)| {
            CompletionCandidate::new(clean_line(&tag)).help(Some(count(notes, "note").into()))
        };
        found.into_iter().map(one).collect()
    })
}

fn of_notes(typed: &str) -> Vec<CompletionCandidate> {
    let request = NotesRequest { name: typed.to_owned(), limit: Some(MOST), ..NotesRequest::default() };
    let found = app().and_then(|app| Service::new(&app, Reach::Local).call(&request).ok());
    let paths = found.into_iter().flat_map(|found| found.notes).map(|note| note.path);
    // A shell drops what does not go on with what was typed.
    paths.filter(|path| path.starts_with(typed)).map(|path| CompletionCandidate::new(clean_line(&path))).collect()
}

fn of_ids(typed: &str) -> Vec<CompletionCandidate> {
    let request = IdsRequest { prefix: typed.to_lowercase(), limit: MOST };
    let found = app().and_then(|app| Service::new(&app, Reach::Local).call(&request).ok()).unwrap_or_default();
    let one = |found: ResultId| {
        let heading = if found.heading.is_empty() { String::new() } else { format!(" › {}", found.heading) };
        CompletionCandidate::new(found.id).help(Some(clean_line(&format!("{}{heading}", found.path)).into()))
    };
    found.into_iter().map(one).collect()
}

/// Names of the configured collections.
pub(super) fn collections() -> ArgValueCandidates {
    ArgValueCandidates::new(|| all(app().map(|app| app.collections()).unwrap_or_default()))
}

/// Ids of installed models.
pub(super) fn models() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let listed = app().and_then(|app| app.catalog().list().ok()).unwrap_or_default();
        all(listed.into_iter().map(|entry| entry.id))
    })
}

/// Ids of conversations, with their titles.
pub(super) fn conversations() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let listed = app().and_then(|app| Conversations::new(&app.settings.config.data.dir).list().ok());
        let one = |line: crate::assistant::conversation::ConversationLine| {
            CompletionCandidate::new(line.id).help(Some(clean_line(&line.title).into()))
        };
        listed.unwrap_or_default().into_iter().take(MOST).map(one).collect()
    })
}

/// Names of servers of tools.
pub(super) fn mcp_servers() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let servers = app().map(|app| app.settings.mcp_servers.clone()).unwrap_or_default();
        all(servers.into_iter().map(|server| server.name))
    })
}

fn all(names: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    names.into_iter().map(|name| CompletionCandidate::new(clean_line(&name))).collect()
}

fn app() -> Option<App> {
    App::new(Environment::of_process(), &[]).ok()
}
