//! Estimates the similarity of texts that have no vectors yet.
//!
//! The more of a question's words a text holds, the more similar it tends to be. A line fitted to the candidates with both values gives
//! the level and the slope. So a text without a vector is ranked by what its words suggest, neither as meaningless nor as the nearest,
//! and such texts keep the order of their words among themselves. Without this, they would rank below all texts that have any vector.

use super::evidence::{Evidence, Signals};

/// Cosine similarity of a text that holds almost nothing of the question, and the increase for holding all of it, measured
/// with the shipped model on the development sets. They matter when few candidates have both a vector and words.
const LEVEL: f64 = 0.3;
const SLOPE: f64 = 0.3;
/// Minimum slope: words never count against a text, whatever a few examples suggest.
const MIN_SLOPE: f64 = 0.02;
/// Number of candidates that the prior level counts as.
const LEVEL_WEIGHT: f64 = 1.0;
/// Weight of the prior slope, in squared differences of coverage: candidates with equal coverage say nothing about the slope.
/// A tenth of it and ten times as much work about as well.
const SLOPE_WEIGHT: f64 = 1.0;

/// Returns the candidates with an estimate for missing vectors. If a text has some of its vectors, the higher of their similarity and the
/// estimate counts, because a text is as near as its nearest passage. Without any vector there is no estimate, and only words decide.
pub(super) fn estimated(candidates: &[Evidence], signals: &Signals) -> Vec<Evidence> {
    let mut candidates = candidates.to_vec();
    let best = candidates.iter().filter_map(Evidence::words).fold(0.0, f64::max);
    let is_missing = |one: &Evidence| one.awaits_vectors && one.lexical.is_some();
    if best <= 0.0 || !candidates.iter().any(is_missing) {
        return candidates;
    }
    let ceiling = signals.lexical_ceiling.max(best);
    let coverage = |one: &Evidence| one.words().map(|words| words / ceiling);
    let Some(line) = Line::through(&candidates, coverage) else { return candidates };
    for one in candidates.iter_mut().filter(|one| is_missing(one)) {
        let estimate = coverage(one).map(|coverage| line.at(coverage));
        one.similarity = one.similarity.into_iter().chain(estimate).reduce(f64::max);
    }
    candidates
}

/// Similarity as a linear function of coverage.
struct Line {
    level: f64,
    slope: f64,
}

impl Line {
    /// Fits a line to the candidates with known similarity and coverage; `None` if no similarity is known. Candidates found
    /// only by similarity are above the usual level, but they reveal a model whose similarities are all higher.
    fn through(candidates: &[Evidence], coverage: impl Fn(&Evidence) -> Option<f64>) -> Option<Self> {
        let known: Vec<f64> = candidates.iter().filter_map(|one| one.similarity).collect();
        if known.is_empty() {
            return None;
        }
        let usual = LEVEL.max(mean(known.iter().copied()));
        let points: Vec<(f64, f64)> = candidates
            .iter()
            .filter(|one| !one.awaits_vectors)
            .filter_map(|one| Some((coverage(one)?, one.similarity?)))
            .collect();
        let middle = mean(points.iter().map(|point| point.0));
        let height = mean(points.iter().map(|point| point.1));
        let sum = |of: fn(f64, f64) -> f64| points.iter().map(|(x, y)| of(x - middle, y - height)).sum::<f64>();
        let slope = (sum(|x, y| x * y) + SLOPE_WEIGHT * SLOPE) / (sum(|x, _| x * x) + SLOPE_WEIGHT);
        let slope = slope.max(MIN_SLOPE);
        let count = points.len() as f64;
        let level = (count * (height - slope * middle) + LEVEL_WEIGHT * usual) / (count + LEVEL_WEIGHT);
        Some(Self { level, slope })
    }

    fn at(&self, coverage: f64) -> f64 {
        (self.level + self.slope * coverage).min(1.0)
    }
}

