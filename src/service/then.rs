//! What was true before, among what is found.
//!
//! A superseded line stands in the archive of the memory folder ([`memory::superseded`]). As a hit it is shown alone, with its days
//! and its successor, below what is true of the same subject. A question about the past puts it first, and a question as of a day
//! takes what was true then for true: facts that began later, and notes that are named for a later day, are no hits.
//!
//! All of this is done by the process that asks, from the files and from hits that the daemon or the index gave, so that both
//! answer alike.

mod past;

use anyhow::Result;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use self::past::{answering, asks_about_past};
use super::Service;
use crate::analysis::{Term, presence, terms};
use crate::app::{App, ResolvedQuery, VAULT};
use crate::digest::same_subject;
use crate::domain::{DateRange, Filter, Hit, Language, MemoryType, Mode, Query};
use crate::markdown::dates_in_text;
use crate::memory::{self, ARCHIVE_SUPERSEDED, Bullet, Superseded, bullets, normal};
use crate::vault::{Entry, Lines, MemoryFolder, written_at};

/// So many hits more are looked at than are shown, since some of them go or give way.
const MORE: usize = 20;
/// The same for a question as of a day: the logs of all the days that came later may hold its words as well.
const MORE_AS_OF: usize = 400;
/// Facts of one piece of the archive or of a memory file that are hits at most.
const OF_A_PIECE: usize = 3;
/// Such a fact must hold this share of what the best one holds.
const AS_GOOD: f64 = 0.65;
/// Pieces of the archive among which the one is sought that a line stands in.
const PIECES: usize = 20;

/// What a hit says of a line that is no longer true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SupersededHit {
    /// The day from which it was true or known, where that is known.
    pub since: Option<Date>,
    /// The day on which it ceased to be.
    pub until: Date,
    /// What took its place, in one line.
    pub by: String,
    /// Where that stood, as a link names it: `tars/Memory#People`.
    pub place: String,
    /// The same in words: `was so until 2026-03-14; now: …`.
    #[serde(skip)]
    pub label: String,
}

impl From<&Superseded> for SupersededHit {
    fn from(fact: &Superseded) -> Self {
        let Superseded { since, until, by, place, .. } = fact.clone();
        Self { since, until, by, place, label: fact.label() }
    }
}

/// A hit, with what is true instead where it is a superseded line.
pub(super) struct Told {
    pub(super) hit: Hit,
    pub(super) superseded: Option<SupersededHit>,
}

/// What is known of what was true, for one question.
pub(super) struct Then {
    folder: Option<MemoryFolder>,
    /// The archive's path in the vault.
    archive: String,
    facts: Vec<Superseded>,
    as_of: Option<DateRange>,
    entries: Vec<Entry>,
    /// Why less is known than could be.
    pub(super) remark: Option<String>,
}

impl Then {
    /// Reads the archive, and for a question as of a day the journal. While the vault is away nothing is known.
    ///
    /// # Errors
    /// The question is as of a day, and they cannot be read. Any other question is answered without them, with a remark.
    pub(super) fn of(app: &App, as_of: Option<DateRange>) -> Result<Self> {
        let mut then =
            Self { folder: None, archive: archive(app), facts: Vec::new(), as_of, entries: Vec::new(), remark: None };
        match then.read(app) {
            Err(error) if as_of.is_none() => {
                then.remark = Some(format!("what was true before is not in this answer: {error:#}"));
            }
            read => read?,
        }
        Ok(then)
    }

    fn read(&mut self, app: &App) -> Result<()> {
        if !app.settings.config.vault.path.as_ref().is_some_and(|path| path.is_dir()) {
            return Ok(());
        }
        let folder = app.memory_folder()?;
        self.facts = memory::superseded(&folder)?;
        if self.as_of.is_some() {
            self.entries = app.journal(&folder)?.entries()?;
        }
        self.folder = Some(folder);
        Ok(())
    }

    /// Returns the question as the index is asked it.
    pub(super) fn widened(&self, asked: ResolvedQuery) -> ResolvedQuery {
        let more = match self.as_of {
            Some(_) => MORE_AS_OF,
            None if self.facts.is_empty() => 0,
            None => MORE,
        };
        let limit = (asked.query.limit + more).min(1_000).max(asked.query.limit);
        ResolvedQuery { query: Query { limit, ..asked.query }, ..asked }
    }

    /// Returns what is shown of `hits`, which answer `asked`, best first.
    pub(super) fn arranged(&self, service: &Service<'_>, asked: &ResolvedQuery, hits: Vec<Hit>) -> Result<Vec<Told>> {
        let words = terms(&asked.query.text);
        let mut told: Vec<Told> = hits.into_iter().flat_map(|hit| self.told(service, hit, &words)).collect();
        if self.facts.is_empty() {
            return Ok(told);
        }
        if asks_about_past(&asked.query.text) {
            if asked.query.filter.is_empty() {
                let before = self.answers(service, asked, &told)?;
                let is_there = |one: &Told| before.iter().any(|fact| fact.hit.line == one.hit.line);
                told.retain(|one| one.superseded.is_none() || !is_there(one));
                told.splice(0..0, before);
            }
        } else if self.as_of.is_none() {
            lower(&mut told);
        }
        told.truncate(asked.query.limit);
        Ok(told)
    }

