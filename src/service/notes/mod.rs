//! Notes by name: their text, their surroundings, related notes, and completions of names.

mod completions;
pub(crate) mod conflicts;
mod expand;
mod get;
mod links;
mod list;
mod names;
mod picture;
mod related;
mod tasks;

pub use completions::{IdsRequest, ResultId, TagsRequest};
pub use conflicts::{
    ConflictsRequest, ConflictsResponse, DiffLine, DiffSide, MergeCopyRequest, MergedNote, NoteCopy,
    PreviewMergeRequest,
};
pub use expand::{Embed, ExpandRequest, ExpandResponse};
pub use get::{GetRequest, GetResponse, NoteText};
pub use links::{LinksRequest, LinksResponse, ListedLink};
pub(crate) use list::recalls;
pub use list::{ListRequest, ListResponse, ListedNote, NoteSort, TagCount, TagTreeRequest, TagTreeResponse};
pub use names::{NoteName, NotesRequest, NotesResponse};
pub(crate) use picture::PictureList;
pub use picture::{Picture, PictureForm, PictureRequest};
pub use related::{RelatedNote, RelatedRequest, RelatedResponse};
pub use tasks::{ListedTask, TaskSelection, TaskState, TasksRequest, TasksResponse};
