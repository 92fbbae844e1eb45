//! A month of day files and session logs, summed up in `archive/YYYY-MM.md` for somebody who reads it a year later.
//!
//! The lines of a month ([`MonthSources`]) become a [`Summary`], by rules or by claims of a model that are held against the lines
//! they rest on. [`mod@archive`] puts it into the file, and [`mod@moves`] says where the sources may go. What a person noted is never left
//! out, and no line of the sources is changed.

mod archive;
mod claims;
mod month;
mod moves;
mod rules;
mod sources;

pub use archive::{ArchivePage, Linked, MonthAnchor, Written};
pub use claims::{Ask, MonthClaim, MonthClaims, by_model};
pub use month::Month;
pub use moves::{Kept, LinkPlace, Move, broken_links, moves};
pub use rules::{Summary, SummaryLine, by_rules};
pub use sources::{MonthFile, MonthLine, MonthSources, months};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a line of a summary tells, in the order in which a summary tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// What a person noted.
    Own,
    /// What was settled.
    Decided,
    /// What was found out, or ruled out.
    Learnt,
    /// What was built or closed.
    Finished,
    /// What was left to do.
    Open,
}

impl Section {
    /// Every section, in their order.
    pub const ALL: [Self; 5] = [Self::Own, Self::Decided, Self::Learnt, Self::Finished, Self::Open];

    /// Returns its heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Own => "Noted by hand",
            Self::Decided => "Decided",
            Self::Learnt => "Learnt",
            Self::Finished => "Finished",
            Self::Open => "Still open",
        }
    }
}
