//! What the recall ledger tells: what a session was shown, and what becomes of what is shown.

mod mark;
mod recalled;
mod stats;
mod why;

pub use mark::{MarkRequest, MarkResponse};
pub use recalled::{RecalledRequest, RecalledSession};
pub use stats::{NoteUse, RecallStats};
pub(super) use stats::{recall_stats, since};
pub use why::{WhyEvent, WhyLine, WhyPiece, WhyRequest, WhyResponse};
