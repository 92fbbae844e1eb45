//! `tars config`

use std::io::Write;

use serde::Serialize;

use crate::args::Config;
use crate::{Outcome, json, terminal};
use tars_config::{Environment, UserFile};
use tars_service::{App, Result};

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
        }
        Config::Unset { key } => {
            let was_there = UserFile::locate(environment)?.unset(key)?;
            return Ok(Some(if was_there { Outcome::Done } else { Outcome::Nothing }));
        }
        Config::Path => writeln!(out, "{}", UserFile::locate(environment)?.path().display())?,
        Config::Get { .. } | Config::List { .. } => return Ok(None),
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
        Config::Set { .. } | Config::Unset { .. } | Config::Path => {}
    }
    Ok(Outcome::Done)
}
