//! The metrics of one question.

use std::fmt;
use std::ops::Index;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Place, RankedResult};

/// Number of results measured; `cover@8000` measures all results it is given.
const DEPTH: usize = 10;
/// Characters that the results of [`Metric::Cover`] may take.
const BUDGET: usize = 8_000;

/// Metrics of a ranked list of results. Each is in [0, 1]; higher is better.
///
/// A result is relevant if its lines overlap a relevant range. Each relevant range counts once, for the first result that overlaps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Share of the relevant ranges covered by the first result.
    Recall1,
    /// Share of the relevant ranges covered by the first three results.
    Recall3,
    /// Share of the relevant ranges covered by the first five results.
    Recall5,
    /// Share of the relevant ranges covered by the first ten results.
    Recall10,
    /// One over the rank of the first relevant result among ten, or 0.
    Mrr,
    /// Normalised discounted cumulative gain of ten results (Järvelin and Kekäläinen, TOIS 2002). A result gains one point
    /// per range that no earlier result covered, divided by log2(rank + 1). The ideal list covers one range per result; a
    /// wide result may cover several at once and do better, so the value is capped at 1.
    Ndcg,
    /// Share of the relevant ranges covered by the first results whose texts together take at most 8,000 characters. The
    /// first result counts whatever its length. This is what fits into an agent's context, and it keeps wide results honest.
    Cover,
}

impl Metric {
    /// All metrics, in display order.
    pub const ALL: [Self; 7] =
        [Self::Recall1, Self::Recall3, Self::Recall5, Self::Recall10, Self::Mrr, Self::Ndcg, Self::Cover];

    /// Returns its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recall1 => "recall@1",
            Self::Recall3 => "recall@3",
            Self::Recall5 => "recall@5",
            Self::Recall10 => "recall@10",
            Self::Mrr => "mrr@10",
            Self::Ndcg => "ndcg@10",
            Self::Cover => "cover@8000",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One value per metric. Serializes as an object of names and values.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures([f64; Metric::ALL.len()]);

impl Figures {
    /// Computes the value of each metric with `value`.
    pub fn of<E>(mut value: impl FnMut(Metric) -> Result<f64, E>) -> Result<Self, E> {
        let mut values = [0.0; Metric::ALL.len()];
        for metric in Metric::ALL {
            values[metric as usize] = value(metric)?;
        }
        Ok(Self(values))
    }

    /// Returns the mean of each value, or 0 for no figures.
    pub fn mean<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sums = [0.0; Metric::ALL.len()];
        let mut count = 0.0;
        for one in all {
            count += 1.0;
            for (sum, value) in sums.iter_mut().zip(one.0) {
                *sum += value;
            }
        }
        Self(sums.map(|sum| if count > 0.0 { sum / count } else { 0.0 }))
    }

    /// Returns the values rounded to six decimals, as they are saved and compared.
    #[must_use]
    pub fn rounded(self) -> Self {
        Self(self.0.map(|value| (value * 1e6).round() / 1e6))
    }
}

impl Index<Metric> for Figures {
    type Output = f64;

    fn index(&self, metric: Metric) -> &f64 {
        &self.0[metric as usize]
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Metric::ALL.len()))?;
        for metric in Metric::ALL {
            map.serialize_entry(metric.name(), &self[metric])?;
        }
        map.end()
    }
}

/// Returns how well `results` (best first) cover the `relevant` places. Without relevant places, every figure is 0.
pub fn measure(results: &[RankedResult], relevant: &[Place]) -> Figures {
    let total = relevant.len() as f64;
    if relevant.is_empty() {
        return Figures::default();
    }
    // The rank at which each range is first covered, from 1.
    let ranks: Vec<Option<usize>> =
        relevant.iter().map(|range| results.iter().position(|shown| shown.place.overlaps(range))).collect();
    let ranks: Vec<usize> = ranks.into_iter().flatten().map(|index| index + 1).filter(|rank| *rank <= DEPTH).collect();
    let discount = |rank: usize| 1.0 / (rank as f64 + 1.0).log2();
    // `sum` would give -0 for an empty list.
    let gain = |ranks: &[usize]| ranks.iter().copied().map(discount).fold(0.0, |sum, one| sum + one);
    let ideal: Vec<usize> = (1..=relevant.len().min(DEPTH)).collect();
    let recall = |depth: usize| ranks.iter().filter(|rank| **rank <= depth).count() as f64 / total;
    let within = within_budget(results);
    let covered = relevant.iter().filter(|range| within.iter().any(|shown| shown.place.overlaps(range))).count();
    let value = |metric: Metric| match metric {
        Metric::Recall1 => recall(1),
        Metric::Recall3 => recall(3),
        Metric::Recall5 => recall(5),
        Metric::Recall10 => recall(10),
        Metric::Mrr => ranks.iter().min().map_or(0.0, |rank| 1.0 / *rank as f64),
        Metric::Ndcg => (gain(&ranks) / gain(&ideal)).min(1.0),
        Metric::Cover => covered as f64 / total,
    };
    Figures(Metric::ALL.map(value))
}

