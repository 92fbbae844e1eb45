//! Errors of finding, fetching, checking and running models.

use std::io;
use std::path::{Path, PathBuf};

use super::{HAS_ONNX, ModelKind};
use crate::endpoint::EndpointError;

/// How a build without the feature `onnx` gets a model that it can run.
const PREPARED_ELSEWHERE: &str = "copy the folder of a model with the kernel.bin that a full build of tars has prepared into the \
    models directory and leave embedding.kernel at auto, or build tars with cargo build --release --features onnx";

/// A failure to find, fetch, check or run a model.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The models directory holds no model.
    #[error("no embedding model is installed in {}", dir.display())]
    NoModel {
        /// The models directory.
        dir: PathBuf,
    },
    /// The requested model is not installed.
    #[error("no model '{id}' in {}; installed: {}", dir.display(), list(installed))]
    UnknownModel {
        /// The requested id.
        id: String,
        /// The models directory.
        dir: PathBuf,
        /// The installed ids, sorted.
        installed: Vec<String>,
    },
    /// No reranker is installed.
    #[error("no reranker is installed in {}", dir.display())]
    NoReranker {
        /// The models directory.
        dir: PathBuf,
    },
    /// Several rerankers are installed, and none is chosen.
    #[error("several rerankers are installed and none is chosen: {}", list(installed))]
    SeveralRerankers {
        /// Their ids, sorted.
        installed: Vec<String>,
    },
    /// A model of the wrong kind was requested.
    #[error("'{id}' is {}, not {}", noun(*found), noun(*wanted))]
    WrongKind {
        /// Id of the model.
        id: String,
        /// The kind of the model.
        found: ModelKind,
        /// The requested kind.
        wanted: ModelKind,
    },
    /// The ONNX Runtime library was not found, or could not be loaded.
    #[error("no usable ONNX Runtime library: {reason}")]
    NoRuntime {
        /// The attempts and their errors.
        reason: String,
    },
    /// The settings name an instruction set that the processor does not support.
    #[error("this processor cannot run embedding.instructions = \"{name}\"; it can run {}", list(found))]
    NoInstructions {
        /// The configured name.
        name: String,
        /// The supported instruction sets, fastest first.
        found: Vec<String>,
    },
    /// The operation needs ONNX Runtime, and this build has none.
    #[error("this tars is built without the feature 'onnx': it runs only prepared ONNX models and cannot prepare any")]
    WithoutOnnx,
    /// The model needs ONNX Runtime, and this build has none.
    #[error(
        "model '{model}' is {state}; this tars is built without the feature 'onnx' and can neither run such a model nor prepare it"
    )]
    CannotRun {
        /// Id of the model.
        model: String,
        /// State of its prepared file.
        state: String,
        /// Whether a full build has found that the model cannot be prepared.
        refused: bool,
    },
    /// Reranking needs ONNX Runtime or a model that tars runs by itself, and this build has neither.
    #[error("this tars is built without the feature 'onnx' and runs only rerankers in the form of model.safetensors")]
    CannotRerank,
    /// The model has no prepared file that the kernel can run.
    #[error("model '{model}' is not prepared: {reason}")]
    NotPrepared {
        /// Id of the model.
        model: String,
        /// Why there is none.
        reason: String,
    },
    /// A model that came with tars is unusable.
    #[error("model '{model}', which came with tars, cannot be used: {reason}")]
    Shipped {
        /// Id of the model.
        model: String,
        /// The problem with its prepared file.
        reason: String,
    },
    /// Only the kernel can run the model, and the settings disable the kernel.
    #[error("only tars itself runs model '{model}', and embedding.kernel is 'off'")]
    NeedsKernel {
        /// Id of the model.
        model: String,
    },
    /// A file of a model has another hash than its manifest says.
    #[error("{} is not the file its manifest names: sha256 {found}, expected {expected}", path.display())]
    HashMismatch {
        /// The file.
        path: PathBuf,
        /// sha256 from the manifest.
        expected: String,
        /// sha256 of the file.
        found: String,
    },
    /// A file of a model has another size than its manifest says.
    #[error("{} is not the file its manifest names: {found} bytes, expected {expected}", path.display())]
    SizeMismatch {
        /// The file.
        path: PathBuf,
        /// Size from the manifest, in bytes.
        expected: u64,
        /// Actual size, in bytes.
        found: u64,
    },
    /// A manifest is unreadable or invalid.
    #[error("{}: {reason}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// The field and the error.
        reason: String,
    },
    /// The runtime rejected a model, or failed while running it.
    #[error("model '{model}' failed: {reason}")]
    Runtime {
        /// Id or path of the model.
        model: String,
        /// The runtime's error.
        reason: String,
    },
    /// A server answered with an error status.
    #[error("{url} answered {status}: {excerpt}")]
    Remote {
        /// The address, without its query.
        url: String,
        /// HTTP status.
        status: u16,
        /// The beginning of the response, at most 300 characters, with the key removed.
        excerpt: String,
    },
    /// A server's answer has the wrong form or unusable values.
    #[error("{url} sent an unusable answer: {reason}")]
    Answer {
        /// The address, without its query.
        url: String,
        /// The problem.
        reason: String,
    },
    /// A model returned a vector of another length than its declared one.
    #[error("model '{model}' gave a vector of {found} dimensions, expected {expected}")]
    Dimensions {
        /// Id of the model.
        model: String,
        /// Declared length.
        expected: usize,
        /// Actual length.
        found: usize,
    },
    /// A text exceeds the model's window.
    #[error("text {index} has {tokens} tokens, more than the {window} of the model's window")]
    TextTooLong {
        /// Position among the texts of the call, from 0.
        index: usize,
        /// Number of its tokens.
        tokens: usize,
        /// Maximum number of tokens.
        window: usize,
    },
    /// A question leaves a reranker no room for a text.
    #[error("the question has {tokens} tokens, more than the {most} that '{model}' reads beside a text")]
    QuestionTooLong {
        /// Id of the model.
        model: String,
        /// Number of its tokens.
        tokens: usize,
        /// Maximum number of tokens.
        most: usize,
    },
    /// A server could not be reached, or stopped answering.
    #[error("cannot reach {url}: {reason}")]
    Network {
        /// The address, without its query.
        url: String,
        /// The reason.
        reason: String,
    },
    /// A server kept refusing requests because of its rate limit.
    #[error("{url} refused {tries} attempts as too many requests: {excerpt}")]
    RateLimited {
        /// The address, without its query.
        url: String,
        /// Number of attempts.
        tries: u32,
        /// The beginning of the response.
        excerpt: String,
    },
    /// The environment variable that should hold a key is not set.
    #[error("environment variable {variable} is not set")]
    MissingKey {
        /// Its name.
        variable: String,
    },
    /// A key would travel unencrypted.
    #[error("refusing to send a key over plain http to {url}")]
    InsecureKey {
        /// The address.
        url: String,
    },
    /// An address is invalid or not allowed.
    #[error("invalid address '{url}': {reason}")]
    Address {
        /// The address as given, without a password.
        url: String,
        /// The problem.
        reason: String,
    },
    /// The name of a model to pull is invalid.
    #[error("invalid model name '{spec}': {reason}")]
    Spec {
        /// The name as given.
        spec: String,
        /// The problem.
        reason: String,
    },
    /// The hub requires authorization. It gives the same answer for a repository that does not exist.
    #[error("{repository} is gated, private or does not exist (status {status})")]
    Gated {
        /// `OWNER/NAME`.
        repository: String,
        /// 401 or 403.
        status: u16,
    },
    /// The hub has no such repository, revision or file.
    #[error("{repository} has no {what}")]
    NotFound {
        /// `OWNER/NAME`.
        repository: String,
        /// The missing item.
        what: String,
    },
    /// A repository holds no model that tars can use.
    #[error("{repository} cannot be used: {reason}")]
    Unusable {
        /// `OWNER/NAME`.
        repository: String,
        /// The reason.
        reason: String,
    },
    /// A hub sends another file for a commit than when the model was first pulled.
    #[error("{repository} now sends another {} for the same commit: sha256 {found}, at the first pull {expected}", path.display())]
    Repinned {
        /// `OWNER/NAME`.
        repository: String,
        /// The installed file, which stays.
        path: PathBuf,
        /// sha256 at the first pull.
        expected: String,
        /// sha256 now.
        found: String,
    },
    /// A download exceeds its size limit.
    #[error("{what} is larger than the {limit} bytes that are accepted")]
    TooLarge {
        /// The file or address.
        what: String,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The disk is full.
    #[error("no space left to write {}", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The verb: `read`, `write`, `rename`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The person cancelled the operation.
    #[error("cancelled")]
    Cancelled,
}

