//! The error of every use case: what failed, its kind, and the one next step.
//!
//! Each error of a lower crate becomes an [`Error`] through its own `From`, which decides the kind and the hint. There is
//! no conversion from an arbitrary error, so `?` on an error without that decision does not compile.

use std::fmt::{self, Display};
use std::io;

use crate::evaluation::{QuestionError, RecordError, SelfQuestionsError};
use crate::{
    ChatModelError, IndexTransferError, Interrupted, NoVault, ProblemKind, Refusal, VaultMismatch, VersionConflict,
};
use tars_agent::chat_export::ChatExportError;
use tars_agent::client::{HookInputError, McpConfigError};
use tars_agent::transcript::TranscriptError;
use tars_base::ipc::ForeignSocketError;
use tars_chat::ChatError;
use tars_chat::tasks::TaskError;
use tars_config::ConfigError;
use tars_config::schedule::ScheduleError;
use tars_embed::EmbedError;
use tars_engine::index::IndexError;
use tars_engine::search::SearchError;
use tars_memory::MemoryError;
use tars_store::StoreError;
use tars_vault::WriteError;

/// The result of a use case.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request was not answered, with the kind and the hint of its cause.
///
/// `{}` prints the outermost context, `{:#}` the whole chain.
#[derive(Debug)]
pub struct Error {
    kind: ProblemKind,
    hint: Option<String>,
    /// The cause, and the contexts around it.
    report: anyhow::Error,
}

impl Error {
    /// Returns the error of a cause, with its kind and its hint.
    pub fn new(
        kind: ProblemKind,
        hint: impl Into<Option<String>>,
        cause: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        Self { kind, hint: hint.into(), report: cause.into() }
    }

    /// Returns the error of the store that caused this one, if one did.
    pub(crate) fn store_cause(&self) -> Option<&StoreError> {
        self.cause::<StoreError>().or_else(|| match (self.cause(), self.cause()) {
            (Some(IndexError::Store(error)), _) | (_, Some(SearchError::Store(error))) => Some(error),
            _ => None,
        })
    }

    /// Returns the error of a cause that has no kind and no hint of its own.
    pub fn without_hint(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::new(ProblemKind::Failed, None, cause)
    }

    /// Returns an error of this message, without a hint.
    pub fn failed(message: impl Display + fmt::Debug + Send + Sync + 'static) -> Self {
        Self { kind: ProblemKind::Failed, hint: None, report: anyhow::Error::msg(message) }
    }

    /// Returns the kind, for programs that branch on it.
    pub fn kind(&self) -> ProblemKind {
        self.kind
    }

    /// Returns the next step, if there is one.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the cause if it is an `E`.
    pub fn cause<E: std::error::Error + Send + Sync + 'static>(&self) -> Option<&E> {
        self.report.downcast_ref()
    }

    /// Returns whether the cause is an `E`.
    pub fn is<E: std::error::Error + Send + Sync + 'static>(&self) -> bool {
        self.report.is::<E>()
    }

    /// Returns the contexts from the outermost to the innermost, then the cause and its sources.
    pub fn chain(&self) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
        self.report.chain()
    }

    /// Puts `context` in front of the message.
    #[must_use]
    pub fn context(self, context: impl Display + Send + Sync + 'static) -> Self {
        Self { report: self.report.context(context), ..self }
    }
}

impl Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.report, formatter)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.report.source()
    }
}

/// Puts a context in front of an error's message, and keeps its kind and its hint.
pub trait Context<T> {
    /// Puts `context` in front.
    ///
    /// # Errors
    /// The error with its context.
    fn context(self, context: impl Display + Send + Sync + 'static) -> Result<T>;

    /// Puts the result of `context` in front, which is called only for an error.
    ///
    /// # Errors
    /// The error with its context.
    fn with_context<C: Display + Send + Sync + 'static>(self, context: impl FnOnce() -> C) -> Result<T>;
}

impl<T, E: Into<Error>> Context<T> for Result<T, E> {
    fn context(self, context: impl Display + Send + Sync + 'static) -> Result<T> {
        self.map_err(|error| error.into().context(context))
    }

    fn with_context<C: Display + Send + Sync + 'static>(self, context: impl FnOnce() -> C) -> Result<T> {
        self.map_err(|error| error.into().context(context()))
    }
}

impl<T> Context<T> for Option<T> {
    fn context(self, context: impl Display + Send + Sync + 'static) -> Result<T> {
        self.ok_or_else(|| crate::failure!("{context}"))
    }

    fn with_context<C: Display + Send + Sync + 'static>(self, context: impl FnOnce() -> C) -> Result<T> {
        self.ok_or_else(|| crate::failure!("{}", context()))
    }
}

/// Returns an [`Error`] of a formatted message, without a hint.
#[macro_export]
macro_rules! failure {
    ($($message:tt)*) => { $crate::Error::failed(::std::format!($($message)*)) };
}

/// Returns early with a [`failure!`].
#[macro_export]
macro_rules! bail {
    ($($message:tt)*) => { return ::std::result::Result::Err($crate::failure!($($message)*)) };
}

/// Returns early with a [`failure!`] unless a condition holds.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            $crate::bail!($($message)*);
        }
    };
}

/// Converts errors with the kind and the hint that `$kind` and `$hint` return.
macro_rules! convert {
    ($($error:ty: $kind:expr, $hint:expr;)*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                let (kind, hint): (ProblemKind, Option<String>) = ($kind(&error), $hint(&error));
                Self::new(kind, hint, error)
            }
        }
    )*};
}

