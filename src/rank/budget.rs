//! Shares a budget among parts, and fills one with hits: the best whole, the others by the lines that answer.

/// Number of hits that a budget usually shows whole before every other hit has its answering line. On sets of conversations, two or three whole
/// passages and the answering lines of further hits hold more of the evidence than whole passages alone.
pub const WHOLE_PASSAGES: usize = 3;
/// Whole passages beyond the first leave the answering lines of further hits one part in so many of a budget, as far as they need it.
const LINES_PART: usize = 3;

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

/// A hit to pack, in its three forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackCandidate {
    /// Number of its file.
    pub file: usize,
    /// The line that answers.
    pub line: Span,
    /// The whole passage.
    pub own: Span,
    /// The passage with its neighbours, if available.
    pub around: Option<Span>,
}

/// How much of a hit is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// The line that answers.
    Line,
    /// The whole passage.
    Passage,
    /// The passage with its neighbours.
    Neighbours,
}

/// A candidate that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedHit {
    /// Index of the candidate.
    pub candidate: usize,
    /// How much of it fits.
    pub form: Form,
}

/// Packs candidates (best first) into a budget. Returns those that fit, in the same order.
///
/// The best `whole` ones come whole. Those beyond the first leave a third of the budget to the answering lines of all further
/// candidates, as far as these need it. Then each other candidate comes with the line that answers. If room is left, the list is walked
/// again: a line becomes its passage, and a passage gets its neighbours. Candidates that do not fit are skipped, and so are those whose
/// lines are already shown. Text shared by two candidates is counted twice, so joining them can only save space.
pub fn pack(candidates: &[PackCandidate], budget: usize, whole: usize) -> Vec<PackedHit> {
    let mut packing = Packing { candidates, budget, shown: vec![None; candidates.len()], used: 0 };
    let mut lines: usize = candidates.iter().map(|candidate| candidate.line.size).sum();
    for (index, candidate) in candidates.iter().enumerate().take(whole) {
        lines -= candidate.line.size;
        let reserved = if index == 0 { 0 } else { lines.min(budget / LINES_PART) };
        packing.show(index, Form::Passage, reserved);
    }
    for index in 0..candidates.len() {
        if packing.shown[index].is_none() {
            packing.show(index, Form::Line, 0);
        }
    }
    for index in 0..candidates.len() {
        match packing.shown[index] {
            Some(Form::Passage) => packing.show(index, Form::Neighbours, 0),
            // Another passage may show the answering line of a passage that begins in it.
            Some(Form::Line) | None => packing.show(index, Form::Passage, 0),
            Some(Form::Neighbours) => {}
        }
    }
    let shown = packing.shown.into_iter().enumerate();
    shown.filter_map(|(candidate, form)| Some(PackedHit { candidate, form: form? })).collect()
}

struct Packing<'c> {
    candidates: &'c [PackCandidate],
    budget: usize,
    shown: Vec<Option<Form>>,
    used: usize,
}

