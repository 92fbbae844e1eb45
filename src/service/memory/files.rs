//! Files of the memory folder by path, for a model: read, write, append, move to the archive.
//!
//! A private file does not exist for any request, because everything that is read here goes to a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Refusal, Result, Service, UseCase};
use tars_base::domain::sanitize;
use tars_memory::{ARCHIVE, FileClass, FileWrite, NamedFile};
use tars_text::redact::redact;
use tars_vault::MemoryFolder;

/// Maximum size of one read or write, in bytes.
pub const LONGEST_FILE: usize = 32 << 10;
/// The paths that a request may use.
const NAMES: &str = "a path below the memory folder, such as Memory.md, context/work.md or 2026-03-14.md";

/// Asks for the text of a file of the memory folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReadFileRequest {
    /// Its path below the memory folder: `context/work.md`.
    pub path: String,
    /// The first line to read, from 1; the beginning by default.
    pub from_line: Option<usize>,
}

/// The text of a file, without secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileText {
    /// Its path, relative to the vault.
    pub path: String,
    /// Its lines, 32 KiB at most.
    pub text: String,
    /// Number of lines in the file.
    pub lines: usize,
    /// The line to continue with; `None` at the end.
    pub next_line: Option<usize>,
    /// The version of the whole file, for a write that is based on it.
    pub version: String,
}

/// Replaces the whole text of a file of the memory folder. A missing file is created.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WriteFileRequest {
    /// Its path below the memory folder: `Memory.md`, `Procedural.md`, or a file of `context/` or `timelines/`.
    pub path: String,
    /// The whole text, in markdown, 32 KiB at most.
    pub text: String,
    /// The version of the text to replace: nothing is written if the file has another version. If left out, the text replaces any
    /// version.
    pub version: Option<String>,
}

/// Appends a text to a file of the memory folder. A missing file is created.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AppendFileRequest {
    /// As in [`WriteFileRequest`].
    pub path: String,
    /// The text, in markdown, 32 KiB at most.
    pub text: String,
}

/// Moves a file of `context/` or `timelines/` to the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ArchiveFileRequest {
    /// Its path below the memory folder.
    pub path: String,
}

/// Asks whether a file of the memory folder may be written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FileAccessRequest {
    /// Its path below the memory folder.
    pub path: String,
}

/// Whether a file may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileAccess {
    /// It may be written.
    Free,
    /// A person must be asked first.
    Guarded,
    /// It cannot be written here.
    ReadOnly,
}

/// The result of a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WrittenFile {
    /// Its path, relative to the vault.
    pub path: String,
    /// Whether the file is new.
    pub created: bool,
    /// Whether its content changed.
    pub changed: bool,
    /// Kinds of secrets that were removed before writing.
    pub removed: Vec<String>,
}

/// A file that moved, or would move in a dry run. Paths are relative to the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MovedFile {
    /// Its old path.
    pub from: String,
    /// Its new path.
    pub to: String,
}

impl UseCase for ReadFileRequest {
    type Response = FileText;

    fn run(&self, service: &Service<'_>) -> Result<FileText> {
        let (folder, file) = named(service, &self.path)?;
        let bytes = folder.read(file.as_str())?.ok_or_else(|| not_found(&folder, file.as_str()))?;
        // The whole file is redacted, because a private span may begin above the requested lines.
        let text = sanitize(&redact(&tars_vault::text_of(&bytes)).text);
        let lines: Vec<&str> = text.lines().collect();
        let first = self.from_line.unwrap_or(1).max(1) - 1;
        let (mut said, mut next) = (String::new(), first.min(lines.len()));
        while let Some(line) = lines.get(next) {
            if said.len() + line.len() >= LONGEST_FILE {
                // A line that is too long is truncated, so that the reader can go on after it.
                if said.is_empty() {
                    said.push_str(&line[..line.floor_char_boundary(LONGEST_FILE)]);
                    next += 1;
                }
                break;
            }
            said.push_str(line);
            said.push('\n');
            next += 1;
        }
        Ok(FileText {
            path: folder.vault_path(file.as_str()),
            text: said,
            lines: lines.len(),
            next_line: (next < lines.len()).then_some(next + 1),
            version: tars_memory::text_hash(&bytes),
        })
    }
}

impl UseCase for WriteFileRequest {
    type Response = WrittenFile;

    fn run(&self, service: &Service<'_>) -> Result<WrittenFile> {
        let version = self.version.as_deref();
        change(service, (&self.path, &self.text), "archive the file instead", |writer, file, text| {
            tars_memory::write_file(writer, file, text, version)
        })
    }
}

impl UseCase for AppendFileRequest {
    type Response = WrittenFile;

    fn run(&self, service: &Service<'_>) -> Result<WrittenFile> {
        change(service, (&self.path, &self.text), "name the text to add", tars_memory::append_to_file)
    }
}

impl UseCase for ArchiveFileRequest {
    type Response = MovedFile;

