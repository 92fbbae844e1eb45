//! The notes and logs of sessions with an agent: made from a session's transcript after each event of its client, first by rules, then
//! by a model if the settings name one; and imported from transcripts that the client has kept. Chats of other
//! programs become notes.

mod asked_open_ends;
mod content;
mod day_notes;
mod event;
mod facts;
mod forgotten;
mod handoff;
mod import;
mod import_chats;
mod kept;
mod knowledge;
mod model_alerts;
mod model_notes;
mod model_queue;
mod note;
mod open_ends;
mod opencode;
mod places;
#[cfg(test)]
mod poisoned;
mod progress;
mod proposals;
mod quotes;
mod transcript;
mod unfinished;
mod writer;

pub use asked_open_ends::AskedOpenEnds;
pub(crate) use asked_open_ends::FILE as ASKED_OPEN_ENDS;
pub use event::SessionEvent;
pub(crate) use forgotten::forget_session;
pub use handoff::{HandoffEntry, HandoffLine, HandoffRequest, HandoffResponse, HandoffSession};
pub use import::{FailedImport, ImportLine, ImportRequest, ImportResponse};
pub use import_chats::{
    FailedChat, ImportChatsRequest, ImportChatsResponse, ImportedChat, ProposedStatement, SaidInChat,
};
pub use kept::KeptTranscripts;
pub use model_alerts::take_model_alerts;
pub use model_notes::NoteWithModel;
pub use note::NoteSession;
pub use transcript::{TurnLine, TurnRequest, TurnResponse, TurnsRequest, TurnsResponse};
pub use unfinished::{LeftSession, handoff_offer};
pub(crate) use unfinished::{UnfinishedSession, reason_names, unfinished_sessions};

use jiff::Timestamp;

use crate::{App, Result};
use kept::sweep_kept_transcripts;
use model_queue::ModelQueue;
use progress::SessionProgress;

/// Records that the session `id` was forked now: its transcript begins with the turns of another session, which notes them.
///
/// # Errors
/// The data directory cannot be written.
pub fn record_fork(app: &App, id: &str) -> Result<()> {
    let forked_at = Some(app.environment.clock.timestamp());
    SessionProgress { forked_at, ..SessionProgress::default() }.save(&app.settings.config.data.dir, id)
}

/// Returns whether a session waits for the notes of a model.
pub fn is_model_awaited(app: &App) -> bool {
    ModelQueue::of(app).is_waiting()
}

/// Removes the state of sessions that ended long before `now`, and leftovers of a crash. No other process may note sessions meanwhile.
pub fn sweep(app: &App, now: Timestamp) {
    SessionProgress::sweep(&app.settings.config.data.dir, now);
    ModelQueue::of(app).sweep(now);
    sweep_kept_transcripts(app, now);
}
