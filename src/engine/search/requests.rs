//! The person's words before an answer in a saved chat. An answer often omits its subject, which the
//! question names.

use std::collections::HashSet;

use super::SearchError;
use super::answer_only::from_sentence;
use super::chunk_excerpt::excerpt;
use tars_base::domain::{ChunkId, Hit};
use tars_rank::join_excerpts;
use tars_store::{ChunkRow, Reader};
use tars_text::markdown::exchanges_in;
use tars_text::sentences::{MAX_SENTENCE, sentences};

/// Number of chunks before a hit in which its exchange may begin.
const CHUNKS_BEFORE: u32 = 6;
/// Maximum number of bytes of the person's words: about fifty tokens.
const MAX_BYTES: usize = 200;

/// Gives each hit in an answer of a saved chat the beginning of the person's words before it.
///
/// # Errors
/// The store failed.
pub fn add_requests(store: &dyn Reader, hits: &mut [Hit]) -> Result<(), SearchError> {
    let ids: Vec<ChunkId> = hits.iter().map(|hit| hit.id.clone()).collect();
    let chats = store.in_chats(&ids)?;
    for hit in hits.iter_mut().filter(|hit| chats.contains(&hit.id)) {
        let Some(chunk) = store.chunk_by_id(&hit.id)? else { continue };
        let rows = store.chunk_range(chunk.file, chunk.sequence.saturating_sub(CHUNKS_BEFORE), chunk.sequence)?;
        hit.request = request(hit, &rows).map(Box::new);
    }
    Ok(())
}

/// Returns the beginning of the person's words before a hit; `None` if it is no answer, or holds them itself. `rows` are its chunk and those
/// before it.
fn request(hit: &Hit, rows: &[ChunkRow]) -> Option<Hit> {
    let text = join_excerpts(rows.iter().cloned().map(excerpt).collect());
    let text = text.into_iter().find(|text| (text.start_line..=text.end_line).contains(&hit.line))?;
    let exchanges = exchanges_in(&text.content, text.start_line);
    let exchange = exchanges.into_iter().rfind(|exchange| exchange.line <= hit.line)?;
    if hit.line < exchange.answer_line {
        return None;
    }
    let row = rows.iter().find(|row| (row.start_line..=row.end_line).contains(&exchange.topic_line))?;
    let number = exchange.topic_line;
    let line = text.content.split('\n').nth(number - text.start_line)?;
    // A section that is not below the one of the chat is no part of it. The names of the sides may be headings themselves.
    let over_chat = match row.heading_at(exchange.line) {
        path if line_at(&text.content, exchange.line - text.start_line).starts_with('#') => {
            path.rsplit_once(" > ").map_or("", |(above, _)| above)
        }
        path => path,
    };
    if !hit.heading.starts_with(over_chat) {
        return None;
    }
    let request = Hit {
        id: row.id.clone(),
        heading: row.heading_at(number).to_owned(),
        start_line: number,
        start_column: 0,
        end_line: number,
        end_column: None,
        line: number,
        column: 0,
        content: line.to_owned(),
        superseded: None,
        explanation: None,
        preview: None,
        request: None,
        ..hit.clone()
    };
    let ends = sentences(line, MAX_SENTENCE).into_iter().map(|sentence| sentence.end);
    let fitting =
        ends.take_while(|end| *end <= MAX_BYTES).last().unwrap_or_else(|| line.floor_char_boundary(MAX_BYTES));
    Some(from_sentence(&request, line[..fitting].trim_end().len()))
}

fn line_at(text: &str, index: usize) -> &str {
    text.split('\n').nth(index).unwrap_or_default()
}

/// Returns hits with the requests before the answers among them as entries of their own, best first: the first `whole` hits, their requests,
/// then each other hit behind its own. A request comes once, and not if a hit shows its line. `entry` makes an entry of a request.
pub fn with_requests<T>(
    hits: Vec<T>,
    whole: usize,
    hit: impl Fn(&T) -> &Hit,
    entry: impl Fn(Hit) -> Option<T>,
) -> Vec<T> {
    let place = |hit: &Hit| (hit.collection.clone(), hit.path.clone(), hit.line);
    let mut known: HashSet<(String, String, usize)> = HashSet::new();
    for hit in hits.iter().map(&hit).filter(|hit| hit.request.is_none()) {
        known.extend((hit.start_line..=hit.end_line).map(|line| (hit.collection.clone(), hit.path.clone(), line)));
    }
    let mut new = |one: &T| {
        let request = hit(one).request.as_deref().filter(|request| known.insert(place(request)))?;
        entry(request.clone())
    };
    let (mut out, mut waiting) = (Vec::with_capacity(hits.len()), Vec::new());
    for (index, one) in hits.into_iter().enumerate() {
        let request = new(&one);
        if index < whole {
            waiting.extend(request);
        } else {
            out.append(&mut waiting);
            out.extend(request);
        }
        out.push(one);
    }
    out.append(&mut waiting);
    out
}

/// Moves each request in front of the first of its answers.
pub fn requests_first<T>(shown: Vec<T>, hit: impl Fn(&T) -> &Hit) -> Vec<T> {
    let mut out: Vec<T> = Vec::with_capacity(shown.len());
    for one in shown {
        let answers = |other: &T| {
            let request = hit(other).request.as_ref();
            request.is_some_and(|request| {
                let one = hit(&one);
                (&request.collection, &request.path, request.line) == (&one.collection, &one.path, one.line)
            })
        };
        let at = out.iter().position(answers).unwrap_or(out.len());
        out.insert(at, one);
    }
    out
}
