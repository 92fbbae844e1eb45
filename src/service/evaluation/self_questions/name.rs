//! The names that notes declare.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use regex::Regex;

use super::SourceNote;
use tars_base::domain::LinkKind;
use tars_text::markdown::dates_in_text;
use tars_text::names::{NoteNames, link_readings};

/// Longest name used as a question, in characters.
const LONGEST: usize = 200;

/// Kinds of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The heading of a section.
    Heading,
    /// The title of a note.
    Title,
    /// An alias of a note.
    Alias,
    /// The text of a link to a note in another note.
    Link,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Heading, Self::Title, Self::Alias, Self::Link];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Heading => "heading",
            Self::Title => "title",
            Self::Alias => "alias",
            Self::Link => "link",
        }
    }
}

/// A name and its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// Kind of the name.
    pub(super) kind: Kind,
    /// The name, which is the question.
    pub(super) text: String,
    /// Index of the target note, or of the note with the target section.
    pub(super) note: usize,
    /// For a heading, its index in that note.
    pub(super) heading: usize,
    /// For a link, the notes and lines that hold it.
    pub(super) places: Vec<(usize, usize)>,
}

/// Returns the unambiguous names, by note and kind. Names that make no good question are left out: without a letter, very
/// long, with a date in them (dates are found in other ways), or with hardly any text under them.
pub(super) fn names(notes: &[SourceNote]) -> Vec<Name> {
    let mut names = Vec::new();
    for (note, own) in notes.iter().enumerate() {
        let mut add = |kind: Kind, text: &str, heading: usize| {
            names.push(Name { kind, text: text.trim().to_owned(), note, heading, places: Vec::new() });
        };
        let document = &own.document;
        add(Kind::Title, &document.title, 0);
        document.aliases.iter().for_each(|alias| add(Kind::Alias, alias, 0));
        for (index, heading) in document.headings.iter().enumerate().filter(|(_, heading)| !own.is_title(heading)) {
            add(Kind::Heading, &heading.text, index);
        }
    }
    let mut uses: HashMap<String, usize> = HashMap::new();
    for name in &names {
        *uses.entry(name.text.to_lowercase()).or_default() += 1;
    }
    names.extend(links(notes).into_iter().filter(|link| !uses.contains_key(&link.text.to_lowercase())));
    names.retain(|name| {
        let own = &notes[name.note];
        let (first, last) = match name.kind {
            Kind::Heading => (own.document.headings[name.heading].line, own.section_end(name.heading)),
            Kind::Title | Kind::Alias | Kind::Link => (1, own.document.line_count()),
        };
        let hidden = name.kind != Kind::Title || !own.is_memory;
        let alone = name.kind == Kind::Link || uses[&name.text.to_lowercase()] == 1;
        hidden && alone && is_question(&name.text) && own.has_text(first, last)
    });
    names.sort_by_key(|name| (name.note, name.kind));
    names
}

fn is_question(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) && text.chars().count() <= LONGEST && dates_in_text(text).is_empty()
}

/// Returns the link texts that lead to exactly one note and are not its file name. Equal texts in several places make one name.
fn links(notes: &[SourceNote]) -> Vec<Name> {
    let paths = NoteNames::of(notes.iter().map(|note| note.path.as_str()));
    let mut found: BTreeMap<String, Linked> = BTreeMap::new();
    for (source, own) in notes.iter().enumerate() {
        let document = &own.document;
        let linked: BTreeSet<(usize, &str)> = document
            .links
            .iter()
            .filter(|link| link.kind != LinkKind::Embed)
            .map(|link| (link.line, link.target.as_str()))
            .collect();
        for line in linked.iter().map(|(line, _)| *line).collect::<BTreeSet<usize>>() {
            for (target, text) in texts(document.line(line).unwrap_or_default()) {
                // A link in code is not among the links of the document.
                if !linked.contains(&(line, target.as_str())) {
                    continue;
                }
                let readings = link_readings(&own.path, &target);
                let fitting = paths.find(&readings, |note| notes[note].collection == own.collection);
                let [note] = fitting[..] else { continue };
                let is_file_name = text.eq_ignore_ascii_case(&target) || text.eq_ignore_ascii_case(notes[note].stem());
                if note == source || is_file_name {
                    continue;
                }
                let linked = found.entry(text.to_lowercase()).or_insert_with(|| Linked { text, ..Linked::default() });
                linked.targets.insert(note);
                linked.places.push((source, line));
            }
        }
    }
    let name = |Linked { text, targets, places }| {
        let note = targets.first().copied().filter(|_| targets.len() == 1)?;
        Some(Name { kind: Kind::Link, text, note, heading: 0, places })
    };
    found.into_values().filter_map(name).collect()
}

/// Links with the same text.
#[derive(Default)]
struct Linked {
    text: String,
    targets: BTreeSet<usize>,
    places: Vec<(usize, usize)>,
}

/// Returns the targets and texts of the links in a line that have their own text.
fn texts(line: &str) -> Vec<(String, String)> {
    static WIKI: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[^!])\[\[([^\[\]|]+)\|([^\[\]]+)\]\]").expect("the pattern is a regular expression")
    });
    static MARKDOWN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[^!])\[([^\[\]]+)\]\(<?([^()<>]+?)>?\)").expect("the pattern is a regular expression")
    });
    // In a table, the bar is written as `\|`.
    let target = |text: &str| text.split('#').next().unwrap_or_default().trim_end_matches('\\').trim().to_owned();
    let text = |text: &str| text.trim_matches([' ', '*', '_', '`']).to_owned();
    let wiki = WIKI.captures_iter(line).map(|found| (target(&found[1]), text(&found[2])));
    let markdown = MARKDOWN.captures_iter(line).map(|found| (target(&found[2].replace("%20", " ")), text(&found[1])));
    wiki.chain(markdown).collect()
}
