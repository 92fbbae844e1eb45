//! The notes related to a note: by meaning, and by links.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::get::find;
use crate::scores::rounded_if_any;
use crate::{Result, SearchRequest, Service, UseCase};
use tars_base::domain::{Mode, QuerySyntax};
use tars_engine::search::{LinkedNote, NotePart};

/// Default for the number of neighbours by meaning.
const DEFAULT_LIMIT: usize = 8;
/// Maximum number of neighbours by meaning, whatever a request sets.
const MAX_NEIGHBOURS: usize = 100;
/// How much of a note forms the question, in characters: the beginning states the subject, and a model reads no more at once.
const QUESTION_LENGTH: usize = 600;

/// Asks for the notes about the same subject as a note, or linked with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RelatedRequest {
    /// The note: its path, a `[[link]]`, or the id of a chunk.
    pub name: String,
    /// Maximum number of notes about the same subject: 8 by default, never more than 100. Linked notes come in addition.
    pub limit: Option<usize>,
    /// Collections to look in; none means all.
    pub collections: Vec<String>,
}

/// A note and its neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RelatedResponse {
    /// Collection of the note.
    pub collection: String,
    /// Its path, relative to the collection's root.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Why the answer is degraded, such as a missing model.
    pub degraded: Option<String>,
    /// Its neighbours: linked notes first, then the nearest ones.
    pub notes: Vec<RelatedNote>,
}

/// A neighbour of a note.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RelatedNote {
    /// Collection of the note.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// Title of the note.
    pub title: String,
    /// The score of its best hit when the beginning of the other note is the question; `None` if it is only linked.
    #[serde(serialize_with = "rounded_if_any")]
    pub score: Option<f64>,
    /// The line of that hit.
    pub line: Option<usize>,
    /// Whether the other note links to it.
    pub is_target: bool,
    /// Whether it links to the other note.
    pub is_source: bool,
}

impl UseCase for RelatedRequest {
    type Response = RelatedResponse;

    fn run(&self, service: &Service<'_>) -> Result<RelatedResponse> {
        let collections = service.app.resolve_collections(&self.collections)?;
        let found = find(service, &self.name, &NotePart::Default, &collections)?;
        // An id or a link with a heading names a section; neighbours belong to the whole note.
        let whole = find(service, &found.path, &NotePart::Default, std::slice::from_ref(&found.collection))?;
        let links = service.local(Mode::Keyword, false)?.linked(&whole.collection, &whole.path, &collections)?;
        let mut notes: Vec<RelatedNote> = links.into_iter().map(RelatedNote::linked).collect();
        let places: HashMap<(String, String), usize> =
            (notes.iter().enumerate()).map(|(at, note)| ((note.collection.clone(), note.path.clone()), at)).collect();
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_NEIGHBOURS);
        let request = SearchRequest {
            query: question(&whole.title, &whole.content),
            language: QuerySyntax::Prose,
            // Several hits may lie in the note itself, and several in one neighbour.
            limit: Some(limit * 3 + 10),
            min_score: Some(0.0),
            collections,
            ..SearchRequest::default()
        };
        let answer = service.find(&request.asked(service.app)?, false)?;
        let mut near: Vec<RelatedNote> = Vec::new();
        for hit in answer.hits {
            let is_same = |note: &RelatedNote| (&note.collection, &note.path) == (&hit.collection, &hit.path);
            if (&hit.collection, &hit.path) == (&whole.collection, &whole.path) || near.iter().any(is_same) {
                continue;
            }
            if let Some(at) = places.get(&(hit.collection.clone(), hit.path.clone())) {
                let known = &mut notes[*at];
                (known.score, known.line) = (known.score.or(Some(hit.score)), known.line.or(Some(hit.line)));
            } else if near.len() < limit {
                let (score, line) = (Some(hit.score), Some(hit.line));
                let (is_target, is_source) = (false, false);
                let (collection, path, title) = (hit.collection, hit.path, hit.title);
                near.push(RelatedNote { collection, path, title, score, line, is_target, is_source });
            }
        }
        notes.append(&mut near);
        Ok(RelatedResponse {
            collection: whole.collection,
            path: whole.path,
            title: whole.title,
            degraded: answer.degraded,
            notes,
        })
    }
}

impl RelatedNote {
    fn linked(note: LinkedNote) -> Self {
        let LinkedNote { collection, path, title, is_target, is_source } = note;
        Self { collection, path, title, score: None, line: None, is_target, is_source }
    }
}

/// Returns the question that finds notes about the same subject.
fn question(title: &str, content: &str) -> String {
    let beginning: String = content.chars().take(QUESTION_LENGTH).collect();
    format!("{title}\n{beginning}")
}
