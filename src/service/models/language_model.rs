//! The language model in the settings, and its notes of sessions.

mod conversation;
mod ledger;

use std::io::{self, Read};
use std::path::PathBuf;

use crate::App;
use tars_base::data_files;
use tars_chat::tasks::{
    Instructions, MAX_PROMPT_BYTES, SessionKnowledge, SessionNotes, SessionTurn, Task, TaskError, TaskModel,
    session_notes,
};
use tars_chat::{ChatModel, Dialect, Program, Server, ServerOptions};
use tars_config::SummaryProvider;
use tars_memory::upkeep::SeenTexts;

pub use conversation::{ChatChoice, ChatModelError, ConversationModel};
pub use ledger::{ModelLedger, ModelUse};

use ledger::CountedModel;

/// The address of Anthropic's API.
const ANTHROPIC: &str = "https://api.anthropic.com";
/// The folder in the data directory for data about language models.
const FOLDER: &str = "language-model";
/// The file in that folder that records which lines models have read; a line takes about 20 bytes.
const READ_LINES: &str = "read.json";
const LARGEST_READ_LINES: u64 = 16 << 20;
/// The client of the person's own subscription, as a program that answers one question: without hooks, plugins, memory and tools,
/// and without a saved session. docs/configuration.md has the measurements.
const CLAUDE: [&str; 8] = [
    "claude",
    "-p",
    "--safe-mode",
    "--tools",
    "",
    "--no-session-persistence",
    "--system-prompt",
    "You do one task for a program, which reads your answer. Answer in the form that the task asks for.",
];
/// The default model if `summary.model` is not set.
const CLAUDE_MODEL: &str = "haiku";

/// The hint for a person who has not decided whether a model may write notes.
pub const MODEL_OFFER: &str = "by rules; a model of your choice notes them better: `tars config set summary.provider claude` \
    (or openai, anthropic, extractive: docs/configuration.md)";

/// The instructions for a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPrompt {
    /// The person's own instructions, otherwise the built-in ones.
    pub instructions: Instructions,
    /// Why the person's own instructions are not used, if they exist.
    pub problem: Option<String>,
}

impl App {
    /// Returns the author of notes of whole sessions, as a word for the notes: the provider and its model. `None` if the settings
    /// name no model.
    pub fn notes_author(&self) -> Option<String> {
        let settings = &self.settings.config.summary;
        let provider = settings.provider.as_str();
        match settings.provider {
            SummaryProvider::Auto | SummaryProvider::Extractive => None,
            SummaryProvider::Command => Some(provider.to_owned()),
            _ => {
                Some(settings.model.as_ref().map_or_else(|| provider.to_owned(), |model| format!("{provider}:{model}")))
            }
        }
    }

    /// Asks the language model in the settings for the outcome of a session's turns, given what is known.
    ///
    /// # Errors
    /// There is no model; it fails; or the daily budget is spent.
    pub fn session_notes(
        &self,
        instructions: &Instructions,
        asked: (&SessionKnowledge, &[SessionTurn]),
    ) -> Result<SessionNotes, TaskError> {
        let model = self.language_model(Task::Notes)?;
        let notes = session_notes(model.as_ref(), instructions, asked, self.settings.config.summary.timeout);
        if let Err(error) = &notes {
            self.count_unusable(Task::Notes, error);
        }
        notes
    }

    /// Returns the language model in the settings, with the instructions for a task; `None` if the settings name no model. A
    /// problem with the person's own instructions is logged.
    ///
    /// # Errors
    /// The daily budget is spent; or the model is unusable.
    pub fn task_model(&self, task: Task) -> Result<Option<TaskModel>, TaskError> {
        let model = match self.language_model(task) {
            Err(TaskError::NoModel) => return Ok(None),
            model => model?,
        };
        let TaskPrompt { instructions, problem } = self.prompt(task);
        if let Some(problem) = problem {
            tracing::warn!("{problem}");
        }
        Ok(Some(TaskModel { model, task, instructions, timeout: self.settings.config.summary.timeout }))
    }

    /// Counts an unusable answer as a failure.
    pub fn count_unusable(&self, task: Task, error: &TaskError) {
        if let TaskError::NoNotes { .. } | TaskError::NoClaims { .. } | TaskError::CalledTool { .. } = error {
            let used = ModelUse { failures: 1, ..ModelUse::default() };
            if let Err(error) = self.model_ledger().add(task, &used) {
                tracing::warn!(%error, "the failure of a language model was not counted");
            }
        }
    }

