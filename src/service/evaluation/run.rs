//! The figures of one system, and their file format.
//!
//! A run is saved as one JSON object per line, for each question and system: `id`, `category` (null or a string), `mode`,
//! `ms` (milliseconds; null if the questions were not asked one by one), and every metric by its name, with six decimals.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Question, System};
use tars_rank::metrics::Figures;

/// Number of results per question.
pub(super) const DEPTH: usize = 10;

/// The first result of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct First {
    /// Its score, 0 to 1.
    pub score: f64,
    /// Whether it overlaps a place of the answer.
    pub right: bool,
}

/// Results of one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Its metrics.
    pub figures: Figures,
    /// Duration in milliseconds; `None` if the questions were not asked one by one.
    pub ms: Option<f64>,
    /// Its first result; `None` if there is none, or if results have no score.
    pub first: Option<First>,
}

/// Results of all questions in one system.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The system.
    pub system: System,
    /// One entry per question, in order; fewer if interrupted.
    pub measured: Vec<Measured>,
}

/// Durations of the questions, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Timing {
    /// Median.
    pub median: f64,
    /// 95th percentile.
    pub p95: f64,
}

impl Run {
    /// Returns the durations; `None` if the questions were not asked one by one.
    pub fn timing(&self) -> Option<Timing> {
        let mut all: Vec<f64> = self.measured.iter().filter_map(|measured| measured.ms).collect();
        all.sort_by(f64::total_cmp);
        let percentile =
            |share: f64| all.get((share * all.len().saturating_sub(1) as f64).round() as usize).map(|ms| rounded(*ms));
        Some(Timing { median: percentile(0.5)?, p95: percentile(0.95)? })
    }

    /// Returns the mean figures over the questions of a category, or over all.
    pub fn mean(&self, questions: &[Question], category: Option<&str>) -> Figures {
        let wanted = |question: &Question| category.is_none() || question.category.as_deref() == category;
        let kept = questions.iter().zip(&self.measured).filter(|(question, _)| wanted(question));
        Figures::mean(kept.map(|(_, measured)| &measured.figures))
    }

    /// Returns the records to save.
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

/// Rounds milliseconds to the microsecond.
fn rounded(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}

/// One line of a saved run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// Id of the question.
    pub id: String,
    /// Category of the question.
    pub category: Option<String>,
    /// The system that was asked.
    #[serde(rename = "mode")]
    pub system: System,
    /// Duration in milliseconds.
    pub ms: Option<f64>,
    /// Its metrics.
    #[serde(flatten)]
    pub figures: Figures,
}

/// Errors of a run file.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be read.
    #[error("cannot read {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line does not belong to a run.
    #[error("{path}:{line}: not a line of an earlier run: {message}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
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

/// Reads the records of an earlier run.
///
/// # Errors
/// The file cannot be read, or has an invalid line.
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
        value
            .filter(|value| (0.0..=1.0).contains(value))
            .ok_or_else(|| format!("'{metric}' is not a number from 0 to 1"))
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
            language: tars_base::domain::QuerySyntax::Query,
            category: category.map(str::to_owned),
            relevant: Vec::new(),
            ignored: Vec::new(),
        }
    }

    #[test]
    fn timing_gives_the_median_and_the_95th_percentile() {
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
    fn records_are_read_back_unchanged() {
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
        let mean = |category| run.mean(&questions, category)[tars_rank::metrics::Metric::Mrr];
        assert_eq!((mean(Some("b")), mean(None)), (1.0, (1.0 / 3.0 + 1.5) / 3.0));
    }

    #[test]
    fn an_invalid_run_file_is_refused_with_its_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (text, message) in [
            (
                "\n{\"id\": \"a\", \"mode\": \"grep\"}",
                ":2: not a line of an earlier run: 'recall@1' is not a number from 0 to 1",
            ),
            ("{\"query\": \"a\"}", ":1: not a line of an earlier run: missing field `id`"),
        ] {
            std::fs::write(file.path(), text).unwrap();
            let error = read_records(file.path()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
