//! ModernBERTs: pulled from a hub, prepared, and equal to `transformers`, whose results scripts/quality/reference-vectors wrote.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tars_embed::{BertEmbedder, BertReranker, Catalog, Embedder, Reranker, TextKind};

use crate::harness::TestVault;
use crate::models::hub_of;
use crate::seeded_modern::{ETTIN, GRANITE, SMALL, SMALL_SILU, SeededModern, Tensor, safetensors, texts, tokenizer};

type Files = Vec<(&'static str, Vec<u8>)>;

fn shelf() -> (TestVault, PathBuf) {
    let vault = TestVault::new();
    let own = vault.home().join("models");
    fs::create_dir(&own).unwrap();
    (vault.with("TARS_MODELS_DIR", &own), own)
}

fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn reference() -> Value {
    serde_json::from_str(include_str!("modern_vectors.json")).unwrap()
}

/// Returns the files of a repository.
fn files(tensors: Vec<Tensor>, config: &Value, more: Files) -> Files {
    let mut files = vec![
        ("model.safetensors", safetensors(tensors)),
        ("config.json", bytes(config)),
        ("tokenizer.json", bytes(&tokenizer())),
    ];
    files.extend(more);
    files
}

fn embedder(seeded: SeededModern, pooling: &str) -> Files {
    let pooling = json!({"word_embedding_dimension": seeded.hidden, "pooling_mode": pooling});
    files(seeded.tensors(false), &seeded.config(None), vec![("1_Pooling/config.json", bytes(&pooling))])
}

/// Pulls the model and returns the vault, the models directory and the output.
fn pull(files: Files) -> (TestVault, PathBuf, String) {
    let (vault, own) = shelf();
    let server = hub_of(files);
    let output = vault.tars(["models", "pull", "hf:acme/tiny"]).env("TARS_MODELS_HUB", server.url()).run().success();
    let said = output.stdout().to_owned();
    (vault, own, said)
}

fn embeds_like_the_reference(name: &str, seeded: SeededModern, pooling: &str) {
    let (_vault, own, said) = pull(embedder(seeded, pooling));
    assert!(said.contains(&format!("{} dimensions", seeded.hidden)) && said.contains("kernel ready"), "{said}");
    let embedder = BertEmbedder::load(&Catalog::new(own).get("tiny").unwrap(), 1).unwrap();
    let expected: Vec<Vec<f32>> = serde_json::from_value(reference()[name][pooling].clone()).unwrap();
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for ((ours, theirs), text) in embedder.embed(TextKind::Passage, &texts).unwrap().iter().zip(&expected).zip(&texts) {
        let cosine: f32 = ours.iter().zip(theirs).map(|(left, right)| left * right).sum();
        assert!(ours.len() == theirs.len() && cosine > 0.99, "{name}, {pooling}, {text}: {cosine}");
    }
    let tokens: Vec<Vec<u32>> = serde_json::from_value(reference()["tokens"].clone()).unwrap();
    let counts: Vec<usize> = texts.iter().map(|text| embedder.tokens().count(text) + 2).collect();
    assert_eq!(counts, tokens.iter().map(Vec::len).collect::<Vec<_>>());
}

fn scores_like_the_reference(name: &str, files: Files, pooling: &str) {
    let (_vault, own, said) = pull(files);
    assert!(said.contains("installed tiny (reranker, ") && said.contains("kernel ready"), "{said}");
    let reranker = BertReranker::load(&Catalog::new(own).reranker(None).unwrap(), 1).unwrap();
    // Untrained weights barely tell texts apart: AVX2's bytes, which have fewer steps, are too coarse for them.
    let reranker = reranker.with_instructions("portable").unwrap();
    let (reference, texts) = (reference(), texts());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let expected: Vec<f64> = serde_json::from_value(reference[name][format!("logits {pooling}")].clone()).unwrap();
    let found = reranker.relevance(reference["question"].as_str().unwrap(), &texts).unwrap();
    for ((found, expected), text) in found.iter().zip(&expected).zip(&texts) {
        assert!((found - expected).abs() < 0.15, "{name}, {pooling}, {text}: {found} is not {expected}");
    }
}

/// Returns the files of a cross-encoder of `transformers`.
fn classifier(seeded: SeededModern, pooling: &str) -> Files {
    files(seeded.tensors(true), &seeded.config(Some(pooling)), Vec::new())
}

/// Returns the same model as sentence-transformers stores it: an encoder, and modules with files of their own.
fn modules(seeded: SeededModern) -> Files {
    let (mut encoder, mut head) = (Vec::new(), Vec::new());
    for (name, shape, values) in seeded.tensors(true) {
        match name.strip_prefix("model.") {
            Some(name) => encoder.push((name.to_owned(), shape, values)),
            None => head.push((name, shape, values)),
        }
    }
    let renamed = |names: &[(&str, &str)]| {
        let part = |(old, new): &(&str, &str)| {
            let (_, shape, values) = head.iter().find(|(name, ..)| name == old).unwrap();
            ((*new).to_owned(), shape.clone(), values.clone())
        };
        safetensors(names.iter().map(part).collect())
    };
    let module = |path: &str, class: &str| json!({"path": path, "type": format!("sentence_transformers.sentence_transformer.modules.{class}")});
    let dense = |outputs: usize, bias: bool, function: &str| {
        json!({"in_features": seeded.hidden, "out_features": outputs, "bias": bias,
            "activation_function": format!("torch.nn.modules.{function}"),
            "module_input_name": "sentence_embedding"})
    };
    let more = vec![
        (
            "modules.json",
            bytes(&json!([
                module("", "transformer.Transformer"),
                module("1_Pooling", "pooling.Pooling"),
                module("2_Dense", "dense.Dense"),
                module("3_LayerNorm", "layer_norm.LayerNorm"),
                module("4_Dense", "dense.Dense")
            ])),
        ),
        ("1_Pooling/config.json", bytes(&json!({"embedding_dimension": seeded.hidden, "pooling_mode": "cls"}))),
        ("2_Dense/config.json", bytes(&dense(seeded.hidden, false, "activation.GELU"))),
        ("2_Dense/model.safetensors", renamed(&[("head.dense.weight", "linear.weight")])),
        ("3_LayerNorm/config.json", bytes(&json!({"dimension": seeded.hidden}))),
        ("3_LayerNorm/model.safetensors", renamed(&[("head.norm.weight", "norm.weight")])),
        ("4_Dense/config.json", bytes(&dense(1, true, "linear.Identity"))),
        (
            "4_Dense/model.safetensors",
            renamed(&[("classifier.weight", "linear.weight"), ("classifier.bias", "linear.bias")]),
        ),
    ];
    files(encoder, &seeded.config(None), more)
}

#[test]
fn a_modern_bert_embeds_like_transformers() {
    for (name, seeded, pooling) in [("small", SMALL, "mean"), ("silu", SMALL_SILU, "cls")] {
        embeds_like_the_reference(name, seeded, pooling);
    }
}

#[test]
fn a_modern_bert_that_classifies_scores_like_transformers() {
    scores_like_the_reference("small", classifier(SMALL, "cls"), "cls");
    scores_like_the_reference("small", classifier(SMALL, "mean"), "mean");
    scores_like_the_reference("small", modules(SMALL), "cls");
}

#[test]
#[ignore = "nightly: prepares models of their true size, a minute"]
fn modern_berts_of_true_shapes_equal_transformers() {
    embeds_like_the_reference("granite", GRANITE, "cls");
    embeds_like_the_reference("ettin", ETTIN, "cls");
    scores_like_the_reference("ettin", modules(ETTIN), "cls");
}

#[test]
fn a_modern_bert_with_unsupported_settings_is_refused_with_the_reason() {
    for (change, reason) in [
        (json!({"hidden_activation": "relu"}), "hidden_activation of its config.json is relu, not gelu or silu"),
        (
            json!({"model_type": "deberta-v2"}),
            "its network is deberta-v2, not bert, roberta, xlm-roberta or modernbert",
        ),
    ] {
        let mut config = SMALL.config(None);
        config.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let (vault, _own) = shelf();
        let server = hub_of(files(SMALL.tensors(false), &config, Vec::new()));
        let pulled =
            vault.tars(["models", "pull", "hf:acme/tiny#model.safetensors"]).env("TARS_MODELS_HUB", server.url());
        pulled.run().code(2).says(&[reason]);
    }
}
