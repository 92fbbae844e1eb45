//! Adds, removes, renames and describes collections in the user's file.

use std::path::Path;

use toml::Value;

use super::collections::{COLLECTIONS, PATH};
use super::edit::{self, with_renamed_collection, with_table};
use super::error::EntryKind;
use super::key::{collection_key, is_collection_name, rule_of};
use super::sources::invalid;
use super::user_file::UserFile;
use super::{CollectionSettings, ConfigError, file};

impl UserFile<'_> {
    /// Appends a collection to the file, and returns the absolute path of its folder. A missing file is created. A relative path starts at
    /// the current directory.
    ///
    /// # Errors
    /// The name is taken or no name of a collection, the folder is missing or overlaps with another one or with the index, a setting is out
    /// of range, or the file cannot be written.
    pub fn add_collection(&self, name: &str, new: &CollectionSettings) -> Result<String, ConfigError> {
        if !is_collection_name(name) {
            return Err(refused(name, "is no name: ASCII letters, digits, '-' and '_', other than 'vault'"));
        }
        let given = new.path.to_str().ok_or_else(|| ConfigError::Collection {
            key: format!("{COLLECTIONS}.{name}"),
            path: new.path.clone(),
            reason: "is not valid UTF-8".into(),
        })?;
        let folder = self.checked(&format!("{COLLECTIONS}.{name}"), given)?;
        let folder = folder.as_str().unwrap_or_default().to_owned();
        if folder.is_empty() {
            return Err(refused(name, "needs a folder"));
        }
        let table = new.to_table(&folder);
        for (setting, value) in table.iter().filter(|(setting, _)| *setting != PATH) {
            let key = format!("{COLLECTIONS}.{name}.{setting}");
            let rule = rule_of(&key, None)?;
            rule.accept(value).map_err(|_| invalid(&key, rule, &value.to_string(), None))?;
        }
        self.check_collection(name, &folder)?;
        self.change(|before| {
            if names(before, self.path())?.iter().any(|known| known == name) {
                return Err(refused(name, "is in your configuration already"));
            }
            let lines = table.iter().map(|(key, value)| format!("{key} = {value}\n"));
            // The folder comes first, the rest by name.
            let (first, rest): (Vec<String>, Vec<String>) = lines.partition(|line| line.starts_with(PATH));
            let table = format!("[{COLLECTIONS}.{name}]\n{}{}", first.concat(), rest.concat());
            Ok(Some(with_table(before, &table)))
        })?;
        Ok(folder)
    }

    /// Removes a collection with its settings from the file, and returns whether it was there. Its name stays in
    /// `chat.private_collections`, so that a later collection of that name is not sent by accident.
    ///
    /// # Errors
    /// The file is not TOML or cannot be written.
    pub fn remove_collection(&self, name: &str) -> Result<bool, ConfigError> {
        let key = format!("{COLLECTIONS}.{name}");
        self.change(|before| edit::without(before, &key).map_err(|error| self.not_edited(error, &key)))
    }

    /// Renames a collection, also in `chat.private_collections`. Its place, its settings and all comments stay.
    ///
    /// # Errors
    /// There is no collection `old`, `new` is taken or no name of a collection, or the file cannot be written.
    pub fn rename_collection(&self, old: &str, new: &str) -> Result<(), ConfigError> {
        if !is_collection_name(new) {
            return Err(refused(new, "is no name: ASCII letters, digits, '-' and '_', other than 'vault'"));
        }
        let was_there = self.change(|before| {
            if names(before, self.path())?.iter().any(|known| known == new) {
                return Err(refused(new, "is in your configuration already"));
            }
            with_renamed_collection(before, old, new).map_err(|error| self.not_edited(error, COLLECTIONS))
        })?;
        if was_there { Ok(()) } else { Err(refused(old, "is not in your configuration")) }
    }

    /// Sets the description of a collection; an empty text removes it.
    ///
    /// # Errors
    /// There is no such collection, the text has several lines, or the file cannot be written.
    pub fn describe_collection(&self, name: &str, text: &str) -> Result<(), ConfigError> {
        let key = format!("{COLLECTIONS}.{name}.description");
        let value = self.checked(&key, text)?;
        let was_there = self.change(|before| {
            if !names(before, self.path())?.iter().any(|known| known == name) {
                return Ok(None);
            }
            let after = match value == Value::String(String::new()) {
                true => edit::without(before, &key).map(|after| after.unwrap_or_else(|| before.to_owned())),
                false => edit::with(before, &key, &value),
            };
            after.map(Some).map_err(|error| self.not_edited(error, &key))
        })?;
        if was_there { Ok(()) } else { Err(refused(name, "is not in your configuration")) }
    }
}

fn refused(name: &str, reason: &str) -> ConfigError {
    ConfigError::Entry { kind: EntryKind::Collection, name: name.to_owned(), reason: reason.to_owned() }
}

/// Returns the names of the collections in a text.
fn names(text: &str, path: &Path) -> Result<Vec<String>, ConfigError> {
    let entries = file::entries(text).map_err(|error| error.at(path))?;
    let name = |entry: &file::Entry| match collection_key(&entry.key) {
        Some((name, None)) => Some(name.to_owned()),
        _ => None,
    };
    Ok(entries.iter().filter_map(name).collect())
}
