//! Shares a budget among parts, and packs hits into one: breadth first, then depth.

use std::collections::HashSet;

/// The share of a budget that goes to breadth if all files score alike, and if one stands out.
const BREADTH: (f64, f64) = (0.7, 0.3);

/// Shares a budget among parts, given as (demand, weight). Each part gets at most its demand, and at least the smaller of its demand and
/// its share by weight. The rest of a satisfied part goes to the others by weight. If the demands fit, all are satisfied.
pub fn share_budget(parts: &[(usize, u32)], budget: usize) -> Vec<usize> {
    let mut given = vec![0; parts.len()];
    let mut open: Vec<usize> = (0..parts.len()).collect();
    let mut left = budget;
    loop {
        let weights: usize = open.iter().map(|part| parts[*part].1 as usize).sum();
        let share = |part: usize| match weights {
            0 => 0,
            _ => (left as u128 * u128::from(parts[part].1) / weights as u128) as usize,
        };
        // A part that needs less than its share increases the shares of the others.
        let (met, wanting): (Vec<usize>, Vec<usize>) = open.iter().partition(|part| parts[**part].0 <= share(**part));
        if met.is_empty() {
            wanting.iter().for_each(|part| given[*part] = share(*part));
            return given;
        }
        for part in met {
            given[part] = parts[part].0;
            left -= parts[part].0;
        }
        open = wanting;
    }
}

/// A range of a file, and its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Line and column of its beginning.
    pub start: (usize, usize),
    /// Line and column of its end.
    pub end: (usize, usize),
    /// Cost in the unit of the budget.
    pub size: usize,
}

