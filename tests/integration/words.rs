//! Keyword search in each language of tests/words, and the reported languages of a vault.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::TestVault;

/// The lowest accepted nDCG@10 of any language, with a margin: docs/quality.md holds the figures.
const LEAST: f64 = 0.85;

fn sets() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/words");
    let mut sets: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sets.sort();
    sets
}

#[test]
fn words_are_found_in_each_language() {
    let sets = sets();
    assert!(sets.len() >= 10, "{sets:?}");
    let mut weak = Vec::new();
    for set in sets {
        let vault = TestVault::of_words().with("TARS_VAULT", set.join("vault"));
        vault.index();
        let answer = vault.tars(["eval", "--json"]).arg(set.join("questions.jsonl")).run().success().json();
        assert_eq!(answer["absent"], json!([]), "{}", set.display());
        assert!(answer["questions"].as_u64().unwrap() >= 12, "{}", set.display());
        let modes = answer["modes"].as_array().unwrap();
        let keyword = modes.iter().find(|mode| mode["mode"] == "keyword").unwrap();
        let ndcg = keyword["overall"]["ndcg@10"].as_f64().unwrap();
        if ndcg < LEAST {
            weak.push(format!("{}: {ndcg}", set.file_name().unwrap().to_string_lossy()));
        }
    }
    assert!(weak.is_empty(), "{weak:?}");
}

#[test]
fn a_vault_in_another_language_gets_the_advice_of_a_multilingual_model() {
    let set = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/words/italian/vault");
    let vault = TestVault::of_words().with("TARS_VAULT", &set);
    vault.index();
    let status = vault.tars(["status", "--json"]).run().success().json();
    assert_eq!((&status["languages"][0]["code"], &status["languages"][0]["name"]), (&json!("it"), &json!("Italian")));
    assert!(status["languages"][0]["share"].as_f64().unwrap() > 0.5, "{status}");
    assert_eq!(status["advice"], Value::Null, "no model is in use");

    let vault = vault.with("TARS_EMBEDDING_PROVIDER", "onnx");
    let status = vault.tars(["status", "--json"]).run().success().json();
    assert_eq!(status["advice"]["model"], "multilingual-e5-small", "{status}");
    let commands = status["advice"]["commands"].as_array().unwrap();
    assert_eq!(commands.last().unwrap(), "tars models use multilingual-e5-small");
    let shown = vault.tars(["status"]).run().success();
    assert!(shown.stdout().contains("languages    Italian") && shown.stdout().contains("\nadvice "), "{shown}");
    let vault = vault.with("TARS_EMBEDDING_MODEL", "multilingual-e5-small");
    let chosen = vault.tars(["status", "--json"]).run().success().json();
    assert_eq!(chosen["advice"], Value::Null, "it is in use");
}

#[test]
fn init_names_the_languages_of_existing_notes() {
    let vault = TestVault::new().without("TARS_VAULT").without("TARS_DATA_DIR");
    vault.write("uno.md", "La riunione è stata spostata perché il direttore non c'era.\n");
    vault.write("due.md", "Abbiamo deciso di comprare una nuova lavatrice per la casa.\n");
    let said = vault.tars(["init", "vault"]).run().success();
    assert!(said.stdout().contains("languages      Italian 100 %"), "{said}");
    assert!(said.stdout().contains("tars models use multilingual-e5-small"), "{said}");
}
