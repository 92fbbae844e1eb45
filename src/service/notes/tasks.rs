//! The tasks in all notes. Tars ticks none of them: `done` ticks open ends of the memory folder.

use jiff::civil::Date;
use jiff::{Span, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::listing_query;
use crate::{Refusal, Result, Service, UseCase};
use tars_base::domain::{Mode, one_line};
use tars_engine::search::{DateCondition, NoteTask, TaskConditions, TaskDate, TaskList, list_tasks, without_tokens};
use tars_store::FileDescription;
use tars_text::markdown::{self, Task, named_period};

/// Asks for tasks: boxes in the lists of notes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TasksRequest {
    /// The filters of docs/search.md for their notes, and conditions on their dates: `due:<week`, `due:today`, `scheduled:2026-12`,
    /// `due:none`. Other words and tags (`#home`, unlike `tag:home`) must be in the text of a task.
    pub query: String,
    /// Which of them.
    pub state: TaskSelection,
    /// Maximum number of tasks; all by default.
    pub limit: Option<usize>,
    /// Collections to look in; none means all.
    pub collections: Vec<String>,
}

/// Which tasks to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskSelection {
    /// Those to do.
    #[default]
    Open,
    /// Those that are done.
    Done,
    /// Those that were given up.
    Cancelled,
    /// All of them.
    All,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskState {
    /// It is to do.
    Open,
    /// It is done.
    Done,
    /// It was given up.
    Cancelled,
}

/// The tasks that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TasksResponse {
    /// By due date (those without one last), then by collection, path and line.
    pub tasks: Vec<ListedTask>,
    /// The number of further tasks.
    pub more: usize,
    /// Remarks for the person about how the query was understood, a line each.
    pub remarks: Vec<String>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedTask {
    /// Name of the collection.
    pub collection: String,
    /// Path of its note, relative to the collection's root.
    pub path: String,
    /// Its line.
    pub line: usize,
    /// The heading path above it; may be empty.
    pub heading: String,
    /// Its text, without signs and fields.
    pub text: String,
    /// How far it is.
    pub state: TaskState,
    /// When it is due.
    pub due: Option<Date>,
    /// When somebody means to work on it.
    pub scheduled: Option<Date>,
    /// The first day on which it can be done.
    pub start: Option<Date>,
    /// When it was written down.
    pub created: Option<Date>,
    /// When it was done.
    pub done: Option<Date>,
    /// When it was given up.
    pub cancelled: Option<Date>,
    /// How it recurs, as written.
    pub recurrence: Option<String>,
    /// `highest`, `high`, `medium`, `low` or `lowest`.
    pub priority: Option<String>,
}

impl UseCase for TasksRequest {
    type Response = TasksResponse;

    fn run(&self, service: &Service<'_>) -> Result<TasksResponse> {
        let today = service.app.environment.clock.today();
        let (mut dates, mut tags) = (Vec::new(), Vec::new());
        let text = without_tokens(&self.query, |token| {
            let (condition, tag) = (condition(token, today), token.strip_prefix('#').filter(|tag| !tag.is_empty()));
            let is_one = condition.is_some() || tag.is_some();
            dates.extend(condition);
            tags.extend(tag.map(str::to_lowercase));
            is_one
        });
        let dates = dates.into_iter().collect::<Result<Vec<_>, _>>()?;
        let state = match self.state {
            TaskSelection::Open => Some(markdown::TaskState::Open),
            TaskSelection::Done => Some(markdown::TaskState::Done),
            TaskSelection::Cancelled => Some(markdown::TaskState::Cancelled),
            TaskSelection::All => None,
        };
        let conditions = TaskConditions { state, dates };
        let query = listing_query(service, &text, &self.collections)?;
        let local = service.local(Mode::Keyword, true)?;
        let TaskList { notes, mut tasks, mut remarks } =
            local.read(&query, |reader, query| list_tasks(reader, query, &conditions))?;
        tasks.retain(|found| tags.iter().all(|tag| has_tag(&found.task.text, tag)));
        remarks.extend(local.degraded());
        let shown = self.limit.unwrap_or(tasks.len()).min(tasks.len());
        let more = tasks.len() - shown;
        let tasks = tasks.into_iter().take(shown).map(|task| ListedTask::of(&notes[task.note], task)).collect();
        Ok(TasksResponse { tasks, more, remarks })
    }
}

impl ListedTask {
    fn of(note: &FileDescription, found: NoteTask) -> Self {
        let state = match found.task.state() {
            markdown::TaskState::Open => TaskState::Open,
            markdown::TaskState::Done => TaskState::Done,
            markdown::TaskState::Cancelled => TaskState::Cancelled,
        };
        let Task { text, due, scheduled, start, created, done, cancelled, recurrence, priority, .. } = found.task;
        Self {
            collection: note.collection.clone(),
            path: note.path.clone(),
            line: found.line,
            heading: found.heading,
            text,
            state,
            due,
            scheduled,
            start,
            created,
            done,
            cancelled,
            recurrence,
            priority: priority.map(str::to_owned),
        }
    }
}

