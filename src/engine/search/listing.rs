//! Lists of notes: those that pass the filters of a query, without a question.
//!
//! Besides the filters of a search, `orphan:` keeps notes to which no other note links, and `dead-links:` notes with a link that leads
//! nowhere; a dash before either reverses it. Other words must be in the path or the title.

use super::SearchError;
use super::link_graph::Linked;
use super::query_syntax::{parse_for, without_tokens};
use tars_base::domain::Query;
use tars_store::{FileDescription, Reader};
use tars_text::names::folded;

/// The notes that pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteList {
    /// By collection and path.
    pub notes: Vec<FileDescription>,
    /// Remarks for the person about how the query was understood.
    pub remarks: Vec<String>,
}

/// Conditions on the links of a note: `None` is no condition.
#[derive(Default)]
struct LinkConditions {
    is_orphan: Option<bool>,
    has_dead_links: Option<bool>,
}

impl LinkConditions {
    fn takes(&mut self, token: &str) -> bool {
        let (wanted, name) = token.strip_prefix('-').map_or((true, token), |name| (false, name));
        let condition = match name {
            "orphan:" | "orphans:" => &mut self.is_orphan,
            "dead-links:" | "dead-link:" => &mut self.has_dead_links,
            _ => return false,
        };
        *condition = Some(wanted);
        true
    }
}

/// Returns the notes that pass the conditions of a query.
///
/// # Errors
/// A filter is invalid, or the index cannot be read.
pub fn list_notes(reader: &dyn Reader, query: &Query) -> Result<NoteList, SearchError> {
    let mut links = LinkConditions::default();
    let text = without_tokens(&query.text, |token| links.takes(token));
    let (mut list, words) = filtered(reader, &Query { text, ..query.clone() })?;
    list.notes.retain(|note| words.admits(&[&note.path, &note.title]));
    if links.is_orphan.is_some() || links.has_dead_links.is_some() {
        let linked = Linked::read(reader, &query.filter.collections)?;
        list.notes.retain(|note| {
            links.is_orphan.is_none_or(|wanted| wanted != linked.targets.contains(&note.id))
                && links.has_dead_links.is_none_or(|wanted| wanted == linked.with_dead_links.contains(&note.id))
        });
    }
    Ok(list)
}

/// Returns the notes that the filters of a query admit, and its other words.
pub(super) fn filtered(reader: &dyn Reader, query: &Query) -> Result<(NoteList, Words), SearchError> {
    let parsed = parse_for(reader, query);
    let scope = reader.scope(&parsed.filter)?;
    let notes = reader.described_files(scope.as_ref())?;
    // A word may stand anywhere in a name, so the star of a beginning says nothing more.
    let signs = ['"', '“', '”', '*'];
    let words = parsed.text.split_whitespace().map(|word| folded(word.trim_matches(signs)));
    let mut wanted: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    wanted.extend(parsed.required.iter().map(|phrase| folded(phrase)));
    let unwanted = parsed.excluded.iter().map(|phrase| folded(phrase)).collect();
    Ok((NoteList { notes, remarks: parsed.remarks }, Words { wanted, unwanted }))
}

/// The words of a query that are no filters.
pub(super) struct Words {
    wanted: Vec<String>,
    unwanted: Vec<String>,
}

impl Words {
    /// Whether the texts hold all wanted words, in any case, and no unwanted one.
    pub(super) fn admits(&self, texts: &[&str]) -> bool {
        if self.wanted.is_empty() && self.unwanted.is_empty() {
            return true;
        }
        let text = folded(&texts.join("\n"));
        self.wanted.iter().all(|word| text.contains(word)) && !self.unwanted.iter().any(|word| text.contains(word))
    }
}