impl EmbedError {
    /// Returns the next step for the user, as a command where possible.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NeedsKernel { .. } => "tars config set embedding.kernel auto",
            Self::Shipped { .. } => "install tars again from its package",
            Self::NoModel { .. } | Self::NotPrepared { .. } if !HAS_ONNX => PREPARED_ELSEWHERE,
            Self::NotPrepared { model, .. } => return Some(format!("tars models prepare {model}")),
            Self::WithoutOnnx | Self::CannotRun { refused: false, .. } => PREPARED_ELSEWHERE,
            Self::CannotRun { refused: true, .. } => {
                "choose a prepared model with tars models use ID, or build tars with cargo build --release --features onnx"
            }
            Self::CannotRerank => "tars models pull hf:cross-encoder/ms-marco-MiniLM-L6-v2#model.safetensors",
            Self::NoModel { .. } => "./scripts/install-models or tars models pull hf:OWNER/NAME",
            Self::UnknownModel { .. } | Self::WrongKind { .. } => "tars models list",
            Self::NoReranker { .. } => "tars models pull hf:cross-encoder/ms-marco-MiniLM-L6-v2",
            Self::SeveralRerankers { .. } => "tars models use ID",
            Self::QuestionTooLong { .. } => "ask in fewer words, or without --rerank",
            Self::NoRuntime { .. } => "./scripts/install-models",
            Self::NoInstructions { .. } => "set embedding.instructions to auto",
            Self::HashMismatch { .. } | Self::SizeMismatch { .. } | Self::Runtime { .. } => "tars models verify",
            Self::Manifest { .. } => "tars models list",
            Self::MissingKey { variable } => return Some(format!("export {variable}=...")),
            Self::InsecureKey { .. } => "use an https:// address",
            Self::Spec { .. } => "tars models pull hf:OWNER/NAME[@REVISION][#PATH]",
            Self::Gated { repository, .. } => {
                return Some(format!("accept the terms of {repository} on the hub, then set HF_TOKEN"));
            }
            Self::Repinned { .. } => "keep the installed model, or delete its folder to accept the new file",
            Self::Unusable { .. } => "tars models pull hf:OWNER/NAME#PATH.onnx",
            Self::RateLimited { .. } => "wait a minute and run the command again",
            Self::DiskFull { .. } => "free some space and run the command again",
            _ => return None,
        };
        Some(hint.into())
    }

    /// Returns a conversion for `map_err` that names the action and the file.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { action, path, source },
        }
    }
}

