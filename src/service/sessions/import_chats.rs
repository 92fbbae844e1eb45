//! Imports the chats of an account's export as notes.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::forgotten::forgotten;
use crate::{App, Error, Result, Service, UseCase};
use tars_agent::chat_export::{ChatClient, ChatExport};
use tars_base::domain::Stage;
use tars_memory::upkeep::{self, Change, ChatStatements, Proposal};
use tars_memory::{ChatNote, ChatWrite, KnownChats, plan_chat, write_chat};
use tars_text::markdown::is_private;
use tars_vault::MemoryFolder;

/// Number of notes to write under one lock, because other writers wait meanwhile.
const NOTES_PER_LOCK: usize = 16;

/// Default maximum number of proposals of an import: as many as a person settles in one sitting.
const MAX_PROPOSALS: usize = 40;

/// Writes a note for every chat of an export that has none, and again for those that went on since. Proposes the person's standing
/// instructions and preferences in these chats. After an interrupt, the next request continues where it stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportChatsRequest {
    /// The program that made the export.
    pub client: ChatClient,
    /// The export: its zip file, the unpacked folder, or `conversations.json`.
    pub export: PathBuf,
    /// Whether to write nothing and only return which notes would be written.
    #[serde(default)]
    pub dry_run: bool,
    /// Maximum number of standing instructions and preferences to propose, from all chats of the export. By default 40, from those that
    /// were or would be written, and none with `auto.extract = false`.
    #[serde(default)]
    pub proposals: Option<usize>,
}

/// The result of the import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportChatsResponse {
    /// Notes that were or would be written.
    pub chats: Vec<ImportedChat>,
    /// Number of chats whose note has all of them.
    pub known: usize,
    /// Notes of chats that went on, left alone because a person has edited them; relative to the vault.
    pub edited: Vec<String>,
    /// Number of chats that a person has taken back with `tars forget`.
    pub forgotten: usize,
    /// Number of chats in which the person said nothing.
    pub empty: usize,
    /// Conversations that could not be read.
    pub failed: Vec<FailedChat>,
    /// Standing instructions and preferences of the person that were or would be proposed, the surest and most frequent first.
    pub proposals: Vec<ProposedStatement>,
    /// Number of further ones that were not proposed.
    pub proposals_left_out: usize,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Whether this was a dry run.
    pub dry_run: bool,
}

/// A note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportedChat {
    /// The program and its id of the chat.
    pub chat: String,
    /// The note's path, relative to the vault.
    pub path: String,
    /// Its title: the person's first question.
    pub title: String,
    /// Whether the chat had a note already, which was written again.
    pub changed: bool,
}

/// A standing instruction or a preference of the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProposedStatement {
    /// Its newest form.
    pub text: String,
    /// The file that it is proposed for, relative to the vault.
    pub path: String,
    /// The heading there.
    pub section: String,
    /// A remembered line that it would replace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// The chats that say it, newest first.
    pub said: Vec<SaidInChat>,
}

/// A statement in a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SaidInChat {
    /// The chat's note, relative to the vault.
    pub chat: String,
    /// The day, if the export has it, and the words.
    pub text: String,
}

/// A conversation that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailedChat {
    /// Its number in the export, from 1.
    pub number: usize,
    /// The reason; it includes the path and the number.
    pub error: String,
}

impl UseCase for ImportChatsRequest {
    type Response = ImportChatsResponse;

    fn run(&self, service: &Service<'_>) -> Result<ImportChatsResponse> {
        let Service { app, observer, .. } = service;
        let folder = app.memory_folder()?;
        let export = ChatExport::open(&self.export, self.client)?;
        let mut known = KnownChats::default();
        known.refresh(&folder)?;
        let mut import = Import {
            app,
            folder: &folder,
            known,
            waiting: Vec::new(),
            group: None,
            statements: ChatStatements::default(),
            is_heard: self.proposals.is_some() || app.settings.config.auto.extract,
            takes_known: self.proposals.is_some(),
            response: ImportChatsResponse { dry_run: self.dry_run, ..ImportChatsResponse::default() },
        };
        let forgotten = forgotten(app, &folder)?;
        let mut seen: HashSet<String> = HashSet::new();
        observer.start(Stage::Importing, export.count());
        export.chats::<Error>(&mut |number, chat| {
            if observer.cancelled() {
                import.response.interrupted = true;
                return Ok(ControlFlow::Break(()));
            }
            observer.advance(1);
            let note = match chat {
                Ok(chat) => ChatNote::new(chat, app.environment.clock.zone()),
                Err(error) => {
                    import.fail(self, number, &error);
                    return Ok(ControlFlow::Continue(()));
                }
            };
            match note {
                None => import.response.empty += 1,
                Some(note) if forgotten.contains(note.key()) => import.response.forgotten += 1,
                Some(note) if !seen.insert(note.key().to_owned()) => {
                    import.fail(self, number, &"the export has this conversation twice; the first one counts");
                }
                Some(note) => import.add(note)?,
            }
            Ok(ControlFlow::Continue(()))
        })?;
        import.write()?;
        import.propose(self.proposals.unwrap_or(MAX_PROPOSALS))?;
        observer.finish();
        Ok(import.response)
    }
}

