//! Hiding names.

use std::collections::BTreeSet;

use super::{Kind, Name, SourceNote};
use crate::domain::{Heading, Property};
use crate::markdown;

/// What stands in place of a hidden name: no letter and no digit, so nothing to be found by; and a whole value in YAML.
const HIDDEN: &str = "_";

/// What is hidden in one note.
///
/// - A heading: its line keeps its level and its place, so that the note is cut as before; its text goes, and with it its part
///   in the heading path of all chunks and in the context of all passages below it.
/// - A title: the front matter's `title`, level-one headings of that text, and the file's name, which goes from the path.
/// - Another name, and a title too: every place in the front matter where it stands as whole words.
///
/// Other lines of the note, and other notes, keep the name: a text that uses it is rightly found by it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mask {
    headings: BTreeSet<usize>,
    names: BTreeSet<String>,
    /// The path under which the note is indexed where its own gives a name away.
    pub(super) path: Option<String>,
}

impl Mask {
    /// Hides a name of `note`; `spare` tells the file apart from others whose name is hidden. A link hides nothing: it stands in
    /// another note.
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
                // Two marks tell files apart as well as two digits do.
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

    /// Returns the text of the note with its names hidden, line for line; `None` where that cannot be done without changing
    /// something else.
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

    /// Whether the names are gone and the note is otherwise built as before.
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
