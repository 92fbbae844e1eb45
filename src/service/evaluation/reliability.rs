//! Checks the relevance labels: how many of the first results with a label are right.

use serde::Serialize;

use super::{First, Question, Run};
use tars_base::domain::Relevance;

/// The questions whose first results have the same label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Band {
    /// The label.
    #[serde(serialize_with = "word")]
    pub relevance: Relevance,
    /// Number of questions.
    pub questions: usize,
    /// Number of questions whose first result is right.
    pub right: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn word<S: serde::Serializer>(relevance: &Relevance, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(relevance.as_str())
}

impl Run {
    /// Counts right first results per label, most relevant label first, over the questions of a category or over all.
    /// Questions without a result are in no band; results without scores give no bands.
    pub fn reliability(&self, questions: &[Question], category: Option<&str>) -> Vec<Band> {
        let wanted = |question: &Question| category.is_none() || question.category.as_deref() == category;
        let kept = questions.iter().zip(&self.measured).filter(|(question, _)| wanted(question));
        let firsts: Vec<First> = kept.filter_map(|(_, measured)| measured.first).collect();
        if firsts.is_empty() {
            return Vec::new();
        }
        let band = |relevance| {
            let called = firsts.iter().filter(|first| Relevance::of_score(first.score) == relevance);
            let right = called.clone().filter(|first| first.right).count();
            Band { relevance, questions: called.count(), right }
        };
        [Relevance::Relevant, Relevance::Kinda, Relevance::Maybe, Relevance::Not].map(band).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{Measured, System};
    use tars_rank::metrics::Figures;

    #[test]
    fn first_results_are_counted_by_label() {
        let question = |category: &str| Question {
            id: category.into(),
            text: "x".into(),
            language: tars_base::domain::QuerySyntax::Query,
            category: Some(category.into()),
            relevant: Vec::new(),
            ignored: Vec::new(),
        };
        let firsts = [Some((0.9, true)), Some((0.75, false)), Some((0.3, true)), None];
        let measured = firsts.map(|first| Measured {
            figures: Figures::of(|_| Ok::<f64, ()>(0.0)).unwrap(),
            ms: None,
            first: first.map(|(score, right)| First { score, right }),
        });
        let run = Run { system: System::Hybrid, measured: measured.to_vec() };
        let questions = [question("a"), question("b"), question("b"), question("b")];
        let counts = |category| -> Vec<(usize, usize)> {
            run.reliability(&questions, category).iter().map(|band| (band.right, band.questions)).collect()
        };
        assert_eq!(counts(None), [(1, 2), (0, 0), (1, 1), (0, 0)]);
        assert_eq!(counts(Some("b")), [(0, 1), (0, 0), (1, 1), (0, 0)]);
        assert!(counts(Some("c")).is_empty());
    }
}