    /// Returns what comes of a hit: the superseded lines in it, or what of it was true on the day that is asked about.
    fn told(&self, service: &Service<'_>, hit: Hit, words: &[Term]) -> Vec<Told> {
        if is_archive(&self.archive, &hit) {
            let within = |fact: &&Superseded| (hit.start_line..=hit.end_line).contains(&fact.bullet.line());
            let facts: Vec<&Superseded> = self.facts.iter().filter(within).filter(|fact| self.was_true(fact)).collect();
            let best: Vec<&Superseded> = held_by(&facts, words, |fact| fact.bullet.text.clone());
            let chosen =
                if best.is_empty() { facts.into_iter().filter(|fact| answers(fact, &hit)).collect() } else { best };
            return chosen.into_iter().filter_map(|fact| shown(&hit, fact)).collect();
        }
        let Some(as_of) = self.as_of else { return vec![Told { hit, superseded: None }] };
        if is_named_later(&hit, as_of.last) {
            return Vec::new();
        }
        let folder = self.folder.as_ref().filter(|_| hit.collection == VAULT).map(|folder| folder.shown(""));
        let file = folder.and_then(|folder| Some(hit.path.strip_prefix(folder.as_str())?.trim_start_matches('/')));
        match file.filter(|file| memory::is_durable(file)) {
            Some(file) => self.true_then(service, &hit, file, words),
            None => vec![Told { hit, superseded: None }],
        }
    }

    fn was_true(&self, fact: &Superseded) -> bool {
        self.as_of.is_none_or(|days| fact.was_true_in(days.first, days.last))
    }

    /// Returns the lines of a hit in a file of facts that were true on the day that is asked about, as far as is known.
    fn true_then(&self, service: &Service<'_>, hit: &Hit, file: &str, words: &[Term]) -> Vec<Told> {
        let lines = Lines::of(hit.content.as_bytes());
        let all: Vec<Bullet> = bullets(file, &lines).into_iter().filter(|bullet| bullet.indent == 0).collect();
        if all.is_empty() {
            return vec![Told { hit: hit.clone(), superseded: None }];
        }
        let began = |bullet: &Bullet| self.began(service.app, file, bullet, &lines.line(bullet.lines.start));
        let last = self.as_of.map_or(Date::MAX, |days| days.last);
        let known: Vec<&Bullet> = all.iter().filter(|bullet| began(bullet).is_none_or(|day| day <= last)).collect();
        let best = held_by(&known, words, |bullet| bullet.text.clone());
        let answers = |bullet: &&Bullet| bullet.lines.contains(&hit.line.saturating_sub(hit.start_line));
        let chosen = if best.is_empty() { known.into_iter().filter(answers).collect() } else { best };
        chosen
            .into_iter()
            .filter_map(|bullet| narrowed(hit, bullet.lines.clone()))
            .map(|hit| Told { hit, superseded: None })
            .collect()
    }

    /// Returns the day from which a fact was true or known: a day in the line, the day on which it took another's place, or the
    /// day on which it was written; `None` where nothing tells.
    fn began(&self, app: &App, file: &str, bullet: &Bullet, line: &str) -> Option<Date> {
        let clock = &app.environment.clock;
        let day = |range: DateRange| (range.first == range.last).then_some(range.first);
        let named = dates_in_text(&bullet.text).into_iter().find_map(|date| date.range().and_then(day));
        let says = normal(&bullet.text);
        let replaced = || self.facts.iter().rfind(|fact| normal(&fact.by) == says).map(|fact| fact.until);
        let written = || written_at(&self.entries, file, line).map(|time| time.to_zoned(clock.zone()).date());
        named.filter(|day| *day <= clock.today()).or_else(replaced).or_else(written)
    }

    /// Returns the superseded lines that answer a question about the past, as hits before `told`.
    fn answers(&self, service: &Service<'_>, asked: &ResolvedQuery, told: &[Told]) -> Result<Vec<Told>> {
        let found = answering(&self.facts, &asked.query.text);
        let found: Vec<(&Superseded, f64)> = found.into_iter().filter(|(fact, _)| self.was_true(fact)).collect();
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let filter = Filter { paths: vec![self.archive.clone()], ..Filter::default() };
        // The piece that a line stands in is found by the line's own words.
        let piece = |fact: &Superseded| -> Result<Option<Hit>> {
            let text = fact.bullet.text.clone();
            let (mode, language) = (Mode::Keyword, Language::Prose);
            let query = Query {
                text,
                mode,
                language,
                filter: filter.clone(),
                limit: PIECES,
                min_score: 0.0,
                ..asked.query.clone()
            };
            let hits = service.find(&ResolvedQuery { query, budget: None, window: 0, ..asked.clone() }, false)?.hits;
            Ok(hits.into_iter().find(|hit| (hit.start_line..=hit.end_line).contains(&fact.bullet.line())))
        };
        let best = told.iter().map(|one| one.hit.score).fold(0.0, f64::max);
        let mut answers = Vec::new();
        for (fact, share) in found.into_iter().take(OF_A_PIECE) {
            let shown = piece(fact)?.and_then(|hit| shown(&Hit { explanation: None, ..hit }, fact));
            answers.extend(shown.map(|one| Told { hit: Hit { score: best.max(share), ..one.hit }, ..one }));
        }
        Ok(answers)
    }
}

