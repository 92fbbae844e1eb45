//! Sets up a vault.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::SetupRecord;
use super::{UseModelRequest, UseModelResponse};
use crate::{App, Context, LanguageReport, ModelAdvice, Refusal, Result, Service, UseCase};
use tars_agent::client::AgentClient;
use tars_base::domain::USER_NOTICE;
use tars_config::{Origin, UserFile};
use tars_vault::MemoryFolder;

/// The files that setup creates in the memory folder.
const SEEDS: [(&str, &str); 2] = [
    (
        "Memory.md",
        "# Memory\n\n<!-- tars:about Durable facts, one terse bullet each, under headings of your own. -->\n",
    ),
    (
        "Procedural.md",
        "# Procedural\n\n<!-- tars:about Rules and idioms: how things are done here, one terse bullet each. -->\n",
    ),
];

/// Names a folder as the vault in the user's configuration and creates the memory folder in it. Nothing is overwritten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct InitRequest {
    /// The vault; `None` means the configured one.
    pub folder: Option<PathBuf>,
}

/// The result of the setup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InitResponse {
    /// The vault, with links resolved.
    pub vault: PathBuf,
    /// The user's configuration, which names it.
    pub configuration: PathBuf,
    /// The folder that tars writes to.
    pub memory_folder: PathBuf,
    /// The clients with a memory that could be indexed and is not.
    pub client_memories: Vec<AgentClient>,
    /// The languages of the existing notes, the most common first.
    pub languages: Vec<LanguageReport>,
    /// An embedding model that fits these languages better than the current one.
    pub advice: Option<ModelAdvice>,
}

impl UseCase for InitRequest {
    type Response = InitResponse;

    fn run(&self, service: &Service<'_>) -> Result<InitResponse> {
        let app = service.app;
        let vault = vault(app, self.folder.as_deref())?;
        app.check_writable(&vault)?;
        let file = UserFile::locate(&app.environment)?;
        // Reports a memory folder that tars may not write to before any setting changes.
        let memory = MemoryFolder::new(&vault, &app.settings.config.vault.memory_folder)?;
        let before = SetupRecord::read(app)?;
        if let Err(error) = set_up(app, &vault, &memory) {
            // The original error is reported, even if the rollback fails in part.
            take_back(app, &memory, before).unwrap_or_else(|error| tracing::warn!(target: USER_NOTICE, "{error:#}"));
            return Err(error);
        }
        let (languages, advice) = app.report_languages(&app.languages_of(&vault));
        Ok(InitResponse {
            languages,
            advice,
            vault,
            configuration: file.path().to_owned(),
            memory_folder: memory.path().to_owned(),
            client_memories: app.unindexed_client_memories(),
        })
    }
}

/// Creates the memory folder, then names the vault in the configuration. Each step is recorded.
fn set_up(app: &App, vault: &Path, memory: &MemoryFolder) -> Result<()> {
    if !memory.path().exists() {
        SetupRecord::change(app, |record| record.vault = Some(vault.to_owned()))?;
    }
    memory.create_folder("sessions")?;
    for (name, text) in SEEDS {
        if memory.create_file(name, text)? {
            SetupRecord::change(app, |record| record.seeded.push(name.to_owned()))?;
        }
    }
    if configured(app).as_deref() != Some(vault) {
        SetupRecord::set(app, "vault.path", &vault.to_string_lossy())?;
    }
    Ok(())
}

/// Rolls back a failed setup to the state that `before` records.
fn take_back(app: &App, memory: &MemoryFolder, before: SetupRecord) -> Result<()> {
    let record = SetupRecord::read(app)?;
    for (name, text) in SEEDS.iter().filter(|(name, _)| record.seeded.iter().any(|known| known == name)) {
        if !before.seeded.iter().any(|known| known == name) {
            memory.remove_unedited(name, text)?;
        }
    }
    if record.vault.is_some() && before.vault.is_none() {
        for name in ["sessions", ""] {
            memory.remove_empty(name)?;
        }
    }
    SetupRecord::change(app, |record| *record = before)
}

