//! The links in a note, and the links to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::get::find;
use crate::{Result, Service, UseCase};
use tars_base::domain::Mode;
use tars_engine::search::{NoteLink, NotePart};

/// Asks for the links in a note, or for the links to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinksRequest {
    /// The note: its path, a `[[link]]`, an alias, or the id of a chunk.
    pub name: String,
    /// Whether to return the links in other notes to this one instead.
    pub back: bool,
    /// Collections to look in; none means all.
    pub collections: Vec<String>,
}

/// A note and its links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinksResponse {
    /// Collection of the note.
    pub collection: String,
    /// Its path, relative to the collection's root.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Whether these are the links to it.
    pub back: bool,
    /// By line; links to the note by collection and path first. Addresses of the web are left out.
    pub links: Vec<ListedLink>,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedLink {
    /// Collection of the note at the other end; null if it leads to no note, or may mean several.
    pub collection: Option<String>,
    /// Its path.
    pub path: Option<String>,
    /// Line of the link in the note that has it: the named note, or with `back` the other one.
    pub line: usize,
    /// The text of that line.
    pub text: String,
    /// The target as written.
    pub target: String,
    /// Whether it leads nowhere. Attachments are assumed to exist.
    pub is_dead: bool,
}

impl UseCase for LinksRequest {
    type Response = LinksResponse;

    fn run(&self, service: &Service<'_>) -> Result<LinksResponse> {
        let collections = service.app.resolve_collections(&self.collections)?;
        let note = find(service, &self.name, &NotePart::Default, &collections)?;
        // The index of a process that asked a watcher may not be open yet.
        let links = service.local(Mode::Keyword, true)?.links(&note.collection, &note.path, &collections, self.back)?;
        Ok(LinksResponse {
            collection: note.collection,
            path: note.path,
            title: note.title,
            back: self.back,
            links: links.into_iter().map(ListedLink::of).collect(),
        })
    }
}

impl ListedLink {
    fn of(link: NoteLink) -> Self {
        let NoteLink { line, text, target, note, is_dead } = link;
        let (collection, path) = note.unzip();
        Self { collection, path, line, text, target, is_dead }
    }
}
