//! A trie as a double array (Aoe 1989): two numbers per node, found by index arithmetic.
//!
//! The child of node `s` by byte `b` is the node `base[s] ^ b`, if its `check` is `s`. The child by byte 0 marks the
//! end of a spelling; its `base` is the number of the piece. Node 0 is the root.

/// A node's `base` and `check`.
pub(in crate::bert) type Unit = [u32; 2];

/// `check` of an unused unit.
const FREE: u32 = u32::MAX;
/// `check` of the root, which is no node's child.
const ROOT: u32 = u32::MAX - 1;
/// Number of units that are added at once: the number of values of a byte, so that `base ^ byte` stays within them.
const BLOCK: usize = 256;
/// Number of free units to try for a node's children before units are added. A higher number makes the array little
/// smaller and building it much slower.
const TRIES: usize = 512;

/// Returns the child of `state` by `byte`. This is safe for any units.
pub(super) fn child(units: &[Unit], state: u32, byte: u8) -> Option<u32> {
    let [base, _] = units.get(state as usize)?;
    let next = base ^ u32::from(byte);
    (units.get(next as usize)?[1] == state).then_some(next)
}

/// Returns the number of the piece whose spelling leads to `state`.
pub(super) fn value(units: &[Unit], state: u32) -> Option<u32> {
    let end = child(units, state, 0)?;
    Some(units[end as usize][0])
}

/// Builds the trie of these spellings, which must be sorted by bytes, unique, non-empty and without a byte 0.
pub(in crate::bert) fn trie(pieces: &[(&[u8], u32)]) -> Vec<Unit> {
    let mut maker = Maker { units: Vec::new(), first_free: 1 };
    maker.grow();
    maker.units[0] = [0, ROOT];
    let mut open = vec![Node { state: 0, first: 0, last: pieces.len(), depth: 0 }];
    let mut children: Vec<(u8, usize, usize)> = Vec::new();
    while let Some(Node { state, first, last, depth }) = open.pop() {
        children.clear();
        for (place, (spelling, _)) in pieces.iter().enumerate().take(last).skip(first) {
            let label = spelling.get(depth).copied().unwrap_or(0);
            match children.last_mut() {
                Some((known, _, end)) if *known == label => *end = place + 1,
                _ => children.push((label, place, place + 1)),
            }
        }
        let base = maker.place(&children);
        maker.units[state as usize][0] = base;
        for (label, first, last) in &children {
            let unit = base ^ u32::from(*label);
            maker.units[unit as usize] = [if *label == 0 { pieces[*first].1 } else { 0 }, state];
            if *label != 0 {
                open.push(Node { state: unit, first: *first, last: *last, depth: depth + 1 });
            }
        }
    }
    maker.units
}

/// A node without its children so far: those of the pieces from `first` to `last`, which share `depth` bytes.
struct Node {
    state: u32,
    first: usize,
    last: usize,
    depth: usize,
}

struct Maker {
    units: Vec<Unit>,
    /// All units before this one are in use.
    first_free: usize,
}

impl Maker {
    fn grow(&mut self) {
        self.units.resize(self.units.len() + BLOCK, [0, FREE]);
    }

    /// Returns a base with free units for all children.
    fn place(&mut self, children: &[(u8, usize, usize)]) -> u32 {
        let Some((label, ..)) = children.first() else { return 0 };
        while self.units.get(self.first_free).is_some_and(|unit| unit[1] != FREE) {
            self.first_free += 1;
        }
        let free = (self.first_free..self.units.len()).filter(|unit| self.units[*unit][1] == FREE);
        let fits = |unit: usize| {
            let base = unit as u32 ^ u32::from(*label);
            let is_free = |other: u8| self.units[(base ^ u32::from(other)) as usize][1] == FREE;
            children.iter().all(|(other, ..)| is_free(*other)).then_some(base)
        };
        if let Some(base) = free.take(TRIES).find_map(fits) {
            return base;
        }
        // If many children do not fit among the first free units, more tries are unlikely to help.
        let base = self.units.len() as u32;
        self.grow();
        base
    }
}
