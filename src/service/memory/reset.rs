//! Resets: moves topics and goals, or the assistant's self, to the archive.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::files::{COMMAND, MovedFile};
use crate::{Result, Service, UseCase};
use tars_memory::{ARCHIVE, DEFAULT_SOUL, SOUL, SoulFile};
use tars_vault::MemoryFolder;

/// Moves all topics and timelines to the archive. `Memory.md` and the soul stay. One undo restores them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResetMemoryRequest {
    /// Whether to move nothing and only return what would move.
    pub dry_run: bool,
}

/// Resets the soul to the default, and moves its old files to the archive. One undo restores them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResetSoulRequest {
    /// Whether to move nothing and only return what would move.
    pub dry_run: bool,
}

/// The files that moved, or would move in a dry run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResetResponse {
    /// The files, by name. The real run appends a number to a name that is taken; a dry run does not show that.
    pub moved: Vec<MovedFile>,
    /// Whether this was a dry run.
    pub dry_run: bool,
}

impl UseCase for ResetMemoryRequest {
    type Response = ResetResponse;

    fn run(&self, service: &Service<'_>) -> Result<ResetResponse> {
        let is_meant = |file: &str| file.starts_with("context/") || file.starts_with("timelines/");
        reset(service, ("reset", self.dry_run), is_meant, |file| file, |_| Ok(()))
    }
}

impl UseCase for ResetSoulRequest {
    type Response = ResetResponse;

    fn run(&self, service: &Service<'_>) -> Result<ResetResponse> {
        let folder = service.app.memory_folder()?;
        let is_default = folder.read(SOUL)?.is_none_or(|bytes| bytes == DEFAULT_SOUL.as_bytes());
        let is_meant = |file: &str| tars_memory::is_soul(file) && !(is_default && file == SOUL);
        let begin = |writer: &mut tars_vault::Writer<'_>| match is_default {
            true => Ok(()),
            false => tars_memory::write_default_text(writer, SoulFile::Soul).map(drop),
        };
        reset(service, ("soul", self.dry_run), is_meant, file_name, begin)
    }
}

fn file_name(file: &str) -> &str {
    file.strip_prefix("soul/").unwrap_or(file)
}

/// Moves the selected files below `archive/WORD-DAY/`, then calls `then` to write their replacements.
fn reset(
    service: &Service<'_>,
    (word, dry_run): (&str, bool),
    is_meant: impl Fn(&str) -> bool,
    name: impl Fn(&str) -> &str,
    then: impl FnOnce(&mut tars_vault::Writer<'_>) -> Result<(), tars_memory::MemoryError>,
) -> Result<ResetResponse> {
    let folder: MemoryFolder = service.app.memory_folder()?;
    let place = format!("{ARCHIVE}/{word}-{}", service.app.environment.clock.today());
    let files: Vec<String> = folder.files()?.into_iter().filter(|file| is_meant(file)).collect();
    let mut response = ResetResponse { moved: Vec::new(), dry_run };
    let mut moved = |from: &str, to: &str| {
        response.moved.push(MovedFile { from: folder.vault_path(from), to: folder.vault_path(to) });
    };
    if dry_run || files.is_empty() {
        files.iter().for_each(|file| moved(file, &format!("{place}/{}", name(file))));
        return Ok(response);
    }
    let mut writer = service.writer(&folder, COMMAND)?;
    for file in &files {
        if let Some(to) = tars_memory::rename_to_free_name(&mut writer, file, &format!("{place}/{}", name(file)))? {
            moved(file, &to);
        }
    }
    then(&mut writer)?;
    Ok(response)
}
