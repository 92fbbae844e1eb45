//! `tars open`: a result, a note or the best answer to a question, in the editor, in Obsidian or on the page.

pub(super) mod editor;
mod links;

use std::path::PathBuf;

use crate::args::{Open, OpenWith};
use crate::last_answer::{self, Place};
use crate::listing::roots;
use crate::{Outcome, format, terminal};
use tars_base::domain::{Hit, Relevance};
use tars_engine::search::SearchError;
use tars_service::{App, Backend, GetRequest, Refusal, Result, SearchRequest, Service};
use tars_text::formats::is_pdf;

pub(crate) fn run(app: &App, args: &Open) -> Result<Outcome> {
    if args.what.is_empty() {
        return super::serve::open(app, args.qr);
    }
    let Some(place) = find(app, &args.what)? else { return Ok(Outcome::Nothing) };
    if args.with == OpenWith::Web {
        return links::open_page(app, &place);
    }
    match args.with {
        OpenWith::Obsidian => links::open_obsidian(&existing(app, place)?),
        OpenWith::Editor | OpenWith::Web => in_editor(app, place),
    }
}

/// Opens a place in the person's editor, and waits for it. An editor shows no PDF, the program that the system has for them does.
pub(crate) fn in_editor(app: &App, place: Place) -> Result<Outcome> {
    let note = existing(app, place)?;
    if is_pdf(&note.file.to_string_lossy()) { links::open_file(&note) } else { editor::open(app, &note) }
}

/// A note on the disk, and a place in it.
#[derive(Debug)]
struct OpenNote {
    /// Root of its collection.
    root: PathBuf,
    /// The absolute path.
    file: PathBuf,
    line: usize,
    column: usize,
}

/// Finds the place that was asked for; `None` if no result of a question is relevant, which is said then.
fn find(app: &App, what: &[String]) -> Result<Option<Place>> {
    let text = what.join(" ");
    if let [number] = what
        && let Some(place) = last_answer::numbered(app, number)?
    {
        return Ok(Some(place));
    }
    let service = Service::new(app, Backend::Fallback);
    let found = service.call(&GetRequest { names: vec![text.clone()], ..GetRequest::default() });
    match found {
        Ok(found) => Ok(found.notes.into_iter().next().map(|note| Place {
            collection: note.text.collection,
            path: note.text.path,
            line: note.text.start_line,
            column: note.text.start_column + 1,
            id: None,
        })),
        Err(error) if is_question(&text, error.cause::<SearchError>()) => first_hit(&service, text),
        Err(error) => Err(error),
    }
}

/// Whether a text that names no note may be a question. A path, a link or an id in full is none: another note than the named one
/// would open.
fn is_question(text: &str, error: Option<&SearchError>) -> bool {
    let is_name = text.starts_with("[[")
        || text.contains('/')
        || text.trim_end_matches(|c: char| c.is_ascii_digit() || ":-".contains(c)).ends_with(".md")
        || (text.len() >= 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit()));
    matches!(error, Some(SearchError::UnknownNote { .. })) && !is_name
}

/// Searches, and says which hit it is.
fn first_hit(service: &Service<'_>, query: String) -> Result<Option<Place>> {
    let answer = service.call(&SearchRequest { query, ..SearchRequest::default() })?;
    if let Some(degraded) = &answer.degraded {
        terminal::print_note(degraded);
    }
    answer.remarks.iter().for_each(|remark| terminal::print_note(remark));
    let relevant = answer.results.iter().filter(|hit| hit.relevance() != Relevance::Not);
    let count = relevant.clone().count();
    let place = |hit: &Hit| format::place(&hit.path, &hit.line.to_string(), &hit.collection);
    let Some(best) = relevant.clone().next() else {
        let nearest = answer.results.first().map(|hit| format!("; nearest: {} ({:.2})", place(hit), hit.score));
        terminal::print_note(&format!("nothing relevant, so nothing is opened{}", nearest.unwrap_or_default()));
        return Ok(None);
    };
    let of = format::pluralize(count, "relevant result");
    terminal::print_note(&format!("opens {}, the first of {of} for this question", place(best)));
    Ok(Some(Place::of_hit(best)))
}

/// Returns the note at a place, if its file is there.
fn existing(app: &App, place: Place) -> Result<OpenNote> {
    let root = roots(app)?.remove(&place.collection);
    let note = root.map(|root| (root.join(&place.path), root)).filter(|(file, _)| file.is_file());
    let Some((file, root)) = note else {
        let message = format!("{} is no longer there", format::note(&place.path, &place.collection));
        return Err(Refusal { message, hint: "tars search finds the notes that are there now".into() }.into());
    };
    let line = app.line_in_file(&file, place.line.max(1));
    // In another line, the column says nothing.
    let column = if line == place.line { place.column.max(1) } else { 1 };
    Ok(OpenNote { root, file, line, column })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_note_has_is_not_searched_for() {
        let unknown = SearchError::UnknownNote { name: String::new() };
        for name in ["Diary.md", "Diary.md:13", "Home/Diary", "[[Diary]]", "0655909e"] {
            assert!(!is_question(name, Some(&unknown)), "{name}");
        }
        for question in ["leak valve", "cafe", "where is the router?"] {
            assert!(is_question(question, Some(&unknown)), "{question}");
        }
        assert!(!is_question("leak", None));
    }
}
