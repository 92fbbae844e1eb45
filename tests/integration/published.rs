//! Models in the forms in which authors publish them: pulled from a hub, prepared, and compared with ONNX Runtime, which runs
//! the same weights as a graph.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tars_embed::{
    BertEmbedder, BertReranker, Catalog, Embedder, OnnxEmbedder, OnnxReranker, Reranker, RuntimeLibrary, TextKind,
};

use crate::harness::{TestVault, models};
use crate::models::{hub_of, link};
use crate::seeded_bert::Seeded;

const BERT: Seeded = Seeded { seed: 7, is_xlm: false, classes: 0 };
const XLM: Seeded = Seeded { seed: 11, is_xlm: true, classes: 0 };

const TEXTS: [&str; 8] = [
    "walrus",
    "The otter has a stone.",
    "A puffin's beak;  tusk\n\nof a walrus\u{3000}on ice",
    "fi\u{fb01} \u{2167} … 1234",
    "é e\u{301} ü д я 明日 🎉",
    "unheard of: q w e r t y u i o p",
    "river river river river",
    "a",
];

/// Returns a vault whose models directory is empty, or holds only the runtime.
fn shelf(with_runtime: bool) -> (TestVault, PathBuf) {
    let vault = TestVault::new();
    let own = vault.home().join("models");
    fs::create_dir(&own).unwrap();
    if with_runtime {
        link(models().join("onnxruntime"), own.join("onnxruntime"));
    }
    (vault.with("TARS_MODELS_DIR", &own), own)
}

