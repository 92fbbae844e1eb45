//! Models: installed ones, downloaded ones, and those behind a server.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::harness::{TestVault, models};
use tars_testing::loopback::{Loopback, ReceivedRequest, Reply};

const DEFAULT: &str = "all-minilm-l6-v2-int8";
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// Returns a vault with its own models directory, which shares the runtime and the default model.
fn with_own_models() -> TestVault {
    let vault = TestVault::new();
    let own = vault.home().join("models");
    fs::create_dir(&own).unwrap();
    link(models().join("onnxruntime"), own.join("onnxruntime"));
    link(models().join(DEFAULT), own.join(DEFAULT));
    vault.with("TARS_MODELS_DIR", own)
}

pub(crate) fn link(from: PathBuf, to: PathBuf) {
    std::os::unix::fs::symlink(from, to).unwrap();
}

fn sha256(bytes: &[u8]) -> String {
    tars_base::domain::hex(&Sha256::digest(bytes))
}

/// A hub with one repository: the default model, published as sentence-transformers publishes its models.
fn hub() -> Loopback {
    let read = |name: &str| fs::read(models().join(DEFAULT).join(name)).unwrap();
    let json = |value: Value| value.to_string().into_bytes();
    hub_of(vec![
        ("onnx/model_quantized.onnx", read("model.onnx")),
        ("tokenizer.json", read("tokenizer.json")),
        ("config.json", json(json!({"hidden_size": 384, "max_position_embeddings": 512, "model_type": "bert"}))),
        ("sentence_bert_config.json", json(json!({"max_seq_length": 256}))),
        ("1_Pooling/config.json", json(json!({"word_embedding_dimension": 384, "pooling_mode_mean_tokens": true}))),
        (
            "modules.json",
            json(json!([
                {"path": "", "type": "sentence_transformers.models.Transformer"},
                {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}
            ])),
        ),
        ("config_sentence_transformers.json", json(json!({"prompts": {"query": "query: ", "passage": "passage: "}}))),
    ])
}

/// A hub with one repository, `acme/tiny`, of these files.
pub(crate) fn hub_of(files: Vec<(&'static str, Vec<u8>)>) -> Loopback {
    let siblings: Vec<Value> = files
        .iter()
        .map(|(name, bytes)| match name.ends_with(".onnx") {
            true => {
                json!({"rfilename": name, "size": bytes.len(), "lfs": {"sha256": sha256(bytes), "size": bytes.len()}})
            }
            false => json!({"rfilename": name, "size": bytes.len()}),
        })
        .collect();
    let listing = json!({"sha": COMMIT, "siblings": siblings, "cardData": {"license": "apache-2.0"}}).to_string();
    Loopback::start(move |asked| {
        if asked.path == "/api/models/acme/tiny/revision/main?blobs=true" {
            return Reply::ok(listing.clone());
        }
        let path = asked.path.strip_prefix(&format!("/acme/tiny/resolve/{COMMIT}/")).unwrap_or_default();
        match files.iter().find(|(name, _)| *name == path) {
            Some((_, bytes)) => Reply::ok(bytes.clone()),
            None => Reply::status(404, "{\"error\": \"not found\"}"),
        }
    })
}

#[test]
fn installed_models_are_listed_and_verified() {
    let vault = TestVault::new();
    let list = vault.tars(["models", "list", "--json"]).run().success().quiet().json();
    let model = list.as_array().unwrap().iter().find(|model| model["id"] == DEFAULT).unwrap();
    let keys: Vec<&str> = model.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["id", "kind", "dimensions", "licence", "bytes", "in_use", "kernel", "problem", "shipped"]);
    assert_eq!((&model["dimensions"], &model["in_use"], &model["problem"]), (&json!(384), &json!(true), &Value::Null));
    let output = vault.tars(["models", "list"]).run().success();
    assert!(output.stdout().lines().any(|line| line.starts_with(&format!("* {DEFAULT}"))), "{output}");
    let output = vault.tars(["models", "verify", DEFAULT]).run().success();
    assert!(output.stdout().contains(DEFAULT) && output.stdout().contains("runtime"), "{output}");
}

