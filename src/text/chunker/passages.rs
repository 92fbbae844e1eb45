//! Cuts spans into passages that fit the model's window, with their context before them.

use super::ChunkOptions;
use super::boundaries::{Line, LineStart};
use crate::languages::HeadingWords;
use crate::markdown::footnotes_of;
use crate::sentences::pieces;
use tars_base::domain::{ContentHash, CountTokens, Document, Passage, TextHash, TitleSource};

/// Denominator of the share of the window that the context prefix may take.
const PREFIX_SHARE: usize = 4;

/// Makes the passages of one document.
pub(super) struct PassageMaker<'a> {
    document: &'a Document,
    counter: &'a dyn CountTokens,
    options: &'a ChunkOptions,
}

impl<'a> PassageMaker<'a> {
    pub(super) fn new(document: &'a Document, counter: &'a dyn CountTokens, options: &'a ChunkOptions) -> Self {
        Self { document, counter, options }
    }

    /// Returns the passages of a chunk's own lines, in order.
    pub(super) fn passages(&self, lines: &[Line]) -> Vec<Passage> {
        let limit = self.limit();
        let mut out = Vec::new();
        let mut open: Vec<&Line> = Vec::new();
        for line in lines {
            if line.starts_passage {
                self.close(&open, &mut out);
                open.clear();
            }
            open.push(line);
            if line.tokens > limit {
                for text in split(&line.text, limit, self.counter) {
                    self.add(text, line.number, &mut out);
                }
                open.clear();
            }
        }
        self.close(&open, &mut out);
        out
    }

    /// Returns the maximum number of text tokens in a passage.
    pub(super) fn limit(&self) -> usize {
        let window = self.options.window_tokens;
        let room = if self.options.context_prefix { window - window / PREFIX_SHARE } else { window };
        self.options.passage_tokens.min(room).max(1)
    }

    fn close(&self, open: &[&Line], out: &mut Vec<Passage>) {
        // Headings without a fact add nothing.
        if self.options.facts
            && open.iter().all(|line| line.begins == LineStart::Section || line.text.trim().is_empty())
        {
            return;
        }
        let mut text = open.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        let first = open.iter().find(|line| !line.text.trim().is_empty()).map_or(0, |line| line.number);
        let lines = (open.first().map_or(0, |line| line.number), open.last().map_or(0, |line| line.number));
        let mut apart = Vec::new();
        for (citing, footnote) in footnotes_of(self.document, lines, &text) {
            if self.counter.count(&text) + self.counter.count(&footnote) <= self.limit() {
                text = format!("{text}\n{footnote}");
            } else {
                let line = open.iter().find(|line| line.number == citing).map_or("", |line| line.text.trim());
                apart.push(format!("{line}\n{footnote}"));
            }
        }
        // A footnote that does not fit is found with the line that cites it.
        [text].into_iter().chain(apart).for_each(|text| self.add(&text, first, out));
    }

    /// Adds text that begins in line `first` as one passage, or as several if the counter finds more tokens in the whole than
    /// in its lines.
    fn add(&self, text: &str, first: usize, out: &mut Vec<Passage>) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let prefix = self.prefix(first, true);
        let declared = match self.document.title_source {
            TitleSource::FileName => Some(self.prefix(first, false)),
            _ => None,
        };
        let room = self.options.window_tokens.saturating_sub(self.counter.count(&prefix)).max(1);
        let whole = [text];
        let parts = if self.counter.count(text) <= room { whole.to_vec() } else { split(text, room, self.counter) };
        out.extend(parts.into_iter().filter(|part| !part.trim().is_empty()).map(|part| {
            let text = if prefix.is_empty() { part.to_owned() } else { format!("{prefix}\n{part}") };
            let hash = TextHash::of(&text);
            let lineage = declared
                .as_ref()
                .map_or(hash, |declared| ContentHash::of_parts([declared.as_bytes(), part.as_bytes()]).into());
            Passage { line: first, hash, lineage, text }
        }));
    }

    /// Returns `title > heading > heading` of a line, shortened to its share of the window. For facts, generic headings
    /// (`Memory > Facts`) are left out: a fact is short, and they would dominate its vector.
    fn prefix(&self, line: usize, with_title: bool) -> String {
        if !self.options.context_prefix {
            return String::new();
        }
        let mut parts: Vec<&str> = self.document.heading_path(line);
        if with_title && parts.first() != Some(&self.document.title.as_str()) {
            parts.insert(0, &self.document.title);
        }
        let says_nothing = |part: &str| part.is_empty() || self.options.facts && HeadingWords::is_plain(part);
        parts.retain(|part| !says_nothing(part));
        match self.document.exchange(line) {
            // An answer says little without what was asked.
            Some(exchange) => parts.push(&exchange.topic),
            None => parts.extend(self.document.callouts_over(line)),
        }
        let budget = self.options.window_tokens / PREFIX_SHARE;
        while !parts.is_empty() {
            let prefix = parts.join(" > ");
            if self.counter.count(&prefix) <= budget {
                return prefix;
            }
            // The middle of a long path says least: the title names the subject, the last heading the detail.
            parts.remove(if parts.len() > 2 { parts.len() / 2 } else { parts.len() - 1 });
        }
        String::new()
    }
}

/// Splits `text` into pieces of at most `limit` tokens, at sentence ends if possible, else between words, else between characters.
fn split<'t>(text: &'t str, limit: usize, counter: &dyn CountTokens) -> Vec<&'t str> {
    let ranges = pieces(text, limit, &|text| counter.count(text), &[]);
    ranges.into_iter().map(|range| &text[range]).collect()
}
