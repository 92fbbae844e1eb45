//! Finds and removes bullets.

use std::collections::BTreeSet;

use super::MemoryError;
use super::bullet::{Bullet, bullets};
use super::file::bullets_of;
use super::likeness::{normal, words};
use tars_vault::{MemoryFolder, Splice, Writer};

/// Minimum length of an id prefix that selects a bullet.
pub const SHORTEST_ID: usize = 4;

/// Returns every bullet of the memory folder.
///
/// # Errors
/// A file cannot be read.
pub fn all(folder: &MemoryFolder) -> Result<Vec<Bullet>, MemoryError> {
    let mut found = Vec::new();
    for file in folder.files()? {
        found.extend(bullets_of(folder, &file)?);
    }
    Ok(found)
}

/// Returns the bullets of the memory folder that match `query`: those whose id starts with it, else those with exactly this text, else
/// those that hold all of its words. Archived bullets count too.
///
/// # Errors
/// A file cannot be read.
pub fn find(folder: &MemoryFolder, query: &str) -> Result<Vec<Bullet>, MemoryError> {
    let all = all(folder)?;
    let id = query.trim().to_ascii_lowercase();
    if id.len() >= SHORTEST_ID && id.chars().all(|character| character.is_ascii_hexdigit()) {
        let named: Vec<Bullet> = all.iter().filter(|bullet| bullet.id.starts_with(&id)).cloned().collect();
        if !named.is_empty() {
            return Ok(named);
        }
    }
    let wanted = normal(query);
    let same: Vec<Bullet> = all.iter().filter(|bullet| normal(&bullet.text) == wanted).cloned().collect();
    if !same.is_empty() {
        return Ok(same);
    }
    let wanted = words(&wanted);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    Ok(all.into_iter().filter(|bullet| wanted.is_subset(&words(&normal(&bullet.text)))).collect())
}

/// Removes these bullets with their nested lines and returns the removed ones. A bullet that was changed or removed in the meantime is
/// skipped.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn remove(writer: &mut Writer<'_>, unwanted: &[Bullet]) -> Result<Vec<Bullet>, MemoryError> {
    let files: BTreeSet<&str> = unwanted.iter().map(|bullet| bullet.file.as_str()).collect();
    let mut removed = Vec::new();
    for file in files {
        let ids: BTreeSet<&str> =
            unwanted.iter().filter(|bullet| bullet.file == file).map(|bullet| bullet.id.as_str()).collect();
        let mut found: Vec<Bullet> = Vec::new();
        writer.edit(file, |lines| {
            found = bullets(file, lines).into_iter().filter(|bullet| ids.contains(bullet.id.as_str())).collect();
            let mut splices: Vec<Splice> = Vec::new();
            for bullet in &found {
                // A nested bullet goes with its parent.
                if splices.last().is_none_or(|last| last.at + last.remove <= bullet.lines.start) {
                    splices.push(Splice { at: bullet.lines.start, remove: bullet.lines.len(), insert: Vec::new() });
                }
            }
            splices
        })?;
        removed.extend(found);
    }
    Ok(removed)
}
