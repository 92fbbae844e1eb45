//! Which chunks cannot be among the best of a question, told without scoring them.
//!
//! No part of a question adds more than a known amount to a score (`store/lexical.rs`). So what a chunk can score at most follows
//! from which parts it holds, and once as many chunks as are wanted are known to score more than some combination of parts can,
//! chunks that hold no other combination need not be scored. This is the idea of MaxScore (Turtle and Flood, "Query evaluation:
//! strategies and optimizations", 1995), over combinations in place of single lists: FTS5 finds the chunks that hold a
//! combination by going through the rarest of its parts, and skips in the others.

/// A part of a question.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// How the full text is asked for it.
    pub(super) expression: String,
    /// What it adds to a score at most.
    pub(super) most: f64,
    /// Chunks that hold it.
    pub(super) chunks: usize,
}

/// Parts whose combinations are told apart, 64 of them; the others count as if every chunk held them.
const TOLD_APART: usize = 6;
/// Sums of the same numbers differ by their order, by less than this.
const ROUNDING: f64 = 1e-9;

/// The combinations of a question's parts.
#[derive(Debug)]
pub(super) struct Combinations<'a> {
    /// The parts that are told apart.
    parts: Vec<&'a Part>,
    /// What all others add at most.
    others: f64,
    /// Chunks in the index.
    all: f64,
}

impl<'a> Combinations<'a> {
    /// The combinations of `parts` in an index of so many chunks; `always` is what each chunk that is found may score beside.
    pub(super) fn new(parts: &'a [Part], always: f64, all: usize) -> Self {
        let mut sorted: Vec<&Part> = parts.iter().collect();
        sorted.sort_by(|one, other| other.most.total_cmp(&one.most));
        let others = sorted.split_off(sorted.len().min(TOLD_APART));
        let others = always + others.iter().map(|part| part.most).sum::<f64>();
        Self { parts: sorted, others, all: all as f64 }
    }

    /// Returns the highest score from which on at least so many chunks are likely to have a combination that allows it, as if
    /// parts stood in chunks independently of each other.
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

    /// Returns how many chunks are likely to have a combination that allows this score.
    pub(super) fn chunks(&self, score: f64) -> f64 {
        self.all().filter(|parts| self.allows(*parts, score)).map(|parts| self.expected(parts)).sum()
    }

    /// Returns the highest score that a chunk can have whose combination does not allow `score`.
    pub(super) fn below(&self, score: f64) -> f64 {
        let others = self.all().filter(|parts| !self.allows(*parts, score));
        others.map(|parts| self.most(parts)).fold(f64::MIN, f64::max)
    }

    /// Returns how the full text is asked for all chunks with a combination that allows this score; `None` where all combinations
    /// allow it, or none does.
    pub(super) fn holding(&self, score: f64) -> Option<String> {
        if self.allows(0, score) {
            return None;
        }
        let without = |parts: u32| {
            (0..self.parts.len()).map(move |at| (parts & !(1 << at), at)).filter(move |(left, _)| *left != parts)
        };
        // What has a part more than it needs is found by what it needs.
        let least = self.all().filter(|parts| self.allows(*parts, score));
        let least = least.filter(|parts| !without(*parts).any(|(left, _)| self.allows(left, score)));
        let expressions = least.map(|parts| {
            let all: Vec<String> = self.of(parts).map(|part| format!("({})", part.expression)).collect();
            format!("({})", all.join(" AND "))
        });
        let expressions: Vec<String> = expressions.collect();
        (!expressions.is_empty()).then(|| expressions.join(" OR "))
    }

    /// Every combination, as a bit for each part.
    fn all(&self) -> impl Iterator<Item = u32> + use<> {
        0..1 << self.parts.len()
    }

    fn of(&self, parts: u32) -> impl Iterator<Item = &Part> {
        self.parts.iter().enumerate().filter(move |(at, _)| parts >> at & 1 == 1).map(|(_, part)| *part)
    }

    /// What a chunk with these parts scores at most.
    fn most(&self, parts: u32) -> f64 {
        (self.others + self.of(parts).map(|part| part.most).sum::<f64>()) * (1.0 + ROUNDING)
    }

    fn allows(&self, parts: u32, score: f64) -> bool {
        self.most(parts) >= score
    }

    /// How many chunks are likely to hold these parts and no others.
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
    fn what_cannot_score_enough_is_not_asked_for() {
        let parts = [part("b", 2.0, 400), part("rare", 9.0, 10), part("c", 1.0, 500)];
        let combinations = Combinations::new(&parts, 0.0, 1000);
        assert_eq!(combinations.holding(2.5).unwrap(), "((rare)) OR ((b) AND (c))");
        assert_eq!(combinations.holding(1.5).unwrap(), "((rare)) OR ((b))");
        assert_eq!(combinations.holding(11.5).unwrap(), "((rare) AND (b) AND (c))");
        assert_eq!(combinations.holding(13.0), None, "none can");
        assert_eq!(combinations.holding(0.0), None, "all can");
        assert!((combinations.below(2.5) - 2.0).abs() < 1e-6);
        assert!((combinations.likely(3.0) - 11.0).abs() < 1e-6, "of ten rare ones four hold b");
        assert!((combinations.chunks(11.0) - 4.0).abs() < 1e-6);
    }

    #[test]
    fn parts_that_are_not_told_apart_may_stand_anywhere() {
        let parts: Vec<Part> = (0..8).map(|at| part(&format!("w{at}"), 10.0 - f64::from(at), 100)).collect();
        let combinations = Combinations::new(&parts, 1.0, 1000);
        // The two last and what always counts allow 3 + 4 + 1.
        assert_eq!(combinations.holding(8.0), None);
        assert_eq!(combinations.holding(13.5).unwrap().matches(" OR ").count(), 4, "five of the six make up the rest");
        assert!(!combinations.holding(17.5).unwrap().contains("w6"));
    }
}
