//! Reads the sources of settings (files, variables and flags) into checked values.

use std::path::{Path, PathBuf};

use toml::Value;

use super::environment::USER_FILE_VARIABLE;
use super::file::quoted;
use super::key::{self, is_tuning, rule_of, variable_of};
use super::layers::{Entry, Layers, data_home};
use super::rule::{Refused, Rule};
use super::{
    ConfigError, Environment, MCP_SERVERS, NotesAuthor, Origin, SCHEDULE, Settings, file, mcp_servers, project,
    schedules,
};

/// Alias of `TARS_VAULT_PATH`; the alias wins if both are set.
const VAULT_VARIABLE: &str = "TARS_VAULT";
/// Set by the client's plugin to the folder that a person has configured there (`userConfig` in `.claude-plugin/plugin.json`). It names
/// the vault if nothing else does, so that the plugin and the command line use the same one.
const PLUGIN_VAULT: &str = "CLAUDE_PLUGIN_OPTION_VAULT";
/// Likewise for the author of notes, if nothing else names a provider.
const PLUGIN_NOTES: &str = "CLAUDE_PLUGIN_OPTION_NOTES";

/// The keys that together name the author of notes.
const AUTHOR_KEYS: [&str; 5] =
    ["summary.provider", "summary.base_url", "summary.model", "summary.api_key_env", "summary.command"];

/// Reads and merges all layers. `flags` are pairs of key and value; the last pair of a key wins.
///
/// A missing user file is no error; if `TARS_CONFIG` names it, it is a warning. Mistakes in the user's file, a variable or a flag are
/// errors. Mistakes in a project's file are warnings, and so are keys that tune the ranking in the user's file or a variable.
pub fn load(environment: &Environment, flags: &[(String, String)]) -> Result<Settings, ConfigError> {
    let mut warnings = Vec::new();
    let mut layers = Layers::of_defaults();
    layers.add(variable_entry(environment, PLUGIN_VAULT, "vault.path")?.into_iter().collect());
    let by_plugin = plugin_notes(environment, &mut warnings)?;
    let user_file = match environment.user_file() {
        Ok(path) => Some(path),
        Err(ConfigError::NoHome { .. }) if environment.variable(USER_FILE_VARIABLE).is_none() => None,
        Err(error) => return Err(error),
    };
    let (mut schedules, mut mcp_servers) = (Vec::new(), Vec::new());
    if let Some(path) = &user_file {
        match file::read(path)? {
            Some(text) => {
                schedules = schedules::read(&text, path)?;
                mcp_servers = mcp_servers::read(&text, path)?;
                let entries = user_entries(&text, path)?;
                warn_of_tuning(&entries, &mut warnings);
                layers.add(entries);
            }
            None if environment.variable(USER_FILE_VARIABLE).is_some() => {
                warnings.push(format!("{} names a file that does not exist", USER_FILE_VARIABLE));
            }
            None => {}
        }
    }
    if let Some(path) = project::find(environment) {
        let entries = project::entries(&path, &layers, &mut warnings);
        layers.add(entries);
    }
    let entries = variable_entries(environment)?;
    warn_of_tuning(&entries, &mut warnings);
    layers.add(entries);
    layers.add(flag_entries(flags)?);
    // An address or a model of another provider must not apply to this one, so the choice counts as a whole or not at all.
    if AUTHOR_KEYS.iter().all(|key| layers.is_default(key)) {
        layers.add(by_plugin);
    }
    layers.apply_profile(environment.memory);
    Ok(Settings { schedules, mcp_servers, ..layers.into_settings(environment, user_file, warnings)? })
}

/// Returns the data directory from a flag, a variable or the default, for use when the settings do not load. Returns `None` if it is
/// unknown.
pub fn data_dir_without_files(environment: &Environment, flags: &[(String, String)]) -> Option<PathBuf> {
    const KEY: &str = "data.dir";
    let flag = flags.iter().rev().find(|(key, _)| key == KEY).map(|(_, path)| PathBuf::from(path));
    match flag.or_else(|| environment.variable(&variable_of(KEY)).map(PathBuf::from)) {
        Some(path) => environment.resolve(&path, environment.directory.as_deref()).ok(),
        None => data_home(environment, "tars").ok(),
    }
}

/// Checks that `text` would load as the user's file at `path`, regardless of the other layers.
pub(super) fn validate_user_text(text: &str, path: &Path, environment: &Environment) -> Result<(), ConfigError> {
    schedules::read(text, path)?;
    mcp_servers::read(text, path)?;
    let entries = user_entries(text, path)?;
    let keys: Vec<String> = entries.iter().map(|(key, ..)| key.clone()).collect();
    let mut layers = Layers::of_defaults();
    layers.add(entries);
    layers.config()?;
    for key in keys {
        if rule_of(&key, None)? == Rule::Path {
            layers.path(&key, environment)?;
        }
    }
    Ok(())
}

