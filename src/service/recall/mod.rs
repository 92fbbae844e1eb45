//! The use cases of the recall ledger: what sessions were shown, and how it was used.

mod learning;
mod mark;
mod private_notes;
mod recalled_sessions;
mod reset;
mod shown_origins;
mod stats;
mod why;

pub(crate) use learning::{Learned, Place, reorder};
pub use mark::{MarkRequest, MarkResponse};
pub use recalled_sessions::{RecalledRequest, RecalledSession};
pub use reset::{ResetRecallRequest, ResetRecallResponse};
pub use stats::{NoteUse, RecallStats};
pub(super) use stats::{recall_stats, since};
pub use why::{WhyEvent, WhyLine, WhyPiece, WhyRequest, WhyResponse};
