//! Converts an ONNX model to the prepared form, and compares its vectors with those of ONNX Runtime.

use std::fs;

use prost::Message;

use super::graph::{Graph, ModelProto};
use super::recognize::recognize;
use super::reference::TEXTS;
use super::{cosines, shortened};
use crate::bert::embedder::BertEmbedder;
use crate::bert::prepared;
use crate::bert::vocabulary;
use crate::local::Engine;
use crate::manifest::TOKENIZER_FILE;
use crate::{EmbedError, Embedder, InstalledModel, OnnxEmbedder, RuntimeLibrary, TextKind};

/// Reads the model's files. Returns the bytes of the prepared file. The inner error is what the kernel does not support.
pub(super) fn convert(model: &InstalledModel) -> Result<Result<Vec<u8>, String>, EmbedError> {
    let read = |name: &str| {
        let path = model.dir.join(name);
        fs::read(&path).map_err(EmbedError::io("read", &path))
    };
    let (onnx, tokenizer) = (read(model.manifest.weights_file())?, read(TOKENIZER_FILE)?);
    let converted = || {
        let file = ModelProto::decode(onnx.as_slice()).map_err(|error| format!("its graph cannot be read: {error}"))?;
        drop(onnx);
        let graph = file.graph.ok_or("it has no graph")?;
        let weights = recognize(&Graph::new(&graph))?;
        let vocabulary = vocabulary::read(&tokenizer)?.vocabulary;
        if vocabulary.pieces() != weights.words.rows {
            return Err(format!("{} pieces have {} vectors", vocabulary.pieces(), weights.words.rows));
        }
        Ok(prepared::write(weights, &vocabulary, &model.source()))
    };
    Ok(converted())
}

/// Returns the cosine of each reference text's vectors. The inner error names a text that the tokenizers split differently.
pub(super) fn compare(
    kernel: &BertEmbedder,
    model: &InstalledModel,
    library: impl FnOnce() -> Result<RuntimeLibrary, EmbedError>,
) -> Result<Result<Vec<f32>, String>, EmbedError> {
    let original = OnnxEmbedder::load(model, &library()?, 1)?;
    let mut texts: Vec<String> = Vec::new();
    for text in TEXTS {
        let tokens = kernel.tokenizer().encode_with_special(text);
        if tokens != original.engine.encode_with_special(text)? {
            return Ok(Err(format!("its tokenizer splits texts differently: {text:?}")));
        }
        texts.push(shortened(text, kernel));
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ours = kernel.embed(TextKind::Passage, &texts)?;
    Ok(Ok(cosines(&ours, &original.embed(TextKind::Passage, &texts)?)))
}
