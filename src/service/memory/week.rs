//! A review of seven days.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use super::daily::day;
use crate::{DailyNote, Result, Service, UseCase};
use tars_base::domain::{DateRange, with_branch};
use tars_memory::Bullet;
use tars_memory::upkeep;
use tars_text::markdown::{list_item, without_comments};
use tars_vault::MemoryFolder;

/// Asks for the review of seven days.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WeekRequest {
    /// The last day: a date, or words such as `yesterday`; today by default.
    pub day: Option<String>,
    /// Lines to remove.
    pub remove: Vec<MemoryLine>,
    /// Open ends to tick.
    pub tick: Vec<MemoryLine>,
}

/// The review of seven days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WeekResponse {
    /// The first of the days.
    pub first: Date,
    /// The last one.
    pub last: Date,
    /// Decisions that are still in force.
    pub decided: Vec<WeekLine>,
    /// Open ends.
    pub open: Vec<WeekLine>,
    /// Lines that a decision of these days contradicts.
    pub contradicted: Vec<ContradictedLine>,
    /// Lines that wait for a review.
    pub review: Vec<WaitingLine>,
    /// Lines of these days that no session noted: what a person or an agent wrote down, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<WeekLine>,
    /// Lines that were removed.
    pub removed: Vec<MemoryLine>,
    /// Open ends that were ticked.
    pub ticked: Vec<MemoryLine>,
    /// The person's own daily notes of these days, which tars only reads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<OwnNote>,
}

/// A person's own note of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OwnNote {
    /// The day.
    pub day: Date,
    /// Path relative to the vault.
    pub path: String,
    /// Its first line that is neither a heading nor a task; empty if there is none.
    pub begins: String,
    /// Its open tasks.
    pub open: Vec<String>,
}

/// A line with its day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WeekLine {
    /// Its day; `None` for a fact without a day.
    pub day: Option<Date>,
    /// The project of its session.
    pub project: Option<String>,
    /// Its text, without time and label, with the side branch of a decision.
    pub said: String,
    /// The line as in the file.
    #[serde(flatten)]
    pub line: MemoryLine,
}

/// A line that a later one contradicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContradictedLine {
    /// The earlier line.
    pub earlier: WeekLine,
    /// The decision that contradicts it.
    pub later: WeekLine,
}

/// A line that waits for a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WaitingLine {
    /// `correction`, `reward` or `extracted`.
    pub source: &'static str,
    /// The line.
    #[serde(flatten)]
    pub line: WeekLine,
}

impl UseCase for WeekRequest {
    type Response = WeekResponse;

    fn run(&self, service: &Service<'_>) -> Result<WeekResponse> {
        let app = service.app;
        let folder = app.memory_folder()?;
        let last = day(self.day.as_deref(), app.environment.clock.now().date())?;
        let unwanted = bullets_of_lines(&folder, &self.remove)?;
        let done = with_equal(&folder, bullets_of_lines(&folder, &self.tick)?)?;
        let ticked = match done.is_empty() {
            true => Vec::new(),
            false => tars_memory::tick(&mut service.writer(&folder, "week")?, &done)?,
        };
        let removed = match unwanted.is_empty() {
            true => Vec::new(),
            false => tars_memory::remove_bullets(&mut service.writer(&folder, "week")?, &unwanted)?,
        };
        let week = upkeep::week(&folder, last)?;
        let days = DateRange { first: week.first, last };
        let now = app.environment.clock.now();
        let mut added = upkeep::week_added(&folder, days, &app.journal(&folder)?.entries()?, now.time_zone())?;
        added.retain(|line| week.review.iter().all(|(_, waiting)| waiting.bullet.id != line.bullet.id));
        let line = |line: upkeep::WeekLine| WeekLine {
            day: line.day,
            project: line.project.name,
            said: line.branch.map_or_else(|| line.text.clone(), |branch| with_branch(&line.text, &branch)),
            line: MemoryLine::new(&folder, &line.bullet),
        };
        let contradicted = week.contradicted.into_iter();
        let review = week.review.into_iter();
        Ok(WeekResponse {
            first: week.first,
            last: week.last,
            decided: week.decided.into_iter().map(line).collect(),
            open: week.open.into_iter().map(line).collect(),
            contradicted: contradicted
                .map(|(earlier, later)| ContradictedLine { earlier: line(earlier), later: line(later) })
                .collect(),
            review: review.map(|(source, found)| WaitingLine { source: source.as_str(), line: line(found) }).collect(),
            added: added.into_iter().map(line).collect(),
            removed: MemoryLine::list(&folder, &removed),
            ticked: MemoryLine::list(&folder, &ticked),
            notes: app.daily_notes(&folder, days)?.into_iter().map(OwnNote::of).collect(),
        })
    }
}

impl OwnNote {
    fn of(note: DailyNote) -> Self {
        // A template's comment says nothing about the day.
        let text = without_comments(&note.text);
        let lines = || text.lines().map(str::trim).map(|line| list_item(line).unwrap_or(line));
        let task = |line: &'_ str| line.starts_with('[') && line.get(2..3) == Some("]");
        let begins = lines().find(|line| line.contains(char::is_alphanumeric) && !line.starts_with('#') && !task(line));
        let open = lines().filter_map(|line| line.strip_prefix("[ ]")).map(str::trim).filter(|said| !said.is_empty());
        Self {
            begins: begins.unwrap_or_default().to_owned(),
            open: open.map(str::to_owned).collect(),
            day: note.day,
            path: note.path,
        }
    }
}

/// Returns open ends with the lines of earlier days that say the same.
fn with_equal(folder: &MemoryFolder, ends: Vec<Bullet>) -> Result<Vec<Bullet>> {
    if ends.is_empty() {
        return Ok(ends);
    }
    let open = tars_memory::open_ends(folder, Date::MIN)?.into_iter().filter(|end| ends.contains(&end.bullet));
    let earlier: Vec<Bullet> = open.flat_map(|end| end.earlier).filter(|bullet| !ends.contains(bullet)).collect();
    Ok(ends.into_iter().chain(earlier).collect())
}

/// Returns the bullets of these lines that still exist.
fn bullets_of_lines(folder: &MemoryFolder, lines: &[MemoryLine]) -> Result<Vec<Bullet>> {
    let mut found: Vec<Bullet> = Vec::new();
    for line in lines {
        let Some(file) = folder.relative_name(&line.path) else { continue };
        found.extend(tars_memory::bullets_of(folder, file)?.into_iter().filter(|bullet| line.names(folder, bullet)));
    }
    found.dedup();
    Ok(found)
}
