//! Lists of places in every format: for people, for programs, for editors.

use std::collections::{HashMap, HashSet};
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use anstyle::Style;
use serde::Serialize;

use super::args::{ListFormat, Shape};
use super::format::{PATH, note};
use super::last_answer::{self, Place};
use super::terminal::sanitize_line;
use super::{hyperlink, json, pager, snippet};
use tars_service::{App, Refusal, Result, VAULT};
pub(super) use tars_ui::{roots, wikilink};

/// Widest cell of a column, and the widest place before columns.
const WIDEST_CELL: usize = 40;
const WIDEST_PLACE: usize = 60;
const FAINT: Style = Style::new().dimmed();

/// An entry of a list.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// Collection and path of its note; `None` if it is in no note.
    pub(super) note: Option<(String, String)>,
    /// Its line.
    pub(super) line: Option<usize>,
    /// The text after the place for people, before it if `is_text_first`.
    pub(super) text: String,
    /// Its cells in the columns that people asked for, printed below each other; every row has as many.
    pub(super) columns: Vec<String>,
    /// A remark behind it, printed faintly.
    pub(super) remark: String,
    /// Its line in a markdown list, without the marker.
    pub(super) markdown: String,
    /// Its cells in a table.
    pub(super) cells: Vec<String>,
}

/// A list to print.
pub(super) struct Listing<'a, R, I> {
    /// The whole answer.
    pub(super) answer: &'a R,
    /// Its entries.
    pub(super) items: &'a [I],
    /// The entries as rows.
    pub(super) rows: &'a [Row],
    /// The header of the table.
    pub(super) header: &'a [&'a str],
    /// Whether the text of an entry comes before its place.
    pub(super) is_text_first: bool,
}

/// Prints a list, and keeps its places for this terminal if a person reads it.
pub(super) fn print<R: Serialize, I: Serialize>(app: &App, shape: &Shape, list: &Listing<'_, R, I>) -> Result<()> {
    let mut format = shape.wanted();
    if shape.null {
        if !matches!(format, ListFormat::Human | ListFormat::Files) {
            let message = "-0 separates paths, and this format prints more than paths".to_owned();
            return Err(Refusal { message, hint: "leave --format out, or -0".into() }.into());
        }
        format = ListFormat::Files;
    }
    let is_of_paths = matches!(format, ListFormat::Files | ListFormat::Vimgrep);
    if is_of_paths && !list.rows.is_empty() && list.rows.iter().all(|row| row.note.is_none()) {
        let message = "this list has no paths, and this format prints paths".to_owned();
        return Err(Refusal { message, hint: "take --format csv or json, or list the notes: tars list".into() }.into());
    }
    if format == ListFormat::Human {
        let mut out = pager::output();
        human(app, &mut out, list)?;
        return Ok(out.finish()?);
    }
    let mut out = anstream::stdout().lock();
    match format {
        ListFormat::Human => {}
        ListFormat::Json => json::line(&mut out, list.answer)?,
        ListFormat::Jsonl => list.items.iter().try_for_each(|item| json::line(&mut out, item))?,
        ListFormat::Files => {
            drop(out);
            files(app, list.rows, shape.null)?;
        }
        ListFormat::Vimgrep => {
            let roots = roots(app)?;
            for row in list.rows {
                let Some(file) = file(&roots, row) else { continue };
                let (file, text) = (sanitize_line(&file.to_string_lossy()), sanitize_line(&row.text));
                writeln!(out, "{file}:{}:1:{text}", row.line.unwrap_or(1))?;
            }
        }
        ListFormat::Markdown => {
            for row in list.rows {
                // A link leads to a note of the vault only.
                let others =
                    row.note.iter().map(|(collection, _)| collection).filter(|collection| *collection != VAULT);
                let others: String = others.map(|collection| format!(" ({collection})")).collect();
                writeln!(out, "- {}", sanitize_line(&format!("{}{others}", row.markdown)))?;
            }
        }
        ListFormat::Csv => {
            let header = list.header.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            for cells in std::iter::once(&header).chain(list.rows.iter().map(|row| &row.cells)) {
                let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
                writeln!(out, "{}", cells.join(","))?;
            }
        }
    }
    Ok(())
}

