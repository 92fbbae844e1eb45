//! Files of questions with known answers.
//!
//! One JSON object per line. Blank lines and unknown fields are ignored:
//!
//! - `query`: the question as typed, including operators; not blank.
//! - `relevant`: the places of the answer, an array of one or more objects: `path` (relative to the collection's root,
//!   separated by `/`); `start_line` and `end_line` (from 1, inclusive; both, or neither for the whole file); `collection` (a
//!   name; without it, the path counts in every collection).
//! - `id`: a unique string or number; defaults to the line number. Runs are compared by id.
//! - `category`: a string; each category gets its own figures.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use tars_base::domain::QuerySyntax;
use tars_rank::metrics::Place;

/// A question with known answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Id, unique in its file.
    pub id: String,
    /// The text.
    pub text: String,
    /// How to parse the text.
    pub language: QuerySyntax,
    /// Its category, if given.
    pub category: Option<String>,
    /// Places of the answer; never empty.
    pub relevant: Vec<Place>,
    /// Places that do not count: overlapping results are removed before measuring.
    pub ignored: Vec<Place>,
}

/// Errors of a question file.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// The file cannot be read.
    #[error("cannot read {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line is not a valid question.
    #[error("{path}:{line}: {message}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
        message: String,
    },
    /// The file has no questions.
    #[error("{path} holds no question")]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

impl QuestionError {
    /// Returns a suggestion for the next step, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Io { .. } => None,
            Self::Line { .. } | Self::Empty { .. } => Some(
                r#"one question a line: {"query": "…", "relevant": [{"path": "note.md", "start_line": 1, "end_line": 9}]}"#
                    .into(),
            ),
        }
    }
}

#[derive(Deserialize)]
struct Line {
    id: Option<Id>,
    query: String,
    relevant: Vec<Range>,
    category: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(serde_json::Number),
    Text(String),
}

#[derive(Deserialize)]
struct Range {
    collection: Option<String>,
    path: String,
    start_line: Option<usize>,
    end_line: Option<usize>,
}

/// Reads the questions of a file, in order; there is at least one.
///
/// # Errors
/// The file cannot be read, has no questions, an invalid line, or a duplicate id.
pub fn read_questions(path: &Path) -> Result<Vec<Question>, QuestionError> {
    let failed = |source| QuestionError::Io { path: path.to_owned(), source };
    let mut questions = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (index, bytes) in BufReader::new(File::open(path).map_err(failed)?).split(b'\n').enumerate() {
        let (bytes, line) = (bytes.map_err(failed)?, index + 1);
        let bytes = if index == 0 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes) } else { &bytes };
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |message: String| QuestionError::Line { path: path.to_owned(), line, message };
        let question = question(bytes, line).map_err(wrong)?;
        if let Some(first) = seen.insert(question.id.clone(), line) {
            return Err(wrong(format!("the id '{}' is already used in line {first}", question.id)));
        }
        questions.push(question);
    }
    if questions.is_empty() { Err(QuestionError::Empty { path: path.to_owned() }) } else { Ok(questions) }
}

fn question(bytes: &[u8], number: usize) -> Result<Question, String> {
    let not_one = |error: serde_json::Error| format!("not a question: {}", cause(&error));
    let object: Map<String, Value> = serde_json::from_slice(bytes).map_err(not_one)?;
    let line = Line::deserialize(Value::Object(object)).map_err(not_one)?;
    if line.query.trim().is_empty() {
        return Err("the query is blank".into());
    }
    if line.relevant.is_empty() {
        return Err("'relevant' is empty: a question without an answer cannot be measured".into());
    }
    Ok(Question {
        id: match line.id {
            Some(Id::Text(text)) => text,
            Some(Id::Number(number)) => number.to_string(),
            None => number.to_string(),
        },
        text: line.query,
        language: QuerySyntax::Query,
        category: line.category,
        relevant: line.relevant.into_iter().map(place).collect::<Result<_, _>>()?,
        ignored: Vec::new(),
    })
}

