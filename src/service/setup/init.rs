//! Setting up a vault.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::{App, LanguageReport, ModelAdvice};
use crate::config::{Origin, UserFile};
use crate::service::{Refusal, Service, UseCase};
use crate::vault::MemoryFolder;

const MEMORY: &str =
    "# Memory\n\n<!-- tars:about Durable facts, one terse bullet each, under headings of your own. -->\n";
const PROCEDURAL: &str =
    "# Procedural\n\n<!-- tars:about Rules and idioms: how things are done here, one terse bullet each. -->\n";

/// Names a folder as the vault in the user's configuration and makes the memory folder in it. Nothing is overwritten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InitRequest {
    /// The vault; `None` is the configured one.
    pub folder: Option<PathBuf>,
}

/// What was set up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InitResponse {
    /// The vault, links resolved.
    pub vault: PathBuf,
    /// The user's configuration, which names it.
    pub configuration: PathBuf,
    /// The folder that tars writes to.
    pub memory_folder: PathBuf,
    /// Whether there is a memory of the client that could be indexed and is not.
    pub has_client_memory: bool,
    /// The languages of the notes that are there, the commonest first.
    pub languages: Vec<LanguageReport>,
    /// An embedding model that suits them better than the one in use.
    pub advice: Option<ModelAdvice>,
}

impl UseCase for InitRequest {
    type Response = InitResponse;

    fn run(&self, service: &Service<'_>) -> Result<InitResponse> {
        let app = service.app;
        let vault = vault(app, self.folder.as_deref())?;
        let file = UserFile::locate(&app.environment)?;
        // A memory folder that tars may not write to is said before anything is set.
        let memory = MemoryFolder::new(&vault, &app.settings.config.vault.memory_folder)?;
        if configured(app).as_deref() != Some(&vault) {
            file.set("vault.path", &vault.to_string_lossy())?;
        }
        memory.create_folder("sessions")?;
        for (name, text) in [("Memory.md", MEMORY), ("Procedural.md", PROCEDURAL)] {
            memory.seed(name, text)?;
        }
        let (languages, advice) = app.report_languages(&app.languages_of(&vault));
        Ok(InitResponse {
            languages,
            advice,
            vault,
            configuration: file.path().to_owned(),
            memory_folder: memory.path().to_owned(),
            has_client_memory: app.may_index_client_memory(),
        })
    }
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
