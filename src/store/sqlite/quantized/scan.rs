//! Scans the levels for vectors that may be among the nearest.

use rusqlite::{Connection, OptionalExtension};

use super::block::{GROUP_VECTORS, GROUPS, Layout, Numbers, from_upper_half};
use super::dot::{Dot, dot as fastest};
use super::quantizer::PreparedQuery;
use super::slots::{Slot, layout_of};

/// Tolerated error of an estimate, in deviations. It applies both to a candidate and to the threshold, so a vector is missed only
/// if the errors of two estimates together exceed twice this.
const DEVIATIONS: f32 = 1.5;

/// Tolerated error if the threshold is exact, chosen so that a vector is missed as rarely.
const EXACT_DEVIATIONS: f32 = DEVIATIONS * std::f32::consts::SQRT_2;

/// A query quantized to bytes, which is precise compared to the levels.
struct QuantizedQuestion {
    values: Vec<i8>,
    /// Factor of the sum of products with levels.
    scale: f32,
    /// Subtracted afterwards: levels count from 0, while their values start at -3.
    shift: f32,
}

impl QuantizedQuestion {
    fn new(unit: &[f32]) -> Self {
        let largest = unit.iter().fold(f32::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
        let values: Vec<i8> = unit.iter().map(|value| (value / largest * 127.0).round() as i8).collect();
        let step = largest / 127.0;
        let sum: i32 = values.iter().map(|value| i32::from(*value)).sum();
        Self { values, scale: 2.0 * step, shift: 3.0 * step * sum as f32 }
    }
}

/// A scan of blocks for the vectors nearest to a query.
struct Scan {
    layout: Layout,
    unit: Vec<f32>,
    bytes: QuantizedQuestion,
    dot: Dot,
    possible: Possible,
}

/// Returns the vectors that may be among the `count` nearest to a query, unordered. `among` restricts the search to these rows,
/// ascending.
pub(in crate::sqlite) fn nearest(
    connection: &Connection,
    query: &PreparedQuery,
    among: Option<&[i64]>,
    count: usize,
) -> rusqlite::Result<Vec<Bounds>> {
    let mut scan = Scan::new(query, count);
    match among {
        None => {
            let mut statement = connection.prepare_cached("SELECT id, codes FROM vector_blocks ORDER BY id")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let block = row.get_ref(1)?.as_blob()?;
                scan.block(row.get(0)?, block, |_| u32::MAX);
            }
        }
        Some(ids) => {
            let mut statement = connection.prepare_cached("SELECT codes FROM vector_blocks WHERE id = ?1")?;
            for ids in ids.chunk_by(|one, other| Slot::of(*one).block == Slot::of(*other).block) {
                let number = Slot::of(ids[0]).block;
                let mut admitted = [0u32; GROUPS];
                for place in ids.iter().map(|id| Slot::of(*id)) {
                    admitted[place.group] |= 1 << place.slot;
                }
                let scanned = statement.query_row([number], |row| {
                    scan.block(number, row.get_ref(0)?.as_blob()?, |group| admitted[group]);
                    Ok(())
                });
                scanned.optional()?;
            }
        }
    }
    scan.possible.cut();
    Ok(scan.possible.kept)
}

impl Scan {
    fn new(query: &PreparedQuery, count: usize) -> Self {
        let length = (query.length as f32).max(f32::MIN_POSITIVE);
        let unit: Vec<f32> = query.vector.iter().map(|value| value / length).collect();
        let possible = Possible { count, kept: Vec::new(), at_least: f32::NEG_INFINITY, room: 4 * count + 1024 };
        Self { layout: Layout::new(unit.len()), bytes: QuantizedQuestion::new(&unit), unit, dot: fastest(), possible }
    }

    /// Scans a block; `admitted` returns a bit mask of the admitted slots of a group. A block of other dimensions is skipped.
    fn block(&mut self, number: i64, block: &[u8], admitted: impl Fn(usize) -> u32) {
        let Self { layout, unit, bytes, dot, possible } = self;
        if layout_of(block.len()) != Some(*layout) {
            return;
        }
        let centre = layout.centre(block);
        let far = unit.iter().zip(&centre).map(|(one, other)| (one - other) * (one - other)).sum::<f32>().sqrt();
        let reach = DEVIATIONS * far * layout.spread(1);
        let (mut sums, mut most) = ([0; GROUP_VECTORS], [0.0; GROUP_VECTORS]);
        for (group, codes) in block[layout.centre_len()..].chunks_exact(layout.group_len()).enumerate() {
            let admitted = admitted(group);
            if admitted == 0 {
                continue;
            }
            let (levels, Numbers { offsets, factors, spreads }) = layout.parts(codes);
            dot(levels, &bytes.values, &mut sums);
            for place in 0..GROUP_VECTORS {
                let product = sums[place] as f32 * bytes.scale - bytes.shift;
                let near = from_upper_half(offsets[place]) + from_upper_half(factors[place]) * product;
                most[place] = near + f32::from(spreads[place]) * reach;
            }
            // A vacant slot gives NaN, which is never kept.
            if most.iter().fold(f32::NEG_INFINITY, |most, one| most.max(*one)) < possible.at_least {
                continue;
            }
            for place in (0..GROUP_VECTORS).filter(|place| admitted >> place & 1 == 1) {
                let least = most[place] - 2.0 * f32::from(spreads[place]) * reach;
                let id = Slot { block: number, group, slot: place }.id();
                possible.add(Bounds { id, least, most: most[place] });
            }
        }
    }
}