/// Returns the mean, or 0 for no values.
fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::balance::Balance;
    use super::super::fuse::{Fusion, FusionOptions, fuse};
    use super::*;

    fn embedded(chunk: i64, lexical: Option<f64>, similarity: f64) -> Evidence {
        // One chunk per file, so that none is a neighbour.
        Evidence { chunk, file: chunk, lexical, similarity: Some(similarity), ..Evidence::default() }
    }

    fn waiting(chunk: i64, lexical: f64) -> Evidence {
        Evidence { chunk, file: chunk, lexical: Some(lexical), awaits_vectors: true, ..Evidence::default() }
    }

    fn signals() -> Signals {
        Signals { words: 4, lexical_ceiling: 20.0, information: 4.0, text_count: 1000, ..Signals::default() }
    }

    fn options(fusion: Fusion, neighbour_credit: f64) -> FusionOptions {
        FusionOptions { fusion, vector_weight: 0.6, neighbour_credit, link_credit: 0.0, balance: Balance::default() }
    }

    fn order(candidates: &[Evidence], fusion: Fusion) -> Vec<i64> {
        fuse(candidates, &signals(), &options(fusion, 0.1)).list.iter().map(|one| one.evidence.chunk).collect()
    }

    const ALL: [Fusion; 3] = [Fusion::Adaptive, Fusion::Convex, Fusion::Rrf];

    #[test]
    fn a_new_text_with_the_words_is_not_below_one_with_only_a_vector() {
        let candidates =
            [waiting(1, 16.0), embedded(2, None, 0.21), embedded(3, None, 0.12), embedded(4, Some(1.0), 0.1)];
        for fusion in ALL {
            assert_eq!(order(&candidates, fusion)[0], 1, "{fusion:?}");
        }
    }

    #[test]
    fn a_text_without_a_vector_does_not_count_as_the_nearest() {
        let candidates = [waiting(1, 8.9), embedded(2, Some(9.0), 0.8), embedded(3, Some(2.0), 0.3)];
        for fusion in ALL {
            assert_eq!(order(&candidates, fusion)[0], 2, "{fusion:?}");
        }
    }

    #[test]
    fn estimates_are_not_shown_as_similarities() {
        let candidates = [waiting(1, 16.0), embedded(2, None, 0.3)];
        let fused = fuse(&candidates, &signals(), &options(Fusion::Adaptive, 0.0));
        let first = &fused.list[0];
        assert_eq!((first.evidence.chunk, first.evidence.similarity), (1, None));
        assert!(first.parts.meaning > 0.0 && fused.confidence.score > 0.9, "{fused:?}");
    }

    #[test]
    fn the_estimate_follows_candidates_with_words_and_vectors() {
        // All similarities of this model are high.
        let high: Vec<Evidence> = (0..30).map(|at| embedded(at, Some(at as f64 / 2.0), 0.8)).collect();
        let estimate = |others: &[Evidence], one: Evidence| {
            let mut all = others.to_vec();
            all.push(one);
            estimated(&all, &signals()).pop().unwrap().similarity.unwrap()
        };
        assert!((0.75..0.9).contains(&estimate(&high, waiting(99, 10.0))));
        let alone = [embedded(1, None, 0.1)];
        assert!(estimate(&alone, waiting(99, 20.0)) > estimate(&alone, waiting(99, 2.0)));
        assert!((0.5..0.7).contains(&estimate(&alone, waiting(99, 20.0))));
    }

    #[test]
    fn an_embedded_passage_counts_while_others_of_its_chunk_wait() {
        let half = |similarity| Evidence { similarity: Some(similarity), ..waiting(1, 10.0) };
        let of = |similarity| estimated(&[half(similarity), embedded(2, None, 0.2)], &signals())[0].similarity.unwrap();
        assert!((of(0.9) - 0.9).abs() < 1e-12, "it is as near as its nearest passage");
        assert!((of(-0.2) - of(0.1)).abs() < 0.05 && of(-0.2) > 0.3, "the other passages may be nearer");
    }

    proptest! {
        #[test]
        fn without_missing_vectors_nothing_changes(
            scores in vec((proptest::option::of(0.0..30.0f64), proptest::option::of(-1.0..1.0f64)), 0..20)
        ) {
            let found: Vec<Evidence> = (0..).zip(scores).map(|(chunk, (lexical, similarity))| Evidence {
                chunk, file: chunk, lexical, similarity, ..Evidence::default()
            }).collect();
            prop_assert_eq!(estimated(&found, &signals()), found);
        }

        #[test]
        fn texts_without_vectors_keep_the_order_of_their_words(
            words in vec(0.1..30.0f64, 1..12), others in vec((0.1..30.0f64, -1.0..0.5f64), 0..12)
        ) {
            let mut all: Vec<Evidence> = (0..).zip(&words).map(|(at, words)| waiting(at, *words)).collect();
            all.extend((100..).zip(others).map(|(at, (words, near))| embedded(at, Some(words), near)));
            for fusion in ALL {
                let found: Vec<f64> =
                    order(&all, fusion).iter().filter_map(|one| words.get(*one as usize)).copied().collect();
                prop_assert!(found.is_sorted_by(|one, other| one >= other), "{fusion:?} {found:?}");
            }
        }
    }
}