/// An import under way.
struct Import<'a> {
    app: &'a App,
    folder: &'a MemoryFolder,
    known: KnownChats,
    waiting: Vec<ChatNote>,
    group: Option<u64>,
    statements: ChatStatements,
    /// Whether statements are collected, and whether those of chats with a complete note are too.
    is_heard: bool,
    takes_known: bool,
    response: ImportChatsResponse,
}

impl Import<'_> {
    fn fail(&mut self, request: &ImportChatsRequest, number: usize, reason: &dyn std::fmt::Display) {
        let error = format!("{}, conversation {number}: {reason}", request.export.display());
        self.response.failed.push(FailedChat { number, error });
    }

    /// Counts a note that needs no write, and keeps the others until several can be written under one lock.
    fn add(&mut self, note: ChatNote) -> Result<()> {
        let planned = plan_chat(self.folder, &note, &self.known)?;
        if let ChatWrite::New(file) = &planned
            && self.response.dry_run
        {
            // The next chat with the same question gets another name.
            self.known.insert(&note, file);
        }
        if self.response.dry_run || matches!(planned, ChatWrite::Known(_) | ChatWrite::Edited(_)) {
            self.count(&note, planned);
            return Ok(());
        }
        self.waiting.push(note);
        if self.waiting.len() >= NOTES_PER_LOCK { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut writer = self.app.writer(self.folder, "import")?.in_group(self.group).exempt_from_trim();
        // Another process may have written some of them meanwhile.
        self.known.refresh(self.folder)?;
        for note in std::mem::take(&mut self.waiting) {
            let written = write_chat(&mut writer, &note, &mut self.known)?;
            self.count(&note, written);
        }
        self.group = writer.group();
        Ok(())
    }

    /// Proposes what the person said in the chats that holds beyond them. It can be undone with the notes.
    fn propose(&mut self, most: usize) -> Result<()> {
        let entries = self.app.journal(self.folder)?.entries()?;
        let today = self.app.environment.clock.today();
        let found = std::mem::take(&mut self.statements).proposals(self.folder, &entries, (today, most))?;
        self.response.proposals_left_out = found.left_out;
        self.response.proposals =
            found.proposals.iter().map(|proposal| ProposedStatement::new(self.folder, proposal)).collect();
        if self.response.dry_run || found.proposals.is_empty() {
            return Ok(());
        }
        let mut writer = self.app.writer(self.folder, "import")?.in_group(self.group).exempt_from_trim();
        upkeep::propose(&mut writer, &found.proposals)?;
        Ok(())
    }

    fn count(&mut self, note: &ChatNote, written: ChatWrite) {
        self.hear(note, &written);
        let (file, changed) = match written {
            ChatWrite::New(file) => (file, false),
            ChatWrite::Changed(file) => (file, true),
            ChatWrite::Known(_) => {
                self.response.known += 1;
                return;
            }
            ChatWrite::Edited(file) => {
                self.response.edited.push(self.folder.vault_path(&file));
                return;
            }
        };
        self.response.chats.push(ImportedChat {
            chat: note.key().to_owned(),
            path: self.folder.vault_path(&file),
            title: note.title().to_owned(),
            changed,
        });
    }

    /// Collects the standing statements of a chat, unless the person has made its note private.
    fn hear(&mut self, note: &ChatNote, written: &ChatWrite) {
        let (file, is_heard) = match written {
            ChatWrite::New(file) | ChatWrite::Changed(file) => (file, self.is_heard),
            ChatWrite::Known(file) | ChatWrite::Edited(file) => (file, self.takes_known && !self.is_private(file)),
        };
        if is_heard {
            note.said().for_each(|(day, message)| self.statements.add(file, day, message));
        }
    }

    /// Whether a chat's note is private, or cannot be read.
    fn is_private(&self, file: &str) -> bool {
        let Ok(note) = self.folder.read(file) else { return true };
        note.is_some_and(|note| is_private(&tars_vault::text_of(&note)))
    }
}

impl ProposedStatement {
    fn new(folder: &MemoryFolder, proposal: &Proposal) -> Self {
        let (file, section, replaces) = match &proposal.change {
            Change::Add { to, .. } => (to.file.as_str(), to.section.as_str(), None),
            change => {
                let old = change.lines().first();
                old.map_or(("", "", None), |old| (old.file.as_str(), old.section.as_str(), Some(old.text.clone())))
            }
        };
        let said = |line: &upkeep::Line| SaidInChat { chat: folder.vault_path(&line.file), text: line.text.clone() };
        Self {
            text: proposal.change.text().to_owned(),
            path: folder.vault_path(file),
            section: section.to_owned(),
            replaces,
            said: proposal.sources.iter().map(said).collect(),
        }
    }
}
