//! Models that tars prepares and runs itself.

use std::fs;

use serde_json::{Value, json};

use crate::command::Output;
use crate::harness::{TestVault, models};
use crate::models::link;

const MODEL: &str = "all-minilm-l6-v2-int8";

/// Returns a vault of two notes with its own models directory: a shared runtime and an unprepared copy of the model.
fn with_a_copy() -> TestVault {
    let vault = TestVault::new();
    let own = vault.home().join("models");
    fs::create_dir_all(own.join(MODEL)).unwrap();
    for name in ["model.onnx", "tokenizer.json", "manifest.toml"] {
        fs::copy(models().join(MODEL).join(name), own.join(MODEL).join(name)).unwrap();
    }
    link(models().join("onnxruntime"), own.join("onnxruntime"));
    vault
        .write("knee.md", "# Travel\n\nThe physician told me to rest my knee.\n")
        .write("bread.md", "# Bread\n\nThe loaf rises overnight.\n");
    vault.with("TARS_MODELS_DIR", own)
}

fn kernel(vault: &TestVault) -> Value {
    vault.tars(["status", "--json"]).run().success().json()["model"]["kernel"].clone()
}

/// Returns how many of the stored vectors are the kernel's, and the number of vectors.
fn of_kernel(vault: &TestVault) -> (i64, i64) {
    let of_kernel = "SELECT count(*) FROM vectors WHERE (SELECT value FROM meta WHERE key = 'model') LIKE '%+kernel%'";
    let kernel = vault.count(of_kernel);
    (kernel, vault.count("SELECT count(*) FROM vectors"))
}

/// Asserts that a run printed nothing but its progress, which it prints every ten seconds on a slow machine.
#[track_caller]
fn tells_progress_alone(output: &Output) {
    let is_progress = |line: &str| {
        line.rsplit_once(": ")
            .and_then(|(_, rest)| rest.split_once(" of "))
            .is_some_and(|(done, total)| [done, total].iter().all(|number| number.parse::<usize>().is_ok()))
    };
    assert!(output.stderr().lines().all(is_progress), "{output}");
}

#[test]
fn the_first_index_prepares_the_model_for_use_without_the_runtime() {
    let vault = with_a_copy();
    assert!(kernel(&vault).as_str().unwrap().starts_with("not prepared: "));
    tells_progress_alone(&vault.tars(["index"]).run().success());
    assert_eq!((kernel(&vault), of_kernel(&vault)), (json!("ready"), (2, 2)));
    fs::remove_file(vault.home().join("models/onnxruntime")).unwrap();
    let status = vault.tars(["status", "--json"]).run().success().json();
    assert_eq!((&status["model"]["kernel"], &status["model"]["problem"]), (&json!("ready"), &Value::Null));
    assert_eq!(vault.found(&["svec", "what did the doctor say about my leg"])[0], "knee.md");
    vault.write("c.md", "# C\n\nA walrus.\n");
    assert_eq!(vault.index()["degraded"], Value::Null);
    assert_eq!(of_kernel(&vault), (3, 3));
}

#[test]
#[ignore = "nightly: prepares the model, 10 s"]
fn unsupported_instruction_sets_are_refused_with_the_supported_ones() {
    let vault = with_a_copy();
    let lacking = if cfg!(target_arch = "x86_64") { "neon" } else { "avx2" };
    vault.tars(["models", "prepare"]).run().success();
    let told = vault.tars(["index"]).env("TARS_EMBEDDING_INSTRUCTIONS", lacking).run();
    told.says(&[&format!("this processor cannot run embedding.instructions = \"{lacking}\""), "portable"]);
    tells_progress_alone(&vault.tars(["index"]).env("TARS_EMBEDDING_INSTRUCTIONS", "portable").run().success());
    assert_eq!(of_kernel(&vault), (2, 2));
}

#[test]
fn without_the_runtime_an_unprepared_model_is_reported() {
    let vault = with_a_copy();
    fs::remove_file(vault.home().join("models/onnxruntime")).unwrap();
    vault.tars(["models", "prepare"]).run().code(2).says(&["no usable ONNX Runtime library"]);
    vault.tars(["index"]).run().success().says(&["the model could not be prepared", "indexing by words only"]);
    assert!(!vault.home().join("models").join(MODEL).join("kernel.bin").exists());
}

/// Runs the binary `TARS_WITHOUT_ONNX`, which is built without the feature `onnx`.
fn without_onnx(vault: &TestVault, arguments: &[&str]) -> Output {
    let binary = std::env::var("TARS_WITHOUT_ONNX").expect("scripts/nightly builds it and sets this");
    vault.other_build(&binary, arguments).run()
}

