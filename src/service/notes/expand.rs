//! The surroundings of a chunk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::{Request as Message, Response as Reply};
use crate::{Result, Service, UseCase};
use tars_agent::recall::{Record, UseKind, UsedRecord, session_name};
pub use tars_engine::search::{Embed, Expansion as ExpandResponse};
use tars_engine::search::{Extent, SearchError, expand};
use tars_text::redact::redact_path;

/// Asks for the surroundings of a chunk: its section, unless `window` or `file` says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExpandRequest {
    /// The id of a chunk, or a unique prefix of it.
    pub id: String,
    /// The chunk and this number of chunks on either side.
    pub window: Option<u32>,
    /// The whole note.
    pub file: bool,
    /// The session that asks, by the client's id, for the recall ledger.
    pub session: Option<String>,
}

impl UseCase for ExpandRequest {
    type Response = ExpandResponse;

    fn run(&self, service: &Service<'_>) -> Result<ExpandResponse> {
        let expansion = self.expansion(service)?;
        if !service.app.shows(&expansion.collection) {
            return Err(SearchError::UnknownId { id: self.id.clone() }.into());
        }
        self.record(service, &expansion);
        Ok(expansion)
    }
}

impl ExpandRequest {
    /// Returns the surroundings without recording that they were requested.
    pub(crate) fn expansion(&self, service: &Service<'_>) -> Result<ExpandResponse> {
        let extent = match (self.window, self.file) {
            (Some(window), _) => Extent::Window(window),
            (None, true) => Extent::File,
            (None, false) => Extent::Section,
        };
        // The process that answered the question knows the chunk.
        if let Some(local) = &*service.local.borrow() {
            return local.expand(&self.id, extent);
        }
        match service.ask_daemon(&Message::Expand { id: self.id.clone(), extent })? {
            Some(Reply::Expansion(expansion)) => Ok(expansion),
            _ => Ok(expand(&*service.app.open_index()?.snapshot()?, &self.id, extent)?),
        }
    }

    /// Records that this place was looked at. Readers of the ledger find out whether an agent had been shown it. If no agent was
    /// ever shown anything, nothing is written.
    fn record(&self, service: &Service<'_>, expansion: &ExpandResponse) {
        let ledger = service.app.recall_ledger();
        if !ledger.exists() || service.app.environment.is_disabled() {
            return;
        }
        let used = UsedRecord {
            at: service.app.environment.clock.timestamp(),
            session: self.session.as_deref().map(|session| session_name(session).into_owned()),
            how: UseKind::Expanded,
            collection: expansion.collection.clone(),
            path: redact_path(&expansion.path).into_owned(),
            start_line: expansion.start_line,
            end_line: expansion.end_line,
            keys: Vec::new(),
        };
        if let Err(error) = ledger.add(&Record::Used(used)) {
            tracing::debug!(%error, "an expansion is not in the recall ledger");
        }
    }
}
