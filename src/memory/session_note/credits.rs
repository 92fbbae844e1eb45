//! Who worded the lines of a session's section.

use super::{EXTRACTIVE, SessionNote, line_of};
use crate::line_credit::credit;
use tars_base::domain::OutcomeKind;
use tars_vault::{LineCredit, Splice};

impl SessionNote {
    /// Returns who worded the lines of a change.
    pub(super) fn credits(&self, splices: &[Splice]) -> Vec<LineCredit> {
        let model = Some(self.by.clone()).filter(|by| by != EXTRACTIVE);
        let turns = self.turns.iter().chain(&self.abandoned);
        let outcomes = turns.flat_map(|turn| turn.outcomes.iter().map(move |outcome| (turn, outcome)));
        let mut credits: Vec<LineCredit> = Vec::new();
        let mut also: Option<LineCredit> = None;
        for (turn, outcome) in outcomes {
            let credit = credit(&turn.wording, &outcome.text, line_of(turn, outcome));
            let credit = LineCredit { model: model.clone().or(credit.model), ..credit };
            if outcome.kind == OutcomeKind::Done && also.as_ref().is_none_or(|known| credit.by.is_less_trusted_than(known.by)) {
                also = Some(credit.clone());
            }
            credits.push(credit);
        }
        // One line lists what several turns did.
        let lists = |line: &&String| without_mark(line).is_some_and(|said| said.starts_with(OutcomeKind::Also.label()));
        let listed = splices.iter().flat_map(|splice| &splice.insert).filter(lists);
        credits.extend(listed.zip(also.iter().cycle()).map(|(line, also)| LineCredit { line: line.clone(), ..also.clone() }));
        credits
    }
}

/// Returns what a line of a turn says behind its time.
fn without_mark(line: &str) -> Option<&str> {
    line.strip_prefix("- ").and_then(|said| said.split_once(' ')).map(|(_, said)| said)
}