    fn run(&self, service: &Service<'_>) -> Result<MovedFile> {
        let (folder, file) = named(service, &self.path)?;
        may_be_written(&folder, &file)?;
        if file.class() != FileClass::Layer {
            let message = format!("{} stays where it is", folder.vault_path(file.as_str()));
            return Err(Refusal { message, hint: "files of context/ and timelines/ can be archived".into() }.into());
        }
        if folder.read(file.as_str())?.is_none() {
            return Err(not_found(&folder, file.as_str()).into());
        }
        let mut writer = service.writer(&folder, COMMAND)?;
        let to = tars_memory::rename_to_free_name(&mut writer, file.as_str(), &format!("{ARCHIVE}/{}", file.as_str()))?;
        let to = to.ok_or_else(|| not_found(&folder, file.as_str()))?;
        Ok(MovedFile { from: folder.vault_path(file.as_str()), to: folder.vault_path(&to) })
    }
}

impl UseCase for FileAccessRequest {
    type Response = FileAccess;

    fn run(&self, service: &Service<'_>) -> Result<FileAccess> {
        let (_, file) = named(service, &self.path)?;
        Ok(match file.class() {
            FileClass::Layer => FileAccess::Free,
            FileClass::Core | FileClass::Soul => FileAccess::Guarded,
            FileClass::Day | FileClass::ReadOnly => FileAccess::ReadOnly,
        })
    }
}

/// The command that the journal records for a model's writes.
pub(super) const COMMAND: &str = "chat";

/// Returns the memory folder without private files, and the file with this path: below the folder, or below the vault as
/// responses show it.
pub(super) fn named(service: &Service<'_>, path: &str) -> Result<(MemoryFolder, NamedFile)> {
    let folder = service.app.memory_folder()?.hiding_private();
    let below_folder = NamedFile::parse(path).filter(|file| file.class() != FileClass::ReadOnly);
    let below_vault = || folder.relative_name(path.trim()).and_then(NamedFile::parse);
    let file = below_folder.or_else(below_vault).or_else(|| NamedFile::parse(path));
    match file {
        Some(file) => Ok((folder, file)),
        None => {
            let message = format!("{:?} is not the path of a file of the memory", sanitize(path));
            Err(Refusal { message, hint: NAMES.into() }.into())
        }
    }
}

/// Refuses files that a model must not write by path.
pub(super) fn may_be_written(folder: &MemoryFolder, file: &NamedFile) -> Result<()> {
    let hint = match file.class() {
        FileClass::Core | FileClass::Layer => return Ok(()),
        FileClass::Day => "the log of a day is written line by line, with memory_daily",
        FileClass::Soul => "the soul is written with update_soul, observe and resolve_observation",
        FileClass::ReadOnly => {
            "Memory.md, Procedural.md, context/NAME.md or timelines/NAME.md, of small letters, digits and dashes"
        }
    };
    let message = format!("{} is read and not written", folder.vault_path(file.as_str()));
    Err(Refusal { message, hint: hint.into() }.into())
}

pub(super) fn not_found(folder: &MemoryFolder, file: &str) -> Refusal {
    Refusal { message: format!("{} was not found", folder.vault_path(file)), hint: NAMES.into() }
}

/// Returns a model's text in a form that may be written, and the kinds of secrets that were removed. `empty` is the hint if
/// nothing is left to write.
pub(super) fn writable(text: &str, longest: usize, empty: &str) -> Result<(String, Vec<String>)> {
    if text.len() > longest {
        let message = format!("the text is {} bytes long, more than {longest}: nothing was written", text.len());
        return Err(Refusal { message, hint: "write a part of it, or several files".into() }.into());
    }
    let (text, removed) = tars_memory::sanitize_model_text(text)?;
    if text.trim().is_empty() {
        return Err(
            Refusal { message: "there is nothing to write: the text is empty".into(), hint: empty.into() }.into()
        );
    }
    Ok((text, removed.into_iter().map(str::to_owned).collect()))
}

fn change(
    service: &Service<'_>,
    (path, text): (&str, &str),
    empty: &str,
    change: impl Fn(&mut tars_vault::Writer<'_>, &str, &str) -> Result<FileWrite, tars_memory::MemoryError>,
) -> Result<WrittenFile> {
    let (folder, file) = named(service, path)?;
    may_be_written(&folder, &file)?;
    let (text, removed) = writable(text, LONGEST_FILE, empty)?;
    let name = file.as_str();
    if folder.hides(name)? {
        return Err(not_found(&folder, name).into());
    }
    let refused = |message: String, hint: &str| Err(Refusal { message, hint: hint.into() }.into());
    let written = |created, changed| Ok(WrittenFile { path: folder.vault_path(name), created, changed, removed });
    match change(&mut service.writer(&folder, COMMAND)?, name, &text)? {
        FileWrite::Written { created } => written(created, true),
        FileWrite::Same => written(false, false),
        FileWrite::Private => Err(not_found(&folder, name).into()),
        FileWrite::WouldHide => {
            let message = "the text would mark the file as private: nothing was written".to_owned();
            refused(message, "leave `tars: private` out; a person marks a file")
        }
        FileWrite::Changed => {
            let message = format!("{} has changed since it was read: nothing was written", folder.vault_path(name));
            refused(message, "read it again, and keep what is new in it")
        }
        FileWrite::WouldLoseSecrets => {
            let message = format!(
                "{} holds what is private or secret, which a new text would lose: nothing was written",
                folder.vault_path(name)
            );
            refused(message, "append to it, or replace one line with memory_remember")
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