/// Returns the program in the layout of a package, behind a link, with only the prepared default model in `place`.
fn packaged(vault: &TestVault, place: &str) -> String {
    let package = vault.home().join("package");
    let (program, model) = (package.join("bin/tars"), package.join(place).join(DEFAULT));
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::create_dir_all(&model).unwrap();
    fs::hard_link(env!("CARGO_BIN_EXE_tars"), &program)
        .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_tars"), &program).map(drop))
        .unwrap();
    for file in ["manifest.toml", "kernel.bin"] {
        fs::copy(models().join(DEFAULT).join(file), model.join(file)).unwrap();
    }
    link(program, vault.home().join("tars"));
    vault.home().join("tars").to_string_lossy().into_owned()
}

/// Returns a vault with one note, after preparing the default model.
fn with_a_knee() -> TestVault {
    let vault = TestVault::new();
    vault
        .write("knee.md", "# Knee\n\nThe physiotherapist told me to rest it and to cycle.\n")
        .write("b.md", "# Bread\n");
    vault.index();
    fs::remove_dir_all(vault.data()).unwrap();
    let nowhere = vault.home().join("own-models");
    vault.with("TARS_MODELS_DIR", nowhere)
}

#[test]
fn a_shipped_model_is_found_and_its_folder_left_alone() {
    for place in ["lib/tars/models", "bin/models"] {
        let vault = with_a_knee();
        let program = packaged(&vault, place);
        let tars = |arguments: &[&str]| vault.program(&program).args(arguments);
        tars(&["index"]).run().success().quiet();
        let found = tars(&["svec", "what did the doctor say about my leg", "--json"]).run().success().json();
        assert_eq!(found["results"][0]["path"], "knee.md", "{found}");
        let list = tars(&["models", "list", "--json"]).run().success().json();
        let states = ["shipped", "kernel", "problem"].map(|key| list[0][key].clone());
        assert_eq!(states, [json!(true), json!("ready"), Value::Null], "{list}");
        let verified = tars(&["models", "verify"]).run().success();
        assert!(verified.stdout().contains("runtime: none, and no model here needs one"), "{verified}");
        tars(&["models", "prepare"]).run().success();
        tars(&["index"]).env("TARS_EMBEDDING_KERNEL", "off").run().success().says(&["only tars itself runs model"]);
        let folder = fs::read_dir(vault.home().join("package").join(place).join(DEFAULT)).unwrap();
        assert_eq!(folder.count(), 2, "nothing is written next to the shipped files");
        assert!(!vault.home().join("own-models").exists());
    }
}

#[test]
fn a_damaged_shipped_model_is_not_used_and_an_installed_one_takes_precedence() {
    let vault = with_a_knee();
    let program = packaged(&vault, "lib/tars/models");
    let tars = |arguments: &[&str]| vault.program(&program).args(arguments);
    let kernel = vault.home().join("package/lib/tars/models").join(DEFAULT).join("kernel.bin");
    let mut bytes = fs::read(&kernel).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&kernel, bytes).unwrap();
    tars(&["index"]).run().success().says(&[
        "which came with tars, cannot be used",
        "contents are damaged",
        "words only",
    ]);
    let said = tars(&["models", "verify"]).run();
    said.says(&["its contents are damaged", "install tars again from its package"]);

    let own = vault.home().join("own-models");
    fs::create_dir(&own).unwrap();
    link(models().join(DEFAULT), own.join(DEFAULT));
    let list = tars(&["models", "list", "--json"]).run().success().json();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["shipped"]), (1, &json!(false)), "{list}");
    tars(&["index"]).run().success().quiet();
    assert!(vault.count("SELECT count(*) FROM vectors") > 0);
}

