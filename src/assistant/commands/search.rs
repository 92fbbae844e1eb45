//! Commands that search and show notes.

use super::super::tools::one_line;
use super::super::{Assistant, ChatFrontend};
use super::Reply;
use tars_base::domain::{Hit, Mode, Relevance, pluralize, sanitize};
use tars_service::{ExpandRequest, GetRequest, NotesRequest, Result, SearchRequest, VAULT};

/// Number of hits in an answer.
const HITS: usize = 5;
/// Number of lines per hit, and their maximum length in characters.
const LINES: usize = 3;
const LINE: usize = 160;
/// Number of names in a list.
const NAMES: usize = 20;
/// Maximum number of tokens of a note.
const NOTE: usize = 4_000;

type Ran = Result<Reply>;

pub(super) fn hybrid(assistant: &mut Assistant<'_, '_>, query: &str, _: &mut dyn ChatFrontend) -> Ran {
    search(assistant, query, Mode::Hybrid)
}

pub(super) fn keyword(assistant: &mut Assistant<'_, '_>, query: &str, _: &mut dyn ChatFrontend) -> Ran {
    search(assistant, query, Mode::Keyword)
}

pub(super) fn vector(assistant: &mut Assistant<'_, '_>, query: &str, _: &mut dyn ChatFrontend) -> Ran {
    search(assistant, query, Mode::Vector)
}

fn search(assistant: &Assistant<'_, '_>, query: &str, mode: Mode) -> Ran {
    let request =
        SearchRequest { query: query.to_owned(), mode: Some(mode), limit: Some(HITS), ..SearchRequest::default() };
    let answer = assistant.service.call(&request)?;
    let mut said: Vec<String> = answer.degraded.iter().chain(&answer.remarks).map(|line| format!("*{line}*")).collect();
    said.extend(answer.results.iter().filter(|hit| hit.relevance() != Relevance::Not).map(shown));
    if said.is_empty() {
        said.push("Nothing relevant was found.".into());
    }
    Reply::markdown(said.join("\n\n"))
}

fn shown(hit: &Hit) -> String {
    let place = place(&hit.collection, &hit.path, hit.line);
    let heading = if hit.heading.is_empty() { &hit.title } else { &hit.heading };
    let first = hit.line.saturating_sub(hit.start_line);
    let lines = hit.content.lines().skip(first).filter(|line| !line.trim().is_empty()).take(LINES);
    let lines: Vec<String> = lines.map(|line| format!("> {}", one_line(line, LINE))).collect();
    format!("**{place}** {} ({:.2}, `{}`)\n{}", one_line(heading, 80), hit.score, hit.id.short(), lines.join("\n"))
}

fn place(collection: &str, path: &str, line: usize) -> String {
    let path = one_line(path, 200);
    if collection == VAULT { format!("{path}:{line}") } else { format!("{collection}: {path}:{line}") }
}

pub(super) fn expand(assistant: &mut Assistant<'_, '_>, id: &str, _: &mut dyn ChatFrontend) -> Ran {
    let request = ExpandRequest { id: id.to_owned(), ..ExpandRequest::default() };
    let found = assistant.service.call(&request)?;
    Reply::markdown(format!(
        "**{}**\n\n{}",
        place(&found.collection, &found.path, found.start_line),
        sanitize(&found.content)
    ))
}

pub(super) fn find(assistant: &mut Assistant<'_, '_>, name: &str, _: &mut dyn ChatFrontend) -> Ran {
    let request = NotesRequest { name: name.to_owned(), limit: Some(NAMES), ..NotesRequest::default() };
    let found = assistant.service.call(&request)?;
    if found.notes.is_empty() {
        return Reply::markdown("No note has such a name.");
    }
    let mut lines: Vec<String> = found.notes.iter().map(|note| format!("- {}", one_line(&note.path, 200))).collect();
    if found.more > 0 {
        lines.push(format!("- and {}", pluralize(found.more, "more note")));
    }
    Reply::markdown(lines.join("\n"))
}

pub(super) fn read(assistant: &mut Assistant<'_, '_>, name: &str, _: &mut dyn ChatFrontend) -> Ran {
    let request = GetRequest { names: vec![name.to_owned()], budget: Some(NOTE), ..GetRequest::default() };
    let found = assistant.service.call(&request)?;
    let note = |note: &tars_service::NoteText| {
        let cut =
            if note.is_cut { format!("\n\n*continues after line {}*", note.text.end_line) } else { String::new() };
        format!(
            "**{}**\n\n{}{cut}",
            place(&note.text.collection, &note.text.path, note.text.start_line),
            note.text.content
        )
    };
    Reply::markdown(found.notes.iter().map(note).collect::<Vec<_>>().join("\n\n"))
}
