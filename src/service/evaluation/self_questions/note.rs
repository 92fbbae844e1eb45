//! The notes as they were indexed.

use crate::{App, Result, VAULT};
use tars_base::domain::{Document, Heading, MemoryType};
use tars_store::Reader;
use tars_text::markdown;
use tars_text::redact::{redact, redact_path};

/// Minimum number of letters and digits of a text that can be found.
const ENOUGH: usize = 40;

/// A note with its content.
#[derive(Debug)]
pub(super) struct SourceNote {
    /// Name of its collection.
    pub(super) collection: String,
    /// Path relative to the collection's root.
    pub(super) path: String,
    /// Whether it is a memory file by its path.
    pub(super) is_memory: bool,
    /// The parsed text, with secrets redacted.
    pub(super) document: Document,
}

/// Returns the indexed notes whose files are unchanged, by collection and path, and the number of changed ones.
///
/// # Errors
/// The index cannot be read, or no root is configured.
pub(super) fn read_notes(app: &App, store: &dyn Reader) -> Result<(Vec<SourceNote>, usize)> {
    let config = &app.settings.config;
    let roots = app.roots()?;
    let (mut notes, mut changed) = (Vec::new(), 0);
    for collection in store.collections()? {
        let Some(root) = roots.iter().find(|root| root.name == collection.name) else { continue };
        for file in store.files(collection.id)? {
            let source = app.read_note(&root.path, &file.path);
            let Some(source) = source.ok().filter(|source| source.hash == file.content_hash) else {
                changed += 1;
                continue;
            };
            let kind = MemoryType::of_path(&file.path, &config.vault.memory_folder);
            notes.push(SourceNote {
                document: markdown::parse(&redact_path(&file.path), &redact(&source.text).text),
                collection: collection.name.clone(),
                path: file.path,
                is_memory: collection.name == VAULT && kind != MemoryType::Note,
            });
        }
    }
    Ok((notes, changed))
}

impl SourceNote {
    /// Returns the path without the extension.
    pub(super) fn stem_path(&self) -> &str {
        let name = self.path.rfind('/').map_or(0, |slash| slash + 1);
        self.path[name..].rfind('.').map_or(&self.path, |dot| &self.path[..name + dot])
    }

    /// Returns the file name without the extension.
    pub(super) fn stem(&self) -> &str {
        self.stem_path().rsplit('/').next().unwrap_or_default()
    }

    /// Whether a heading only repeats the title.
    pub(super) fn is_title(&self, heading: &Heading) -> bool {
        heading.level == 1 && heading.text == self.document.title
    }

    /// Returns the last line of the section under heading number `index`.
    pub(super) fn section_end(&self, index: usize) -> usize {
        let headings = &self.document.headings;
        let next = headings[index + 1..].iter().find(|next| next.level <= headings[index].level);
        next.map_or(self.document.line_count(), |next| next.line - 1)
    }

    /// Whether these lines hold enough text besides headings.
    pub(super) fn has_text(&self, first: usize, last: usize) -> bool {
        let document = &self.document;
        let lines = (first.max(document.body_line)..=last)
            .filter(|line| document.headings.binary_search_by_key(line, |heading| heading.line).is_err());
        let text = lines.filter_map(|line| document.line(line)).flat_map(str::chars);
        text.filter(|character| character.is_alphanumeric()).take(ENOUGH).count() == ENOUGH
    }
}
