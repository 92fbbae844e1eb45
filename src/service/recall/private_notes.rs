//! Forgets what agents were shown of notes that their author has made private since.

use std::collections::BTreeMap;
use std::io;

use crate::App;
use tars_agent::recall::{ShownRecord, is_prefix_of_line};
use tars_base::domain::USER_NOTICE;
use tars_engine::index::HidingNote;
use tars_text::markdown::{self, list_item};
use tars_text::redact::{find, redact_path};

/// Shorter pieces stand in many lines.
const MIN_PIECE: usize = 3;

impl App {
    /// Removes from the recall ledger what these notes hide now. A failure is a warning, because the index is right.
    pub(crate) fn forget_hidden(&self, notes: &[HidingNote]) {
        let ledger = self.recall_ledger();
        if notes.is_empty() || !ledger.exists() {
            return;
        }
        if let Err(error) = notes.iter().try_for_each(|note| self.forget_hidden_note(note)) {
            let folder = ledger.folder().display();
            tracing::warn!(target: USER_NOTICE, "the recall ledger in {folder} still holds private lines: {error}");
        }
    }

    /// Forgets what the notes hide of these excerpts now, before the index has noticed. Returns whether anything was.
    pub(crate) fn forget_hidden_of(&self, all: &[ShownRecord]) -> bool {
        let mut notes: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for piece in all.iter().flat_map(|shown| &shown.pieces) {
            let lines = notes.entry((piece.collection.as_str(), piece.path.as_str())).or_default();
            lines.extend(piece.lines.iter().map(|line| line.text.as_str()));
        }
        let hides = |((collection, path), lines): ((&str, &str), Vec<&str>)| {
            let (collection, path) = (collection.to_owned(), path.to_owned());
            let note = HidingNote { collection, known_as: path.clone(), path, is_private: false };
            let hidden = self.hidden_in(&note)?;
            (hidden.is_whole || lines.into_iter().any(|line| hidden.holds(line))).then_some(note)
        };
        let hiding: Vec<HidingNote> = notes.into_iter().filter_map(hides).collect();
        self.forget_hidden(&hiding);
        !hiding.is_empty()
    }

    fn forget_hidden_note(&self, note: &HidingNote) -> io::Result<()> {
        let (ledger, known_as) = (self.recall_ledger(), redact_path(&note.known_as));
        match self.hidden_in(note) {
            Some(hidden) if hidden.is_whole => ledger.forget_note(&note.collection, &known_as),
            Some(hidden) => ledger.forget_lines(&note.collection, &known_as, &|kept| hidden.holds(kept)),
            None => Ok(()),
        }
    }

    /// Returns what a note hides; `None` if it hides nothing. A missing or unreadable note hides nothing that is known.
    fn hidden_in(&self, note: &HidingNote) -> Option<Hidden> {
        let root = self.roots().ok()?.into_iter().find(|root| root.name == note.collection)?;
        let limit = self.settings.config.index.max_file_size;
        let file = tars_vault::read_following(&root.path, &self.walk_options().follow_links, &note.path, limit).ok()?;
        let hidden = Hidden { is_whole: markdown::is_private(&file.text), ..Hidden::of(&file.text) };
        (hidden.is_whole || !hidden.lines.is_empty()).then_some(hidden)
    }
}

/// The text of private spans.
struct Hidden {
    /// Whether the whole note is private.
    is_whole: bool,
    /// The lines that a span touches, without its tags.
    lines: Vec<String>,
    /// The parts of the lines inside the spans.
    pieces: Vec<String>,
}

impl Hidden {
    fn of(text: &str) -> Self {
        let (mut lines, mut pieces) = (Vec::new(), Vec::new());
        for found in find(text).into_iter().filter(|found| found.kind == "private") {
            let start = text[..found.span.start].rfind('\n').map_or(0, |end| end + 1);
            let end = text[found.span.end..].find('\n').map_or(text.len(), |end| found.span.end + end);
            lines.extend(text[start..end].lines().map(without_tags).filter(|line| !line.is_empty()));
            let inside = text[found.span].lines().map(without_tags);
            pieces.extend(inside.filter(|piece| piece.chars().count() >= MIN_PIECE));
        }
        Self { is_whole: false, lines, pieces }
    }

    /// Whether a line of the ledger, which may be truncated, is hidden now.
    fn holds(&self, kept: &str) -> bool {
        self.lines.iter().any(|line| is_prefix_of_line(kept, line))
            || self.pieces.iter().any(|piece| kept.contains(piece))
    }
}

/// Returns a line without its marks of a list or a heading, and without tags that say `private`.
fn without_tags(line: &str) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some((before, behind)) = rest.split_once('<') {
        out.push_str(before);
        rest = match behind.split_once('>') {
            Some((tag, after)) if is_tag(tag) => after,
            _ => {
                out.push('<');
                behind
            }
        };
    }
    out.push_str(rest);
    let line = out.trim().trim_start_matches('#').trim();
    list_item(line).unwrap_or(line).trim().to_owned()
}

fn is_tag(tag: &str) -> bool {
    let name = tag.trim().trim_start_matches('/').trim_start();
    name.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("private"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_private_now_are_hidden_whole_or_in_part() {
        let note = "# Home\n\n- The alarm code is <private>4711</private>.\n<private>\n- The key lies under the pot.\n</private>\n- The door is green.\n";
        let hidden = Hidden::of(note);
        for (kept, is_hidden) in [
            ("- The alarm code is 4711.", true),
            ("- The alarm code is 47…", true),
            ("- The key lies under the pot.", true),
            ("- The key lies…", true),
            ("- The door is green.", false),
            ("", false),
        ] {
            assert_eq!(hidden.holds(kept), is_hidden, "{kept}");
        }
        assert!(Hidden::of("no tag").lines.is_empty());
    }
}
