//! Names of models on a hub, and the ids of their local copies.

use super::super::EmbedError;
use super::super::manifest::check_name;

/// The parsed form of `hf:OWNER/NAME[@REVISION][#PATH]`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Spec {
    /// `OWNER/NAME`.
    pub(super) repository: String,
    pub(super) name: String,
    /// Branch, tag or commit.
    pub(super) revision: String,
    /// Path of an ONNX file or of named weights in the repository.
    pub(super) path: Option<String>,
}

impl Spec {
    pub(super) fn parse(spec: &str) -> Result<Self, EmbedError> {
        let invalid = |reason: &str| EmbedError::Spec { spec: spec.escape_debug().to_string(), reason: reason.into() };
        let rest = spec.strip_prefix("hf:").ok_or_else(|| invalid("it does not start with hf:"))?;
        let (rest, path) = match rest.split_once('#') {
            Some((rest, path)) => (rest, Some(path)),
            None => (rest, None),
        };
        let (repository, revision) = rest.split_once('@').unwrap_or((rest, "main"));
        if !is_repository(repository) {
            return Err(invalid("it does not name an OWNER and a NAME"));
        }
        if !is_path(revision) {
            return Err(invalid("its revision is not a branch, tag or commit"));
        }
        let is_weights = |path: &str| path.ends_with(".onnx") || path.ends_with(".safetensors");
        if path.is_some_and(|path| !is_path(path) || !is_weights(path)) {
            return Err(invalid("the part after # is not the path of an .onnx or .safetensors file"));
        }
        let name = repository.rsplit('/').next().unwrap_or_default().to_owned();
        Ok(Self { repository: repository.into(), name, revision: revision.into(), path: path.map(str::to_owned) })
    }
}

/// Whether `name` is an `OWNER/NAME`.
pub(super) fn is_repository(name: &str) -> bool {
    name.split('/').count() == 2 && is_path(name)
}

/// Whether `path` is relative and consists of plain names.
pub(super) fn is_path(path: &str) -> bool {
    path.split('/').all(|part| check_name(part).is_ok())
}

/// Returns the id of a model: the repository's name in lower case, followed by the variant in the name of the weights
/// file (`model_quantized.onnx` gives `-quantized`) and the length that its vectors were cut to (`-256d`).
pub(super) fn model_id(name: &str, weights: &str, dimensions: Option<usize>) -> String {
    let file = weights.rsplit('/').next().unwrap_or(weights);
    let file = file.trim_end_matches(".onnx").trim_end_matches(".safetensors").to_ascii_lowercase();
    let variant = file.strip_prefix("model").unwrap_or(&file).trim_matches(['_', '-', '.']);
    let name = name.to_ascii_lowercase();
    let id = if variant.is_empty() { name } else { format!("{name}-{variant}") };
    match dimensions {
        Some(count) => format!("{id}-{count}d"),
        None => id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed() {
        let spec = Spec::parse("hf:Acme/Small-v1.5@refs/pr/3#onnx/model_int8.onnx").unwrap();
        assert_eq!((spec.repository.as_str(), spec.name.as_str()), ("Acme/Small-v1.5", "Small-v1.5"));
        assert_eq!((spec.revision.as_str(), spec.path.as_deref()), ("refs/pr/3", Some("onnx/model_int8.onnx")));
        let spec = Spec::parse("hf:acme/small").unwrap();
        assert_eq!((spec.revision.as_str(), spec.path), ("main", None));
    }

    #[test]
    fn hostile_and_incomplete_names_are_refused() {
        let specs = [
            "acme/small",
            "hf:small",
            "hf:acme/small/more",
            "hf:../small",
            "hf:acme/..",
            "hf:acme/small?x",
            "hf:acme/sm all",
            "hf:acme/small@",
            "hf:acme/small@../x",
            "hf:acme/small@a%2e",
            "hf:acme/small#",
            "hf:acme/small#model.bin",
            "hf:acme/small#/model.onnx",
            "hf:acme/small#../model.onnx",
            "hf:acme/small#a\\b.onnx",
            "hf:acme/small#a\n.onnx",
        ];
        for spec in specs {
            let error = Spec::parse(spec).unwrap_err();
            assert!(matches!(error, EmbedError::Spec { .. }), "{spec}");
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn ids_contain_the_variant() {
        assert_eq!(model_id("bge-small-en-v1.5", "onnx/model_quantized.onnx", None), "bge-small-en-v1.5-quantized");
        assert_eq!(model_id("MiniLM", "model.onnx", None), "minilm");
        assert_eq!(model_id("MiniLM", "onnx/model_qint8_arm64.onnx", None), "minilm-qint8_arm64");
        assert_eq!(model_id("small", "onnx/Encoder.onnx", None), "small-encoder");
        assert_eq!(model_id("Small", "model.safetensors", None), "small");
        assert_eq!(model_id("Small", "onnx/model_O3.onnx", Some(256)), "small-o3-256d");
    }
}