/// Returns the vault to set up: the named folder, otherwise the configured one.
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
    fs::read_dir(&vault).with_context(|| format!("cannot read the folder {}", vault.display()))?;
    match known {
        Some(known) if known != vault => Err(Refusal {
            message: format!("the vault is {} already", known.display()),
            hint: format!("tars config set vault.path '{}'", vault.display()),
        }
        .into()),
        _ => Ok(vault),
    }
}

/// Returns the vault from the user's own file; a vault that only a flag or a variable names counts as not set up.
fn configured(app: &App) -> Option<PathBuf> {
    let setting = app.settings.get("vault.path").ok()?;
    let path = app.settings.config.vault.path.clone()?;
    matches!(setting.origin, Origin::UserFile { .. }).then(|| fs::canonicalize(&path).unwrap_or(path))
}

/// Names an installed model in the user's configuration, as [`UseModelRequest`] does, so that `tars init --undo` can revert it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChooseModelRequest {
    /// Its id.
    pub id: String,
}

impl UseCase for ChooseModelRequest {
    type Response = UseModelResponse;

    fn run(&self, service: &Service<'_>) -> Result<UseModelResponse> {
        let app = service.app;
        let file = UserFile::locate(&app.environment)?;
        let keys = ["embedding.model", "embedding.provider", "search.rerank_model"];
        let before = keys.map(|key| (key, file.value(key)));
        let response = UseModelRequest { id: self.id.clone() }.run(service)?;
        for (key, before) in before {
            if let Some(value) = file.value(key).filter(|value| before.as_ref() != Some(value)) {
                SetupRecord::note(app, key, value, before)?;
            }
        }
        Ok(response)
    }
}

/// Reverts the setup in the configuration and in the memory folder. Later changes by a person stay. This request leaves the
/// service and the agents' entries alone: the code that installed them removes them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UndoInitRequest {}

/// The result of reverting the setup.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UndoInitResponse {
    /// Configuration keys that were reset to their previous values.
    pub settings: Vec<String>,
    /// Configuration keys that were changed since, and keep their values.
    pub kept_settings: Vec<String>,
    /// Files and folders that were removed.
    pub removed: Vec<PathBuf>,
    /// Files that stay because somebody has edited them.
    pub kept: Vec<PathBuf>,
    /// Whether the index for the first question was removed.
    pub index: bool,
}

impl UseCase for UndoInitRequest {
    type Response = UndoInitResponse;

    fn run(&self, service: &Service<'_>) -> Result<UndoInitResponse> {
        let app = service.app;
        let record = SetupRecord::read(app)?;
        let mut response = UndoInitResponse::default();
        let vault = record.settings.iter().find(|setting| setting.key == "vault.path").map(|one| one.value.clone());
        if let Some(vault) = record.vault.clone().or_else(|| vault.map(PathBuf::from)).filter(|vault| vault.is_dir()) {
            let memory = MemoryFolder::new(&vault, &app.settings.config.vault.memory_folder)?;
            for (name, text) in SEEDS.iter().filter(|(name, _)| record.seeded.iter().any(|known| known == name)) {
                let path = memory.path().join(name);
                match memory.remove_unedited(name, text)? {
                    true => response.removed.push(path),
                    false if path.exists() => response.kept.push(path),
                    false => {}
                }
            }
            // Only folders that tars created are removed.
            if record.vault.is_some() {
                for (name, path) in [("sessions", memory.path().join("sessions")), ("", memory.path().to_owned())] {
                    if memory.remove_empty(name)? {
                        response.removed.push(path);
                    }
                }
            }
        }
        SetupRecord::change(app, |record| (record.vault, record.seeded) = (None, Vec::new()))?;
        if record.index {
            let lock = service.lock_index()?;
            service.close();
            app.delete_index(&lock)?;
            response.index = true;
            SetupRecord::change(app, |record| record.index = false)?;
        }
        let file = UserFile::locate(&app.environment)?;
        for setting in record.settings {
            if file.value(&setting.key).as_ref() == Some(&setting.value) {
                match &setting.before {
                    Some(before) => drop(file.set(&setting.key, before)?),
                    None => drop(file.unset_whole(&setting.key)?),
                }
                response.settings.push(setting.key.clone());
            } else {
                response.kept_settings.push(setting.key.clone());
            }
            SetupRecord::change(app, |record| record.settings.retain(|one| one.key != setting.key))?;
        }
        Ok(response)
    }
}
