//! Summarizes a month by rules: removes repetitions and superseded lines, and bounds the length.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::{MonthLine, Section};
use crate::{Bullet, MemoryError, Relation, normalized, similar_bullets};
use tars_rank::share_budget;

/// Approximate maximum number of lines of a summary, so that it reads at a glance.
const MAX_LINES: usize = 60;
/// Number of lines reserved for the notes of tars, whatever the number of a person's notes.
const MIN_NOTE_LINES: usize = 30;
/// Maximum number of earlier lines that a line is compared with, per section and project.
const MAX_COMPARED: usize = 100;
/// The bounded sections, each with its share of the lines. A person's notes are not bounded.
const SHARES: [(Section, u32); 4] =
    [(Section::Decided, 4), (Section::Learnt, 3), (Section::Finished, 2), (Section::Open, 3)];

/// A line of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryLine {
    /// Its section.
    pub section: Section,
    /// Its text.
    pub text: String,
    /// Its project.
    pub project: Option<String>,
    /// Its source lines, as indices into the month's lines, oldest first.
    pub from: Vec<usize>,
}

/// A month's summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Its lines, ordered by section, project and day.
    pub lines: Vec<SummaryLine>,
    /// Number of omitted lines per section.
    pub left_out: BTreeMap<Section, usize>,
}

/// Summarizes lines by rules only.
///
/// # Errors
/// Lines cannot be compared.
pub fn by_rules(lines: &[MonthLine]) -> Result<Summary, MemoryError> {
    let line = |(place, line): (usize, &MonthLine)| SummaryLine {
        section: line.section,
        text: line.text.clone(),
        project: line.project.clone(),
        from: vec![place],
    };
    Summary::of(lines.iter().enumerate().map(line).collect())
}

impl Summary {
    /// Builds a summary from lines ordered by day: removes repetitions and bounds the length.
    pub(super) fn of(lines: Vec<SummaryLine>) -> Result<Self, MemoryError> {
        let mut parts = Parts::new();
        for line in lines {
            parts.entry((line.section, line.project.clone())).or_default().push(line);
        }
        for lines in parts.values_mut() {
            *lines = without_repetitions(std::mem::take(lines))?;
        }
        drop_repeated_decisions(&mut parts)?;
        let count = |section: Section| -> usize {
            parts.iter().filter(|((of, _), _)| *of == section).map(|(_, lines)| lines.len()).sum()
        };
        let room = MAX_LINES.saturating_sub(count(Section::Own)).max(MIN_NOTE_LINES);
        let wanted = SHARES.map(|(section, share)| (count(section), share));
        let given = share_budget(&wanted, room);
        let mut left_out = BTreeMap::new();
        for ((section, _), (most, (found, _))) in SHARES.into_iter().zip(given.into_iter().zip(wanted)) {
            if found > most {
                left_out.insert(section, found - most);
                keep_newest(parts.iter_mut().filter(|((of, _), _)| *of == section).map(|(_, lines)| lines), most);
            }
        }
        Ok(Self { lines: parts.into_values().flatten().collect(), left_out })
    }
}

/// The lines of each section and project.
type Parts = BTreeMap<(Section, Option<String>), Vec<SummaryLine>>;

/// Drops findings that repeat a decision, because the facts extracted from a session repeat its decisions.
fn drop_repeated_decisions(parts: &mut Parts) -> Result<(), MemoryError> {
    let decided: Vec<Bullet> = parts
        .iter()
        .filter(|((section, _), _)| *section == Section::Decided)
        .flat_map(|(_, lines)| lines)
        .map(|line| Bullet::of_text(&line.text))
        .collect();
    for lines in parts.iter_mut().filter(|((section, _), _)| *section == Section::Learnt).map(|(_, lines)| lines) {
        let mut kept = Vec::new();
        for line in lines.drain(..) {
            if similar_bullets(&line.text, &decided, None)?.iter().all(|like| like.relation == Relation::Conflict) {
                kept.push(line);
            }
        }
        *lines = kept;
    }
    Ok(())
}

/// Keeps the newest `most` lines, taking one per project in turn.
fn keep_newest<'l>(projects: impl Iterator<Item = &'l mut Vec<SummaryLine>>, most: usize) {
    let mut projects: Vec<&mut Vec<SummaryLine>> = projects.collect();
    let mut kept = vec![0; projects.len()];
    let mut left = most;
    let mut round = 1;
    while left > 0 && projects.iter().any(|lines| lines.len() >= round) {
        for (lines, kept) in projects.iter().zip(&mut kept) {
            if lines.len() >= round && left > 0 {
                *kept += 1;
                left -= 1;
            }
        }
        round += 1;
    }
    for (lines, kept) in projects.iter_mut().zip(kept) {
        lines.drain(..lines.len() - kept);
    }
}

