//! Changes one key in the text of a file. Comments, order and spacing of the rest stay as they are.

use std::ops::Range;

use toml::Value;
use toml_edit::{DocumentMut, InlineTable, Item, Key, Table, TableLike};

use super::SCHEDULE;
use super::collections::{COLLECTIONS, PATH};
use super::file::{NotToml, parse};
use super::key::collection_key;

/// Why a text cannot be changed.
#[derive(Debug)]
pub(super) enum EditError {
    /// It is not TOML.
    Unparsable(NotToml),
    /// A plain value has the name of the key's section.
    NotASection,
    /// The key has neither one nor two parts.
    NotAKey,
    /// The setting belongs to a collection without a folder, by its name.
    NoCollection(String),
}

/// Returns `text` with `key` set to `value`, replacing an old value. The key is `section.name`, or a name without a section.
pub(super) fn with(text: &str, key: &str, value: &Value) -> Result<String, EditError> {
    let mut document = parse(text).map_err(EditError::Unparsable)?.into_mut();
    let new = edit_value(value);
    if set_in_collection(&mut document, key, &new)? {
        return Ok(document.to_string());
    }
    let Some((section, name)) = key.split_once('.') else {
        return match document.get_mut(key) {
            Some(Item::Value(old)) => {
                replace(old, new);
                Ok(document.to_string())
            }
            Some(_) => Err(EditError::NotAKey),
            // It goes to the start of the file, because everything after a section heading belongs to that section.
            None => Ok(format!("{key} = {new}\n{}{text}", if text.is_empty() { "" } else { "\n" })),
        };
    };
    let Some(item) = document.get_mut(section) else {
        // The section is added as text: adding it to the tree would put it before the comments at the end of the file.
        return Ok(with_table(text, &format!("[{section}]\n{name} = {new}\n")));
    };
    set(item.as_table_like_mut().ok_or(EditError::NotASection)?, name, new);
    Ok(document.to_string())
}

fn set(table: &mut dyn TableLike, name: &str, new: toml_edit::Value) {
    match table.get_mut(name) {
        Some(Item::Value(old)) => replace(old, new),
        _ => {
            table.insert(name, Item::Value(new));
        }
    }
}

/// Sets the folder or a setting of a collection that has a table, and returns whether it did. A collection that is only a folder becomes an
/// inline table for its first setting.
fn set_in_collection(document: &mut DocumentMut, key: &str, new: &toml_edit::Value) -> Result<bool, EditError> {
    let Some((name, setting)) = collection_key(key) else { return Ok(false) };
    let all = document.get_mut(COLLECTIONS).and_then(Item::as_table_like_mut);
    let (item, setting) = match (all.and_then(|all| all.get_mut(name)), setting) {
        (None, None) => return Ok(false),
        (None, Some(_)) => return Err(EditError::NoCollection(name.to_owned())),
        (Some(item), setting) => (item, setting),
    };
    if let Some(table) = item.as_table_like_mut() {
        set(table, setting.unwrap_or(PATH), new.clone());
        return Ok(true);
    }
    let Some(setting) = setting else { return Ok(false) };
    let folder = item.as_value_mut().ok_or(EditError::NotAKey)?;
    let mut both = InlineTable::new();
    let mut plain = folder.clone();
    plain.decor_mut().clear();
    both.insert(PATH, plain);
    both.insert(setting, new.clone());
    replace(folder, both.into());
    Ok(true)
}

/// Returns `text` without `key`, which may be unknown to tars; `None` if the text does not hold the key.
pub(super) fn without(text: &str, key: &str) -> Result<Option<String>, EditError> {
    let document = parse(text).map_err(EditError::Unparsable)?;
    // Errors show keys without quotes, even keys that need quotes in a file. Such a key is split at its first dot.
    let quoted = Key::parse(key).unwrap_or_default();
    let mut parts: Vec<&str> = quoted.iter().map(Key::get).collect();
    if parts.is_empty() {
        parts = key.splitn(2, '.').collect();
    }
    let root: &dyn TableLike = document.as_table();
    let (parent, name) = match parts.as_slice() {
        [name] => (Some(document.as_item()), *name),
        [section, name] => (root.get(section), *name),
        [COLLECTIONS, one, name] => {
            (root.get(COLLECTIONS).and_then(Item::as_table_like).and_then(|all| all.get(one)), *name)
        }
        _ => return Err(EditError::NotAKey),
    };
    let found = parent.and_then(Item::as_table_like).and_then(|table| Some((table.key(name)?, table.get(name)?)));
    let Some((written, item)) = found else { return Ok(None) };
    // A key without a dot never removes a whole section or the schedules, only a stray value or a list of tables with that name.
    if parts.len() == 1 && (item.is_table_like() || name == SCHEDULE && item.is_array_of_tables()) {
        return Ok(None);
    }
    let is_inline = parent.is_some_and(Item::is_inline_table);
    if let (false, true, Some(start), Some(end)) = (is_inline, item.is_value(), written.span(), item.span()) {
        // Whole lines are cut, because removal from the tree would also remove the comments above the key.
        let start = text[..start.start].rfind('\n').map_or(0, |line_end| line_end + 1);
        let end = text[end.end..].find('\n').map_or(text.len(), |line_end| end.end + line_end + 1);
        return Ok(Some(format!("{}{}", &text[..start], &text[end..])));
    }
    if item.is_table() && parts.first() == Some(&COLLECTIONS) {
        return without_table(text, &parts);
    }
    let mut document = document.into_mut();
    remove(&mut document, &parts);
    Ok(Some(document.to_string()))
}

