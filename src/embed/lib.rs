//! Turns texts into vectors, and pairs of a question and a text into a relevance: the
//! implementations of [`Embedder`] and [`Reranker`], the models installed on this machine, and remote embedding services.
//!
//! A local model is a folder with a [`Manifest`]. The [`Catalog`] lists such folders, and [`hub::pull`] adds one. [`RemoteEmbedder`] calls
//! an OpenAI-compatible endpoint instead. Embedders never truncate: a text longer than [`Embedder::window`] is an error. Only a
//! [`Reranker`] reads no further than its window. A file whose hash differs from the manifest's is never loaded.
//!
//! The code that needs ONNX Runtime or the crate `tokenizers` is in `onnx` and in parts of `bert::prepare`, which the feature
//! `onnx` compiles. Without the feature, the stub `onnx_stub` replaces it and fails with [`EmbedError::WithoutOnnx`].

mod bert;
mod catalog;
mod error_function;
mod head;
pub mod hub;
mod idle_cores;
mod installed;
mod local;
mod manifest;
#[cfg(feature = "onnx")]
mod onnx;
#[cfg(not(feature = "onnx"))]
mod onnx_stub;
mod pair_window;
mod remote;
mod retry;
mod safetensors;
mod verify;
mod workers;

pub use bert::{BertEmbedder, BertReranker, prepare, prepared_stamp};
pub use catalog::{Catalog, CatalogEntry};
pub use installed::{InstalledModel, Preparation};
pub use manifest::{Activation, DenseLayer, MANIFEST_FILE, Manifest, ModelFile, Pooling, WeightsForm};
#[cfg(feature = "onnx")]
pub use onnx::{OnnxEmbedder, OnnxReranker, RuntimeLibrary, RuntimeManifest};
#[cfg(not(feature = "onnx"))]
pub use onnx_stub::RuntimeLibrary;
pub use remote::{RemoteEmbedder, RemoteOptions};
pub use verify::Verified;
pub use workers::Threads;

pub use tars_base::embedding::{EmbedError, Embedder, HAS_ONNX, ModelKind, ModelScale, Reranker, TextKind, normalize};

/// Returns the name of the instruction set that the kernel uses on this machine. Vectors computed with another set
/// differ in their last bits.
pub fn instructions() -> &'static str {
    bert::instructions()
}
