//! Superseded facts among the hits of a search.
//!
//! The archive of the memory folder holds superseded lines ([`tars_memory::superseded`]). Such a hit shows one line with its days and its
//! successor, and ranks below hits that state what is true of the same subject. A question about the past ranks it first. A question as
//! of a day treats what was true then as true: it leaves out facts that began later and notes that are named for a later day.
//!
//! The process that receives the question does all of this, from the files and from the hits of the daemon or the index, so that
//! both answer alike.

use jiff::civil::Date;

use super::ResolvedQuery;
use super::Search;
use super::past_questions::{asks_about_past, matching_facts};
use crate::{App, Result, Service, VAULT};
use tars_agent::digest::same_subject;
use tars_base::domain::{DateRange, Filter, Hit, MemoryType, Mode, Query, QuerySyntax, SupersededHit};
use tars_memory::{ARCHIVE_SUPERSEDED, Bullet, Superseded, bullets, normalized};
use tars_text::analysis::{Term, term_presence, terms};
use tars_text::markdown::dates_in_text;
use tars_vault::{Entry, Lines, MemoryFolder, line_written_at};

/// Extra hits to fetch, because later stages drop or demote some.
const EXTRA_HITS: usize = 20;
/// Extra hits for a question as of a day: the logs of all later days may hold its words as well.
const EXTRA_HITS_AS_OF: usize = 400;
/// Facts to show of one chunk of the archive or of a memory file at most.
const FACTS_PER_CHUNK: usize = 3;
/// A fact is shown only if it holds this share of what the best one holds.
const SHARE_OF_BEST: f64 = 0.65;
/// Hits of the archive to search for the chunk that holds a given line.
const ARCHIVE_HITS: usize = 20;

/// The superseded facts and the journal, for one question.
pub(super) struct Supersession {
    folder: Option<MemoryFolder>,
    /// The archive's path in the vault.
    archive: String,
    facts: Vec<Superseded>,
    as_of: Option<DateRange>,
    entries: Vec<Entry>,
    /// Why part of this is missing.
    pub(super) remark: Option<String>,
}

/// Splits hits into the superseded lines in them, or into their lines that were true on the day of the question.
pub(super) fn split(search: &Search<'_, '_>, hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let words = terms(&search.asked.query.text);
    let split = |hit| search.supersession.split(search.service, hit, &words);
    Ok(hits.into_iter().flat_map(split).collect())
}

/// Puts superseded lines where the question wants them: first if it asks about the past, otherwise below what is true now. A
/// question as of a day leaves the order unchanged.
pub(super) fn order(search: &Search<'_, '_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    let Search { service, asked, supersession, .. } = search;
    if supersession.facts.is_empty() {
        return Ok(hits);
    }
    if asks_about_past(&asked.query.text) {
        if asked.query.filter.is_empty() {
            let before = supersession.answers(service, asked, &hits)?;
            let is_there = |hit: &Hit| before.iter().any(|fact| fact.line == hit.line);
            hits.retain(|hit| hit.superseded.is_none() || !is_there(hit));
            hits.splice(0..0, before);
        }
    } else if supersession.as_of.is_none() {
        lower(&mut hits);
    }
    Ok(hits)
}

impl Supersession {
    /// Reads the archive, and for a question as of a day also the journal. Both stay empty while the vault is away.
    ///
    /// # Errors
    /// The question is as of a day and they cannot be read. Any other question is answered without them, with a remark.
    pub(super) fn of(app: &App, as_of: Option<DateRange>) -> Result<Self> {
        let mut supersession =
            Self { folder: None, archive: archive(app), facts: Vec::new(), as_of, entries: Vec::new(), remark: None };
        match supersession.read(app) {
            Err(error) if as_of.is_none() => {
                supersession.remark = Some(format!("superseded lines are missing from this answer: {error:#}"));
            }
            read => read?,
        }
        Ok(supersession)
    }

    fn read(&mut self, app: &App) -> Result<()> {
        if !app.settings.config.vault.path.as_ref().is_some_and(|path| path.is_dir()) {
            return Ok(());
        }
        let folder = app.memory_folder()?;
        self.facts = tars_memory::superseded(&folder)?;
        if self.as_of.is_some() {
            self.entries = app.journal(&folder)?.entries()?;
        }
        self.folder = Some(folder);
        Ok(())
    }

    /// Returns the question with the limit that the index receives.
    pub(super) fn with_extra_hits(&self, asked: ResolvedQuery) -> ResolvedQuery {
        let more = match self.as_of {
            Some(_) => EXTRA_HITS_AS_OF,
            None if self.facts.is_empty() => 0,
            None => EXTRA_HITS,
        };
        let limit = (asked.query.limit + more).min(1_000).max(asked.query.limit);
        ResolvedQuery { query: Query { limit, ..asked.query }, ..asked }
    }

