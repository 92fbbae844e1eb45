//! Notes by name: their text, their surroundings, related notes, and completions of names.

mod completions;
mod expand;
mod get;
mod names;
mod picture;
mod related;

pub use completions::{IdsRequest, ResultId, TagsRequest};
pub use expand::{ExpandRequest, ExpandResponse};
pub use get::{GetRequest, GetResponse, NoteText};
pub use names::{NoteName, NotesRequest, NotesResponse};
pub(crate) use picture::PictureList;
pub use picture::{Picture, PictureForm, PictureRequest};
pub use related::{RelatedNote, RelatedRequest, RelatedResponse};
