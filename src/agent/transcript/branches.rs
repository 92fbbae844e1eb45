//! Finds the requests of a conversation that the person has gone back behind.
//!
//! Each entry of a transcript names the entry before it. A person who rewinds a conversation continues it from an earlier entry: the file
//! then holds both branches, and only the one that ends in the last entry goes on. A compaction begins a new chain of entries, and parts
//! of a chain may be missing. So a request counts as abandoned only if its branch visibly leaves the one that goes on.

use std::collections::{HashMap, HashSet};

use crate::client::EntryLink;
use tars_base::domain::ContentHash;

/// The key of an entry: a hash of its id, so that a long transcript needs little memory.
type Key = u64;

/// The entries of a transcript and their predecessors.
#[derive(Debug, Default)]
pub(super) struct Branches {
    entries: HashMap<Key, Entry>,
    /// The last entry of the branch that goes on, as far as read.
    leaf: Option<Key>,
    /// Whether any entry names the one before it: some programs write no links.
    is_linked: bool,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    place: usize,
    /// The entry before it; `None` at the start of a chain.
    before: Option<Key>,
    /// Whether a chain begins here because the conversation was compacted.
    is_boundary: bool,
}

impl Branches {
    /// Adds the next entry of the file.
    pub(super) fn add(&mut self, link: EntryLink) {
        if let Some(leaf) = link.leaf.as_deref().map(key).filter(|leaf| self.entries.contains_key(leaf)) {
            self.leaf = Some(leaf);
        }
        let Some(id) = link.id.as_deref().map(key) else { return };
        let place = self.entries.len();
        let entry = Entry { place, before: link.before.as_deref().map(key), is_boundary: link.is_boundary };
        self.is_linked |= entry.before.is_some();
        self.entries.entry(id).or_insert(entry);
        self.leaf = Some(id);
    }

    /// Returns the keys of the entries of abandoned branches.
    pub(super) fn abandoned(&self) -> Abandoned {
        let Some(leaf) = self.leaf.filter(|_| self.is_linked) else { return Abandoned::default() };
        let mut chain = HashSet::new();
        let mut at = leaf;
        let root = loop {
            let Some(entry) = self.entries.get(&at).filter(|_| chain.insert(at)) else { break None };
            match entry.before {
                Some(before) => at = before,
                None => break Some(entry),
            }
        };
        // The place at which the conversation began again from nothing.
        let restarted = root.filter(|root| !root.is_boundary).map_or(0, |root| root.place);
        // Whether the chain of an entry ends in an abandoned branch, for each entry that was looked up.
        let mut known: HashMap<Key, bool> = HashMap::new();
        for start in self.entries.keys() {
            let (mut at, mut path) = (*start, Vec::new());
            let is_abandoned = loop {
                if let Some(is_abandoned) = known.get(&at) {
                    break *is_abandoned;
                }
                if chain.contains(&at) {
                    // Entries after the last one only continue it.
                    break at != leaf && !path.is_empty();
                }
                path.push(at);
                // A damaged file may hold a circle.
                let Some(entry) = self.entries.get(&at).filter(|_| path.len() <= self.entries.len()) else {
                    break false;
                };
                match entry.before {
                    Some(before) => at = before,
                    None => break entry.place < restarted && !entry.is_boundary,
                }
            };
            known.extend(path.into_iter().map(|at| (at, is_abandoned)));
        }
        Abandoned(known.into_iter().filter(|(_, is_abandoned)| *is_abandoned).map(|(at, _)| at).collect())
    }
}

/// The entries of abandoned branches.
#[derive(Debug, Default)]
pub(super) struct Abandoned(HashSet<Key>);

impl Abandoned {
    /// Whether the entry with this id lies on an abandoned branch.
    pub(super) fn holds(&self, id: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&key(id))
    }
}

fn key(id: &str) -> Key {
    let hash = ContentHash::of(id.as_bytes());
    Key::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds entries as (id, entry before it); an id in capitals is a boundary of a compaction.
    fn abandoned(entries: &[(&str, &str)]) -> Vec<String> {
        let mut branches = Branches::default();
        for (id, before) in entries {
            let named = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let is_boundary = id.chars().all(char::is_uppercase);
            branches.add(EntryLink { id: named(id), before: named(before), is_boundary, leaf: None });
        }
        let found = branches.abandoned();
        entries.iter().map(|(id, _)| (*id).to_owned()).filter(|id| found.holds(id)).collect()
    }

    #[test]
    fn a_branch_that_was_left_is_abandoned() {
        assert_eq!(abandoned(&[("a", ""), ("b", "a"), ("c", "b"), ("d", "c"), ("e", "b")]), ["c", "d"]);
        assert_eq!(abandoned(&[("a", ""), ("b", "a"), ("c", ""), ("d", "c")]), ["a", "b"], "from the beginning");
        let twice = [("a", ""), ("b", "a"), ("c", "a"), ("d", "c"), ("e", "a")];
        assert_eq!(abandoned(&twice), ["b", "c", "d"]);
    }

    #[test]
    fn compactions_gaps_and_circles_abandon_nothing() {
        assert_eq!(abandoned(&[("a", ""), ("b", "a"), ("C", ""), ("d", "C")]), [""; 0]);
        assert_eq!(abandoned(&[("a", ""), ("b", "a"), ("d", "lost"), ("e", "d")]), [""; 0]);
        assert_eq!(abandoned(&[("a", "b"), ("b", "a"), ("c", "")]), [""; 0]);
        assert_eq!(abandoned(&[("a", ""), ("b", ""), ("c", "")]), [""; 0], "nothing is linked");
        assert_eq!(abandoned(&[]), [""; 0]);
    }

    #[test]
    fn a_branch_left_before_a_compaction_is_known_by_its_place() {
        let entries = [("a", ""), ("b", "a"), ("c", "a"), ("D", "c"), ("e", "D")];
        assert_eq!(abandoned(&entries), ["b"]);
    }
}
