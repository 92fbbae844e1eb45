//! The kinds of memory files.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of memory in a file, decided by its path (see [`MemoryType::of_path`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemoryType {
    /// Durable facts: `Memory.md`, topics, timelines and pages of projects.
    #[serde(alias = "fact")]
    Semantic,
    /// Rules and idioms: `Procedural.md`.
    #[serde(alias = "rule")]
    Procedural,
    /// A day's log: `YYYY-MM-DD.md`.
    #[serde(alias = "day")]
    Daily,
    /// One summary per session: `sessions/*.md`.
    #[serde(alias = "session")]
    Episodic,
    /// A conversation with an assistant that was imported: `chats/*.md`.
    Chat,
    /// Everything else: a person's own notes.
    Note,
}

impl MemoryType {
    /// All kinds, in the order shown to people.
    pub const ALL: [Self; 6] = [Self::Semantic, Self::Procedural, Self::Daily, Self::Episodic, Self::Chat, Self::Note];

    /// Returns the word used on the command line, in JSON and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Semantic => "semantic",
            Self::Procedural => "procedural",
            Self::Daily => "daily",
            Self::Episodic => "episodic",
            Self::Chat => "chat",
            Self::Note => "note",
        }
    }

    /// Returns the plain word for it, which people and agents may use instead.
    pub fn plain_word(self) -> &'static str {
        match self {
            Self::Semantic => "fact",
            Self::Procedural => "rule",
            Self::Daily => "day",
            Self::Episodic => "session",
            Self::Chat => "chat",
            Self::Note => "note",
        }
    }

    /// Whether it is a list of independent lines that hold beyond the day: facts and rules.
    pub fn is_lasting(self) -> bool {
        matches!(self, Self::Semantic | Self::Procedural)
    }

    /// Returns the kind of the file at `path` (relative to its root, `/` between parts). `memory_folder` is the memory
    /// folder relative to the same root; files outside it are notes.
    pub fn of_path(path: &str, memory_folder: &str) -> Self {
        let Some(inner) = path.strip_prefix(memory_folder).and_then(|rest| rest.strip_prefix('/')) else {
            return Self::Note;
        };
        match inner {
            "Memory.md" => Self::Semantic,
            "Procedural.md" => Self::Procedural,
            // An archived log keeps its kind.
            _ if ["sessions/", "archive/sessions/"].iter().any(|folder| inner.starts_with(folder)) => Self::Episodic,
            _ if inner.starts_with("chats/") => Self::Chat,
            _ if ["context/", "timelines/", "projects/"].iter().any(|folder| inner.starts_with(folder)) => {
                Self::Semantic
            }
            _ if is_daily_name(inner.strip_prefix("archive/days/").unwrap_or(inner)) => Self::Daily,
            _ => Self::Note,
        }
    }
}

fn is_daily_name(name: &str) -> bool {
    name.strip_suffix(".md").is_some_and(|stem| stem.len() == 10 && stem.parse::<jiff::civil::Date>().is_ok())
}

impl fmt::Display for MemoryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for MemoryType {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let is_named =
            |kind: &Self| [kind.as_str(), kind.plain_word()].iter().any(|name| name.eq_ignore_ascii_case(word));
        Self::ALL.into_iter().find(is_named).ok_or_else(|| {
            let names = "fact (semantic), rule (procedural), day (daily), session (episodic), chat or note";
            format!("unknown memory type '{word}': one of {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_the_path() {
        let kind = |path| MemoryType::of_path(path, "tars");
        assert_eq!(kind("tars/Memory.md"), MemoryType::Semantic);
        assert_eq!(kind("tars/Procedural.md"), MemoryType::Procedural);
        assert_eq!(kind("tars/2026-11-21.md"), MemoryType::Daily);
        assert_eq!(kind("tars/2026-13-40.md"), MemoryType::Note);
        assert_eq!(kind("tars/sessions/a.md"), MemoryType::Episodic);
        assert_eq!(kind("tars/archive/days/2026-11-21.md"), MemoryType::Daily);
        assert_eq!(kind("tars/archive/sessions/a.md"), MemoryType::Episodic);
        assert_eq!(kind("tars/chats/2026-11-21-pump.md"), MemoryType::Chat);
        assert_eq!(kind("chats/pump.md"), MemoryType::Note);
        assert_eq!(kind("tars/archive/2026-11.md"), MemoryType::Note);
        assert_eq!(kind("tars/context/work/projects.md"), MemoryType::Semantic);
        assert_eq!(kind("tars/timelines/current-goals.md"), MemoryType::Semantic);
        assert_eq!(kind("tars/projects/acme-api.md"), MemoryType::Semantic);
        assert_eq!(kind("tars/archive/superseded.md"), MemoryType::Note);
        assert_eq!(kind("context/work.md"), MemoryType::Note);
        assert_eq!(kind("tarsier/Memory.md"), MemoryType::Note);
        assert_eq!(kind("2026-11-21.md"), MemoryType::Note);
    }

    #[test]
    fn kind_names_ignore_case() {
        assert_eq!("Daily".parse(), Ok(MemoryType::Daily));
        assert!("days".parse::<MemoryType>().is_err());
    }

    #[test]
    fn kinds_have_plain_words_everywhere() {
        for kind in MemoryType::ALL {
            for word in [kind.as_str(), kind.plain_word()] {
                assert_eq!(word.parse(), Ok(kind));
                assert_eq!(serde_json::from_value::<MemoryType>(word.into()).unwrap(), kind);
            }
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str(), "answers keep one word");
        }
        assert_eq!("RULE".parse(), Ok(MemoryType::Procedural));
    }
}
