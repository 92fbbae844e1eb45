//! The text of notes.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::{Request as Message, Response as Reply};
use crate::{App, Error, Refusal, Result, SearchRequest, Service, UseCase};
use tars_base::domain::{ApproximateTokens, CountTokens, Mode, QuerySyntax};
use tars_engine::search::{Expansion, NotePart, SearchError, parse_reference};
use tars_text::markdown;
use tars_vault::read;

/// Hits to check when looking for a note by an alias.
const ALIAS_HITS: usize = 50;

/// Asks for the text of notes, or of parts of them. Private and excluded notes, and notes outside the collections, count as not found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GetRequest {
    /// Paths, names, aliases, `[[links]]` (also to a heading or a block), or ids of chunks. An id means the section of that
    /// chunk, unless the fields below say otherwise.
    pub names: Vec<String>,
    /// The first and the last line of each.
    pub lines: Option<(usize, usize)>,
    /// The heading of a section: its text, or its path `outer > inner`; `^name` is the block with that name.
    pub section: Option<String>,
    /// For an id: the chunk and this number of chunks on either side.
    pub window: Option<u32>,
    /// Maximum number of tokens of text, for all notes together.
    pub budget: Option<usize>,
    /// Collections to look in; none means all.
    pub collections: Vec<String>,
}

/// The requested notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GetResponse {
    /// The notes, in the order of the request.
    pub notes: Vec<NoteText>,
}

/// The text of a note, or of a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteText {
    /// The lines and their place.
    #[serde(flatten)]
    pub text: Expansion,
    /// Whether the budget left out the lines after `end_line`.
    pub is_cut: bool,
}

impl UseCase for GetRequest {
    type Response = GetResponse;

    fn run(&self, service: &Service<'_>) -> Result<GetResponse> {
        let part = self.part()?;
        if self.names.is_empty() {
            let hint = "tars get PATH, tars get '[[NOTE]]' or tars get ID".into();
            return Err(Refusal { message: "no note is named".into(), hint }.into());
        }
        let collections = service.app.resolve_collections(&self.collections)?;
        let mut left = self.budget.unwrap_or(usize::MAX);
        let mut notes = Vec::new();
        for name in &self.names {
            let (text, is_cut) = cut(find(service, name, &part, &collections)?, left);
            left = left.saturating_sub(ApproximateTokens.count(&text.content));
            notes.push(NoteText { text, is_cut });
        }
        Ok(GetResponse { notes })
    }
}

/// Returns a part of a note, found by its path, a link, an id, or an alias in its front matter.
pub(crate) fn find(service: &Service<'_>, name: &str, part: &NotePart, collections: &[String]) -> Result<Expansion> {
    let is_unknown = |error: &Error| matches!(error.cause(), Some(SearchError::UnknownNote { .. }));
    match by_name(service, name, part, collections) {
        Err(error) if is_unknown(&error) => by_alias(service, name, part, collections)?.ok_or(error),
        found => found,
    }
}

/// Finds a note by an alias. The index holds aliases only as words, so they suggest notes, and the front matter decides.
fn by_alias(service: &Service<'_>, name: &str, part: &NotePart, collections: &[String]) -> Result<Option<Expansion>> {
    for named in parse_reference(name) {
        let request = SearchRequest {
            query: named.note.clone(),
            mode: Some(Mode::Keyword),
            limit: Some(ALIAS_HITS),
            min_score: Some(0.0),
            language: QuerySyntax::Prose,
            collections: collections.to_vec(),
            ..SearchRequest::default()
        };
        let hits = match service.find(&request.asked(service.app)?, false) {
            Ok(answer) => answer.hits,
            // The alias holds no searchable word.
            Err(error) if error.cause().is_some_and(SearchError::is_question_fault) => continue,
            Err(error) => return Err(error),
        };
        let mut notes: Vec<(String, String)> = hits.into_iter().map(|hit| (hit.collection, hit.path)).collect();
        notes.sort();
        notes.dedup();
        notes.retain(|(collection, path)| is_alias(service.app, &named.note, collection, path));
        match notes.as_slice() {
            [] => {}
            [(collection, path)] => {
                // The absolute path names it unambiguously.
                let root = root_of(service.app, collection).and_then(|root| Some(root.to_str()?.to_owned()));
                let whole = root.map_or_else(|| path.clone(), |root| format!("{root}/{path}"));
                return by_name(service, &whole, &named.part(part), collections).map(Some);
            }
            several => {
                let candidates = several.iter().map(|(collection, path)| format!("{path} ({collection})")).collect();
                return Err(SearchError::AmbiguousNote { name: name.to_owned(), candidates }.into());
            }
        }
    }
    Ok(None)
}

