//! Superseded lines for a question about the past: each with its successor, never as if it were still true.

use super::{Chosen, line_keys};
use crate::search::answers_about_past;
use crate::{Service, VAULT};
use tars_agent::context_block::{AnswerLine, Keep, Piece, Source};
use tars_base::domain::MemoryType;
use tars_text::redact::{redact, redact_path};

/// Returns the superseded lines that answer a question about the past; none for any other question. `seen` selects lines that
/// were shown before.
pub(super) fn pieces(service: &Service<'_>, question: &str, seen: &dyn Fn(&str) -> bool) -> Vec<Chosen> {
    let (archive, facts) = answers_about_past(service.app(), question).unwrap_or_else(|error| {
        tracing::warn!("what was true before is left out: {error:#}");
        Default::default()
    });
    let path = redact_path(&archive).into_owned();
    let chosen = |fact: tars_memory::Superseded| {
        let said = fact.bullet.text.split_whitespace().collect::<Vec<_>>().join(" ");
        // One line holds both, so that neither is shown without the other.
        let text = format!("- No longer true: {said} ({})", fact.label());
        let text = redact(&text).text.into_owned();
        if line_keys(&text).next().is_none() || seen(&text) {
            return None;
        }
        let answer = Some(AnswerLine { line: fact.bullet.line(), column: 0, heading: fact.bullet.heading.clone() });
        let source = Source { collection: None, path: path.clone(), answer, date: None, kind: MemoryType::Note };
        let piece = Piece::new(source, fact.bullet.line(), &text, Keep::Start)?.uncut();
        Some(Chosen { collection: VAULT.to_owned(), piece, score: None })
    };
    facts.into_iter().filter_map(chosen).collect()
}
