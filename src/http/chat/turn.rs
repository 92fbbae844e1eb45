//! One turn in a thread of its own.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::sync::mpsc::Sender;

use super::super::Door as Server;
use super::problem;
use super::wire::{AfterTurn, ChatRequest, Happened, TurnDone};
use crate::app::ChatChoice;
use crate::assistant::commands::{Effect, is_command};
use crate::assistant::conversation::{Conversation, ConversationError, Conversations};
use crate::assistant::{Answer, Assistant, Channel, Door, Options, Question, Step};
use crate::chat::CancelToken;
use crate::service::{Reach, Service};

/// How long a question waits for the person.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// How long a turn waits for one before it, which was stopped, to end.
const ENDING: Duration = Duration::from_secs(2);
/// Time between two looks whether the person has left.
const LOOK: Duration = Duration::from_millis(100);

/// A turn that is to be taken.
pub(super) struct Turn {
    pub(super) request: ChatRequest,
    /// Who asks, as the journal names it.
    pub(super) channel: String,
    /// Whether a person may be asked on the way.
    pub(super) can_ask: bool,
    pub(super) said: Sender<Happened>,
    pub(super) cancel: CancelToken,
}

impl Turn {
    /// Takes it, and hands over its end.
    pub(super) fn run(self, server: &Server) {
        let said = self.said.clone();
        let end = match self.take(server) {
            Ok(end) => Happened::Done(end),
            Err(error) => Happened::Problem(Box::new(problem(&error))),
        };
        // Nobody is left to tell where the client has left.
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
                // What is missing is said with the command that mends it.
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

/// Opens a conversation, once the turn before has ended: who stops an answer may speak at once.
fn open(conversations: &Conversations, id: &str) -> Result<Conversation, ConversationError> {
    let begun = Instant::now();
    loop {
        match conversations.open(id) {
            Err(ConversationError::Busy(_)) if begun.elapsed() < ENDING => std::thread::sleep(LOOK),
            opened => return opened,
        }
    }
}

/// Returns the assistant of a conversation with the model that was chosen for it, or the settings' one. Where none can be had, commands
/// work without.
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
    /// Hands over what happens; where nobody listens any more, the turn is to end.
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
            match answered.recv_timeout(LOOK) {
                Ok(true) => break Answer::Yes,
                Ok(false) => break Answer::No,
                Err(RecvTimeoutError::Timeout) if !self.turn.cancel.is_cancelled() && begun.elapsed() < PATIENCE => {}
                Err(_) => break Answer::Nobody,
            }
        };
        self.server.chats.open().questions.remove(&name);
        answer
    }
}
