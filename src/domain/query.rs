//! What is asked of the index.

use std::str::FromStr;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DateRange, MemoryType};

/// A question and the limits put on its answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// The words as they were given.
    pub text: String,
    /// Which retrievers take part.
    pub mode: Mode,
    /// How many hits at most.
    pub limit: usize,
    /// What a hit must satisfy.
    pub filter: Filter,
    /// Hits that score lower are left out; 0 keeps all.
    pub min_score: f64,
    /// Whether `text` may hold operators.
    pub language: Language,
    /// The project in which it is asked; its notes are preferred.
    pub project: Option<String>,
    /// The present day, which words such as "yesterday" count from.
    pub today: Date,
    /// Whether the answer says how it came about.
    pub explain: bool,
}

/// How the text of a question is to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Typed as a query: `"a phrase"`, `-word`, `tag:x` and their like are instructions.
    #[default]
    Query,
    /// Somebody's prose, not meant for tars: every sign stands for itself.
    Prose,
}

/// Which retrievers take part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words and meaning.
    #[default]
    Hybrid,
    /// Words alone: needs no model.
    Keyword,
    /// Meaning alone.
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

/// What a file must satisfy for its chunks to be hits. The default admits everything.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    /// Globs over the path relative to the collection's root; any may match. Empty admits all.
    pub paths: Vec<String>,
    /// Globs that must not match.
    pub without_paths: Vec<String>,
    /// Tags the note must carry, all of them; a tag covers the tags nested below it.
    pub tags: Vec<String>,
    /// Tags the note must not carry, none of them.
    pub without_tags: Vec<String>,
    /// Kinds of memory, any of them. Empty admits all.
    pub memory_types: Vec<MemoryType>,
    /// Collections, any of them. Empty admits all.
    pub collections: Vec<String>,
    /// The note must carry a date in this range (its modification day where it carries none).
    pub dates: Option<DateRange>,
}

impl Filter {
    /// Whether the filter admits everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
