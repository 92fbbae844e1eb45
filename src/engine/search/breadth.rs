//! How many notes the answer to a question is spread over.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;

use jiff::civil::Date;

use tars_base::domain::Hit;
use tars_rank::WHOLE_PASSAGES;
use tars_text::classifier::{QuestionShape, question_shape};

/// Number of hits with which a budget of tokens is filled if one passage answers.
const HITS: usize = 30;
/// The same if the answer is spread over many notes. Their answering lines fill most budgets.
const SPREAD_HITS: usize = 60;
/// Number of passages that come whole if lines of many notes tell a course of events.
const SPREAD_WHOLE: usize = 1;
/// Maximum number of bytes of a question whose form is looked at. A longer text is a paste.
const MAX_QUESTION: usize = 4 << 10;
/// The probability from which an answer counts as spread.
const SURELY: f32 = 0.5;
/// Share of the gate that the hits of a course of events must reach, because its question names few of their words.
const SPREAD_GATE: f64 = 0.6;

/// How a budget is filled with the hits of a question. One passage answers most questions. A question for an order of events, a development or
/// a summary wants lines of many notes in order of time, and a list more hits than others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breadth {
    /// Maximum number of hits.
    pub hits: usize,
    /// Number of hits that come whole; of the others come the lines that answer.
    pub whole: usize,
    /// Whether the lines come in order of time instead of best first, and every note once before any comes twice.
    pub by_time: bool,
    /// Share of the gate that a hit must reach.
    pub gate_share: f64,
}

impl Default for Breadth {
    /// For a question that one passage answers.
    fn default() -> Self {
        Self { hits: HITS, whole: WHOLE_PASSAGES, by_time: false, gate_share: 1.0 }
    }
}

impl Breadth {
    /// Returns the breadth that the form of a question calls for.
    pub fn of(question: &str) -> Self {
        let shape = question_shape(&question[..question.floor_char_boundary(MAX_QUESTION)]);
        if shape.any_of(&QuestionShape::SPREAD) < SURELY {
            return Self::default();
        }
        let hits = SPREAD_HITS;
        match shape.any_of(&QuestionShape::COURSES) >= SURELY {
            true => Self { hits, whole: SPREAD_WHOLE, by_time: true, gate_share: SPREAD_GATE },
            false => Self { hits, ..Self::default() },
        }
    }

    /// Orders candidates for packing. For a course of events, the best one of every note comes before the
    /// second one of any.
    pub fn in_turns<T, N: Eq + Hash>(&self, candidates: Vec<T>, note: impl Fn(&T) -> N) -> Vec<T> {
        if !self.by_time {
            return candidates;
        }
        let mut taken: HashMap<N, usize> = HashMap::new();
        let turn = |one: T| {
            let turns = taken.entry(note(&one)).or_default();
            *turns += 1;
            (*turns, one)
        };
        let mut in_turns: Vec<(usize, T)> = candidates.into_iter().map(turn).collect();
        in_turns.sort_by_key(|(turn, _)| *turn);
        in_turns.into_iter().map(|(_, one)| one).collect()
    }

    /// Orders chosen hits by time if the question asks for a course of events.
    pub(super) fn in_order(&self, mut hits: Vec<Hit>) -> Vec<Hit> {
        if self.by_time {
            hits.sort_by(|left, right| {
                let place = |hit: &Hit| (hit.collection.clone(), hit.path.clone(), hit.start_line, hit.start_column);
                by_day(left.date, right.date).then_with(|| place(left).cmp(&place(right)))
            });
        }
        hits
    }
}

/// Compares two days; an unknown one comes last.
pub fn by_day(left: Option<Date>, right: Option<Date>) -> Ordering {
    (left.is_none(), left).cmp(&(right.is_none(), right))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_question_of_one_fact_gets_whole_passages_and_a_summary_lines_of_many_notes() {
        let one = Breadth::of("Where is the spare key of the shed?");
        assert_eq!((one.hits, one.whole, one.by_time), (HITS, WHOLE_PASSAGES, false));
        let many = Breadth::of("Give me a summary of everything we did on the greenhouse since spring");
        assert_eq!((many.hits, many.whole, many.by_time), (SPREAD_HITS, SPREAD_WHOLE, true));
        for short in [
            "in what order did I prepare the Norway trip?",
            "summarize the Norway trip",
            "fasse die Norwegenreise zusammen",
            "résume le voyage en Norvège",
        ] {
            assert!(Breadth::of(short).by_time, "{short}");
        }
    }

    #[test]
    fn every_note_of_a_spread_answer_comes_once_before_any_comes_twice() {
        let candidates = vec![("a", 1), ("a", 2), ("b", 3), ("a", 4), ("c", 5), ("b", 6)];
        let order = |breadth: Breadth| -> Vec<i32> {
            breadth.in_turns(candidates.clone(), |one| one.0).into_iter().map(|one| one.1).collect()
        };
        let focused = Breadth::default();
        assert_eq!(order(focused), [1, 2, 3, 4, 5, 6]);
        assert_eq!(order(Breadth { by_time: true, ..focused }), [1, 3, 5, 2, 6, 4]);
    }

    #[test]
    fn undated_lines_come_after_dated_ones() {
        let mut days = [None, Some(date(2026, 3, 1)), Some(date(2026, 2, 1))];
        days.sort_by(|left, right| by_day(*left, *right));
        assert_eq!(days, [Some(date(2026, 2, 1)), Some(date(2026, 3, 1)), None]);
    }
}
