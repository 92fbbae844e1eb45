//! `tars init`

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::app::{App, OFFER};
use crate::cli::Outcome;
use crate::config::{Origin, SummaryProvider, UserFile};
use crate::service::Refusal;
use crate::vault::MemoryFolder;

const MEMORY: &str =
    "# Memory\n\n<!-- tars:about Durable facts, one terse bullet each, under headings of your own. -->\n";
const PROCEDURAL: &str =
    "# Procedural\n\n<!-- tars:about Rules and idioms: how things are done here, one terse bullet each. -->\n";

pub(in crate::cli) fn run(app: &App, args: &crate::cli::args::Init) -> Result<Outcome> {
    let vault = vault(app, args.folder.as_deref())?;
    let file = UserFile::locate(&app.environment)?;
    // A memory folder that tars may not write to is said before anything is set.
    let memory = MemoryFolder::new(&vault, &app.settings.config.vault.memory_folder)?;
    let mut out = anstream::stdout().lock();
    if configured(app).as_deref() != Some(&vault) {
        file.set("vault.path", &vault.to_string_lossy())?;
    }
    writeln!(out, "vault          {}", vault.display())?;
    writeln!(out, "configuration  {}", file.path().display())?;
    memory.create_folder("sessions")?;
    for (name, text) in [("Memory.md", MEMORY), ("Procedural.md", PROCEDURAL)] {
        memory.seed(name, text)?;
    }
    writeln!(out, "memory folder  {}", memory.path().display())?;
    writeln!(out, "next           tars index")?;
    if app.settings.config.summary.provider == SummaryProvider::Auto {
        writeln!(out, "notes          {OFFER}")?;
    }
    Ok(Outcome::Done)
}

/// Returns the vault to set up: the folder that was named, else the configured one.
fn vault(app: &App, named: Option<&Path>) -> Result<PathBuf> {
    let known = configured(app);
    let folder = match named {
        Some(folder) => folder.to_owned(),
        None => app.settings.config.vault.path.clone().ok_or_else(|| Refusal {
            message: "no vault is named and none is configured".into(),
            hint: "tars init FOLDER".into(),
        })?,
    };
    let vault = fs::canonicalize(&folder).with_context(|| format!("cannot use {} as the vault", folder.display()))?;
    if !vault.is_dir() {
        return Err(Refusal {
            message: format!("{} is no folder", vault.display()),
            hint: "tars init FOLDER, with the folder that holds your notes".into(),
        }
        .into());
    }
    match known {
        Some(known) if known != vault => Err(Refusal {
            message: format!("the vault is {} already", known.display()),
            hint: format!("tars config set vault.path '{}'", vault.display()),
        }
        .into()),
        _ => Ok(vault),
    }
}

/// Returns the vault that the user's own file names; one that only a flag or a variable names is not yet set up.
fn configured(app: &App) -> Option<PathBuf> {
    let setting = app.settings.get("vault.path").ok()?;
    let path = app.settings.config.vault.path.clone()?;
    matches!(setting.origin, Origin::UserFile { .. }).then(|| fs::canonicalize(&path).unwrap_or(path))
}
