//! Validates manifests. An error names the invalid field.

use super::{ALL_LANGUAGES, Activation, MAX_FILE_SIZE, MAX_TEXT, Manifest, ModelFile, RUNTIME_FOLDER, WeightsForm};
use crate::ModelKind;

/// Maximum length of a vector.
const MAX_DIMENSIONS: usize = 16_384;

/// Functions of the layers of a reranker's classifier.
const CLASSIFIER: [Activation; 3] = [Activation::Gelu, Activation::Norm, Activation::Identity];

impl Manifest {
    /// Validates the manifest. The error names the invalid field.
    pub(crate) fn check(&self) -> Result<(), String> {
        check_name(&self.id).map_err(|reason| format!("id '{}' {reason}", self.id.escape_debug()))?;
        if self.id.eq_ignore_ascii_case(RUNTIME_FOLDER) {
            return Err(format!("id '{}' is the name of the runtime's folder", self.id));
        }
        self.check_kind()?;
        if !(8..=131_072).contains(&self.window) {
            return Err(format!("window is {}, not 8 to 131072", self.window));
        }
        for (field, text) in [("query_prefix", &self.query_prefix), ("passage_prefix", &self.passage_prefix)] {
            if text.len() > MAX_TEXT {
                return Err(format!("{field} is longer than {MAX_TEXT} bytes"));
            }
        }
        for (name, file) in &self.files {
            check_file(name, file).map_err(|reason| format!("file '{}' {reason}", name.escape_debug()))?;
        }
        if !self.languages.iter().all(|language| language == ALL_LANGUAGES || is_language(language)) {
            return Err(format!(
                "languages holds an entry that is neither two lower-case letters nor \"{ALL_LANGUAGES}\""
            ));
        }
        self.scale.map_or(Ok(()), |scale| scale.check())?;
        self.check_files()
    }

    /// Checks that the files of exactly one form are listed.
    fn check_files(&self) -> Result<(), String> {
        let form = self.form();
        if form == WeightsForm::Packed {
            return match (self.files.len(), self.kind) {
                (1, ModelKind::Embedding) => Ok(()),
                (1, ModelKind::Reranker) => Err("a reranker cannot be packed".into()),
                _ => Err("files names others besides the one file of a packed model".into()),
            };
        }
        if self.center && form == WeightsForm::Onnx {
            return Err("center is only for .safetensors and .bin models, and this is an .onnx model".into());
        }
        let is_weights =
            |name: &&String| !self.is_dense(name) && WeightsForm::ALL.iter().any(|form| name.ends_with(form.suffix()));
        match self.files.keys().filter(is_weights).count() {
            1 => {}
            count => return Err(format!("files names {count} files of weights, not one {} file", form.suffix())),
        }
        let needed = [self.tokenizer_file(), self.config_file()];
        match needed.into_iter().flatten().find(|name| !self.files.contains_key(*name)) {
            Some(name) => Err(format!("files does not name {name}")),
            None => Ok(()),
        }
    }

    /// Checks the layers after the pooling, and the cut.
    fn check_head(&self) -> Result<(), String> {
        let full = self.full_dimensions.unwrap_or(self.dimensions);
        if self.full_dimensions.is_some_and(|full| !(self.dimensions + 1..=MAX_DIMENSIONS).contains(&full)) {
            return Err(format!(
                "full_dimensions is {full}, not {} to {MAX_DIMENSIONS}: more than dimensions",
                self.dimensions + 1
            ));
        }
        self.check_layers()?;
        if self.dense.iter().any(|layer| layer.activation == Activation::Norm) {
            return Err("dense has a layer with norm, which only a reranker has".into());
        }
        match self.dense.last() {
            Some(last) if last.outputs != full => {
                Err(format!("dense ends with {} numbers, and the vectors have {full}", last.outputs))
            }
            Some(_) if self.center => Err("center is not for models with dense layers".into()),
            _ => Ok(()),
        }
    }

    /// Checks that each layer has a file and a size.
    fn check_layers(&self) -> Result<(), String> {
        for layer in &self.dense {
            let file = layer.file.escape_debug();
            if !self.files.contains_key(&layer.file) || !layer.file.ends_with(WeightsForm::Safetensors.suffix()) {
                return Err(format!("dense names '{file}', which is not a .safetensors file that files names"));
            }
            if !(1..=MAX_DIMENSIONS).contains(&layer.outputs) {
                return Err(format!("dense has {} outputs in '{file}', not 1 to {MAX_DIMENSIONS}", layer.outputs));
            }
        }
        Ok(())
    }

    /// Checks the layers of a reranker's classifier, if they have files of their own.
    fn check_classifier(&self) -> Result<(), String> {
        if self.dense.is_empty() {
            return Ok(());
        }
        let functions: Vec<Activation> = self.dense.iter().map(|layer| layer.activation).collect();
        if functions != CLASSIFIER || self.dense.last().is_none_or(|last| last.outputs != 1) {
            return Err(
                "dense of a reranker is not a layer with gelu, one with norm, and one with identity and 1 output"
                    .into(),
            );
        }
        if self.pooling.is_none() || self.form() != WeightsForm::Safetensors {
            return Err("dense of a reranker needs pooling, and weights in a .safetensors file".into());
        }
        self.check_layers()
    }

    /// Checks that an embedding model has all its fields, and that a reranker has none of them.
    fn check_kind(&self) -> Result<(), String> {
        match self.kind {
            ModelKind::Embedding if !(1..=MAX_DIMENSIONS).contains(&self.dimensions) => {
                Err(format!("dimensions is {}, not 1 to {MAX_DIMENSIONS}", self.dimensions))
            }
            ModelKind::Embedding if self.pooling.is_none() => Err("pooling is missing".into()),
            ModelKind::Embedding if self.normalize.is_none() => Err("normalize is missing".into()),
            ModelKind::Embedding => self.check_head(),
            ModelKind::Reranker => {
                let set = [
                    ("dimensions", self.dimensions != 0),
                    ("pooling", self.pooling.is_some() && self.dense.is_empty()),
                    ("normalize", self.normalize.is_some()),
                    ("query_prefix", !self.query_prefix.is_empty()),
                    ("passage_prefix", !self.passage_prefix.is_empty()),
                    ("center", self.center),
                    ("full_dimensions", self.full_dimensions.is_some()),
                ];
                match set.iter().find(|(_, set)| *set) {
                    Some((field, _)) => Err(format!("{field} is for embedding models, and this is a reranker")),
                    None => self.check_classifier(),
                }
            }
        }
    }
}

/// Returns why `name` is not a plain file or folder name, if it is not.
pub(crate) fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() || name.len() > 100 {
        return Err("is not 1 to 100 characters long");
    }
    if name.starts_with('.') {
        return Err("starts with a dot");
    }
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
        return Err("holds other characters than A-Z a-z 0-9 . _ -");
    }
    Ok(())
}

/// Whether `digits` is a sha256 in the form of manifests.
pub(crate) fn is_sha256(digits: &str) -> bool {
    digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn is_language(word: &str) -> bool {
    word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn check_file(name: &str, file: &ModelFile) -> Result<(), String> {
    // Every component must be a plain name, so that neither `..` nor a root leads out of the folder.
    name.split('/').try_for_each(check_name)?;
    if !is_sha256(&file.sha256) {
        return Err("has a sha256 that is not 64 lower-case hexadecimal digits".into());
    }
    if file.size > MAX_FILE_SIZE {
        return Err(format!("is larger than {MAX_FILE_SIZE} bytes"));
    }
    Ok(())
}
