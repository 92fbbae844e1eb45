//! Imports existing transcripts as session logs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{App, PausedTimes};
use tars_agent::client::claude_code::{FOLDER, FOLDER_VARIABLE, TRANSCRIPTS, is_own_command};
use tars_agent::transcript::{TranscriptError, turns};
use tars_base::domain::{Progress, Stage};
use tars_chat::tasks::is_own_task;
use tars_memory::{SessionLog, SessionLogWrite, logged_sessions, write_session_log};
use tars_vault::MemoryFolder;

/// Number of logs to write under one lock, because other writers wait meanwhile.
const LOGS_PER_LOCK: usize = 16;

/// The result of an import.
#[derive(Debug, Default)]
pub struct Imported {
    /// Logs that were or would be written.
    pub logs: Vec<ImportedLog>,
    /// Number of sessions that already had a log.
    pub known: usize,
    /// Number of transcripts without a request.
    pub empty: usize,
    /// Transcripts that could not be read, with the reason.
    pub failed: Vec<(PathBuf, String)>,
    /// Whether the person interrupted it.
    pub interrupted: bool,
}

/// One log.
#[derive(Debug)]
pub struct ImportedLog {
    /// The transcript.
    pub transcript: PathBuf,
    /// The session's id.
    pub session: String,
    /// Name within the memory folder.
    pub file: String,
    /// Its subject.
    pub topic: String,
}

impl ImportedLog {
    fn new(transcript: PathBuf, log: &SessionLog, file: String, topic: String) -> Self {
        Self { transcript, session: log.session().to_owned(), file, topic }
    }
}

impl App {
    /// Returns the folder of Claude Code's transcripts.
    pub fn claude_code_projects(&self) -> Option<PathBuf> {
        let home = || Some(self.environment.home.as_ref()?.join(FOLDER));
        let configured = self.environment.variable(FOLDER_VARIABLE).filter(|path| !path.is_empty());
        configured.map(PathBuf::from).or_else(home).map(|folder| folder.join(TRANSCRIPTS))
    }

    /// Writes a log for every session in `place` that has none; with `dry_run`, only lists them. After an interrupt, the next
    /// call continues where it stopped.
    ///
    /// # Errors
    /// `place` or the memory folder cannot be read; or a log cannot be written.
    pub fn import_claude_code(&self, place: &Path, dry_run: bool, progress: &dyn Progress) -> Result<Imported> {
        let folder = self.memory_folder()?;
        let transcripts = transcripts(place).with_context(|| format!("cannot read {}", place.display()))?;
        let logged = logged_sessions(&folder)?;
        let mut imported = Imported::default();
        let mut waiting = Vec::new();
        let mut group = None;
        progress.start(Stage::Importing, transcripts.len());
        for path in transcripts {
            if progress.cancelled() {
                imported.interrupted = true;
                break;
            }
            progress.advance(1);
            let session = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let mut log = SessionLog::new(&session, Some(&path), self.environment.clock.zone());
            if logged.contains_key(log.session()) {
                imported.known += 1;
                continue;
            }
            let paused = self.pauses().times(&session)?;
            if let Err(error) = gather(&path, &paused, &mut log) {
                imported.failed.push((path, error.to_string()));
                continue;
            }
            match log.file_and_topic() {
                None => imported.empty += 1,
                Some((file, topic)) if dry_run => imported.logs.push(ImportedLog::new(path, &log, file, topic)),
                Some(_) => waiting.push((path, log)),
            }
            if waiting.len() >= LOGS_PER_LOCK {
                self.write_logs(&folder, &mut waiting, &mut group, &mut imported)?;
            }
        }
        self.write_logs(&folder, &mut waiting, &mut group, &mut imported)?;
        progress.finish();
        Ok(imported)
    }

    fn write_logs(
        &self,
        folder: &MemoryFolder,
        waiting: &mut Vec<(PathBuf, SessionLog)>,
        group: &mut Option<u64>,
        imported: &mut Imported,
    ) -> Result<()> {
        if waiting.is_empty() {
            return Ok(());
        }
        let mut writer = self.writer(folder, "import")?.in_group(*group);
        // Another process may have written one of them meanwhile.
        let mut logged: BTreeMap<String, String> = logged_sessions(folder)?;
        for (transcript, log) in waiting.drain(..) {
            if logged.contains_key(log.session()) {
                imported.known += 1;
                continue;
            }
            let topic = log.file_and_topic().map(|(_, topic)| topic).unwrap_or_default();
            if let Some(SessionLogWrite::Written(file)) = write_session_log(&mut writer, &log, &mut logged)? {
                imported.logs.push(ImportedLog::new(transcript, &log, file, topic));
            }
        }
        *group = writer.group();
        Ok(())
    }
}

fn gather(path: &Path, paused: &PausedTimes, log: &mut SessionLog) -> Result<(), TranscriptError> {
    let gathered = turns(path, &mut |turn| {
        if is_own_task(&turn.request) {
            return ControlFlow::Break(());
        }
        if !paused.overlaps(&turn) && !is_own_command(&turn.request) {
            log.add(&turn);
        }
        ControlFlow::Continue(())
    });
    gathered.map(|_| ())
}

/// Returns the transcripts at `place`, sorted: `place` itself if it is a file, otherwise those in it and in its direct
/// subfolders. Transcripts of helper agents, which are deeper or start with `agent-`, are skipped.
fn transcripts(place: &Path) -> io::Result<Vec<PathBuf>> {
    if place.is_file() {
        return Ok(vec![std::path::absolute(place)?]);
    }
    let mut found = Vec::new();
    let mut folders = Vec::new();
    for entry in fs::read_dir(std::path::absolute(place)?)? {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        } else if is_transcript(&path) {
            found.push(path);
        }
    }
    for folder in folders {
        // An unreadable folder of one project does not hide the others.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        found.extend(entries.flatten().map(|entry| entry.path()).filter(|path| is_transcript(path) && path.is_file()));
    }
    found.sort();
    Ok(found)
}

fn is_transcript(path: &Path) -> bool {
    let is_named = path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with("agent-"));
    is_named && path.extension().is_some_and(|extension| extension == "jsonl")
}
