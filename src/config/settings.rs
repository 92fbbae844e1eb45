//! The merged settings and the origin of each value.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toml::Value;

use super::key::{self, Key, rule_of};
use super::{Config, ConfigError, MCP_SERVERS, McpServerSettings, Origin, ScheduleSettings};

/// Result of [`super::load`]: the configuration and its origins.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The checked configuration.
    pub config: Config,
    /// The layer of each key's value.
    pub origins: BTreeMap<String, Origin>,
    /// Warnings about ignored input: lower-case fragments to show once.
    pub warnings: Vec<String>,
    /// The schedules of the user's file, in order.
    pub schedules: Vec<ScheduleSettings>,
    /// The tool servers of the user's file, in order.
    pub mcp_servers: Vec<McpServerSettings>,
    pub(super) values: BTreeMap<String, Value>,
    pub(super) user_file: Option<PathBuf>,
}

/// One key with its merged value.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The dotted key.
    pub key: String,
    /// Its value. Paths are absolute; an empty string means unset.
    pub value: Value,
    /// The layer of the value.
    pub origin: Origin,
}

impl Setting {
    /// Returns the value as TOML, with quoted strings.
    pub fn toml(&self) -> String {
        self.value.to_string()
    }

    /// Returns the value for a script: a string without quotes, everything else as TOML.
    pub fn plain(&self) -> String {
        self.value.as_str().map_or_else(|| self.toml(), str::to_owned)
    }
}

impl Settings {
    /// Returns one setting. An unknown key is an error, and so is a collection that is not configured.
    pub fn get(&self, key: &str) -> Result<Setting, ConfigError> {
        rule_of(key, None)?;
        self.setting(key).ok_or_else(|| ConfigError::UnknownKey { origin: None, key: key.to_owned(), nearest: None })
    }

    /// Returns all settings: keys in the order of the defaults, then collections by name. A key that tunes the ranking is listed only if
    /// a layer sets it.
    pub fn list(&self) -> Vec<Setting> {
        let is_listed = |key: &&Key| !key.is_tuning || self.origins.get(&key.name) != Some(&Origin::Default);
        let keys = key::all().iter().filter(is_listed).map(|key| &key.name);
        let collections = self.values.keys().filter(|key| key.starts_with("collections."));
        keys.chain(collections).filter_map(|key| self.setting(key)).collect()
    }

    /// Returns the settings whose values differ from the built-in defaults, in the order of [`Settings::list`], each with the default;
    /// collections have none.
    pub fn changed(&self) -> Vec<(Setting, Option<Value>)> {
        let default = |key: &str| key::all().iter().find(|known| known.name == key).map(|known| known.default.clone());
        let set = self.list().into_iter().filter(|setting| setting.origin != Origin::Default);
        let with_default = set.map(|setting| (default(&setting.key), setting));
        with_default
            .filter(|(default, setting)| default.as_ref() != Some(&setting.value))
            .map(|(default, setting)| (setting, default))
            .collect()
    }

    /// Returns the path of the user's file, whether or not it exists; `None` if no location is known.
    pub fn path(&self) -> Option<&Path> {
        self.user_file.as_deref()
    }

    /// Returns the keys whose values are others in settings of a later load; tool servers count as one key. Schedules are left out, because
    /// a process that runs them takes them at once.
    pub fn changed_keys(&self, later: &Self) -> Vec<String> {
        let keys: BTreeSet<&String> = self.values.keys().chain(later.values.keys()).collect();
        let differs = |key: &&String| self.values.get(*key) != later.values.get(*key);
        let mut changed: Vec<String> = keys.into_iter().filter(differs).cloned().collect();
        changed.extend((self.mcp_servers != later.mcp_servers).then(|| MCP_SERVERS.to_owned()));
        changed
    }

    fn setting(&self, key: &str) -> Option<Setting> {
        let (value, origin) = (self.values.get(key)?.clone(), self.origins.get(key)?.clone());
        Some(Setting { key: key.to_owned(), value, origin })
    }
}
