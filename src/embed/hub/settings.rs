//! Derives a model's settings from the files that its authors published.
//!
//! These files are `config.json` (transformers), `tokenizer_config.json`, and those of sentence-transformers:
//! `modules.json`, `1_Pooling/config.json`, `sentence_bert_config.json`, `config_sentence_transformers.json`.

use serde_json::Value;

use super::super::{EmbedError, ModelKind, Pooling};
use super::client::Client;
use super::listing::Listing;
use super::modules::{
    DenseModule, check_modules, classifier, dense, dense_folders, has_classifier, list, pooling_folder,
};

/// Default window if none is declared: that of BERT.
const USUAL_WINDOW: u64 = 512;
/// Larger windows are placeholders for "none declared".
const MAX_WINDOW: u64 = 131_072;

/// The pooling that divides the sum of the tokens' vectors by the root of their number.
const MEAN_BY_ROOT: &str = "mean_sqrt_len_tokens";

/// The published files; `None` for each missing one.
#[derive(Debug, Default)]
pub(super) struct PublishedFiles {
    config: Option<Value>,
    tokenizer: Option<Value>,
    modules: Option<Value>,
    pooling: Option<Value>,
    /// Folder and configuration of each layer after the pooling.
    dense: Vec<(String, Option<Value>)>,
    sentence: Option<Value>,
    prompts: Option<Value>,
}

impl PublishedFiles {
    /// Reads the network's files from `model` and the usage files from `usage`. These are usually the same repository.
    pub(super) fn read(client: &Client<'_>, model: &Listing, usage: &Listing) -> Result<Self, EmbedError> {
        let modules = client.json(usage, "modules.json")?;
        let folder = modules.as_ref().and_then(pooling_folder).unwrap_or("1_Pooling").to_owned();
        let folders = modules.iter().flat_map(dense_folders).map(str::to_owned);
        let dense = folders.map(|folder| Ok((folder.clone(), client.json(usage, &format!("{folder}/config.json"))?)));
        Ok(Self {
            config: client.json(model, "config.json")?,
            tokenizer: client.json(model, "tokenizer_config.json")?,
            pooling: client.json(usage, &format!("{folder}/config.json"))?,
            sentence: client.json(usage, "sentence_bert_config.json")?,
            prompts: client.json(usage, "config_sentence_transformers.json")?,
            dense: dense.collect::<Result<_, EmbedError>>()?,
            modules,
        })
    }

    /// Whether the files declare a pooling.
    pub(super) fn has_pooling(&self) -> bool {
        self.modules.is_some() || self.pooling.is_some()
    }

    /// Whether the network is a cross-encoder: it classifies its input and produces no vector.
    pub(super) fn is_cross_encoder(&self) -> bool {
        let architectures = self.config.as_ref().and_then(|config| config.get("architectures"));
        let classifies = |name: &Value| name.as_str().is_some_and(|name| name.ends_with("ForSequenceClassification"));
        architectures.is_some_and(|names| list(names).any(classifies)) && !self.has_pooling()
    }
}

/// Settings of a model.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) kind: ModelKind,
    pub(super) dimensions: usize,
    /// Length of the vectors before their end is cut off, if it is.
    pub(super) full_dimensions: Option<usize>,
    pub(super) dense: Vec<DenseModule>,
    pub(super) pooling: Option<Pooling>,
    pub(super) normalize: Option<bool>,
    pub(super) query_prefix: String,
    pub(super) passage_prefix: String,
    pub(super) window: usize,
}

