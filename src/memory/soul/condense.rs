//! Summing up what was noticed earlier, so that the file stays short.
//!
//! The ten newest observations stay. The full text of the others goes to `observations_archive.md`, a line a month to `Earlier`, and
//! those that are open to `Still open`, with the beginning of their text. Nothing is lost: each stands in one of the two files.

use std::collections::BTreeMap;
use std::ops::Range;

use super::observation::{KEPT, Observation, STILL_OPEN, observations};
use super::{OBSERVATIONS, OBSERVATIONS_ARCHIVE};
use crate::digest::shortened;
use crate::domain::{ApproximateTokens, CountTokens, count};
use crate::memory::MemoryError;
use crate::memory::bullet::{bullets, headings};
use crate::memory::file::under;
use crate::memory::likeness::normal;
use crate::vault::{Lines, Splice, Writer};

/// Observations that are too many.
const MANY: usize = 20;
/// Tokens that are too many.
const MANY_TOKENS: usize = 800;
/// The section of what was summed up, a line a month.
const EARLIER: &str = "Earlier";
/// Longest line of one that is still open, and longest piece of it in the line of its month, in characters.
const LONGEST_OPEN: usize = 120;
const LONGEST_PIECE: usize = 60;
/// Pieces in the line of a month at most.
const PIECES: usize = 4;
/// Longest summary of a model, in characters.
const LONGEST_SUMMARY: usize = 800;

/// What was summed up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condensed {
    /// How many observations went to the archive.
    pub archived: usize,
    /// How many of them are open, and stay in the file.
    pub still_open: usize,
}

/// What is to be done with the file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    /// The lines that go to the archive, by month.
    archived: BTreeMap<String, Vec<String>>,
    splices: Vec<Splice>,
    done: Condensed,
}

/// Returns the observations that would be summed up now, oldest first; none while the file is short.
pub fn condensable(lines: &Lines<'_>) -> Vec<Observation> {
    let recent: Vec<Observation> = observations(lines).into_iter().filter(|one| !one.is_carried).collect();
    let texts = recent.iter().map(|one| raw(lines, &one.lines).join("\n")).collect::<Vec<_>>().join("\n");
    let is_long = recent.len() > MANY || ApproximateTokens.count(&texts) > MANY_TOKENS;
    let older = recent.len().saturating_sub(KEPT);
    // Bytes that are no text would not arrive as they are.
    let arrives = |one: &Observation| !raw(lines, &one.lines).iter().any(|line| line.contains('\u{fffd}'));
    if is_long { recent.into_iter().take(older).filter(arrives).collect() } else { Vec::new() }
}

/// Sums up what was noticed earlier if the file has grown long, in the words of `summary` or else by rules. `None` if there was nothing
/// to do.
///
/// # Errors
/// See [`crate::vault::WriteError`].
pub fn condense(writer: &mut Writer<'_>, summary: Option<&str>) -> Result<Option<Condensed>, MemoryError> {
    let bytes = writer.folder().read(OBSERVATIONS)?.unwrap_or_default();
    let Some(plan) = plan(&Lines::of(&bytes), summary) else { return Ok(None) };
    // First to the archive: whatever ends it here leaves a line twice rather than nowhere.
    for (month, kept) in &plan.archived {
        writer.edit(OBSERVATIONS_ARCHIVE, |known| vec![under(known, "Observations, archived", month, kept.clone())])?;
    }
    let mut is_done = false;
    writer.edit(OBSERVATIONS, |lines| {
        // An editor may have saved the file meanwhile: then it is summed up another time.
        let now = super::condense::plan(lines, summary).filter(|now| now.archived == plan.archived);
        is_done = now.is_some();
        now.map(|now| now.splices).unwrap_or_default()
    })?;
    Ok(is_done.then_some(plan.done))
}

