//! The texts that an agent reads: excerpts in the block that marks them as data, and short lines of tars itself.

mod search;

pub use search::search_results;

use crate::memory::{MemoryLine, WeekLine, WeekResponse};
use crate::{NoteText, StatusReport, VAULT};
use tars_agent::context_block::{Budget, Keep, Piece, Source, block};
use tars_base::domain::{MemoryType, pluralize, sanitize_line};
use tars_engine::search::Embed;
use tars_text::redact::{redact, redact_path};

/// Returns parts of notes, and the names that were not found.
pub fn notes(notes: &[NoteText], missing: &[String], budget: usize) -> String {
    let piece = |note: &NoteText| {
        let text = &note.text;
        piece(&text.collection, &text.path, (text.start_line, &text.content), MemoryType::Note)
    };
    let mut pieces: Vec<Piece> = Vec::new();
    for note in notes {
        pieces.extend(piece(note));
        embedded(&note.text.collection, &note.text.embeds, &mut pieces);
    }
    let is_whole = !notes.iter().any(|note| note.is_cut);
    let mut said: Vec<String> = missing.to_vec();
    said.extend(block(&pieces, is_whole, Budget::of_tokens(budget)).map(|block| block.text));
    for note in notes.iter().filter(|note| note.is_cut) {
        said.push(format!("{} continues after line {}.", sanitize_line(&note.text.path), note.text.end_line));
    }
    if said.is_empty() { "It holds no text.".into() } else { said.join("\n") }
}

/// Adds the texts that a note embeds, each before those that it embeds itself.
fn embedded(collection: &str, embeds: &[Embed], pieces: &mut Vec<Piece>) {
    for embed in embeds {
        pieces.extend(piece(collection, &embed.path, (embed.start_line, &embed.content), MemoryType::Note));
        embedded(collection, &embed.embeds, pieces);
    }
}

/// Returns the end of a log.
pub fn log(path: &str, content: &str, budget: usize) -> String {
    excerpt((path, 1), content, Keep::End, budget).unwrap_or_else(|| format!("{path} is empty."))
}

/// Returns the places of the excerpts in a text of this module, separated by commas; empty if it has none. The texts of notes
/// cannot add places, because their tags are escaped.
pub fn places(text: &str) -> String {
    let at = text.lines().filter_map(|line| line.strip_prefix("<source at=\"")?.split_once('"'));
    let places = at.map(|(place, _)| place).collect::<Vec<_>>().join(", ");
    places.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Returns an excerpt of a file's text, which starts at this line: as much of the kept end as fits; `None` if nothing does.
pub fn excerpt((path, line): (&str, usize), content: &str, keep: Keep, budget: usize) -> Option<String> {
    let source = Source { collection: None, path: path.to_owned(), answer: None, date: None, kind: MemoryType::Daily };
    let piece = Piece::new(source, line, &redact(content).text, keep)?;
    block(&[piece], true, Budget::of_tokens(budget)).map(|block| block.text)
}

/// Returns lines of the memory: their ids, then each as an excerpt.
pub fn lines(lines: &[MemoryLine], budget: usize) -> String {
    let pieces: Vec<Piece> = lines.iter().filter_map(of_line).collect();
    let ids: Vec<String> =
        lines.iter().map(|line| format!("{} {}:{}", line.id, sanitize_line(&line.path), line.line)).collect();
    let shown = block(&pieces, true, Budget::of_tokens(budget)).map(|block| block.text).unwrap_or_default();
    format!("{}\n{shown}", ids.join("\n"))
}

/// Returns the summary of seven days.
pub fn week(week: &WeekResponse, budget: usize) -> String {
    let line = |line: &WeekLine, what: &str| {
        let source = Source {
            collection: None,
            path: line.line.path.clone(),
            answer: None,
            date: line.day,
            kind: MemoryType::Daily,
        };
        let project = line.project.as_deref().map(|name| format!("[{name}] ")).unwrap_or_default();
        Piece::new(source, line.line.line, &redact(&format!("{what}: {project}{}", line.said)).text, Keep::Start)
    };
    let mut pieces: Vec<Piece> = Vec::new();
    pieces.extend(week.decided.iter().filter_map(|one| line(one, "decided")));
    pieces.extend(week.open.iter().filter_map(|one| line(one, "open")));
    for found in &week.contradicted {
        pieces.extend(line(&found.earlier, "contradicted by a later line"));
        pieces.extend(line(&found.later, "contradicts an earlier line"));
    }
    pieces.extend(week.review.iter().filter_map(|one| line(&one.line, one.source)));
    let head = format!("The week from {} to {}.", week.first, week.last);
    match block(&pieces, true, Budget::of_tokens(budget)) {
        Some(block) => format!("{head}\n{}", block.text),
        None => format!("{head} Nothing was noted."),
    }
}

/// Returns the state of the memory, for these collections only; an empty list means all.
pub fn status(status: &StatusReport, collections: &[String]) -> String {
    let shown = |name: &String| collections.is_empty() || collections.contains(name);
    let mut said = Vec::new();
    for collection in status.collections.iter().filter(|collection| shown(&collection.name)) {
        let behind = if collection.pending > 0 { format!(", {} behind", collection.pending) } else { String::new() };
        said.push(format!("{}: {}{behind}", sanitize_line(&collection.name), pluralize(collection.files, "note")));
        said.extend(collection.problem.iter().map(|problem| format!("  {}", sanitize_line(problem))));
    }
    said.push(format!("by meaning: {} of {} embedded", status.embedded, pluralize(status.passages, "passage")));
    said.extend(
        status.model.problem.iter().map(|problem| format!("the model cannot be used: {}", sanitize_line(problem))),
    );
    said.push(format!(
        "watcher: {}",
        if status.watcher { "running" } else { "not running; each question updates the index" }
    ));
    if !status.paused.is_empty() {
        said.push("tars is paused: sessions are neither noted nor shown anything".into());
    }
    if status.last_index.is_none() {
        said.push("nothing has been indexed yet; the user indexes the notes with: tars index".into());
    }
    said.join("\n")
}

fn of_line(line: &MemoryLine) -> Option<Piece> {
    piece(VAULT, &line.path, (line.line, &redact(&line.text).text), MemoryType::Semantic)
}

fn piece(collection: &str, path: &str, (line, text): (usize, &str), kind: MemoryType) -> Option<Piece> {
    let collection = (collection != VAULT).then(|| collection.to_owned());
    let source = Source { collection, path: redact_path(path).into_owned(), answer: None, date: None, kind };
    Piece::new(source, line, text, Keep::Start)
}
