//! Condenses older observations, so that the file stays short.
//!
//! The ten newest observations stay. The full text of the others moves to `observations_archive.md`. `Earlier` receives one line per
//! month, and `Still open` receives the shortened text of those that are open. Each observation stays in at least one of the two files.

use std::collections::BTreeMap;
use std::ops::Range;

use super::observation::{Observation, RECENT_COUNT, STILL_OPEN, observations};
use super::{OBSERVATIONS, OBSERVATIONS_ARCHIVE};
use crate::MemoryError;
use crate::bullet::{bullets, headings};
use crate::file::append_to_section;
use crate::likeness::normalized;
use tars_base::domain::{ApproximateTokens, CountTokens, collapse_whitespace, pluralize};
use tars_text::cleaning::truncated;
use tars_vault::{Lines, Splice, Writer};

/// Number of observations beyond which the file is condensed.
const MAX_OBSERVATIONS: usize = 20;
/// Number of tokens beyond which the file is condensed.
const MAX_TOKENS: usize = 800;
/// Section of the summaries, one line per month.
const EARLIER: &str = "Earlier";
/// Maximum length of a carried open observation, and of one observation in a month's line, in characters.
const MAX_OPEN_LENGTH: usize = 120;
const MAX_PIECE_LENGTH: usize = 60;
/// Maximum number of observations quoted in a month's line.
const MAX_PIECES: usize = 4;
/// Maximum length of a model's summary, in characters.
const MAX_SUMMARY_LENGTH: usize = 800;

/// Counts of what was condensed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condensed {
    /// Number of archived observations.
    pub archived: usize,
    /// Number of archived observations that are open and stay in the file.
    pub still_open: usize,
}

/// The planned changes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    /// The lines to archive, by month.
    archived: BTreeMap<String, Vec<String>>,
    splices: Vec<Splice>,
    done: Condensed,
}

/// Returns the observations that would be condensed now, oldest first; none while the file is short.
pub fn condensable(lines: &Lines<'_>) -> Vec<Observation> {
    let recent: Vec<Observation> = observations(lines).into_iter().filter(|one| !one.is_carried).collect();
    let texts = recent.iter().map(|one| raw_lines(lines, &one.lines).join("\n")).collect::<Vec<_>>().join("\n");
    let is_long = recent.len() > MAX_OBSERVATIONS || ApproximateTokens.count(&texts) > MAX_TOKENS;
    let older = recent.len().saturating_sub(RECENT_COUNT);
    // Lines that are not UTF-8 would change on the way to the archive.
    let arrives = |one: &Observation| !raw_lines(lines, &one.lines).iter().any(|line| line.contains('\u{fffd}'));
    if is_long { recent.into_iter().take(older).filter(arrives).collect() } else { Vec::new() }
}

/// Condenses older observations if the file is too long: with `summary` if given, else by rules. Returns `None` if there is nothing to do.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn condense(writer: &mut Writer<'_>, summary: Option<&str>) -> Result<Option<Condensed>, MemoryError> {
    let bytes = writer.folder().read(OBSERVATIONS)?.unwrap_or_default();
    let Some(plan) = plan(&Lines::of(&bytes), summary) else { return Ok(None) };
    // The archive is written first: an interruption duplicates a line rather than losing it.
    for (month, kept) in &plan.archived {
        writer.edit(OBSERVATIONS_ARCHIVE, |known| {
            vec![append_to_section(known, "Observations, archived", month, kept.clone())]
        })?;
    }
    let mut is_done = false;
    writer.edit(OBSERVATIONS, |lines| {
        // If an editor saved the file in the meantime, a later call condenses it.
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
        plan.archived.entry(month_key(one)).or_default().extend(raw_lines(lines, &one.lines));
        plan.splices.push(Splice { at: one.lines.start, remove: one.lines.len(), insert: Vec::new() });
    }
    let open = older.iter().filter(|one| one.is_open());
    let carried: Vec<String> =
        open.map(|one| Observation { text: truncated(&one.text, MAX_OPEN_LENGTH), ..one.clone() }.line()).collect();
    plan.done = Condensed { archived: older.len(), still_open: carried.len() };
    let mut added: Vec<String> = Vec::new();
    match summary {
        Some(summary) => added.push(model_summary_line(&older, summary)),
        None => by_month(lines, &older, &mut plan.splices, &mut added),
    }
    let mut sections = [(STILL_OPEN, carried), (EARLIER, added)];
    // If `Earlier` exists and `Still open` is new, both insertions are at the end of the file, and the line of `Earlier` must come first.
    if headings(lines).iter().any(|(_, name)| is_earlier(name)) {
        sections.reverse();
    }
    let sections = sections.into_iter().filter(|(_, added)| !added.is_empty());
    plan.splices.extend(sections.map(|(section, added)| append_to_section(lines, "Observations", section, added)));
    Some(plan)
}

fn model_summary_line(older: &[Observation], summary: &str) -> String {
    let days: Vec<String> = older.iter().filter_map(|one| one.time).map(|time| time.date().to_string()).collect();
    let days = match (days.iter().min(), days.iter().max()) {
        (Some(first), Some(last)) if first == last => first.clone(),
        (Some(first), Some(last)) => format!("{first} to {last}"),
        _ => "Undated".into(),
    };
    let summary = collapse_whitespace(summary).replace("<!--", "< !--");
    format!("- {days}: {}; {}", pluralize(older.len(), "observation"), truncated(&summary, MAX_SUMMARY_LENGTH))
}

/// Updates the lines of months that have one, and adds lines for the other months to `added`.
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
            let (known, pieces) = parse_month_line(line.text.strip_prefix(&format!("{name}: "))?)?;
            (line.lines.len() == 1).then_some((line.lines.start, known, pieces))
        });
        let mut pieces: Vec<String> = Vec::new();
        if let Some((_, before, said)) = &known {
            number += before;
            pieces.extend(said.split("; ").filter(|piece| !piece.is_empty()).map(str::to_owned));
        }
        // Order: importance, then open ones, then the newest.
        of_month.sort_by_key(|one| std::cmp::Reverse((one.importance.unwrap_or(0), one.is_open(), one.time)));
        pieces.extend(of_month.iter().map(|one| truncated(&one.text.replace(';', ","), MAX_PIECE_LENGTH)));
        pieces.truncate(MAX_PIECES);
        let line = format!("- {name}: {}; {}", pluralize(number, "observation"), pieces.join("; "));
        match known {
            Some((at, ..)) => splices.push(Splice { at, remove: 1, insert: vec![line] }),
            None => added.push(line),
        }
    }
}

/// Whether a heading is `Earlier`, in any spelling that normalizes to it.
fn is_earlier(heading: &str) -> bool {
    normalized(heading) == normalized(EARLIER)
}

/// Parses the text behind a month's name: the number of observations and the quoted pieces.
fn parse_month_line(said: &str) -> Option<(usize, &str)> {
    let (number, rest) = said.split_once(' ')?;
    let (noun, pieces) = rest.split_once(';').unwrap_or((rest, ""));
    ["observation", "observations"].contains(&noun).then_some((number.parse().ok()?, pieces.trim()))
}

fn month_key(one: &Observation) -> String {
    one.time.map_or_else(|| "Undated".to_owned(), |time| time.strftime("%Y-%m").to_string())
}

fn raw_lines(lines: &Lines<'_>, range: &Range<usize>) -> Vec<String> {
    range.clone().map(|line| lines.line(line).into_owned()).collect()
}

#[cfg(test)]
mod tests;
