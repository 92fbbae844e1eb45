//! The use cases of tars: each maps a plain request to a plain response.
//!
//! A door (the command line, an agent's hooks, a program that sends JSON) parses its input into a request, calls
//! [`Service::call`] and presents the response; it decides nothing else. The service knows no protocol, no terminal and no
//! arguments. Responses serialize to the JSON of docs/json.md; no other module defines that JSON.
//!
//! A [`Service`] answers in this process, through the daemon, or through the daemon with this process as the fallback
//! ([`Backend`]). The same code answers in both, so the output is the same to the byte.

pub mod agent_text;
mod app;
mod authorship;
mod collections;
mod context;
mod daemon;
mod error;
pub mod evaluation;
mod health;
mod indexing;
pub mod memory;
mod models;
mod notes;
pub mod operations;
mod pauses;
mod pool;
mod problem;
mod recall;
mod redacted_json;
mod request;
mod scores;
mod search;
pub mod sessions;
pub mod setup;
mod stats;
pub mod tool_arguments;

pub use app::{App, ENGINE, VAULT};
pub use authorship::{Caller, FindCaller};
pub use collections::{
    CollectionView, CollectionsRequest, CollectionsResponse, RenameCollectionRequest, RenameCollectionResponse,
};
pub use context::{
    ContextPiece, ContextRequest, ContextResponse, Intent, Length, intent, line_key, line_keys, mark_untrusted,
};
pub use daemon::{Daemon, protocol};
pub use error::{Context, Error, Result};
pub use evaluation::{CategoryFigures, EvalRequest, EvalResponse, ModeFigures};
pub use health::{
    AuditRequest, ClientRemark, CollectionReport, DataProblem, DataProblemKind, DatabaseReport, DoctorRequest,
    DoctorResponse, Leak, LeakPlace, ModelReport, NotesReport, RefusedFrontMatter, StatusReport, StatusRequest,
    UnindexedFile,
};
pub use indexing::{
    CATCH_UP, CatchUp, ClientMemoryFolder, ExportIndexRequest, FreshIndex, Freshness, ImportIndexRequest, IndexRequest,
    IndexResponse, IndexScope, IndexTransferError, NoVault, TransferredIndex, VaultMismatch, missing_notes_remark,
    places,
};
pub use memory::{DailyNote, HOOK_COMMAND};
pub use models::{
    ChatChoice, ChatModelError, ConversationModel, LanguageReport, MODEL_OFFER, Model, ModelAdvice, ModelChange,
    ModelLedger, ModelUse, TaskPrompt, line_of_languages,
};
pub use notes::{
    ConflictsRequest, ConflictsResponse, DiffLine, DiffSide, Embed, ExpandRequest, ExpandResponse, GetRequest,
    GetResponse, IdsRequest, LinksRequest, LinksResponse, ListRequest, ListResponse, ListedLink, ListedNote,
    ListedTask, MergeCopyRequest, MergedNote, NoteCopy, NoteName, NoteSort, NoteText, NotesRequest, NotesResponse,
    Picture, PictureForm, PictureRequest, PreviewMergeRequest, RelatedNote, RelatedRequest, RelatedResponse, ResultId,
    TagCount, TagTreeRequest, TagTreeResponse, TagsRequest, TaskSelection, TaskState, TasksRequest, TasksResponse,
};
pub use pauses::{Pause, PauseRequest, PausedTimes, Pauses, ResumeRequest, ResumeResponse};
pub use pool::{Busy, Job, Jobs, Pool};
pub use problem::{Problem, ProblemKind};
pub use recall::{
    MarkRequest, MarkResponse, NoteUse, RecallStats, RecalledRequest, RecalledSession, ResetRecallRequest,
    ResetRecallResponse, WhyEvent, WhyLine, WhyPiece, WhyRequest, WhyResponse,
};
pub use request::{Request, Response};
pub use search::{PreparedStage, ResolvedQuery, SearchRequest, SearchResponse, SecondStage, StageRequest, budget_hits};
pub use sessions::{TurnLine, TurnRequest, TurnResponse, TurnsRequest, TurnsResponse};
pub use stats::{ModelDay, ModelStats, StatsRequest, StatsResponse, TokenWeek, TypeCount, VaultStats, WeekCount};
pub use tars_vault::{PDF_COMMAND, UndoGroup, run_pdf_child};

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use jiff::civil::Date;

use authorship::Authorship;
use protocol::{Request as Message, Response as Reply};
use search::LocalBackend;
use tars_base::domain::{NoProgress, Progress, Reading};
use tars_engine::search::SearchError;
use tars_vault::{MemoryFolder, Writer};

/// Where requests are answered. This process always answers requests that write, or that need more than a daemon has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// In this process.
    Local,
    /// By the daemon; an error if none answers.
    Daemon,
    /// By the daemon if one runs with the same settings and answers soon; otherwise in this process.
    Fallback,
}