impl Span {
    fn holds(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A hit to pack, alone or with its neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PackCandidate {
    /// Number of its file.
    pub file: usize,
    /// Score, in [0, 1].
    pub score: f64,
    /// The hit.
    pub own: Span,
    /// The hit with its neighbours, if available.
    pub around: Option<Span>,
}

/// A candidate that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedHit {
    /// Index of the candidate.
    pub candidate: usize,
    /// Whether it includes the neighbours.
    pub around: bool,
}

/// Returns the share of a budget for the first pass of [`pack`]. `best` is the best score of each file, best first.
///
/// The share is 0.7 if the second file scores as well as the first, because either may hold the answer. It falls to 0.3 if the second has
/// half the score or less, or is missing: then the first file holds the answer, and its context says more than a mention elsewhere.
pub fn breadth_share(best: &[f64]) -> f64 {
    let rival = match best {
        [first, second, ..] if *first > 0.0 => (second / first).clamp(0.0, 1.0),
        _ => 0.0,
    };
    let dominance = (2.0 * (1.0 - rival)).min(1.0);
    BREADTH.0 + (BREADTH.1 - BREADTH.0) * dominance
}

/// Packs candidates (best first) into a budget. Returns those that fit, in the same order.
///
/// The first pass takes the best hit of each file while they fit the share that [`breadth_share`] gives; the first hit may exceed
/// that share. The second pass uses the rest of the budget and walks the list again: a packed hit gets its neighbours,
/// another hit gets packed unless its lines are already shown. Candidates that do not fit are skipped. Lines shared by two candidates
/// are counted twice, so joining them can only save space.
pub fn pack(candidates: &[PackCandidate], budget: usize) -> Vec<PackedHit> {
    let mut files = HashSet::new();
    let anchors: Vec<usize> = (0..candidates.len()).filter(|index| files.insert(candidates[*index].file)).collect();
    let best: Vec<f64> = anchors.iter().map(|index| candidates[*index].score).collect();
    let share = ((budget as f64 * breadth_share(&best)) as usize).min(budget);

    let mut shown: Vec<Option<Span>> = vec![None; candidates.len()];
    let mut used = 0;
    for index in anchors {
        let own = candidates[index].own;
        if used + own.size <= if used == 0 { budget } else { share } {
            shown[index] = Some(own);
            used += own.size;
        }
    }
    for (index, candidate) in candidates.iter().enumerate() {
        let (wider, known) = match shown[index] {
            Some(own) => (candidate.around, own.size),
            None => (Some(candidate.own), 0),
        };
        let Some(wider) = wider else { continue };
        let elsewhere = |(other, span): (usize, &Option<Span>)| {
            other != index && candidates[other].file == candidate.file && span.is_some_and(|span| span.holds(&wider))
        };
        let covered = shown.iter().enumerate().any(elsewhere);
        if !covered && (used - known).saturating_add(wider.size) <= budget {
            shown[index] = Some(wider);
            used = used - known + wider.size;
        }
    }
    let taken = |(candidate, span): (usize, &Option<Span>)| {
        span.map(|span| PackedHit {
            candidate,
            around: candidates[candidate].around == Some(span) && span != candidates[candidate].own,
        })
    };
    shown.iter().enumerate().filter_map(taken).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candidate(file: usize, score: f64, start_line: usize, size: usize) -> PackCandidate {
        let own = Span { start: (start_line, 0), end: (start_line + 9, usize::MAX), size };
        let around =
            Span { start: (start_line.saturating_sub(10), 0), end: (start_line + 19, usize::MAX), size: 3 * size };
        PackCandidate { file, score, own, around: Some(around) }
    }

    fn taken(candidates: &[PackCandidate], budget: usize) -> Vec<(usize, bool)> {
        pack(candidates, budget).iter().map(|taken| (taken.candidate, taken.around)).collect()
    }

    #[test]
    fn the_rest_of_a_satisfied_part_goes_to_the_others() {
        assert_eq!(share_budget(&[(1000, 40), (1000, 30), (1000, 30)], 100), [40, 30, 30]);
        assert_eq!(share_budget(&[(1000, 40), (0, 30), (1000, 30)], 70), [40, 0, 30]);
        assert_eq!(share_budget(&[(10, 40), (20, 30), (1000, 30)], 100), [10, 20, 70]);
        assert_eq!(share_budget(&[(5, 0), (7, 1)], 3), [0, 3]);
        assert_eq!(share_budget(&[(5, 0), (3, 0)], 4), [0, 0], "a weight of zero gets nothing");
        assert_eq!(share_budget(&[], 3), [] as [usize; 0]);
    }

    #[test]
    fn breadth_shrinks_as_one_file_stands_out() {
        assert_eq!(breadth_share(&[0.8, 0.8]), 0.7);
        assert_eq!(breadth_share(&[0.8, 0.4]), 0.3);
        assert_eq!(breadth_share(&[0.8]), 0.3);
        assert_eq!(breadth_share(&[0.0, 0.0]), 0.3, "no file stands out, and none has a score");
        assert!(breadth_share(&[0.8, 0.6]) < breadth_share(&[0.8, 0.7]));
    }

    #[test]
    fn equal_hits_are_packed_before_neighbours() {
        let candidates = [
            candidate(0, 0.8, 1, 100),
            candidate(0, 0.8, 50, 100),
            candidate(1, 0.8, 1, 100),
            candidate(2, 0.7, 1, 100),
        ];
        assert_eq!(taken(&candidates, 450), [(0, false), (1, false), (2, false), (3, false)]);
        assert_eq!(taken(&candidates, 500), [(0, true), (2, false), (3, false)]);
    }

    #[test]
    fn neighbours_of_a_dominant_hit_are_packed_before_other_hits() {
        let candidates = [candidate(0, 0.9, 20, 100), candidate(1, 0.4, 1, 100)];
        assert_eq!(taken(&candidates, 300), [(0, true)]);
        assert_eq!(taken(&candidates, 400), [(0, true), (1, false)]);
        assert_eq!(taken(&candidates, 100), [(0, false)]);
        assert_eq!(taken(&candidates, 99), []);
    }

    #[test]
    fn shown_lines_are_not_packed_again() {
        let candidates = [candidate(0, 0.9, 20, 100), candidate(0, 0.5, 30, 100), candidate(0, 0.4, 60, 100)];
        assert_eq!(taken(&candidates, 1000), [(0, true), (2, false)]);
    }

    #[test]
    fn equal_line_numbers_of_another_file_do_not_count_as_shown() {
        let candidates = [candidate(0, 1.0, 1, 10), candidate(1, 0.5, 1, 60)];
        assert_eq!(taken(&candidates, 100), [(0, true), (1, false)]);
    }

    fn candidates() -> impl Strategy<Value = Vec<PackCandidate>> {
        let one = (0usize..5, 0.0..1.0f64, 1usize..200, 1usize..300)
            .prop_map(|(file, score, line, size)| candidate(file, score, line, size));
        proptest::collection::vec(one, 0..16).prop_map(|mut candidates| {
            candidates.sort_by(|left, right| right.score.total_cmp(&left.score));
            candidates
        })
    }

    proptest! {
        #[test]
        fn a_budget_is_shared_completely_and_fairly(
            parts in proptest::collection::vec((0usize..2000, 1u32..50), 1..6),
            budget in 0usize..4000,
        ) {
            let given = share_budget(&parts, budget);
            let weights: u32 = parts.iter().map(|part| part.1).sum();
            let wanted: usize = parts.iter().map(|part| part.0).sum();
            prop_assert!(given.iter().sum::<usize>() <= budget);
            prop_assert!(given.iter().sum::<usize>() + parts.len() >= wanted.min(budget));
            for (part, given) in parts.iter().zip(&given) {
                prop_assert!(*given <= part.0);
                prop_assert!(*given >= part.0.min(budget * part.1 as usize / weights as usize));
            }
        }

        #[test]
        fn packed_offers_fit_in_order_and_files_come_first(candidates in candidates(), budget in 0usize..3000) {
            let taken = pack(&candidates, budget);
            let size = |taken: &PackedHit| {
                let candidate = candidates[taken.candidate];
                if taken.around { candidate.around.unwrap().size } else { candidate.own.size }
            };
            prop_assert!(taken.iter().map(size).sum::<usize>() <= budget);
            prop_assert!(taken.windows(2).all(|pair| pair[0].candidate < pair[1].candidate));

            let mut files = HashSet::new();
            let anchors: Vec<usize> = (0..candidates.len()).filter(|index| files.insert(candidates[*index].file)).collect();
            let best: Vec<f64> = anchors.iter().map(|index| candidates[*index].score).collect();
            let together: usize = anchors.iter().map(|index| candidates[*index].own.size).sum();
            if together as f64 <= (budget as f64 * breadth_share(&best)).floor() {
                prop_assert!(anchors.iter().all(|anchor| taken.iter().any(|taken| taken.candidate == *anchor)));
            }
            if candidates.first().is_some_and(|first| first.own.size <= budget) {
                prop_assert_eq!(taken[0].candidate, 0);
            }
        }
    }
}
