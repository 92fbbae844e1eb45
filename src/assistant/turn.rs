//! One turn: the message of the person, the model's rounds with its tools, and the answer.

use std::collections::HashSet;
use std::time::Duration;

use jiff::Timestamp;

use super::conversation::{Conversation, ConversationError, Conversations, Entry};
use super::offers::{OfferedTool, ToolVectors};
use super::prompt::PromptInput;
use super::tools::ReadFiles;
use super::turn_writes::TurnWrites;
use super::{Channel, ChatFrontend, SystemPrompt, TurnEvent};
use tars_chat::{CancelToken, ChatError, Usage};
use tars_config::ChatSettings;
use tars_service::{ChatChoice, ChatModelError, ConversationModel, ProblemKind, Result, Service, VAULT};
use tars_text::redact::redact;

/// Maximum number of model calls in one turn. The last one has no tools.
pub const MAX_ROUNDS: usize = 10;
/// Maximum size of a message, in bytes.
const LONGEST_MESSAGE: usize = 256 << 10;
/// How long the system prompt is cached, if no file of the memory changes.
const PROMPT_CACHE_TIME: Duration = Duration::from_secs(10 * 60);

/// Options of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether the model gets tools.
    pub tools: bool,
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    /// The answer: untrusted text.
    pub text: String,
    /// Whether the person stopped it.
    pub is_stopped: bool,
    /// Total usage of all model calls.
    pub usage: Usage,
}

