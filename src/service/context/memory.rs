//! The memory files, read from the disk.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::rc::Rc;

use jiff::civil::Date;

use super::ProjectRef;
use crate::App;
use tars_agent::context_block::{Keep, Piece, Source};
use tars_agent::project::Branches;
use tars_base::domain::{Hit, MemoryType, OutcomeKind};
use tars_memory::upkeep::page_file;
use tars_memory::{
    LogLine, LogSection, MEMORY, PROCEDURAL, branch_of_line, daily_file, log_lines, log_sections, without_request,
    word_similarity,
};
use tars_text::markdown;
use tars_text::redact::{redact, redact_path};

/// Daily logs to search for a project's last notes.
const RECENT: usize = 30;
/// Maximum number of files of `context/` to read, because a session waits for them.
const TOPICS: usize = 40;
/// A noted line is on the page if it shares this part of its words with a line of the page.
const SAME: f64 = 0.8;

/// Returns the facts, the rules and the log of `today` from the memory folder of the vault at `root`, as far as they exist. An
/// unusable file is skipped with a warning, a private one without.
pub(super) fn files(app: &App, root: &Path, today: Date, warnings: &mut Vec<String>) -> [Option<Piece>; 3] {
    let folder = &app.settings.config.vault.memory_folder;
    let files = [
        (MEMORY.to_owned(), MemoryType::Semantic, Keep::Start),
        (PROCEDURAL.to_owned(), MemoryType::Procedural, Keep::Start),
        (daily_file(today), MemoryType::Daily, Keep::End),
    ];
    files.map(|(name, kind, keep)| {
        let path = format!("{folder}/{name}");
        piece(app, root, (&path, kind, keep)).unwrap_or_else(|problem| {
            warnings.push(problem);
            None
        })
    })
}

/// Returns the page of the project with this name.
pub(super) fn page(app: &App, root: &Path, name: &str, warnings: &mut Vec<String>) -> Option<Piece> {
    let path = format!("{}/{}", app.settings.config.vault.memory_folder, page_file(name)?);
    piece(app, root, (&path, MemoryType::Semantic, Keep::Start)).unwrap_or_else(|problem| {
        warnings.push(problem);
        None
    })
}

/// Returns the files of `context/`, by name. An unusable file is skipped with a warning.
pub(super) fn topics(app: &App, root: &Path, warnings: &mut Vec<String>) -> Vec<Piece> {
    let Ok(folder) = app.memory_folder() else { return Vec::new() };
    let files = folder.files().unwrap_or_default().into_iter().filter(|file| file.starts_with("context/"));
    let read = files.take(TOPICS).filter_map(|file| {
        piece(app, root, (&folder.vault_path(&file), MemoryType::Semantic, Keep::Start)).unwrap_or_else(|problem| {
            warnings.push(problem);
            None
        })
    });
    read.collect()
}

/// Removes the noted decisions and open ends that the page already holds.
pub(super) fn beyond_page(noted: &Piece, page: &Piece) -> Option<Piece> {
    let said = page.text();
    noted.retain_lines(|_, line| !is_on_page(line, &said))
}

/// Removes the project's decisions of branches that do not hold where the agent works, from an excerpt of a log.
pub(super) fn on_branch(app: &App, noted: &Piece, branches: &Branches, own: ProjectRef<'_>) -> Option<Piece> {
    if noted.numbered().all(|(_, line)| branch_of_line(line).is_none()) {
        return Some(noted.clone());
    }
    let folder = app.memory_folder().ok()?;
    let bytes = folder.read(folder.relative_name(&noted.source().path)?).ok()??;
    let is_over = |line: &LogLine| !may_hold(line, Some((branches, own)));
    let over: Vec<usize> = log_lines(&bytes).into_iter().filter(is_over).map(|line| line.number).collect();
    noted.retain_lines(|number, _| !over.contains(&number))
}