fn plan(lines: &Lines<'_>, summary: Option<&str>) -> Option<Plan> {
    let older = condensable(lines);
    if older.is_empty() {
        return None;
    }
    let mut plan = Plan::default();
    let settled: Vec<Observation> =
        observations(lines).into_iter().filter(|one| one.is_carried && !one.is_open()).collect();
    for one in older.iter().chain(&settled) {
        plan.archived.entry(month_key(one)).or_default().extend(raw(lines, &one.lines));
        plan.splices.push(Splice { at: one.lines.start, remove: one.lines.len(), insert: Vec::new() });
    }
    let open = older.iter().filter(|one| one.is_open());
    let carried: Vec<String> =
        open.map(|one| Observation { text: shortened(&one.text, LONGEST_OPEN), ..one.clone() }.line()).collect();
    plan.done = Condensed { archived: older.len(), still_open: carried.len() };
    let mut added: Vec<String> = Vec::new();
    match summary {
        Some(summary) => added.push(said_by_model(&older, summary)),
        None => by_month(lines, &older, &mut plan.splices, &mut added),
    }
    let mut sections = [(STILL_OPEN, carried), (EARLIER, added)];
    // Where `Still open` is new behind an `Earlier` that is there, both go to the end of the file: the line of `Earlier` first.
    if headings(lines).iter().any(|(_, name)| is_earlier(name)) {
        sections.reverse();
    }
    let sections = sections.into_iter().filter(|(_, added)| !added.is_empty());
    plan.splices.extend(sections.map(|(section, added)| under(lines, "Observations", section, added)));
    Some(plan)
}

fn said_by_model(older: &[Observation], summary: &str) -> String {
    let days: Vec<String> = older.iter().filter_map(|one| one.time).map(|time| time.date().to_string()).collect();
    let days = match (days.iter().min(), days.iter().max()) {
        (Some(first), Some(last)) if first == last => first.clone(),
        (Some(first), Some(last)) => format!("{first} to {last}"),
        _ => "Undated".into(),
    };
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ").replace("<!--", "< !--");
    format!("- {days}: {}; {}", count(older.len(), "observation"), shortened(&summary, LONGEST_SUMMARY))
}

/// Adds each month's line to those that come new, or changes the line that the month has.
fn by_month(lines: &Lines<'_>, older: &[Observation], splices: &mut Vec<Splice>, added: &mut Vec<String>) {
    let earlier: Vec<_> = bullets(OBSERVATIONS, lines)
        .into_iter()
        .filter(|known| is_earlier(&known.heading) && known.indent == 0)
        .collect();
    let mut months: BTreeMap<String, Vec<&Observation>> = BTreeMap::new();
    for one in older {
        months.entry(month_key(one)).or_default().push(one);
    }
    for of_month in months.values_mut() {
        let name = of_month[0].time.map_or_else(|| "Undated".to_owned(), |time| time.strftime("%B %Y").to_string());
        let mut number = of_month.len();
        let known = earlier.iter().find_map(|line| {
            let (known, pieces) = counted(line.text.strip_prefix(&format!("{name}: "))?)?;
            (line.lines.len() == 1).then_some((line.lines.start, known, pieces))
        });
        let mut pieces: Vec<String> = Vec::new();
        if let Some((_, before, said)) = &known {
            number += before;
            pieces.extend(said.split("; ").filter(|piece| !piece.is_empty()).map(str::to_owned));
        }
        // What matters most first, then what is open, then the newest.
        of_month.sort_by_key(|one| std::cmp::Reverse((one.importance.unwrap_or(0), one.is_open(), one.time)));
        pieces.extend(of_month.iter().map(|one| shortened(&one.text.replace(';', ","), LONGEST_PIECE)));
        pieces.truncate(PIECES);
        let line = format!("- {name}: {}; {}", count(number, "observation"), pieces.join("; "));
        match known {
            Some((at, ..)) => splices.push(Splice { at, remove: 1, insert: vec![line] }),
            None => added.push(line),
        }
    }
}

/// Whether a heading is the one of what was summed up, however a person has written it.
fn is_earlier(heading: &str) -> bool {
    normal(heading) == normal(EARLIER)
}

/// Reads what stands behind the name of a month: how many there were, and what is said of them.
fn counted(said: &str) -> Option<(usize, &str)> {
    let (number, rest) = said.split_once(' ')?;
    let (noun, pieces) = rest.split_once(';').unwrap_or((rest, ""));
    ["observation", "observations"].contains(&noun).then_some((number.parse().ok()?, pieces.trim()))
}

fn month_key(one: &Observation) -> String {
    one.time.map_or_else(|| "Undated".to_owned(), |time| time.strftime("%Y-%m").to_string())
}

fn raw(lines: &Lines<'_>, range: &Range<usize>) -> Vec<String> {
    range.clone().map(|line| lines.line(line).into_owned()).collect()
}

#[cfg(test)]
mod tests;