/// Whether a task's text has a tag, or one below it: `#home` and `#home/garden` for `home`.
fn has_tag(text: &str, tag: &str) -> bool {
    text.split_whitespace().filter_map(|word| word.strip_prefix('#')).any(|word| {
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        word.strip_prefix(tag).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Reads a condition on a date; `None` if the token is none. A date alone (`due:`) only requires that there is one. A dash
/// before a condition is an error: `due:none` says what `-due:` would.
fn condition(token: &str, today: Date) -> Option<Result<DateCondition, Refusal>> {
    let (key, value) = token.split_once(':')?;
    let (is_excluded, key) = key.strip_prefix('-').map_or((false, key), |key| (true, key));
    let of = match key {
        "due" => TaskDate::Due,
        "scheduled" => TaskDate::Scheduled,
        "start" => TaskDate::Start,
        "created" => TaskDate::Created,
        "done" | "completed" => TaskDate::Done,
        _ => return None,
    };
    let days = match value.trim_matches(['"', '\'']) {
        _ if is_excluded => None,
        "" => Some(Some((Date::MIN, Date::MAX))),
        "none" => Some(None),
        value => days(value, today).map(Some),
    };
    Some(days.map(|days| DateCondition { of, days }).ok_or_else(|| Refusal {
        message: format!("'{}' names no day", one_line(token, 80)),
        hint: format!(
            "'{key}:<week' (less than a week from now), {key}:today, '{key}:<2026-12-24', {key}:2026-12 or {key}:none"
        ),
    }))
}

/// Returns the first and last day that a value admits. A length of time (`week`, `10d`) counts from today; `<` then means less than that
/// ahead, days that are past included. Before and after any other period mean before its first and after its last day.
fn days(value: &str, today: Date) -> Option<(Date, Date)> {
    let (sign, value) = ["<=", ">=", "<", ">"]
        .into_iter()
        .find_map(|sign| Some((sign, value.strip_prefix(sign)?)))
        .unwrap_or(("", value));
    if let Some(span) = length(value) {
        let end = today.checked_add(span).ok()?;
        return Some(match sign {
            "<" => (Date::MIN, end.yesterday().ok()?),
            "<=" => (Date::MIN, end),
            ">" => (end.tomorrow().ok()?, Date::MAX),
            ">=" => (end, Date::MAX),
            _ => (today, end.yesterday().ok()?),
        });
    }
    let (first, last) = match value {
        "tomorrow" => (today.tomorrow().ok()?, today.tomorrow().ok()?),
        _ => {
            let has_digits = value.bytes().any(|byte| byte.is_ascii_digit());
            let value = if has_digits { value.to_owned() } else { value.replace('-', " ") };
            let period = named_period(&value, today)?;
            (period.first, period.last)
        }
    };
    Some(match sign {
        "<" => (Date::MIN, first.yesterday().ok()?),
        "<=" => (Date::MIN, last),
        ">" => (last.tomorrow().ok()?, Date::MAX),
        ">=" => (first, Date::MAX),
        _ => (first, last),
    })
}

/// Reads a length of time: `week`, `month`, `10d`, `2w`, `3m`.
fn length(value: &str) -> Option<Span> {
    let (number, unit) = value.split_at(value.find(|c: char| !c.is_ascii_digit())?);
    let number: i64 = if number.is_empty() { 1 } else { number.parse().ok().filter(|number| *number < 10_000)? };
    Some(match unit {
        "d" | "day" | "days" => number.days(),
        "w" | "week" | "weeks" => number.weeks(),
        "m" | "month" | "months" => number.months(),
        "y" | "year" | "years" => number.years(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn conditions_on_dates_are_read() {
        // A Friday.
        let today = date(2026, 11, 27);
        let read = |token: &str| {
            condition(token, today).map(|read| read.map(|one| one.days.map(|(first, last)| format!("{first}..{last}"))))
        };
        let (min, max) = (Date::MIN, Date::MAX);
        for (token, expected) in [
            ("due:<week", format!("{min}..2026-12-03")),
            ("due:>week", format!("2026-12-05..{max}")),
            ("due:week", "2026-11-27..2026-12-03".into()),
            ("due:10d", "2026-11-27..2026-12-06".into()),
            ("due:<today", format!("{min}..2026-11-26")),
            ("due:tomorrow", "2026-11-28..2026-11-28".into()),
            ("scheduled:2026-12", "2026-12-01..2026-12-31".into()),
            ("done:this-week", "2026-11-23..2026-11-29".into()),
            ("due:<=2026-12-24", format!("{min}..2026-12-24")),
            ("due:", format!("{min}..{max}")),
        ] {
            assert_eq!(read(token).map(|read| read.ok()), Some(Some(Some(expected))), "{token}");
        }
        assert_eq!(read("due:none").map(|read| read.ok()), Some(Some(None)));
        for wrong in ["due:<soon", "due:99999999999999999999w", "-due:none"] {
            assert!(read(wrong).is_some_and(|read| read.is_err()), "{wrong}");
        }
        for other in ["tag:work", "due", "path:due"] {
            assert!(read(other).is_none(), "{other}");
        }
    }
}
