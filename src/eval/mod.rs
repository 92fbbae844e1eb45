//! How well the notes answer questions whose answers are known.
//!
//! Each question is asked with every system, of one state of the index and in this process; the places of the first
//! results are compared with those that are known to be right. The questions are a person's own, or made of what the notes
//! call things. Neither vault nor index is written: what a run found is handed back.

mod ask;
mod compare;
mod counting;
mod question;
mod reliability;
mod run;
mod self_questions;
mod system;

pub use ask::{Evaluation, Subject, evaluate};
pub use compare::{Compared, compare};
pub use question::{Question, QuestionError, read_questions};
pub use reliability::Band;
pub use run::{First, Measured, Record, RecordError, Run, Timing, read_records};
pub use self_questions::{SampleOptions, SelfQuestions, SelfQuestionsError, SelfQuestionsSource};
pub use system::System;
