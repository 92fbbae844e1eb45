//! One system's figures, and how they are kept.
//!
//! A run is kept as one JSON object a line, for each question and system: `id`, `category` (null or a string), `mode`, `ms`
//! (milliseconds; null where questions were not asked one by one), and every metric by its name, with six digits behind
//! the point.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Question, System};
use crate::metrics::Figures;

/// Results that each question is given.
pub(super) const DEPTH: usize = 10;

/// The first result of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct First {
    /// Its score, 0 to 1.
    pub score: f64,
    /// Whether it shares a line with what answers the question.
    pub right: bool,
}

/// What one question got.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// How well it was answered.
    pub figures: Figures,
    /// How long it took, milliseconds; `None` where questions were not asked one by one.
    pub ms: Option<f64>,
    /// Its first result; `None` without one, and where results have no score.
    pub first: Option<First>,
}

/// What all questions got in one system.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The system.
    pub system: System,
    /// One for each question, in their order; fewer if it was interrupted.
    pub measured: Vec<Measured>,
}

/// How long questions took, milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Timing {
    /// Half of them took no longer.
    pub median: f64,
    /// 95 of 100 took no longer.
    pub p95: f64,
}

impl Run {
    /// Returns how long questions took; `None` where they were not asked one by one.
    pub fn timing(&self) -> Option<Timing> {
        let mut all: Vec<f64> = self.measured.iter().filter_map(|measured| measured.ms).collect();
        all.sort_by(f64::total_cmp);
        let percentile =
            |share: f64| all.get((share * all.len().saturating_sub(1) as f64).round() as usize).map(|ms| rounded(*ms));
        Some(Timing { median: percentile(0.5)?, p95: percentile(0.95)? })
    }

    /// Returns the means over the questions of a category, or over all.
    pub fn mean(&self, questions: &[Question], category: Option<&str>) -> Figures {
        let wanted = |question: &Question| category.is_none() || question.category.as_deref() == category;
        let kept = questions.iter().zip(&self.measured).filter(|(question, _)| wanted(question));
        Figures::mean(kept.map(|(_, measured)| &measured.figures))
    }

    /// Returns the lines in which the run is kept.
    pub fn records<'a>(&'a self, questions: &'a [Question]) -> impl Iterator<Item = Record> + 'a {
        questions.iter().zip(&self.measured).map(|(question, measured)| Record {
            id: question.id.clone(),
            category: question.category.clone(),
            system: self.system,
            ms: measured.ms.map(rounded),
            figures: measured.figures,
        })
    }
}

/// Returns milliseconds to the microsecond.
fn rounded(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}

/// One line of a run that is kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// Id of the question.
    pub id: String,
    /// Category of the question.
    pub category: Option<String>,
    /// The system it was asked.
    #[serde(rename = "mode")]
    pub system: System,
    /// How long it took, milliseconds.
    pub ms: Option<f64>,
    /// How well it was answered.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Why a file holds no run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The system refused.
    #[error("cannot read {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is not one of a run.
    #[error("{path}:{line}: not a line of an earlier run: {message}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
}

#[derive(Deserialize)]
struct Line {
    id: String,
    category: Option<String>,
    #[serde(rename = "mode")]
    system: System,
    ms: Option<f64>,
    #[serde(flatten)]
    figures: Map<String, Value>,
}

/// Returns what an earlier run kept.
///
/// # Errors
/// The file cannot be read, or holds a line that is not one of a run.
pub fn read_records(path: &Path) -> Result<Vec<Record>, RecordError> {
    let failed = |source| RecordError::Io { path: path.to_owned(), source };
    let mut records = Vec::new();
    for (index, text) in BufReader::new(File::open(path).map_err(failed)?).lines().enumerate() {
        let text = text.map_err(failed)?;
        if text.trim().is_empty() {
            continue;
        }
        records.push(record(&text).map_err(|message| RecordError::Line {
            path: path.to_owned(),
            line: index + 1,
            message,
        })?);
    }
    Ok(records)
}

fn record(text: &str) -> Result<Record, String> {
    let line: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let figures = Figures::of(|metric| {
        let value = line.figures.get(metric.name()).and_then(Value::as_f64);
        value.filter(|value| (0.0..=1.0).contains(value)).ok_or_else(|| format!("'{metric}' is no number from 0 to 1"))
    })?;
    Ok(Record { id: line.id, category: line.category, system: line.system, ms: line.ms, figures })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(recall: f64, ms: Option<f64>) -> Measured {
        Measured { figures: Figures::of(|_| Ok::<f64, ()>(recall)).unwrap(), ms, first: None }
    }

    fn question(id: &str, category: Option<&str>) -> Question {
        Question {
            id: id.into(),
            text: "x".into(),
            language: crate::domain::Language::Query,
            category: category.map(str::to_owned),
            relevant: Vec::new(),
            ignored: Vec::new(),
        }
    }

    #[test]
    fn times_are_those_of_the_middle_and_of_all_but_the_slowest() {
        let run = |times: &[f64]| Run {
            system: System::Hybrid,
            measured: times.iter().map(|ms| measured(1.0, Some(*ms))).collect(),
        };
        let times: Vec<f64> = (1..=101).rev().map(f64::from).collect();
        assert_eq!(run(&times).timing(), Some(Timing { median: 51.0, p95: 96.0 }));
        assert_eq!(run(&[3.0]).timing(), Some(Timing { median: 3.0, p95: 3.0 }));
        assert_eq!(run(&[]).timing(), None);
    }

    #[test]
    fn what_is_kept_is_read_back_as_it_was() {
        let questions = [question("one", Some("a")), question("two", None), question("three", Some("b"))];
        let run = Run {
            system: System::Grep,
            measured: vec![measured(1.0 / 3.0, Some(1.23456)), measured(0.5, None), measured(1.0, None)],
        };
        let kept: Vec<Record> = run.records(&questions).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines: Vec<String> = kept.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
        std::fs::write(file.path(), lines.join("\n")).unwrap();
        assert_eq!(read_records(file.path()).unwrap(), kept);
        assert_eq!((kept[0].ms, kept[1].category.clone()), (Some(1.235), None));
        let mean = |category| run.mean(&questions, category)[crate::metrics::Metric::Mrr];
        assert_eq!((mean(Some("b")), mean(None)), (1.0, (1.0 / 3.0 + 1.5) / 3.0));
    }

    #[test]
    fn a_file_that_is_no_run_is_refused_with_its_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (text, message) in [
            (
                "\n{\"id\": \"a\", \"mode\": \"grep\"}",
                ":2: not a line of an earlier run: 'recall@1' is no number from 0 to 1",
            ),
            ("{\"query\": \"a\"}", ":1: not a line of an earlier run: missing field `id`"),
        ] {
            std::fs::write(file.path(), text).unwrap();
            let error = read_records(file.path()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