fn place(range: Range) -> Result<Place, String> {
    let Range { collection, path, .. } = range;
    let (start_line, end_line) = match (range.start_line, range.end_line) {
        (None, None) => (1, usize::MAX),
        (Some(first), Some(last)) if first >= 1 && first <= last => (first, last),
        (Some(first), Some(last)) => {
            return Err(format!(
                "{path}: lines {first} to {last} are not a valid range: they count from 1, the first one first"
            ));
        }
        _ => return Err(format!("{path}: 'start_line' and 'end_line' go together")),
    };
    Ok(Place { collection, path, start_line, end_line })
}

/// Returns the message of serde without its line number, which is always 1 here.
fn cause(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line 1 column").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Question>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let name = file.path().display().to_string();
        read_questions(file.path()).map_err(|error| error.to_string().replace(&name, "q.jsonl"))
    }

    #[test]
    fn missing_fields_have_defaults() {
        let questions = read(concat!(
            "\u{feff}{\"id\": 7, \"query\": \"a\", \"relevant\": [{\"path\": \"a.md\"}], \"more\": true}\n\n",
            "{\"query\": \"b\", \"category\": \"x\", \"relevant\": [{\"path\": \"b.md\", \"collection\": \"work\", ",
            "\"start_line\": 2, \"end_line\": 2}, {\"path\": \"c.md\"}]}\r\n",
        ))
        .unwrap();
        let ids: Vec<&str> = questions.iter().map(|question| question.id.as_str()).collect();
        assert_eq!(ids, ["7", "3"], "a question without an id has that of its line");
        let whole = |path: &str| Place { collection: None, path: path.into(), start_line: 1, end_line: usize::MAX };
        assert_eq!((&questions[0].relevant, &questions[0].category), (&vec![whole("a.md")], &None));
        let part = Place { collection: Some("work".into()), path: "b.md".into(), start_line: 2, end_line: 2 };
        assert_eq!(questions[1].relevant, [part, whole("c.md")]);
    }

    #[test]
    fn an_invalid_line_is_reported_with_its_number() {
        let good = "{\"query\": \"a\", \"relevant\": [{\"path\": \"a.md\"}]}\n";
        for (line, message) in [
            ("{broken", "q.jsonl:2: not a question: key must be a string"),
            ("[1]", "q.jsonl:2: not a question: invalid type: sequence, expected a map"),
            ("{\"query\": \"a\"}", "q.jsonl:2: not a question: missing field `relevant`"),
            ("{\"relevant\": []}", "q.jsonl:2: not a question: missing field `query`"),
            ("{\"query\": \" \", \"relevant\": [{\"path\": \"a\"}]}", "q.jsonl:2: the query is blank"),
            (
                "{\"query\": \"a\", \"relevant\": []}",
                "q.jsonl:2: 'relevant' is empty: a question without an answer cannot be measured",
            ),
            (
                "{\"query\": \"a\", \"relevant\": [{\"path\": \"a\", \"start_line\": 3}]}",
                "q.jsonl:2: a: 'start_line' and 'end_line' go together",
            ),
            (
                "{\"query\": \"a\", \"relevant\": [{\"path\": \"a\", \"start_line\": 0, \"end_line\": 3}]}",
                "q.jsonl:2: a: lines 0 to 3 are not a valid range: they count from 1, the first one first",
            ),
        ] {
            assert_eq!(read(&format!("{good}{line}")).unwrap_err(), message);
        }
        let twice = "{\"id\": \"x\", \"query\": \"a\", \"relevant\": [{\"path\": \"a.md\"}]}\n".repeat(2);
        assert_eq!(read(&twice).unwrap_err(), "q.jsonl:2: the id 'x' is already used in line 1");
        assert_eq!(read("\n \n").unwrap_err(), "q.jsonl holds no question");
    }
}
