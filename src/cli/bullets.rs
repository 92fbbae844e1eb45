//! Lines of the memory folder, for people.

use std::io::Write;

use anyhow::Result;

use super::terminal::{self, clean_line};
use crate::service::memory::MemoryLine;

/// Characters shown of a line in a list.
const SHOWN: usize = 100;

/// Returns a line of the memory folder as one line: place, id, and how it begins.
pub(super) fn one_line(line: &MemoryLine) -> String {
    format!("{}  {}  {}", place(line), line.id, beginning(&line.text))
}

/// Returns where it stands.
pub(super) fn place(line: &MemoryLine) -> String {
    clean_line(&format!("{}:{}", line.path, line.line))
}

/// Returns the beginning of a text as one line.
pub(super) fn beginning(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(SHOWN).collect();
    let more = cut.len() < line.len() || text.lines().nth(1).is_some();
    clean_line(&format!("{cut}{}", if more { " …" } else { "" }))
}

/// Prints lines under their number where `numbered`.
pub(super) fn list(out: &mut dyn Write, lines: &[MemoryLine], numbered: bool) -> Result<()> {
    for (index, line) in lines.iter().enumerate() {
        if numbered {
            write!(out, "{:>3}  ", index + 1)?;
        }
        writeln!(out, "{}", one_line(line))?;
    }
    Ok(())
}

/// Says what was taken out of a text before it was written.
pub(super) fn say_removed(removed: &[String]) {
    if !removed.is_empty() {
        terminal::note(&format!("taken out before writing: {}", removed.join(", ")));
    }
}
