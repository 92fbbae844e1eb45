//! Vectors as bytes in memory: a process that answers many questions finds the nearest without reading them all again.
//!
//! A code is a vector with each value rounded to a multiple of its largest value over 127; a second one holds what was
//! rounded away, in steps 254 times as fine. With each goes the length of what is still missing. By the Cauchy–Schwarz
//! inequality the similarity with a question's unit vector is off by no more than that length, so the codes tell for
//! certain which vectors cannot be among the nearest; the others are compared exactly, in the database. What is found is
//! the same as without codes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension};

use crate::store::StoreError;

/// More vectors than this are not kept: about 100 MB at 384 dimensions.
const MOST: usize = 125_000;
/// Steps of the second code in one of the first: it spans half a step on either side in 127 steps.
const FINER: f32 = 254.0;
/// The question's values are rounded to a multiple of its largest one over this; products of 16 and 8 bits over a thousand
/// dimensions still fit into 32 bits.
const FINE: f32 = 8191.0;

/// Codes that the connections of one process share, all to one database. Empty until the first question.
#[derive(Debug, Clone, Default)]
pub struct VectorCodes(Arc<Mutex<Codes>>);

#[derive(Debug, Default)]
struct Codes {
    /// Which state of the vectors this is; `None` before the first.
    version: Option<i64>,
    model: String,
    dimensions: usize,
    /// Row of each vector.
    ids: Vec<i64>,
    /// Beginning of the hash of its text: a row that is used again has another one.
    keys: Vec<i64>,
    /// What a code is multiplied by.
    scales: Vec<f32>,
    /// Length of what the first code lacks, and of what both lack.
    errors: Vec<[f32; 2]>,
    /// First codes, `dimensions` bytes a vector.
    coarse: Vec<i8>,
    /// Second codes.
    fine: Vec<i8>,
}

impl VectorCodes {
    /// Lets go of the memory; the next question reads the vectors again.
    pub fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Codes::default();
    }

    /// Returns the rows of the vectors that may be among the `count` nearest to `vector`, all of those and few others;
    /// `None` where there are too many vectors to keep.
    pub(super) fn nearest(
        &self,
        connection: &Connection,
        vector: &[f32],
        model: &str,
        count: usize,
    ) -> Result<Option<Vec<i64>>, StoreError> {
        let mut codes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !codes.refresh(connection, model, vector.len())? {
            *codes = Codes::default();
            return Ok(None);
        }
        Ok(Some(codes.candidates(vector, count)))
    }
}

impl Codes {
    /// Makes the codes those of the vectors as this connection sees them now. Returns `false` where there are too many.
    fn refresh(&mut self, connection: &Connection, model: &str, dimensions: usize) -> Result<bool, StoreError> {
        let sql = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'vectors'";
        let version: Option<i64> = connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
        if version.is_some() && self.version == version && self.model == model && self.dimensions == dimensions {
            return Ok(true);
        }
        if self.model != model || self.dimensions != dimensions {
            *self = Self { model: model.to_owned(), dimensions, ..Self::default() };
        }
        let mut known: HashMap<i64, usize> = self.ids.iter().enumerate().map(|(slot, id)| (*id, slot)).collect();
        let mut fresh: Vec<(i64, i64)> = Vec::new();
        let mut all = connection.prepare_cached("SELECT id, content_hash FROM vectors WHERE model = ?1")?;
        let mut rows = all.query([model])?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            let (id, hash) = (row.get(0)?, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
            let key = hash.first_chunk().map_or(0, |first| i64::from_le_bytes(*first));
            count += 1;
            match known.get(&id) {
                Some(slot) if self.keys[*slot] == key => {
                    known.remove(&id);
                }
                _ => fresh.push((id, key)),
            }
        }
        drop(rows);
        if count > MOST {
            return Ok(false);
        }
        let mut gone: Vec<usize> = known.into_values().collect();
        gone.sort_unstable_by(|one, other| other.cmp(one));
        gone.into_iter().for_each(|slot| self.remove(slot));
        let mut one = connection.prepare_cached("SELECT embedding FROM vectors WHERE id = ?1")?;
        for (id, key) in fresh {
            let blob: Vec<u8> = one.query_row([id], |row| row.get(0))?;
            let vector: Vec<f32> = blob.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
            if vector.len() == dimensions {
                self.push(id, key, &vector);
            }
        }
        self.version = version;
        Ok(true)
    }

    fn push(&mut self, id: i64, key: i64, vector: &[f32]) {
        let scale = largest(vector) / 127.0;
        let steps = |value: f32, step: f32| if step > 0.0 { (value / step).round() } else { 0.0 };
        let mut lacking = [0.0; 2];
        for value in vector {
            let coarse = steps(*value, scale);
            let rest = value - coarse * scale;
            let fine = steps(rest, scale / FINER);
            lacking[0] += rest.powi(2);
            lacking[1] += (rest - fine * scale / FINER).powi(2);
            self.coarse.push(coarse as i8);
            self.fine.push(fine as i8);
        }
        self.ids.push(id);
        self.keys.push(key);
        self.scales.push(scale);
        self.errors.push(lacking.map(f32::sqrt));
    }

