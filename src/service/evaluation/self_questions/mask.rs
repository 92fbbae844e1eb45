//! Hides names in notes.

use std::collections::BTreeSet;

use super::{Kind, Name, SourceNote};
use tars_base::domain::{Heading, Property};
use tars_text::markdown;

/// Replacement of a hidden name: it has no letter or digit, so no search finds it, and it is a complete YAML value.
const HIDDEN: &str = "_";

/// The hidden names of one note.
///
/// - Heading: the line keeps its level and its position, so that the chunks stay the same. The text disappears, also from the
///   heading paths of chunks and from the contexts of passages below.
/// - Title: hidden in the front matter's `title`, in level-one headings with that text, and in the file name, which changes
///   the path.
/// - Title and alias: also hidden everywhere in the front matter where they occur as whole words.
///
/// Other lines of the note, and other notes, keep the name: a search may rightly find a text that uses it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mask {
    headings: BTreeSet<usize>,
    names: BTreeSet<String>,
    /// The replacement path if the real one reveals a name.
    pub(super) path: Option<String>,
}

impl Mask {
    /// Hides a name of `note`. `spare` makes the file name unique among hidden ones. A link hides nothing, because it is in another note.
    pub(super) fn hide(&mut self, note: &SourceNote, name: &Name, spare: usize) {
        match name.kind {
            Kind::Heading => {
                self.headings.insert(name.heading);
            }
            Kind::Title => {
                let titles = note.document.headings.iter().enumerate().filter(|(_, heading)| note.is_title(heading));
                self.headings.extend(titles.map(|(index, _)| index));
                self.names.insert(name.text.clone());
                let (folder, extension) = (note.stem_path().len() - note.stem().len(), note.stem_path().len());
                // Two different marks distinguish files like two digits do.
                let marks = format!("{spare:b}").replace('0', HIDDEN).replace('1', "-");
                let stem = format!("{HIDDEN}{marks}");
                self.path = Some(format!("{}{stem}{}", &note.path[..folder], &note.path[extension..]));
            }
            Kind::Alias => {
                self.names.insert(name.text.clone());
            }
            Kind::Link => {}
        }
    }

    /// Returns the text of the note with its names hidden, line by line; `None` if that would change anything else.
    pub(super) fn apply(&self, note: &SourceNote) -> Option<String> {
        let document = &note.document;
        let mut text = String::with_capacity(document.source.len());
        for (index, line) in document.source.split_inclusive('\n').enumerate() {
            let number = index + 1;
            let heading = document.headings.binary_search_by_key(&number, |heading| heading.line).ok();
            match heading.filter(|index| self.headings.contains(index)) {
                Some(index) => {
                    let marks =
                        line.trim_start().starts_with('#').then(|| "#".repeat(document.headings[index].level.into()));
                    let end = &line[line.trim_end_matches(['\n', '\r']).len()..];
                    text.extend([marks.as_deref().unwrap_or_default(), " ", HIDDEN, end]);
                }
                None if number < document.body_line => text.push_str(&self.without_names(line)),
                None => text.push_str(line),
            }
        }
        self.has_hidden(note, &text).then_some(text)
    }

    fn without_names(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for name in &self.names {
            let mut out = String::with_capacity(line.len());
            let mut rest = 0;
            for (at, _) in line.match_indices(name.as_str()) {
                let end = at + name.len();
                let joins = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
                if !joins(line[..at].chars().next_back()) && !joins(line[end..].chars().next()) {
                    out.push_str(&line[rest..at]);
                    out.push_str(HIDDEN);
                    rest = end;
                }
            }
            out.push_str(&line[rest..]);
            line = out;
        }
        line
    }

    /// Whether the names are gone and the structure of the note is unchanged.
    fn has_hidden(&self, note: &SourceNote, text: &str) -> bool {
        let before = &note.document;
        let after = markdown::parse(self.path.as_deref().unwrap_or(&note.path), text);
        places(&before.headings).eq(places(&after.headings))
            && (before.line_count(), before.body_line) == (after.line_count(), after.body_line)
            && keys(&before.properties).eq(keys(&after.properties))
            && after.front_matter_error.is_none()
            && self.headings.iter().all(|index| after.headings[*index].text == HIDDEN)
            && !self.names.iter().any(|name| after.title == *name || after.aliases.contains(name))
    }
}

fn places(headings: &[Heading]) -> impl Iterator<Item = (usize, u8)> {
    headings.iter().map(|heading| (heading.line, heading.level))
}

fn keys(properties: &[Property]) -> impl Iterator<Item = &str> {
    properties.iter().map(|property| property.name.as_str())
}