/// Errors of a turn.
#[derive(Debug, thiserror::Error)]
pub enum AssistantError {
    /// There is no model.
    #[error("there is no model to answer")]
    NoModel,
    /// The message is too long.
    #[error("the message has {0} bytes, and the limit is {LONGEST_MESSAGE}: put it into a note and ask about that")]
    TooLong(usize),
    /// The message is blank.
    #[error("the message is empty")]
    Empty,
    /// The model failed.
    #[error("there is no answer")]
    Chat(#[from] ChatError),
    /// An internal task of the model failed.
    #[error(transparent)]
    Task(#[from] tars_chat::tasks::TaskError),
    /// The conversation cannot be saved.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
}

impl From<AssistantError> for tars_service::Error {
    fn from(error: AssistantError) -> Self {
        let hint = match &error {
            AssistantError::Chat(error) => error.hint(),
            _ => None,
        };
        Self::new(ProblemKind::Failed, hint, error)
    }
}

impl From<std::io::Error> for AssistantError {
    fn from(error: std::io::Error) -> Self {
        Self::Conversation(error.into())
    }
}

/// A conversation with a model that has access to the memory.
pub struct Assistant<'s, 'a> {
    pub(super) service: &'s Service<'a>,
    pub(super) settings: ChatSettings,
    pub(super) model: Option<ConversationModel>,
    /// The person's choice of a model, instead of that of the settings.
    choice: Option<ChatChoice>,
    pub(super) conversation: Conversation,
    /// The collections that may be sent.
    pub(super) collections: Vec<String>,
    /// The channel of the running command.
    pub(super) channel: Channel,
    pub(super) options: Options,
    pub(super) prompt: Option<CachedPrompt>,
    /// The tokens of a request that the model's window allows, if its server has told.
    pub(super) fits: Option<usize>,
    /// The server tools offered in this turn.
    pub(super) offers: Vec<OfferedTool>,
    /// Server errors that were already reported in this conversation.
    pub(super) reported_errors: HashSet<String>,
    pub(super) tool_vectors: ToolVectors,
    /// The parts of memory files that the model has read.
    pub(super) read_files: ReadFiles,
    /// The writes of the current turn.
    pub(super) writes: TurnWrites,
}

/// The system prompt, and the version of the memory it was built from.
pub(super) struct CachedPrompt {
    prompt: SystemPrompt,
    version: Option<String>,
    at: Timestamp,
}

impl<'s, 'a> Assistant<'s, 'a> {
    /// Continues `conversation`, which may be empty. Without a model, only commands work.
    pub fn new(
        service: &'s Service<'a>,
        conversation: Conversation,
        model: Option<ConversationModel>,
        options: Options,
    ) -> Self {
        let settings = service.app().settings.config.chat.clone();
        let known = service.app().resolve_collections(&[]).unwrap_or_default();
        let collections = known.into_iter().filter(|name| !settings.private_collections.contains(name)).collect();
        let channel = Channel::Program;
        Self {
            service,
            settings,
            model,
            choice: None,
            conversation,
            collections,
            channel,
            options,
            prompt: None,
            fits: None,
            offers: Vec::new(),
            reported_errors: HashSet::new(),
            tool_vectors: ToolVectors::new(),
            read_files: ReadFiles::default(),
            writes: TurnWrites::default(),
        }
    }

    /// Returns the service.
    pub fn service(&self) -> &'s Service<'a> {
        self.service
    }

    /// Returns the conversation.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Whether this is the first contact: no memory, and no conversation before or in this one.
    pub fn is_first_contact(&self) -> bool {
        let app = self.service.app();
        let remembered = || -> Result<bool> { Ok(tars_memory::remembered_bullets(&app.memory_folder()?)?.is_empty()) };
        let said = || -> Result<bool> { Ok(Conversations::new(app.data_dir()?).list()?.is_empty()) };
        self.conversation.entries().is_empty() && remembered().unwrap_or(false) && said().unwrap_or(false)
    }

    /// Returns the name of the model, if there is one.
    pub fn model_name(&self) -> Option<&str> {
        self.model.as_ref().map(|model| model.name.as_str())
    }

    /// Switches to another model.
    ///
    /// # Errors
    /// The model is not available; the old one stays.
    pub fn choose_model(&mut self, choice: ChatChoice) -> Result<&ConversationModel, ChatModelError> {
        let model = self.service.app().conversation_model(&choice)?;
        self.choice = Some(choice);
        self.fits = None;
        Ok(self.model.insert(model))
    }

    /// Returns the person's choice of a model, if there is one.
    pub fn choice(&self) -> Option<&ChatChoice> {
        self.choice.as_ref()
    }

    /// Returns the conversation. Dropping it lets others open it again.
    pub fn into_conversation(self) -> Conversation {
        self.conversation
    }

    /// Continues with another conversation, and returns the old one.
    pub fn replace_conversation(&mut self, conversation: Conversation) -> Conversation {
        (self.prompt, self.read_files) = (None, ReadFiles::default());
        std::mem::replace(&mut self.conversation, conversation)
    }

    /// Returns the system prompt. It is rebuilt when a file of the memory changes, and after ten minutes, because notes may
    /// have changed too. Otherwise it stays the same, so that servers can reuse their cache.
    pub fn prompt(&mut self) -> &SystemPrompt {
        let now = self.service.app().environment.clock.now();
        let version = self.service.memory_version().ok();
        let is_fresh = |cached: &CachedPrompt| {
            cached.version == version && now.timestamp().duration_since(cached.at).unsigned_abs() < PROMPT_CACHE_TIME
        };
        let cached = match self.prompt.take().filter(is_fresh) {
            Some(cached) => cached,
            None => {
                let opening = self.conversation.entries().iter().find_map(|stamped| stamped.entry.user_text());
                let (collections, budget) = (self.collections.as_slice(), self.prompt_tokens());
                let at = now.timestamp();
                let sources = PromptInput { opening: opening.unwrap_or_default(), collections, budget, now };
                CachedPrompt { prompt: SystemPrompt::build(self.service, &sources), version, at }
            }
        };
        &self.prompt.insert(cached).prompt
    }

    /// Whether the memory folder, which is in the vault, may be sent to the model.
    pub(super) fn has_memory(&self) -> bool {
        self.collections.iter().any(|name| name == VAULT)
    }

    /// Runs a turn for a message of the person.
    ///
    /// # Errors
    /// See [`AssistantError`]. Everything up to the error is saved.
    pub fn run_turn(
        &mut self,
        text: &str,
        frontend: &mut dyn ChatFrontend,
        cancel: &CancelToken,
    ) -> Result<TurnEnd, AssistantError> {
        if self.model.is_none() {
            return Err(AssistantError::NoModel);
        }
        if text.trim().is_empty() {
            return Err(AssistantError::Empty);
        }
        if text.len() > LONGEST_MESSAGE {
            return Err(AssistantError::TooLong(text.len()));
        }
        self.writes = TurnWrites::default();
        // Notes may have changed since the last turn.
        self.service.mark_stale();
        self.notify_destination(frontend)?;
        self.learn_window();
        self.add(Entry::User { text: redact(&text.replace('\0', "")).text.into_owned() })?;
        self.offer_remote(text, frontend, cancel);
        let mut end = TurnEnd { text: String::new(), is_stopped: false, usage: Usage::default() };
        for problem in &self.prompt().problems {
            frontend.show(TurnEvent::Notice(problem));
        }
        for round in 0..MAX_ROUNDS {
            let is_last = round + 1 == MAX_ROUNDS;
            let completion = self.call_model(is_last, frontend, cancel)?;
            end.usage = end.usage.plus(completion.usage);
            end.is_stopped = completion.stopped;
            if completion.stopped || completion.calls.is_empty() {
                if is_last && completion.text.trim().is_empty() {
                    let line = format!("the model called tools {MAX_ROUNDS} times and gave no answer");
                    frontend.show(TurnEvent::Notice(&line));
                }
                end.text = completion.text;
                break;
            }
            self.use_tools(&completion, frontend, cancel)?;
            if cancel.is_cancelled() {
                end.is_stopped = true;
                break;
            }
        }
        self.compact_if_needed(frontend, cancel);
        Ok(end)
    }

    pub(super) fn add(&mut self, entry: Entry) -> Result<(), AssistantError> {
        let now = self.service.app().environment.clock.timestamp();
        Ok(self.conversation.add(now, entry)?)
    }
}
