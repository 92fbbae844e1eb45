//! The codes that may be of the nearest vectors.

use super::code::from_upper_half;
use super::dot::dot;
use super::file::CodeFile;
use super::format::BLOCK;

/// How many deviations an estimate is trusted to be off by. Both what is looked at and what it is measured by are moved by
/// so many, so a vector is missed where the errors of two estimates together exceed twice that. On vectors of the shipped
/// model, 40 nearest of 23,000 and of 15,000: 0.998 of them with 1.25, 0.9998 with 1.5, all with 2, which looks at 1.6
/// times as many; of the ten nearest all with each of these.
const DEVIATIONS: f32 = 1.5;

/// A question, rotated, without the centre, and rounded to bytes, which is fine compared with the codes.
struct Question {
    values: Vec<i8>,
    /// What the sum of products with levels is multiplied by.
    scale: f32,
    /// What is taken away then: levels count from 0, codes from -3.
    shift: f32,
    /// What a spread is multiplied by.
    reach: f32,
}

impl Question {
    fn new(file: &CodeFile, vector: &[f32]) -> Self {
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        let unit: Vec<f32> = vector.iter().map(|value| value / length).collect();
        let rest = file.coder().rest(&unit);
        let largest = rest.iter().fold(f32::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
        let values: Vec<i8> = rest.iter().map(|value| (value / largest * 127.0).round() as i8).collect();
        let step = largest / 127.0;
        let sum: i32 = values.iter().map(|value| i32::from(*value)).sum();
        let size = rest.iter().map(|value| value * value).sum::<f32>().sqrt();
        Self { values, scale: 2.0 * step, shift: 3.0 * step * sum as f32, reach: DEVIATIONS * size }
    }
}

/// Which slots are compared: a bit for each place of each block.
pub(super) struct Admitted(Vec<u32>);

impl Admitted {
    /// All slots of a file but these.
    pub(super) fn all_but(file: &CodeFile, slots: impl Iterator<Item = usize>) -> Self {
        let mut blocks = vec![u32::MAX; file.len().div_ceil(BLOCK)];
        if let Some(last) = blocks.last_mut() {
            *last >>= (BLOCK - file.len() % BLOCK) % BLOCK;
        }
        for slot in slots {
            blocks[slot / BLOCK] &= !(1 << (slot % BLOCK));
        }
        Self(blocks)
    }

    /// These slots of a file.
    pub(super) fn only(file: &CodeFile, slots: impl Iterator<Item = usize>) -> Self {
        let mut blocks = vec![0; file.len().div_ceil(BLOCK)];
        for slot in slots {
            blocks[slot / BLOCK] |= 1 << (slot % BLOCK);
        }
        Self(blocks)
    }
}

/// Returns the rows of the vectors that may be among the `count` nearest to `vector`, in any order.
pub(super) fn nearest(file: &CodeFile, vector: &[f32], admitted: &Admitted, count: usize) -> Vec<i64> {
    let question = Question::new(file, vector);
    let dot = dot();
    let mut possible = Possible { count, kept: Vec::new(), at_least: f32::NEG_INFINITY };
    let (mut sums, mut most) = ([0; BLOCK], [0.0; BLOCK]);
    for (number, admitted) in admitted.0.iter().enumerate().filter(|(_, admitted)| **admitted != 0) {
        let (levels, numbers) = file.block(number);
        let [offsets, factors, spreads] = numbers;
        dot(levels, &question.values, &mut sums);
        for place in 0..BLOCK {
            let product = sums[place] as f32 * question.scale - question.shift;
            let near = from_upper_half(offsets[place]) + from_upper_half(factors[place]) * product;
            most[place] = near + from_upper_half(spreads[place]) * question.reach;
        }
        if most.iter().fold(f32::NEG_INFINITY, |most, one| most.max(*one)) < possible.at_least {
            continue;
        }
        for place in (0..BLOCK).filter(|place| admitted >> place & 1 == 1) {
            let least = most[place] - 2.0 * from_upper_half(spreads[place]) * question.reach;
            possible.add(Bounds { slot: number * BLOCK + place, least, most: most[place] });
        }
    }
    possible.slots().map(|slot| file.id(slot)).collect()
}

/// Between what the similarity of a vector with the question is taken to lie.
#[derive(Clone, Copy)]
struct Bounds {
    slot: usize,
    least: f32,
    most: f32,
}

/// The vectors that may still be among the nearest.
struct Possible {
    count: usize,
    kept: Vec<Bounds>,
    /// So many vectors as are wanted are at least as near as this.
    at_least: f32,
}

impl Possible {
    fn add(&mut self, bounds: Bounds) {
        if bounds.most >= self.at_least {
            self.kept.push(bounds);
            if self.kept.len() >= 4 * self.count + 1024 {
                self.cut();
            }
        }
    }

    /// Drops what is too far by what is known now.
    fn cut(&mut self) {
        if self.kept.len() <= self.count || self.count == 0 {
            return;
        }
        let (_, lowest, _) =
            self.kept.select_nth_unstable_by(self.count - 1, |one, other| other.least.total_cmp(&one.least));
        self.at_least = lowest.least;
        self.kept.retain(|bounds| bounds.most >= self.at_least);
    }

    fn slots(mut self) -> impl Iterator<Item = usize> {
        self.cut();
        self.kept.into_iter().map(|bounds| bounds.slot)
    }
}
