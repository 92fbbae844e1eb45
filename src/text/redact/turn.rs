//! Redacts a turn.

use super::redact;
use tars_base::domain::{EarlierStops, Turn};

/// Returns the turn with all of its texts redacted, ready to be stored, shown or sent.
#[must_use]
pub fn redact_turn(turn: &Turn) -> Turn {
    let text = |text: &str| redact(text).text.into_owned();
    let all = |texts: &[String]| texts.iter().map(|one| text(one)).collect();
    Turn {
        session: turn.session.clone(),
        id: turn.id.clone(),
        at: turn.at,
        ended: turn.ended,
        directory: turn.directory.clone(),
        branch: turn.branch.as_deref().map(text),
        request: text(&turn.request),
        answer: text(&turn.answer),
        closing: text(&turn.closing),
        tools: turn.tools.clone(),
        files: all(&turn.files),
        commands: all(&turn.commands),
        failed: all(&turn.failed),
        end: turn.end,
        is_complete: turn.is_complete,
        is_abandoned: turn.is_abandoned,
        earlier_stops: EarlierStops {
            resumed_by: turn.earlier_stops.resumed_by.clone(),
            closing: text(&turn.earlier_stops.closing),
        },
        model: turn.model.as_deref().map(text),
        reading: turn.reading,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_of_a_turn_is_redacted() {
        let secret = "<private>the\nhouse key</private>";
        let text = || format!("see {secret} there");
        let turn = Turn {
            request: text(),
            answer: text(),
            closing: text(),
            branch: Some(text()),
            files: vec![text()],
            commands: vec![text()],
            failed: vec![text()],
            ..Turn::default()
        };
        let shown = serde_json::to_string(&redact_turn(&turn)).unwrap();
        assert!(!shown.contains("house key"), "{shown}");
    }
}
