//! Models with a dense layer after the pooling, prompts and cuts: equal to sentence-transformers, and compared on a person's notes.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tars_embed::{BertEmbedder, Catalog, Embedder, TextKind};

use crate::harness::TestVault;
use crate::models::hub_of;
use crate::seeded_bert::{Seeded, dense_layer};

/// The model of scripts/quality/reference-vectors.
const BERT: Seeded = Seeded { seed: 7, is_xlm: false, classes: 0 };
const OUTPUTS: usize = 24;
const PROMPT: &str = "river: ";

/// Returns a vault with an empty models directory, and that directory.
fn shelf() -> (TestVault, PathBuf) {
    let vault = TestVault::new();
    let own = vault.home().join("models");
    fs::create_dir(&own).unwrap();
    (vault.with("TARS_MODELS_DIR", &own), own)
}

/// Returns the files of a repository as sentence-transformers writes it.
fn files(pooling: &str, function: &str, cut: Option<usize>) -> Vec<(&'static str, Vec<u8>)> {
    let json = |value: Value| value.to_string().into_bytes();
    let module =
        |path: &str, class: &str| json!({"path": path, "type": format!("sentence_transformers.models.{class}")});
    let mut files = BERT.files();
    files.retain(|(name, _)| *name != "1_Pooling/config.json");
    files.extend([
        ("1_Pooling/config.json", json(json!({"word_embedding_dimension": 64, "pooling_mode": pooling}))),
        (
            "2_Dense/config.json",
            json(json!({"in_features": 64, "out_features": OUTPUTS, "bias": true, "activation_function": function})),
        ),
        ("2_Dense/model.safetensors", dense_layer(31, OUTPUTS)),
        (
            "modules.json",
            json(json!([
                module("", "Transformer"),
                module("1_Pooling", "Pooling"),
                module("2_Dense", "Dense"),
                module("3_Normalize", "Normalize")
            ])),
        ),
        (
            "config_sentence_transformers.json",
            json(json!({"prompts": {"query": PROMPT, "document": ""}, "truncate_dim": cut})),
        ),
    ]);
    files
}

#[test]
fn a_model_with_a_dense_layer_embeds_like_sentence_transformers() {
    let reference: Value = serde_json::from_str(include_str!("reference_vectors.json")).unwrap();
    let texts: Vec<&str> = reference["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    for (name, pooling, function, cut, said) in [
        ("mean, identity", "mean", "torch.nn.modules.linear.Identity", None, "24 dimensions"),
        ("cls, tanh, cut to 16", "cls", "torch.nn.modules.activation.Tanh", Some(16), "16 dimensions"),
    ] {
        let (vault, own) = shelf();
        let server = hub_of(files(pooling, function, cut));
        let pulled =
            vault.tars(["models", "pull", "hf:acme/tiny"]).env("TARS_MODELS_HUB", server.url()).run().success();
        assert!(pulled.stdout().contains(said) && pulled.stdout().contains("kernel ready"), "{pulled}");
        let embedder = BertEmbedder::load(&Catalog::new(own).get("tiny").unwrap(), 1).unwrap();
        for (kind, key) in [(TextKind::Query, "query"), (TextKind::Passage, "document")] {
            let expected: Vec<Vec<f32>> = serde_json::from_value(reference[name][key].clone()).unwrap();
            for ((ours, theirs), text) in embedder.embed(kind, &texts).unwrap().iter().zip(&expected).zip(&texts) {
                assert_eq!(ours.len(), theirs.len());
                let cosine: f32 = ours.iter().zip(theirs).map(|(left, right)| left * right).sum();
                assert!(cosine > 0.99, "{name}, {key}, {text}: {cosine}");
            }
        }
    }
}

#[test]
fn two_models_are_compared_on_the_notes_and_one_is_named() {
    let (vault, own) = shelf();
    let server = hub_of(BERT.files());
    for more in [&[][..], &["--dimensions", "16"]] {
        let pull = [&["models", "pull", "hf:acme/tiny"][..], more].concat();
        vault.tars(pull).env("TARS_MODELS_HUB", server.url()).run().success();
    }
    let manifest = fs::read_to_string(own.join("tiny-16d/manifest.toml")).unwrap();
    assert!(manifest.contains("dimensions = 16\n") && manifest.contains("full_dimensions = 64\n"), "{manifest}");
    let long =
        vault.tars(["models", "pull", "hf:acme/tiny", "--dimensions", "65"]).env("TARS_MODELS_HUB", server.url());
    long.run().code(2).says(&["64 dimensions and cannot be cut to 65"]);
    vault
        .write("walrus.md", "# Walrus tusk\n\nIt has two long teeth of ivory, and it lies on the ice all day long.\n")
        .write("otter.md", "# Otter stone\n\nIt opens a shell with a tool that it keeps below its arm.\n")
        .write("puffin.md", "# Puffin beak\n\nIts mouth is orange in summer and grey in the cold months.\n");
    vault.tars(["models", "use", "tiny"]).run().success();
    vault.index();
    let before = vault.search(&["search", "walrus"]);
    let found = vault.tars(["models", "compare", "tiny", "tiny-16d", "--json"]).run().success().json();
    assert_eq!((&found["models"][0]["id"], &found["models"][1]["dimensions"]), (&json!("tiny"), &json!(16)));
    assert!(found["questions"].as_u64().is_some_and(|count| count > 0), "{found}");
    let deciding = &found["figures"].as_array().unwrap().iter().find(|each| each["mode"] == "hybrid").unwrap();
    assert!(deciding["low"].as_f64() <= deciding["high"].as_f64(), "{found}");
    assert!(["tiny", "tiny-16d"].map(Value::from).contains(&found["verdict"]["take"]), "{found}");
    let said = vault.tars(["models", "compare", "tiny", "tiny-16d"]).run().success();
    assert!(said.stdout().contains("95 % interval") && said.stdout().contains("\ntake tiny"), "{said}");
    // The notes keep their vectors.
    assert_eq!(vault.search(&["search", "walrus"]), before);
    vault.tars(["models", "compare", "tiny", "tiny"]).run().code(2).says(&["compared with itself"]);
    vault.tars(["models", "compare", "tiny", "gone"]).run().code(2).says(&["gone"]);
}
