//! Answers for people.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use anyhow::Result;

use super::explain;
use super::preview::preview;
use super::snippet::{self, Fragment, snippet};
use super::terminal::{self, clean, clean_line};
use crate::app::VAULT;
use crate::domain::Relevance;
pub(super) use crate::domain::count;
use crate::service::{ExpandResponse, SearchHit, Service};

pub(super) const PATH: Style = AnsiColor::Cyan.on_default().bold();
const FAINT: Style = Style::new().dimmed();
const MARK: Style = AnsiColor::Yellow.on_default().bold();

/// Lines shown of one hit; on a terminal, rows.
const LINES: usize = 3;
/// Columns that a place and its heading need beside the score.
const LEAST_PLACE: usize = 32;

/// How hits are shown.
pub(super) struct Shown<'a, 's> {
    /// The question, whose words are marked.
    pub(super) query: &'a str,
    /// Whether all of their lines are shown.
    pub(super) whole: bool,
    /// Whom to ask for what follows in a note.
    pub(super) service: &'a Service<'s>,
}

/// Prints hits, best first: the line that answers, its heading, the score, the id; that line and what follows it.
pub(super) fn hits(out: &mut dyn Write, hits: &[SearchHit], shown: Shown<'_, '_>) -> Result<()> {
    let Shown { query, whole, service } = shown;
    let terminal = terminal::columns_of(std::io::stdout());
    // Two blanks before a line, and a mark on either side where it was cut.
    let width = terminal.map_or(snippet::WIDTH, |columns| columns.saturating_sub(4).clamp(16, snippet::WIDTH));
    for (index, hit) in hits.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        head(out, hit, terminal)?;
        if whole {
            for line in clean(&hit.content).lines() {
                writeln!(out, "  {line}")?;
            }
        } else {
            let text = preview(service, hit);
            let mut lines = match terminal {
                Some(_) => snippet::rows(&text, query, (width, LINES)),
                None => snippet(&text, query, width),
            };
            lines.truncate(LINES);
            snippet_lines(out, lines)?;
        }
        if let Some(superseded) = &hit.superseded {
            let room = terminal.map_or(usize::MAX, |columns| columns.saturating_sub(2));
            writeln!(out, "  {FAINT}{}{FAINT:#}", snippet::cut(&clean_line(&superseded.label), room))?;
        }
        if let Some(explanation) = &hit.explanation {
            explain::hit(out, explanation, hit.reranked)?;
        }
    }
    Ok(())
}

/// Says that no hit is relevant, and names the best of them in a line of its own.
pub(super) fn nothing_relevant(nearest: &SearchHit) {
    let heading = clean_line(heading(nearest));
    let path = clean_line(&nearest.path);
    let (before, behind) = ("nothing relevant; nearest: ", format!(" ({:.2}); --all lists it", nearest.score));
    let mut place = format!("{path} › {heading}");
    if let Some(columns) = terminal::columns_of(std::io::stderr()) {
        place = snippet::cut(&place, columns.saturating_sub("tars: ".len() + before.len() + behind.len()));
    }
    terminal::note(&format!("{before}{place}{behind}"));
}

/// Returns what a hit stands under.
fn heading(hit: &SearchHit) -> &str {
    if hit.heading.is_empty() { &hit.title } else { &hit.heading }
}

/// Prints where a hit stands, under which heading, its score and its id, in one line of the terminal's columns.
fn head(out: &mut dyn Write, hit: &SearchHit, terminal: Option<usize>) -> Result<()> {
    let style = match hit.relevance {
        Relevance::Relevant => AnsiColor::Green.on_default(),
        Relevance::Kinda => AnsiColor::Yellow.on_default(),
        Relevance::Maybe | Relevance::Not => FAINT,
    };
    let (score, word, id) = (hit.score, hit.relevance.as_str(), hit.id.short());
    let mut place = place(&hit.path, &hit.line.to_string(), &hit.collection);
    let mut heading = clean_line(heading(hit));
    let tail = format!("{style}{score:.2} {word}{style:#}  {FAINT}{id}{FAINT:#}");
    let behind = format!("{score:.2} {word}  {id}").len() + 2;
    // On a narrow terminal the score stands in a line of its own.
    let is_narrow = terminal.is_some_and(|columns| columns < behind + LEAST_PLACE);
    if let Some(columns) = terminal {
        let room = if is_narrow { columns } else { columns - behind };
        // The place is what opens the note: the heading gives way first, then the folders. The line stays.
        place = snippet::cut_start(&place, room);
        heading = snippet::cut(&heading, room.saturating_sub(snippet::columns(&place) + 2));
    }
    let between = if heading.is_empty() { "" } else { "  " };
    let before_score = if is_narrow { "\n  " } else { "  " };
    writeln!(out, "{PATH}{place}{PATH:#}{between}{heading}{before_score}{tail}")?;
    Ok(())
}

/// Returns where lines stand; a collection is named where it is not the vault.
pub(super) fn place(path: &str, lines: &str, collection: &str) -> String {
    note(&format!("{path}:{lines}"), collection)
}

/// Returns a note's path; a collection is named where it is not the vault.
pub(super) fn note(path: &str, collection: &str) -> String {
    let path = clean_line(path);
    if collection == VAULT { path } else { format!("{path} ({})", clean_line(collection)) }
}

fn snippet_lines(out: &mut dyn Write, lines: Vec<Vec<Fragment>>) -> Result<()> {
    for line in lines {
        write!(out, "  ")?;
        for piece in line {
            match piece.marked {
                true => write!(out, "{MARK}{}{MARK:#}", piece.text)?,
                false => write!(out, "{}", piece.text)?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Prints what stands around a chunk, under its place. Only on a terminal are long lines wrapped.
pub(super) fn expansion(out: &mut dyn Write, expansion: &ExpandResponse) -> Result<()> {
    let ExpandResponse { collection, path, start_line, end_line, title, heading, .. } = expansion;
    let place = place(path, &format!("{start_line}-{end_line}"), collection);
    let name = if heading.is_empty() { title } else { heading };
    writeln!(out, "{PATH}{place}{PATH:#}  {}\n", clean_line(name))?;
    let content = clean(&expansion.content);
    match terminal::columns_of(std::io::stdout()) {
        None => writeln!(out, "{content}")?,
        Some(columns) => {
            for line in content.split('\n').flat_map(|line| snippet::wrap(line, columns)) {
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

/// Returns a size as people write it.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.0} KiB", bytes as f64 / 1_024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
