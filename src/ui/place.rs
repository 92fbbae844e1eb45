//! Places in notes: as text, as links, as files.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use tars_base::domain::{Hit, sanitize_line};
use tars_service::{App, Result, VAULT};

/// A place in a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// The line, from 1; 0 for the whole note.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// Id of the result, if it is one of a search.
    #[serde(default)]
    pub id: Option<String>,
}

impl Place {
    /// Returns the place of a hit's best line.
    pub fn of_hit(hit: &Hit) -> Self {
        Self {
            collection: hit.collection.clone(),
            path: hit.path.clone(),
            line: hit.line,
            column: hit.column + 1,
            id: Some(hit.id.to_string()),
        }
    }

    /// Returns the place of a line of a note, or of the whole note without one.
    pub fn of_note(collection: String, path: String, line: Option<usize>) -> Self {
        Self { collection, path, line: line.unwrap_or_default(), column: 1, id: None }
    }

    /// Returns the beginning of a line of the vault.
    pub(crate) fn in_vault(path: &str, line: usize) -> Self {
        Self::of_note(VAULT.to_owned(), path.to_owned(), Some(line))
    }

    /// Returns it as text; the whole note has no line.
    pub(crate) fn shown(&self) -> String {
        match self.line {
            0 => note(&self.path, &self.collection),
            line => place(&self.path, &line.to_string(), &self.collection),
        }
    }
}

/// Returns the place of lines, with the collection unless it is the vault.
pub fn place(path: &str, lines: &str, collection: &str) -> String {
    note(&format!("{path}:{lines}"), collection)
}

/// Returns a note's path, with the collection unless it is the vault.
pub fn note(path: &str, collection: &str) -> String {
    let path = sanitize_line(path);
    if collection == VAULT { path } else { format!("{path} ({})", sanitize_line(collection)) }
}

/// The roots of the collections by name.
///
/// # Errors
/// No folder is configured.
pub fn roots(app: &App) -> Result<HashMap<String, PathBuf>> {
    Ok(app.roots()?.into_iter().map(|root| (root.name, root.path)).collect())
}

/// Returns a wikilink to a note; a markdown link if a wikilink would read a character of the path as its own.
pub fn wikilink(path: &str) -> String {
    let is_note = Path::new(path).extension() == Some(OsStr::new("md"));
    let name = if is_note { &path[..path.len() - 3] } else { path };
    match name.contains(['[', ']', '|', '#', '^']) {
        true => format!("[{}]({})", escaped(name), encoded(path.as_bytes(), b"/")),
        false => format!("[[{name}]]"),
    }
}

/// Returns a text for the brackets of a markdown link.
fn escaped(text: &str) -> String {
    let special = |c: char| matches!(c, '[' | ']' | '\\').then_some('\\');
    text.chars().flat_map(|c| special(c).into_iter().chain([c])).collect()
}

/// Returns bytes for an address: all but letters, digits, `-._~` and the bytes in `kept` are percent-encoded.
pub fn encoded(bytes: &[u8], kept: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) || kept.contains(byte) {
            out.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wikilink_names_a_note_without_its_extension() {
        assert_eq!((wikilink("a/b.md"), wikilink("c.txt")), ("[[a/b]]".to_owned(), "[[c.txt]]".to_owned()));
        assert_eq!(wikilink("a/b|c [d].md"), r"[a/b|c \[d\]](a/b%7Cc%20%5Bd%5D.md)");
    }
}
