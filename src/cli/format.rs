//! Answers, formatted for people.

use std::io::Write;

use anstyle::{AnsiColor, Style};

use super::explain;
use super::snippet::{self, Fragment, snippet};
use super::terminal::{self, sanitize, sanitize_line};
pub(super) use tars_base::domain::pluralize;
use tars_base::domain::{Hit, Relevance};
use tars_service::{Embed, ExpandResponse, Result};
pub(super) use tars_ui::{note, place};

pub(super) const PATH: Style = AnsiColor::Cyan.on_default().bold();
const FAINT: Style = Style::new().dimmed();
const MARK: Style = AnsiColor::Yellow.on_default().bold();

/// Most lines per hit; on a terminal, rows.
const MAX_LINES: usize = 3;

/// Display options of hits.
pub(super) struct HitDisplay<'a> {
    /// The question, whose words are marked.
    pub(super) query: &'a str,
    /// Whether all lines are shown.
    pub(super) whole: bool,
}

/// Prints hits, best first: place, heading, score and id; then the matching line and the following ones.
pub(super) fn hits(out: &mut dyn Write, hits: &[Hit], shown: HitDisplay<'_>) -> Result<()> {
    let HitDisplay { query, whole } = shown;
    let terminal = terminal::columns_of(std::io::stdout());
    // Two blanks before a line, and an ellipsis on either side where it is cut.
    let width = terminal.map_or(snippet::WIDTH, |columns| columns.saturating_sub(4).clamp(16, snippet::WIDTH));
    for (index, hit) in hits.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        head(out, hit, terminal)?;
        if whole {
            for line in sanitize(&hit.content).lines() {
                writeln!(out, "  {line}")?;
            }
        } else {
            let text = hit.preview.clone().unwrap_or_else(|| sanitize(&hit.content));
            let mut lines = match terminal {
                Some(_) => snippet::rows(&text, query, (width, MAX_LINES)),
                None => snippet(&text, query, width),
            };
            lines.truncate(MAX_LINES);
            snippet_lines(out, lines)?;
        }
        if let Some(superseded) = &hit.superseded {
            let room = terminal.map_or(usize::MAX, |columns| columns.saturating_sub(2));
            writeln!(out, "  {FAINT}{}{FAINT:#}", snippet::cut(&sanitize_line(&superseded.label), room))?;
        }
        if let Some(explanation) = &hit.explanation {
            explain::hit(out, explanation, hit.reranked)?;
        }
    }
    Ok(())
}

/// Prints a line for each hit, for programs that let a person choose: id, place, heading and the line that answers, with tabs between. No
/// field holds a tab or another control character.
pub(super) fn fzf(out: &mut dyn Write, hits: &[Hit], query: &str) -> Result<()> {
    for hit in hits {
        let place = place(&hit.path, &hit.line.to_string(), &hit.collection);
        let text = hit.preview.clone().unwrap_or_else(|| sanitize(&hit.content));
        let line = snippet(&text, query, snippet::WIDTH).into_iter().next().unwrap_or_default();
        let line: String = line.into_iter().map(|piece| piece.text).collect();
        let fields =
            [hit.id.short(), &place, heading(hit), &line].map(|field| sanitize_line(&field.replace('\t', " ")));
        writeln!(out, "{}", fields.join("\t"))?;
    }
    Ok(())
}

/// Reports that no hit is relevant, and names the best one, in a single line if its place fits.
pub(super) fn nothing_relevant(nearest: &Hit) {
    let heading = sanitize_line(heading(nearest));
    let path = sanitize_line(&nearest.path);
    let (before, behind) = ("nothing relevant; nearest: ", format!(" ({:.2}); --all lists it", nearest.score));
    let mut place = format!("{path} › {heading}");
    if let Some(columns) = terminal::columns_of(std::io::stderr()) {
        let room = columns.saturating_sub("tars: ".len() + before.len() + behind.len());
        let path = snippet::cut_middle(&path, room);
        let rest = room.saturating_sub(snippet::columns(&path) + " › ".chars().count());
        let heading = snippet::cut(&heading, rest);
        place = if heading.is_empty() { path } else { format!("{path} › {heading}") };
    }
    terminal::print_note(&format!("{before}{place}{behind}"));
}

