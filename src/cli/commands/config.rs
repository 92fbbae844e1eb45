//! `tars config`

use std::io::Write;

use serde::Serialize;

use super::open::editor::{self, Place};
use crate::args::Config;
use crate::format::pluralize;
use crate::terminal::sanitize_line;
use crate::{Outcome, json, prompt, terminal};
use tars_config::{Environment, UserFile};
use tars_service::{App, Refusal, Result};

#[derive(Serialize)]
struct SettingJson {
    key: String,
    value: serde_json::Value,
    origin: String,
}

/// Runs the commands that change or locate the user's file: they work even if it does not load.
pub(crate) fn without_settings(args: &Config, environment: &Environment) -> Result<Option<Outcome>> {
    let mut out = anstream::stdout().lock();
    match args {
        Config::Set { key, value } => {
            let setting = UserFile::locate(environment)?.set(key, value)?;
            writeln!(out, "{} = {}", setting.key, setting.toml())?;
            if setting.key.starts_with("collections.") && setting.key.ends_with(".private") {
                terminal::print_note("a running tars serve, tars mcp or tars chat takes it when you restart it");
            }
        }
        Config::Unset { key } => {
            let was_there = UserFile::locate(environment)?.unset(key)?;
            return Ok(Some(if was_there { Outcome::Done } else { Outcome::Nothing }));
        }
        Config::Edit => {
            drop(out);
            return edit(environment).map(Some);
        }
        Config::Path => writeln!(out, "{}", UserFile::locate(environment)?.path().display())?,
        Config::Get { .. } | Config::List { .. } | Config::Diff { .. } => return Ok(None),
    }
    Ok(Some(Outcome::Done))
}

pub(crate) fn run(app: &App, args: &Config) -> Result<Outcome> {
    let mut out = anstream::stdout().lock();
    match args {
        Config::Get { key } => {
            let setting = app.settings.get(key)?;
            writeln!(out, "{}", setting.plain())?;
            // On standard error, so that a script gets only the value.
            terminal::print_note(&format!("from {}", setting.origin));
        }
        Config::List { json: true } => {
            let list = app.settings.list().into_iter().map(|setting| {
                Ok(SettingJson {
                    value: serde_json::to_value(&setting.value)?,
                    origin: setting.origin.to_string(),
                    key: setting.key,
                })
            });
            json::line(&mut out, &list.collect::<Result<Vec<_>>>()?)?;
        }
        Config::List { json: false } => {
            for setting in app.settings.list() {
                writeln!(out, "{} = {}  # {}", setting.key, setting.toml(), setting.origin)?;
            }
        }
        Config::Diff { json } => {
            drop(out);
            return diff(app, *json);
        }
        Config::Set { .. } | Config::Unset { .. } | Config::Edit | Config::Path => {}
    }
    Ok(Outcome::Done)
}

/// Lets the person edit a copy of the configuration until it is valid or the person gives up. The file stays as it is until then.
fn edit(environment: &Environment) -> Result<Outcome> {
    let file = UserFile::locate(environment)?;
    let text = file.begin_edit()?;
    let shown = sanitize_line(&text.path().display().to_string());
    if text.is_continued() {
        terminal::print_note(&format!(
            "goes on with the text of an earlier edit, which is in {shown}; it will replace the configuration of now, with \
             what changed since; delete that file to begin anew"
        ));
    }
    let mut line = 1;
    loop {
        let place = Place { file: text.path(), line, column: 1 };
        if let Err(error) = editor::edit(environment, &place, "") {
            text.discard_unchanged()?;
            return Err(error);
        }
        let error = match text.finish() {
            Ok(true) => {
                writeln!(anstream::stdout(), "changed {}", sanitize_line(&file.path().display().to_string()))?;
                return Ok(Outcome::Done);
            }
            Ok(false) => {
                terminal::print_note("nothing was changed; if your editor returns immediately, add its wait option");
                return Ok(Outcome::Done);
            }
            Err(error) => error,
        };
        if !prompt::can_ask() {
            let message = format!("{error}: your configuration is as it was, and your text is in {shown}");
            return Err(Refusal { message, hint: "tars config edit".into() }.into());
        }
        prompt::show(&format!("{error}"))?;
        // The end of the input is no wish to go on.
        let again = prompt::ask("edit your text again? [Y/n]")?.map(|answer| answer.to_lowercase());
        if again.is_none_or(|answer| answer.starts_with('n')) {
            terminal::print_note(&format!(
                "your configuration is as it was; tars config edit goes on with your text until you delete {shown}"
            ));
            return Ok(Outcome::Partial);
        }
        line = error.line().unwrap_or(line);
    }
}

#[derive(Serialize)]
struct ChangedJson {
    key: String,
    value: serde_json::Value,
    /// Left out for a collection, which has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<serde_json::Value>,
    origin: String,
}

/// Prints the settings that differ from the defaults.
fn diff(app: &App, is_json: bool) -> Result<Outcome> {
    let changed = app.settings.changed();
    let is_empty = changed.is_empty();
    let mut out = anstream::stdout().lock();
    if is_json {
        let list = changed.into_iter().map(|(setting, default)| {
            Ok(ChangedJson {
                value: serde_json::to_value(&setting.value)?,
                default: default.map(serde_json::to_value).transpose()?,
                origin: setting.origin.to_string(),
                key: setting.key,
            })
        });
        json::line(&mut out, &list.collect::<Result<Vec<_>>>()?)?;
    } else {
        for (setting, default) in changed {
            let default = default.map(|default| format!("; default {default}")).unwrap_or_default();
            writeln!(out, "{} = {}  # {}{default}", setting.key, setting.toml(), setting.origin)?;
        }
        let (schedules, servers) = (app.settings.schedules.len(), app.settings.mcp_servers.len());
        if schedules > 0 {
            terminal::print_note(&format!("and {}: tars schedule list", pluralize(schedules, "schedule")));
        }
        if servers > 0 {
            terminal::print_note(&format!("and {}: tars mcp servers list", pluralize(servers, "tool server")));
        }
    }
    Ok(if is_empty { Outcome::Nothing } else { Outcome::Done })
}