impl From<EndpointError> for EmbedError {
    fn from(error: EndpointError) -> Self {
        match error {
            EndpointError::Address { url, reason } => Self::Address { url, reason },
            EndpointError::InsecureKey { url } => Self::InsecureKey { url },
        }
    }
}

fn noun(kind: ModelKind) -> &'static str {
    match kind {
        ModelKind::Embedding => "an embedding model",
        ModelKind::Reranker => "a reranker",
    }
}

fn list(ids: &[String]) -> String {
    if ids.is_empty() { "none".into() } else { ids.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_distinguished_from_other_failures() {
        let path = Path::new("models/model.onnx");
        let full = EmbedError::io("write", path)(io::ErrorKind::StorageFull.into());
        assert_eq!(full.to_string(), "no space left to write models/model.onnx");
        assert!(full.hint().unwrap().contains("free some space"));
        let other = EmbedError::io("write", path)(io::ErrorKind::PermissionDenied.into());
        assert_eq!(other.to_string(), "cannot write models/model.onnx");
    }

    #[test]
    fn hints_name_the_next_command() {
        let unknown = EmbedError::UnknownModel { id: "x".into(), dir: "models".into(), installed: vec![] };
        assert_eq!(unknown.to_string(), "no model 'x' in models; installed: none");
        assert_eq!(unknown.hint().as_deref(), Some("tars models list"));
        let key = EmbedError::MissingKey { variable: "OPENAI_API_KEY".into() };
        assert_eq!(key.hint().as_deref(), Some("export OPENAI_API_KEY=..."));
        let no_model = EmbedError::NoModel { dir: "models".into() };
        let next = if HAS_ONNX { "tars models pull hf:OWNER/NAME" } else { "kernel.bin" };
        assert!(no_model.hint().unwrap().contains(next));
        assert_eq!(EmbedError::Cancelled.hint(), None);
    }
}
