//! Arguments of `tars eval`.

use std::path::PathBuf;

use tars_service::evaluation::System;

/// `tars eval`
#[derive(Debug, clap::Args)]
pub(crate) struct Eval {
    /// Questions with known answers, one per line:
    /// {"query": "…", "relevant": [{"path": "note.md", "start_line": 1, "end_line": 9}], "category": "…"}
    #[arg(value_name = "QUERIES.jsonl", required_unless_present = "own", conflicts_with = "own")]
    pub(crate) queries: Option<PathBuf>,
    /// Generate the questions from your notes: from their titles, headings and other names, and from the texts of links between them.
    /// Each name is hidden in a copy of the index where it would reveal the answer.
    #[arg(long = "self")]
    pub(crate) own: bool,
    /// With --self: the largest number of questions.
    #[arg(long, value_name = "N", requires = "own", default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) sample: u16,
    /// With --self: the seed for the choice of questions.
    #[arg(long, value_name = "N", requires = "own", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Only this mode: hybrid, keyword, vector, or grep, which counts words; repeatable. Default: all.
    #[arg(long = "mode", value_name = "MODE")]
    pub(crate) modes: Vec<System>,
    /// Override a setting, or a key that tunes the ranking (docs/eval.md lists them), in this run, e.g. search.vector_weight=0.5; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) settings: Vec<(String, String)>,
    /// Write the figures of every question to this file, one per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Compare with an earlier run, saved with --out: mean difference, 95 % interval, p.
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,
    /// Show every figure for every category, not only nDCG.
    #[arg(long)]
    pub(crate) categories: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Sections of the settings that decide the content of the index: a new value has no effect on an existing index.
const INDEXED: [&str; 2] = ["chunk.", "index."];

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("a key and a value, joined by '='")?;
    if INDEXED.iter().any(|section| key.starts_with(section)) {
        return Err(format!(
            "{key} decides how notes are indexed: index with it into a folder of its own (--data-dir)"
        ));
    }
    Ok((key.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_a_key_and_a_value() {
        let pair = |key: &str, value: &str| Ok((key.to_owned(), value.to_owned()));
        assert_eq!(setting("search.gate=0.5"), pair("search.gate", "0.5"));
        assert_eq!(setting("embedding.query_prefix=a=b"), pair("embedding.query_prefix", "a=b"));
        assert_eq!(setting("data.dir="), pair("data.dir", ""));
        assert!(setting("search.gate").is_err() && setting("chunk.overlap=0").is_err());
    }
}
