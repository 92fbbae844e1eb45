//! Shell completions with values from the index: names of notes, ids of results, tags, collections, models, conversations. They open
//! neither a model nor a note, and no index contains private notes.
//!
//! A shell that has loaded the script of `tars completions` starts tars with [`COMPLETE`] in its environment for each completion. Errors
//! yield no candidates, because a completion has no place for a message.

use std::ffi::{OsStr, OsString};

use clap_complete::CompletionCandidate;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter};

use tars_assistant::conversation::Conversations;
use tars_base::domain::{pluralize, sanitize_line};
use tars_config::Environment;
use tars_service::{App, Backend, IdsRequest, NotesRequest, ResultId, Service, TagsRequest};

/// The environment variable by which a shell requests completions.
pub(crate) const COMPLETE: &str = "TARS_COMPLETE";
/// Most candidates offered.
const MAX_CANDIDATES: usize = 200;

/// Answers a shell that requests completions, and returns whether one did.
pub(crate) fn answer(arguments: &[OsString]) -> bool {
    let completing = clap_complete::CompleteEnv::with_factory(super::command).var(COMPLETE);
    let directory = std::env::current_dir().ok();
    completing.try_complete(arguments.iter().cloned(), directory.as_deref()).unwrap_or_else(|error| error.exit())
}

/// Completes names of notes and ids of results, because `tars get` takes both.
pub(super) fn notes_and_ids() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let name = typed.to_string_lossy().into_owned();
        let mut found = note_candidates(&name);
        found.extend(id_candidates(&name));
        found
    })
}

/// Completes ids of results.
pub(super) fn ids() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| id_candidates(&typed.to_string_lossy()))
}

/// Completes tags of notes.
pub(super) fn tags() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let found =
            app().and_then(|app| Service::new(&app, Backend::Local).call(&TagsRequest {}).ok()).unwrap_or_default();
        let one = |(tag, notes): (String, usize)| {
            CompletionCandidate::new(sanitize_line(&tag)).help(Some(pluralize(notes, "note").into()))
        };
        found.into_iter().map(one).collect()
    })
}

fn note_candidates(typed: &str) -> Vec<CompletionCandidate> {
    let request = NotesRequest { name: typed.to_owned(), limit: Some(MAX_CANDIDATES), ..NotesRequest::default() };
    let found = app().and_then(|app| Service::new(&app, Backend::Local).call(&request).ok());
    let paths = found.into_iter().flat_map(|found| found.notes).map(|note| note.path);
    // The shell drops candidates that do not continue the typed text.
    paths.filter(|path| path.starts_with(typed)).map(|path| CompletionCandidate::new(sanitize_line(&path))).collect()
}

fn id_candidates(typed: &str) -> Vec<CompletionCandidate> {
    let request = IdsRequest { prefix: typed.to_lowercase(), limit: MAX_CANDIDATES };
    let found = app().and_then(|app| Service::new(&app, Backend::Local).call(&request).ok()).unwrap_or_default();
    let one = |found: ResultId| {
        let heading = if found.heading.is_empty() { String::new() } else { format!(" › {}", found.heading) };
        CompletionCandidate::new(found.id).help(Some(sanitize_line(&format!("{}{heading}", found.path)).into()))
    };
    found.into_iter().map(one).collect()
}

/// Completes names of the configured collections.
pub(super) fn collections() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(app().map(|app| app.collections()).unwrap_or_default()))
}

/// Completes ids of installed models.
pub(super) fn models() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let listed = app().and_then(|app| app.catalog().list().ok()).unwrap_or_default();
        candidates(listed.into_iter().map(|entry| entry.id))
    })
}

/// Completes ids of conversations, with their titles.
pub(super) fn conversations() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let listed = app().and_then(|app| Conversations::new(&app.settings.config.data.dir).list().ok());
        let one = |line: tars_assistant::conversation::ConversationLine| {
            CompletionCandidate::new(line.id).help(Some(sanitize_line(&line.title).into()))
        };
        listed.unwrap_or_default().into_iter().take(MAX_CANDIDATES).map(one).collect()
    })
}

/// Completes names of tool servers.
pub(super) fn mcp_servers() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let servers = app().map(|app| app.settings.mcp_servers.clone()).unwrap_or_default();
        candidates(servers.into_iter().map(|server| server.name))
    })
}

fn candidates(names: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    names.into_iter().map(|name| CompletionCandidate::new(sanitize_line(&name))).collect()
}

fn app() -> Option<App> {
    App::new(Environment::of_process(), &[]).ok()
}
