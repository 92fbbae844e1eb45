//! Records in the recall ledger what an agent was shown.

use std::time::Duration;

use jiff::Timestamp;

use super::spool::SpoolLock;
use tars_agent::client::{HookEvent, HookInput};
use tars_agent::context_block::unescape_line;
use tars_agent::recall::{Occasion, RecallLedger, Record, ShownLine, ShownPiece, ShownRecord, session_name};
use tars_base::data_files;
use tars_base::domain::sanitize_line;
use tars_service::{App, ContextPiece, ContextRequest, ContextResponse, line_key};
use tars_text::redact::redact;

/// Longest text that is redacted, in bytes, because a person waits. The ledger keeps no words of a longer text.
const MAX_REDACTED_BYTES: usize = 256 << 10;
/// Retention of a month's file after its last record.
const RETENTION: Duration = Duration::from_secs(366 * 24 * 3600);
/// Most characters of a question in the ledger.
const MAX_QUESTION_CHARACTERS: usize = 200;

/// Records what an agent was shown, or that nothing was found. `original` is the text from which the question of `request` was made.
pub(super) fn record(app: &App, input: &HookInput, original: &str, request: &ContextRequest, answer: &ContextResponse) {
    let event = match input.event {
        HookEvent::SessionStart => Occasion::SessionStart,
        HookEvent::SubagentStart => Occasion::Helper,
        _ => Occasion::Prompt,
    };
    if input.session.is_empty() || (event == Occasion::SessionStart && answer.pieces.is_empty()) {
        return;
    }
    // A person who disables notes does not want words of prompts stored either.
    let keeps_words = app.settings.config.hooks.notes;
    let query = request.query.as_deref().filter(|_| keeps_words);
    let shown = ShownRecord {
        at: app.environment.clock.timestamp(),
        session: session_name(&input.session).into_owned(),
        event,
        question: query.map(|query| question(query, original)).unwrap_or_default(),
        project: request.project.clone(),
        pieces: answer.pieces.iter().map(piece).collect(),
    };
    if let Err(error) = app.recall_ledger().add(&Record::Shown(shown)) {
        tracing::warn!("shown lines could not be recorded in the recall ledger: {error}");
    }
}

/// Removes months that are too old at `now`.
pub(super) fn sweep(app: &App, _lock: &SpoolLock<'_>, now: Timestamp) {
    data_files::sweep(app.recall_ledger().folder(), now, |name| RecallLedger::is_file(name).then_some(RETENTION));
}

/// Returns the beginning of a question, in one line and without secrets. The question is a part of the original text and may have lost
/// the opening of a private span, so if the whole text contains a secret, the line comes from the whole.
fn question(query: &str, original: &str) -> String {
    if original.len() > MAX_REDACTED_BYTES {
        return String::new();
    }
    let redacted = redact(original);
    let text = if redacted.findings.is_empty() { query } else { &redacted.text };
    let words: Vec<&str> = text.split_whitespace().take(MAX_QUESTION_CHARACTERS).collect();
    sanitize_line(&words.join(" ")).chars().take(MAX_QUESTION_CHARACTERS).collect()
}

fn piece(piece: &ContextPiece) -> ShownPiece {
    let line = |(number, text): &(usize, String)| {
        if is_heading(text) {
            return None;
        }
        Some(ShownLine { number: *number, key: line_key(text)?, text: unescape_line(text.trim()), used: Vec::new() })
    };
    ShownPiece {
        collection: piece.collection.clone(),
        path: piece.path.clone(),
        start_line: piece.start_line,
        end_line: piece.end_line,
        heading: piece.heading.clone().unwrap_or_default(),
        memory_type: piece.kind,
        score: piece.score.map(|score| (score * 100.0).round() / 100.0),
        lines: piece.numbered.iter().filter_map(line).collect(),
    }
}

/// Returns whether a line is a heading, which says nothing by itself.
fn is_heading(line: &str) -> bool {
    let behind = line.trim_start_matches('#');
    behind.len() < line.len() && behind.starts_with([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_becomes_one_line_without_secrets() {
        assert_eq!(question("which\n\nport\u{1b}[31m", "which\n\nport\u{1b}[31m"), "which port\u{fffd}[31m");
        // The question has lost the tag that opened the span.
        let original = "```\n<private>\n```\nthe house key is under the stone</private> where is it";
        let kept = question("the house key is under the stone</private> where is it", original);
        assert!(!kept.contains("house key") && kept.contains("where is it"), "{kept}");
        let key = "ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO";
        assert!(!question(&format!("use {key}"), &format!("use {key}")).contains(key));
        assert_eq!(question("x", &"x ".repeat(MAX_REDACTED_BYTES)), "");
        assert_eq!(question(&"x ".repeat(1_000), "x").chars().count(), MAX_QUESTION_CHARACTERS);
    }
}