#[test]
fn an_empty_models_folder_gives_the_install_command() {
    let vault = TestVault::new();
    let vault = vault.with("TARS_MODELS_DIR", "nowhere");
    vault.tars(["models", "list"]).run().code(1).says(&["no model in", "./scripts/install-models"]);
    assert_eq!(vault.tars(["models", "list", "--json"]).run().code(1).json(), json!([]));
    vault.tars(["models", "verify"]).run().code(2).says(&["./scripts/install-models"]);
    vault.tars(["models", "use", DEFAULT]).run().code(2).says(&["no embedding model is installed", "try:"]);
}

#[test]
fn a_model_that_is_not_installed_cannot_be_used() {
    let vault = TestVault::new();
    vault.tars(["models", "use", "unheard-of"]).run().code(2).says(&[
        "no model 'unheard-of'",
        DEFAULT,
        "tars models list",
    ]);
    vault.tars(["models", "verify", "../.."]).run().code(2).says(&["no model '../..'"]);
    assert!(!vault.home().join(".config").exists());
}

#[test]
#[ignore = "nightly: prepares a second model, 11 s"]
fn a_model_from_a_hub_is_fetched_used_and_never_mixed_with_another() {
    let server = hub();
    let vault = with_own_models().with("TARS_MODELS_HUB", server.url());
    vault
        .write("a.md", "# A\n\nThe physician told me to rest my knee.\n")
        .write("b.md", "# B\n\nBread rises overnight.\n");
    vault.index();

    let output = vault.tars(["models", "pull", "hf:acme/tiny"]).run().success();
    assert!(output.stdout().contains("tars models use tiny-quantized"), "{output}");
    assert!(server.received().iter().all(|asked| asked.header("authorization").is_none()));
    vault.tars(["models", "verify", "tiny-quantized"]).run().success();
    vault.tars(["models", "use", "tiny-quantized"]).run().success();
    let list = vault.tars(["models", "list", "--json"]).run().success().json();
    let in_use: Vec<&Value> = list.as_array().unwrap().iter().filter(|model| model["in_use"] == true).collect();
    assert_eq!(
        (in_use.len(), &in_use[0]["id"], &in_use[0]["licence"]),
        (1, &json!("tiny-quantized"), &json!("apache-2.0"))
    );

    // The existing vectors belong to the former model, which answers meanwhile.
    let answer = vault.tars(["search", "doctor", "knee", "--json"]).run().success().json();
    assert!(answer["degraded"].as_str().is_some_and(|degraded| degraded.contains("tars index")), "{answer}");
    assert_eq!(answer["results"][0]["matched_by"], json!(["keyword", "vector"]));

    let report = vault.index();
    assert_eq!((&report["embedded"], &report["pending"]), (&json!(2), &json!(0)));
    assert_eq!(vault.count("SELECT count(*) FROM vectors"), 2);
    assert_eq!(vault.found(&["svec", "what did the doctor say about my leg"])[0], "a.md");
    let status = vault.tars(["status", "--json"]).run().success().json();
    assert!(status["model"]["indexed_with"].as_str().unwrap().starts_with("tiny-quantized@"));
}

#[test]
#[ignore = "nightly: prepares a second model, 18 s"]
fn vector_search_over_another_models_vectors_gives_a_warning() {
    let server = hub();
    let vault = with_own_models().with("TARS_MODELS_HUB", server.url());
    vault.write("a.md", "# A\n\nwalrus\n").index();
    vault.tars(["models", "pull", "hf:acme/tiny"]).run().success();
    let vault = vault.with("TARS_EMBEDDING_MODEL", "tiny-quantized");
    let output = vault.tars(["svec", "walrus"]).run().success();
    output.says(&["meaning is compared by", DEFAULT, "run 'tars index'"]);
    let output = vault.tars(["svec", "walrus"]).env("TARS_EMBEDDING_KEEP_FORMER", "false").run().code(2);
    output.says(&["search by meaning is not possible", DEFAULT, "run 'tars index'"]);
}

