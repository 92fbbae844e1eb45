//! The JSON of a hit, as docs/json.md describes it.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::scores::{rounded, rounded_if_any};
use tars_base::domain::{ChunkId, Hit, HitExplanation, MemoryType, Relevance, Retriever, SupersededHit};

/// One hit.
#[derive(Serialize, JsonSchema)]
#[serde(remote = "Hit")]
#[schemars(rename = "SearchHit")]
pub(super) struct HitJson {
    /// Public id of the chunk.
    id: ChunkId,
    /// Path relative to the collection's root, `/` between its parts.
    path: String,
    /// Title of the note.
    title: String,
    /// Heading path of `line`, `outer > inner`; empty above the first heading.
    heading: String,
    /// Name of the collection.
    collection: String,
    /// Kind of memory.
    memory_type: MemoryType,
    /// First line shown, from 1.
    start_line: usize,
    /// Characters of the first line before `content`. Left out unless a long line was cut.
    #[serde(skip_serializing_if = "is_zero")]
    start_column: usize,
    /// Last line shown, inclusive.
    end_line: usize,
    /// Characters of the last line up to the end of `content`. Left out unless a long line was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
    /// The line that answers best, from 1.
    line: usize,
    /// Characters of `line` before the sentence that answers best. Left out unless the line is long.
    #[serde(skip_serializing_if = "is_zero")]
    column: usize,
    /// The day of the line, as the note states it.
    date: Option<Date>,
    /// In [0, 1], comparable between questions; four decimals in JSON.
    #[serde(serialize_with = "rounded")]
    score: f64,
    /// The score in words.
    #[serde(getter = "Hit::relevance")]
    relevance: Relevance,
    /// The lines themselves.
    content: String,
    /// The retrievers that found it.
    matched_by: Vec<Retriever>,
    /// A reranker's estimate of how well it answers the question, in [0, 1]; `None` if none has read it.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "rounded_if_any")]
    reranked: Option<f64>,
    /// If the lines are no longer true: since when, and what is true instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded: Option<SupersededHit>,
    /// How the score came about, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<HitExplanation>,
}

fn is_zero(column: &usize) -> bool {
    *column == 0
}

/// Serializes hits for programs.
pub(super) fn serialize<S: Serializer>(hits: &[Hit], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct One<'h>(#[serde(with = "HitJson")] &'h Hit);
    serializer.collect_seq(hits.iter().map(One))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_has_rounded_scores_and_no_empty_fields() {
        let mut hit = Hit {
            id: ChunkId::from_stored("a".repeat(ChunkId::LENGTH)),
            path: "a.md".into(),
            title: "A".into(),
            heading: String::new(),
            collection: "vault".into(),
            memory_type: MemoryType::Note,
            start_line: 1,
            start_column: 0,
            end_line: 2,
            end_column: None,
            line: 2,
            column: 0,
            date: None,
            score: 0.749_96,
            content: "# A\nb".into(),
            matched_by: vec![Retriever::Keyword],
            reranked: None,
            superseded: None,
            explanation: None,
            request: None,
            preview: Some("b".into()),
        };
        let json = |hit: &Hit| {
            let mut out = serde_json::Serializer::new(Vec::new());
            serialize(std::slice::from_ref(hit), &mut out).unwrap();
            String::from_utf8(out.into_inner()).unwrap().replace(&"a".repeat(ChunkId::LENGTH), "ID")
        };
        let start = r##"[{"id":"ID","path":"a.md","title":"A","heading":"","collection":"vault","memory_type":"note","start_line":1,"##;
        let rest =
            r##""end_line":2,"line":2,"date":null,"score":0.75,"relevance":"kinda relevant","content":"# A\nb","##;
        assert_eq!(json(&hit), format!(r#"{start}{rest}"matched_by":["keyword"]}}]"#));
        hit.reranked = Some(0.123_45);
        let (by, place) = ("c".into(), "tars/Memory".into());
        let until = jiff::civil::date(2026, 3, 14);
        hit.superseded = Some(SupersededHit { since: None, until, by, place, label: "was so".into() });
        let end =
            r#""reranked":0.1235,"superseded":{"since":null,"until":"2026-03-14","by":"c","place":"tars/Memory"}"#;
        assert_eq!(json(&hit), format!(r#"{start}{rest}"matched_by":["keyword"],{end}}}]"#));
    }
}
