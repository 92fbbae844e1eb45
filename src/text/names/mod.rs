//! Names of notes, folders and tags: how a name that somebody wrote leads to a file.
//!
//! Names are compared as composed text (Unicode NFC), because macOS stores the names of files decomposed and keyboards type them composed.
//! Only the comparison is composed: paths keep the bytes of the disk, since these open the file.

mod compare;
mod note_names;
mod reading;

pub use compare::{composed, folded, holds_uppercase};
pub use note_names::NoteNames;
pub(crate) use reading::percent_decoded;
pub use reading::{Reading, link_readings, typed_readings};
