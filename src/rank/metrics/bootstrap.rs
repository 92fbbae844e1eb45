//! A significance test for the difference between two runs.

use serde::Serialize;

use super::SplitMix64;

/// Number of resamples.
const ROUNDS: usize = 10_000;
/// Fixed seed, so that the same figures give the same interval.
const SEED: u64 = 0x7461_7273;

/// The difference between a run and an earlier one over the same questions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Mean of the differences per question; above 0 if the later run is better.
    #[serde(rename = "difference")]
    pub mean: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// The p-value in (0, 1]: the probability of a difference at least this far from 0, in either direction, if there is none.
    pub p: f64,
}

/// Returns the difference from `before` to `after`, which hold the same figure for the same questions in the same order.
/// Without questions, the difference is 0 and p is 1.
///
/// This is the paired percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 13 and
/// 16). The differences are resampled with replacement 10,000 times, always from the same seed; the interval runs from the
/// 2.5th to the 97.5th percentile of the means. p is twice the smaller share of means on either side of 0, counted as (k + 1)
/// / (n + 1) so that it is never 0 (Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 4.2).
///
/// # Panics
/// The slices differ in length.
pub fn paired_bootstrap(before: &[f64], after: &[f64]) -> Difference {
    assert_eq!(before.len(), after.len(), "the runs are compared question by question");
    let differences: Vec<f64> = before.iter().zip(after).map(|(before, after)| after - before).collect();
    if differences.is_empty() {
        return Difference { mean: 0.0, low: 0.0, high: 0.0, p: 1.0 };
    }
    let count = differences.len() as f64;
    let mut random = SplitMix64(SEED);
    let mut means: Vec<f64> = (0..ROUNDS)
        .map(|_| differences.iter().map(|_| differences[random.below(differences.len())]).sum::<f64>() / count)
        .collect();
    means.sort_by(f64::total_cmp);
    let share =
        |side: fn(&f64) -> bool| (means.iter().filter(|mean| side(mean)).count() + 1) as f64 / (ROUNDS + 1) as f64;
    let p = 2.0 * share(|mean| *mean <= 0.0).min(share(|mean| *mean >= 0.0));
    let percentile = |share: f64| means[(share * (ROUNDS - 1) as f64).round() as usize];
    Difference {
        mean: differences.iter().sum::<f64>() / count,
        low: percentile(0.025),
        high: percentile(0.975),
        p: p.min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_runs_have_no_difference() {
        let figures = [0.5, 0.0, 1.0];
        let expected = Difference { mean: 0.0, low: 0.0, high: 0.0, p: 1.0 };
        assert_eq!((paired_bootstrap(&figures, &figures), paired_bootstrap(&[], &[])), (expected, expected));
    }

    #[test]
    fn a_difference_in_every_question_is_significant() {
        let found = paired_bootstrap(&[0.25; 20], &[0.75; 20]);
        assert_eq!((found.mean, found.low, found.high), (0.5, 0.5, 0.5));
        assert!((found.p - 2.0 / 10_001.0).abs() < 1e-12);
        let other = paired_bootstrap(&[0.75; 20], &[0.25; 20]);
        assert_eq!((other.mean, other.p), (-0.5, found.p));
    }

    #[test]
    fn the_interval_matches_a_known_binomial() {
        // Ten questions, half of them better by one: the mean of a resample is binomial(10, 0.5) / 10. Its 2.5th and 97.5th
        // percentiles are 0.2 and 0.8, and it is 0 once in 1024 resamples.
        let after: Vec<f64> = (0..10).map(|index| f64::from(index % 2)).collect();
        let found = paired_bootstrap(&[0.0; 10], &after);
        assert_eq!((found.mean, found.low, found.high), (0.5, 0.2, 0.8));
        assert!((found.p - 2.0 / 1024.0).abs() < 0.0015, "{}", found.p);
    }

    #[test]
    fn a_few_mixed_questions_are_not_significant() {
        let found = paired_bootstrap(&[0.0, 1.0, 0.5, 0.5], &[1.0, 0.0, 0.5, 0.5]);
        assert_eq!(found.mean, 0.0);
        assert!(found.low < 0.0 && found.high > 0.0 && found.p > 0.9);
        assert_eq!(found, paired_bootstrap(&[0.0, 1.0, 0.5, 0.5], &[1.0, 0.0, 0.5, 0.5]));
    }
}
