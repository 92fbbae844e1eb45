//! Builds character tables in SentencePiece's format for tests. The integration tests use this file too.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

#[derive(Default)]
struct Node {
    children: BTreeMap<u8, Node>,
    /// Offset of the replacement.
    end: Option<u32>,
}

/// The written units, and the base of each node's children. Only the byte in a unit shows whose child it is, so all bases must differ.
#[derive(Default)]
struct Units {
    units: Vec<Option<u32>>,
    bases: Vec<usize>,
}

/// Returns a `precompiled_charsmap` for characters, or sequences of them, and their replacements.
pub(crate) fn charsmap(replacements: &[(&str, &str)]) -> String {
    let (mut root, mut text) = (Node::default(), Vec::new());
    for (from, to) in replacements {
        let end = from.bytes().fold(&mut root, |node, byte| node.children.entry(byte).or_default());
        end.end = Some(text.len() as u32);
        text.extend(to.bytes().chain([0]));
    }
    let mut units = Units::default();
    units.place(&root, 0, 0);
    // The size must be a multiple of 256 units.
    units.units.resize(units.units.len().next_multiple_of(256), None);
    let trie: Vec<u8> = units.units.into_iter().flat_map(|unit| unit.unwrap_or_default().to_le_bytes()).collect();
    STANDARD.encode([&(trie.len() as u32).to_le_bytes()[..], &trie, &text].concat())
}

impl Units {
    /// Writes the unit of a node that `label` leads to, and those of its children at a base with room for all of them.
    fn place(&mut self, node: &Node, at: usize, label: u8) {
        self.put(at, 0);
        let labels: Vec<u8> = node.end.map(|_| 0).into_iter().chain(node.children.keys().copied()).collect();
        let is_free = |unit: usize| self.units.get(unit).is_none_or(Option::is_none);
        let fits =
            |base: &usize| !self.bases.contains(base) && labels.iter().all(|label| is_free(base ^ usize::from(*label)));
        let base = (1..).find(fits).unwrap_or_default();
        self.bases.push(base);
        self.put(at, ((at ^ base) as u32) << 10 | u32::from(node.end.is_some()) << 8 | u32::from(label));
        // Reserves all units before any child looks for its own.
        labels.iter().for_each(|label| self.put(base ^ usize::from(*label), 0));
        if let Some(end) = node.end {
            self.put(base, 1 << 31 | end);
        }
        for (label, child) in &node.children {
            self.place(child, base ^ usize::from(*label), *label);
        }
    }

    fn put(&mut self, at: usize, unit: u32) {
        self.units.resize(self.units.len().max(at + 1), None);
        self.units[at] = Some(unit);
    }
}