/// Whether a line may hold where the agent works. The branches there say nothing about other projects.
pub(super) fn may_hold(line: &LogLine, branches: Option<(&Branches, ProjectRef<'_>)>) -> bool {
    let branch = line.branch.as_deref().zip(branches);
    let branch = branch.filter(|(_, (_, (name, key)))| line.section.project.is(name, *key));
    branch.is_none_or(|(branch, (branches, _))| branches.state(branch).may_hold())
}

/// Whether the page holds the decision or open end of this line.
pub(super) fn is_on_page(line: &str, page: &str) -> bool {
    let Some(noted) = noted_text(line) else { return false };
    page.lines().filter_map(|line| line.strip_prefix("- ")).any(|said| word_similarity(noted, said) >= SAME)
}

/// Returns the text of a decision or an open end, without its label and the request.
fn noted_text(line: &str) -> Option<&str> {
    ["Decided: ", "Open: "].iter().find_map(|label| line.split_once(label)).map(|(_, said)| without_request(said))
}

fn piece(app: &App, root: &Path, (path, kind, keep): (&str, MemoryType, Keep)) -> Result<Option<Piece>, String> {
    let Some(text) = text(app, root, path)? else { return Ok(None) };
    let document = markdown::parse(path, &redact(&text).text);
    if document.private || document.line_count() < document.body_line {
        return Ok(None);
    }
    let date = document.day();
    let body = document.lines(document.body_line, document.line_count());
    let path = redact_path(path).into_owned();
    let found = Piece::new(Source { collection: None, path, answer: None, date, kind }, document.body_line, body, keep);
    let hidden: Vec<usize> = match kind {
        MemoryType::Daily => {
            log_lines(text.as_bytes()).iter().filter(|line| is_over(line)).map(|line| line.number).collect()
        }
        _ => Vec::new(),
    };
    match hidden.is_empty() {
        true => Ok(found),
        false => Ok(found.and_then(|piece| piece.retain_lines(|number, _| !hidden.contains(&number)))),
    }
}

/// Whether a line of a log says nothing about what holds: it waits for its review, or it is an open end that was settled.
fn is_over(line: &LogLine) -> bool {
    line.is_unconfirmed || (line.is_ticked && line.kind == Some(OutcomeKind::Open))
}

/// Returns the piece of today's log without the notes of sessions in other projects than these.
pub(super) fn within(app: &App, day: &Piece, projects: &[ProjectRef<'_>], today: Date) -> Option<Piece> {
    let bytes = app.memory_folder().ok()?.read(&daily_file(today)).ok()??;
    let is_foreign = |section: &LogSection| {
        section.anchor.is_some() && projects.iter().all(|(name, key)| section.is_foreign(name, *key))
    };
    let foreign: Vec<_> = log_sections(&bytes).into_iter().filter(is_foreign).collect();
    day.retain_lines(|number, _| !foreign.iter().any(|section| section.lines.contains(&number)))
}

/// Returns the last notes of a project before `today`: its newest section in the daily logs. Today's log is shown by itself.
pub(super) fn last_notes(logs: &Logs<'_>, (name, key): ProjectRef<'_>, today: Date) -> Option<Piece> {
    let folder = logs.app.memory_folder().ok()?;
    let days = folder.files().ok()?.into_iter().rev().filter_map(|file| {
        let day: Date = file.strip_suffix(".md")?.parse().ok()?;
        (day < today).then_some((day, file))
    });
    days.take(RECENT).find_map(|(day, file)| {
        let log = logs.read(&file)?;
        let section = Rc::clone(&log.lines.iter().rfind(|line| line.section.project.is(name, key))?.section);
        // Lists of files do not help to continue the work.
        let is_left_out =
            |line: &&LogLine| matches!(line.kind, Some(OutcomeKind::Changed | OutcomeKind::Answered)) || is_over(line);
        let left_out: Vec<usize> = log.lines.iter().filter(is_left_out).map(|line| line.number).collect();
        log.piece(&folder.vault_path(&file), day, Keep::End)?
            .retain_lines(|number, _| section.lines.contains(&number) && !left_out.contains(&number))
    })
}

/// A log of the memory folder as on the disk, without secrets.
pub(super) struct Log {
    pub(super) text: String,
    pub(super) lines: Vec<LogLine>,
}

/// The logs that one request reads, each once: several parts of a session's start look at the same days.
pub(super) struct Logs<'a> {
    app: &'a App,
    known: RefCell<HashMap<String, Option<Rc<Log>>>>,
}

impl<'a> Logs<'a> {
    pub(super) fn new(app: &'a App) -> Self {
        Self { app, known: RefCell::default() }
    }

    /// Returns the log that contains a hit.
    pub(super) fn of(&self, hit: &Hit) -> Option<Rc<Log>> {
        let folder = self.app.memory_folder().ok()?;
        let name = hit.path.strip_prefix(folder.vault_path("").as_str())?.trim_start_matches('/');
        self.read(name)
    }

    /// Returns the log in this file of the memory folder; `None` if it does not exist or is private.
    pub(super) fn read(&self, file: &str) -> Option<Rc<Log>> {
        if let Some(known) = self.known.borrow().get(file) {
            return known.clone();
        }
        let log = Log::read(self.app, file).map(Rc::new);
        self.known.borrow_mut().insert(file.to_owned(), log.clone());
        log
    }
}

impl Log {
    fn read(app: &App, file: &str) -> Option<Self> {
        let folder = app.memory_folder().ok()?;
        let bytes = folder.read(file).ok()??;
        let text = redact(&tars_vault::text_of(&bytes)).text.into_owned();
        if markdown::is_private(&text) {
            return None;
        }
        let lines = log_lines(text.as_bytes());
        Some(Self { text, lines })
    }

    /// Returns the whole log, which lies at `path` in the vault, as an excerpt.
    pub(super) fn piece(&self, path: &str, day: Date, keep: Keep) -> Option<Piece> {
        let path = redact_path(path).into_owned();
        let source = Source { collection: None, path, answer: None, date: Some(day), kind: MemoryType::Daily };
        Piece::new(source, 1, &self.text, keep)
    }
}

/// Returns the text of a file of the vault; `None` if it does not exist.
fn text(app: &App, root: &Path, path: &str) -> Result<Option<String>, String> {
    let real = match fs::canonicalize(root.join(path)) {
        Ok(real) => real,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{path} is left out: {error}")),
    };
    let Some(inside) = real.strip_prefix(root).ok().and_then(Path::to_str) else {
        return Err(format!("{path} is left out: it is a link out of the vault"));
    };
    let file = tars_vault::read(root, inside, app.settings.config.index.max_file_size);
    file.map(|file| Some(file.text)).map_err(|error| format!("{path} is left out: {error}"))
}