#[test]
fn a_pull_that_fails_leaves_nothing_behind() {
    let server = Loopback::start(|_| Reply::status(404, "{}"));
    let vault = TestVault::new();
    let vault = vault.with("TARS_MODELS_DIR", "own").with("TARS_MODELS_HUB", server.url());
    vault.tars(["models", "pull", "hf:acme/none"]).run().code(2).says(&["acme/none has no revision main"]);
    vault
        .tars(["models", "pull", "acme"])
        .run()
        .code(2)
        .says(&["invalid model name", "tars models pull hf:OWNER/NAME"]);
    let own = vault.home().join("own");
    assert!(!own.exists() || fs::read_dir(own).unwrap().next().is_none());
    let gone = server.url();
    drop(server);
    vault.tars(["models", "pull", "hf:acme/none"]).env("TARS_MODELS_HUB", &gone).run().code(2).says(&["cannot reach"]);
}

/// Returns a vector that counts words by their hash: texts with common words are near each other.
fn vector(text: &str, dimensions: usize) -> Vec<f64> {
    let mut vector = vec![0.01; dimensions];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let hash = word.to_lowercase().bytes().fold(7usize, |hash, byte| hash.wrapping_mul(31) ^ usize::from(byte));
        vector[hash % dimensions] += 1.0;
    }
    vector
}

pub(crate) fn inputs(asked: &ReceivedRequest) -> Vec<String> {
    let request: Value = serde_json::from_slice(&asked.body).unwrap();
    request["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

pub(crate) fn embeddings(asked: &ReceivedRequest, dimensions: usize) -> Reply {
    let request: Value = serde_json::from_slice(&asked.body).unwrap();
    let dimensions = request["dimensions"].as_u64().map_or(dimensions, |asked| usize::try_from(asked).unwrap());
    let data: Vec<Value> = inputs(asked)
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"index": index, "embedding": vector(text, dimensions)}))
        .collect();
    Reply::ok(json!({"data": data, "model": request["model"]}).to_string())
}

fn with_server(server: &Loopback) -> TestVault {
    let vault = TestVault::new()
        .with("TARS_EMBEDDING_PROVIDER", "openai")
        .with("TARS_EMBEDDING_MODEL", "small")
        .with("TARS_EMBEDDING_BASE_URL", format!("{}/v1", server.url()));
    vault.write("a.md", "# A\n\nThe walrus has tusks.\n").write("b.md", "# B\n\nThe otter has a stone.\n");
    vault.write("c.md", "# C\n\nThe puffin has a beak.\n");
    vault
}

#[test]
fn a_server_embeds_notes_and_questions() {
    let server = Loopback::start(|asked| embeddings(asked, 64));
    let vault = with_server(&server).with("TARS_EMBEDDING_BATCH_SIZE", "2").with("TARS_EMBEDDING_API_KEY_ENV", "A_KEY");
    let report = vault.tars(["index", "--json"]).env("A_KEY", "sesame").run().success().json();
    assert_eq!((&report["embedded"], &report["pending"], &report["degraded"]), (&json!(3), &json!(0), &Value::Null));
    let asked = server.received();
    assert!(asked.iter().all(|asked| asked.path == "/v1/embeddings"));
    assert!(asked.iter().all(|asked| asked.header("authorization") == Some("Bearer sesame")));
    let batches: Vec<usize> = asked[1..].iter().map(|asked| inputs(asked).len()).collect();
    assert_eq!(batches, [2, 1]);
    assert_eq!(vault.count("SELECT max(length(rest)) FROM vectors"), 64 * 5 / 8);
    assert_eq!(vault.found(&["svec", "walrus tusks"])[0], "a.md");
    assert_eq!(vault.found(&["search", "a stone"])[0], "b.md");
    let again = vault.index();
    assert_eq!((&again["embedded"], &again["unchanged"]), (&json!(0), &json!(3)));
}

#[test]
fn the_request_names_the_dimensions() {
    let server = Loopback::start(|asked| embeddings(asked, 64));
    let vault = with_server(&server).with("TARS_EMBEDDING_DIMENSIONS", "32");
    vault.index();
    assert_eq!(vault.count("SELECT max(length(rest)) FROM vectors"), 32 * 5 / 8);
}

