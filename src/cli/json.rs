//! The JSON contract: see docs/json.md. Fields are added, never renamed or removed.

use std::io::{self, Write};

use anyhow::Result;
use jiff::civil::Date;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

use super::terminal::is_command;
use crate::app::{ContextAnswer, ContextPiece};
use crate::domain::{Hit, HitExplanation, IndexState, QueryExplanation, Retriever, SearchAnswer};
use crate::search::Expansion;

/// `tars search --json`
#[derive(Serialize)]
pub(super) struct AnswerJson<'a> {
    query: &'a str,
    mode: &'static str,
    degraded: Option<&'a str>,
    remarks: &'a [String],
    index: IndexState,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a QueryExplanation>,
    results: Vec<HitJson<'a>>,
}

#[derive(Serialize)]
struct HitJson<'a> {
    id: &'a str,
    path: &'a str,
    title: &'a str,
    heading: &'a str,
    collection: &'a str,
    memory_type: &'static str,
    start_line: usize,
    end_line: usize,
    line: usize,
    date: Option<Date>,
    score: f64,
    relevance: &'static str,
    content: &'a str,
    matched_by: &'a [Retriever],
    /// There only if it was reranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    reranked: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a HitExplanation>,
}

impl<'a> AnswerJson<'a> {
    pub(super) fn new(answer: &'a SearchAnswer) -> Self {
        Self {
            query: &answer.query,
            mode: answer.mode.as_str(),
            degraded: answer.degraded.as_deref(),
            remarks: &answer.remarks,
            index: answer.index,
            explanation: answer.explanation.as_ref(),
            results: answer.hits.iter().map(HitJson::new).collect(),
        }
    }
}

impl<'a> HitJson<'a> {
    fn new(hit: &'a Hit) -> Self {
        Self {
            id: hit.id.as_str(),
            path: &hit.path,
            title: &hit.title,
            heading: &hit.heading,
            collection: &hit.collection,
            memory_type: hit.memory_type.as_str(),
            start_line: hit.start_line,
            end_line: hit.end_line,
            line: hit.line,
            date: hit.date,
            score: rounded(hit.score),
            relevance: hit.relevance().as_str(),
            content: &hit.content,
            matched_by: &hit.matched_by,
            reranked: hit.reranked.map(rounded),
            explanation: hit.explanation.as_ref(),
        }
    }
}

/// One line of `tars search --batch`.
#[derive(Serialize)]
pub(super) struct BatchLine<'a> {
    /// As it was given; absent if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<Value>,
    /// How long the answer took, milliseconds.
    pub(super) ms: f64,
    /// The answer, unless there is an error.
    #[serde(flatten)]
    pub(super) answer: Option<AnswerJson<'a>>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// `tars expand --json`
#[derive(Serialize)]
struct ExpansionJson<'a> {
    id: &'a str,
    replaced: Option<&'a str>,
    collection: &'a str,
    path: &'a str,
    title: &'a str,
    heading: &'a str,
    start_line: usize,
    end_line: usize,
    content: &'a str,
}

/// Prints an expansion as one line of JSON.
pub(super) fn expansion(out: &mut dyn Write, expansion: &Expansion) -> Result<()> {
    line(
        out,
        &ExpansionJson {
            id: expansion.id.as_str(),
            replaced: expansion.replaced.as_ref().map(|id| id.as_str()),
            collection: &expansion.collection,
            path: &expansion.path,
            title: &expansion.title,
            heading: &expansion.heading,
            start_line: expansion.start_line,
            end_line: expansion.end_line,
            content: &expansion.content,
        },
    )
}

/// `tars context --json`
#[derive(Serialize)]
pub(super) struct ContextJson<'a> {
    block: Option<&'a str>,
    pieces: Vec<PieceJson<'a>>,
    degraded: Option<&'a str>,
    index: Option<IndexState>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct PieceJson<'a> {
    collection: &'a str,
    path: &'a str,
    start_line: usize,
    end_line: usize,
    line: Option<usize>,
    heading: Option<&'a str>,
    date: Option<Date>,
    kind: &'static str,
    score: Option<f64>,
    text: String,
    tokens: usize,
}

impl<'a> ContextJson<'a> {
    pub(super) fn new(answer: &'a ContextAnswer) -> Self {
        Self {
            block: answer.block.as_deref(),
            pieces: answer.pieces.iter().map(PieceJson::new).collect(),
            degraded: answer.degraded.as_deref(),
            index: answer.index,
            warnings: &answer.warnings,
        }
    }
}

impl<'a> PieceJson<'a> {
    fn new(shown: &'a ContextPiece) -> Self {
        let (start_line, end_line) = shown.piece.lines();
        let source = shown.piece.source();
        let answer = shown.piece.answer();
        Self {
            collection: &shown.collection,
            path: &source.path,
            start_line,
            end_line,
            line: answer.map(|answer| answer.line),
            heading: answer.map(|answer| answer.heading.as_str()),
            date: source.date,
            kind: source.kind.as_str(),
            score: shown.score.map(rounded),
            text: shown.piece.text(),
            tokens: shown.piece.tokens(),
        }
    }
}

fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

/// Prints a value as one line of JSON.
pub(super) fn line(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Readable))?;
    writeln!(out)?;
    Ok(())
}

/// Escapes every character that a terminal would act on. JSON itself asks for that below U+0020 alone; U+009B would begin
/// a command, and U+202E would reverse the rest of the line.
struct Readable;

impl Formatter for Readable {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, command)) = rest.char_indices().find(|(_, character)| is_command(*character)) {
            // All of them are in the basic plane: one escape holds each.
            write!(writer, "{}\\u{:04x}", &rest[..at], u32::from(command))?;
            rest = &rest[at + command.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(value: &impl Serialize) -> String {
        let mut out = Vec::new();
        line(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_direction_override_is_printed_as_an_escape() {
        assert_eq!(printed(&"a\u{202e}b\u{2066}é\u{9b}31m\u{7f}"), "\"a\\u202eb\\u2066é\\u009b31m\\u007f\"\n");
        assert_eq!(printed(&serde_json::json!({"\u{202e}k": "\u{1b}"})), "{\"\\u202ek\":\"\\u001b\"}\n");
    }

    proptest::proptest! {
        #[test]
        fn an_escape_does_not_change_the_value(text in "(?s)[\u{0}-\u{a0}\u{2028}-\u{202f}\u{2060}-\u{206f}\"\\\\é中😀]{0,40}") {
            let printed = printed(&text);
            proptest::prop_assert!(!printed.trim_end_matches('\n').chars().any(is_command));
            proptest::prop_assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), text);
        }
    }
}
