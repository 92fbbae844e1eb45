//! A project's `.tars.toml`: settings from an untrusted checkout.
//!
//! The file arrives with the checked-out tree, so a stranger may have written it. It can only narrow results: it may set four keys of
//! `[search]`, each in one direction only. It never names a path, a program or an address, and it never fails a run. Warnings show its
//! words in sanitized form.

use std::fs;
use std::path::{Path, PathBuf};

use toml::Value;

use super::layers::{Entry, Layers};
use super::origin::shown;
use super::{ConfigError, Environment, MCP_SERVERS, Origin, SCHEDULE, file, key};

/// The file's name.
const NAME: &str = ".tars.toml";
/// Maximum number of ignored keys that a warning names.
const MAX_NAMED_KEYS: usize = 5;
/// Maximum length of a foreign key in a warning, in characters.
const MAX_KEY_LENGTH: usize = 40;

/// Returns the nearest project file at or above the current directory. The search ends at the first directory that holds `.git`, and
/// before the home directory and the root, because files there belong to no project.
pub(super) fn find(environment: &Environment) -> Option<PathBuf> {
    let start = environment.directory.as_deref()?;
    let home = environment.home.as_deref();
    let real_home = home.and_then(|home| fs::canonicalize(home).ok());
    for folder in start.ancestors() {
        let is_home = Some(folder) == home || Some(folder) == real_home.as_deref();
        if is_home || folder.parent().is_none() {
            return None;
        }
        let candidate = folder.join(NAME);
        if candidate.symlink_metadata().is_ok() {
            return Some(candidate);
        }
        if folder.join(".git").symlink_metadata().is_ok() {
            return None;
        }
    }
    None
}

/// Returns the entries of the file at `path` that narrow `below`. Every other entry becomes a warning.
pub(super) fn entries(path: &Path, below: &Layers, warnings: &mut Vec<String>) -> Vec<Entry> {
    let found = match read(path) {
        Ok(found) => found,
        Err(reason) => {
            warnings.push(format!("{}: ignored: {reason}", shown(path)));
            return Vec::new();
        }
    };
    let mut kept = Vec::new();
    let mut ignored = Vec::new();
    for entry in found {
        let origin = Origin::Project { path: path.to_path_buf(), line: entry.line };
        match judge(&entry, below) {
            Verdict::Narrows(value) => kept.push((entry.key, value, origin)),
            Verdict::ChangesNothing => {}
            Verdict::Refused(reason) => {
                ignored.push(format!("line {}: {} ({reason})", entry.line, sanitized_key(&entry.key)))
            }
        }
    }
    if !ignored.is_empty() {
        let more = ignored.len().saturating_sub(MAX_NAMED_KEYS);
        ignored.truncate(MAX_NAMED_KEYS);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        warnings.push(format!("{}: ignored: {}{more}", shown(path), ignored.join("; ")));
    }
    kept
}

enum Verdict {
    Narrows(Value),
    ChangesNothing,
    Refused(&'static str),
}

fn judge(entry: &file::Entry, below: &Layers) -> Verdict {
    if !matches!(entry.key.as_str(), "search.limit" | "search.min_score" | "search.gate" | "search.mode") {
        let is_table = [SCHEDULE, MCP_SERVERS].contains(&entry.key.as_str());
        let known = is_table || key::rule_of(&entry.key, None).is_ok();
        return Verdict::Refused(if known { "not allowed in a project" } else { "unknown key" });
    }
    let rule = key::rule_of(&entry.key, None).ok();
    let accepted = rule.zip(entry.value.as_ref()).and_then(|(rule, value)| rule.accept(value).ok());
    let (Some(accepted), Some(current)) = (accepted, below.value(&entry.key)) else {
        return Verdict::Refused("wrong type or out of range");
    };
    match (entry.key.as_str(), accepted, current) {
        ("search.limit", Some(Value::Integer(asked)), Value::Integer(now)) if asked < *now => {
            Verdict::Narrows(Value::Integer(asked))
        }
        ("search.min_score" | "search.gate", Some(Value::Float(asked)), Value::Float(now)) if asked > *now => {
            Verdict::Narrows(Value::Float(asked))
        }
        // A mode is narrower if it drops a retriever. Adding one back could send queries to an embedding server.
        ("search.mode", Some(asked), now) if asked != *now => match now.as_str() {
            Some("hybrid") => Verdict::Narrows(asked),
            _ => Verdict::Refused("would add a retriever"),
        },
        _ => Verdict::ChangesNothing,
    }
}

/// Returns the entries of a file. The reasons of failures contain only fixed words, because a parser message or a name in the file could
/// carry anything.
fn read(path: &Path) -> Result<Vec<file::Entry>, String> {
    let real = fs::canonicalize(path).map_err(|_| "cannot be read")?;
    let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok()).ok_or("cannot be read")?;
    if !real.starts_with(&folder) {
        return Err("a symbolic link that leads out of the project".into());
    }
    // Opening a pipe would block.
    if !real.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err("not a file".into());
    }
    let text = match file::read(&real) {
        Ok(Some(text)) => text,
        Ok(None) | Err(ConfigError::Read { .. }) => return Err("cannot be read".into()),
        Err(ConfigError::TooLarge { limit, .. }) => return Err(format!("larger than {limit} bytes")),
        Err(ConfigError::Syntax { line, .. }) => return Err(format!("not UTF-8 at line {line}")),
        Err(_) => return Err("cannot be read".into()),
    };
    file::entries(&text).map_err(|error| format!("not TOML at line {}", error.line))
}

/// Sanitizes a foreign key: no character of it can control a terminal or form a sentence.
fn sanitized_key(key: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '?' };
    key.chars().take(MAX_KEY_LENGTH).map(plain).collect()
}
