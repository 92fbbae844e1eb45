//! The state of the index and of the data of tars: status, problems and their repair, secrets in places where none should be.

mod audit;
mod clients;
mod data_dir_audit;
mod doctor;
mod status;

pub use audit::{AuditRequest, Leak, LeakPlace};
pub use clients::ClientRemark;
pub use data_dir_audit::{DataProblem, DataProblemKind, NotesReport};
pub use doctor::{DoctorRequest, DoctorResponse, RefusedFrontMatter};
pub use status::{CollectionReport, DatabaseReport, ModelReport, StatusReport, StatusRequest, UnindexedFile};
