//! The use cases of tars, each a plain request and a plain response.
//!
//! A door (the command line, an agent's hooks, a program that sends JSON) parses its input into a request, calls
//! [`Service::call`] and presents the response; it decides nothing else. The service knows no protocol, no terminal and no
//! arguments. Responses serialize to the JSON of docs/json.md, which is written down here and nowhere else.
//!
//! A [`Service`] answers in this process, through the daemon, or through the daemon and else in this process ([`Reach`]). The
//! caller does not notice: the same code answers in both, so the output is the same to the byte.

mod completions;
mod context;
mod daemon;
mod eval;
mod expand;
mod get;
mod local;
pub mod marked;
pub mod memory;
mod notes;
pub mod operations;
mod pause;
mod pool;
mod problem;
pub mod protocol;
mod recall;
mod related;
mod request;
mod scores;
mod search;
pub mod setup;
mod stats;
mod status;
mod then;
mod transcript;

pub use completions::{IdsRequest, ResultId, TagsRequest};
pub use context::{ContextPiece, ContextRequest, ContextResponse, Intent, Length, intent, line_key, line_keys};
pub use daemon::Daemon;
pub use eval::{CategoryFigures, EvalRequest, EvalResponse, ModeFigures};
pub use expand::{ExpandRequest, ExpandResponse};
pub use get::{GetRequest, GetResponse, NoteText};
pub use notes::{NoteName, NotesRequest, NotesResponse};
pub use pause::{PauseRequest, ResumeRequest, ResumeResponse};
pub use pool::{Busy, Job, Jobs, Pool};
pub use problem::{Problem, ProblemKind};
pub use recall::{
    MarkRequest, MarkResponse, NoteUse, RecallStats, RecalledRequest, RecalledSession, WhyEvent, WhyLine, WhyPiece,
    WhyRequest, WhyResponse,
};
pub use related::{RelatedNote, RelatedRequest, RelatedResponse};
pub use request::{Request, Response};
pub use search::{SearchHit, SearchRequest, SearchResponse};
pub use stats::{ModelDay, ModelStats, StatsRequest, StatsResponse};
pub use status::StatusRequest;
pub use then::SupersededHit;
pub use transcript::{TurnLine, TurnRequest, TurnResponse, TurnsRequest, TurnsResponse};

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use anyhow::Result;
use jiff::civil::Date;

use crate::app::{App, CatchUp, ResolvedQuery};
use crate::domain::{Mode, Progress, SearchAnswer, Silent};
use crate::search::SearchError;
use crate::vault::{MemoryFolder, Writer};
use local::{Local, Opening};
use protocol::{Request as Message, Response as Reply};

/// Where requests are answered. Requests that write, or that need more than a daemon has, are answered in this process always.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// In this process.
    Local,
    /// By the daemon; an error where none answers.
    Daemon,
    /// By the daemon if one runs with the same settings and answers soon, else in this process.
    Fallback,
}

/// Answers what the daemon's socket answers, without the socket: a process that keeps the index open and the model loaded.
pub trait Warm: Sync {
    /// Answers a request.
    ///
    /// # Errors
    /// Whatever kept it from answering; the service answers without it then.
    fn respond(&self, request: &Message) -> Result<Reply>;
}

/// The entry to all use cases.
pub struct Service<'a> {
    app: &'a App,
    reach: Reach,
    /// What answers instead of the daemon, where this process is the daemon.
    warm: Option<&'a dyn Warm>,
    /// The program that asks, where it is none at a terminal.
    channel: RefCell<Option<String>>,
    /// The version of the memory folder that the next write rests on.
    expected: RefCell<Option<String>>,
    /// What is done about changed notes before a question is answered in this process.
    catch_up: CatchUp,
    /// Is told how far long work is and what it lacks, and says when it is to end.
    observer: &'a dyn Progress,
    /// The index and the model, once this process has needed them.
    local: RefCell<Option<Rc<Local<'a>>>>,
    /// Whether what is opened has been asked before and may be behind the notes.
    is_stale: Cell<bool>,
    stage: search::StageSlot,
    /// The archive that this service's reviews of a day go to.
    archive: RefCell<Option<(Date, String)>>,
}

