//! Installs the plugin for Obsidian in a vault, and removes it.
//!
//! The program holds the plugin's three files. `obsidian/installed.json` in the data directory names the hashes of all files that tars
//! has ever installed and the folders that it made for them, so that an update and a removal touch only what is as tars left it.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{App, Context, Refusal, Result, Service, UseCase, bail};
use tars_base::{data_files, private};
use tars_vault::PluginFolder;

/// The files of the plugin as Obsidian loads them.
const FILES: [(&str, &[u8]); 3] = [
    ("manifest.json", include_bytes!("../../../obsidian/plugin/manifest.json")),
    ("main.js", include_bytes!("../../../obsidian/plugin/main.js")),
    ("styles.css", include_bytes!("../../../obsidian/plugin/styles.css")),
];
/// Folder in the data directory.
const FOLDER: &str = "obsidian";
const RECORD: &str = "installed.json";
const LOCK: &str = "lock";
/// Largest record that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Installs the plugin in a vault of Obsidian, or brings it up to date: all its files, or none if one of them is not as tars left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallPluginRequest {
    /// The vault.
    pub vault: PathBuf,
    /// Whether to write nothing and only return the state of the files.
    pub dry_run: bool,
}

/// Removes the files of the plugin that are as tars left them, and the folders that tars made if they are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovePluginRequest {
    /// The vault.
    pub vault: PathBuf,
    /// Whether to remove nothing and only return the state of the files.
    pub dry_run: bool,
}

/// The plugin's files in a vault after the request, or as they are if it is a dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginResponse {
    /// The folder of the plugin.
    pub folder: PathBuf,
    /// Its files.
    pub files: Vec<PluginFile>,
}

/// A file of the plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PluginFile {
    /// Its name.
    pub name: &'static str,
    /// Its state.
    pub state: PluginFileState,
}

/// The state of a file of the plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginFileState {
    /// There is none.
    Missing,
    /// It is the file of this version of tars.
    Current,
    /// It is the file of another version of tars, as that left it.
    Older,
    /// Somebody else wrote or changed it.
    Changed,
}

/// The record of what tars installed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Installed {
    /// Hashes of the files.
    hashes: BTreeSet<String>,
    /// Folders that tars made in vaults.
    folders: BTreeSet<PathBuf>,
}

impl UseCase for InstallPluginRequest {
    type Response = PluginResponse;

    fn run(&self, service: &Service<'_>) -> Result<PluginResponse> {
        service.app.check_writable(&self.vault)?;
        let folder = PluginFolder::of(&self.vault)?;
        let _lock = (!self.dry_run).then(|| lock(service.app)).transpose()?;
        let mut installed = Installed::read(service.app)?;
        let response = examine(&folder, &installed)?;
        if let Some(changed) = response.files.iter().find(|file| file.state == PluginFileState::Changed) {
            let path = folder.path().join(changed.name);
            return Err(Refusal {
                message: format!("{} is not as tars left it: nothing was written", path.display()),
                hint: "move it away, then install the plugin again".into(),
            }
            .into());
        }
        if self.dry_run {
            return Ok(response);
        }
        // Recorded before anything is written, so that an interrupted installation can be continued and removed.
        installed.hashes.extend(FILES.map(|(_, content)| hash(content)));
        installed.folders.extend(folder.missing_folders()?);
        installed.write(service.app)?;
        for (file, (name, content)) in response.files.iter().zip(FILES) {
            if file.state == PluginFileState::Older
                && !folder.remove_if(name, &|content| installed.has_written(content))?
            {
                let path = folder.path().join(name);
                bail!("{} has just been changed by another program: install the plugin again", path.display());
            }
            if file.state != PluginFileState::Current {
                folder.create(name, content)?;
            }
        }
        examine(&folder, &installed)
    }
}

impl UseCase for RemovePluginRequest {
    type Response = PluginResponse;

    fn run(&self, service: &Service<'_>) -> Result<PluginResponse> {
        service.app.check_writable(&self.vault)?;
        let folder = PluginFolder::of(&self.vault)?;
        let _lock = (!self.dry_run).then(|| lock(service.app)).transpose()?;
        let mut installed = Installed::read(service.app)?;
        let response = examine(&folder, &installed)?;
        if self.dry_run {
            return Ok(response);
        }
        for (name, _) in FILES {
            folder.remove_if(name, &|content| installed.has_written(content))?;
        }
        folder.remove_empty_folders(&|path| installed.folders.contains(path))?;
        let before = installed.clone();
        let own = folder.path();
        installed.folders.retain(|path| !own.starts_with(path) || path.exists());
        if installed != before {
            installed.write(service.app)?;
        }
        examine(&folder, &installed)
    }
}

impl Installed {
    fn read(app: &App) -> Result<Self> {
        let path = app.settings.config.data.dir.join(FOLDER).join(RECORD);
        match private::read(&path, MAX_BYTES) {
            Ok(bytes) => serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    fn write(&self, app: &App) -> Result<()> {
        let folder = app.data_dir()?.join(FOLDER);
        let failed = || format!("cannot write {}", folder.join(RECORD).display());
        data_files::write(&folder, RECORD, &serde_json::to_vec(self)?).with_context(failed)
    }

    /// Whether tars has written a file with this content.
    fn has_written(&self, content: &[u8]) -> bool {
        FILES.iter().any(|(_, own)| *own == content) || self.hashes.contains(&hash(content))
    }
}

/// Returns the state of the files.
fn examine(folder: &PluginFolder, installed: &Installed) -> Result<PluginResponse> {
    let state = |(name, own): (&'static str, &[u8])| -> Result<PluginFile> {
        let state = match folder.read(name)? {
            None => PluginFileState::Missing,
            Some(content) if content == own => PluginFileState::Current,
            Some(content) if installed.has_written(&content) => PluginFileState::Older,
            Some(_) => PluginFileState::Changed,
        };
        Ok(PluginFile { name, state })
    };
    Ok(PluginResponse { folder: folder.path(), files: FILES.into_iter().map(state).collect::<Result<_>>()? })
}

/// Takes the lock, because two installations at once would write the same names.
fn lock(app: &App) -> Result<File> {
    let folder = app.data_dir()?.join(FOLDER);
    private::create_folder(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(LOCK);
    let lock = private::open_lock(&path).with_context(|| format!("cannot open {}", path.display()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(Refusal {
            message: "another tars installs or removes the plugin for Obsidian".into(),
            hint: "wait until it has ended".into(),
        }
        .into()),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("cannot lock {}", path.display())),
    }
}

fn hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}