/// Answers the requests of the daemon's socket without the socket: a process that keeps the index open and the model loaded.
pub trait InProcessDaemon: Sync {
    /// Answers a request.
    ///
    /// # Errors
    /// Any failure; the service then answers without it.
    fn respond(&self, request: &Message) -> Result<Reply>;
}

/// The entry to all use cases.
pub struct Service<'a> {
    app: &'a App,
    backend: Backend,
    /// Answers instead of the daemon, where this process is the daemon.
    daemon: Option<&'a dyn InProcessDaemon>,
    /// The program that sends the requests; `None` at a terminal.
    channel: RefCell<Option<String>>,
    /// The origin of the text that the model which sends the requests has read; `None` if no model of a conversation sends them.
    reading: Cell<Option<Reading>>,
    /// The daily limit of agents' writes, if an agent sends the requests.
    agent_writes: Cell<Option<usize>>,
    /// The undo group of all writes, if they are undone as one.
    undo_group: RefCell<Option<UndoGroup>>,
    /// The version of the memory folder that the next write is based on.
    expected_version: RefCell<Option<String>>,
    /// How changed notes are handled before this process answers a question.
    catch_up: CatchUp,
    /// Receives the progress and warnings of long work, and can cancel it.
    observer: &'a dyn Progress,
    /// The index and the model, once this process has needed them.
    local: RefCell<Option<Rc<LocalBackend<'a>>>>,
    /// Whether the open index has answered a question already and may be behind the notes.
    is_stale: Cell<bool>,
    stage: search::StageSlot,
    /// The day and the name of the archive for this service's reviews.
    archive: RefCell<Option<(Date, String)>>,
}

/// A request that the service can answer.
pub trait UseCase {
    /// The response type.
    type Response;

    /// Answers within the reach of `service`.
    ///
    /// # Errors
    /// Any failure, with its kind and its hint.
    fn run(&self, service: &Service<'_>) -> Result<Self::Response>;
}

/// The service refuses the request for a reason in the request itself.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The problem.
    pub message: String,
    /// The next step.
    pub hint: String,
}

/// The memory folder has changed since the version that a write is based on.
#[derive(Debug, thiserror::Error)]
#[error("the memory folder has changed since the version that this write rests on: nothing was written")]
pub struct VersionConflict;

/// The observer cancelled the work before there was anything to answer.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: there is nothing to show")]
pub struct Interrupted;

impl<'a> Service<'a> {
    /// Returns a service that has opened nothing yet.
    pub fn new(app: &'a App, backend: Backend) -> Self {
        Self {
            app,
            backend,
            daemon: None,
            channel: RefCell::default(),
            reading: Cell::default(),
            agent_writes: Cell::default(),
            undo_group: RefCell::default(),
            expected_version: RefCell::default(),
            catch_up: CatchUp::WordsAndVectors,
            observer: &NoProgress,
            local: RefCell::default(),
            is_stale: Cell::new(false),
            stage: search::StageSlot::default(),
            archive: RefCell::default(),
        }
    }

    /// Returns a service that asks `daemon` instead of the daemon, and answers in this process if `daemon` fails.
    pub fn with_daemon(self, daemon: &'a dyn InProcessDaemon) -> Self {
        Self { daemon: Some(daemon), backend: Backend::Fallback, ..self }
    }

    /// Names the program `channel` as the author of all following writes: in the journal, and in front of lines of daily logs.
    pub fn set_client(&self, channel: Option<&str>) {
        *self.channel.borrow_mut() = channel.map(str::to_owned);
        self.agent_writes.set(None);
    }

    /// Names the agent `channel` as the author of all following writes, until [`Service::set_client`]. All agents together make at
    /// most `daily_writes` a day.
    pub fn set_agent(&self, channel: &str, daily_writes: usize) {
        self.set_client(Some(&memory::agent_channel(channel)));
        self.agent_writes.set(Some(daily_writes));
    }

    /// Fails if agents may not make `writes` more today, before any work for them is done. Each write checks again under the lock.
    ///
    /// # Errors
    /// The limit is reached; or there is no vault, or the journal cannot be read.
    pub fn check_agent_writes(&self, writes: usize) -> Result<()> {
        let Some(most) = self.agent_writes.get() else { return Ok(()) };
        let entries = self.app.journal(&self.app.memory_folder()?)?.entries()?;
        memory::check_limit(self.app, &entries, most, writes)
    }

    /// Makes all following writes one step of undo, together with other writes of this group; `None` ends that.
    pub fn set_undo_group(&self, group: Option<UndoGroup>) {
        *self.undo_group.borrow_mut() = group;
    }

    /// Returns the version of the memory folder. It changes with any write to one of its files.
    ///
    /// # Errors
    /// There is no vault, or the folder cannot be read.
    pub fn memory_version(&self) -> Result<String> {
        Ok(self.app.memory_folder()?.version()?)
    }