impl Settings {
    /// Returns the settings and the assumptions behind them. The error is the reason why the model is not supported.
    pub(super) fn of(declared: &PublishedFiles) -> Result<(Self, Vec<String>), String> {
        let mut assumed = Vec::new();
        let window = window(declared).unwrap_or_else(|| {
            assumed.push(format!("declares no window, {USUAL_WINDOW} tokens are assumed"));
            USUAL_WINDOW
        }) as usize;
        if declared.modules.as_ref().is_some_and(has_classifier) {
            let pooling = pooling(declared.pooling.as_ref().ok_or("it does not declare its pooling")?)?;
            let dense = classifier(&declared.dense, dimensions(declared)?)?;
            return Ok((Self { dense, pooling: Some(pooling), ..Self::of_reranker(window) }, assumed));
        }
        if declared.is_cross_encoder() {
            assumed.extend(check_labels(declared)?);
            return Ok((Self::of_reranker(window), assumed));
        }
        let normalize = match &declared.modules {
            Some(modules) => check_modules(modules)?,
            None => true,
        };
        let pooling = match &declared.pooling {
            Some(config) => pooling(config)?,
            None => {
                assumed.push("declares no pooling, the mean is assumed".to_owned());
                Pooling::Mean
            }
        };
        let prefix = |names: &[&str]| {
            let prompts = declared.prompts.as_ref().and_then(|prompts| prompts.get("prompts"));
            let prefix = prompts.and_then(|prompts| names.iter().find_map(|name| prompts.get(name)?.as_str()));
            prefix.unwrap_or_default().to_owned()
        };
        let (query_prefix, passage_prefix) = (prefix(&["query"]), prefix(&["document", "passage"]));
        let leaves_prompt_out = number_or_flag(&declared.pooling, "include_prompt") == Some(&Value::Bool(false));
        if leaves_prompt_out && !(query_prefix.is_empty() && passage_prefix.is_empty()) {
            return Err("its pooling leaves the prompt out, which is not supported".into());
        }
        let dense = dense(&declared.dense)?;
        // The length of the pooled vector matters to a layer.
        let by_root = declared.pooling.as_ref().is_some_and(|config| pooling_modes(config) == [MEAN_BY_ROOT]);
        if by_root && !dense.is_empty() {
            return Err(format!("its dense layer reads a pooling ({MEAN_BY_ROOT}) that is not supported"));
        }
        let pooled = dimensions(declared)?;
        let inputs = declared.dense.first().and_then(|(_, config)| number(config, "in_features"));
        if inputs.is_some_and(|inputs| inputs != pooled as u64) {
            return Err("its dense layer does not read the vector of its pooling".into());
        }
        let full = dense.last().map_or(pooled, |layer| layer.outputs);
        // sentence-transformers cuts every vector to this length.
        let cut = number(&declared.prompts, "truncate_dim").filter(|cut| (1..full as u64).contains(cut));
        let (dimensions, full_dimensions) = cut.map_or((full, None), |cut| (cut as usize, Some(full)));
        let (pooling, normalize) = (Some(pooling), Some(normalize));
        let kind = ModelKind::Embedding;
        let settings =
            Self { kind, dimensions, full_dimensions, dense, pooling, normalize, query_prefix, passage_prefix, window };
        Ok((settings, assumed))
    }

    /// Cuts the vectors to this length.
    pub(super) fn cut(&mut self, dimensions: usize) -> Result<(), String> {
        let full = self.full_dimensions.unwrap_or(self.dimensions);
        if self.kind == ModelKind::Reranker {
            return Err("it is a reranker, which makes no vectors to cut".into());
        }
        if !(1..=full).contains(&dimensions) {
            return Err(format!("its vectors have {full} dimensions and cannot be cut to {dimensions}"));
        }
        (self.dimensions, self.full_dimensions) = (dimensions, (dimensions < full).then_some(full));
        Ok(())
    }

    fn of_reranker(window: usize) -> Self {
        Self {
            kind: ModelKind::Reranker,
            dimensions: 0,
            full_dimensions: None,
            dense: Vec::new(),
            pooling: None,
            normalize: None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            window,
        }
    }
}

