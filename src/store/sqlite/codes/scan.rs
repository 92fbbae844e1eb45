//! Vectors to codes, and the codes that may be of the nearest vectors.

use super::dot::dot;
use super::file::CodeFile;
use super::format::stride;

/// Codes that are compared at once: so many of them stay in the nearest cache.
const BLOCK: usize = 64;
/// A vector rounded to bytes.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// One byte a value (as `i8`), padded.
    pub(super) bytes: Vec<u8>,
    /// What they are multiplied by.
    pub(super) step: f32,
    /// Length of what rounding took away.
    pub(super) lack: f32,
}

impl Code {
    /// Rounds a vector.
    pub(super) fn of(vector: &[f32]) -> Self {
        let step = largest(vector) / 127.0;
        let mut bytes = Vec::with_capacity(stride(vector.len()));
        let mut lack = 0.0;
        for value in vector {
            let code = if step > 0.0 { (value / step).round() } else { 0.0 };
            lack += (value - code * step).powi(2);
            bytes.push((code as i8).cast_unsigned());
        }
        bytes.resize(stride(vector.len()), 0);
        Self { bytes, step, lack: lack.sqrt() }
    }
}

/// A question, rounded much finer than the codes: the products still add up within 32 bits.
struct Question {
    values: Vec<i16>,
    step: f32,
    /// Length of what rounding took away, and the last digits of the sums themselves.
    slack: f32,
}

impl Question {
    fn new(vector: &[f32]) -> Self {
        // No sum is larger than the number of values times 127 times this.
        let most = (i32::MAX as usize / (127 * vector.len().max(1))).clamp(1, 8191) as f32;
        let step = largest(vector).max(f32::MIN_POSITIVE) / most;
        let mut values: Vec<i16> = vector.iter().map(|value| (value / step).round() as i16).collect();
        let lost = vector.iter().zip(&values).map(|(value, code)| (value - f32::from(*code) * step).powi(2));
        let slack = lost.sum::<f32>().sqrt() + 1e-4;
        values.resize(stride(vector.len()), 0);
        Self { values, step, slack }
    }
}

/// Which slots are compared.
pub(super) enum Among {
    /// All but these, in any order.
    AllBut(Vec<usize>),
    /// These, in any order.
    Only(Vec<usize>),
}

/// Returns the rows of the vectors that may be among the `count` nearest to `vector`, all of those and few others.
pub(super) fn nearest(file: &CodeFile, vector: &[f32], among: &mut Among, count: usize) -> Vec<i64> {
    let question = Question::new(vector);
    let mut possible = Possible::new(file, &question, count);
    match among {
        Among::Only(slots) => {
            slots.sort_unstable();
            let (width, dot) = (file.stride(), dot());
            for slot in slots {
                let mut sum = [0];
                dot(&file.codes()[*slot * width..][..width], &question.values, &mut sum);
                possible.add(*slot, sum[0]);
            }
        }
        Among::AllBut(slots) => {
            slots.sort_unstable();
            possible.add_all(file, slots);
        }
    }
    possible.slots().map(|slot| file.id(slot)).collect()
}

/// The vectors that may still be among the nearest.
struct Possible<'a> {
    steps: &'a [[u8; 4]],
    lacks: &'a [[u8; 4]],
    question: &'a Question,
    count: usize,
    /// Slot, and the similarity by codes.
    kept: Vec<(usize, f32)>,
    /// So many vectors as are wanted are at least as near as this.
    at_least: f32,
}

impl<'a> Possible<'a> {
    fn new(file: &'a CodeFile, question: &'a Question, count: usize) -> Self {
        let (steps, lacks) = (file.steps(), file.lacks());
        Self { steps, lacks, question, count, kept: Vec::new(), at_least: f32::NEG_INFINITY }
    }

    /// Adds all slots but those of `without`, which is ascending.
    fn add_all(&mut self, file: &CodeFile, without: &[usize]) {
        let (width, dot) = (file.stride(), dot());
        let mut without = without.iter().peekable();
        let mut sums = [0; BLOCK];
        for start in (0..file.len()).step_by(BLOCK) {
            let sums = &mut sums[..BLOCK.min(file.len() - start)];
            dot(&file.codes()[start * width..][..sums.len() * width], &self.question.values, sums);
            for (slot, sum) in (start..).zip(sums.iter()) {
                if without.next_if_eq(&&slot).is_none() {
                    self.add(slot, *sum);
                }
            }
        }
    }

    #[inline]
    fn add(&mut self, slot: usize, sum: i32) {
        let similarity = sum as f32 * f32::from_le_bytes(self.steps[slot]) * self.question.step;
        if similarity + self.bound(slot) >= self.at_least {
            self.kept.push((slot, similarity));
            if self.kept.len() >= 4 * self.count + 1024 {
                self.cut();
            }
        }
    }

    /// How far a similarity may be off.
    fn bound(&self, slot: usize) -> f32 {
        f32::from_le_bytes(self.lacks[slot]) + self.question.slack
    }

    /// Drops what is too far by what is known now.
    fn cut(&mut self) {
        if self.kept.len() <= self.count || self.count == 0 {
            return;
        }
        let mut lowest: Vec<f32> = self.kept.iter().map(|(slot, near)| near - self.bound(*slot)).collect();
        let (_, at_least, _) = lowest.select_nth_unstable_by(self.count - 1, |one, other| other.total_cmp(one));
        self.at_least = *at_least;
        let mut kept = std::mem::take(&mut self.kept);
        kept.retain(|(slot, near)| near + self.bound(*slot) >= self.at_least);
        self.kept = kept;
    }

    fn slots(mut self) -> impl Iterator<Item = usize> {
        self.cut();
        self.kept.into_iter().map(|(slot, _)| slot)
    }
}

fn largest(vector: &[f32]) -> f32 {
    vector.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}
