//! Conversations that rest: what came of them is noted in the memory.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::super::Door as Server;
use super::IDLE;
use super::turn::with_model;
use crate::assistant::conversation::Conversations;
use crate::assistant::{Answer, Door, Options, Question, Step};
use crate::service::{Reach, Service};

/// Time between two looks.
const LOOK: Duration = Duration::from_secs(60);

/// Nobody: keeps what a person should know.
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

/// Notes what rests and ends servers of tools that nobody uses, until the other side of `ends` goes away; then it notes everything, by rules.
pub(in crate::http) fn note_what_rests(server: &Server, ends: &Receiver<()>) {
    while ends.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
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

/// Notes what came of a conversation. One that somebody speaks in stays for another time.
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
    // It is tried again when somebody speaks in it.
    server.chats.open().spoken.remove(id);
}
