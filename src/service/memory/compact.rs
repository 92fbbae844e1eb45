//! Summarizes months.

mod links;
mod summary_record;

use std::collections::BTreeSet;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BrokenLink;
use crate::{App, Error, Problem, Refusal, Result, Service, UseCase};
use links::{broken_links, moved_paths};
use summary_record::{SummaryRecord, SummedMonth, SummedUpFile, answer_key};
use tars_base::domain::{Progress, Stage, USER_NOTICE, days_before, one_line};
use tars_chat::tasks::{SourceLine, Task, TaskError};
use tars_memory::upkeep::{
    self, ArchivePage, LinkContext, Month, MonthAnchor, MonthClaims, MonthSources, Move, PageEdit, Summary,
};
use tars_vault::{Author, LineCredit, Lines, MemoryFolder};

/// Summarizes months in the archive of the memory folder: one month, or all months that are old enough. After an interrupt, the
/// next request continues where it stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CompactRequest {
    /// The month: `2026-03`.
    pub month: Option<String>,
    /// All months whose last day is at least this many days ago.
    pub older_than_days: Option<u32>,
    /// Whether to move the summarized logs to the archive.
    #[serde(rename = "move")]
    pub is_moved: bool,
    /// Whether to write nothing and only return what would be written.
    pub dry_run: bool,
}

/// The result for the months.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CompactResponse {
    /// Months that were or would be summarized or moved, oldest first.
    pub months: Vec<CompactedMonth>,
    /// Number of months that were summarized before and have nothing new.
    pub known: usize,
    /// Months that were left as they are, with the reason.
    pub left: Vec<LeftMonth>,
    /// Links in notes that break, or would break, because logs move.
    pub broken_links: Vec<BrokenLink>,
    /// The error that stopped it early, other than an interrupt: the daily token budget is spent.
    pub stopped: Option<Problem>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Whether this was a dry run.
    pub dry_run: bool,
}

/// The result for one month.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CompactedMonth {
    /// The month: `2026-03`.
    pub month: String,
    /// Path of its summary, relative to the vault.
    pub path: String,
    /// The author of the summary: `extractive`, or a model. In a dry run, the expected author.
    pub by: String,
    /// Number of new or changed lines of the summary.
    pub lines: usize,
    /// Whether they were added to lines that a person has edited.
    pub added: bool,
    /// In a dry run: the whole file as it would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Logs that moved.
    pub moved: Vec<MovedLog>,
    /// Logs that should move but stay, with the reason.
    pub kept: Vec<KeptLog>,
}

/// A log that moved. Paths are relative to the vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MovedLog {
    /// Its old path.
    pub from: String,
    /// Its new path.
    pub to: String,
}

/// A log that stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeptLog {
    /// Its path, relative to the vault.
    pub path: String,
    /// The reason.
    pub reason: &'static str,
}

/// A month that was left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftMonth {
    /// The month.
    pub month: String,
    /// The reason.
    pub reason: &'static str,
}

impl UseCase for CompactRequest {
    type Response = CompactResponse;

    fn run(&self, service: &Service<'_>) -> Result<CompactResponse> {
        let Service { app, observer, .. } = service;
        let folder = app.memory_folder()?;
        let today = app.environment.clock.now().date();
        let mut response = CompactResponse { dry_run: self.dry_run, ..CompactResponse::default() };
        let found = upkeep::months(&folder)?;
        let wanted: Vec<Month> = self.wanted(found.keys().copied(), today, &mut response)?;
        if wanted.is_empty() {
            return Ok(response);
        }
        let file = match self.dry_run {
            true => SummedUpFile::of(&app.settings.config.data.dir),
            false => SummedUpFile::locked(app.data_dir()?)?,
        };
        let known = file.read()?;
        let observer = *observer;
        let mut run =
            Run { request: self, service, app, observer, folder: &folder, file, known, group: None, moves: Vec::new() };
        observer.start(Stage::Compacting, wanted.len());
        for (place, month) in wanted.iter().enumerate() {
            if observer.cancelled() {
                response.interrupted = true;
                response.left.extend(left(&wanted[place..], "interrupted"));
                break;
            }
            let sources = MonthSources::read(&folder, *month, found[month].clone())?;
            match run.month(&sources)? {
                MonthOutcome::Known => response.known += 1,
                MonthOutcome::Month(month) => response.months.push(month),
                MonthOutcome::Left(reason) => response.left.extend(left(&[*month], reason)),
                MonthOutcome::Spent(error) => {
                    response.stopped = Some(Problem::from(&Error::from(error)));
                    response.left.extend(left(&wanted[place..], "the tokens of the day are spent"));
                    break;
                }
            }
            observer.advance(1);
        }
        observer.finish();
        response.broken_links = broken_links(app, &folder, &run.moves, self.dry_run)?;
        Ok(response)
    }
}

