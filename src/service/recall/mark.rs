//! Marks recalled lines as helpful or not helpful, for a person or an agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::why::{numbered, shown_in};
use crate::{Context, Refusal, Result, Service, UseCase};
use tars_agent::recall::{Record, UseKind, UsedRecord};

/// Marks lines that a session was shown as helpful or not helpful.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MarkRequest {
    /// The session's id or a prefix of it; without it, the last session that was shown something.
    pub session: Option<String>,
    /// The lines, by their numbers in the answer that showed them.
    pub numbers: Vec<usize>,
    /// Whether they helped.
    pub helpful: bool,
}

/// The lines that were marked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MarkResponse {
    /// The session.
    pub session: String,
    /// The beginnings of these lines, in the order of the request.
    pub lines: Vec<String>,
}

impl UseCase for MarkRequest {
    type Response = MarkResponse;

    /// Marks the lines. A later mark of a line replaces an earlier one.
    ///
    /// # Errors
    /// A number does not belong to the session, and then no line is marked; or the ledger cannot be written.
    fn run(&self, service: &Service<'_>) -> Result<MarkResponse> {
        let refused = |message: String| Refusal { message, hint: "tars why".into() };
        let shown = shown_in(service, self.session.as_deref())?;
        let (session, all) = shown.ok_or_else(|| refused("nothing was shown that could be marked".into()))?;
        let lines: Vec<_> =
            numbered(&all).flat_map(|piece| piece.lines.iter().map(move |line| (piece, line))).collect();
        let marked = self.numbers.iter().map(|number| {
            let line = number.checked_sub(1).and_then(|place| lines.get(place));
            let line = line.filter(|(piece, _)| service.app.shows(&piece.collection));
            line.ok_or_else(|| refused(format!("no line that the session was shown has the number {number}")))
        });
        let marked = marked.collect::<Result<Vec<_>, _>>()?;
        for (piece, line) in &marked {
            let used = UsedRecord {
                at: service.app.environment.clock.timestamp(),
                session: Some(session.clone()),
                how: if self.helpful { UseKind::Helpful } else { UseKind::NotHelpful },
                collection: piece.collection.clone(),
                path: piece.path.clone(),
                start_line: line.number,
                end_line: line.number,
                keys: vec![line.key.clone()],
            };
            service.app.recall_ledger().add(&Record::Used(used)).context("cannot write the recall ledger")?;
        }
        service.app.update_uses();
        Ok(MarkResponse { session, lines: marked.iter().map(|(_, line)| line.text.clone()).collect() })
    }
}