/// A request that the service answers.
pub trait UseCase {
    /// What it answers.
    type Response;

    /// Answers in the reach of `service`.
    ///
    /// # Errors
    /// Whatever keeps it from an answer; `cli::errors` finds the hint that goes with it.
    fn run(&self, service: &Service<'_>) -> Result<Self::Response>;
}

/// The service will not do what was asked, for a reason that lies in the request.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// The memory folder was written to since the version that a write rests on.
#[derive(Debug, thiserror::Error)]
#[error("the memory folder has changed since the version that this write rests on: nothing was written")]
pub struct OtherVersion;

/// The observer asked to stop before there was anything to answer.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: there is nothing to show")]
pub struct Interrupted;

impl<'a> Service<'a> {
    /// Returns a service that has opened nothing yet.
    pub fn new(app: &'a App, reach: Reach) -> Self {
        Self {
            app,
            reach,
            warm: None,
            channel: RefCell::default(),
            expected: RefCell::default(),
            catch_up: CatchUp::WordsAndVectors,
            observer: &Silent,
            local: RefCell::default(),
            is_stale: Cell::new(false),
            stage: search::StageSlot::default(),
            archive: RefCell::default(),
        }
    }

    /// Has it ask `warm` instead of the daemon, and answer in this process what that cannot.
    pub fn beside(self, warm: &'a dyn Warm) -> Self {
        Self { warm: Some(warm), reach: Reach::Fallback, ..self }
    }

    /// Has the journal say that what is written from now on was asked for by the program `channel`; lines of days bear its name.
    pub fn speak_for(&self, channel: Option<&str>) {
        *self.channel.borrow_mut() = channel.map(str::to_owned);
    }

    /// Returns a name for the state of the memory folder, which is another one after any write to one of its files.
    ///
    /// # Errors
    /// There is no vault, or the folder cannot be read.
    pub fn memory_version(&self) -> Result<String> {
        Ok(self.app.memory_folder()?.version()?)
    }

    /// Has the next write fail unless the memory folder still is of this version.
    pub fn expect_version(&self, version: Option<String>) {
        *self.expected.borrow_mut() = version;
    }

    /// Fails unless the memory folder is of the version that is expected, if one is.
    ///
    /// # Errors
    /// [`OtherVersion`], or the folder cannot be read.
    pub fn check_version(&self) -> Result<()> {
        match &*self.expected.borrow() {
            Some(expected) if self.memory_version()? != *expected => Err(OtherVersion.into()),
            _ => Ok(()),
        }
    }

    /// Has it do no more than `catch_up` about changed notes before it answers a question in this process.
    pub fn catching_up(self, catch_up: CatchUp) -> Self {
        Self { catch_up, ..self }
    }

    /// Has it tell `observer` how far long work is and what is degraded, and end such work once the observer asks for it. Without
    /// one nothing is told; what a caller must know stands in the response too.
    pub fn observed_by(self, observer: &'a dyn Progress) -> Self {
        Self { observer, ..self }
    }

    /// Answers a request.
    ///
    /// # Errors
    /// See [`UseCase::run`].
    pub fn call<U: UseCase>(&self, request: &U) -> Result<U::Response> {
        let response = request.run(self);
        self.tell_written();
        response
    }

    /// Has the next question look for changed notes again. The model stays loaded. A door that answers for a long time calls
    /// this after each question; a batch is answered from one look.
    pub fn renew(&self) {
        self.is_stale.set(true);
    }