/// Whether the note `path` of a collection has the alias `name`, ignoring case. A private or unreadable note has none.
fn is_alias(app: &App, name: &str, collection: &str, path: &str) -> bool {
    let Some(root) = root_of(app, collection) else { return false };
    let Ok(file) = read(&root, path, app.settings.config.index.max_file_size) else { return false };
    let document = markdown::parse(path, &file.text);
    !document.private && document.aliases.iter().any(|alias| alias.to_lowercase() == name.to_lowercase())
}

fn root_of(app: &App, collection: &str) -> Option<PathBuf> {
    app.roots().ok()?.into_iter().find(|root| root.name == collection).map(|root| root.path)
}

fn by_name(service: &Service<'_>, name: &str, part: &NotePart, collections: &[String]) -> Result<Expansion> {
    let message = Message::Note { name: name.to_owned(), part: part.clone(), collections: collections.to_vec() };
    match service.ask_daemon(&message)? {
        Some(Reply::Expansion(text)) => Ok(text),
        _ => service.local(Mode::Keyword, true)?.note(name, part, collections),
    }
}

impl GetRequest {
    fn part(&self) -> Result<NotePart, Refusal> {
        match (self.lines, &self.section, self.window) {
            (None, None, None) => Ok(NotePart::Default),
            (Some((first, last)), None, None) if (1..=last).contains(&first) => Ok(NotePart::Lines(first..=last)),
            (Some((first, last)), None, None) => Err(Refusal {
                message: format!("{first} to {last} is not a range of lines"),
                hint: "lines are counted from 1, the first before the last: --lines 10-25".into(),
            }),
            (None, Some(section), None) => Ok(NotePart::Section(section.clone())),
            (None, None, Some(window)) => Ok(NotePart::Window(window)),
            _ => Err(Refusal {
                message: "lines, a section and a window exclude each other".into(),
                hint: "leave all but one of them out".into(),
            }),
        }
    }
}

/// Truncates a text after the last whole line that fits, and returns whether it did. A first line that exceeds the budget is
/// truncated itself.
fn cut(text: Expansion, budget: usize) -> (Expansion, bool) {
    if ApproximateTokens.count(&text.content) <= budget {
        return (text, false);
    }
    let lines: Vec<&str> = text.content.split('\n').collect();
    let (mut low, mut high) = (0, lines.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        match ApproximateTokens.count(&lines[..middle].join("\n")) <= budget {
            true => low = middle,
            false => high = middle - 1,
        }
    }
    let content = if low > 0 {
        lines[..low].join("\n")
    } else {
        let mut characters = lines[0].chars().count();
        while ApproximateTokens.count(&lines[0].chars().take(characters).collect::<String>()) > budget {
            characters /= 2;
        }
        lines[0].chars().take(characters).collect()
    };
    let end_line = text.start_line + low.max(1) - 1;
    (Expansion { content, end_line, ..text }, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_base::domain::ChunkId;

    proptest::proptest! {
        #[test]
        fn a_truncated_text_fits_the_budget_and_is_a_prefix(content in "[a-zé \n]{0,300}", budget in 0..80usize) {
            let id = ChunkId::from_stored("a".repeat(ChunkId::LENGTH));
            let text = Expansion {
                id,
                replaced: None,
                collection: "vault".into(),
                path: "a.md".into(),
                title: "a".into(),
                heading: String::new(),
                start_line: 3,
                end_line: 2 + content.split('\n').count(),
                content: content.clone(),
            };
            let (shown, is_cut) = cut(text.clone(), budget);
            proptest::prop_assert!(ApproximateTokens.count(&shown.content) <= budget);
            proptest::prop_assert!(content.starts_with(&shown.content));
            proptest::prop_assert_eq!(is_cut, ApproximateTokens.count(&content) > budget);
            proptest::prop_assert_eq!(shown.end_line + 1 - shown.start_line, shown.content.split('\n').count());
            proptest::prop_assert!(is_cut || shown == text);
        }
    }
}