/// Removes repetitions among the lines of one section and project. Notes of a person are merged only if they are equal.
fn without_repetitions(lines: Vec<SummaryLine>) -> Result<Vec<SummaryLine>, MemoryError> {
    let mut kept: Vec<SummaryLine> = Vec::new();
    let mut said: Vec<Bullet> = Vec::new();
    let mut own: HashMap<String, usize> = HashMap::new();
    for mut line in lines {
        if line.section == Section::Own {
            match own.entry(normalized(&line.text)) {
                Entry::Occupied(known) => kept[*known.get()].from.extend(line.from),
                Entry::Vacant(new) => {
                    new.insert(kept.len());
                    kept.push(line);
                }
            }
            continue;
        }
        let first = said.len().saturating_sub(MAX_COMPARED);
        let mut text = line.text.clone();
        for like in similar_bullets(&line.text, &said[first..], None)? {
            let Some(place) = said.iter().position(|bullet| bullet.id == like.bullet.id) else { continue };
            let replaces = matches!(line.section, Section::Decided | Section::Learnt);
            match like.relation {
                Relation::Conflict if !replaces => continue,
                Relation::Conflict => {}
                Relation::Equal | Relation::Close => {
                    line.from.splice(0..0, kept[place].from.iter().copied());
                    // The longer one of two close lines stays.
                    if kept[place].text.chars().count() > text.chars().count() {
                        text.clone_from(&kept[place].text);
                    }
                }
            }
            kept.remove(place);
            said.remove(place);
        }
        line.text = text;
        line.from.sort_unstable();
        line.from.dedup();
        let id = line.from.last().map(usize::to_string).unwrap_or_default();
        said.push(Bullet { id, text: line.text.clone(), ..Bullet::default() });
        kept.push(line);
    }
    Ok(kept)
}

#[cfg(test)]
pub(super) mod tests {
    use jiff::civil::date;

    use super::*;

    /// Returns a line noted on a day of March.
    pub(in super::super) fn line(day: i8, section: Section, project: &str, text: &str) -> MonthLine {
        MonthLine {
            text: text.to_owned(),
            section,
            day: date(2026, 3, day),
            project: Some(project.to_owned()).filter(|project| !project.is_empty()),
            file: format!("2026-03-{day:02}.md"),
            heading: String::new(),
        }
    }

    /// Returns words that are unique to the number.
    pub(in super::super) fn words(number: usize) -> String {
        let letter = |number: usize| char::from(b'a' + (number % 26) as u8);
        let (one, other) = (letter(number), letter(number / 26));
        format!("{one}{other}lok {one}{other}tam {one}{other}ver")
    }

    fn texts(summary: &Summary) -> Vec<&str> {
        summary.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn repetitions_are_merged_and_later_decisions_replace_earlier_ones() {
        let summary = by_rules(&[
            line(1, Section::Decided, "shop", "The port is 8080"),
            line(2, Section::Decided, "shop", "Backups are encrypted every night"),
            line(3, Section::Decided, "pump", "The port is 7070"),
            line(4, Section::Decided, "shop", "the port is `9090`."),
            line(5, Section::Decided, "shop", "Backups are encrypted every single night on the Pi"),
            line(6, Section::Finished, "shop", "Closed: the port"),
            line(7, Section::Own, "", "Met Ilse"),
            line(8, Section::Own, "", "Met Ilse and Jonas"),
            line(9, Section::Own, "", "met ilse."),
            line(9, Section::Learnt, "", "backups are encrypted every single night on the Pi"),
        ])
        .unwrap();
        assert_eq!(
            texts(&summary),
            [
                "Met Ilse",
                "Met Ilse and Jonas",
                "The port is 7070",
                "the port is `9090`.",
                "Backups are encrypted every single night on the Pi",
                "Closed: the port",
            ]
        );
        assert_eq!((&summary.lines[0].from[..], &summary.lines[4].from[..]), (&[6, 8][..], &[1, 4][..]));
        assert!(summary.left_out.is_empty());
    }

    #[test]
    fn a_summary_is_bounded_except_for_a_persons_notes() {
        let mut lines: Vec<MonthLine> = (0..49).map(|n| line(1, Section::Own, "", &words(n))).collect();
        lines.extend((0..49).map(|n| line(2, Section::Decided, "big", &words(n))));
        lines.extend((0..2).map(|n| line(1, Section::Decided, "small", &words(n))));
        let summary = by_rules(&lines).unwrap();
        let of = |section, project: Option<&str>| {
            summary.lines.iter().filter(|line| line.section == section && line.project.as_deref() == project).count()
        };
        assert_eq!((of(Section::Own, None), of(Section::Decided, Some("small"))), (49, 2));
        assert_eq!(of(Section::Decided, Some("big")) + 2, MIN_NOTE_LINES);
        assert!(summary.left_out[&Section::Decided] > 0);
    }
}