/// The interval in which a vector's similarity to the query is assumed to lie.
#[derive(Debug, Clone, Copy)]
pub(in crate::sqlite) struct Bounds {
    /// The vector's row.
    pub(in crate::sqlite) id: i64,
    least: f32,
    most: f32,
}

impl Bounds {
    /// Returns the estimated similarity.
    pub(in crate::sqlite) fn estimate(self) -> f32 {
        (self.least + self.most) / 2.0
    }

    /// Whether the vector may be as near as the exact similarity `near`.
    pub(in crate::sqlite) fn reaches(self, near: f64) -> bool {
        let off_by = EXACT_DEVIATIONS / DEVIATIONS * (self.most - self.estimate());
        f64::from(self.estimate() + off_by) >= near
    }
}

/// The vectors that may still be among the nearest.
struct Possible {
    count: usize,
    kept: Vec<Bounds>,
    /// Lower bound of the `count`-th highest similarity.
    at_least: f32,
    /// Size of the list at which it is cut.
    room: usize,
}

impl Possible {
    fn add(&mut self, bounds: Bounds) {
        if bounds.most >= self.at_least {
            self.kept.push(bounds);
            if self.kept.len() >= self.room {
                self.cut();
                // If a cut drops few vectors, as when all are about equally near, wait longer before the next one.
                self.room = self.room.max(2 * self.kept.len());
            }
        }
    }

    /// Drops the vectors that can no longer be among the nearest.
    fn cut(&mut self) {
        if self.kept.len() <= self.count || self.count == 0 {
            return;
        }
        let (_, lowest, _) =
            self.kept.select_nth_unstable_by(self.count - 1, |one, other| other.least.total_cmp(&one.least));
        self.at_least = lowest.least;
        self.kept.retain(|bounds| bounds.most >= self.at_least);
    }
}

#[cfg(test)]
pub(in crate::sqlite) mod tests {
    use super::super::block::BLOCK_VECTORS;
    use super::super::quantizer::Quantizer;
    use super::super::{Levels, clear_slots, write};
    use super::*;

