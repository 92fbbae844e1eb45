//! The daily logs line by line, newest day first.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::daily::day;
use super::sessions::SessionLine;
use crate::{Result, Service, UseCase};
use tars_memory::LogLine;
use tars_vault::MemoryFolder;

/// Default and maximum number of days.
const DAYS: usize = 14;
const MAX_DAYS: usize = 100;

/// Asks for the content of the daily logs, newest day first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TimelineRequest {
    /// The last day: a date, or words such as `yesterday`; the newest day by default.
    pub until: Option<String>,
    /// Number of days with a log or a session: 14 by default, 100 at most.
    pub days: Option<usize>,
}

/// Days with their notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimelineResponse {
    /// The days, newest first.
    pub days: Vec<TimelineDay>,
    /// The next older day with a log or a session; `None` if there is none.
    pub earlier: Option<Date>,
}

/// A day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimelineDay {
    /// The date.
    pub day: Date,
    /// Its log, relative to the vault; `None` for a day that has only session logs.
    pub path: Option<String>,
    /// The lines of the log, in order.
    pub entries: Vec<TimelineEntry>,
    /// Session logs that began on that day, newest first.
    pub sessions: Vec<SessionLine>,
}

/// A line of a daily log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimelineEntry {
    /// Its number in the file, from 1.
    pub line: usize,
    /// Its time of day, `10:42`.
    pub time: Option<String>,
    /// Its source: the word in brackets before it.
    pub channel: Option<String>,
    /// The heading above it; empty for the heading of the day.
    pub heading: String,
    /// The project of its session.
    pub project: Option<String>,
    /// The short id of its session.
    pub session: Option<String>,
    /// Short ids of the session's noted turns.
    pub turns: Vec<String>,
    /// The transcript of its session, once the session's log names it.
    pub transcript: Option<String>,
    /// The kind of outcome, in a section of a session: `Decided`, `Found`, `Open` and so on.
    pub outcome: Option<&'static str>,
    /// Whether it is a closed open end.
    pub is_ticked: bool,
    /// Its text, without time, channel and label.
    pub text: String,
}

impl UseCase for TimelineRequest {
    type Response = TimelineResponse;

    fn run(&self, service: &Service<'_>) -> Result<TimelineResponse> {
        let folder = service.app.memory_folder()?;
        let today = service.app.environment.clock.today();
        let until = self.until.as_deref().map(|word| day(Some(word), today)).transpose()?.unwrap_or(Date::MAX);
        let sessions = tars_memory::sessions(&folder, "")?;
        let mut days = tars_memory::logged_days(&folder)?;
        days.extend(sessions.iter().filter_map(|session| Some(session.began?.date())));
        days.retain(|day| *day <= until);
        days.sort_unstable_by(|one, other| other.cmp(one));
        days.dedup();
        let shown = self.days.unwrap_or(DAYS).clamp(1, MAX_DAYS).min(days.len());
        let earlier = days.get(shown).copied();
        let logged = tars_memory::logged_transcripts(&folder)?.into_iter();
        let transcripts: BTreeMap<String, String> =
            logged.map(|(session, path)| (tars_memory::short_session(&session), path)).collect();
        let mut days: Vec<TimelineDay> = days[..shown]
            .iter()
            .map(|day| timeline_day(&folder, *day, &sessions, &transcripts))
            .collect::<Result<_>>()?;
        // A private log does not exist for some callers.
        days.retain(|day| day.path.is_some() || !day.sessions.is_empty());
        Ok(TimelineResponse { days, earlier })
    }
}

fn timeline_day(
    folder: &MemoryFolder,
    day: Date,
    sessions: &[tars_memory::Session],
    transcripts: &BTreeMap<String, String>,
) -> Result<TimelineDay> {
    let name = tars_memory::day_file(folder, day)?;
    let bytes = folder.read(&name)?;
    let raw = bytes.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    let raw: Vec<&str> = raw.lines().collect();
    let noted = bytes.as_deref().map(tars_memory::log_lines).unwrap_or_default();
    let of_day = sessions.iter().filter(|session| session.began.is_some_and(|began| began.date() == day));
    Ok(TimelineDay {
        day,
        path: bytes.is_some().then(|| folder.vault_path(&name)),
        entries: noted.into_iter().map(|line| entry(&raw, line, day, transcripts)).collect(),
        sessions: of_day.map(|session| SessionLine::new(folder, session.clone())).collect(),
    })
}

fn entry(raw: &[&str], line: LogLine, day: Date, transcripts: &BTreeMap<String, String>) -> TimelineEntry {
    let LogLine { number, section, kind, is_ticked, text, .. } = line;
    let (channel, text) = match text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((channel, rest)) if kind.is_none() && !channel.contains(['[', ']']) => (Some(channel.to_owned()), rest),
        _ => (None, text.as_str()),
    };
    let anchor = section.anchor.as_ref();
    TimelineEntry {
        line: number,
        time: raw.get(number - 1).and_then(|line| tars_memory::time_of(line)).map(str::to_owned),
        channel,
        heading: if section.heading == day.to_string() { String::new() } else { section.heading.clone() },
        project: section.project.name.clone(),
        session: anchor.map(|anchor| anchor.session.clone()),
        turns: anchor.map(|anchor| anchor.turns.clone()).unwrap_or_default(),
        transcript: anchor
            .and_then(|anchor| anchor.transcript.clone().or_else(|| transcripts.get(&anchor.session).cloned())),
        outcome: kind.map(tars_base::domain::OutcomeKind::label),
        is_ticked,
        text: text.to_owned(),
    }
}
