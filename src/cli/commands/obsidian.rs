//! `tars obsidian`: installs and removes the plugin for Obsidian.

use std::io::Write;
use std::path::PathBuf;

use crate::args::{Obsidian, ObsidianVault};
use crate::terminal::{print_note, sanitize_line};
use crate::{Outcome, format, prompt};
use tars_service::setup::{InstallPluginRequest, PluginFileState, PluginResponse, RemovePluginRequest};
use tars_service::{App, Backend, Refusal, Result, Service};

pub(crate) fn run(app: &App, command: &Obsidian) -> Result<Outcome> {
    match command {
        Obsidian::Install(vault) => install(app, vault),
        Obsidian::Remove(vault) => remove(app, vault),
    }
}

/// Shows what it will write, asks, and writes it.
fn install(app: &App, args: &ObsidianVault) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let vault = vault(app, args, "install")?;
    let plan = service.call(&InstallPluginRequest { vault: vault.clone(), dry_run: true })?;
    list(&plan, |state| match state {
        PluginFileState::Missing => "write    ",
        PluginFileState::Older => "update   ",
        PluginFileState::Current => "is there ",
        PluginFileState::Changed => "keep     ",
    })?;
    let is_wanted = |state| matches!(state, PluginFileState::Missing | PluginFileState::Older);
    let count = plan.files.iter().filter(|file| is_wanted(file.state)).count();
    if count == 0 {
        print_note("the plugin is up to date");
        return Ok(Outcome::Done);
    }
    let files = format::pluralize(count, "file");
    if !agrees(args, &format!("write {files} into the vault? [y/N]"))? {
        print_note(&format!("nothing was written{}", with_yes(args, "install")));
        return Ok(Outcome::Nothing);
    }
    service.call(&InstallPluginRequest { vault, dry_run: false })?;
    print_note(&format!("wrote {files}"));
    print_note("switch the plugin on in Obsidian: Settings, Community plugins, tars");
    print_note("it asks tars serve with a token: tars serve token add obsidian prints one for its settings");
    Ok(Outcome::Done)
}

/// Shows what it will remove, asks, and removes it.
fn remove(app: &App, args: &ObsidianVault) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let vault = vault(app, args, "remove")?;
    let mut plan = service.call(&RemovePluginRequest { vault: vault.clone(), dry_run: true })?;
    plan.files.retain(|file| file.state != PluginFileState::Missing);
    if plan.files.is_empty() {
        print_note(&format!("there is no plugin of tars in {}", sanitize_line(&plan.folder.display().to_string())));
        return Ok(Outcome::Nothing);
    }
    list(&plan, |state| match state {
        PluginFileState::Changed => "keep     ",
        _ => "remove   ",
    })?;
    let kept = plan.files.iter().filter(|file| file.state == PluginFileState::Changed).count();
    if kept > 0 {
        print_note(&format!("left unchanged: {} that somebody changed", format::pluralize(kept, "file")));
    }
    let count = plan.files.len() - kept;
    if count == 0 {
        return Ok(Outcome::Partial);
    }
    let files = format::pluralize(count, "file");
    if !agrees(args, &format!("remove {files} from the vault? [y/N]"))? {
        print_note(&format!("nothing was removed{}", with_yes(args, "remove")));
        return Ok(Outcome::Nothing);
    }
    let left = service.call(&RemovePluginRequest { vault, dry_run: false })?;
    let left = left.files.iter().filter(|file| file.state != PluginFileState::Missing).count();
    let removed = format::pluralize(plan.files.len() - left.min(plan.files.len()), "file");
    print_note(&format!("removed {removed}; tars serve token revoke obsidian ends the plugin's access"));
    Ok(if left > 0 { Outcome::Partial } else { Outcome::Done })
}

/// Returns the named vault, or the configured one.
fn vault(app: &App, args: &ObsidianVault, command: &str) -> Result<PathBuf> {
    let named = args.folder.clone().or_else(|| app.settings.config.vault.path.clone());
    let refusal = || Refusal {
        message: "no vault is named and none is configured".into(),
        hint: format!("tars obsidian {command} VAULT"),
    };
    Ok(named.ok_or_else(refusal)?)
}

/// Prints a line for each file: what happens to it, and its path.
fn list(plan: &PluginResponse, word: impl Fn(PluginFileState) -> &'static str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for file in &plan.files {
        let path = plan.folder.join(file.name);
        writeln!(out, "{}{}", word(file.state), sanitize_line(&path.display().to_string()))?;
    }
    Ok(())
}

/// Whether the person agrees, by `--yes` or by an answer.
fn agrees(args: &ObsidianVault, question: &str) -> Result<bool> {
    Ok(args.yes || (prompt::can_ask() && prompt::choose(question, &['y', 'n'])? == 'y'))
}

/// Names the flag where nobody could be asked.
fn with_yes(args: &ObsidianVault, command: &str) -> String {
    let folder = args.folder.as_ref().map(|folder| format!(" {}", crate::args::in_quotes(&folder.to_string_lossy())));
    match prompt::can_ask() {
        true => String::new(),
        false => format!(": tars obsidian {command}{} --yes", sanitize_line(&folder.unwrap_or_default())),
    }
}
