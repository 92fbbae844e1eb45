//! Plans the moves of a summary's sources into the archive, and finds links that a move would break.

use std::collections::{BTreeMap, BTreeSet};

use super::MonthSources;
use crate::{ARCHIVED_DAYS, ARCHIVED_SESSIONS};
use tars_base::domain::LinkKind;
use tars_text::markdown;

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

/// Returns the links of a note that the moves would break. `moved` maps old to new paths in the vault, and `path` is the note's own path
/// before the moves.
pub fn broken_links(path: &str, text: &str, moved: &BTreeMap<String, String>) -> Vec<LinkPlace> {
    let document = markdown::parse(path, text);
    let is_broken = |kind: LinkKind, target: &str| match kind {
        LinkKind::Wiki | LinkKind::Embed => {
            let wanted = stem(target.split(['#', '^']).next().unwrap_or_default().trim()).to_lowercase();
            let leads_to = |path: &str| {
                let path = stem(path).to_lowercase();
                path == wanted || path.strip_suffix(&wanted).is_some_and(|rest| rest.ends_with('/'))
            };
            // Obsidian resolves links by the end of the path, so most links to a moved note keep working.
            !wanted.is_empty() && moved.iter().any(|(from, to)| leads_to(from) && !leads_to(to))
        }
        LinkKind::Markdown if target.contains("://") || target.is_empty() => false,
        LinkKind::Markdown => {
            let there = resolved(path, target);
            moved.contains_key(&there) || (moved.contains_key(path) && !target.starts_with('/'))
        }
    };
    let links = document.links.iter().filter(|link| is_broken(link.kind, &link.target));
    let place = |link: &tars_base::domain::Link| LinkPlace {
        path: path.to_owned(),
        line: link.line,
        target: link.target.clone(),
    };
    let mut seen = BTreeSet::new();
    links.map(place).filter(|place| seen.insert((place.line, place.target.clone()))).collect()
}

fn stem(path: &str) -> &str {
    path.strip_suffix(".md").unwrap_or(path)
}

/// Resolves a relative link of a note to a path in the vault.
fn resolved(note: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let mut parts: Vec<&str> = if target.starts_with('/') { Vec::new() } else { note.split('/').collect() };
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
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
        let broken: Vec<(usize, String)> =
            broken_links("Garden/Pump.md", text, &moved).into_iter().map(|link| (link.line, link.target)).collect();
        assert_eq!(
            broken,
            [
                (1, "tars/2026-03-14".to_owned()),
                (2, "tars/sessions/a".to_owned()),
                (3, "../tars/2026-03-14.md".to_owned()),
            ]
        );
        let own = broken_links("tars/2026-03-14.md", "[plan](../Garden/Plan.md) [[Garden/Plan]]\n", &moved);
        assert_eq!(own.iter().map(|link| link.target.as_str()).collect::<Vec<_>>(), ["../Garden/Plan.md"]);
        assert_eq!(resolved("tars/a/b.md", "../../c d.md"), "c d.md");
    }
}