    /// Splits a hit into the superseded lines in it, or into its lines that were true on the day of the question.
    fn split(&self, service: &Service<'_>, hit: Hit, words: &[Term]) -> Vec<Hit> {
        if is_archive(&self.archive, &hit) {
            let within = |fact: &&Superseded| (hit.start_line..=hit.end_line).contains(&fact.bullet.line());
            let facts: Vec<&Superseded> = self.facts.iter().filter(within).filter(|fact| self.was_true(fact)).collect();
            let best: Vec<&Superseded> = best_matches(&facts, words, |fact| fact.bullet.text.clone());
            let chosen =
                if best.is_empty() { facts.into_iter().filter(|fact| answers(fact, &hit)).collect() } else { best };
            return chosen.into_iter().filter_map(|fact| shown(&hit, fact)).collect();
        }
        let Some(as_of) = self.as_of else { return vec![hit] };
        if is_named_later(&hit, as_of.last) {
            return Vec::new();
        }
        let folder = self.folder.as_ref().filter(|_| hit.collection == VAULT).map(|folder| folder.vault_path(""));
        let file = folder.and_then(|folder| Some(hit.path.strip_prefix(folder.as_str())?.trim_start_matches('/')));
        match file.filter(|file| tars_memory::is_durable(file)) {
            Some(file) => self.true_then(service, &hit, file, words),
            None => vec![hit],
        }
    }

    fn was_true(&self, fact: &Superseded) -> bool {
        self.as_of.is_none_or(|days| fact.was_true_in(days.first, days.last))
    }

    /// Returns the lines of a hit in a fact file that were true on the day of the question, as far as is known.
    fn true_then(&self, service: &Service<'_>, hit: &Hit, file: &str, words: &[Term]) -> Vec<Hit> {
        let lines = Lines::of(hit.content.as_bytes());
        let all: Vec<Bullet> = bullets(file, &lines).into_iter().filter(|bullet| bullet.indent == 0).collect();
        if all.is_empty() {
            return vec![hit.clone()];
        }
        let began = |bullet: &Bullet| self.began(service.app, file, bullet, &lines.line(bullet.lines.start));
        let last = self.as_of.map_or(Date::MAX, |days| days.last);
        let known: Vec<&Bullet> = all.iter().filter(|bullet| began(bullet).is_none_or(|day| day <= last)).collect();
        let best = best_matches(&known, words, |bullet| bullet.text.clone());
        let answers = |bullet: &&Bullet| bullet.lines.contains(&hit.line.saturating_sub(hit.start_line));
        let chosen = if best.is_empty() { known.into_iter().filter(answers).collect() } else { best };
        chosen.into_iter().filter_map(|bullet| narrowed(hit, bullet.lines.clone())).collect()
    }

    /// Returns the day from which a fact was true or known: a day in the line, the day on which it replaced another fact, or the
    /// day on which it was written; `None` if none of them is known.
    fn began(&self, app: &App, file: &str, bullet: &Bullet, line: &str) -> Option<Date> {
        let clock = &app.environment.clock;
        let day = |range: DateRange| (range.first == range.last).then_some(range.first);
        let named = dates_in_text(&bullet.text).into_iter().find_map(|date| date.range().and_then(day));
        let says = normalized(&bullet.text);
        let replaced = || self.facts.iter().rfind(|fact| normalized(&fact.successor) == says).map(|fact| fact.until);
        let written = || line_written_at(&self.entries, file, line).map(|time| time.to_zoned(clock.zone()).date());
        named.filter(|day| *day <= clock.today()).or_else(replaced).or_else(written)
    }

    /// Returns the superseded lines that answer a question about the past, as hits to put in front of `hits`.
    fn answers(&self, service: &Service<'_>, asked: &ResolvedQuery, hits: &[Hit]) -> Result<Vec<Hit>> {
        let found = matching_facts(&self.facts, &asked.query.text);
        let found: Vec<(&Superseded, f64)> = found.into_iter().filter(|(fact, _)| self.was_true(fact)).collect();
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let filter = Filter { paths: vec![self.archive.clone()], ..Filter::default() };
        // Searching for the line's own words finds the chunk that holds it.
        let piece = |fact: &Superseded| -> Result<Option<Hit>> {
            let text = fact.bullet.text.clone();
            let (mode, language) = (Mode::Keyword, QuerySyntax::Prose);
            let query = Query {
                text,
                mode,
                language,
                filter: filter.clone(),
                limit: ARCHIVE_HITS,
                min_score: 0.0,
                ..asked.query.clone()
            };
            let hits = service.find(&ResolvedQuery { query, budget: None, window: 0, ..asked.clone() }, false)?.hits;
            Ok(hits.into_iter().find(|hit| (hit.start_line..=hit.end_line).contains(&fact.bullet.line())))
        };
        let best = hits.iter().map(|one| one.score).fold(0.0, f64::max);
        let mut answers = Vec::new();
        for (fact, share) in found.into_iter().take(FACTS_PER_CHUNK) {
            let shown = piece(fact)?.and_then(|hit| shown(&Hit { explanation: None, ..hit }, fact));
            answers.extend(shown.map(|hit| Hit { score: best.max(share), ..hit }));
        }
        Ok(answers)
    }
}