/// Returns the heading of a hit, else its title.
fn heading(hit: &Hit) -> &str {
    if hit.heading.is_empty() { &hit.title } else { &hit.heading }
}

/// Prints place, heading, score and id of a hit: in one line of the terminal, unless the place would not fit whole. Then it has a line of
/// its own, which the terminal folds, so that it can be copied.
fn head(out: &mut dyn Write, hit: &Hit, terminal: Option<usize>) -> Result<()> {
    let style = match hit.relevance() {
        Relevance::Relevant => AnsiColor::Green.on_default(),
        Relevance::Kinda => AnsiColor::Yellow.on_default(),
        Relevance::Maybe | Relevance::Not => FAINT,
    };
    let (score, word, id) = (hit.score, hit.relevance().as_str(), hit.id.short());
    let line = match hit.column {
        0 => hit.line.to_string(),
        column => format!("{}:{}", hit.line, column + 1),
    };
    let place = place(&hit.path, &line, &hit.collection);
    let mut heading = sanitize_line(heading(hit));
    let tail = format!("{style}{score:.2} {word}{style:#}  {FAINT}{id}{FAINT:#}");
    let behind = format!("{score:.2} {word}  {id}").len() + 2;
    let mut is_apart = false;
    if let Some(columns) = terminal {
        is_apart = snippet::columns(&place) + behind > columns;
        // The place opens the note, so the heading is shortened.
        let beside = if is_apart { 0 } else { snippet::columns(&place) };
        heading = snippet::cut(&heading, columns.saturating_sub(behind + beside + 2));
    }
    let between = if heading.is_empty() { "" } else { "  " };
    let before_heading = if is_apart { "\n  " } else { between };
    let before_score = if is_apart { between } else { "  " };
    writeln!(out, "{PATH}{place}{PATH:#}{before_heading}{heading}{before_score}{tail}")?;
    Ok(())
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

/// Prints the text around a chunk, under its place. Wraps long lines on a terminal only.
pub(super) fn expansion(out: &mut dyn Write, expansion: &ExpandResponse) -> Result<()> {
    let ExpandResponse { collection, path, start_line, end_line, title, heading, .. } = expansion;
    let place = place(path, &format!("{start_line}-{end_line}"), collection);
    let name = if heading.is_empty() { title } else { heading };
    writeln!(out, "{PATH}{place}{PATH:#}  {}\n", sanitize_line(name))?;
    embedding_lines(out, (*start_line, &expansion.content), &expansion.embeds, 0)
}

/// Prints lines, and below each line the texts that it embeds, with their places.
fn embedding_lines(out: &mut dyn Write, (first, content): (usize, &str), embeds: &[Embed], depth: usize) -> Result<()> {
    let bar = "│ ".repeat(depth);
    let columns = terminal::columns_of(std::io::stdout()).map(|columns| columns.saturating_sub(2 * depth));
    for (number, line) in (first..).zip(sanitize(content).split('\n')) {
        match columns {
            None => writeln!(out, "{bar}{line}")?,
            Some(columns) => {
                snippet::wrap(line, columns).into_iter().try_for_each(|line| writeln!(out, "{bar}{line}"))?
            }
        }
        for embed in embeds.iter().filter(|embed| embed.line == number) {
            let Embed { path, start_line, end_line, .. } = embed;
            let cut = if embed.is_cut { ", and more" } else { "" };
            writeln!(out, "{bar}│ {FAINT}from {}:{start_line}-{end_line}{cut}{FAINT:#}", sanitize_line(path))?;
            embedding_lines(out, (*start_line, &embed.content), &embed.embeds, depth + 1)?;
        }
    }
    Ok(())
}

/// Formats a size.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.0} KiB", bytes as f64 / 1_024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
