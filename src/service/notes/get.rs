//! The text of notes.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::{Request as Message, Response as Reply};
use crate::{App, Error, Refusal, Result, SearchRequest, Service, UseCase};
use tars_base::domain::{ApproximateTokens, CountTokens, Mode, QuerySyntax};
use tars_engine::search::{Embed, Expansion, NotePart, SearchError, parse_reference};
use tars_text::markdown;
use tars_text::names::folded;
use tars_text::sentences::pieces;

/// Maximum number of notes of one request: each name is looked up by itself.
const MAX_NAMES: usize = 1_000;
/// Hits to check when looking for a note by an alias.
const ALIAS_HITS: usize = 50;

/// Asks for the text of notes, or of parts of them. Private and excluded notes, and notes outside the collections, count as not found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GetRequest {
    /// Paths, names, aliases, `[[links]]` (also to a heading or a block), ids of chunks, or places as a search prints them (`note.md:13`,
    /// `note.md:13-20`). An id means the section of that chunk, and a line the section from there on, unless the fields below say otherwise.
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
        if self.names.len() > MAX_NAMES {
            let message = format!("{} notes are named, and one request takes {MAX_NAMES} at most", self.names.len());
            return Err(Refusal { message, hint: "ask for fewer notes at a time".into() }.into());
        }
        let collections = service.app.resolve_collections(&self.collections)?;
        let mut left = self.budget.unwrap_or(usize::MAX);
        let mut notes = Vec::new();
        for name in &self.names {
            let (mut text, is_cut) = cut(find(service, name, &part, &collections)?, left);
            left = left.saturating_sub(ApproximateTokens.count(&text.content));
            text.embeds.retain(|embed| embed.line <= text.end_line);
            fit_embeds(&mut text.embeds, &mut left);
            notes.push(NoteText { text, is_cut });
        }
        Ok(GetResponse { notes })
    }
}

/// Returns a part of a note, found by its path, a link, an id, or an alias in its front matter.
pub(crate) fn find(service: &Service<'_>, name: &str, part: &NotePart, collections: &[String]) -> Result<Expansion> {
    let is_unknown = |error: &Error| matches!(error.cause(), Some(SearchError::UnknownNote { .. }));
    let name = &service.app.below_root(name);
    match by_name(service, name, part, collections) {
        Err(error) if is_unknown(&error) => match by_alias(service, name, part, collections)? {
            Some(found) => Ok(found),
            None => match at_place(service, name, part, collections) {
                Ok(Some(found)) => Ok(found),
                Err(other) if !is_unknown(&other) => Err(other),
                _ => Err(error),
            },
        },
        found => found,
    }
}

/// Finds a note by a place as a search prints it: `note.md:13`, `note.md:13-20`, `note.md:13:421` in a long line, and with the collection behind it. A place chooses the lines
/// unless the request does; one line means from there to the end of its section.
fn at_place(service: &Service<'_>, name: &str, part: &NotePart, collections: &[String]) -> Result<Option<Expansion>> {
    let Some(Place { note, collection, first, last, column }) = place(name) else { return Ok(None) };
    let collections = match collection {
        Some(named) if collections.is_empty() || collections.iter().any(|one| one == named) => {
            service.app.resolve_collections(&[named.to_owned()])?
        }
        Some(_) => return Ok(None),
        None => collections.to_vec(),
    };
    let lines = last.map_or(NotePart::From(first), |last| NotePart::Lines(first..=last));
    let part = if *part == NotePart::Default { &lines } else { part };
    find(service, note, part, &collections).map(|text| Some(from_column(text, column)))
}

/// Returns a text from a column of its first line on, counted from 1.
fn from_column(text: Expansion, column: usize) -> Expansion {
    let line = text.content.split('\n').next().unwrap_or_default();
    let Some((at, _)) = line.char_indices().nth(column.saturating_sub(1)).filter(|(at, _)| *at > 0) else {
        return text;
    };
    Expansion { start_column: text.start_column + column - 1, content: text.content[at..].to_owned(), ..text }
}

/// A place in a note, as a search prints it.
#[derive(Debug, PartialEq, Eq)]
struct Place<'n> {
    note: &'n str,
    collection: Option<&'n str>,
    first: usize,
    last: Option<usize>,
    /// The column of the first line, from 1; 1 unless the place names one.
    column: usize,
}

/// Parses a place; `None` if the text does not end in the numbers of lines.
fn place(name: &str) -> Option<Place<'_>> {
    let name = name.trim();
    let named = name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let (place, collection) = named.map_or((name, None), |(place, collection)| (place, Some(collection)));
    let (note, lines) = place.rsplit_once(':')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // In a long line, a search prints the column of the sentence as well.
    let with_column = note.rsplit_once(':').filter(|(_, line)| is_number(line) && is_number(lines));
    let (note, lines, column) = with_column.map_or((note, lines, "1"), |(note, line)| (note, line, lines));
    let (first, last) = lines.split_once('-').map_or((lines, None), |(first, last)| (first, Some(last)));
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
    let first = number(first)?;
    let last = match last {
        Some(last) => Some(number(last).filter(|last| *last >= first)?),
        None => None,
    };
    (!note.trim().is_empty()).then_some(Place { note, collection, first, last, column: number(column)? })
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
    let Ok(file) = app.read_note(&root, path) else { return false };
    let document = markdown::parse(path, &file.text);
    !document.private && document.aliases.iter().any(|alias| folded(alias) == folded(name))
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

/// Takes the texts of embeds out of the budget, in order. One that does not fit is left out with its own embeds.
fn fit_embeds(embeds: &mut Vec<Embed>, left: &mut usize) {
    embeds.retain_mut(|embed| {
        let size = ApproximateTokens.count(&embed.content);
        let fits = size <= *left;
        if fits {
            *left -= size;
            fit_embeds(&mut embed.embeds, left);
        }
        fits
    });
}

/// Truncates a text after the last whole line that fits, and returns whether it did. A first line that exceeds the budget is
/// truncated after its last sentence that fits.
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
    if low > 0 {
        let end_line = text.start_line + low - 1;
        return (Expansion { content: lines[..low].join("\n"), end_line, end_column: None, ..text }, true);
    }
    let first = pieces(lines[0], budget, &|text| ApproximateTokens.count(text), &[]).into_iter().next();
    let content = first.map_or("", |range| &lines[0][range]).trim_end();
    let content = if ApproximateTokens.count(content) > budget { "" } else { content }.to_owned();
    let end_column = Some(text.start_column + content.chars().count());
    (Expansion { content, end_line: text.start_line, end_column, ..text }, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_base::domain::ChunkId;

    #[test]
    fn a_place_is_read_as_a_search_prints_it() {
        let read = |text| place(text).map(|at| (at.note, at.collection, at.first, at.last));
        assert_eq!(read("a/b.md:13"), Some(("a/b.md", None, 13, None)));
        assert_eq!(read(" a/b.md:13-20 "), Some(("a/b.md", None, 13, Some(20))));
        assert_eq!(read("10:30 call.md:7 (recipes)"), Some(("10:30 call.md", Some("recipes"), 7, None)));
        for other in ["a.md", "a.md:", "a.md:0", "a.md:x", "a.md:20-13", "a.md:1-2-3", ":13", "a.md:-3", "a.md (x)"] {
            assert_eq!(read(other), None, "{other}");
        }
    }

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
                start_column: 0,
                end_line: 2 + content.split('\n').count(),
                end_column: None,
                content: content.clone(),
                embeds: Vec::new(),
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