impl Packing<'_> {
    fn span(&self, index: usize, form: Form) -> Option<Span> {
        let candidate = &self.candidates[index];
        match form {
            Form::Line => Some(candidate.line),
            Form::Passage => Some(candidate.own),
            Form::Neighbours => candidate.around,
        }
    }

    /// Shows a candidate in this form if so much of the budget stays free and no other candidate shows all of it.
    fn show(&mut self, index: usize, form: Form, reserved: usize) {
        let Some(span) = self.span(index, form) else { return };
        let before = self.shown[index].and_then(|form| self.span(index, form)).map_or(0, |span| span.size);
        let file = self.candidates[index].file;
        let holds = |(other, form): (usize, &Option<Form>)| {
            let shown = form.and_then(|form| self.span(other, form));
            other != index && self.candidates[other].file == file && shown.is_some_and(|shown| shown.holds(&span))
        };
        let used = (self.used - before).saturating_add(span.size);
        if used.saturating_add(reserved) <= self.budget && !self.shown.iter().enumerate().any(holds) {
            self.shown[index] = Some(form);
            self.used = used;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Form::{Line, Neighbours, Passage};
    use super::*;

    /// A passage of ten lines that costs `size`, with an answering line that costs a tenth of it.
    fn candidate(file: usize, start_line: usize, size: usize) -> PackCandidate {
        let line = Span { start: (start_line, 0), end: (start_line, usize::MAX), size: size / 10 };
        let own = Span { start: (start_line, 0), end: (start_line + 9, usize::MAX), size };
        let around =
            Span { start: (start_line.saturating_sub(10), 0), end: (start_line + 19, usize::MAX), size: 3 * size };
        PackCandidate { file, line, own, around: Some(around) }
    }

    fn taken(candidates: &[PackCandidate], budget: usize) -> Vec<(usize, Form)> {
        pack(candidates, budget, WHOLE_PASSAGES).iter().map(|taken| (taken.candidate, taken.form)).collect()
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
    fn the_best_come_whole_and_the_others_by_their_lines() {
        let candidates: Vec<PackCandidate> = (0..6).map(|file| candidate(file, 1, 100)).collect();
        let lines = |whole: usize| -> Vec<(usize, Form)> {
            (0..6).map(|index| (index, if index < whole { Passage } else { Line })).collect()
        };
        assert_eq!(taken(&candidates, 330), lines(3));
        assert_eq!(taken(&candidates, 250), lines(2));
        assert_eq!(taken(&candidates, 150), lines(1));
        assert_eq!(taken(&candidates, 120), lines(1)[..3]);
        assert_eq!(taken(&candidates, 50), (0..5).map(|index| (index, Line)).collect::<Vec<_>>());
        assert_eq!(taken(&candidates, 9), []);
    }

    #[test]
    fn long_answering_lines_leave_two_thirds_to_whole_passages() {
        let long =
            |file| PackCandidate { line: Span { size: 90, ..candidate(file, 1, 100).line }, ..candidate(file, 1, 100) };
        let candidates: Vec<PackCandidate> = (0..9).map(long).collect();
        assert_eq!(taken(&candidates, 299), [(0, Passage), (1, Passage), (2, Line)]);
    }

    #[test]
    fn room_that_is_left_goes_to_neighbours_and_further_passages() {
        let candidates: Vec<PackCandidate> = (0..5).map(|file| candidate(file, 20, 100)).collect();
        assert_eq!(taken(&candidates, 499), [(0, Passage), (1, Passage), (2, Passage), (3, Passage), (4, Line)]);
        assert_eq!(taken(&candidates[..2], 400), [(0, Neighbours), (1, Passage)]);
        assert_eq!(taken(&candidates[..1], 300), [(0, Neighbours)]);
        assert_eq!(taken(&candidates[..1], 299), [(0, Passage)]);
    }

    #[test]
    fn shown_lines_are_not_packed_again() {
        let candidates = [candidate(0, 20, 100), candidate(0, 30, 100), candidate(0, 20, 100)];
        assert_eq!(taken(&candidates, 290), [(0, Passage), (1, Passage)]);
    }

    #[test]
    fn equal_line_numbers_of_another_file_do_not_count_as_shown() {
        let candidates = [candidate(0, 1, 10), candidate(1, 1, 10)];
        assert_eq!(taken(&candidates, 20), [(0, Passage), (1, Passage)]);
    }

    fn candidates() -> impl Strategy<Value = Vec<PackCandidate>> {
        let one = (0usize..5, 1usize..200, 1usize..300).prop_map(|(file, line, size)| candidate(file, line, size));
        proptest::collection::vec(one, 0..16)
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
        fn packed_hits_fit_in_order_and_the_best_comes_whole(candidates in candidates(), budget in 0usize..3000) {
            let taken = pack(&candidates, budget, WHOLE_PASSAGES);
            let size = |taken: &PackedHit| {
                let candidate = candidates[taken.candidate];
                match taken.form {
                    Line => candidate.line.size,
                    Passage => candidate.own.size,
                    Neighbours => candidate.around.unwrap().size,
                }
            };
            prop_assert!(taken.iter().map(size).sum::<usize>() <= budget);
            prop_assert!(taken.windows(2).all(|pair| pair[0].candidate < pair[1].candidate));
            if candidates.first().is_some_and(|first| first.own.size <= budget) {
                prop_assert!(taken[0].candidate == 0 && taken[0].form >= Passage);
            }
            let whole: usize = candidates.iter().map(|candidate| candidate.around.unwrap().size).sum();
            if whole <= budget {
                let is_held = |index: usize| taken.iter().any(|one| {
                    let (shown, wanted) = (candidates[one.candidate], candidates[index]);
                    let span = if one.form == Neighbours { shown.around.unwrap() } else { shown.own };
                    shown.file == wanted.file && span.holds(&wanted.own)
                });
                prop_assert!((0..candidates.len()).all(is_held), "everything fits");
            }
        }
    }
}
