//! Learning from use: lines that sessions used move up a little among relevant ones, lines that were shown in vain move down.
//!
//! The recall ledger's table of uses supplies a factor for the place of a line, within `1 ± search.use_credit`. It makes nothing relevant:
//! scores and the gate stay, and a line never passes one on the other side of the gate. Its reading costs a hook one small file.

use jiff::Timestamp;

use crate::App;
use crate::context::line_key;
use tars_agent::context_block::{Keep, Piece, Source};
use tars_agent::recall::{LineId, RecallLedger, UseTable};
use tars_base::domain::{LineWorth, MemoryType};
use tars_text::redact::redact_path;

/// The use of lines that the recall ledger knows, for one question.
pub(crate) struct Learned {
    /// `None` without a history, or if `search.use_credit` is 0.
    table: Option<UseTable>,
    credit: f64,
    project: Option<String>,
    now: Timestamp,
}

/// The place of an item among others, best first.
pub(crate) struct Place {
    /// Items move only within their group; `None` stays where it is.
    pub(crate) group: Option<u32>,
    /// The score by which the items are in order.
    pub(crate) score: f64,
    /// The factor that its use supplies.
    pub(crate) factor: f64,
}

impl Learned {
    /// Reads the table of uses, for questions of `project`. Nothing is learned from an unreadable table.
    pub(crate) fn of(app: &App, project: Option<&str>) -> Self {
        let credit = app.settings.config.search.use_credit;
        let read = |ledger: RecallLedger| {
            ledger.uses().unwrap_or_else(|error| {
                tracing::warn!(
                    "the use of lines does not count, {} cannot be read: {error}",
                    ledger.folder().display()
                );
                None
            })
        };
        let table = (credit > 0.0).then(|| app.recall_ledger()).and_then(read).filter(|table| !table.is_empty());
        Self { table, credit, project: project.map(str::to_owned), now: app.environment.clock.timestamp() }
    }

    /// Whether it knows any line.
    pub(crate) fn knows_lines(&self) -> bool {
        self.table.is_some()
    }

    /// Returns the worth of a line of a note, in the note's form; `None` if no session was shown it.
    pub(crate) fn worth(&self, collection: &str, path: &str, text: &str) -> Option<LineWorth> {
        self.table.as_ref()?;
        self.worth_by_key(collection, &redact_path(path), &shown_key(text)?)
    }

    /// Returns the worth of a line of the ledger.
    pub(crate) fn worth_by_key(&self, collection: &str, path: &str, key: &str) -> Option<LineWorth> {
        let line = LineId::new(collection, path, key);
        self.table.as_ref()?.worth(line, self.project.as_deref(), self.credit, self.now)
    }
}

impl App {
    /// Derives the table of uses again, unless learning is off or no agent was ever shown anything. A failure is a warning: the former
    /// table counts on.
    pub(crate) fn update_uses(&self) {
        let ledger = self.recall_ledger();
        if self.settings.config.search.use_credit == 0.0 || !ledger.exists() {
            return;
        }
        if let Err(error) = ledger.update_uses(self.environment.clock.timestamp()) {
            tracing::warn!("the use of lines could not be counted: {error}");
        }
    }
}

/// Lets items pass those before them whose score times factor is lower. An order that does not follow the scores stays, and so does any
/// order of items without a history.
pub(crate) fn reorder<T>(items: &mut [T], place: impl Fn(&T) -> Place) {
    let mut places: Vec<Place> = items.iter().map(place).collect();
    let passes = |later: &Place, earlier: &Place| {
        later.group.is_some()
            && later.group == earlier.group
            && earlier.score >= later.score
            && later.score * later.factor > earlier.score * earlier.factor
    };
    for index in 1..items.len() {
        let mut at = index;
        while at > 0 && passes(&places[at], &places[at - 1]) {
            items.swap(at, at - 1);
            places.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Returns the key of a line as a block shows it, by which the ledger knows it.
pub(super) fn shown_key(text: &str) -> Option<String> {
    let source = Source { collection: None, path: String::new(), answer: None, date: None, kind: MemoryType::Note };
    Piece::new(source, 1, text, Keep::Start)?.numbered().find_map(|(_, text)| line_key(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(items: &[(u32, f64, f64)]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..items.len()).collect();
        reorder(&mut order, |item| {
            let (group, score, factor) = items[*item];
            Place { group: (group > 0).then_some(group), score, factor }
        });
        order
    }

    #[test]
    fn without_a_history_no_order_changes() {
        assert_eq!(ordered(&[(1, 0.9, 1.0), (1, 0.9, 1.0), (1, 0.2, 1.0), (1, 0.5, 1.0)]), [0, 1, 2, 3]);
        assert!(ordered(&[]).is_empty());
    }

    #[test]
    fn a_used_line_passes_only_lines_that_are_little_better() {
        assert_eq!(ordered(&[(1, 0.80, 1.0), (1, 0.75, 1.1), (1, 0.5, 1.1)]), [1, 0, 2]);
        assert_eq!(ordered(&[(1, 0.80, 0.9), (1, 0.78, 0.9), (1, 0.75, 1.0)]), [2, 0, 1]);
    }

    #[test]
    fn no_line_passes_the_gate_and_no_other_order_is_undone() {
        assert_eq!(ordered(&[(1, 0.36, 0.9), (2, 0.35, 1.1)]), [0, 1]);
        assert_eq!(ordered(&[(0, 0.36, 0.9), (0, 0.35, 1.1)]), [0, 1]);
        assert_eq!(ordered(&[(1, 0.30, 0.9), (1, 0.60, 1.1)]), [0, 1], "a later stage put the first one there");
    }

    #[test]
    fn a_line_has_the_key_by_which_a_block_shows_it() {
        assert_eq!(shown_key("- use <b> & no more"), line_key("- use &lt;b&gt; &amp; no more"));
        assert_eq!(shown_key("  - The port is 8080.\r"), line_key("- The port is 8080."));
        assert_eq!(shown_key("---"), None);
    }
}