    /// Takes the right to write to `folder` for `command`.
    ///
    /// # Errors
    /// See [`crate::vault::WriteError`], and [`OtherVersion`].
    pub(crate) fn writer<'f>(&self, folder: &'f MemoryFolder, command: &str) -> Result<Writer<'f>> {
        let writer = self.app.writer_through(folder, command, self.channel.borrow().as_deref())?;
        // Under the lock, so that no other write of tars comes between. What follows of the same request rests on this one.
        self.check_version()?;
        self.expect_version(None);
        Ok(writer)
    }

    /// Tells who watches that the memory folder was written to, if this process has done that since it told so last.
    fn tell_written(&self) {
        let Some(warm) = self.warm else { return Daemon::of(self.app).tell_written() };
        if let Some(paths) = Daemon::of(self.app).written()
            && let Err(error) = warm.respond(&Message::Written { paths })
        {
            tracing::debug!(%error, "the watcher was not told of a write");
        }
    }

    pub(crate) fn app(&self) -> &'a App {
        self.app
    }

    /// Closes the index and unloads the model of this process, since both may be others after what follows.
    fn close(&self) {
        self.local.take();
    }

    /// Returns the name of the archive that the reviews of `day` go to, found out once.
    fn archive(&self, day: Date, find: impl FnOnce() -> Result<String>) -> Result<String> {
        if let Some((_, name)) = self.archive.borrow().as_ref().filter(|(of, _)| *of == day) {
            return Ok(name.clone());
        }
        let name = find()?;
        *self.archive.borrow_mut() = Some((day, name.clone()));
        Ok(name)
    }

    /// Asks the daemon, where one is in reach; `None` leaves the answer to this process.
    ///
    /// # Errors
    /// Only a daemon may answer, and none does; or the request cannot be answered by anybody.
    fn ask_daemon(&self, message: &Message) -> Result<Option<Reply>> {
        if let Some(warm) = self.warm {
            return match warm.respond(message) {
                Ok(reply) => Ok(Some(reply)),
                // Another look at the same index would end the same way.
                Err(error) if error.downcast_ref::<SearchError>().is_some_and(SearchError::is_final) => Err(error),
                Err(error) => {
                    tracing::debug!(%error, "answered without the warm model");
                    Ok(None)
                }
            };
        }
        match self.reach {
            Reach::Local => Ok(None),
            Reach::Fallback => Ok(Daemon::of(self.app).ask(message)),
            Reach::Daemon => match Daemon::of(self.app).ask(message) {
                None => {
                    let message = "no watcher with these settings answers".into();
                    Err(Refusal { message, hint: "tars watch --detach".into() }.into())
                }
                answer => Ok(answer),
            },
        }
    }

    /// Returns the index of this process, opened for questions in `mode`.
    fn local(&self, mode: Mode, sync: bool) -> Result<Rc<Local<'a>>> {
        self.opened(self.opening(mode, sync)).map(|(local, _)| local)
    }

    /// Answers a question from the index of this process. Where that is yet to be opened, the question is asked while changed notes
    /// are looked for.
    fn answered_here(&self, asked: &ResolvedQuery, sync: bool) -> Result<SearchAnswer> {
        match self.opened(Opening { asked: Some(asked), ..self.opening(asked.query.mode, sync) })? {
            (_, Some(answer)) => Ok(answer),
            (local, None) => local.answer(asked, None),
        }
    }

    fn opening(&self, mode: Mode, sync: bool) -> Opening<'static> {
        Opening { mode, catch_up: if sync { self.catch_up } else { CatchUp::Nothing }, asked: None }
    }

    /// Returns the index of this process, and the answer to a first question that opening it has given.
    fn opened(&self, opening: Opening<'_>) -> Result<(Rc<Local<'a>>, Option<SearchAnswer>)> {
        let is_stale = self.is_stale.replace(false);
        if let Some(local) = self.local.borrow().as_ref().filter(|local| local.serves(opening.mode) && !is_stale) {
            return Ok((Rc::clone(local), None));
        }
        let known = self.local.take().and_then(Rc::into_inner).filter(|local| local.serves(opening.mode));
        let (opened, first) = match known {
            Some(known) => known.opened_again(opening)?,
            None => Local::open(self.app, opening)?,
        };
        let opened = Rc::new(opened);
        *self.local.borrow_mut() = Some(Rc::clone(&opened));
        Ok((opened, first))
    }
}