    /// Returns the instructions for a task: the person's own from `prompts/TASK.md` beside the configuration file, otherwise the
    /// built-in ones.
    ///
    /// # Panics
    /// The task has no built-in instructions.
    pub fn prompt(&self, task: Task) -> TaskPrompt {
        let built_in = || task.instructions().expect("a task with instructions");
        let Some(file) = self.prompt_file(task) else {
            return TaskPrompt { instructions: built_in(), problem: None };
        };
        let mut bytes = Vec::new();
        let limit = MAX_PROMPT_BYTES as u64 + 1;
        let read = tars_base::private::open_untrusted_path(&file)
            .and_then(|opened| opened.take(limit).read_to_end(&mut bytes));
        let problem = match read.map(|_| Instructions::parse(&bytes)) {
            Ok(Ok(instructions)) => return TaskPrompt { instructions, problem: None },
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        let said = |reason| {
            let task = task.as_str();
            format!("{} is not used: {reason}; {task} use the built-in instructions", file.display())
        };
        TaskPrompt { instructions: built_in(), problem: problem.map(said) }
    }

    /// Returns the path of the person's own instructions for a task, even if the file does not exist; `None` if the place of the
    /// configuration is unknown.
    fn prompt_file(&self, task: Task) -> Option<PathBuf> {
        Some(self.settings.path()?.parent()?.join("prompts").join(format!("{}.md", task.as_str())))
    }

    /// Returns the record of lines that models have read.
    ///
    /// # Errors
    /// The file exists and cannot be read.
    pub fn read_lines(&self) -> io::Result<SeenTexts> {
        // A broken file must not block the work; the work is then done, and paid for, once more.
        Ok(data_files::read_json(&self.model_folder().join(READ_LINES), LARGEST_READ_LINES)?.unwrap_or_default())
    }

    /// Saves the record of lines that models have read, if it has changed.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub fn save_read_lines(&self, read: &SeenTexts) -> io::Result<()> {
        if *read == self.read_lines()? {
            return Ok(());
        }
        data_files::write(&self.model_folder(), READ_LINES, &serde_json::to_vec(read)?)
    }

    /// Returns the folder in the data directory for data about language models; it need not exist.
    pub fn model_folder(&self) -> PathBuf {
        self.settings.config.data.dir.join(FOLDER)
    }

    /// Returns the ledger that counts the tokens of language models.
    pub fn model_ledger(&self) -> ModelLedger {
        ModelLedger::new(self.model_folder(), self.environment.clock.clone())
    }

    /// Returns the language model in the settings. Its calls are counted under `task`.
    ///
    /// # Errors
    /// [`TaskError::NoModel`] if the settings name none, [`TaskError::BudgetSpent`] if today's budget is spent, and any error
    /// that makes it unusable.
    pub(crate) fn language_model(&self, task: Task) -> Result<Box<dyn ChatModel>, TaskError> {
        let model = self.uncounted_model()?;
        let ledger = self.model_ledger();
        let budget = self.settings.config.model.daily_tokens;
        if budget > 0 {
            let spent = ledger.today_tokens()?;
            if spent >= budget {
                return Err(TaskError::BudgetSpent { spent, budget });
            }
        }
        Ok(Box::new(CountedModel { model, ledger, task }))
    }

    fn uncounted_model(&self) -> Result<Box<dyn ChatModel>, TaskError> {
        let settings = &self.settings.config.summary;
        let unset = |what| TaskError::Unset { what };
        let (dialect, default) = match settings.provider {
            SummaryProvider::Auto | SummaryProvider::Extractive => return Err(TaskError::NoModel),
            SummaryProvider::Command => {
                let program = Program::new(&settings.command).map_err(|_| unset("summary.command"))?;
                return Ok(Box::new(program));
            }
            SummaryProvider::Claude => {
                let model = settings.model.as_deref().unwrap_or(CLAUDE_MODEL);
                let words: Vec<String> = CLAUDE.into_iter().chain(["--model", model]).map(str::to_owned).collect();
                return Ok(Box::new(Program::new(&words)?.named(settings.provider.as_str())));
            }
            SummaryProvider::OpenAi => (Dialect::OpenAi, None),
            SummaryProvider::Anthropic => (Dialect::Anthropic, Some(ANTHROPIC)),
        };
        let base_url = settings.base_url.as_deref().or(default).ok_or(unset("summary.base_url"))?;
        let key = settings.api_key_env.as_deref().and_then(|name| self.environment.variable(name));
        Ok(Box::new(Server::new(ServerOptions {
            dialect,
            base_url: base_url.to_owned(),
            model: settings.model.clone().ok_or(unset("summary.model"))?,
            api_key: key.map(|key| key.to_string_lossy().into_owned()),
            kind: None,
        })?))
    }
}
