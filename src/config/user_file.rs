//! Finds the user's file and changes single keys in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::Value;

use super::environment::USER_FILE_VARIABLE;
use super::error::EntryKind;
use super::file::quoted;
use super::key::{collection_key, is_tuning, rule_of};
use super::locked_user_file::LockedUserFile;
use super::origin::shown;
use super::rule::Rule;
use super::sources::{invalid, load, validate_user_text};
use super::{ConfigError, Environment, Origin, Setting, Settings, edit, file};

/// First line of a file that tars creates.
pub(super) const HEADER: &str =
    "# Settings of tars. `tars config list` shows every key, its value and where it comes from.\n";
/// Maximum length of a chain of symbolic links, as in Linux.
const MAX_LINKS: usize = 40;

/// The user's configuration file. It need not exist.
#[derive(Debug)]
pub struct UserFile<'a> {
    pub(super) path: PathBuf,
    pub(super) environment: &'a Environment,
}

impl<'a> UserFile<'a> {
    /// The variable that overrides the file's path.
    pub const VARIABLE: &'static str = USER_FILE_VARIABLE;

    /// Returns the path in `TARS_CONFIG`, else `tars/config.toml` in `$XDG_CONFIG_HOME`, else in `~/.config`. Fails if none of these is
    /// known.
    pub fn locate(environment: &'a Environment) -> Result<Self, ConfigError> {
        Ok(Self { path: environment.user_file()?, environment })
    }

    /// Returns the file's absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets `key` to `text` and returns the stored setting.
    ///
    /// Comments, order and the other keys stay as they are. If needed, the file and its folders are created, readable only by the user.
    /// Lists are comma separated or a TOML array. A relative path starts at the current directory and is stored as an absolute path.
    /// Nothing is written if the key is unknown or tunes the ranking, if the value is refused, or if the new file would not load.
    pub fn set(&self, key: &str, text: &str) -> Result<Setting, ConfigError> {
        let value = self.checked(key, text)?;
        if is_tuning(key) {
            return Err(ConfigError::Tuning { key: key.to_owned(), value: text.to_owned() });
        }
        if let (Some((name, None)), Some(folder)) = (collection_key(key), value.as_str())
            && !folder.is_empty()
        {
            self.check_collection(name, folder)?;
        }
        let mut locked = self.open()?;
        let before = file::read(&self.path)?.unwrap_or_else(|| HEADER.to_owned());
        let after = edit::with(&before, key, &value).map_err(|error| self.not_edited(error, key))?;
        validate_user_text(&after, &self.path, self.environment)?;
        locked.write(&after).map_err(|source| self.failed(source))?;
        let line = file::entries(&after).ok().and_then(|all| all.into_iter().find(|entry| entry.key == key));
        let origin = Origin::UserFile { path: self.path.clone(), line: line.map_or(1, |entry| entry.line) };
        Ok(Setting { key: key.to_owned(), value, origin })
    }

