//! Reads and writes the assistant's observations: `soul/observations.md`, one bullet each, newest last.
//!
//! ```text
//! # Observations
//!
//! - 2026-03-14 09:20 Asks for sources before decisions. (importance 4)
//! - [x] 2026-03-14 18:05 The pump may be too small. (resolved 2026-03-16: it was the filter)
//!
//! ## Still open
//! - 2026-02-02 10:00 Wants to move the archive off the old disk.
//!
//! ## Earlier
//! - February 2026: 12 observations; Wants to move the archive off the old disk
//! ```
//!
//! Lines above the first `##` are recent. `Still open` holds condensed observations that are open. Sections with other names belong to a
//! person and stay untouched.

use std::collections::HashMap;
use std::ops::Range;

use jiff::civil::{Date, DateTime};

use super::OBSERVATIONS;
use crate::MemoryError;
use crate::bullet::{Bullet, bullets, headings};
use crate::file::append_above_sections;
use crate::likeness::normalized;
use tars_base::domain::{ContentHash, collapse_whitespace, hex};
use tars_text::markdown::list_item;
use tars_vault::{Lines, Splice, Writer};

/// Maximum length of an observation, in characters. A longer text belongs in a file of its own.
pub const MAX_OBSERVATION_LENGTH: usize = 600;
/// Number of recent observations that condensing leaves alone.
pub(super) const RECENT_COUNT: usize = 10;
/// Section of condensed observations that are open.
pub(super) const STILL_OPEN: &str = "Still open";
/// Number of characters of the text that the id is computed from. Shortening keeps at least this many.
const ID_TEXT_LENGTH: usize = 50;
const TIME: &str = "%Y-%m-%d %H:%M";

/// An observation of the assistant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Eight hexadecimal digits: a hash of its time and the start of its text. Resolving and condensing keep the id.
    pub id: String,
    /// Time of the observation; `None` if a person wrote it without a time.
    pub time: Option<DateTime>,
    /// The text, in one line.
    pub text: String,
    /// From 1 to 5, if given.
    pub importance: Option<u8>,
    /// How it was resolved, `2026-03-16: it was the filter`; `None` while it is open.
    pub resolved: Option<String>,
    /// Whether it was condensed and carried over to `Still open`.
    pub is_carried: bool,
    /// Its line numbers, from 0.
    pub(super) lines: Range<usize>,
}

impl Observation {
    /// Returns an observation made at `now`.
    pub fn new(text: &str, importance: Option<u8>, now: DateTime) -> Self {
        let text = collapse_whitespace(text);
        // A comment would hide the text behind it.
        let text = text.replace("<!--", "< !--").replace("-->", "-- >");
        let line = Self { importance, ..Self::read(&text, 0..0) }.with_time(Some(now)).line();
        Self::read(list_item(&line).unwrap_or(&line), 0..0)
    }

    fn with_time(self, time: Option<DateTime>) -> Self {
        Self { time, ..self }
    }

    /// Parses a bullet's text.
    fn read(said: &str, lines: Range<usize>) -> Self {
        let said = collapse_whitespace(said);
        let (is_done, rest) =
            match ["[x] ", "[X] ", "[ ] "].iter().find_map(|mark| Some((mark, said.strip_prefix(mark)?))) {
                Some((mark, rest)) => (*mark != "[ ] ", rest),
                None => (false, said.as_str()),
            };
        let (rest, how) = match rest.rsplit_once(" (resolved ").filter(|(_, how)| is_done && how.ends_with(')')) {
            Some((rest, how)) => (rest, how.trim_end_matches(')')),
            None => (rest, ""),
        };
        let marked = rest.rsplit_once(" (importance ").and_then(|(rest, number)| {
            let number = number.strip_suffix(')')?.parse().ok()?;
            (1..=5).contains(&number).then_some((rest, number))
        });
        let (rest, importance) = marked.map_or((rest, None), |(rest, number)| (rest, Some(number)));
        let time = rest.get(..16).and_then(|time| DateTime::strptime(TIME, time).ok());
        let text = if time.is_some() { rest[16..].trim_start() } else { rest };
        Self {
            id: String::new(),
            time,
            text: text.to_owned(),
            importance,
            resolved: is_done.then(|| how.to_owned()),
            is_carried: false,
            lines,
        }
    }