impl CompactRequest {
    /// Returns the requested months that are over.
    fn wanted(
        &self,
        known: impl Iterator<Item = Month>,
        today: Date,
        response: &mut CompactResponse,
    ) -> Result<Vec<Month>> {
        let refused = |message: String| Refusal { message, hint: "tars compact 2026-03, or --older-than 30d".into() };
        match (&self.month, self.older_than_days) {
            (Some(month), None) => {
                let month: Month =
                    month.parse().map_err(|wanted| refused(format!("'{}' is not {wanted}", one_line(month, 80))))?;
                if month.last() >= today {
                    response.left.extend(left(&[month], "the month is not over"));
                    return Ok(Vec::new());
                }
                Ok(known.filter(|known| *known == month).collect())
            }
            (None, Some(days)) => {
                let bound = days_before(today, days);
                Ok(known.filter(|month| month.last() <= bound && month.last() < today).collect())
            }
            _ => Err(refused("either a month or an age is needed".to_owned()).into()),
        }
    }
}

fn left(months: &[Month], reason: &'static str) -> Vec<LeftMonth> {
    months.iter().map(|month| LeftMonth { month: month.to_string(), reason }).collect()
}

/// The result for one month.
enum MonthOutcome {
    Known,
    Month(CompactedMonth),
    Left(&'static str),
    Spent(TaskError),
}

/// A run over several months.
struct Run<'r, 'a> {
    request: &'r CompactRequest,
    service: &'r Service<'a>,
    app: &'r App,
    observer: &'r dyn Progress,
    folder: &'r MemoryFolder,
    file: SummedUpFile,
    known: SummaryRecord,
    /// The group of this run's first write: one undo reverts the whole run.
    group: Option<u64>,
    /// The logs that moved so far, or would move.
    moves: Vec<Move>,
}

/// A summary and its author.
struct NewSummary {
    sources: MonthSources,
    summary: Summary,
    by: MonthAnchor,
}

impl Run<'_, '_> {
    fn month(&mut self, sources: &MonthSources) -> Result<MonthOutcome> {
        let folder = self.folder;
        let file = sources.month.file();
        let bytes = folder.read(&file)?.unwrap_or_default();
        let texts = Lines::of(&bytes).all();
        let page = ArchivePage::of(sources.month, &texts);
        let (moves, kept) = match self.request.is_moved {
            true => upkeep::moves(sources, &folder.files()?),
            false => Default::default(),
        };
        let made = match self.made(sources, &page)? {
            Ok(made) => made,
            Err(error) => return Ok(MonthOutcome::Spent(error)),
        };
        let gone = moved_paths(folder, sources, &moves);
        let moved = |target: &str| gone.get(target).cloned();
        let linked = LinkContext { folder, moved: &moved };
        let change = |page: &ArchivePage<'_>| match &made {
            Some(NewSummary { sources, summary, by }) => page.with_summary(sources, summary, by, &linked),
            None => page.relinked(&linked),
        };
        let PageEdit { splices, lines, is_added } = change(&page);
        if splices.is_empty() && moves.is_empty() {
            self.keep(sources)?;
            return Ok(MonthOutcome::Known);
        }
        let by = made.as_ref().map(|made| &made.by).or(page.anchor.as_ref());
        let mut done = CompactedMonth {
            month: sources.month.to_string(),
            path: folder.vault_path(&file),
            by: by.map(|anchor| anchor.by.clone()).unwrap_or_default(),
            lines,
            added: is_added,
            text: None,
            moved: Vec::new(),
            kept: kept.iter().map(|log| KeptLog { path: folder.vault_path(&log.file), reason: log.reason }).collect(),
        };
        if self.request.dry_run {
            done.text = Some(String::from_utf8_lossy(&Lines::of(&bytes).spliced(&splices)).into_owned());
            done.moved = moves.iter().map(|log| shown(folder, log)).collect();
            self.moves.extend(moves);
            return Ok(MonthOutcome::Month(done));
        }
        // The logs move first: if the run ends here, the next run finds them at the new paths and links to them.
        let mut writer = self.service.writer(folder, "compact")?.in_group(self.group).exempt_from_trim();
        if !moves.is_empty() {
            for log in folder.files()?.iter().filter(|file| file.contains("sessions/")) {
                tars_memory::relink_session_log(&mut writer, log, &moved)?;
            }
        }
        for log in moves {
            match writer.rename(&log.from, &log.to)? {
                true => {
                    done.moved.push(shown(folder, &log));
                    self.moves.push(log);
                }
                false => done
                    .kept
                    .push(KeptLog { path: folder.vault_path(&log.from), reason: "somebody moved it meanwhile" }),
            }
        }
        if let Some(made) = &made {
            writer.credit(untrusted_lines(folder, made)?);
        }
        let mut is_stale = false;
        writer.edit(&file, |lines| {
            let texts = lines.all();
            let now = ArchivePage::of(sources.month, &texts);
            is_stale = made.as_ref().is_some_and(|made| now.is_replaced_by(&made.by) != page.is_replaced_by(&made.by));
            if is_stale { Vec::new() } else { change(&now).splices }
        })?;
        self.group = writer.group().or(self.group);
        drop(writer);
        if is_stale {
            return Ok(MonthOutcome::Left("its summary was edited meanwhile"));
        }
        self.keep(sources)?;
        Ok(MonthOutcome::Month(done))
    }

