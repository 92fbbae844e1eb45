//! The user's own file: where it is, and changing one key of it without touching the rest.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::Value;

use super::environment::USER_FILE_VARIABLE;
use super::file::NotToml;
use super::key::{is_tuning, rule_of};
use super::origin::shown;
use super::rule::Rule;
use super::sources::{invalid, load, quoted, rehearse};
use super::user_file_place::UserFilePlace;
use super::{ConfigError, Environment, Origin, Setting, Settings, edit, file};

/// What a file that tars creates begins with.
pub(super) const HEADER: &str =
    "# Settings of tars. `tars config list` shows every key, its value and where it comes from.\n";
/// As many symbolic links in a row as Linux follows.
const MOST_LINKS: usize = 40;

/// The user's configuration file, which need not exist yet.
#[derive(Debug)]
pub struct UserFile<'a> {
    pub(super) path: PathBuf,
    pub(super) environment: &'a Environment,
}

impl<'a> UserFile<'a> {
    /// The variable that names another file.
    pub const VARIABLE: &'static str = USER_FILE_VARIABLE;

    /// Returns the file that `TARS_CONFIG` names, else `tars/config.toml` in `$XDG_CONFIG_HOME`, else in `~/.config`.
    /// Fails if none of these is known.
    pub fn locate(environment: &'a Environment) -> Result<Self, ConfigError> {
        Ok(Self { path: environment.user_file()?, environment })
    }

    /// Returns the file's absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets `key` to `text` and returns what now stands in the file.
    ///
    /// Comments, order and the other keys stay as they are. The file and its folders are created if need be, readable
    /// by the user alone. Lists are comma separated or a TOML array; a relative path starts at the current directory
    /// and is written absolute. Nothing is written if the key is unknown or tunes the ranking, the value is refused or the
    /// file would not load.
    pub fn set(&self, key: &str, text: &str) -> Result<Setting, ConfigError> {
        let value = self.checked(key, text)?;
        if is_tuning(key) {
            return Err(ConfigError::Tuning { key: key.to_owned(), value: text.to_owned() });
        }
        if let (Some(name), Some(folder)) = (key.strip_prefix("collections."), value.as_str())
            && !folder.is_empty()
        {
            self.check_collection(name, folder)?;
        }
        let mut place = self.open()?;
        let before = file::read(&self.path)?.unwrap_or_else(|| HEADER.to_owned());
        let after = edit::with(&before, key, &value).map_err(|error| self.not_edited(error, key))?;
        rehearse(&after, &self.path, self.environment)?;
        place.write(&after).map_err(|source| self.failed(source))?;
        let line = file::entries(&after).ok().and_then(|all| all.into_iter().find(|entry| entry.key == key));
        let origin = Origin::UserFile { path: self.path.clone(), line: line.map_or(1, |entry| entry.line) };
        Ok(Setting { key: key.to_owned(), value, origin })
    }

    /// Returns what the file says of `key`, as text; `None` where it says nothing of it, or cannot be read.
    pub fn value(&self, key: &str) -> Option<String> {
        let entries = file::entries(&file::read(&self.path).ok()??).ok()?;
        let value = entries.into_iter().find(|entry| entry.key == key)?.value?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    /// Takes `key` out of the file and returns whether it stood there. Comments above it stay.
    ///
    /// Keys that tars does not know can be taken out too, since they keep a file from loading.
    pub fn unset(&self, key: &str) -> Result<bool, ConfigError> {
        if file::read(&self.path)?.is_none() {
            return rule_of(key, None).map(|_| false);
        }
        let mut place = self.open()?;
        let before = file::read(&self.path)?.unwrap_or_default();
        match edit::without(&before, key).map_err(|error| self.not_edited(error, key))? {
            Some(after) => place.write(&after).map(|()| true).map_err(|source| self.failed(source)),
            None => rule_of(key, None).map(|_| false),
        }
    }

    /// As [`UserFile::unset`], with the section that is left empty, and with the file where nothing is left but what tars begins one
    /// with.
    ///
    /// # Errors
    /// As [`UserFile::unset`].
    pub fn unset_whole(&self, key: &str) -> Result<bool, ConfigError> {
        if !self.unset(key)? {
            return Ok(false);
        }
        let mut place = self.open()?;
        let before = file::read(&self.path)?.unwrap_or_default();
        let after = edit::without_empty_section(&before, key.split('.').next().unwrap_or(key));
        let written = match after.trim() == HEADER.trim() {
            true => place.remove(),
            false if after != before => place.write(&after),
            false => Ok(()),
        };
        written.map(|()| true).map_err(|source| self.failed(source))
    }

    fn checked(&self, key: &str, text: &str) -> Result<Value, ConfigError> {
        let rule = rule_of(key, None)?;
        let accepted = rule.accept_text(text).map_err(|_| invalid(key, rule, &quoted(text), None))?;
        // Text that leaves the key unset is kept as such where the file can hold it.
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

    /// Refuses a folder that is not there, and one whose notes would be found twice.
    fn check_collection(&self, name: &str, folder: &str) -> Result<(), ConfigError> {
        let key = format!("collections.{name}");
        let path = self.environment.resolve(Path::new(folder), self.environment.directory.as_deref())?;
        let refused = |reason| ConfigError::Collection { key: key.clone(), path: path.clone(), reason };
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if !path.is_dir() {
            return Err(refused("is no folder".into()));
        }
        // Settings that do not load say nothing of other folders; setting a key may be what mends them.
        let Ok(Settings { config, .. }) = load(self.environment, &[]) else { return Ok(()) };
        let vault = config.vault.path.map(|path| ("vault.path".to_owned(), path));
        let others = config.collections.into_iter().map(|(name, path)| (format!("collections.{name}"), path));
        for (other, its) in vault.into_iter().chain(others).filter(|(other, _)| *other != key) {
            let (new, old) = (real(&path), real(&its));
            let relation = match (new.starts_with(&old), old.starts_with(&new)) {
                (true, true) => "is",
                (true, false) => "lies in",
                (false, true) => "holds",
                (false, false) => continue,
            };
            let reason = format!("{relation} the folder of {other} ({}): notes would be found twice", shown(&its));
            return Err(refused(reason));
        }
        Ok(())
    }

    /// Takes the right to change the file: what another process sets meanwhile would be lost. A symbolic link stays one:
    /// what it leads to is changed.
    pub(super) fn open(&self) -> Result<UserFilePlace, ConfigError> {
        behind_links(&self.path).and_then(|target| UserFilePlace::open(&target)).map_err(|source| self.failed(source))
    }

    pub(super) fn failed(&self, source: io::Error) -> ConfigError {
        ConfigError::Write { path: self.path.clone(), source }
    }

    fn not_edited(&self, error: edit::EditError, key: &str) -> ConfigError {
        match error {
            edit::EditError::Unparsable(NotToml { line, message }) => {
                ConfigError::Syntax { path: self.path.clone(), line, message }
            }
            edit::EditError::NotASection => {
                let section = key.split('.').next().unwrap_or(key).to_owned();
                let expected = format!("a section in {}", shown(&self.path));
                ConfigError::Invalid { origin: None, key: section, expected, found: None }
            }
            edit::EditError::NotAKey => ConfigError::UnknownKey { origin: None, key: key.to_owned(), nearest: None },
        }
    }
}

/// Returns the path at the end of a chain of symbolic links, whether or not a file is there.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("/")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}
