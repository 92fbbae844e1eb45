//! One turn on its own thread.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Sender;

use super::problem;
use super::wire::{AfterTurn, ChatEvent, ChatRequest, TurnSummary};
use crate::http::ServerState;
use tars_assistant::commands::{Effect, is_command};
use tars_assistant::conversation::{Conversation, ConversationError, Conversations};
use tars_assistant::{Assistant, Channel, ChatFrontend, Decision, Options, PermissionRequest, TurnEvent};
use tars_chat::CancelToken;
use tars_service::{Backend, ChatChoice, Result, Service};

/// Timeout of a question to the person.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// How long a turn waits for the end of the previous, stopped turn.
const PREVIOUS_TURN_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval of checks for a disconnected client.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// A turn to run.
pub(super) struct Turn {
    pub(super) request: ChatRequest,
    /// The caller, as the journal names it.
    pub(super) channel: String,
    /// Whether the turn may ask the person for permission.
    pub(super) can_ask: bool,
    pub(super) events: Sender<ChatEvent>,
    pub(super) cancel: CancelToken,
}

impl Turn {
    /// Runs the turn, and sends its end.
    pub(super) fn run(self, server: &ServerState) {
        let events = self.events.clone();
        let end = match self.take(server) {
            Ok(end) => ChatEvent::Done(end),
            Err(error) => ChatEvent::Problem(Box::new(problem(&error))),
        };
        // The client may have disconnected.
        let _ = events.blocking_send(end);
    }

    fn take(self, server: &ServerState) -> Result<TurnSummary> {
        let app = server.engine.app();
        let service = Service::new(app, Backend::Local).with_daemon(&*server.engine);
        service.set_client(Some(&self.channel));
        let conversations = Conversations::new(app.data_dir()?);
        let conversation = match &self.request.conversation_id {
            Some(id) => open(&conversations, id)?,
            None => conversations.begin(&app.environment.clock.now(), None)?,
        };
        let id = conversation.id().to_owned();
        let mut frontend = ConnectionFrontend { server, turn: &self };
        frontend.send(ChatEvent::Conversation { conversation_id: id.clone() });
        let options = Options { tools: self.request.tools != Some(false) };
        let mut assistant = with_model(server, &service, conversation, options);
        let message = self.request.message.trim();
        let mut done = TurnSummary { conversation_id: id.clone(), ..TurnSummary::default() };
        if is_command(message) {
            let reply = assistant.command(message, Channel::Interactive, &mut frontend)?;
            (done.text, done.effect) =
                (reply.text, if reply.effect == Effect::Cleared { AfterTurn::Cleared } else { AfterTurn::None });
            done.conversation_id = assistant.conversation().id().to_owned();
            if let Some(choice) = assistant.choice() {
                server.chats.lock().choices.insert(done.conversation_id.clone(), choice.clone());
            }
        } else {
            if assistant.model_name().is_none() {
                // Fails with the hint for the missing model.
                app.conversation_model(&ChatChoice::default())?;
            }
            server.chats.lock().unnoted.insert(id.clone(), Instant::now());
            let end = assistant.run_turn(message, &mut frontend, &self.cancel)?;
            (done.text, done.stopped, done.usage) = (end.text, end.is_stopped, end.usage.into());
        }
        if assistant.is_noted() {
            server.chats.lock().unnoted.remove(&id);
        }
        Ok(done)
    }
}

/// Opens a conversation, and waits briefly for the end of a previous turn: a person who stops an answer may send the next message at
/// once.
fn open(conversations: &Conversations, id: &str) -> Result<Conversation, ConversationError> {
    let begun = Instant::now();
    loop {
        match conversations.open(id) {
            Err(ConversationError::Busy(_)) if begun.elapsed() < PREVIOUS_TURN_TIMEOUT => {
                std::thread::sleep(CHECK_INTERVAL)
            }
            opened => return opened,
        }
    }
}

/// Returns the assistant of a conversation, with the model chosen for it or the configured one. Without a model, commands still work.
pub(super) fn with_model<'s, 'a>(
    server: &ServerState,
    service: &'s Service<'a>,
    conversation: Conversation,
    options: Options,
) -> Assistant<'s, 'a> {
    let choice = server.chats.lock().choices.get(conversation.id()).cloned().unwrap_or_default();
    Assistant::new(service, conversation, service.app().conversation_model(&choice).ok(), options)
}

/// The person behind a connection.
struct ConnectionFrontend<'t> {
    server: &'t ServerState,
    turn: &'t Turn,
}

impl ConnectionFrontend<'_> {
    /// Sends an event. A disconnected client cancels the turn.
    fn send(&mut self, event: ChatEvent) {
        if self.turn.events.blocking_send(event).is_err() {
            self.turn.cancel.cancel();
        }
    }
}

impl ChatFrontend for ConnectionFrontend<'_> {
    fn show(&mut self, event: TurnEvent<'_>) {
        self.send(match event {
            TurnEvent::Text(text) => ChatEvent::Text { text: text.to_owned() },
            TurnEvent::Withdrawn => ChatEvent::Withdrawn {},
            TurnEvent::Tool { name, about } => ChatEvent::Tool { name: name.to_owned(), about: about.to_owned() },
            TurnEvent::ToolDone { name, result, failed } => {
                ChatEvent::ToolDone { name: name.to_owned(), result: result.to_owned(), failed }
            }
            TurnEvent::Notice(text) => ChatEvent::Notice { text: text.to_owned() },
        });
    }

    fn request_permission(&mut self, request: PermissionRequest<'_>) -> Decision {
        if !self.turn.can_ask {
            return Decision::Unavailable;
        }
        let (sender, answered) = channel();
        let name = {
            let mut open = self.server.chats.lock();
            open.next += 1;
            let name = format!("{}-{}", std::process::id(), open.next);
            open.questions.insert(name.clone(), sender);
            name
        };
        let lines = request.what.trim_start_matches('\n').lines();
        let what = lines.map(|line| line.strip_prefix("  ").unwrap_or(line)).collect::<Vec<_>>().join("\n");
        let tool = request.tool.to_owned();
        self.send(ChatEvent::Question { question: name.clone(), tool, what });
        let begun = Instant::now();
        let answer = loop {
            match answered.recv_timeout(CHECK_INTERVAL) {
                Ok(true) => break Decision::Yes,
                Ok(false) => break Decision::No,
                Err(RecvTimeoutError::Timeout)
                    if !self.turn.cancel.is_cancelled() && begun.elapsed() < QUESTION_TIMEOUT => {}
                Err(_) => break Decision::Unavailable,
            }
        };
        self.server.chats.lock().questions.remove(&name);
        answer
    }
}