/// Warns about keys that tune the ranking. They still take effect where people set them, until the next version.
fn warn_of_tuning(entries: &[Entry], warnings: &mut Vec<String>) {
    for (key, _, origin) in entries.iter().filter(|(key, ..)| is_tuning(key)) {
        let remedy = match origin {
            Origin::Variable(name) => format!("unset {name}"),
            _ => format!("tars config unset {key}"),
        };
        warnings.push(format!(
            "{}: {key} tunes the ranking and is for 'tars eval --set' only: it still takes effect here, but the next version \
             ignores it; run '{remedy}'",
            origin.place()
        ));
    }
}

/// Returns the error for a refused value.
pub(super) fn invalid(key: &str, rule: Rule, found: &str, origin: Option<&Origin>) -> ConfigError {
    let brief: String = found.chars().take(60).collect();
    let found = rule.may_be_shown().then_some(brief);
    ConfigError::Invalid { origin: origin.cloned(), key: key.to_owned(), expected: rule.expected(), found }
}

fn user_entries(text: &str, path: &Path) -> Result<Vec<Entry>, ConfigError> {
    let found = file::entries(text).map_err(|error| error.at(path))?;
    let mut entries = Vec::new();
    // Schedules and tool servers are no keys. `schedules` and `mcp_servers` read them.
    let is_table = |entry: &file::Entry| entry.key.split('.').next() == Some(SCHEDULE) || entry.key == MCP_SERVERS;
    for entry in found.into_iter().filter(|entry| !is_table(entry)) {
        let origin = Origin::UserFile { path: path.to_path_buf(), line: entry.line };
        let rule = rule_of(&entry.key, Some(&origin))?;
        let accepted = entry.value.as_ref().ok_or(Refused).and_then(|value| rule.accept(value));
        let shown = || entry.value.as_ref().map_or_else(|| "a table or a date".into(), Value::to_string);
        match accepted.map_err(|Refused| invalid(&entry.key, rule, &shown(), Some(&origin)))? {
            Some(value) => entries.push((entry.key, value, origin)),
            None => continue,
        }
    }
    Ok(entries)
}

/// Reads the variable of each key. Other variables are never read.
fn variable_entries(environment: &Environment) -> Result<Vec<Entry>, ConfigError> {
    let derived = key::all().iter().map(|key| (variable_of(&key.name), key.name.as_str()));
    let mut entries = Vec::new();
    for (variable, key) in derived.chain([(VAULT_VARIABLE.to_owned(), "vault.path")]) {
        entries.extend(variable_entry(environment, &variable, key)?);
    }
    Ok(entries)
}

/// Returns the entry of a variable; `None` if the variable is not set.
fn variable_entry(environment: &Environment, variable: &str, key: &str) -> Result<Option<Entry>, ConfigError> {
    let Some(value) = environment.variable(variable) else { return Ok(None) };
    let origin = Origin::Variable(variable.to_owned());
    let rule = rule_of(key, Some(&origin))?;
    let accepted = value.to_str().ok_or(Refused).and_then(|text| rule.accept_text(text));
    let accepted = accepted.map_err(|Refused| invalid(key, rule, &quoted(&value.to_string_lossy()), Some(&origin)))?;
    Ok(accepted.map(|value| (key.to_owned(), value, origin)))
}

/// Returns the settings of the author of notes whom the person has named in the plugin.
fn plugin_notes(environment: &Environment, warnings: &mut Vec<String>) -> Result<Vec<Entry>, ConfigError> {
    let Some(word) = environment.variable(PLUGIN_NOTES).map(|word| word.to_string_lossy().into_owned()) else {
        return Ok(Vec::new());
    };
    let Some(author) = NotesAuthor::parse(&word) else {
        if !word.trim().is_empty() {
            warnings.push(format!(
                "the plugin's option 'notes' is {}, but must be claude, ollama:MODEL or rules",
                quoted(&word)
            ));
        }
        return Ok(Vec::new());
    };
    let origin = Origin::Variable(PLUGIN_NOTES.to_owned());
    let mut entries = Vec::new();
    for (key, value) in author.settings() {
        match rule_of(key, Some(&origin))?.accept_text(value) {
            Ok(value) => entries.extend(value.map(|value| (key.to_owned(), value, origin.clone()))),
            Err(Refused) => {
                warnings.push(format!(
                    "the plugin's option 'notes' names a model that {key} does not take: {}",
                    quoted(value)
                ));
                return Ok(Vec::new());
            }
        }
    }
    Ok(entries)
}

fn flag_entries(flags: &[(String, String)]) -> Result<Vec<Entry>, ConfigError> {
    let mut entries = Vec::new();
    for (key, text) in flags {
        let origin = Origin::Flag(key.clone());
        let rule = rule_of(key, Some(&origin))?;
        let accepted = rule.accept_text(text);
        let accepted = accepted.map_err(|Refused| invalid(key, rule, &quoted(text), Some(&origin)))?;
        entries.extend(accepted.map(|value| (key.clone(), value, origin)));
    }
    Ok(entries)
}