    /// Summarizes a month if that is necessary; the inner error means that the daily token budget is spent.
    fn made(
        &mut self,
        sources: &MonthSources,
        page: &ArchivePage<'_>,
    ) -> Result<Result<Option<NewSummary>, TaskError>> {
        let app = self.app;
        let name = app.notes_author();
        let known = self.known.months.get(&sources.month.to_string());
        let days: BTreeSet<i8> = sources.days().iter().map(|day| day.day()).collect();
        let is_read = page.holds(&days) && known.is_some_and(|known| known.read == sources.hash());
        let is_named = self.request.month.is_some();
        // A summary by rules is redone if the model had failed, or if the person names the month and a model is now configured.
        let is_for_model =
            page.anchor.as_ref().is_some_and(|anchor| anchor.instead_of.is_some() || is_named && anchor.is_by_rules());
        if is_read && !(name.is_some() && is_for_model && page.is_unedited()) {
            return Ok(Ok(None));
        }
        let lines_before: BTreeSet<String> =
            known.map(|known| known.lines.iter().cloned().collect()).unwrap_or_default();
        let has_read = known.is_some_and(|known| !known.read.is_empty());
        let held = page.anchor.as_ref().map(|anchor| anchor.days.clone()).unwrap_or_default();
        let is_new = |line: &upkeep::MonthLine| {
            !held.contains(&line.day.day()) || (has_read && !lines_before.contains(&line.hash()))
        };
        let of = |by: &MonthAnchor| if page.is_replaced_by(by) { sources.clone() } else { sources.only(&is_new) };
        let mut by = MonthAnchor::by_rules();
        if let Some(name) = name {
            let prompt = app.prompt(Task::Compact).instructions.version;
            let model = MonthAnchor { by: name.clone(), prompt: Some(prompt.clone()), ..MonthAnchor::default() };
            let sources = of(&model);
            match upkeep::by_model(&sources.lines, &mut |lines| self.answer(&sources, lines, &prompt))? {
                Ok(summary) => return Ok(Ok(Some(NewSummary { sources, summary, by: model }))),
                Err(error @ TaskError::BudgetSpent { .. }) => return Ok(Err(error)),
                // A dry run calls no model.
                Err(TaskError::NoModel) if self.request.dry_run => {}
                Err(error) => {
                    let month = sources.month;
                    self.observer.warn(&format!("{month} is summed up by rules alone: {error}"));
                    by.instead_of = Some(name);
                }
            }
        }
        let sources = of(&by);
        let summary = upkeep::by_rules(&sources.lines)?;
        Ok(Ok(Some(NewSummary { sources, summary, by })))
    }

    /// Returns the model's claims about lines of a month, from an earlier answer if there is one.
    fn answer(&mut self, sources: &MonthSources, lines: &[SourceLine], prompt: &str) -> Result<MonthClaims, TaskError> {
        let app = self.app;
        let key = answer_key(lines, prompt);
        let month = sources.month.to_string();
        if let Some(answer) = self.known.months.get(&month).and_then(|known| known.answers.get(&key)) {
            return Ok(answer.clone());
        }
        if self.request.dry_run {
            return Err(TaskError::NoModel);
        }
        let model = app.task_model(Task::Compact)?.ok_or(TaskError::NoModel)?;
        let said = model.claims(lines).inspect_err(|error| app.count_unusable(Task::Compact, error))?;
        let answer = MonthClaims::from(said);
        self.known.months.entry(month).or_default().answers.insert(key, answer.clone());
        // Saved before anything else can fail, because the answer is paid for.
        if let Err(error) = self.file.write(&self.known) {
            tracing::warn!(target: USER_NOTICE, "{error:#}");
        }
        Ok(answer)
    }

    /// Records the lines that a month's summary is based on.
    fn keep(&mut self, sources: &MonthSources) -> Result<()> {
        if self.request.dry_run {
            return Ok(());
        }
        let month = self.known.months.entry(sources.month.to_string()).or_default();
        let lines: Vec<String> = sources.lines.iter().map(upkeep::MonthLine::hash).collect();
        if month.read == sources.hash() && month.lines == lines {
            return Ok(());
        }
        *month = SummedMonth { read: sources.hash(), lines, answers: std::mem::take(&mut month.answers) };
        self.file.write(&self.known)
    }
}

/// Credits the lines of a summary that rest on a line of untrusted origin.
fn untrusted_lines(folder: &MemoryFolder, made: &NewSummary) -> Result<Vec<LineCredit>> {
    let Some(origins) = folder.origins()? else { return Ok(Vec::new()) };
    let is_untrusted = |at: &usize| {
        let origin = made.sources.lines.get(*at).and_then(|line| origins.of_words(&line.text));
        origin.is_some_and(|origin| origin.by == Author::Untrusted)
    };
    let lines = made.summary.lines.iter().filter(|line| line.from.iter().any(is_untrusted));
    Ok(lines.map(|line| LineCredit { line: line.text.clone(), by: Author::Untrusted, model: None }).collect())
}

fn shown(folder: &MemoryFolder, log: &Move) -> MovedLog {
    MovedLog { from: folder.vault_path(&log.from), to: folder.vault_path(&log.to) }
}
