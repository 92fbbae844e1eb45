//! Converts one note from text to rows.

use tars_base::domain::{
    Chunk, CountTokens, Document, Exchange, LinkKind, NoteDate, NoteDateSource, Passage, TextHash,
};
use tars_store::NewChunk;
use tars_text::analysis::{self, date_tokens};
use tars_text::chunker::{self, ChunkOptions};
use tars_text::markdown;
use tars_text::redact::{redact, redact_path};

/// Maximum bytes of a person's message in a saved chat that count as names.
const MAX_SAID: usize = 1000;
/// Most footnotes from elsewhere in the note that count as words of a chunk.
const MAX_FOOTNOTES: usize = 50;

/// A parsed and cut note.
pub(super) struct Note {
    pub(super) document: Document,
    pub(super) chunks: Vec<Chunk>,
    headings: Vec<String>,
    dates: Vec<(NoteDate, usize, usize)>,
}

impl Note {
    pub(super) fn new(path: &str, text: &str, counter: &dyn CountTokens, options: &ChunkOptions) -> Self {
        // First of all, so that no secret reaches the full text, the model or an answer.
        let (path, text) = (redact_path(path), redact(text).text);
        let document = markdown::parse(&path, &text);
        let indexed = |line: &str| markdown::indexed_line(line).into_owned();
        let chunks = if document.private {
            Vec::new()
        } else if is_bare(&document) {
            vec![bare_title(&document)]
        } else {
            chunker::chunk(&document, &indexed, counter, options)
        };
        let headings = chunks.iter().map(Chunk::heading).collect();
        let mut dates = date_spans(&document);
        dates.sort_by_key(|(_, first, _)| *first);
        Self { document, chunks, headings, dates }
    }

    /// Returns the chunks as rows of the store.
    pub(super) fn rows(&self, path: &str) -> Vec<NewChunk> {
        let title = self.title_words(&redact_path(path));
        self.chunks
            .iter()
            .zip(&self.headings)
            .enumerate()
            .map(|(index, (chunk, heading))| NewChunk {
                start_line: chunk.start_line,
                start_column: chunk.start_column,
                end_line: chunk.end_line,
                end_column: chunk.end_column,
                heading: heading.clone(),
                content: chunk.content.as_str().into(),
                fts_title: analysis::index_text(&self.names(&title, heading, chunk)).into_owned(),
                fts_body: analysis::index_text(&self.body(chunk)).into_owned(),
                fts_meta: self.meta(chunk, index == 0),
                sections: chunk.sections.clone(),
                passages: chunk.passages.iter().map(Into::into).collect(),
            })
            .collect()
    }

    /// The names of the note and of a chunk's section. In a saved chat they are also what the person said, because people know a chat by
    /// their own words; beside an answer the first sentences.
    fn names(&self, title: &str, heading: &str, chunk: &Chunk) -> String {
        let document = &self.document;
        let mut names = format!("{title}\n{heading}");
        let over = match document.exchange(chunk.start_line) {
            Some(exchange) => vec![exchange.topic.as_str()],
            None => document.callouts_over(chunk.start_line),
        };
        for words in over {
            names.push('\n');
            names.push_str(words);
        }
        // A binary search, because a chat may have thousands of exchanges and chunks.
        let before = |line: usize| document.exchanges.partition_point(|exchange| exchange.line < line);
        for exchange in &document.exchanges[before(chunk.start_line)..before(chunk.end_line + 1)] {
            names.push('\n');
            names.push_str(&self.said(exchange));
        }
        names
    }

    /// Returns the text of a chunk as it is searched, with the footnotes that it cites.
    fn body(&self, chunk: &Chunk) -> String {
        let mut out = String::with_capacity(chunk.content.len());
        for line in chunk.content.lines() {
            out.push_str(&markdown::indexed_line(line));
            out.push('\n');
        }
        let lines = (chunk.start_line, chunk.end_line);
        for (_, footnote) in
            markdown::footnotes_of(&self.document, lines, &chunk.content).into_iter().take(MAX_FOOTNOTES)
        {
            out.push_str(&footnote);
            out.push('\n');
        }
        out
    }

    /// Returns the beginning of the person's message in an exchange, as it is searched.
    fn said(&self, exchange: &Exchange) -> String {
        let numbers = (exchange.line..exchange.answer_line).filter(|number| !self.document.is_opaque(*number));
        let mut said = String::new();
        for line in numbers.filter_map(|number| self.document.line(number)) {
            // A line of megabytes is cut into many chunks, and each of them asks for its beginning.
            said.push_str(&markdown::indexed_line(&line[..line.floor_char_boundary(4 * MAX_SAID)]));
            said.push('\n');
            if said.len() > MAX_SAID {
                break;
            }
        }
        said.truncate(said.floor_char_boundary(MAX_SAID));
        said
    }