/// Returns the path of the archive of superseded facts in the vault.
fn archive(app: &App) -> String {
    format!("{}/{ARCHIVE_SUPERSEDED}", app.settings.config.vault.memory_folder)
}

fn is_archive(archive: &str, hit: &Hit) -> bool {
    hit.collection == VAULT && hit.path == archive
}

/// Removes the hits in the archive of superseded facts.
pub(crate) fn without_superseded(app: &App, hits: &mut Vec<Hit>) {
    let archive = archive(app);
    hits.retain(|hit| !is_archive(&archive, hit));
}

/// Returns the superseded lines that answer a question about the past, best first, and the archive's path; both empty for any
/// other question.
pub(crate) fn answers_about_past(app: &App, question: &str) -> Result<(String, Vec<Superseded>)> {
    if !asks_about_past(question) {
        return Ok((String::new(), Vec::new()));
    }
    let facts = tars_memory::superseded(&app.memory_folder()?)?;
    let found =
        matching_facts(&facts, question).into_iter().take(FACTS_PER_CHUNK).map(|(fact, _)| fact.clone()).collect();
    Ok((archive(app), found))
}

/// Lowers the scores of superseded lines to those of the hits that state what is true of the same subject, and ranks them behind those.
fn lower(hits: &mut [Hit]) {
    let is_true_of = |fact: &Hit, note: &SupersededHit, other: &Hit| {
        let said = normalized(&other.content);
        said.contains(&normalized(&note.by))
            || other.content.lines().any(|line| same_subject(&fact.content, line) || same_subject(&note.by, line))
    };
    let lowered: Vec<Option<f64>> = hits
        .iter()
        .map(|fact| {
            let note = fact.superseded.as_ref()?;
            let same = hits.iter().filter(|other| other.superseded.is_none() && is_true_of(fact, note, other));
            Some(same.map(|other| other.score).fold(fact.score, f64::min))
        })
        .collect();
    for (one, score) in hits.iter_mut().zip(lowered) {
        one.score = score.unwrap_or(one.score);
    }
    hits.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(one.superseded.is_some().cmp(&other.superseded.is_some()))
    });
}

/// Whether a note is named for a day after `last`. A person's note counts by the start of its name, a note of tars also by its day.
fn is_named_later(hit: &Hit, last: Date) -> bool {
    let name = hit.path.rsplit('/').next().unwrap_or(&hit.path);
    let named: Option<Date> = name.get(..10).and_then(|day| day.parse().ok());
    let of = hit.date.filter(|_| matches!(hit.memory_type, MemoryType::Daily | MemoryType::Episodic));
    named.or(of).is_some_and(|day| day > last)
}

/// Returns the lines that hold most of the words, best first; none if no line holds any of them.
fn best_matches<'a, T>(lines: &[&'a T], words: &[Term], text: impl Fn(&T) -> String) -> Vec<&'a T> {
    let mut found: Vec<(&T, f64)> =
        lines.iter().map(|line| (*line, term_presence(&text(line), words).iter().sum())).collect();
    let best = found.iter().map(|(_, held)| *held).fold(0.0, f64::max);
    found.retain(|(_, held)| *held > 0.0 && *held >= best * SHARE_OF_BEST);
    found.sort_by(|one, other| other.1.total_cmp(&one.1));
    found.into_iter().map(|(line, _)| line).take(FACTS_PER_CHUNK).collect()
}

fn answers(fact: &Superseded, hit: &Hit) -> bool {
    fact.bullet.lines.contains(&hit.line.saturating_sub(1))
}

/// Returns a superseded line as a hit of its own, without the label below it.
fn shown(hit: &Hit, fact: &Superseded) -> Option<Hit> {
    let first = fact.bullet.lines.start.checked_sub(hit.start_line - 1)?;
    let lines = fact.bullet.lines.len().saturating_sub(1).max(1);
    let mut hit = narrowed(hit, first..first + lines)?;
    if let Some((outer, _)) = hit.heading.rsplit_once(" > ") {
        hit.heading = format!("{outer} > {}", fact.bullet.heading);
    }
    Some(Hit { superseded: Some(note(fact)), ..hit })
}

/// Returns what a hit says about a superseded line.
fn note(fact: &Superseded) -> SupersededHit {
    let Superseded { since, until, successor: by, place, .. } = fact.clone();
    SupersededHit { since, until, by, place, label: fact.label() }
}

/// Returns a hit cut to these of its lines, counted from 0; the first of them becomes the line that answers.
fn narrowed(hit: &Hit, lines: std::ops::Range<usize>) -> Option<Hit> {
    let content: Vec<&str> = hit.content.split('\n').skip(lines.start).take(lines.len()).collect();
    let start_line = hit.start_line + lines.start;
    let end_line = start_line + content.len().checked_sub(1)?;
    let start_column = if lines.start == 0 { hit.start_column } else { 0 };
    let end_column = hit.end_column.filter(|_| end_line == hit.end_line);
    let (line, column, content) = (start_line, start_column, content.join("\n"));
    Some(Hit { start_line, start_column, end_line, end_column, line, column, content, ..hit.clone() })
}