/// Returns the path in the vault of what was true before.
fn archive(app: &App) -> String {
    format!("{}/{ARCHIVE_SUPERSEDED}", app.settings.config.vault.memory_folder)
}

fn is_archive(archive: &str, hit: &Hit) -> bool {
    hit.collection == VAULT && hit.path == archive
}

/// Takes out of `hits` what is no longer true.
pub(super) fn without_superseded(app: &App, hits: &mut Vec<Hit>) {
    let archive = archive(app);
    hits.retain(|hit| !is_archive(&archive, hit));
}

/// Returns the superseded lines that answer a question, if it is one about the past, best first, and the archive's path.
pub(super) fn answers_about_past(app: &App, question: &str) -> Result<(String, Vec<Superseded>)> {
    if !asks_about_past(question) {
        return Ok((String::new(), Vec::new()));
    }
    let facts = memory::superseded(&app.memory_folder()?)?;
    let found = answering(&facts, question).into_iter().take(OF_A_PIECE).map(|(fact, _)| fact.clone()).collect();
    Ok((archive(app), found))
}

/// Lowers the scores of superseded lines to those of the hits that say what is true of the same subject, and puts them behind.
fn lower(told: &mut [Told]) {
    let is_true_of = |fact: &Told, note: &SupersededHit, other: &Told| {
        let said = normal(&other.hit.content);
        said.contains(&normal(&note.by))
            || other
                .hit
                .content
                .lines()
                .any(|line| same_subject(&fact.hit.content, line) || same_subject(&note.by, line))
    };
    let lowered: Vec<Option<f64>> = told
        .iter()
        .map(|fact| {
            let note = fact.superseded.as_ref()?;
            let same = told.iter().filter(|other| other.superseded.is_none() && is_true_of(fact, note, other));
            Some(same.map(|other| other.hit.score).fold(fact.hit.score, f64::min))
        })
        .collect();
    for (one, score) in told.iter_mut().zip(lowered) {
        one.hit.score = score.unwrap_or(one.hit.score);
    }
    told.sort_by(|one, other| {
        let by_score = other.hit.score.total_cmp(&one.hit.score);
        by_score.then(one.superseded.is_some().cmp(&other.superseded.is_some()))
    });
}

/// Whether a note is named for a day after `last`: a person's by the beginning of its name, and one that tars wrote also by the day
/// that it is of.
fn is_named_later(hit: &Hit, last: Date) -> bool {
    let name = hit.path.rsplit('/').next().unwrap_or(&hit.path);
    let named: Option<Date> = name.get(..10).and_then(|day| day.parse().ok());
    let of = hit.date.filter(|_| matches!(hit.memory_type, MemoryType::Daily | MemoryType::Episodic));
    named.or(of).is_some_and(|day| day > last)
}

/// Returns those of `lines` that hold most of what is sought, the best first; none where no line holds any of it.
fn held_by<'a, T>(lines: &[&'a T], words: &[Term], text: impl Fn(&T) -> String) -> Vec<&'a T> {
    let mut found: Vec<(&T, f64)> =
        lines.iter().map(|line| (*line, presence(&text(line), words).iter().sum())).collect();
    let best = found.iter().map(|(_, held)| *held).fold(0.0, f64::max);
    found.retain(|(_, held)| *held > 0.0 && *held >= best * AS_GOOD);
    found.sort_by(|one, other| other.1.total_cmp(&one.1));
    found.into_iter().map(|(line, _)| line).take(OF_A_PIECE).collect()
}

fn answers(fact: &Superseded, hit: &Hit) -> bool {
    fact.bullet.lines.contains(&hit.line.saturating_sub(1))
}

/// Returns a superseded line as a hit of its own, without the label below it.
fn shown(hit: &Hit, fact: &Superseded) -> Option<Told> {
    let first = fact.bullet.lines.start.checked_sub(hit.start_line - 1)?;
    let lines = fact.bullet.lines.len().saturating_sub(1).max(1);
    let mut hit = narrowed(hit, first..first + lines)?;
    if let Some((outer, _)) = hit.heading.rsplit_once(" > ") {
        hit.heading = format!("{outer} > {}", fact.bullet.heading);
    }
    Some(Told { hit, superseded: Some(fact.into()) })
}

/// Returns a hit with these of its lines alone, from 0; the first of them answers.
fn narrowed(hit: &Hit, lines: std::ops::Range<usize>) -> Option<Hit> {
    let content: Vec<&str> = hit.content.split('\n').skip(lines.start).take(lines.len()).collect();
    let start_line = hit.start_line + lines.start;
    let end_line = start_line + content.len().checked_sub(1)?;
    Some(Hit { start_line, end_line, line: start_line, content: content.join("\n"), ..hit.clone() })
}
