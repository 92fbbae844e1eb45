//! Lines that may appear in a brief answer.

use std::rc::Rc;

use jiff::civil::Date;

use super::memory::Log;
use tars_base::domain::{Hit, OutcomeKind};

/// Lines of a hit that may appear.
pub(super) struct Candidate {
    pub(super) hit: Hit,
    pub(super) numbers: Vec<usize>,
    /// Their worth for the question, 0 to 1.
    pub(super) worth: f64,
    /// The text of an outcome; empty for the lines of a person's note.
    pub(super) outcome: String,
    /// The kind of that outcome.
    pub(super) kind: Option<OutcomeKind>,
    pub(super) day: Option<Date>,
    /// The whole log, for lines that need not lie within the hit.
    pub(super) log: Option<Rc<Log>>,
    /// The words to add behind the line.
    pub(super) remark: Option<String>,
}