#[test]
fn vectors_of_a_server_and_of_a_local_model_are_never_mixed() {
    let server = Loopback::start(|asked| embeddings(asked, 384));
    let vault = with_server(&server);
    vault.index();
    let vault = vault.without("TARS_EMBEDDING_PROVIDER").without("TARS_EMBEDDING_MODEL");
    vault.append("a.md", "\nMore.\n");
    let report = vault.index();
    assert_eq!((&report["embedded"], &report["pending"]), (&json!(3), &json!(0)));
    assert_eq!(vault.count("SELECT count(*) FROM vectors"), 3);
    assert_eq!(vault.count("SELECT count(*) FROM meta WHERE key = 'model' AND value LIKE 'openai:%'"), 0);
}

#[test]
fn a_busy_server_is_retried_at_its_retry_after() {
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let server = Loopback::start(move |asked| match calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) % 2 {
        0 => Reply::status(429, "slow down").with_header("retry-after", "0"),
        _ => embeddings(asked, 64),
    });
    let vault = with_server(&server);
    let report = vault.index();
    assert_eq!((&report["embedded"], &report["degraded"]), (&json!(3), &Value::Null));
    assert_eq!(vault.found(&["svec", "walrus tusks"])[0], "a.md");
}

#[test]
fn keyword_search_works_while_the_server_is_down() {
    let server = Loopback::start(|asked| embeddings(asked, 64));
    let vault = with_server(&server);
    drop(server);
    let output = vault.tars(["index", "--json"]).run().success().says(&["indexing by words only", "cannot reach"]);
    assert_eq!((&output.json()["added"], &output.json()["embedded"]), (&json!(3), &json!(0)));
    let answer = vault.tars(["search", "walrus", "--json"]).run().success().json();
    assert!(answer["degraded"].as_str().unwrap().contains("searched by words only"), "{answer}");
    assert_eq!(answer["results"][0]["path"], "a.md");
}

#[test]
#[ignore = "nightly: waits for retries, 8 s"]
fn keyword_search_works_when_the_server_goes_down_after_indexing() {
    let server = Loopback::start(|asked| embeddings(asked, 64));
    // With known dimensions, the question is the first request.
    let vault = with_server(&server).with("TARS_EMBEDDING_DIMENSIONS", "64");
    vault.index();
    drop(server);
    let answer = vault.tars(["search", "walrus", "--json"]).run().success().json();
    assert!(answer["degraded"].as_str().unwrap().contains("searched by words only"), "{answer}");
    assert_eq!(answer["results"][0]["path"], "a.md");
    vault.tars(["svec", "walrus"]).run().code(2).says(&["cannot reach"]);
    vault.append("a.md", "\nMore of them.\n");
    vault.tars(["index"]).run().code(2).says(&["cannot reach"]);
    assert_eq!(vault.found(&["sgrep", "more"]), ["a.md"]);
    assert!(vault.count("SELECT count(*) FROM vectors") >= 2);
}

#[test]
fn invalid_answers_of_a_server_are_reported() {
    let server = Loopback::start(|_| Reply::ok("<html>hello</html>"));
    let vault = with_server(&server).with("TARS_EMBEDDING_DIMENSIONS", "64");
    vault.tars(["index"]).run().code(2).says(&[&server.url(), "sent an unusable answer"]);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}

#[test]
fn an_api_key_is_never_sent_unencrypted() {
    let vault = TestVault::new()
        .with("TARS_EMBEDDING_PROVIDER", "openai")
        .with("TARS_EMBEDDING_BASE_URL", "http://embeddings.invalid/v1")
        .with("OPENAI_API_KEY", "sesame");
    vault.write("a.md", "walrus\n");
    let output = vault.tars(["index"]).run().success().says(&["refusing to send a key over plain http"]);
    assert!(!output.stderr().contains("sesame"), "{output}");
}
