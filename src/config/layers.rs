//! Merges the layers: a later layer overrides an earlier one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use super::collections::{COLLECTIONS, PATH};
use super::{Config, ConfigError, Environment, Origin, Settings, key, profile};

/// A key, its checked value and its origin.
pub(super) type Entry = (String, Value, Origin);

/// The layers merged so far.
pub(super) struct Layers {
    values: BTreeMap<String, Value>,
    origins: BTreeMap<String, Origin>,
}

impl Layers {
    pub(super) fn of_defaults() -> Self {
        let mut layers = Self { values: BTreeMap::new(), origins: BTreeMap::new() };
        layers.add(key::all().iter().map(|key| (key.name.clone(), key.default.clone(), Origin::Default)).collect());
        layers
    }

    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    pub(super) fn add(&mut self, entries: Vec<Entry>) {
        for (key, value, origin) in entries {
            self.values.insert(key.clone(), value);
            self.origins.insert(key, origin);
        }
    }

    /// Whether no layer has set a key.
    pub(super) fn is_default(&self, key: &str) -> bool {
        self.origins.get(key).is_none_or(|origin| *origin == Origin::Default)
    }

    /// Replaces untouched defaults by the values of the profile.
    pub(super) fn apply_profile(&mut self, memory: Option<u64>) {
        let wanted = self.values.get(profile::KEY).and_then(Value::as_str).unwrap_or_default();
        let name = profile::named(wanted, memory);
        for (key, value) in profile::values(name) {
            if self.is_default(key) {
                self.values.insert(key.clone(), value.clone());
                self.origins.insert(key.clone(), Origin::Profile(name));
            }
        }
    }

    pub(super) fn into_settings(
        mut self,
        environment: &Environment,
        user_file: Option<PathBuf>,
        warnings: Vec<String>,
    ) -> Result<Settings, ConfigError> {
        let mut config = self.config()?;
        let path = |key: &str| self.path(key, environment);
        config.vault.path = path("vault.path")?;
        config.embedding.runtime = path("embedding.runtime")?;
        config.data.dir = path("data.dir")?.map_or_else(|| data_home(environment, "tars"), Ok)?;
        config.models.dir = path("models.dir")?.map_or_else(|| data_home(environment, "tars/models"), Ok)?;
        for (name, collection) in &mut config.collections {
            collection.path = path(&format!("collections.{name}"))?.unwrap_or_default();
        }
        self.show_paths_of(&config);
        Ok(Settings {
            config,
            origins: self.origins,
            warnings,
            schedules: Vec::new(),
            mcp_servers: Vec::new(),
            values: self.values,
            user_file,
        })
    }

    /// Returns the typed settings, with paths as written.
    pub(super) fn config(&self) -> Result<Config, ConfigError> {
        let mut root = Table::from_iter([(COLLECTIONS.to_owned(), Value::Table(self.collections()))]);
        for (key, value) in self.values.iter().filter(|(key, _)| key::collection_key(key).is_none()) {
            let Some((section, name)) = key.split_once('.') else {
                root.insert(key.clone(), value.clone());
                continue;
            };
            let section = root.entry(section.to_owned()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(section) = section {
                section.insert(name.to_owned(), value.clone());
            }
        }
        Config::deserialize(Value::Table(root)).map_err(|error| ConfigError::Shape(error.to_string()))
    }

    /// Returns the tables of the collections. Settings of a collection without a folder count for nothing.
    fn collections(&self) -> Table {
        let mut all = Table::new();
        for (key, value) in &self.values {
            let Some((name, setting)) = key::collection_key(key) else { continue };
            let one = all.entry(name.to_owned()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(one) = one {
                one.insert(setting.unwrap_or(PATH).to_owned(), value.clone());
            }
        }
        all.retain(|_, one| one.get(PATH).is_some());
        all
    }

    /// Returns the absolute path of `key`; `None` if it is unset. A relative path from the user's file starts at the file's folder, any
    /// other at the current directory.
    pub(super) fn path(&self, key: &str, environment: &Environment) -> Result<Option<PathBuf>, ConfigError> {
        let written = self.values.get(key).and_then(Value::as_str).filter(|path| !path.is_empty());
        let Some(written) = written.map(Path::new) else { return Ok(None) };
        let base = match self.origins.get(key) {
            Some(Origin::UserFile { path, .. }) => path.parent(),
            _ => environment.directory.as_deref(),
        };
        environment.resolve(written, base).map(Some)
    }

    /// Stores the resolved paths for listings.
    fn show_paths_of(&mut self, config: &Config) {
        let named = [
            ("vault.path", config.vault.path.as_ref()),
            ("data.dir", Some(&config.data.dir)),
            ("models.dir", Some(&config.models.dir)),
            ("embedding.runtime", config.embedding.runtime.as_ref()),
        ];
        let named = named.into_iter().filter_map(|(key, path)| Some((key.to_owned(), path?)));
        let collections = config.collections.iter().map(|(name, one)| (format!("collections.{name}"), &one.path));
        for (key, path) in named.chain(collections) {
            self.values.insert(key, Value::String(path.to_string_lossy().into_owned()));
        }
    }
}

/// Returns `folder` within the user's data directory.
pub(super) fn data_home(environment: &Environment, folder: &str) -> Result<PathBuf, ConfigError> {
    let home = environment.data_home().ok_or_else(|| ConfigError::NoHome { needed_for: "~/.local/share".into() })?;
    Ok(home.join(folder))
}
