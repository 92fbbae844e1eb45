//! Compares a run with an earlier one.

use std::collections::HashMap;

use serde::Serialize;

use super::{Record, System};
use tars_rank::metrics::{Difference, Figures, Metric, paired_bootstrap};

/// One metric of one system, before and now, over the questions in both runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Compared {
    /// The system.
    #[serde(rename = "mode")]
    pub system: System,
    /// The metric.
    #[serde(serialize_with = "name")]
    pub metric: Metric,
    /// Number of questions in both runs.
    pub questions: usize,
    /// Its mean in the earlier run.
    pub before: f64,
    /// Its mean now.
    pub now: f64,
    /// The difference, with its interval.
    #[serde(flatten)]
    pub difference: Difference,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn name<S: serde::Serializer>(metric: &Metric, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(metric.name())
}

/// Compares two runs in every system and metric, question by question. Systems and questions that only one run has are left out.
pub fn compare(before: &[Record], now: &[Record]) -> Vec<Compared> {
    let earlier: HashMap<(System, &str), &Figures> =
        before.iter().map(|record| ((record.system, record.id.as_str()), &record.figures)).collect();
    let mut compared = Vec::new();
    for system in System::ALL {
        let pairs: Vec<(&Figures, &Figures)> = now
            .iter()
            .filter(|record| record.system == system)
            .filter_map(|record| Some((*earlier.get(&(system, record.id.as_str()))?, &record.figures)))
            .collect();
        if pairs.is_empty() {
            continue;
        }
        let (before, now): (Vec<&Figures>, Vec<&Figures>) = pairs.into_iter().unzip();
        for metric in Metric::ALL {
            let values = |side: &[&Figures]| -> Vec<f64> { side.iter().map(|figures| figures[metric]).collect() };
            compared.push(Compared {
                system,
                metric,
                questions: now.len(),
                before: Figures::mean(before.iter().copied())[metric],
                now: Figures::mean(now.iter().copied())[metric],
                difference: paired_bootstrap(&values(&before), &values(&now)),
            });
        }
    }
    compared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, system: System, value: f64) -> Record {
        let figures = Figures::of(|_| Ok::<f64, ()>(value)).unwrap();
        Record { id: id.into(), category: None, system, ms: None, figures }
    }

    #[test]
    fn questions_are_matched_by_id_in_any_order() {
        let before =
            [record("a", System::Hybrid, 0.25), record("b", System::Hybrid, 0.5), record("gone", System::Hybrid, 1.0)];
        let now = [
            record("new", System::Hybrid, 1.0),
            record("b", System::Hybrid, 1.0),
            record("a", System::Hybrid, 0.75),
            record("a", System::Grep, 1.0),
        ];
        let compared = compare(&before, &now);
        assert_eq!(compared.len(), Metric::ALL.len(), "grep was not measured before");
        for one in compared {
            assert_eq!((one.system, one.questions), (System::Hybrid, 2));
            assert_eq!((one.before, one.now, one.difference.mean), (0.375, 0.875, 0.5));
        }
        assert!(compare(&before, &[]).is_empty());
    }
}
