//! The authors of the lines of a session's section, and which sections are empty without them.

use std::ops::Range;

use super::outcome_lines::line_of;
use super::{EXTRACTIVE, SessionNote, sections};
use crate::line_credit::credit;
use tars_base::domain::OutcomeKind;
use tars_vault::{LineCredit, Lines};

impl SessionNote {
    /// Returns who worded the lines of the section. `lines` are those of the file before and after a change.
    pub(super) fn credits<'l>(&self, lines: impl Iterator<Item = &'l String>) -> Vec<LineCredit> {
        let model = Some(self.by.clone()).filter(|by| by != EXTRACTIVE);
        let turns = self.turns.iter().chain(&self.abandoned);
        let outcomes = turns.flat_map(|turn| turn.outcomes.iter().map(move |outcome| (turn, outcome)));
        let mut credits: Vec<LineCredit> = Vec::new();
        let mut also: Option<LineCredit> = None;
        for (turn, outcome) in outcomes {
            let credit = credit(&turn.wording, &outcome.text, line_of(turn, outcome));
            let credit = LineCredit { model: model.clone().or(credit.model), ..credit };
            if outcome.kind == OutcomeKind::Done
                && also.as_ref().is_none_or(|known| credit.by.is_less_trusted_than(known.by))
            {
                also = Some(credit.clone());
            }
            credits.push(credit);
        }
        // One line lists what several turns did.
        let lists = |line: &&String| without_mark(line).is_some_and(|said| said.starts_with(OutcomeKind::Also.label()));
        let listed = lines.filter(lists);
        credits.extend(
            listed.zip(also.iter().cycle()).map(|(line, also)| LineCredit { line: line.clone(), ..also.clone() }),
        );
        credits
    }
}

/// Returns what a line of a turn says behind its time.
fn without_mark(line: &str) -> Option<&str> {
    line.strip_prefix("- ").and_then(|said| said.split_once(' ')).map(|(_, said)| said)
}

/// Returns the sections of a day of which nothing with text is left without the lines that `is_gone` accepts, from 0.
pub(crate) fn emptied_sections(lines: &Lines<'_>, is_gone: &dyn Fn(usize) -> bool) -> Vec<Range<usize>> {
    let texts = lines.all();
    let is_left = |line: usize| !texts[line].trim().is_empty() && !is_gone(line);
    let emptied = sections(lines, &texts).into_iter();
    let emptied = emptied.filter(|one| one.body(&texts).any(is_gone) && !one.body(&texts).any(is_left));
    emptied.map(|one| one.start..one.end).collect()
}
