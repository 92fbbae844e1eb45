//! Search queries.

use std::str::FromStr;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DateRange, MemoryType, PropertyCondition};

/// A question and the limits on its answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// The question as given.
    pub text: String,
    /// Which retrievers take part.
    pub mode: Mode,
    /// Maximum number of hits.
    pub limit: usize,
    /// Conditions on a hit.
    pub filter: Filter,
    /// Minimum score; 0 keeps all hits.
    pub min_score: f64,
    /// Whether `text` may hold operators.
    pub language: QuerySyntax,
    /// The current project, whose notes are preferred.
    pub project: Option<String>,
    /// The present day, from which words such as "yesterday" count.
    pub today: Date,
    /// Whether to explain the answer.
    pub explain: bool,
}

/// How to parse the text of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Language")]
pub enum QuerySyntax {
    /// A query: `"a phrase"`, `-word`, `tag:x` and similar are operators.
    #[default]
    Query,
    /// Prose that was not written for tars: every character is literal.
    Prose,
}

/// The retrievers that take part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words and meaning.
    #[default]
    Hybrid,
    /// Words only; needs no model.
    Keyword,
    /// Meaning only.
    Vector,
}

impl Mode {
    /// Returns the word used on the command line and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Keyword => "keyword",
            Self::Vector => "vector",
        }
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "hybrid" => Ok(Self::Hybrid),
            "keyword" => Ok(Self::Keyword),
            "vector" => Ok(Self::Vector),
            _ => Err(format!("unknown mode '{word}': one of hybrid, keyword, vector")),
        }
    }
}

/// Conditions on the file of a hit. The default admits everything.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    /// Globs over the path relative to the collection's root, any of which may match. Empty admits all.
    pub paths: Vec<String>,
    /// Globs that must not match.
    pub without_paths: Vec<String>,
    /// Tags that the note must all carry. A tag covers the tags nested below it.
    pub tags: Vec<String>,
    /// Tags that the note must not carry.
    pub without_tags: Vec<String>,
    /// Admitted kinds of memory. Empty admits all.
    pub memory_types: Vec<MemoryType>,
    /// Admitted collections. Empty admits all.
    pub collections: Vec<String>,
    /// The note must have a date in this range (its modification day if it has no date).
    pub dates: Option<DateRange>,
    /// Conditions on the properties of the note, all of which must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyCondition>,
}

impl Filter {
    /// Whether the filter admits everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
