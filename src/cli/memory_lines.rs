//! Lines of the memory folder, formatted for people.

use std::io::Write;

use tars_service::Result;

use super::terminal::{self, sanitize_line};
use tars_service::memory::MemoryLine;

/// Longest part of a line in a list, in characters.
const MAX_CHARACTERS: usize = 100;

/// Formats a line of the memory folder as one line: place, id, and the beginning of its text.
pub(super) fn one_line(line: &MemoryLine) -> String {
    format!("{}  {}  {}", place(line), line.id, beginning(&line.text))
}

/// Returns the place of a line.
pub(super) fn place(line: &MemoryLine) -> String {
    sanitize_line(&format!("{}:{}", line.path, line.line))
}

/// Returns the beginning of a text as one line.
pub(super) fn beginning(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let end = line.char_indices().nth(MAX_CHARACTERS).map_or(line.len(), |(end, _)| end);
    let cut = &line[..end];
    // A word is kept whole, unless it is as long as half of the line.
    let cut = match end < line.len() && !line[end..].starts_with(' ') {
        true => cut.rfind(' ').filter(|at| at * 2 > end).map_or(cut, |at| &cut[..at]),
        false => cut,
    };
    let more = cut.len() < line.len() || text.lines().nth(1).is_some();
    sanitize_line(&format!("{}{}", cut.trim_end(), if more { " …" } else { "" }))
}

/// Prints lines, with numbers if `numbered`.
pub(super) fn list(out: &mut dyn Write, lines: &[MemoryLine], numbered: bool) -> Result<()> {
    for (index, line) in lines.iter().enumerate() {
        let number = if numbered { format!("{:>3}  ", index + 1) } else { String::new() };
        writeln!(out, "{}", terminal::for_output(&format!("{number}{}", one_line(line)), number.len().max(2)))?;
    }
    Ok(())
}

/// Reports the parts that were removed from a text before it was written.
pub(super) fn report_removed(removed: &[String]) {
    if !removed.is_empty() {
        terminal::print_note(&format!("taken out before writing: {}", removed.join(", ")));
    }
}