/// Pulls `spec` from a hub with these files, and returns the models directory and the output.
fn pulled(files: Vec<(&'static str, Vec<u8>)>, spec: &str) -> (TestVault, PathBuf, String) {
    let (vault, own) = shelf(true);
    let server = hub_of(files);
    let output = vault.tars(["models", "pull", spec]).env("TARS_MODELS_HUB", server.url()).run().success();
    let said = output.stdout().to_owned();
    (vault, own, said)
}

fn library() -> RuntimeLibrary {
    RuntimeLibrary::find(None, &models()).unwrap()
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

#[test]
fn named_weights_embed_like_onnx_runtime() {
    for seeded in [BERT, XLM] {
        let (_by_name, own, said) = pulled(seeded.files(), "hf:acme/tiny");
        assert!(said.contains("installed tiny (64 dimensions, ") && said.contains("kernel ready"), "{said}");
        assert!(said.contains("without ONNX Runtime") && said.contains("tars models use tiny"), "{said}");
        assert_eq!(
            names(&own.join("tiny")),
            ["config.json", "kernel.bin", "manifest.toml", "model.safetensors", "tokenizer.json"]
        );
        let (_by_graph, other, _) = pulled(seeded.files(), "hf:acme/tiny#onnx/model.onnx");
        assert!(names(&other.join("tiny")).contains(&"model.onnx".to_owned()));
        assert!(!names(&other.join("tiny")).contains(&"config.json".to_owned()));
        let ours = BertEmbedder::load(&Catalog::new(own).get("tiny").unwrap(), 2).unwrap();
        let theirs = OnnxEmbedder::load(&Catalog::new(other).get("tiny").unwrap(), &library(), 1).unwrap();
        assert_eq!((ours.window(), ours.dimensions()), (theirs.window(), theirs.dimensions()));
        let vectors = |embedder: &dyn Embedder| embedder.embed(TextKind::Passage, &TEXTS).unwrap();
        for ((ours, theirs), text) in vectors(&ours).iter().zip(vectors(&theirs)).zip(TEXTS) {
            assert!(cosine(ours, &theirs) > 0.99, "{text}: {}", cosine(ours, &theirs));
        }
        let count = |embedder: &dyn Embedder| TEXTS.map(|text| embedder.tokens().count(text));
        assert_eq!(count(&ours), count(&theirs));
    }
}

#[test]
fn a_cross_encoder_with_named_weights_scores_like_onnx_runtime() {
    for (is_xlm, classes) in [(false, 1), (false, 2), (true, 1)] {
        let seeded = Seeded { seed: 23, is_xlm, classes };
        let (_by_name, own, said) = pulled(seeded.files(), "hf:acme/tiny#model.safetensors");
        assert!(said.contains("installed tiny (reranker, ") && said.contains("without ONNX Runtime"), "{said}");
        let (_by_graph, other, _) = pulled(seeded.files(), "hf:acme/tiny#onnx/model.onnx");
        let ours = BertReranker::load(&Catalog::new(own).reranker(None).unwrap(), 2).unwrap();
        // Untrained weights barely tell texts apart: AVX2's bytes, which have fewer steps, are too coarse for them.
        let ours = ours.with_instructions("portable").unwrap();
        let theirs = OnnxReranker::load(&Catalog::new(other).reranker(None).unwrap(), &library(), 1).unwrap();
        let long = "the otter eats ".repeat(40);
        let texts: Vec<&str> = TEXTS.into_iter().chain(["", &long]).collect();
        let logits = |reranker: &dyn Reranker| reranker.relevance("Has a walrus a tusk?", &texts).unwrap();
        let (ours_said, theirs_said) = (logits(&ours), logits(&theirs));
        for ((ours, theirs), text) in ours_said.iter().zip(&theirs_said).zip(&texts) {
            assert!((ours - theirs).abs() < 0.1, "{text}: {ours} is not {theirs}");
        }
        // They tell the texts apart.
        let spread =
            theirs_said.iter().copied().fold(f64::MIN, f64::max) - theirs_said.iter().copied().fold(f64::MAX, f64::min);
        assert!(spread > 0.3, "{theirs_said:?}");
        assert!(ours.relevance("walrus", &[]).unwrap().is_empty());
        let told =
            |reranker: &dyn Reranker| reranker.relevance(&"walrus ".repeat(70), &["ice"]).unwrap_err().to_string();
        assert_eq!(told(&ours), told(&theirs));
    }
}

#[test]
fn named_weights_search_and_rerank_without_onnx_runtime() {
    let (vault, own) = shelf(false);
    let reranker = Seeded { seed: 5, is_xlm: false, classes: 1 };
    for (seeded, id) in [(BERT, "reader"), (reranker, "judge")] {
        let server = hub_of(seeded.files());
        vault.tars(["models", "pull", "hf:acme/tiny"]).env("TARS_MODELS_HUB", server.url()).run().success();
        fs::rename(own.join("tiny"), own.join(id)).unwrap();
        let manifest = own.join(id).join("manifest.toml");
        let text = fs::read_to_string(&manifest).unwrap().replace("id = \"tiny\"", &format!("id = \"{id}\""));
        fs::write(manifest, text).unwrap();
    }
    vault.tars(["models", "use", "reader"]).run().success();
    vault.write("a.md", "# A\n\nThe walrus has a tusk.\n").write("b.md", "# B\n\nThe otter has a stone.\n");
    let report = vault.index();
    assert_eq!((&report["embedded"], &report["degraded"]), (&json!(2), &Value::Null));
    let answer = vault.tars(["search", "--json", "--rerank", "walrus tusk"]).run().success().quiet().json();
    assert!(
        answer["results"][0]["reranked"].as_f64().is_some_and(|probability| (0.0..=1.0).contains(&probability)),
        "{answer}"
    );
    let list = vault.tars(["models", "list", "--json"]).run().success().json();
    let line =
        |index: usize| (&list[index]["id"], &list[index]["kernel"], &list[index]["problem"], &list[index]["in_use"]);
    assert_eq!(line(0), (&json!("judge"), &json!("ready"), &Value::Null, &json!(true)));
    assert_eq!(line(1), (&json!("reader"), &json!("ready"), &Value::Null, &json!(true)));
    let prepared = vault.tars(["models", "prepare", "judge"]).run().success();
    let told = prepared.stdout().strip_prefix("judge: ready; cosine with the original 0.99");
    assert!(told.is_some_and(|told| told.contains("on average, 0.9")), "{prepared}");
    // Without the kernel, which the settings disable, no program can run them.
    let off = vault.tars(["search", "--rerank", "walrus"]).env("TARS_EMBEDDING_KERNEL", "off").run().code(2);
    off.says(&["only tars itself runs model 'judge'", "tars config set embedding.kernel auto"]);
    fs::remove_file(own.join("judge/kernel.bin")).unwrap();
    vault.tars(["search", "--rerank", "walrus"]).run().code(2).says(&["not prepared", "tars models prepare judge"]);
    vault.tars(["models", "prepare", "judge"]).run().success();
    vault.tars(["search", "--rerank", "walrus"]).run().success();
}

#[test]
fn an_unsupported_architecture_is_pulled_as_onnx_or_refused() {
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut config = BERT.config();
        change(&mut config);
        let mut files = BERT.files();
        files.iter_mut().find(|(name, _)| *name == "config.json").unwrap().1 = config.to_string().into_bytes();
        files
    };
    let files = changed(&|config| config["hidden_act"] = "gelu_new".into());
    let (_vault, own, said) = pulled(files.clone(), "hf:acme/tiny");
    assert!(names(&own.join("tiny")).contains(&"model.onnx".to_owned()), "{said}");
    assert!(!said.contains("without ONNX Runtime"), "{said}");
    let (vault, own) = shelf(false);
    let told = |files: Vec<(&'static str, Vec<u8>)>, spec: &str| {
        let server = hub_of(files);
        vault.tars(["models", "pull", spec]).env("TARS_MODELS_HUB", server.url()).run().code(2).stderr().to_owned()
    };
    let forced = told(files.clone(), "hf:acme/tiny#model.safetensors");
    assert!(forced.contains("hidden_act of its config.json is gelu_new, not gelu"), "{forced}");
    let without: Vec<_> = files.into_iter().filter(|(name, _)| !name.ends_with(".onnx")).collect();
    let neither = told(without, "hf:acme/tiny");
    assert!(neither.contains("gelu_new") && neither.contains("holds no .onnx file"), "{neither}");
    assert!(told(BERT.files(), "hf:acme/tiny#other.safetensors").contains("has no file other.safetensors"));
    assert_eq!(names(&own), [""; 0]);
}

#[test]
fn inconsistent_weights_are_refused_with_the_reason() {
    let mut files = BERT.files();
    let weights = &mut files[0].1;
    let at = weights.windows(5).position(|window| window == b"query").unwrap();
    weights[at] = b'Q';
    let (vault, _own) = shelf(false);
    let server = hub_of(files);
    let output = vault.tars(["models", "pull", "hf:acme/tiny"]).env("TARS_MODELS_HUB", server.url()).run();
    assert!(
        output.stdout().contains("kernel refused: it has no tensor encoder.layer.0.attention.self.query.weight"),
        "{output}"
    );
    output.says(&["tiny cannot be used", "tars models pull hf:acme/tiny#PATH.onnx"]);
    vault.tars(["models", "use", "tiny"]).run().code(2).says(&["it has no tensor"]);
}
