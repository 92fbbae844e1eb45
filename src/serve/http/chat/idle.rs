//! Notes the outcomes of idle conversations in the memory.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::IDLE;
use super::turn::with_model;
use crate::http::ServerState;
use tars_assistant::conversation::Conversations;
use tars_assistant::{ChatFrontend, Decision, Options, PermissionRequest, TurnEvent};
use tars_service::{Backend, Service};

/// Interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// A counterpart without a person: collects the notices.
#[derive(Default)]
pub(super) struct NoticeCollector(pub(super) Vec<String>);

impl ChatFrontend for NoticeCollector {
    fn show(&mut self, event: TurnEvent<'_>) {
        if let TurnEvent::Notice(line) = event {
            self.0.push(line.to_owned());
        }
    }

    fn request_permission(&mut self, _: PermissionRequest<'_>) -> Decision {
        Decision::Unavailable
    }
}

/// Notes idle conversations and ends idle tool servers, until the sender of `ends` is dropped; then notes all open conversations, by
/// rules.
pub(in crate::http) fn note_idle_conversations(server: &ServerState, ends: &Receiver<()>) {
    while ends.recv_timeout(CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        let idle: Vec<String> = {
            let open = server.chats.lock();
            open.unnoted.iter().filter(|(_, at)| at.elapsed() >= IDLE).map(|(id, _)| id.clone()).collect()
        };
        for id in idle {
            note(server, &id, true);
        }
        server.engine.app().mcp_servers().end_idle();
    }
    let unnoted: Vec<String> = server.chats.lock().unnoted.keys().cloned().collect();
    for id in unnoted {
        note(server, &id, false);
    }
}

/// Notes the outcomes of a conversation. A conversation in use is skipped.
fn note(server: &ServerState, id: &str, with_model: bool) {
    let app = server.engine.app();
    let noted = app.data_dir().and_then(|data| {
        let conversation = Conversations::new(data).open_existing(id)?;
        let service = Service::new(app, Backend::Local).with_daemon(&*server.engine);
        service.set_client(Some("chat"));
        let mut assistant = self::with_model(server, &service, conversation, Options { tools: false });
        let mut said = NoticeCollector::default();
        match with_model {
            true => drop(assistant.end(&mut said)),
            false => assistant.note_without_model(&mut said),
        }
        Ok(said.0)
    });
    match noted {
        Ok(said) => said.iter().for_each(|line| tracing::warn!("{line}")),
        Err(error) => tracing::warn!("a conversation was not noted: {error:#}"),
    }
    // The next message in the conversation schedules it again.
    server.chats.lock().unnoted.remove(id);
}
