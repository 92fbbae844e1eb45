//! Evaluates the search with questions whose answers are known.
//!
//! Each question is asked with every system, in this process and over one snapshot of the index; the places of the first
//! results are compared with the known answers. The questions come from the person or are derived from names in the notes.
//! Vault and index are never written: the caller gets the results.

mod ask;
mod compare;
mod counting;
mod models;
mod question;
mod reliability;
mod request;
mod run;
mod self_questions;
mod system;

pub use ask::{Evaluation, Subject, evaluate};
pub use compare::{Compared, compare};
pub use models::{CompareModelsRequest, CompareModelsResponse, ComparedModel, Reason, Verdict};
pub use question::{Question, QuestionError, read_questions};
pub use reliability::Band;
pub use request::{CategoryFigures, EvalRequest, EvalResponse, ModeFigures};
pub use run::{First, Measured, Record, RecordError, Run, Timing, read_records};
pub use self_questions::{SampleOptions, SelfQuestions, SelfQuestionsError, SelfQuestionsSource};
pub use system::System;
