//! Samples the names.

use std::collections::BTreeMap;

use super::{Kind, Mask, Name, SourceNote};
use tars_base::domain::ContentHash;

/// Options of the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleOptions {
    /// Maximum number of names.
    pub size: usize,
    /// Seed of the sample. The same seed gives the same names, and mostly the same after notes were added.
    pub seed: u64,
}

/// The chosen names, and the masks of their notes by index.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pub(super) names: Vec<Name>,
    pub(super) masks: BTreeMap<usize, Mask>,
}

/// Chooses names from all kinds in turn and from as many notes as possible, so that few notes have several hidden names.
/// Names that cannot be hidden are skipped.
pub(super) fn sample(notes: &[SourceNote], names: Vec<Name>, options: SampleOptions) -> Sample {
    let mut queues: Vec<Vec<Name>> = Kind::ALL.map(|kind| queue(notes, &names, kind, options.seed)).into();
    let mut chosen = Sample::default();
    while chosen.names.len() < options.size && queues.iter().any(|queue| !queue.is_empty()) {
        for queue in &mut queues {
            while chosen.names.len() < options.size
                && let Some(name) = queue.pop()
            {
                let note = &notes[name.note];
                let mut mask = chosen.masks.get(&name.note).cloned().unwrap_or_default();
                mask.hide(note, &name, chosen.names.len());
                if mask.apply(note).is_none() {
                    continue;
                }
                if mask != Mask::default() {
                    chosen.masks.insert(name.note, mask);
                }
                chosen.names.push(name);
                break;
            }
        }
    }
    chosen
}

/// Returns the names of one kind in reverse order of choice: one of each note, then another of each, in an order given by the seed.
fn queue(notes: &[SourceNote], names: &[Name], kind: Kind, seed: u64) -> Vec<Name> {
    let mut order: Vec<(ContentHash, &Name)> = names
        .iter()
        .filter(|name| name.kind == kind)
        .map(|name| {
            let own = &notes[name.note];
            let parts = [own.collection.as_str(), own.path.as_str(), name.text.as_str()].map(str::as_bytes);
            (ContentHash::of_parts([&seed.to_le_bytes()[..]].into_iter().chain(parts)), name)
        })
        .collect();
    order.sort_by_key(|(hash, _)| *hash);
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ranked: Vec<(usize, Name)> = order
        .into_iter()
        .map(|(_, name)| {
            let round = taken.entry(name.note).or_default();
            *round += 1;
            (*round, name.clone())
        })
        .collect();
    ranked.sort_by_key(|(round, _)| *round);
    ranked.into_iter().rev().map(|(_, name)| name).collect()
}
