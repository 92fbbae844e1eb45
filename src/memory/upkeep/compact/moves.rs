//! Plans the moves of a summary's sources into the archive, and finds links that a move would break.

use std::collections::{BTreeMap, BTreeSet};

use super::MonthSources;
use crate::{ARCHIVED_DAYS, ARCHIVED_SESSIONS};
use tars_base::domain::{Link, LinkKind};
use tars_text::markdown;
use tars_text::names::NoteNames;

/// A planned move, as file names within the memory folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// Current name.
    pub from: String,
    /// New name.
    pub to: String,
}

/// A log that does not move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmovedLog {
    /// The log.
    pub file: String,
    /// Why it does not move.
    pub reason: &'static str,
}

/// A link in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkPlace {
    /// Path of the note, relative to the vault.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its target.
    pub target: String,
}

/// Plans the moves of a month's logs. Returns the moves and the logs that stay. `known` are the files of the memory folder.
pub fn moves(sources: &MonthSources, known: &[String]) -> (Vec<Move>, Vec<UnmovedLog>) {
    let (mut moves, mut kept) = (Vec::new(), Vec::new());
    for log in sources.files.iter().filter(|log| !log.is_moved) {
        let name = log.file.rsplit('/').next().unwrap_or(&log.file);
        let folder = if log.is_session { ARCHIVED_SESSIONS } else { ARCHIVED_DAYS };
        let to = format!("{folder}/{name}");
        let reason = match () {
            () if sources.waiting.contains(&log.file) => Some("lines of it wait for a review"),
            () if known.contains(&to) => Some("the archive has a file of this name"),
            () => None,
        };
        match reason {
            Some(reason) => kept.push(UnmovedLog { file: log.file.clone(), reason }),
            None => moves.push(Move { from: log.file.clone(), to }),
        }
    }
    (moves, kept)
}

/// Notes of a vault before and after some of them move.
#[derive(Debug)]
pub struct MovedNotes<'a> {
    moved: &'a BTreeMap<String, String>,
    before: NoteNames<'a>,
    after: NoteNames<'a>,
}

impl<'a> MovedNotes<'a> {
    /// Takes the paths of all notes before the moves. `moved` maps old to new paths in the vault.
    pub fn new(notes: &'a [String], moved: &'a BTreeMap<String, String>) -> Self {
        let after = notes.iter().map(|path| moved.get(path).unwrap_or(path).as_str());
        Self { moved, before: NoteNames::of(notes.iter().map(String::as_str)), after: NoteNames::of(after) }
    }

    /// Returns the links of a note that the moves would break. `path` is the note's own path before the moves.
    pub fn broken_links(&self, path: &str, text: &str) -> Vec<LinkPlace> {
        let document = markdown::parse(path, text);
        let links = document.links.iter().filter(|link| self.is_broken(path, link));
        let place = |link: &Link| LinkPlace { path: path.to_owned(), line: link.line, target: link.target.clone() };
        let mut seen = BTreeSet::new();
        links.map(place).filter(|place| seen.insert((place.line, place.target.clone()))).collect()
    }

    fn is_broken(&self, path: &str, link: &Link) -> bool {
        let target = link.target.as_str();
        let new_path = self.moved.get(path);
        match self.before.linked(path, target) {
            Some(note) => self.after.linked(new_path.map_or(path, String::as_str), target) != Some(note),
            // A picture, for example. A moved note would look for it elsewhere.
            None => new_path.is_some() && link.kind == LinkKind::Markdown && is_relative(target),
        }
    }
}

fn is_relative(target: &str) -> bool {
    !target.is_empty() && !target.starts_with('/') && !target.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_by_path_break() {
        let moved = BTreeMap::from([
            ("tars/2026-03-14.md".to_owned(), "tars/archive/days/2026-03-14.md".to_owned()),
            ("tars/sessions/a.md".to_owned(), "tars/archive/sessions/a.md".to_owned()),
        ]);
        let text = "[[2026-03-14]] [[sessions/a|log]] [[tars/2026-03-14#Session|x]]\n[[tars/sessions/a]]\n\
                    [day](../tars/2026-03-14.md#s) [other](../tars/2026-03-15.md) [web](https://a.b/tars/2026-03-14.md)\n";
        let notes: Vec<String> =
            ["Garden/Plan.md", "Garden/Pump.md", "tars/2026-03-14.md", "tars/sessions/a.md"].map(str::to_owned).into();
        let moves = MovedNotes::new(&notes, &moved);
        let broken: Vec<(usize, String)> =
            moves.broken_links("Garden/Pump.md", text).into_iter().map(|link| (link.line, link.target)).collect();
        assert_eq!(
            broken,
            [
                (1, "tars/2026-03-14".to_owned()),
                (2, "tars/sessions/a".to_owned()),
                (3, "../tars/2026-03-14.md".to_owned()),
            ]
        );
        let own = "[plan](../Garden/Plan.md) [[Garden/Plan]] [[../Garden/Plan]] ![](../x.png) [x](x.png) [y](/y.png)\n";
        let own = moves.broken_links("tars/2026-03-14.md", own);
        let targets: Vec<&str> = own.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(targets, ["../Garden/Plan.md", "../Garden/Plan", "x.png"]);
    }
}
