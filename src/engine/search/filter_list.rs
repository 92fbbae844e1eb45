//! Answers queries that consist of filters only: `tag:work` lists the notes with that tag.

use super::SearchError;
use super::answer_line::first_line;
use super::input::Search;
use super::query_syntax::ParsedQuery;
use super::retrieve::hit;
use tars_base::domain::{Hit, SearchAnswer};
use tars_store::ChunkRow;
use tars_text::markdown::{CodeFence, has_tag, without_comments};

/// Chunks of a note in which the line to show is looked for.
const MAX_CHUNKS: u32 = 64;

impl Search<'_> {
    /// Returns the notes that pass the filters of `parsed`, newest first, each with the line that holds a tag of the query, else with the
    /// first line of its text.
    ///
    /// Every score is 1, because a note either passes the filters or does not. The hits name no retriever.
    pub(super) fn list_by_filters(&self, parsed: ParsedQuery) -> Result<SearchAnswer, SearchError> {
        let Self { store, query, .. } = *self;
        let statistics = store.statistics()?;
        let mut hits: Vec<Hit> = Vec::new();
        if let Some(scope) = store.scope(&parsed.filter)? {
            for file in store.newest(&scope, query.limit)? {
                let mut chunks = store.chunk_range(file, 0, MAX_CHUNKS - 1)?;
                if chunks.is_empty() {
                    continue;
                }
                let (at, line) = listed_line(&chunks, &parsed.filter.tags).unwrap_or((0, first_line(&chunks[0])));
                let chunk = chunks.swap_remove(at);
                let column = if line == chunk.start_line { chunk.start_column } else { 0 };
                hits.push(Hit { score: 1.0, ..hit((line, column), chunk) });
            }
        }
        Ok(SearchAnswer {
            query: query.text.clone(),
            mode: query.mode,
            degraded: None,
            index: self.state(&statistics)?,
            hits,
            explanation: None,
            remarks: parsed.remarks,
        })
    }
}

/// Returns the first line with one of `tags`, else the first line of text, else the first heading, each with the position of its chunk. A
/// template's comment is none of them.
fn listed_line(chunks: &[ChunkRow], tags: &[String]) -> Option<(usize, usize)> {
    let contents: Vec<&str> = chunks.iter().map(|chunk| chunk.content.as_str()).collect();
    let text = contents.join("\n");
    let shown = without_comments(&text);
    let places = chunks.iter().enumerate().flat_map(|(at, chunk)| {
        (chunk.start_line..).zip(chunk.content.split('\n')).map(move |(number, _)| (at, number))
    });
    let mut fence = CodeFence::default();
    let (mut first_text, mut first_heading) = (None, None);
    for (place @ (at, number), line) in places.zip(shown.split('\n')) {
        let is_code = fence.holds(line);
        if !is_code && tags.iter().any(|tag| has_tag(line, tag)) {
            return Some(place);
        }
        if line.contains(char::is_alphanumeric) {
            let is_heading = chunks[at].sections.iter().any(|section| section.line == number);
            let first = if is_heading { &mut first_heading } else { &mut first_text };
            first.get_or_insert(place);
        }
        if tags.is_empty() && first_text.is_some() {
            break;
        }
    }
    first_text.or(first_heading)
}
