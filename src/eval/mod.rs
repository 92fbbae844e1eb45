//! How well the notes answer questions whose answers are known.
//!
//! Each question is asked in every way of searching, of one state of the index and in this process; the places of the first
//! results are compared with those that are known to be right. It writes nothing: what a run found is handed back.

mod ask;
mod compare;
mod counting;
mod question;
mod run;
mod way;

pub use ask::{Evaluation, Subject, evaluate};
pub use compare::{Compared, compare};
pub use question::{Question, QuestionError, read_questions};
pub use run::{Measured, Record, RecordError, Run, Timing, read_records};
pub use way::Way;
