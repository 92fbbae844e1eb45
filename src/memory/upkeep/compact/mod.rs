//! Compacts a month: summarizes its daily and session logs in `archive/YYYY-MM.md`, for a reader a year later.
//!
//! The lines of a month ([`MonthSources`]) become a [`Summary`], by rules or by a model whose claims are checked against their source
//! lines. [`mod@archive_page`] writes the summary into the file, and [`mod@moves`] decides where the sources may move. A person's notes are
//! never left out, and the lines of the sources never change.

mod archive_page;
mod model_summary;
mod month;
mod month_sources;
mod moves;
mod summary;

pub use archive_page::{ArchivePage, LinkContext, MonthAnchor, PageEdit};
pub use model_summary::{Ask, MonthClaim, MonthClaims, by_model};
pub use month::Month;
pub use month_sources::{MonthFile, MonthLine, MonthSources, months};
pub use moves::{LinkPlace, Move, MovedNotes, UnmovedLog, moves};
pub use summary::{Summary, SummaryLine, by_rules};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Section of a summary, in the order of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// A person's notes.
    Own,
    /// Decisions.
    Decided,
    /// Findings, and what was ruled out.
    Learnt,
    /// Finished and closed work.
    Finished,
    /// Open ends.
    Open,
}

impl Section {
    /// All sections in order.
    pub const ALL: [Self; 5] = [Self::Own, Self::Decided, Self::Learnt, Self::Finished, Self::Open];

    /// Returns the heading.
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