#[test]
#[ignore = "nightly: needs a binary without the feature onnx"]
fn a_build_without_onnx_makes_the_same_vectors_from_a_prepared_file() {
    let vault = with_a_copy();
    without_onnx(&vault, &["models", "prepare"]).code(2).says(&["without the feature 'onnx'", "kernel.bin"]);
    without_onnx(&vault, &["index"]).success().says(&["without the feature 'onnx'", "indexing by words only"]);
    let vectors = |vault: &TestVault| -> Vec<Vec<u8>> {
        let connection = vault.open_database();
        let mut read = connection.prepare("SELECT rest FROM vectors ORDER BY content_hash").unwrap();
        read.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    vault.index();
    let of_full_build = vectors(&vault);
    assert_eq!((of_full_build.len(), of_kernel(&vault)), (2, (2, 2)));
    fs::remove_dir_all(vault.data()).unwrap();
    without_onnx(&vault, &["index"]).success().quiet();
    assert_eq!((vectors(&vault), of_kernel(&vault)), (of_full_build, (2, 2)));
    let found = without_onnx(&vault, &["svec", "what did the doctor say about my leg", "--json"]).success().json();
    assert_eq!(found["results"][0]["path"], "knee.md", "{found}");
}

#[test]
#[ignore = "nightly: needs a binary without the feature onnx"]
fn a_build_without_onnx_gives_only_advice_that_works() {
    const COMMANDS: [&[&str]; 8] = [
        &["models", "list"],
        &["models", "verify"],
        &["models", "use", MODEL],
        &["models", "prepare"],
        &["status"],
        &["index"],
        &["status"],
        &["doctor"],
    ];
    const OF_FULL_BUILDS: [&str; 6] = [
        "models pull",
        "tars models prepare",
        "install-models",
        "ONNX Runtime",
        "the notes with it",
        "to bring in (tars index)",
    ];
    let vault = with_a_copy();
    let own = vault.home().join("models").join(MODEL);
    let check = |state: &str| {
        for command in COMMANDS {
            let said = without_onnx(&vault, command).to_string();
            let advised = OF_FULL_BUILDS.iter().find(|advice| said.contains(**advice));
            // Without an index, a search has something to index.
            assert!(advised.is_none() || said.contains("never (tars index)"), "{state}: {advised:?} in\n{said}");
        }
    };
    check("not prepared");
    // A reranker that tars can run itself is available.
    without_onnx(&vault, &["search", "walrus", "--rerank"]).code(2).says(&["feature 'onnx'", "#model.safetensors"]);
    without_onnx(&vault, &["models", "use", MODEL]).code(2).says(&["it does not exist", "feature 'onnx'"]);
    fs::write(own.join("kernel.bin"), "torn").unwrap();
    check("damaged");
    without_onnx(&vault, &["index"]).success().says(&["it is cut off", "kernel.bin that a full build"]);
    without_onnx(&vault, &["models", "verify"]).code(2).says(&["it is cut off", "kernel.bin that a full build"]);
    fs::remove_dir_all(own).unwrap();
    check("not installed");
}

#[test]
fn a_search_prepares_nothing() {
    let vault = with_a_copy();
    vault.tars(["index"]).env("TARS_EMBEDDING_KERNEL", "off").run().success();
    assert_eq!(vault.found(&["svec", "what did the doctor say about my leg"])[0], "knee.md");
    assert!(!vault.home().join("models").join(MODEL).join("kernel.bin").exists());
}

#[test]
#[ignore = "nightly: embeds with the kernel and the runtime, 10 s"]
fn vectors_of_the_kernel_and_of_the_runtime_are_never_mixed() {
    let vault = with_a_copy();
    vault.index();
    let vault = vault.with("TARS_EMBEDDING_KERNEL", "off");
    assert_eq!(kernel(&vault), "off");
    let status = vault.tars(["status", "--json"]).run().success().json();
    assert!(status["model"]["problem"].as_str().is_some_and(|problem| problem.contains("tars index")), "{status}");
    assert_eq!(status["pending"], status["files"], "no vector is usable");
    let answer = vault.tars(["search", "doctor", "knee", "--json"]).run().success().json();
    assert!(answer["degraded"].as_str().is_some_and(|degraded| degraded.contains("run 'tars index'")), "{answer}");
    assert_eq!(vault.index()["embedded"], 2);
    assert_eq!(of_kernel(&vault), (0, 2));
    let vault = vault.with("TARS_EMBEDDING_KERNEL", "auto");
    assert_eq!(vault.index()["embedded"], 2);
    assert_eq!(of_kernel(&vault), (2, 2));
}

#[test]
#[ignore = "nightly: prepares the model several times, 30 s"]
fn a_truncated_prepared_file_is_rebuilt_and_a_damaged_one_detected() {
    let vault = with_a_copy();
    vault.index();
    let file = vault.home().join("models").join(MODEL).join("kernel.bin");
    let good = fs::read(&file).unwrap();
    fs::write(&file, &good[..good.len() / 2]).unwrap();
    assert!(kernel(&vault).as_str().unwrap().ends_with("it is cut off"));
    vault.tars(["models", "verify", MODEL]).run().code(2).says(&["it is cut off", "try: tars models prepare"]);
    // The vectors are unchanged, and the file is the same as before.
    assert_eq!(vault.index()["embedded"], 0);
    assert_eq!(fs::read(&file).unwrap(), good);
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 1;
    fs::write(&file, &damaged).unwrap();
    vault.tars(["models", "verify", MODEL]).run().code(2).says(&["damaged", "try: tars models prepare"]);
    let output = vault.tars(["models", "prepare"]).run().success();
    assert!(output.stdout().contains("ready; cosine with the original 0.99"), "{output}");
    vault.tars(["models", "verify", MODEL]).run().success();
    assert_eq!(fs::read(&file).unwrap(), good);
}

#[test]
fn the_runtime_writes_nothing_to_the_home() {
    let vault = with_a_copy().with("TARS_EMBEDDING_KERNEL", "off");
    vault.index();
    // Where it would store its telemetry, if it were enabled.
    assert!(!vault.home().join(".cache").exists());
}