    /// Puts the last vector in the place of another.
    fn remove(&mut self, slot: usize) {
        let last = self.ids.len() - 1;
        let width = self.dimensions;
        for codes in [&mut self.coarse, &mut self.fine] {
            codes.copy_within(last * width..(last + 1) * width, slot * width);
            codes.truncate(last * width);
        }
        self.ids.swap_remove(slot);
        self.keys.swap_remove(slot);
        self.scales.swap_remove(slot);
        self.errors.swap_remove(slot);
    }

    fn candidates(&self, vector: &[f32], count: usize) -> Vec<i64> {
        if self.ids.len() <= count {
            return self.ids.clone();
        }
        let fine = largest(vector).max(f32::MIN_POSITIVE) / FINE;
        let question: Vec<i16> = vector.iter().map(|value| (value / fine).round() as i16).collect();
        let rounded = vector.iter().zip(&question).map(|(value, code)| (value - f32::from(*code) * fine).powi(2));
        // What the question was rounded by, and the last digits of the sums themselves.
        let slack = rounded.sum::<f32>().sqrt() + 1e-4;
        let width = self.dimensions;
        let sum = |codes: &[i8], slot: usize| dot(&codes[slot * width..][..width], &question) as f32 * fine;
        let all = (0..self.ids.len()).map(|slot| (slot, sum(&self.coarse, slot) * self.scales[slot])).collect();
        let near = possible(all, count, |slot| self.errors[slot][0] + slack);
        let near = near
            .into_iter()
            .map(|(slot, score)| (slot, score + sum(&self.fine, slot) * self.scales[slot] / FINER))
            .collect();
        let nearest = possible(near, count, |slot| self.errors[slot][1] + slack);
        nearest.into_iter().map(|(slot, _)| self.ids[slot]).collect()
    }
}

/// Returns those of `scores` that may be among the `count` highest if each is off by no more than its `bound`.
fn possible(scores: Vec<(usize, f32)>, count: usize, bound: impl Fn(usize) -> f32) -> Vec<(usize, f32)> {
    if scores.len() <= count {
        return scores;
    }
    let mut lowest: Vec<f32> = scores.iter().map(|(slot, score)| score - bound(*slot)).collect();
    let (_, at_least, _) = lowest.select_nth_unstable_by(count - 1, |one, other| other.total_cmp(one));
    let at_least = *at_least;
    scores.into_iter().filter(|(slot, score)| score + bound(*slot) >= at_least).collect()
}

fn largest(vector: &[f32]) -> f32 {
    vector.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}

/// Sums the products in 32 bits; written so that the compiler uses the machine's wide multiplications.
fn dot(code: &[i8], question: &[i16]) -> i32 {
    code.iter().zip(question).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unit vectors from a small generator, in clusters so that many lie near each other.
    fn vectors(count: usize, dimensions: usize) -> Vec<Vec<f32>> {
        let mut seed = 1u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        let centres: Vec<Vec<f32>> = (0..8).map(|_| (0..dimensions).map(|_| next()).collect()).collect();
        (0..count)
            .map(|number| {
                let values = centres[number % 8].iter().map(|value| value + 0.3 * next()).collect::<Vec<f32>>();
                let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
                values.into_iter().map(|value| value / length).collect()
            })
            .collect()
    }

    #[test]
    fn the_nearest_are_always_among_the_candidates_and_few_others_are() {
        let all = vectors(4000, 96);
        let mut codes = Codes { dimensions: 96, ..Codes::default() };
        all.iter().enumerate().for_each(|(id, vector)| codes.push(id as i64, 0, vector));
        for question in all.iter().step_by(97) {
            let mut order: Vec<(f32, i64)> = all
                .iter()
                .enumerate()
                .map(|(id, vector)| (vector.iter().zip(question).map(|(one, other)| one * other).sum(), id as i64))
                .collect();
            order.sort_by(|one, other| other.0.total_cmp(&one.0));
            let found = codes.candidates(question, 100);
            for (_, id) in &order[..100] {
                assert!(found.contains(id), "{id}");
            }
            assert!(found.len() < 200, "{} candidates", found.len());
        }
        assert_eq!(codes.candidates(&all[0], 5000).len(), 4000);
    }

    #[test]
    fn what_is_removed_is_found_no_more() {
        let all = vectors(10, 16);
        let mut codes = Codes { dimensions: 16, ..Codes::default() };
        all.iter().enumerate().for_each(|(id, vector)| codes.push(id as i64, 0, vector));
        for slot in [9, 0, 3] {
            codes.remove(slot);
        }
        let mut found = codes.candidates(&all[5], 100);
        found.sort_unstable();
        assert_eq!(found, [1, 2, 4, 5, 6, 7, 8]);
        assert_eq!(codes.candidates(&all[5], 1)[0], 5);
    }

    #[test]
    fn a_vector_of_zeros_is_no_trouble() {
        let mut codes = Codes { dimensions: 4, ..Codes::default() };
        codes.push(1, 0, &[0.0; 4]);
        codes.push(2, 0, &[1.0, 0.0, 0.0, 0.0]);
        assert_eq!(codes.candidates(&[1.0, 0.0, 0.0, 0.0], 1), [2]);
        assert_eq!(codes.candidates(&[0.0; 4], 1).len(), 2);
    }
}