fn remove(document: &mut DocumentMut, parts: &[&str]) {
    let Some((name, above)) = parts.split_last() else { return };
    let parent = above.iter().try_fold(document.as_item_mut(), |item, part| item.get_mut(part));
    parent.and_then(Item::as_table_like_mut).and_then(|table| table.remove(name));
}

/// Returns `text` without the table of these names; `None` if there is none. Comments above it stay, unless other tables stand between its
/// own.
pub(super) fn without_table(text: &str, parts: &[&str]) -> Result<Option<String>, EditError> {
    let document = parse(text).map_err(EditError::Unparsable)?;
    let found = parts.iter().try_fold(document.as_item(), |item, part| item.get(part));
    let Some(found) = found else { return Ok(None) };
    let cut = found.as_table().and_then(extent).map(|extent| without_lines(text, extent));
    let mut removed = document.clone().into_mut();
    remove(&mut removed, parts);
    let removed = removed.to_string();
    Ok(Some(cut.filter(|cut| means_the_same(cut, &removed)).unwrap_or(removed)))
}

/// Returns `text` with the collection `old` named `new`, also in `chat.private_collections`; `None` if there is none of that name.
pub(super) fn with_renamed_collection(text: &str, old: &str, new: &str) -> Result<Option<String>, EditError> {
    let document = parse(text).map_err(EditError::Unparsable)?;
    let all = document.get(COLLECTIONS).and_then(Item::as_table_like);
    let Some(written) = all.and_then(|all| all.key(old)) else { return Ok(None) };
    let in_place = written.span().map(|span| format!("{}{new}{}", &text[..span.start], &text[span.end..]));
    let mut moved = document.clone().into_mut();
    if let Some(all) = moved.get_mut(COLLECTIONS).and_then(Item::as_table_like_mut)
        && let Some(item) = all.remove(old)
    {
        all.insert(new, item);
    }
    let moved = moved.to_string();
    let text = in_place.filter(|text| means_the_same(text, &moved)).unwrap_or(moved);
    let mut document = parse(&text).map_err(EditError::Unparsable)?.into_mut();
    let private = document.get_mut("chat").and_then(|chat| chat.get_mut("private_collections"));
    for name in private.and_then(Item::as_array_mut).into_iter().flat_map(toml_edit::Array::iter_mut) {
        if name.as_str() == Some(old) {
            replace(name, new.into());
        }
    }
    Ok(Some(document.to_string()))
}

/// Whether two texts hold the same values.
fn means_the_same(one: &str, other: &str) -> bool {
    let read = |text| toml::from_str::<toml::Table>(text).ok();
    read(one).is_some_and(|one| Some(one) == read(other))
}

/// Returns the byte range from the heading of a table to its last value.
pub(super) fn extent(table: &Table) -> Option<Range<usize>> {
    fn end(table: &dyn TableLike) -> usize {
        let ends = table.iter().map(|(_, item)| {
            let own = item.span().map_or(0, |span| span.end);
            item.as_table_like().map_or(0, end).max(own)
        });
        ends.max().unwrap_or_default()
    }
    let heading = table.span()?;
    Some(heading.start..end(table).max(heading.end))
}

/// Returns `text` without the lines in `extent` and without one empty line above them, which [`with_table`] inserts.
pub(super) fn without_lines(text: &str, extent: Range<usize>) -> String {
    let start = text[..extent.start].rfind('\n').map_or(0, |line_end| line_end + 1);
    let end = text[extent.end..].find('\n').map_or(text.len(), |line_end| extent.end + line_end + 1);
    let above = &text[..start];
    let above = if above.ends_with("\n\n") { &above[..above.len() - 1] } else { above };
    format!("{above}{}", &text[end..])
}

/// Returns `text` with a table below an empty line at its end.
pub(super) fn with_table(text: &str, table: &str) -> String {
    let break_line = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let gap = if text.is_empty() { "" } else { "\n" };
    format!("{text}{break_line}{gap}{table}")
}

/// Returns `text` without the heading of an empty section, unless a comment stands above it or in it.
pub(super) fn without_empty_section(text: &str, section: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_blank = |line: &&&str| line.trim().is_empty();
    let heading = format!("[{section}]");
    let Some(at) = lines.iter().position(|line| line.trim() == heading) else { return text.to_owned() };
    let behind = at + 1 + lines[at + 1..].iter().take_while(is_blank).count();
    let is_empty = lines.get(behind).is_none_or(|line| line.starts_with('['));
    if !is_empty || at > 0 && lines[at - 1].starts_with('#') {
        return text.to_owned();
    }
    let before = at - lines[..at].iter().rev().take_while(is_blank).count();
    let gap = if before > 0 && behind < lines.len() { "\n" } else { "" };
    format!("{}{gap}{}", lines[..before].concat(), lines[behind..].concat())
}

/// The comment after a value is part of the value's decor.
pub(super) fn replace(old: &mut toml_edit::Value, mut new: toml_edit::Value) {
    *new.decor_mut() = old.decor().clone();
    *old = new;
}

/// The rules accept only strings, numbers, booleans and lists of strings.
fn edit_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Boolean(switch) => (*switch).into(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<toml_edit::Array>().into(),
        _ => value.as_str().unwrap_or_default().into(),
    }
}

#[cfg(test)]
mod tests;
