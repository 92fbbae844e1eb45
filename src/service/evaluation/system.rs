//! The search systems under comparison.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use tars_base::domain::Mode;

/// A search system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// Words and meaning, the default of `tars search`.
    Hybrid,
    /// Words only.
    Keyword,
    /// Meaning only.
    Vector,
    /// Word counts, as with grep.
    Grep,
}

impl System {
    /// All systems, in display order.
    pub const ALL: [Self; 4] = [Self::Hybrid, Self::Keyword, Self::Vector, Self::Grep];

    /// Returns the word used on the command line and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Keyword => "keyword",
            Self::Vector => "vector",
            Self::Grep => "grep",
        }
    }

    /// Returns the search mode; `None` if it is not a search of tars.
    pub fn mode(self) -> Option<Mode> {
        match self {
            Self::Hybrid => Some(Mode::Hybrid),
            Self::Keyword => Some(Mode::Keyword),
            Self::Vector => Some(Mode::Vector),
            Self::Grep => None,
        }
    }

    /// Whether it needs an embedding model.
    pub fn needs_model(self) -> bool {
        matches!(self, Self::Hybrid | Self::Vector)
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for System {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|system| system.as_str() == word);
        known.ok_or_else(|| format!("unknown mode '{word}': one of hybrid, keyword, vector, grep"))
    }
}
