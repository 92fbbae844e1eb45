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
    let pooling = Some(json!({"word_embedding_dimension": 384, "pooling_mode": MEAN_BY_ROOT}));
    assert!(refused(&PublishedFiles { pooling, ..layer(json!({})) }).contains(MEAN_BY_ROOT));
    let without = PublishedFiles { dense: vec![("2_Dense".into(), None)], ..layer(json!({})) };
    assert!(refused(&without).contains("2_Dense"));
}

#[test]
fn an_encoder_with_a_classifier_in_modules_is_a_reranker() {
    let dense = |inputs: usize, outputs: usize, function: &str| {
        Some(json!({"in_features": inputs, "out_features": outputs, "module_output_name": "scores",
            "activation_function": format!("torch.nn.modules.{function}")}))
    };
    let of = |first: Option<Value>, last: Option<Value>| PublishedFiles {
        modules: modules(&["Transformer", "Pooling", "Dense", "LayerNorm", "Dense"]),
        pooling: Some(json!({"embedding_dimension": 384, "pooling_mode": "cls"})),
        dense: vec![
            ("2_Dense".into(), first),
            ("3_LayerNorm".into(), Some(json!({"dimension": 384}))),
            ("4_Dense".into(), last),
        ],
        ..bert()
    };
    let (gelu, last) = (dense(384, 384, "activation.GELU"), dense(384, 1, "linear.Identity"));
    let (settings, assumed) = Settings::of(&of(gelu.clone(), last.clone())).unwrap();
    assert_eq!((settings.kind, settings.dimensions, settings.pooling), (ModelKind::Reranker, 0, Some(Pooling::Cls)));
    let layers: Vec<_> = settings.dense.iter().map(|layer| (layer.outputs, layer.activation)).collect();
    assert_eq!(layers, [(384, Activation::Gelu), (384, Activation::Norm), (1, Activation::Identity)]);
    assert!(assumed.is_empty());
    assert!(refused(&of(dense(384, 384, "activation.Tanh"), last)).contains("2_Dense"));
    assert!(refused(&of(gelu.clone(), dense(384, 3, "linear.Identity"))).contains("4_Dense"));
    assert!(refused(&of(gelu, None)).contains("4_Dense"));
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
