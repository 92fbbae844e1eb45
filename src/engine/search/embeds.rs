//! The texts that a note embeds (`![[Note#Heading]]`), and the footnotes that it cites from elsewhere, beside the text.
//!
//! An embed leads to a note of the same collection that the index holds, so private and excluded notes stay hidden. Nothing is put into the
//! embedding text, whose lines keep their numbers.

use super::expand::{self, Embed, Expansion, Extent};
use super::known_notes::{KnownNames, KnownNotes};
use super::note::{self, NotePart, NoteReference};
use super::{SearchError, parse_reference};
use tars_store::{FileId, Reader};
use tars_text::markdown::{self, CodeFence};

/// Embeds within embeds.
const MAX_DEPTH: usize = 2;
/// Embeds of one answer, those of parts that are missing included, and the bytes of all their texts.
const MAX_EMBEDS: usize = 20;
const MAX_BYTES: usize = 16 << 10;
/// Embeds that are looked at in one text, marks of embeds in one line, and the longest target, in bytes.
const MAX_MARKS: usize = 1_000;
const MAX_TARGET: usize = 1_000;

/// Returns the text around the chunk whose id begins with `prefix`, with the texts that it embeds. If the chunk has been replaced, the
/// answer is the chunk that holds most of its lines now.
///
/// # Errors
/// The prefix is malformed, unknown or ambiguous, or the chunk's text is gone.
pub fn expand(store: &dyn Reader, prefix: &str, extent: Extent) -> Result<Expansion, SearchError> {
    with_embeds(store, expand::expand(store, prefix, extent)?)
}

/// Returns a part of the note that `name` refers to, in one of `collections` (an empty list admits all), with the texts that it embeds.
///
/// # Errors
/// No note has that name, several have, or the note has no such part.
pub fn note(
    reader: &dyn Reader,
    name: &str,
    part: &NotePart,
    collections: &[String],
) -> Result<Expansion, SearchError> {
    with_embeds(reader, note::note(reader, name, part, collections)?)
}

fn with_embeds(reader: &dyn Reader, mut text: Expansion) -> Result<Expansion, SearchError> {
    text.embeds = footnotes(reader, &text)?;
    if embedded(&text.content).next().is_none() {
        return Ok(text);
    }
    let known = KnownNotes::read(reader, std::slice::from_ref(&text.collection))?;
    if let Some(own) = known.position(&text.collection, &text.path) {
        let mut resolver =
            Resolver { reader, known: &known, names: known.names(), embeds: MAX_EMBEDS, bytes: MAX_BYTES };
        text.embeds.extend(resolver.resolve(&mut vec![own], text.start_line, &text.content)?);
        text.embeds.sort_by_key(|embed| embed.line);
    }
    Ok(text)
}

/// Returns the footnotes that a text cites and that stand elsewhere in its note, in the order of the citing lines.
fn footnotes(reader: &dyn Reader, text: &Expansion) -> Result<Vec<Embed>, SearchError> {
    if !text.content.contains("[^") {
        return Ok(Vec::new());
    }
    let Some(chunk) = reader.chunk_by_id(&text.id)? else { return Ok(Vec::new()) };
    let chunks = reader.chunk_range(chunk.file, 0, u32::MAX)?;
    let whole = note::whole(&chunks);
    // The front matter is gone, and a rule at the beginning must not look like another. So a blank line comes before the text.
    let document = markdown::parse("", &format!("\n{}", whole.content));
    let (inside, outside) = (|line: usize| line + 2 - whole.start_line, |line: usize| line + whole.start_line - 2);
    if text.start_line < whole.start_line {
        return Ok(Vec::new());
    }
    let cited = document.cited(inside(text.start_line), inside(text.end_line)).into_iter();
    let cited = cited.filter(|(_, note)| text.content.contains(&format!("[^{}]", note.label)));
    let mut bytes = MAX_BYTES;
    let mut found = Vec::new();
    for (line, footnote) in cited.take(MAX_EMBEDS) {
        let content = document.lines(footnote.start_line, footnote.end_line);
        // A definition in lines that are not indexed is blank.
        if content.trim().is_empty() || content.len() > bytes {
            continue;
        }
        bytes -= content.len();
        let start_line = outside(footnote.start_line);
        let row = chunks.iter().rfind(|chunk| chunk.start_line <= start_line);
        found.push(Embed {
            line: outside(line),
            path: text.path.clone(),
            heading: row.map(|row| row.heading_at(start_line).to_owned()).unwrap_or_default(),
            start_line,
            end_line: outside(footnote.end_line),
            content: content.to_owned(),
            is_cut: false,
            embeds: Vec::new(),
        });
    }
    Ok(found)
}