    /// Makes the next write fail unless the memory folder still has this version.
    pub fn expect_version(&self, version: Option<String>) {
        *self.expected_version.borrow_mut() = version;
    }

    /// Fails if a version of the memory folder is expected and the folder has another one.
    ///
    /// # Errors
    /// [`VersionConflict`]; or the folder cannot be read.
    pub fn check_version(&self) -> Result<()> {
        match &*self.expected_version.borrow() {
            Some(expected_version) if self.memory_version()? != *expected_version => Err(VersionConflict.into()),
            _ => Ok(()),
        }
    }

    /// Returns a service that does no more than `catch_up` about changed notes before it answers a question in this process.
    pub fn with_catch_up(self, catch_up: CatchUp) -> Self {
        Self { catch_up, ..self }
    }

    /// Returns a service that reports progress and degradation of long work to `observer`, and stops such work once the observer
    /// cancels it. Without an observer nothing is reported; the response also holds everything that a caller must know.
    pub fn with_observer(self, observer: &'a dyn Progress) -> Self {
        Self { observer, ..self }
    }

    /// Answers a request.
    ///
    /// # Errors
    /// See [`UseCase::run`].
    pub fn call<U: UseCase>(&self, request: &U) -> Result<U::Response> {
        let response = request.run(self);
        self.report_write();
        response
    }

    /// Makes the next question look for changed notes again. The model stays loaded. A long-lived door calls this after each
    /// question; the questions of one batch share one look.
    pub fn mark_stale(&self) {
        self.is_stale.set(true);
    }

    /// Takes the write lock of `folder` for `command`.
    ///
    /// # Errors
    /// See [`tars_vault::WriteError`], and [`VersionConflict`]; or agents have made all their writes of today.
    pub fn writer<'f>(&self, folder: &'f MemoryFolder, command: &str) -> Result<Writer<'f>> {
        let writer = self.app.open_writer(folder, self.authorship(command).origin)?;
        // Checked under the lock, so that no other write of tars comes between. Later writes of the same request follow this one.
        self.check_version()?;
        self.expect_version(None);
        if let Some(most) = self.agent_writes.get() {
            memory::check_limit(self.app, &writer.entries()?, most, 1)?;
        }
        Ok(match &*self.undo_group.borrow() {
            Some(group) => writer.in_shared_group(group.clone()),
            None => writer,
        })
    }

    /// Returns who writes with `command`.
    fn authorship(&self, command: &str) -> Authorship {
        self.app.authorship(command, self.channel.borrow().as_deref(), self.reading.get())
    }

    /// Names what the model that sends the requests of a conversation has read; `None` if the person sends them.
    pub fn set_reading(&self, reading: Option<Reading>) {
        self.reading.set(reading);
    }

    /// Reports a write to the memory folder to the watcher, if this process has written since its last report.
    fn report_write(&self) {
        let Some(daemon) = self.daemon else { return Daemon::of(self.app).report_write() };
        if let Some(paths) = Daemon::of(self.app).written()
            && let Err(error) = daemon.respond(&Message::Written { paths })
        {
            tracing::debug!(%error, "the watcher was not told of a write");
        }
    }

    /// Returns the parts that the requests use.
    pub fn app(&self) -> &'a App {
        self.app
    }

    /// Closes the index and unloads the model of this process, because the next step may change both.
    fn close(&self) {
        self.local.take();
    }

    /// Returns the name of the archive for the reviews of `day`, and looks it up only once.
    fn archive(&self, day: Date, find: impl FnOnce() -> Result<String>) -> Result<String> {
        if let Some((_, name)) = self.archive.borrow().as_ref().filter(|(of, _)| *of == day) {
            return Ok(name.clone());
        }
        let name = find()?;
        *self.archive.borrow_mut() = Some((day, name.clone()));
        Ok(name)
    }

    /// Asks the daemon if it is in reach; `None` leaves the answer to this process.
    ///
    /// # Errors
    /// Only a daemon may answer and none does; or nobody can answer the request.
    fn ask_daemon(&self, message: &Message) -> Result<Option<Reply>> {
        if let Some(daemon) = self.daemon {
            return match daemon.respond(message) {
                Ok(reply) => Ok(Some(reply)),
                // Asking the same index again would fail in the same way.
                Err(error) if error.cause::<SearchError>().is_some_and(SearchError::is_final) => Err(error),
                Err(error) => {
                    tracing::debug!(%error, "answered without the warm model");
                    Ok(None)
                }
            };
        }
        match self.backend {
            Backend::Local => Ok(None),
            Backend::Fallback => Ok(Daemon::of(self.app).ask(message)),
            Backend::Daemon => match Daemon::of(self.app).ask(message) {
                None => {
                    let message = "no watcher with these settings answers".into();
                    Err(Refusal { message, hint: "tars watch --detach".into() }.into())
                }
                answer => Ok(answer),
            },
        }
    }
}
