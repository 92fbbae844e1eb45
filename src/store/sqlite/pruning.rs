//! Pruning: finds the chunks that cannot be among the best, without scoring them.
//!
//! No part of a query contributes more than a known amount to a score (`store/lexical.rs`). So the combination of parts in a chunk
//! bounds its score. Once the wanted number of chunks are known to score more than some combinations allow, chunks with only those
//! combinations need no scoring. This is the idea of MaxScore (Turtle and Flood, "Query evaluation: strategies and optimizations",
//! 1995), applied to combinations instead of single lists: FTS5 finds the chunks with a combination by iterating over its rarest
//! part and skipping in the others.

/// A part of a query.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Its full-text expression.
    pub(super) expression: String,
    /// Its highest contribution to a score.
    pub(super) most: f64,
    /// Number of chunks that contain it.
    pub(super) chunks: usize,
}

/// Number of parts whose combinations are distinguished (64 combinations). The other parts count as if every chunk contained them.
const MAX_PARTS: usize = 6;
/// Tolerance for sums of the same numbers in different orders.
const ROUNDING: f64 = 1e-9;

/// The combinations of a query's parts.
#[derive(Debug)]
pub(super) struct Combinations<'a> {
    /// The distinguished parts.
    parts: Vec<&'a Part>,
    /// Highest total contribution of the other parts.
    others: f64,
    /// Number of chunks in the index.
    all: f64,
}

impl<'a> Combinations<'a> {
    /// Returns the combinations of `parts` in an index of `all` chunks; `always` is an extra contribution that any matching chunk
    /// may have.
    pub(super) fn new(parts: &'a [Part], always: f64, all: usize) -> Self {
        let mut sorted: Vec<&Part> = parts.iter().collect();
        sorted.sort_by(|one, other| other.most.total_cmp(&one.most));
        let others = sorted.split_off(sorted.len().min(MAX_PARTS));
        let others = always + others.iter().map(|part| part.most).sum::<f64>();
        Self { parts: sorted, others, all: all as f64 }
    }

    /// Returns the highest score that at least `chunks` chunks are expected to allow, assuming that parts occur independently of
    /// each other.
    pub(super) fn likely(&self, chunks: f64) -> f64 {
        let mut sums: Vec<(f64, f64)> = self.all().map(|parts| (self.most(parts), self.expected(parts))).collect();
        sums.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut found = 0.0;
        let enough = sums.iter().find(|(_, expected)| {
            found += expected;
            found >= chunks
        });
        enough.map_or(0.0, |(most, _)| *most)
    }

    /// Returns the expected number of chunks whose combination allows this score.
    pub(super) fn chunks(&self, score: f64) -> f64 {
        self.all().filter(|parts| self.allows(*parts, score)).map(|parts| self.expected(parts)).sum()
    }

    /// Returns the highest score of the combinations that do not allow `score`.
    pub(super) fn below(&self, score: f64) -> f64 {
        let others = self.all().filter(|parts| !self.allows(*parts, score));
        others.map(|parts| self.most(parts)).fold(f64::MIN, f64::max)
    }

    /// Returns the full-text expression of all chunks whose combination allows this score; `None` if all combinations or no
    /// combination allow it.
    pub(super) fn holding(&self, score: f64) -> Option<String> {
        if self.allows(0, score) {
            return None;
        }
        let without = |parts: u32| {
            (0..self.parts.len()).map(move |at| (parts & !(1 << at), at)).filter(move |(left, _)| *left != parts)
        };
        // Supersets of an allowing combination are redundant.
        let least = self.all().filter(|parts| self.allows(*parts, score));
        let least = least.filter(|parts| !without(*parts).any(|(left, _)| self.allows(left, score)));
        let expressions = least.map(|parts| {
            let all: Vec<String> = self.of(parts).map(|part| format!("({})", part.expression)).collect();
            format!("({})", all.join(" AND "))
        });
        let expressions: Vec<String> = expressions.collect();
        (!expressions.is_empty()).then(|| expressions.join(" OR "))
    }

    /// All combinations, as bit sets of parts.
    fn all(&self) -> impl Iterator<Item = u32> + use<> {
        0..1 << self.parts.len()
    }

    fn of(&self, parts: u32) -> impl Iterator<Item = &Part> {
        self.parts.iter().enumerate().filter(move |(at, _)| parts >> at & 1 == 1).map(|(_, part)| *part)
    }

    /// Returns the highest score of a chunk with these parts.
    fn most(&self, parts: u32) -> f64 {
        (self.others + self.of(parts).map(|part| part.most).sum::<f64>()) * (1.0 + ROUNDING)
    }

    fn allows(&self, parts: u32, score: f64) -> bool {
        self.most(parts) >= score
    }

    /// Returns the expected number of chunks with exactly these parts.
    fn expected(&self, parts: u32) -> f64 {
        let shares = self.parts.iter().map(|part| part.chunks as f64 / self.all.max(1.0));
        let held = |(at, share): (usize, f64)| if parts >> at & 1 == 1 { share } else { 1.0 - share };
        self.all * shares.enumerate().map(held).product::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(expression: &str, most: f64, chunks: usize) -> Part {
        Part { expression: expression.into(), most, chunks }
    }

    #[test]
    fn combinations_that_score_too_low_are_excluded() {
        let parts = [part("b", 2.0, 400), part("rare", 9.0, 10), part("c", 1.0, 500)];
        let combinations = Combinations::new(&parts, 0.0, 1000);
        assert_eq!(combinations.holding(2.5).unwrap(), "((rare)) OR ((b) AND (c))");
        assert_eq!(combinations.holding(1.5).unwrap(), "((rare)) OR ((b))");
        assert_eq!(combinations.holding(11.5).unwrap(), "((rare) AND (b) AND (c))");
        assert_eq!(combinations.holding(13.0), None, "none can");
        assert_eq!(combinations.holding(0.0), None, "all can");
        assert!((combinations.below(2.5) - 2.0).abs() < 1e-6);
        assert!((combinations.likely(3.0) - 11.0).abs() < 1e-6, "four of the ten chunks with the rare part contain b");
        assert!((combinations.chunks(11.0) - 4.0).abs() < 1e-6);
    }

    #[test]
    fn undistinguished_parts_count_for_every_chunk() {
        let parts: Vec<Part> = (0..8).map(|at| part(&format!("w{at}"), 10.0 - f64::from(at), 100)).collect();
        let combinations = Combinations::new(&parts, 1.0, 1000);
        // The last two parts and the constant contribution allow 3 + 4 + 1.
        assert_eq!(combinations.holding(8.0), None);
        assert_eq!(combinations.holding(13.5).unwrap().matches(" OR ").count(), 4, "five of the six make up the rest");
        assert!(!combinations.holding(17.5).unwrap().contains("w6"));
    }
}