    /// Returns a generator of pseudo-random numbers from -1 to 1 with a fixed seed.
    pub(in crate::sqlite) fn numbers() -> impl FnMut() -> f32 {
        let mut seed = 1u64;
        move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        }
    }

    /// Returns unit vectors in clusters, so that many are near each other.
    fn vectors(count: usize, dimensions: usize) -> Vec<Vec<f32>> {
        let mut next = numbers();
        let centres: Vec<Vec<f32>> = (0..8).map(|_| (0..dimensions).map(|_| next()).collect()).collect();
        let mut vector = |number: usize| -> Vec<f32> {
            let values: Vec<f32> = centres[number % 8].iter().map(|value| 0.5 + value + 0.3 * next()).collect();
            let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
            values.into_iter().map(|value| value / length).collect()
        };
        (0..count).map(&mut vector).collect()
    }

    /// Returns a database with these vectors, whose row ids are their indexes.
    fn database(vectors: &[Vec<f32>]) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE vectors(id INTEGER PRIMARY KEY);
                 CREATE TABLE vector_blocks(id INTEGER PRIMARY KEY, codes BLOB NOT NULL);
                 CREATE TABLE vacant_places(id INTEGER PRIMARY KEY);",
            )
            .unwrap();
        let quantizer = Quantizer::new(vectors[0].len());
        for (id, vector) in vectors.iter().enumerate() {
            connection.execute("INSERT INTO vectors VALUES(?1)", [id as i64]).unwrap();
            write(&connection, id as i64, &quantizer.round(vector)).unwrap();
        }
        connection
    }

    /// Returns the rows that a scan keeps, ascending.
    fn rows(connection: &Connection, query: &PreparedQuery, among: Option<&[i64]>, count: usize) -> Vec<i64> {
        let mut rows: Vec<i64> =
            nearest(connection, query, among, count).unwrap().iter().map(|bounds| bounds.id).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn a_scan_keeps_the_nearest_and_few_others() {
        let all = vectors(4000, 96);
        let connection = database(&all);
        let mut missed = 0;
        for asked in all.iter().step_by(97) {
            let query = PreparedQuery::new(asked);
            let similarity = |vector: &[f32]| vector.iter().zip(asked).map(|(one, other)| one * other).sum::<f32>();
            let mut order: Vec<(f32, i64)> =
                all.iter().enumerate().map(|(id, vector)| (similarity(vector), id as i64)).collect();
            order.sort_by(|one, other| other.0.total_cmp(&one.0));
            let found = rows(&connection, &query, None, 100);
            missed += order[..100].iter().filter(|(_, id)| !found.contains(id)).count();
            assert!(order[..10].iter().all(|(_, id)| found.contains(id)));
            assert!(found.len() < 1000, "{} candidates", found.len());
            let mut few: Vec<i64> = order.iter().skip(7).step_by(50).map(|(_, id)| *id).collect();
            let nearest_of_few = few[0];
            few.sort_unstable();
            let found = rows(&connection, &query, Some(&few), 5);
            assert!(found.contains(&nearest_of_few) && found.iter().all(|id| few.contains(id)));
        }
        assert!(missed <= 8, "{missed} of 4200 missed");
        let query = PreparedQuery::new(&all[0]);
        assert_eq!(nearest(&connection, &query, None, 5000).unwrap().len(), 4000);
        connection.execute("DELETE FROM vectors WHERE id >= 3800 OR id = 0", []).unwrap();
        clear_slots(&connection, &(3800..4000).chain([0]).collect::<Vec<i64>>()).unwrap();
        let found = rows(&connection, &query, None, 5000);
        assert_eq!(found, (1..3800).collect::<Vec<i64>>());
        assert!(Levels::new(&connection).of(3850).unwrap().is_none(), "the last block became empty");
    }

    /// Returns the errors of estimates around a centre, as multiples of their spreads.
    fn errors(all: &[Vec<f32>]) -> Vec<f32> {
        let connection = database(all);
        let read = |number: i64| -> Vec<u8> {
            connection.query_row("SELECT codes FROM vector_blocks WHERE id = ?1", [number], |row| row.get(0)).unwrap()
        };
        let block = read(1);
        let layout = layout_of(block.len()).unwrap();
        let centre = layout.centre(&block);
        let mut errors = Vec::new();
        for asked in all.iter().step_by(31) {
            let scan = Scan::new(&PreparedQuery::new(asked), 1);
            let far = scan.unit.iter().zip(&centre).map(|(one, other)| (one - other).powi(2)).sum::<f32>().sqrt();
            for (group, codes) in block[layout.centre_len()..].chunks_exact(layout.group_len()).enumerate() {
                let (levels, Numbers { offsets, factors, spreads }) = layout.parts(codes);
                let mut sums = [0; GROUP_VECTORS];
                (scan.dot)(levels, &scan.bytes.values, &mut sums);
                for place in 0..GROUP_VECTORS {
                    let vector = &all[BLOCK_VECTORS + group * GROUP_VECTORS + place];
                    let exact: f32 = vector.iter().zip(asked).map(|(one, other)| one * other).sum();
                    let product = sums[place] as f32 * scan.bytes.scale - scan.bytes.shift;
                    let near = from_upper_half(offsets[place]) + from_upper_half(factors[place]) * product;
                    errors.push((near - exact) / (layout.spread(spreads[place]) * far));
                }
            }
        }
        errors
    }

    #[test]
    fn errors_of_estimates_match_their_spreads() {
        for dimensions in [96, 384] {
            let errors = errors(&vectors(2 * BLOCK_VECTORS, dimensions));
            let count = errors.len() as f32;
            let deviation = (errors.iter().map(|error| error * error).sum::<f32>() / count).sqrt();
            let beyond = errors.iter().filter(|error| error.abs() > 3.0).count() as f32 / count;
            assert!((0.85..1.1).contains(&deviation), "{dimensions}: {deviation}");
            assert!(beyond < 0.006, "{dimensions}: {beyond}");
        }
    }

    #[test]
    fn zero_vectors_can_be_scanned() {
        let connection = database(&[vec![0.0; 4], vec![1.0, 0.0, 0.0, 0.0]]);
        assert!(rows(&connection, &PreparedQuery::new(&[1.0, 0.0, 0.0, 0.0]), None, 1).contains(&1));
        assert_eq!(rows(&connection, &PreparedQuery::new(&[0.0; 4]), None, 2), [0, 1]);
        assert!(
            nearest(&connection, &PreparedQuery::new(&[0.5; 20]), None, 2).unwrap().is_empty(),
            "of other dimensions"
        );
    }
}