    /// Returns the value of `key` in the file, as text; `None` if the key is missing or the file cannot be read.
    pub fn value(&self, key: &str) -> Option<String> {
        let entries = file::entries(&file::read(&self.path).ok()??).ok()?;
        let value = entries.into_iter().find(|entry| entry.key == key)?.value?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    /// Removes `key` from the file and returns whether it was there. Comments above it stay.
    ///
    /// It also removes keys unknown to tars, because they prevent the file from loading.
    pub fn unset(&self, key: &str) -> Result<bool, ConfigError> {
        if file::read(&self.path)?.is_none() {
            return rule_of(key, None).map(|_| false);
        }
        let mut locked = self.open()?;
        let before = file::read(&self.path)?.unwrap_or_default();
        match edit::without(&before, key).map_err(|error| self.not_edited(error, key))? {
            Some(after) => locked.write(&after).map(|()| true).map_err(|source| self.failed(source)),
            None => rule_of(key, None).map(|_| false),
        }
    }

    /// Like [`UserFile::unset`], and also removes a section that becomes empty, and the file if only its header remains.
    ///
    /// # Errors
    /// As for [`UserFile::unset`].
    pub fn unset_whole(&self, key: &str) -> Result<bool, ConfigError> {
        if !self.unset(key)? {
            return Ok(false);
        }
        let mut locked = self.open()?;
        let before = file::read(&self.path)?.unwrap_or_default();
        let after = edit::without_empty_section(&before, key.split('.').next().unwrap_or(key));
        let written = match after.trim() == HEADER.trim() {
            true => locked.remove(),
            false if after != before => locked.write(&after),
            false => Ok(()),
        };
        written.map(|()| true).map_err(|source| self.failed(source))
    }

    pub(super) fn checked(&self, key: &str, text: &str) -> Result<Value, ConfigError> {
        let rule = rule_of(key, None)?;
        let accepted = rule.accept_text(text).map_err(|_| invalid(key, rule, &quoted(text), None))?;
        // Text that unsets the key is stored if the rule accepts it in a file.
        let unset = Value::String(String::new());
        let value = match accepted {
            Some(value) => value,
            None if rule.accept(&unset).is_ok() => unset,
            None => return Err(invalid(key, rule, &quoted(text), None)),
        };
        match value.as_str() {
            Some(path) if rule == Rule::Path && !path.is_empty() && !Path::new(path).starts_with("~") => {
                let absolute = self.environment.resolve(Path::new(path), self.environment.directory.as_deref())?;
                let absolute = absolute.to_str().ok_or_else(|| invalid(key, rule, &quoted(path), None))?;
                Ok(Value::String(absolute.to_owned()))
            }
            _ => Ok(value),
        }
    }

    /// Refuses a folder that does not exist, whose notes would be found twice, or that shares a place with the index.
    pub(super) fn check_collection(&self, name: &str, folder: &str) -> Result<(), ConfigError> {
        let key = format!("collections.{name}");
        let path = self.environment.resolve(Path::new(folder), self.environment.directory.as_deref())?;
        let refused = |reason| ConfigError::Collection { key: key.clone(), path: path.clone(), reason };
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if !path.is_dir() {
            return Err(refused("is not a folder".into()));
        }
        // If the settings do not load, other folders are unknown. Setting the key may repair the settings.
        let Ok(Settings { config, .. }) = load(self.environment, &[]) else { return Ok(()) };
        let relation = |other: &Path| {
            let (new, old) = (real(&path), real(other));
            match (new.starts_with(&old), old.starts_with(&new)) {
                (true, true) => Some("is"),
                (true, false) => Some("lies in"),
                (false, true) => Some("holds"),
                (false, false) => None,
            }
        };
        let vault = config.vault.path.map(|path| ("vault.path".to_owned(), path));
        let others = config.collections.into_iter().map(|(name, one)| (format!("collections.{name}"), one.path));
        for (other, its) in vault.into_iter().chain(others).filter(|(other, _)| *other != key) {
            if let Some(relation) = relation(&its) {
                let reason = format!("{relation} the folder of {other} ({}): notes would be found twice", shown(&its));
                return Err(refused(reason));
            }
        }
        match relation(&config.data.dir) {
            Some(relation) => Err(refused(format!("{relation} the data directory ({})", shown(&config.data.dir)))),
            None => Ok(()),
        }
    }

    /// Replaces the text of the file by the result of `change` and returns whether there was one. The file stays locked meanwhile, and
    /// the new text must load.
    pub(super) fn change(
        &self,
        change: impl FnOnce(&str) -> Result<Option<String>, ConfigError>,
    ) -> Result<bool, ConfigError> {
        let mut locked = self.open()?;
        let before = file::read(&self.path)?.unwrap_or_else(|| HEADER.to_owned());
        let Some(after) = change(&before)? else { return Ok(false) };
        if after != before {
            validate_user_text(&after, &self.path, self.environment)?;
            locked.write(&after).map_err(|source| self.failed(source))?;
        }
        Ok(true)
    }

    /// Locks the file for a change, so that changes of other processes are not lost. A symbolic link stays a link: its target is changed.
    pub(super) fn open(&self) -> Result<LockedUserFile, ConfigError> {
        resolve_links(&self.path).and_then(|target| LockedUserFile::open(&target)).map_err(|source| self.failed(source))
    }

    pub(super) fn failed(&self, source: io::Error) -> ConfigError {
        ConfigError::Write { path: self.path.clone(), source }
    }

    pub(super) fn not_edited(&self, error: edit::EditError, key: &str) -> ConfigError {
        match error {
            edit::EditError::Unparsable(error) => error.at(&self.path),
            edit::EditError::NotASection => {
                let section = key.split('.').next().unwrap_or(key).to_owned();
                let expected = format!("a section in {}", shown(&self.path));
                ConfigError::Invalid { origin: None, key: section, expected, found: None }
            }
            edit::EditError::NoCollection(name) => {
                ConfigError::Entry { kind: EntryKind::Collection, name, reason: "is not in your configuration".into() }
            }
            edit::EditError::NotAKey => ConfigError::UnknownKey { origin: None, key: key.to_owned(), nearest: None },
        }
    }
}

/// Returns the end of a chain of symbolic links, whether or not the file exists.
fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("/")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}