fn human<R, I>(app: &App, out: &mut dyn Write, list: &Listing<'_, R, I>) -> Result<()> {
    let has_notes = list.rows.iter().any(|row| row.note.is_some());
    let roots = if has_notes { roots(app)? } else { HashMap::new() };
    let has_links = hyperlink::are_shown(&app.environment);
    let is_numbered = io::stdout().is_terminal() && has_notes;
    let columns = Columns::of(list.rows);
    for (number, row) in (1..).zip(list.rows) {
        if is_numbered {
            write!(out, "{FAINT}{number:>3}{FAINT:#}  ")?;
        }
        let place = row.note.as_ref().map(|(collection, path)| {
            let name = row.line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
            let shown = format!("{PATH}{}{PATH:#}", note(&name, collection));
            match file(&roots, row).filter(|_| has_links) {
                Some(file) => hyperlink::to_file(&shown, &file),
                None => shown,
            }
        });
        let text = sanitize_line(&row.text);
        let (text, place) = (Some(text).filter(|text| !text.is_empty()), place);
        let parts = if list.is_text_first { [text, place] } else { [place, text] };
        write!(out, "{}", parts.into_iter().flatten().collect::<Vec<_>>().join("  "))?;
        write!(out, "{}", columns.line(row))?;
        match row.remark.is_empty() {
            true => writeln!(out)?,
            false => writeln!(out, "  {FAINT}{}{FAINT:#}", sanitize_line(&row.remark))?,
        }
    }
    let place = |row: &Row| {
        let (collection, path) = row.note.clone()?;
        Some(Place::of_note(collection, path, row.line))
    };
    // Each number is the place of its row.
    let places: Option<Vec<Place>> = list.rows.iter().map(place).collect();
    if let Some(places) = places {
        last_answer::keep(app, places.into_iter());
    }
    Ok(())
}

/// The widths of columns below each other, in cells of the terminal.
struct Columns {
    place: usize,
    widths: Vec<usize>,
}

impl Columns {
    fn of(rows: &[Row]) -> Self {
        let count = rows.first().map_or(0, |row| row.columns.len());
        let widest = |cells: &mut dyn Iterator<Item = String>| cells.map(|cell| snippet::columns(&cell)).max();
        let width =
            |at: usize| widest(&mut rows.iter().filter_map(|row| row.columns.get(at)).map(|cell| cell_text(cell)));
        Self {
            place: match count {
                0 => 0,
                _ => widest(&mut rows.iter().map(plain_place)).unwrap_or_default().min(WIDEST_PLACE),
            },
            widths: (0..count).map(|at| width(at).unwrap_or_default()).collect(),
        }
    }

    /// Returns the cells of a row, with the blanks before them.
    fn line(&self, row: &Row) -> String {
        let mut line = String::new();
        let mut missing = self.place.saturating_sub(snippet::columns(&plain_place(row)));
        for (cell, width) in row.columns.iter().zip(&self.widths) {
            let cell = cell_text(cell);
            line += &format!("{}  {cell}", " ".repeat(missing));
            missing = width.saturating_sub(snippet::columns(&cell));
        }
        match row.remark.is_empty() || row.columns.is_empty() {
            true => line.trim_end().to_owned(),
            false => line + &" ".repeat(missing),
        }
    }
}

fn cell_text(cell: &str) -> String {
    snippet::cut(&sanitize_line(cell), WIDEST_CELL)
}

/// Returns the place and the text of a row as they are printed, without their style.
fn plain_place(row: &Row) -> String {
    let place = row.note.as_ref().map(|(collection, path)| note(path, collection));
    let text = Some(sanitize_line(&row.text)).filter(|text| !text.is_empty());
    place.into_iter().chain(text).collect::<Vec<_>>().join("  ")
}

/// Prints the paths of the notes, each once, as bytes: a program opens them. On a terminal they are cleaned of control characters.
fn files(app: &App, rows: &[Row], null: bool) -> Result<()> {
    let roots = roots(app)?;
    let mut out = io::stdout().lock();
    let (is_terminal, mut seen) = (out.is_terminal(), HashSet::new());
    for file in rows.iter().filter_map(|row| file(&roots, row)) {
        if !seen.insert(file.clone()) {
            continue;
        }
        match is_terminal {
            true => write!(out, "{}", sanitize_line(&file.to_string_lossy()))?,
            false => out.write_all(file.as_os_str().as_bytes())?,
        }
        out.write_all(if null { b"\0" } else { b"\n" })?;
    }
    Ok(())
}

fn file(roots: &HashMap<String, PathBuf>, row: &Row) -> Option<PathBuf> {
    let (collection, path) = row.note.as_ref()?;
    Some(roots.get(collection)?.join(path))
}

/// Returns a cell in one line, in quotes where RFC 4180 wants them. A spreadsheet takes some beginnings for a formula, which may start
/// programs, and the text may be anybody's: `'` marks such a cell as text.
fn quoted(cell: &str) -> String {
    let mut cell = sanitize_line(cell);
    if cell.starts_with(['=', '+', '-', '@']) {
        cell.insert(0, '\'');
    }
    match cell.contains([',', '"']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_a_table_needs_it() {
        assert_eq!((quoted("a b"), quoted("a,\"b\"")), ("a b".to_owned(), "\"a,\"\"b\"\"\"".to_owned()));
        assert_eq!(quoted("=cmd|' /C calc'!A0,1"), "\"'=cmd|' /C calc'!A0,1\"", "no formula");
    }
}
