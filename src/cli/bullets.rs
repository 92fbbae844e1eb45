//! Lines of the memory folder, for people and programs.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use super::terminal::clean_line;
use crate::memory::{Bullet, Like, Relation};
use crate::vault::MemoryFolder;

/// Characters shown of a bullet in a list.
const SHOWN: usize = 100;

/// A bullet in JSON; `path` is relative to the vault.
#[derive(Serialize)]
pub(super) struct BulletJson {
    id: String,
    path: String,
    line: usize,
    heading: String,
    text: String,
}

/// A bullet near another one.
#[derive(Serialize)]
pub(super) struct LikeJson {
    relation: &'static str,
    similarity: f64,
    #[serde(flatten)]
    bullet: BulletJson,
}

impl BulletJson {
    /// Returns the same for people: place, id, and how it begins.
    pub(super) fn line(&self) -> String {
        format!("{}  {}  {}", clean_line(&format!("{}:{}", self.path, self.line)), self.id, beginning(&self.text))
    }

    pub(super) fn new(folder: &MemoryFolder, bullet: &Bullet) -> Self {
        Self {
            id: bullet.id.clone(),
            path: folder.shown(&bullet.file),
            line: bullet.line(),
            heading: bullet.heading.clone(),
            text: bullet.text.clone(),
        }
    }
}

impl LikeJson {
    pub(super) fn new(folder: &MemoryFolder, like: &Like) -> Self {
        Self {
            relation: relation(like.relation),
            similarity: (like.similarity * 100.0).round() / 100.0,
            bullet: BulletJson::new(folder, &like.bullet),
        }
    }
}

/// Returns the word for a relation.
pub(super) fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "equal",
        Relation::Close => "close",
        Relation::Conflict => "conflict",
    }
}

/// Returns a bullet as one line: place, id, and how it begins.
pub(super) fn one_line(folder: &MemoryFolder, bullet: &Bullet) -> String {
    format!("{}  {}  {}", place(folder, bullet), bullet.id, beginning(&bullet.text))
}

/// Returns where a bullet stands.
pub(super) fn place(folder: &MemoryFolder, bullet: &Bullet) -> String {
    clean_line(&format!("{}:{}", folder.shown(&bullet.file), bullet.line()))
}

/// Returns the beginning of a text as one line.
pub(super) fn beginning(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(SHOWN).collect();
    let more = cut.len() < line.len() || text.lines().nth(1).is_some();
    clean_line(&format!("{cut}{}", if more { " …" } else { "" }))
}

/// Prints bullets, a line each, under their number where `numbered`.
pub(super) fn list(out: &mut dyn Write, folder: &MemoryFolder, bullets: &[Bullet], numbered: bool) -> Result<()> {
    for (index, bullet) in bullets.iter().enumerate() {
        if numbered {
            write!(out, "{:>3}  ", index + 1)?;
        }
        writeln!(out, "{}", one_line(folder, bullet))?;
    }
    Ok(())
}