convert! {
    ChatError: failed, ChatError::hint;
    ChatExportError: kind_of_chat_export, ChatExportError::hint;
    ChatModelError: not_ready, ChatModelError::hint;
    ConfigError: invalid, ConfigError::hint;
    EmbedError: kind_of_embed, EmbedError::hint;
    ForeignSocketError: failed, |error: &ForeignSocketError| Some(error.hint());
    HookInputError: failed, no_hint;
    IndexError: failed, IndexError::hint;
    IndexTransferError: invalid, IndexTransferError::hint;
    Interrupted: failed, no_hint;
    McpConfigError: failed, no_hint;
    MemoryError: kind_of_memory, hint_of_memory;
    NoVault: not_ready, |_: &NoVault| Some("tars init FOLDER".into());
    QuestionError: failed, QuestionError::hint;
    RecordError: failed, no_hint;
    Refusal: invalid, |error: &Refusal| Some(error.hint.clone());
    ScheduleError: failed, no_hint;
    SearchError: kind_of_search, SearchError::hint;
    SelfQuestionsError: failed, |error: &SelfQuestionsError| Some(error.hint().into());
    StoreError: kind_of_store, StoreError::hint;
    TaskError: failed, TaskError::hint;
    TranscriptError: failed, no_hint;
    VaultMismatch: not_ready, |_: &VaultMismatch| Some("tars index".into());
    VersionConflict: |_: &VersionConflict| ProblemKind::Changed, |_: &VersionConflict| Some("read it again, then decide".into());
    WriteError: kind_of_write, WriteError::hint;
    io::Error: failed, no_hint;
    serde_json::Error: failed, no_hint;
}

fn failed<E>(_: &E) -> ProblemKind {
    ProblemKind::Failed
}

fn invalid<E>(_: &E) -> ProblemKind {
    ProblemKind::Invalid
}

fn not_ready<E>(_: &E) -> ProblemKind {
    ProblemKind::NotReady
}

fn no_hint<E>(_: &E) -> Option<String> {
    None
}

fn kind_of_embed(error: &EmbedError) -> ProblemKind {
    match error {
        EmbedError::QuestionTooLong { .. } => ProblemKind::Invalid,
        _ => ProblemKind::Failed,
    }
}

fn kind_of_store(error: &StoreError) -> ProblemKind {
    match error {
        StoreError::Missing { .. } => ProblemKind::NotReady,
        StoreError::UnknownCollection { .. } => ProblemKind::NotFound,
        StoreError::Glob { .. } => ProblemKind::Invalid,
        _ => ProblemKind::Failed,
    }
}

fn kind_of_search(error: &SearchError) -> ProblemKind {
    match error {
        SearchError::UnknownId { .. }
        | SearchError::UnknownNote { .. }
        | SearchError::TextGone { .. }
        | SearchError::UnknownSection { .. }
        | SearchError::UnknownBlock { .. }
        | SearchError::NoSuchLines { .. } => ProblemKind::NotFound,
        SearchError::NoSemantics { .. } => ProblemKind::NotReady,
        SearchError::Store(error) => kind_of_store(error),
        SearchError::Embed(error) => kind_of_embed(error),
        _ => ProblemKind::Invalid,
    }
}

fn kind_of_write(error: &WriteError) -> ProblemKind {
    match error {
        WriteError::Busy { .. } | WriteError::KeepsChanging { .. } => ProblemKind::Conflict,
        WriteError::Vault { .. } | WriteError::NotAFolder { .. } => ProblemKind::NotReady,
        _ => ProblemKind::Failed,
    }
}

fn kind_of_chat_export(error: &ChatExportError) -> ProblemKind {
    match error {
        ChatExportError::Io { .. } => ProblemKind::Failed,
        _ => ProblemKind::Invalid,
    }
}

fn kind_of_memory(error: &MemoryError) -> ProblemKind {
    match error {
        MemoryError::Write(error) => kind_of_write(error),
        MemoryError::Embed(error) => kind_of_embed(error),
        MemoryError::Gone { .. } => ProblemKind::Conflict,
        _ => ProblemKind::Invalid,
    }
}

fn hint_of_memory(error: &MemoryError) -> Option<String> {
    match error {
        MemoryError::Write(error) => error.hint(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn missing() -> StoreError {
        StoreError::Missing { path: PathBuf::from("index.db") }
    }

    #[test]
    fn an_error_brings_the_kind_and_the_hint_of_its_cause() {
        let folder = || WriteError::NotAFolder { path: PathBuf::from("notes") };
        let refusal = Refusal { message: "no".into(), hint: "ask again".into() };
        let cases: [(Error, ProblemKind, Option<&str>); 7] = [
            (missing().into(), ProblemKind::NotReady, Some("tars index")),
            (SearchError::EmptyQuery.into(), ProblemKind::Invalid, Some("tars search WORDS...")),
            (SearchError::Store(missing()).into(), ProblemKind::NotReady, Some("tars index")),
            (folder().into(), ProblemKind::NotReady, Some("tars init FOLDER")),
            (MemoryError::Write(folder()).into(), ProblemKind::NotReady, Some("tars init FOLDER")),
            (refusal.into(), ProblemKind::Invalid, Some("ask again")),
            (io::Error::other("gone").into(), ProblemKind::Failed, None),
        ];
        for (error, kind, hint) in cases {
            assert_eq!((error.kind(), error.hint()), (kind, hint), "{error}");
        }
    }

    #[test]
    fn a_context_keeps_kind_hint_and_cause() {
        let error = Err::<(), _>(missing()).context("cannot answer").unwrap_err();
        assert_eq!((error.kind(), error.hint()), (ProblemKind::NotReady, Some("tars index")));
        assert_eq!(error.to_string(), "cannot answer");
        assert_eq!(format!("{error:#}"), format!("cannot answer: {}", missing()));
        assert!(error.cause::<StoreError>().is_some());
    }
}