struct Resolver<'k> {
    reader: &'k dyn Reader,
    known: &'k KnownNotes,
    names: KnownNames<'k>,
    /// The embeds and bytes that may still be added.
    embeds: usize,
    bytes: usize,
}

impl Resolver<'_> {
    /// Returns what a text embeds. `chain` holds the embedding notes, the innermost last.
    fn resolve(&mut self, chain: &mut Vec<usize>, first: usize, content: &str) -> Result<Vec<Embed>, SearchError> {
        let mut found = Vec::new();
        let source = chain.last().copied().unwrap_or_default();
        for (offset, target) in embedded(content).take(MAX_MARKS) {
            if self.embeds == 0 || self.bytes == 0 {
                break;
            }
            let Some(named) = parse_reference(&format!("[[{target}]]")).into_iter().next() else { continue };
            let Some(index) = self.names.linked(source, &named.note).filter(|index| !chain.contains(index)) else {
                continue;
            };
            self.embeds -= 1;
            let Some(text) = self.text(self.known.file(index), &named)? else { continue };
            let end = text.content.floor_char_boundary(self.bytes.min(text.content.len()));
            let is_cut = end < text.content.len();
            let content = match is_cut {
                true => text.content[..end].rsplit_once('\n').map_or("", |(whole, _)| whole),
                false => &text.content,
            };
            self.bytes -= if is_cut { self.bytes } else { content.len() };
            chain.push(index);
            let embeds =
                if chain.len() > MAX_DEPTH { Vec::new() } else { self.resolve(chain, text.start_line, content)? };
            chain.pop();
            found.push(Embed {
                line: first + offset,
                end_line: text.start_line + content.split('\n').count() - 1,
                content: content.to_owned(),
                path: text.path,
                heading: text.heading,
                start_line: text.start_line,
                is_cut,
                embeds,
            });
        }
        Ok(found)
    }

    /// Returns the embedded part of a note; `None` if it has no such part. `page=3` is a page of a PDF.
    fn text(&self, file: FileId, named: &NoteReference) -> Result<Option<Expansion>, SearchError> {
        let page = |heading: &String| heading.strip_prefix("page=").map(|page| format!("Page {page}"));
        let part = match &named.heading {
            Some(heading) => NotePart::Section(page(heading).unwrap_or_else(|| heading.clone())),
            None => NotePart::Default,
        };
        match note::text(self.reader, file, &named.note, &part) {
            Ok(text) => Ok(Some(text)),
            Err(error @ SearchError::Store(_)) => Err(error),
            Err(_) => Ok(None),
        }
    }
}

/// Returns the embeds of a text outside of code, each with its line from 0 and its target.
fn embedded(content: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence = CodeFence::default();
    let lines = content.split('\n').enumerate().filter(move |(_, line)| !fence.holds(line));
    lines.filter(|(_, line)| line.contains("![[")).flat_map(|(at, line)| {
        let (mut seen, mut ticks) = (0, 0);
        line.match_indices("![[").take(MAX_MARKS).filter_map(move |(start, mark)| {
            ticks += line[seen..start].matches('`').count();
            seen = start;
            let rest = &line[start + mark.len()..];
            let (target, _) = rest[..rest.floor_char_boundary(MAX_TARGET)].split_once("]]")?;
            (ticks % 2 == 0).then_some((at, target))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embeds_outside_of_code_are_found_once() {
        let text = "`![[a]]` ![[b]]\n```\n![[c]]\n```\n![[d#e]] ![[f\n";
        assert_eq!(embedded(text).collect::<Vec<_>>(), [(0, "b"), (4, "d#e")]);
    }

    #[test]
    fn a_line_of_open_brackets_takes_no_time_by_its_square() {
        assert_eq!(embedded(&"`![[".repeat(300_000)).count(), 0);
    }
}
