//! Derives a model's settings from the files that its authors published.
//!
//! These files are `config.json` (transformers), `tokenizer_config.json`, and those of sentence-transformers:
//! `modules.json`, `1_Pooling/config.json`, `sentence_bert_config.json`, `config_sentence_transformers.json`.

use serde_json::Value;

use super::super::{EmbedError, ModelKind, Pooling};
use super::client::Client;
use super::listing::Listing;
use super::modules::{DenseModule, check_modules, dense, dense_folders, list, pooling_folder};

/// Default window if none is declared: that of BERT.
const USUAL_WINDOW: u64 = 512;
/// Larger windows are placeholders for "none declared".
const MAX_WINDOW: u64 = 131_072;

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

/// Reads both forms: `"pooling_mode": "mean"` (or a list), and one boolean per mode.
fn pooling(config: &Value) -> Result<Pooling, String> {
    const FLAGS: [(&str, &str); 6] = [
        ("pooling_mode_cls_token", "cls"),
        ("pooling_mode_mean_tokens", "mean"),
        ("pooling_mode_max_tokens", "max"),
        ("pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens"),
        ("pooling_mode_weightedmean_tokens", "weightedmean"),
        ("pooling_mode_lasttoken", "lasttoken"),
    ];
    let modes: Vec<&str> = match config.get("pooling_mode") {
        Some(Value::String(mode)) => vec![mode],
        Some(Value::Array(modes)) => modes.iter().filter_map(Value::as_str).collect(),
        _ => {
            FLAGS.iter().filter(|(key, _)| config.get(key) == Some(&Value::Bool(true))).map(|(_, mode)| *mode).collect()
        }
    };
    match modes[..] {
        // sentence-transformers defaults to the mean. Dividing by the root of the length instead changes only the
        // vector's length, which normalisation removes.
        [] | ["mean" | "mean_sqrt_len_tokens"] => Ok(Pooling::Mean),
        ["cls"] => Ok(Pooling::Cls),
        _ => Err(format!("its pooling ({}) is not supported", modes.join(" and ").escape_debug())),
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
mod tests {
    use serde_json::json;

    use super::super::super::Activation;
    use super::*;

    fn modules(kinds: &[&str]) -> Option<Value> {
        let module =
            |kind: &&str| json!({"path": format!("1_{kind}"), "type": format!("sentence_transformers.models.{kind}")});
        Some(kinds.iter().map(module).collect())
    }

    fn bert() -> PublishedFiles {
        PublishedFiles {
            config: Some(json!({"hidden_size": 384, "max_position_embeddings": 512, "model_type": "bert"})),
            modules: modules(&["Transformer", "Pooling", "Normalize"]),
            pooling: Some(json!({"word_embedding_dimension": 384, "pooling_mode_cls_token": false,
                "pooling_mode_mean_tokens": true})),
            sentence: Some(json!({"max_seq_length": 256})),
            ..PublishedFiles::default()
        }
    }

    fn refused(declared: &PublishedFiles) -> String {
        Settings::of(declared).unwrap_err()
    }

    #[test]
    fn a_complete_model_needs_no_assumption() {
        let (settings, assumed) = Settings::of(&bert()).unwrap();
        let expected = Settings {
            kind: ModelKind::Embedding,
            dimensions: 384,
            full_dimensions: None,
            dense: Vec::new(),
            pooling: Some(Pooling::Mean),
            normalize: Some(true),
            query_prefix: String::new(),
            passage_prefix: String::new(),
            window: 256,
        };
        assert_eq!(settings, expected);
        assert!(assumed.is_empty());
    }

    #[test]
    fn a_network_that_classifies_is_a_reranker() {
        let with = |more: Value| {
            let mut config = json!({"architectures": ["BertForSequenceClassification"], "hidden_size": 384,
                "max_position_embeddings": 512, "model_type": "bert"});
            config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            PublishedFiles { config: Some(config), ..PublishedFiles::default() }
        };
        let one = json!({"id2label": {"0": "LABEL_0"}});
        assert_eq!(Settings::of(&with(one.clone())).unwrap(), (Settings::of_reranker(512), Vec::new()));
        for two in [json!({"id2label": {"0": "no", "1": "yes"}}), json!({"num_labels": 2}), json!({})] {
            let (settings, assumed) = Settings::of(&with(two)).unwrap();
            assert_eq!((settings.kind, assumed.len()), (ModelKind::Reranker, 1));
        }
        assert!(refused(&with(json!({"num_labels": 3}))).contains("3 classes"));
        // Declared pooling means that the model produces vectors, whatever it was trained for.
        let pooled = PublishedFiles { pooling: bert().pooling, ..with(one) };
        assert_eq!(Settings::of(&pooled).unwrap().0.kind, ModelKind::Embedding);
    }

    #[test]
    fn pooling_is_read_in_both_forms() {
        let of = |config| pooling(&config);
        assert_eq!(of(json!({"pooling_mode_cls_token": true})).unwrap(), Pooling::Cls);
        assert_eq!(of(json!({"pooling_mode": "cls"})).unwrap(), Pooling::Cls);
        assert_eq!(of(json!({"pooling_mode": ["mean"]})).unwrap(), Pooling::Mean);
        assert_eq!(of(json!({"pooling_mode_mean_sqrt_len_tokens": true})).unwrap(), Pooling::Mean);
        assert_eq!(of(json!({})).unwrap(), Pooling::Mean);
        assert!(of(json!({"pooling_mode_lasttoken": true})).unwrap_err().contains("lasttoken"));
        assert!(of(json!({"pooling_mode": ["mean", "cls"]})).unwrap_err().contains("mean and cls"));
    }

    #[test]
    fn modules_determine_normalisation_and_support() {
        let mut declared = bert();
        declared.modules = modules(&["Transformer", "Pooling"]);
        assert_eq!(Settings::of(&declared).unwrap().0.normalize, Some(false));
        declared.modules = modules(&["Transformer", "Pooling", "CNN", "Normalize"]);
        assert!(refused(&declared).contains("CNN"));
        for order in [&["Transformer", "Dense", "Pooling"][..], &["Transformer", "Pooling", "Normalize", "Dense"]] {
            declared.modules = modules(order);
            assert!(refused(&declared).contains("order of its modules"), "{order:?}");
        }
        declared.modules = modules(&["Transformer"]);
        assert!(refused(&declared).contains("no pooling"));
    }

    #[test]
    fn dense_layers_after_the_pooling_make_the_dimensions() {
        let layer = |more: Value| {
            let mut config = json!({"in_features": 384, "out_features": 768, "bias": true,
                "activation_function": "torch.nn.modules.linear.Identity"});
            config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            PublishedFiles {
                modules: modules(&["Transformer", "Pooling", "Dense", "Normalize"]),
                dense: vec![("2_Dense".into(), Some(config))],
                ..bert()
            }
        };
        let settings = Settings::of(&layer(json!({}))).unwrap().0;
        let activation = Activation::Identity;
        assert_eq!(settings.dense, [DenseModule { folder: "2_Dense".into(), outputs: 768, activation }]);
        assert_eq!((settings.dimensions, settings.full_dimensions, settings.normalize), (768, None, Some(true)));
        let tanh = Settings::of(&layer(json!({"activation_function": "torch.nn.modules.activation.Tanh"})));
        assert_eq!(tanh.unwrap().0.dense[0].activation, Activation::Tanh);
        let cut = PublishedFiles { prompts: Some(json!({"truncate_dim": 256})), ..layer(json!({})) };
        let settings = Settings::of(&cut).unwrap().0;
        assert_eq!((settings.dimensions, settings.full_dimensions), (256, Some(768)));
        for (more, said) in [
            (json!({"activation_function": "torch.nn.modules.activation.Mish"}), "activation.Mish"),
            (json!({"in_features": 768}), "does not read the vector of its pooling"),
            (json!({"out_features": null}), "does not declare its sizes"),
            (json!({"module_input_name": "token_embeddings"}), "not one after the pooling"),
            (json!({"use_residual": true}), "adds its input"),
        ] {
            assert!(refused(&layer(more)).contains(said), "{said}");
        }
        let without = PublishedFiles { dense: vec![("2_Dense".into(), None)], ..layer(json!({})) };
        assert!(refused(&without).contains("2_Dense"));
    }

    #[test]
    fn prompts_become_prefixes_and_are_never_guessed() {
        let with = |prompts: Value| {
            let declared = PublishedFiles { prompts: Some(json!({ "prompts": prompts })), ..bert() };
            let settings = Settings::of(&declared).unwrap().0;
            (settings.query_prefix, settings.passage_prefix)
        };
        assert_eq!(with(json!({"query": "query: ", "passage": "passage: "})), ("query: ".into(), "passage: ".into()));
        assert_eq!(with(json!({"query": "q", "document": "d"})), ("q".into(), "d".into()));
        assert_eq!(with(json!({"clustering": "c"})), (String::new(), String::new()));
        let declared = PublishedFiles {
            pooling: Some(json!({"include_prompt": false})),
            prompts: Some(json!({"prompts": {"query": "q"}})),
            ..bert()
        };
        assert!(refused(&declared).contains("prompt"));
    }

    #[test]
    fn the_window_is_the_smallest_limit() {
        let of = |config: Value, sentence: Option<Value>, tokenizer: Option<Value>| {
            window(&PublishedFiles { config: Some(config), sentence, tokenizer, ..PublishedFiles::default() })
        };
        let roberta = json!({"max_position_embeddings": 514, "model_type": "xlm-roberta"});
        assert_eq!(of(roberta.clone(), None, None), Some(512));
        assert_eq!(of(roberta, Some(json!({"max_seq_length": 514})), None), Some(512));
        let bert = json!({"max_position_embeddings": 512});
        assert_eq!(of(bert.clone(), Some(json!({"max_seq_length": 128})), None), Some(128));
        assert_eq!(of(bert.clone(), None, Some(json!({"model_max_length": 1e30}))), Some(512));
        assert_eq!(of(bert, None, Some(json!({"model_max_length": 256}))), Some(256));
        assert_eq!(of(json!({}), None, None), None);
    }

    #[test]
    fn assumptions_are_reported() {
        let declared = PublishedFiles { config: Some(json!({"hidden_size": 384})), ..PublishedFiles::default() };
        let (settings, assumed) = Settings::of(&declared).unwrap();
        assert_eq!((settings.pooling, settings.window, settings.normalize), (Some(Pooling::Mean), 512, Some(true)));
        assert_eq!(assumed.len(), 2, "{assumed:?}");
    }

    #[test]
    fn dimensions_must_agree_and_be_known() {
        let mut declared = bert();
        declared.config = Some(json!({"hidden_size": 768}));
        assert!(refused(&declared).contains("384 dimensions and its network 768"));
        declared.config = None;
        assert_eq!(Settings::of(&declared).unwrap().0.dimensions, 384);
        declared.pooling = None;
        assert!(refused(&declared).contains("dimensions"));
    }
}