/// Refuses a network with more than two classes. By convention the second of two classes is the positive one. No file
/// states what the classes mean, so that is an assumption.
fn check_labels(declared: &PublishedFiles) -> Result<Option<String>, String> {
    let config = declared.config.as_ref();
    let named = config.and_then(|config| config.get("id2label")?.as_object()).map(|labels| labels.len() as u64);
    // transformers defaults to two classes.
    match named.or_else(|| number(&declared.config, "num_labels")).unwrap_or(2) {
        1 => Ok(None),
        2 => Ok(Some("distinguishes two classes, the second is assumed to mean 'relevant'".into())),
        count => Err(format!("it distinguishes {count} classes; a reranker has one or two")),
    }
}

/// Returns the pooling of its configuration.
fn pooling(config: &Value) -> Result<Pooling, String> {
    let modes = pooling_modes(config);
    match modes[..] {
        // sentence-transformers defaults to the mean. Dividing by the root of the length instead changes only the
        // vector's length, which normalisation removes.
        [] | ["mean" | MEAN_BY_ROOT] => Ok(Pooling::Mean),
        ["cls"] => Ok(Pooling::Cls),
        _ => Err(format!("its pooling ({}) is not supported", modes.join(" and ").escape_debug())),
    }
}

/// Reads both forms: `"pooling_mode": "mean"` (or a list), and one boolean per mode.
fn pooling_modes(config: &Value) -> Vec<&str> {
    const FLAGS: [(&str, &str); 6] = [
        ("pooling_mode_cls_token", "cls"),
        ("pooling_mode_mean_tokens", "mean"),
        ("pooling_mode_max_tokens", "max"),
        ("pooling_mode_mean_sqrt_len_tokens", MEAN_BY_ROOT),
        ("pooling_mode_weightedmean_tokens", "weightedmean"),
        ("pooling_mode_lasttoken", "lasttoken"),
    ];
    match config.get("pooling_mode") {
        Some(Value::String(mode)) => vec![mode],
        Some(Value::Array(modes)) => modes.iter().filter_map(Value::as_str).collect(),
        _ => {
            FLAGS.iter().filter(|(key, _)| config.get(key) == Some(&Value::Bool(true))).map(|(_, mode)| *mode).collect()
        }
    }
}

fn dimensions(declared: &PublishedFiles) -> Result<usize, String> {
    let first = |value: &Option<Value>, keys: &[&str]| keys.iter().find_map(|key| number(value, key));
    let pooled = first(&declared.pooling, &["word_embedding_dimension", "embedding_dimension"]);
    let hidden = first(&declared.config, &["hidden_size", "dim", "d_model", "n_embd"]);
    match (pooled, hidden) {
        (Some(pooled), Some(hidden)) if pooled != hidden => {
            Err(format!("its pooling has {pooled} dimensions and its network {hidden}"))
        }
        (Some(dimensions), _) | (None, Some(dimensions)) => Ok(dimensions as usize),
        (None, None) => Err("it does not declare its dimensions".into()),
    }
}

/// Returns the maximum input length in tokens, special tokens included: the declared one, limited by the network's positions.
fn window(declared: &PublishedFiles) -> Option<u64> {
    let positions = ["max_position_embeddings", "n_positions"].iter().find_map(|key| number(&declared.config, key));
    let family = declared.config.as_ref().and_then(|config| config.get("model_type")?.as_str()).unwrap_or_default();
    // These families number positions from the padding id + 1, so two positions are never used.
    let offset = if matches!(family, "roberta" | "xlm-roberta" | "camembert" | "mpnet") { 2 } else { 0 };
    let positions = positions.map(|positions| positions.saturating_sub(offset));
    let set = number(&declared.sentence, "max_seq_length").or_else(|| number(&declared.tokenizer, "model_max_length"));
    [positions, set].into_iter().flatten().filter(|window| *window <= MAX_WINDOW).min()
}

fn number(value: &Option<Value>, key: &str) -> Option<u64> {
    number_or_flag(value, key)?.as_u64()
}

fn number_or_flag<'a>(value: &'a Option<Value>, key: &str) -> Option<&'a Value> {
    value.as_ref()?.get(key)
}

#[cfg(test)]
mod tests;
