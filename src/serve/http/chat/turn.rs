//! One turn on its own thread.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::sync::mpsc::Sender;

use super::super::Door as Server;
use super::problem;
use super::wire::{AfterTurn, ChatRequest, Happened, TurnDone};
use tars_assistant::commands::{Effect, is_command};
use tars_assistant::conversation::{Conversation, ConversationError, Conversations};
use tars_assistant::{Answer, Assistant, Channel, Door, Options, Question, Step};
use tars_chat::CancelToken;
use tars_service::{ChatChoice, Reach, Service};

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
    pub(super) said: Sender<Happened>,
    pub(super) cancel: CancelToken,
}

impl Turn {
    /// Runs the turn, and sends its end.
    pub(super) fn run(self, server: &Server) {
        let said = self.said.clone();
        let end = match self.take(server) {
            Ok(end) => Happened::Done(end),
            Err(error) => Happened::Problem(Box::new(problem(&error))),
        };
        // The client may have disconnected.
        let _ = said.blocking_send(end);
    }

    fn take(self, server: &Server) -> Result<TurnDone> {
        let app = server.engine.app();
        let service = Service::new(app, Reach::Local).beside(&*server.engine);
        service.speak_for(Some(&self.channel));
        let conversations = Conversations::new(app.data_dir()?);
        let conversation = match &self.request.conversation_id {
            Some(id) => open(&conversations, id)?,
            None => conversations.begin(&app.environment.clock.now(), None)?,
        };
        let id = conversation.id().to_owned();
        let mut asking = Asking { server, turn: &self };
        asking.tell(Happened::Conversation { id: id.clone() });
        let options = Options { tools: self.request.tools != Some(false) };
        let mut assistant = with_model(server, &service, conversation, options);
        let message = self.request.message.trim();
        let mut done = TurnDone { conversation_id: id.clone(), ..TurnDone::default() };
        if is_command(message) {
            let reply = assistant.command(message, Channel::Interactive, &mut asking)?;
            (done.text, done.effect) =
                (reply.text, if reply.effect == Effect::Cleared { AfterTurn::Cleared } else { AfterTurn::None });
            done.conversation_id = assistant.conversation().id().to_owned();
            if let Some(choice) = assistant.choice() {
                server.chats.open().choices.insert(done.conversation_id.clone(), choice.clone());
            }
        } else {
            if assistant.model_name().is_none() {
                // Fails with the hint for the missing model.
                app.conversation_model(&ChatChoice::default())?;
            }
            server.chats.open().spoken.insert(id.clone(), Instant::now());
            let end = assistant.say(message, &mut asking, &self.cancel)?;
            (done.text, done.stopped, done.usage) = (end.text, end.is_stopped, end.usage.into());
        }
        if assistant.is_noted() {
            server.chats.open().spoken.remove(&id);
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
    server: &Server,
    service: &'s Service<'a>,
    conversation: Conversation,
    options: Options,
) -> Assistant<'s, 'a> {
    let choice = server.chats.open().choices.get(conversation.id()).cloned().unwrap_or_default();
    Assistant::new(service, conversation, service.app().conversation_model(&choice).ok(), options)
}

/// The person behind a connection.
struct Asking<'t> {
    server: &'t Server,
    turn: &'t Turn,
}

impl Asking<'_> {
    /// Sends an event. A disconnected client cancels the turn.
    fn tell(&mut self, happened: Happened) {
        if self.turn.said.blocking_send(happened).is_err() {
            self.turn.cancel.cancel();
        }
    }
}

impl Door for Asking<'_> {
    fn step(&mut self, step: Step<'_>) {
        self.tell(match step {
            Step::Text(text) => Happened::Text { text: text.to_owned() },
            Step::Tool { name, about } => Happened::Tool { name: name.to_owned(), about: about.to_owned() },
            Step::ToolDone { name, result, failed } => {
                Happened::ToolDone { name: name.to_owned(), result: result.to_owned(), failed }
            }
            Step::Notice(text) => Happened::Notice { text: text.to_owned() },
        });
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        if !self.turn.can_ask {
            return Answer::Nobody;
        }
        let (sender, answered) = channel();
        let name = {
            let mut open = self.server.chats.open();
            open.next += 1;
            let name = format!("{}-{}", std::process::id(), open.next);
            open.questions.insert(name.clone(), sender);
            name
        };
        let lines = question.what.trim_start_matches('\n').lines();
        let what = lines.map(|line| line.strip_prefix("  ").unwrap_or(line)).collect::<Vec<_>>().join("\n");
        let tool = question.tool.to_owned();
        self.tell(Happened::Question { question: name.clone(), tool, what });
        let begun = Instant::now();
        let answer = loop {
            match answered.recv_timeout(CHECK_INTERVAL) {
                Ok(true) => break Answer::Yes,
                Ok(false) => break Answer::No,
                Err(RecvTimeoutError::Timeout)
                    if !self.turn.cancel.is_cancelled() && begun.elapsed() < QUESTION_TIMEOUT => {}
                Err(_) => break Answer::Nobody,
            }
        };
        self.server.chats.open().questions.remove(&name);
        answer
    }
}
