//! Notes the outcomes of idle conversations in the memory.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::super::Door as Server;
use super::IDLE;
use super::turn::with_model;
use tars_assistant::conversation::Conversations;
use tars_assistant::{Answer, Door, Options, Question, Step};
use tars_service::{Reach, Service};

/// Interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// A counterpart without a person: collects the notices.
#[derive(Default)]
pub(super) struct Silent(pub(super) Vec<String>);

impl Door for Silent {
    fn step(&mut self, step: Step<'_>) {
        if let Step::Notice(line) = step {
            self.0.push(line.to_owned());
        }
    }

    fn ask(&mut self, _: Question<'_>) -> Answer {
        Answer::Nobody
    }
}

/// Notes idle conversations and ends idle tool servers, until the sender of `ends` is dropped; then notes all open conversations, by
/// rules.
pub(in crate::http) fn note_what_rests(server: &Server, ends: &Receiver<()>) {
    while ends.recv_timeout(CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        let resting = |server: &Server| {
            let open = server.chats.open();
            open.spoken.iter().filter(|(_, at)| at.elapsed() >= IDLE).map(|(id, _)| id.clone()).collect::<Vec<_>>()
        };
        for id in resting(server) {
            note(server, &id, true);
        }
        server.engine.app().mcp_servers().end_idle();
    }
    let spoken: Vec<String> = server.chats.open().spoken.keys().cloned().collect();
    for id in spoken {
        note(server, &id, false);
    }
}

/// Notes the outcomes of a conversation. A conversation in use is skipped.
fn note(server: &Server, id: &str, with_model: bool) {
    let app = server.engine.app();
    let noted = app.data_dir().and_then(|data| {
        let conversation = Conversations::new(data).open_existing(id)?;
        let service = Service::new(app, Reach::Local).beside(&*server.engine);
        service.speak_for(Some("chat"));
        let mut assistant = self::with_model(server, &service, conversation, Options { tools: false });
        let mut said = Silent::default();
        match with_model {
            true => drop(assistant.end(&mut said)),
            false => assistant.leave(&mut said),
        }
        Ok(said.0)
    });
    match noted {
        Ok(said) => said.iter().for_each(|line| tracing::warn!("{line}")),
        Err(error) => tracing::warn!("a conversation was not noted: {error:#}"),
    }
    // The next message in the conversation schedules it again.
    server.chats.open().spoken.remove(id);
}
