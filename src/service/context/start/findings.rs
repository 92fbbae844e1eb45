//! Findings of earlier days, for the room that the rest of a session's start leaves.
//!
//! A cause that was found last week saves finding it again, whatever the words of the next prompt. Of findings about one subject the newest
//! comes; what was ruled out comes last.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;

use super::super::memory::{Log, may_hold};
use super::super::{Chosen, ProjectRef};
use super::{DECISION_DAYS, short};
use crate::{Service, VAULT};
use tars_agent::context_block::{Keep, Piece};
use tars_agent::digest::same_subject;
use tars_agent::project::Branches;
use tars_base::domain::OutcomeKind;
use tars_memory::{LogLine, day_file, logged_days};

/// Most findings.
const MAX_FINDINGS: usize = 12;

/// A finding of an earlier day.
struct Finding {
    is_ruled_out: bool,
    day: Date,
    number: usize,
    text: String,
}

/// The log of a day, and the numbers of the lines that are shown.
struct Day {
    path: String,
    log: Log,
    numbers: Vec<usize>,
}

impl Day {
    fn piece(&self, day: Date) -> Option<Piece> {
        let piece = self.log.piece(&self.path, day, Keep::Start)?;
        piece.without(|number, _| !self.numbers.contains(&number)).map(|piece| short(&piece))
    }
}

/// Returns findings of the project before today that fit `room`, without those that the agent was shown before (`has_seen`), and
/// without those about the subject of a line of `shown`.
pub(super) fn findings(
    service: &Service<'_>,
    own: ProjectRef<'_>,
    branches: Option<&Branches>,
    (shown, room): (&[Chosen], usize),
    has_seen: &dyn Fn(&str) -> bool,
) -> Vec<Chosen> {
    let today = service.app().environment.clock.today();
    let first = today.saturating_sub(DECISION_DAYS.days());
    let Ok(folder) = service.app().memory_folder() else { return Vec::new() };
    let mut days: BTreeMap<Date, Day> = BTreeMap::new();
    let mut found: Vec<Finding> = Vec::new();
    for day in logged_days(&folder).unwrap_or_default().into_iter().filter(|day| (first..today).contains(day)) {
        let Some((file, log)) =
            day_file(&folder, day).ok().and_then(|file| Log::read(service.app(), &file).map(|log| (file, log)))
        else {
            continue;
        };
        let is_meant = |line: &&LogLine| {
            matches!(line.kind, Some(OutcomeKind::Found | OutcomeKind::RuledOut))
                && line.section.anchor.is_some()
                && line.section.project.is(own.0, own.1)
                && !line.is_unconfirmed
                && may_hold(line, branches.map(|branches| (branches, own)))
        };
        let of_line = |line: &LogLine| Finding {
            is_ruled_out: line.kind == Some(OutcomeKind::RuledOut),
            day,
            number: line.number,
            text: line.text_without_request().to_owned(),
        };
        let before = found.len();
        found.extend(log.lines.iter().filter(is_meant).map(of_line));
        if found.len() > before {
            days.insert(day, Day { path: folder.vault_path(&file), log, numbers: Vec::new() });
        }
    }
    found.sort_by_key(|one| (one.is_ruled_out, std::cmp::Reverse((one.day, one.number))));
    let mut said: Vec<String> =
        shown.iter().flat_map(|one| one.piece.numbered()).map(|(_, line)| line.to_owned()).collect();
    let (mut used, mut count) = (0, 0);
    for one in found {
        let Some(day) = days.get_mut(&one.day) else { continue };
        let line = day.log.text.split('\n').nth(one.number.saturating_sub(1)).unwrap_or_default();
        let is_said = |known: &String| known.contains(&one.text) || same_subject(known, &one.text);
        if count >= MAX_FINDINGS || has_seen(line) || said.iter().any(is_said) {
            continue;
        }
        let cost = |day: &Day| day.piece(one.day).map_or(0, |piece| piece.cost());
        let before = if day.numbers.is_empty() { 0 } else { cost(day) };
        day.numbers.push(one.number);
        let more = cost(day) - before;
        if used + more > room {
            day.numbers.pop();
            continue;
        }
        (used, count) = (used + more, count + 1);
        said.push(one.text);
    }
    let of_day = |(day, one): (Date, Day)| {
        let piece = (!one.numbers.is_empty()).then(|| one.piece(day)).flatten()?;
        Some(Chosen { collection: VAULT.to_owned(), piece, score: None })
    };
    days.into_iter().filter_map(of_day).collect()
}