fn within_budget(results: &[RankedResult]) -> &[RankedResult] {
    let mut used = 0;
    let fits = |shown: &RankedResult| {
        used += shown.characters;
        used <= BUDGET
    };
    let fitting = results.iter().map(fits).take_while(|fits| *fits).count();
    &results[..fitting.max(1).min(results.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result `path:first-last` with this many characters.
    fn shown(path: &str, start_line: usize, end_line: usize, characters: usize) -> RankedResult {
        RankedResult { place: place(path, start_line, end_line), characters }
    }

    fn place(path: &str, start_line: usize, end_line: usize) -> Place {
        Place { collection: None, path: path.into(), start_line, end_line }
    }

    #[track_caller]
    fn assert_figures(results: &[RankedResult], relevant: &[Place], expected: [f64; 7]) {
        let figures = measure(results, relevant);
        for (metric, expected) in Metric::ALL.into_iter().zip(expected) {
            assert!((figures[metric] - expected).abs() < 1e-9, "{metric}: {} is not {expected}", figures[metric]);
        }
    }

    #[test]
    fn one_range_at_rank_two() {
        let results = [shown("b", 1, 9, 100), shown("a", 1, 9, 100), shown("a", 9, 20, 100)];
        // The second result that overlaps the range gains nothing: 1 / log2(3).
        assert_figures(&results, &[place("a", 9, 9)], [0.0, 1.0, 1.0, 1.0, 0.5, 0.630_929_753_571_457_4, 1.0]);
    }

    #[test]
    fn each_range_counts_at_its_first_result() {
        let results = [shown("a", 1, 5, 100), shown("a", 4, 9, 100), shown("c", 1, 1, 100), shown("b", 2, 2, 100)];
        // Ranks 1, 2 and 4 of three ranges: (1 + 0.6309 + 0.4307) / (1 + 0.6309 + 0.5).
        let relevant = [place("a", 5, 5), place("a", 6, 6), place("b", 1, usize::MAX)];
        let third = 1.0 / 3.0;
        assert_figures(
            &results,
            &relevant,
            [third, 2.0 * third, 1.0, 1.0, 1.0, (1.0 + 0.630_929_753_571 + 0.430_676_558_073) / 2.130_929_753_571, 1.0],
        );
    }

    #[test]
    fn a_wide_result_is_capped_at_one() {
        let results = [shown("a", 1, 99, 100)];
        assert_figures(&results, &[place("a", 5, 5), place("a", 70, 70)], [1.0; 7]);
    }

    #[test]
    fn results_after_the_tenth_do_not_count() {
        let mut results: Vec<RankedResult> = (0..10).map(|_| shown("b", 1, 1, 10)).collect();
        results.push(shown("a", 1, 1, 10));
        // Cover only considers the length.
        assert_figures(&results, &[place("a", 1, 1)], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn the_budget_is_in_characters_and_the_first_result_always_counts() {
        let relevant = [place("a", 1, 1), place("b", 1, 1)];
        let cover = |first: usize, second: usize| {
            measure(&[shown("a", 1, 1, first), shown("b", 1, 1, second)], &relevant)[Metric::Cover]
        };
        assert_eq!((cover(4_000, 4_000), cover(4_000, 4_001), cover(9_000, 1)), (1.0, 0.5, 0.5));
        // The first result that does not fit ends the list; smaller ones after it are not counted.
        let late = [shown("c", 1, 1, 10), shown("c", 2, 2, 9_000), shown("a", 1, 1, 10)];
        assert_eq!(measure(&late, &relevant)[Metric::Cover], 0.0);
    }

    #[test]
    fn no_results_or_no_relevant_places_give_zero() {
        assert_figures(&[], &[place("a", 1, 1)], [0.0; 7]);
        assert_figures(&[shown("a", 1, 1, 1)], &[], [0.0; 7]);
        assert_eq!(Figures::mean([]), Figures::default());
    }

    #[test]
    fn means_are_taken_metric_by_metric() {
        let figures = |first: f64, last: f64| {
            Figures::of(|metric| {
                Ok::<f64, ()>(match metric {
                    Metric::Recall1 => first,
                    Metric::Cover => last,
                    _ => 0.0,
                })
            })
        };
        let mean = Figures::mean(&[figures(1.0, 0.25).unwrap(), figures(0.0, 0.75).unwrap()]);
        assert_eq!((mean[Metric::Recall1], mean[Metric::Recall3], mean[Metric::Cover]), (0.5, 0.0, 0.5));
    }

    proptest::proptest! {
        #[test]
        fn every_figure_is_a_share_and_recall_grows_with_depth(
            results in proptest::collection::vec((0..4usize, 1..6usize, 0..4usize, 0..5_000usize), 0..14),
            relevant in proptest::collection::vec((0..4usize, 1..6usize, 0..4usize), 1..5),
        ) {
            let results: Vec<RankedResult> =
                results.iter().map(|(path, first, more, size)| shown(&path.to_string(), *first, first + more, *size)).collect();
            let relevant: Vec<Place> =
                relevant.iter().map(|(path, first, more)| place(&path.to_string(), *first, first + more)).collect();
            let figures = measure(&results, &relevant);
            for metric in Metric::ALL {
                proptest::prop_assert!((0.0..=1.0).contains(&figures[metric]), "{metric}");
            }
            let recall = [Metric::Recall1, Metric::Recall3, Metric::Recall5, Metric::Recall10].map(|metric| figures[metric]);
            proptest::prop_assert!(recall.is_sorted());
            proptest::prop_assert_eq!(recall[3] > 0.0, figures[Metric::Mrr] > 0.0);
        }
    }
}