    /// Returns the observation as a line of the file.
    pub(super) fn line(&self) -> String {
        let mut line = "- ".to_owned();
        if self.resolved.is_some() {
            line.push_str("[x] ");
        }
        if let Some(time) = self.time {
            line.push_str(&format!("{} ", time.strftime(TIME)));
        }
        line.push_str(&self.text);
        if let Some(number) = self.importance {
            line.push_str(&format!(" (importance {number})"));
        }
        if let Some(how) = self.resolved.as_ref().filter(|how| !how.is_empty()) {
            line.push_str(&format!(" (resolved {how})"));
        }
        line
    }

    /// Whether it is unresolved.
    pub fn is_open(&self) -> bool {
        self.resolved.is_none()
    }
}

/// Returns the observations of the file in order.
pub fn observations(lines: &Lines<'_>) -> Vec<Observation> {
    let below = first_section(lines);
    let outermost = bullets(OBSERVATIONS, lines).into_iter().filter(|bullet| bullet.indent == 0);
    let is_meant =
        |bullet: &Bullet| bullet.lines.start < below || normalized(&bullet.heading) == normalized(STILL_OPEN);
    let mut twins: HashMap<(Option<DateTime>, String), u32> = HashMap::new();
    let read = |bullet: Bullet| {
        let is_carried = bullet.lines.start >= below;
        let found = Observation { is_carried, ..Observation::read(&bullet.text, bullet.lines) };
        let beginning = normalized(&found.text.chars().take(ID_TEXT_LENGTH).collect::<String>());
        let twin = twins.entry((found.time, beginning.clone())).or_default();
        let number = twin.to_le_bytes();
        *twin += 1;
        let time = found.time.map(|time| time.to_string()).unwrap_or_default();
        let hash = ContentHash::of_parts([time.as_bytes(), beginning.as_bytes(), number.as_slice()]);
        Observation { id: hex(&hash.as_bytes()[..Bullet::ID_LENGTH / 2]), ..found }
    };
    outermost.filter(is_meant).map(read).collect()
}

/// Returns the line of the first `##` heading; the number of lines if there is none.
fn first_section(lines: &Lines<'_>) -> usize {
    let found = headings(lines).into_iter().find(|(at, _)| lines.line(*at).starts_with("## "));
    found.map_or(lines.len(), |(at, _)| at)
}

/// Writes an observation. It is skipped if one of the newest open observations has the same text. Returns the stored observation, and
/// whether it was known.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn observe(writer: &mut Writer<'_>, said: &Observation) -> Result<(Observation, bool), MemoryError> {
    let mut stands = (said.clone(), false);
    writer.edit(OBSERVATIONS, |lines| {
        let known = observations(lines);
        let mut newest =
            known.iter().rev().filter(|one| !one.is_carried).take(RECENT_COUNT).filter(|one| one.is_open());
        if let Some(known) = newest.find(|known| normalized(&known.text) == normalized(&said.text)) {
            stands = (known.clone(), true);
            return Vec::new();
        }
        let splice = append_above_sections(lines, "Observations", vec![said.line()]);
        let after = lines.spliced(std::slice::from_ref(&splice));
        let end = splice.at + splice.insert.len();
        let found = observations(&Lines::of(&after)).into_iter().find(|one| one.lines.contains(&(end - 1)));
        stands = (found.unwrap_or_else(|| said.clone()), false);
        vec![splice]
    })?;
    Ok(stands)
}

/// Resolves an open observation on `today`. Its line stays. Returns the observation in its new form; `None` if no open observation has
/// this id.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn resolve(
    writer: &mut Writer<'_>,
    id: &str,
    how: Option<&str>,
    today: Date,
) -> Result<Option<Observation>, MemoryError> {
    let mut stands = None;
    writer.edit(OBSERVATIONS, |lines| {
        let Some(found) = observations(lines).into_iter().find(|one| one.id == id && one.is_open()) else {
            stands = None;
            return Vec::new();
        };
        let how = how.map(|how| format!(": {how}")).unwrap_or_default();
        let at = found.lines.start;
        // If a person wrote the observation over several lines, the first line is marked.
        let first = lines.line(at);
        let said = list_item(first.trim()).unwrap_or(&found.text);
        let said = said.strip_prefix("[ ] ").unwrap_or(said);
        let resolved = format!("{today}{how}");
        let line = format!("- [x] {} (resolved {resolved})", said.trim_end());
        stands = Some(Observation { resolved: Some(resolved), ..found });
        vec![Splice { at, remove: 1, insert: vec![line] }]
    })?;
    Ok(stands)
}
