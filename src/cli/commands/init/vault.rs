//! Choosing the vault.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Interaction, answer};
use crate::args::Init;
use crate::commands::next::{in_home, quoted};
use crate::format::pluralize;
use crate::snippet;
use crate::terminal::{columns_of, sanitize_line};
use tars_service::setup::{FindVaultsRequest, FoundVault};
use tars_service::{App, Backend, Refusal, Result, Service, line_of_languages};

/// Returns the named or chosen folder; `None` stands for the configured one.
///
/// # Errors
/// There is nothing to choose from, or there are several and nobody to ask.
pub(super) fn chosen(app: &App, init: &Init, interaction: &Interaction) -> Result<Option<PathBuf>> {
    if init.folder.is_some() || app.settings.config.vault.path.is_some() {
        return Ok(init.folder.clone());
    }
    if !interaction.asks && !interaction.yes {
        return Ok(None);
    }
    let found = Service::new(app, Backend::Local).call(&FindVaultsRequest { languages: interaction.asks })?.vaults;
    if interaction.asks {
        return choose(app, &found).map(Some);
    }
    match found.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(only.path.clone())),
        several => {
            let paths: Vec<String> = several.iter().map(|vault| vault.path.display().to_string()).collect();
            Err(Refusal {
                message: format!("there are several vaults on this machine: {}", paths.join(", ")),
                hint: format!("tars init {} --yes", quoted(&several[0].path)),
            }
            .into())
        }
    }
}

/// Lets the person choose one of the vaults found, or name a folder.
fn choose(app: &App, found: &[FoundVault]) -> Result<PathBuf> {
    let mut out = anstream::stderr().lock();
    match found {
        [] => writeln!(out, "There is no Obsidian vault on this machine; any folder of markdown works.\n")?,
        _ => writeln!(out, "These vaults are on this machine:\n")?,
    }
    let columns = columns_of(std::io::stderr()).unwrap_or(80);
    let paths: Vec<String> = found.iter().map(|vault| in_home(app, &vault.path)).collect();
    let width = paths.iter().map(|path| snippet::columns(path)).max().unwrap_or_default().min(columns / 2);
    for (number, (vault, path)) in found.iter().zip(&paths).enumerate() {
        let languages = match vault.languages.is_empty() {
            true => String::new(),
            false => format!(", {}", line_of_languages(&vault.languages).unwrap_or_else(|| "English".into())),
        };
        let path = snippet::cut_middle(path, width);
        let blanks = " ".repeat(width.saturating_sub(snippet::columns(&path)));
        let text = format!("{:>3}  {path}{blanks}  {}{languages}", number + 1, pluralize(vault.notes, "note"));
        writeln!(out, "{}", snippet::cut(&sanitize_line(&text), columns))?;
    }
    if !found.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "Tars reads your notes and changes none. It writes only into one folder: {}/", folder_name(app))?;
    drop(out);
    let question = match found.len() {
        0 => "Which folder holds your notes?".to_owned(),
        1 => "Which one is yours? A path, or Enter for 1:".to_owned(),
        several => format!("Which one is yours? 1 to {several}, a path, or Enter for 1:"),
    };
    loop {
        let answer = answer(&question)?;
        let number = if answer.is_empty() { Some(1) } else { answer.parse::<usize>().ok() };
        let listed = number.and_then(|number| found.get(number.checked_sub(1)?));
        match (listed, number) {
            (Some(vault), _) => return Ok(vault.path.clone()),
            (None, Some(_)) if found.is_empty() => {}
            (None, Some(_)) => {
                writeln!(anstream::stderr().lock(), "{}", no_such_number(&answer, found.len()))?;
                continue;
            }
            (None, None) => {}
        }
        let path = in_full(app, &answer);
        if path.is_dir() {
            return Ok(path);
        }
        writeln!(anstream::stderr().lock(), "{} is not a folder.", sanitize_line(&path.display().to_string()))?;
    }
}

fn no_such_number(typed: &str, known: usize) -> String {
    let numbers = if known == 1 { "1".to_owned() } else { format!("a number from 1 to {known}") };
    format!("There is no {} in the list: type {numbers}, or the path of a folder.", sanitize_line(typed))
}

fn folder_name(app: &App) -> &str {
    app.settings.config.vault.memory_folder.trim_end_matches('/')
}

/// Returns the path as a shell would read it: people type `~`, and dropping a folder on a terminal quotes it.
fn in_full(app: &App, text: &str) -> PathBuf {
    let text = text.trim_matches(['\'', '"']).replace("\\ ", " ");
    match (text.strip_prefix('~'), &app.environment.home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => Path::new(&text).to_owned(),
    }
}
