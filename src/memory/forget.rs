//! Finds and removes bullets.

use std::collections::BTreeSet;

use super::MemoryError;
use super::bullet::{Bullet, bullets};
use super::file::bullets_of;
use super::likeness::normalized;
use super::shared_words::words;
use tars_text::redact::redact;
use tars_vault::{MemoryFolder, Splice, Writer};

/// Minimum length of an id prefix that selects a bullet.
pub const MIN_ID_LENGTH: usize = 4;

/// Returns every bullet of the memory folder.
///
/// # Errors
/// A file cannot be read.
pub fn all_bullets(folder: &MemoryFolder) -> Result<Vec<Bullet>, MemoryError> {
    let mut found = Vec::new();
    for file in folder.files()? {
        found.extend(bullets_of(folder, &file)?);
    }
    Ok(found)
}

/// Returns the bullets of the memory folder that match `query`; see [`matching_items`]. Archived bullets count too.
///
/// # Errors
/// A file cannot be read.
pub fn find_bullets(folder: &MemoryFolder, query: &str) -> Result<Vec<Bullet>, MemoryError> {
    let all = all_bullets(folder)?;
    Ok(matching_items(&all, query, |bullet| (&bullet.id, &bullet.text)).into_iter().cloned().collect())
}

/// Returns the items that match `query`: those whose id starts with it, else those with exactly this text, else those that hold all of its
/// words. `id_and_text` returns the id and the text of an item. Secrets are no words: neither the texts nor the query hold any.
pub fn matching_items<'i, T>(items: &'i [T], query: &str, id_and_text: impl Fn(&T) -> (&str, &str)) -> Vec<&'i T> {
    let matching = |matches: &dyn Fn(&str, &str) -> bool| -> Vec<&'i T> {
        let is_match = |item: &&T| {
            let (id, text) = id_and_text(item);
            matches(id, &normalized(&redact(text).text))
        };
        items.iter().filter(is_match).collect()
    };
    let id = query.trim().to_ascii_lowercase();
    if id.len() >= MIN_ID_LENGTH && id.chars().all(|character| character.is_ascii_hexdigit()) {
        let named = matching(&|known, _| known.starts_with(&id));
        if !named.is_empty() {
            return named;
        }
    }
    let text = normalized(&redact(query).text);
    let same = matching(&|_, known| known == text);
    let words_of_query = words(&text);
    if !same.is_empty() || words_of_query.is_empty() {
        return same;
    }
    matching(&|_, known| words_of_query.is_subset(&words(known)))
}

/// Removes these bullets with their nested lines and returns the removed ones. A bullet that was changed or removed in the meantime is
/// skipped.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn remove_bullets(writer: &mut Writer<'_>, unwanted: &[Bullet]) -> Result<Vec<Bullet>, MemoryError> {
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