    /// The names of the note: its title, its aliases and, if it differs from the title, its file name.
    fn title_words(&self, path: &str) -> String {
        let stem = path.rsplit('/').next().unwrap_or(path);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        let mut words = self.document.title.clone();
        if stem != self.document.title {
            words.push('\n');
            words.push_str(stem);
        }
        for alias in &self.document.aliases {
            words.push('\n');
            words.push_str(alias);
        }
        words
    }

    /// Returns the file names of the pictures and other files that a chunk embeds, unless they stand in its text: those with encoded
    /// characters (`a%20b.png`) and those of reference definitions.
    fn embedded_names(&self, chunk: &Chunk) -> impl Iterator<Item = &str> {
        let lines = chunk.start_line..=chunk.end_line;
        let links = self.document.links.iter().filter(move |link| lines.contains(&link.line));
        let embeds = links.filter(|link| link.kind == LinkKind::Embed && !link.target.contains("://"));
        let names = embeds.map(|link| link.target.rsplit('/').next().unwrap_or_default());
        names.filter(move |name| !chunk.content.contains(name))
    }

    /// Returns tags, dates and the names of embedded files as words. A date belongs to the chunks in its section; properties belong to the
    /// first chunk only.
    fn meta(&self, chunk: &Chunk, first: bool) -> String {
        let mut words: Vec<String> = self.document.tags.clone();
        if first {
            words.extend(self.document.properties.iter().map(|property| property.value.clone()));
        }
        words.extend(self.embedded_names(chunk).map(str::to_owned));
        let mut text = analysis::index_text(&words.join("\n")).into_owned();
        // Dates are sorted by the first line of their sections, so the sections after the chunk need no check.
        let behind = self.dates.partition_point(|(_, first, _)| *first <= chunk.end_line);
        let mut dates: Vec<String> = self.dates[..behind]
            .iter()
            .filter(|(_, _, last)| *last >= chunk.start_line)
            .flat_map(|(date, _, _)| date_tokens(date.date))
            .collect();
        dates.sort();
        dates.dedup();
        for token in dates {
            text.push('\n');
            text.push_str(&token);
        }
        text
    }
}

/// Whether a note has no text, or nothing but front matter.
fn is_bare(document: &Document) -> bool {
    let text = document.lines(document.body_line, document.line_count());
    document.front_matter_error.is_none() && text.trim().is_empty()
}

/// Returns the only chunk of a note without text: people make such notes for their titles, tags and properties.
fn bare_title(document: &Document) -> Chunk {
    let title = document.title.trim();
    // The vectors of bare dates are near each other, so that empty daily notes would answer for all others.
    let is_name = title.chars().any(char::is_alphabetic);
    let hash = TextHash::of(title);
    let passage = Passage { line: 1, text: title.to_owned(), hash, lineage: hash };
    Chunk {
        start_line: 1,
        start_column: 0,
        end_line: document.line_count().max(1),
        end_column: None,
        headings: Vec::new(),
        content: String::new(),
        sections: Vec::new(),
        passages: is_name.then_some(passage).into_iter().collect(),
    }
}

/// Returns the dates of a note with their line ranges: a heading's date holds only within its section. A limit applies, because a
/// note with more dates is no diary.
fn date_spans(document: &Document) -> Vec<(NoteDate, usize, usize)> {
    const MAX_DATES: usize = 20_000;
    let mut ends = vec![usize::MAX; document.headings.len()];
    let mut open: Vec<usize> = Vec::new();
    for (index, heading) in document.headings.iter().enumerate() {
        while let Some(outer) = open.pop_if(|outer| document.headings[*outer].level >= heading.level) {
            ends[outer] = heading.line - 1;
        }
        open.push(index);
    }
    let span = |date: &NoteDate| match date.source {
        NoteDateSource::Heading => {
            let index = document.headings.binary_search_by_key(&date.line, |heading| heading.line).ok()?;
            Some((*date, date.line, ends[index]))
        }
        NoteDateSource::FrontMatter | NoteDateSource::FileName => Some((*date, 0, usize::MAX)),
    };
    document.dates.iter().take(MAX_DATES).filter_map(span).collect()
}
