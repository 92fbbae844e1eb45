mod origins;

use std::fs;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::super::verify::tests::{file_of, install};
use super::super::{Catalog, Pooling};
use super::client::Download;
use super::*;
use tars_base::domain::{NoProgress, Stage};
use tars_testing::loopback::{Loopback, ReceivedRequest, Reply};

const WEIGHTS: &[u8] = b"weights of the model";
const TOKENIZER: &[u8] = b"{\"model\": {}}";

fn commit() -> String {
    "0123456789abcdef0123456789abcdef01234567".into()
}

/// A repository with all files of a model.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let json = |value: Value| value.to_string().into_bytes();
    vec![
        ("onnx/model_quantized.onnx", WEIGHTS.to_vec()),
        ("tokenizer.json", TOKENIZER.to_vec()),
        ("config.json", json(json!({"hidden_size": 384, "max_position_embeddings": 512, "model_type": "bert"}))),
        ("sentence_bert_config.json", json(json!({"max_seq_length": 256}))),
        ("1_Pooling/config.json", json(json!({"word_embedding_dimension": 384, "pooling_mode_cls_token": true}))),
        (
            "modules.json",
            json(json!([
                {"path": "", "type": "sentence_transformers.models.Transformer"},
                {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}
            ])),
        ),
        ("config_sentence_transformers.json", json(json!({"prompts": {"query": "query: ", "passage": "passage: "}}))),
    ]
}

fn listing(files: &[(&str, Vec<u8>)]) -> Value {
    let siblings: Vec<_> = files
        .iter()
        .map(|(name, bytes)| match name.ends_with(".onnx") {
            true => json!({"rfilename": name, "size": bytes.len(),
                "lfs": {"sha256": file_of(bytes).sha256, "size": bytes.len()}}),
            false => json!({"rfilename": name, "size": bytes.len()}),
        })
        .collect();
    json!({"sha": commit(), "siblings": siblings, "cardData": {"license": "mit"}, "gated": false})
}

/// Answers like a hub that has `acme/Small` with these files.
fn hub_reply(asked: &ReceivedRequest, listing: &Value, files: &[(&str, Vec<u8>)]) -> Reply {
    if asked.path == "/api/models/acme/Small/revision/main?blobs=true" {
        return Reply::ok(listing.to_string());
    }
    let prefix = format!("/acme/Small/resolve/{}/", commit());
    let path = asked.path.strip_prefix(&prefix).unwrap_or_default();
    match files.iter().find(|(name, _)| *name == path) {
        Some((_, bytes)) => Reply::ok(bytes.clone()),
        None => Reply::status(404, "{\"error\": \"not found\"}"),
    }
}

fn serve(listing: Value, files: Vec<(&'static str, Vec<u8>)>) -> Loopback {
    Loopback::start(move |asked| hub_reply(asked, &listing, &files))
}

/// Serves the usual repository, except for requests that `special` answers.
fn serve_but(special: impl Fn(&ReceivedRequest) -> Option<Reply> + Send + 'static) -> Loopback {
    let files = files();
    let listing = listing(&files);
    Loopback::start(move |asked| special(asked).unwrap_or_else(|| hub_reply(asked, &listing, &files)))
}

fn pull_from(server: &Loopback, dir: &Path) -> Result<Manifest, EmbedError> {
    pull(&Hub::new(server.url(), None), "hf:acme/Small", dir, &NoProgress)
}

/// Pulls from a faulty server and checks that the pull leaves nothing behind.
fn failure(server: &Loopback) -> EmbedError {
    let dir = tempfile::tempdir().unwrap();
    let models = dir.path().join("models");
    let kept = install(&models.join("small-quantized"), "small-quantized");
    let error = pull_from(server, &models).unwrap_err();
    assert_eq!(names(&models), ["small-quantized"], "{error}");
    assert_eq!(names(dir.path()), ["models"], "{error}");
    kept.verify(&models.join("small-quantized"), true).unwrap();
    error
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[derive(Default)]
struct Log {
    warnings: Mutex<Vec<String>>,
    bytes: Mutex<(usize, usize)>,
    cancelled: bool,
}

impl Progress for Log {
    fn start(&self, _stage: Stage, total: usize) {
        self.bytes.lock().unwrap().0 = total;
    }
    fn advance(&self, count: usize) {
        self.bytes.lock().unwrap().1 += count;
    }
    fn warn(&self, message: &str) {
        self.warnings.lock().unwrap().push(message.into());
    }
    fn cancelled(&self) -> bool {
        self.cancelled
    }
}

#[test]
fn built_in_corrections_override_the_published_files() {
    let (all, described) = (files(), listing(&files()));
    let server = Loopback::start(move |asked| {
        let path = asked.path.replace("/intfloat/multilingual-e5-small/", "/acme/Small/");
        hub_reply(&ReceivedRequest { path, ..asked.clone() }, &described, &all)
    });
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::new(server.url(), None);
    let manifest = pull(&hub, "hf:intfloat/multilingual-e5-small", dir.path(), &NoProgress).unwrap();
    assert_eq!((manifest.pooling, manifest.window, manifest.center), (Some(Pooling::Mean), 512, false));
    assert_eq!((manifest.query_prefix.as_str(), manifest.passage_prefix.as_str()), ("query: ", "passage: "));
    assert!(manifest.reads_all_languages() && manifest.scale.is_none(), "it is run by ONNX Runtime");
    let mut by_tars = manifest.clone();
    by_tars.files = [("model.safetensors".to_owned(), file_of(WEIGHTS))].into();
    known::apply_corrections("intfloat/multilingual-e5-small", &mut by_tars);
    assert!(by_tars.center && by_tars.scale.is_some());
}

#[test]
fn a_model_is_downloaded_described_and_installed() {
    let server = serve(listing(&files()), files());
    let dir = tempfile::tempdir().unwrap();
    let models = dir.path().join("deep/models");
    let log = Log::default();
    let manifest = pull(&Hub::new(server.url(), None), "hf:acme/Small", &models, &log).unwrap();
    assert_eq!(manifest.id, "small-quantized");
    assert_eq!((manifest.dimensions, manifest.window, manifest.normalize), (384, 256, Some(true)));
    assert_eq!(manifest.pooling, Some(Pooling::Cls));
    assert_eq!((manifest.query_prefix.as_str(), manifest.passage_prefix.as_str()), ("query: ", "passage: "));
    assert_eq!(manifest.licence, "mit");
    let source = format!("hf:acme/Small@{}#onnx/model_quantized.onnx", commit());
    assert_eq!(manifest.source.as_deref(), Some(source.as_str()));
    assert_eq!(manifest.files["model.onnx"], file_of(WEIGHTS));

    assert_eq!(names(&models), ["small-quantized"]);
    let installed = Catalog::new(&models).get("small-quantized").unwrap();
    assert_eq!(installed.manifest, manifest);
    assert_eq!(names(&installed.dir), [".verified", "manifest.toml", "model.onnx", "tokenizer.json"]);
    installed.manifest.verify(&installed.dir, true).unwrap();
    assert_eq!(installed.manifest.verify_cached(&installed.dir).unwrap(), super::super::Verified::Remembered);
    let total = WEIGHTS.len() + TOKENIZER.len();
    assert_eq!(*log.bytes.lock().unwrap(), (total, total));
    assert!(log.warnings.lock().unwrap().is_empty());
}

#[test]
fn an_installed_model_is_readable_by_others() {
    use std::os::unix::fs::PermissionsExt;
    let server = serve(listing(&files()), files());
    let dir = tempfile::tempdir().unwrap();
    pull_from(&server, dir.path()).unwrap();
    let plain = dir.path().join("plain");
    fs::create_dir(&plain).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&dir.path().join("small-quantized")), mode(&plain));
}

#[test]
fn an_installed_model_is_replaced_by_a_sound_one() {
    let server = serve(listing(&files()), files());
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("small-quantized");
    install(&target, "small-quantized");
    fs::write(target.join("left over"), "").unwrap();
    let log = Log::default();
    let manifest = pull(&Hub::new(server.url(), None), "hf:acme/Small", dir.path(), &log).unwrap();
    manifest.verify(&target, true).unwrap();
    assert!(!target.join("left over").exists());
    assert_eq!(names(dir.path()), ["small-quantized"]);
    assert!(log.warnings.lock().unwrap()[0].contains("came from hf:acme/small"));
}

#[test]
fn damaged_and_cut_downloads_are_refused() {
    let damaged = serve_but(|asked| {
        asked.path.ends_with(".onnx").then(|| Reply::ok(WEIGHTS.iter().rev().copied().collect::<Vec<_>>()))
    });
    let error = failure(&damaged).to_string();
    assert!(error.contains("sha256") && error.contains(&file_of(WEIGHTS).sha256), "{error}");
    let shorter = serve_but(|asked| asked.path.ends_with("/tokenizer.json").then(|| Reply::ok("{}")));
    assert!(failure(&shorter).to_string().contains("2 bytes, 13 were announced"));
    let cut = serve_but(|asked| {
        asked.path.ends_with(".onnx").then(|| Reply::Broken { promised: WEIGHTS.len(), body: WEIGHTS[..5].to_vec() })
    });
    assert!(matches!(failure(&cut), EmbedError::Network { .. }));
}

#[test]
fn an_existing_model_survives_failures_and_statuses_become_errors() {
    let status = |part: &'static str, status| {
        serve_but(move |asked| asked.path.contains(part).then(|| Reply::status(status, "{\"error\": \"because\"}")))
    };
    let gated = failure(&status("/api/", 401));
    assert!(matches!(&gated, EmbedError::Gated { status: 401, .. }), "{gated}");
    assert!(gated.hint().unwrap().contains("HF_TOKEN"));
    assert!(matches!(failure(&status(".onnx", 403)), EmbedError::Gated { status: 403, .. }));
    assert_eq!(failure(&status("/api/", 404)).to_string(), "acme/Small has no revision main");
    assert_eq!(failure(&status(".onnx", 404)).to_string(), "acme/Small has no onnx/model_quantized.onnx");
    assert!(matches!(failure(&status("/api/", 429)), EmbedError::RateLimited { .. }));
    let broken = failure(&status("/api/", 500)).to_string();
    assert!(broken.ends_with("answered 500: because"), "{broken}");
}

#[test]
fn an_absent_or_silent_hub_is_a_network_error() {
    let server = serve_but(|asked| {
        let head = b"HTTP/1.1 200 X\r\ncontent-length: 20\r\n\r\nweig".to_vec();
        asked.path.ends_with(".onnx").then_some(Reply::Hang(head))
    });
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub { stall_timeout: Duration::from_millis(100), ..Hub::new(server.url(), None) };
    let error = pull(&hub, "hf:acme/Small", dir.path(), &NoProgress).unwrap_err();
    assert!(matches!(&error, EmbedError::Network { reason, .. } if reason.contains("timed out")), "{error}");
    assert!(names(dir.path()).is_empty());
    drop(server);
    let error = pull(&hub, "hf:acme/Small", dir.path(), &NoProgress).unwrap_err();
    assert!(matches!(error, EmbedError::Network { .. }), "{error}");
}

#[test]
fn the_token_stays_with_its_origin() {
    let cdn = Loopback::start(|_| Reply::ok(WEIGHTS));
    // Another port is another origin, and so is another name of the same machine.
    let targets = [format!("{}/blob?signature=1", cdn.url()), cdn.url().replace("127.0.0.1", "localhost")];
    for target in targets {
        let server = serve_but(move |asked| match asked.path.as_str() {
            path if path.ends_with("/tokenizer.json") => Some(Reply::redirect("/elsewhere/tokenizer")),
            "/elsewhere/tokenizer" => Some(Reply::ok(TOKENIZER)),
            path if path.ends_with(".onnx") => Some(Reply::redirect(target.clone())),
            _ => None,
        });
        let dir = tempfile::tempdir().unwrap();
        let hub = Hub::new(format!("{}/", server.url()), Some("hf_secret\n".into()));
        assert!(!format!("{hub:?}").contains("hf_secret"));
        pull(&hub, "hf:acme/Small", dir.path(), &NoProgress).unwrap();
        let asked = server.received();
        assert!(asked.iter().any(|asked| asked.path == "/elsewhere/tokenizer"));
        assert!(asked.iter().all(|asked| asked.header("authorization") == Some("Bearer hf_secret")));
    }
    assert_eq!(cdn.received().len(), 2);
    assert!(cdn.received().iter().all(|asked| asked.header("authorization").is_none()));
}

#[test]
fn endless_and_foreign_redirects_are_refused() {
    let server = serve_but(|asked| asked.path.ends_with(".onnx").then(|| Reply::redirect(asked.path.clone())));
    assert!(failure(&server).to_string().contains("redirects"));
    let server = serve_but(|asked| asked.path.ends_with(".onnx").then(|| Reply::redirect("file:///etc/passwd")));
    assert!(matches!(failure(&server), EmbedError::Address { .. }));
}

#[test]
fn a_token_over_plain_http_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let hub = Hub::new("http://hub.example", Some("hf_secret".into()));
    let error = pull(&hub, "hf:acme/Small", dir.path(), &NoProgress).unwrap_err();
    assert!(matches!(error, EmbedError::InsecureKey { .. }), "{error}");
}

#[test]
fn files_with_an_excessive_announced_size_are_not_downloaded() {
    let mut giant = listing(&files());
    giant["siblings"][0]["lfs"]["size"] = json!(3u64 << 30);
    let server = serve(giant, files());
    assert!(matches!(failure(&server), EmbedError::TooLarge { limit, .. } if limit == 2 << 30));
    assert!(!server.received().iter().any(|asked| asked.path.ends_with(".onnx")));
}

#[test]
fn a_download_without_announced_size_is_bounded() {
    let mut unannounced = listing(&files());
    unannounced["siblings"][1].as_object_mut().unwrap().remove("size");
    let server = serve(unannounced.clone(), files());
    let hub = Hub::new(server.url(), None);
    let client = Client::new(&hub).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let listing = client.listing("acme/Small", "main").unwrap();
    let file = listing.file("tokenizer.json").unwrap();
    let to = dir.path().join("tokenizer.json");
    let fetch = |limit| client.download(&listing, &Download { file, to: &to, limit }, &NoProgress);
    assert_eq!(fetch(13).unwrap(), file_of(TOKENIZER));
    assert!(matches!(fetch(12), Err(EmbedError::TooLarge { limit: 12, .. })));
}

#[test]
fn incomplete_and_unsupported_repositories_are_refused() {
    let without = |name: &str| {
        let files: Vec<_> = files().into_iter().filter(|(file, _)| *file != name).collect();
        failure(&serve(listing(&files), files)).to_string()
    };
    assert!(without("tokenizer.json").contains("no tokenizer.json"));
    assert!(without("onnx/model_quantized.onnx").contains("no .onnx file"));
    let mut external = files();
    external.push(("onnx/model_quantized.onnx_data", vec![]));
    assert!(failure(&serve(listing(&external), external)).to_string().contains("external data"));
    let broken = serve_but(|asked| asked.path.ends_with("config.json").then(|| Reply::ok("{")));
    assert!(failure(&broken).to_string().contains("is not JSON"));
}

#[test]
fn hostile_listings_are_refused() {
    let mut commit = listing(&files());
    commit["sha"] = json!("../../etc");
    assert!(failure(&serve(commit, files())).to_string().contains("no commit"));
    let hash = |value: &str| {
        let mut listing = listing(&files());
        listing["siblings"][0]["lfs"]["sha256"] = json!(value);
        failure(&serve(listing, files())).to_string()
    };
    assert!(hash("").contains("sha256"));
    assert!(hash("\u{1b}[31m").contains("\\u{1b}[31m"));
    let mut names = files();
    names.push(("../../escape.onnx", b"x".to_vec()));
    names.push(("/etc/model.onnx", b"x".to_vec()));
    let dir = tempfile::tempdir().unwrap();
    pull_from(&serve(listing(&names), names), &dir.path().join("models")).unwrap();
    assert_eq!(self::names(dir.path()), ["models"]);
    assert!(failure(&Loopback::script(vec![Reply::ok("<html>")])).to_string().contains("sent an unusable answer"));
}

#[test]
fn a_cancelled_download_leaves_nothing() {
    let server = serve(listing(&files()), files());
    let dir = tempfile::tempdir().unwrap();
    let log = Log { cancelled: true, ..Log::default() };
    let error = pull(&Hub::new(server.url(), None), "hf:acme/Small", dir.path(), &log).unwrap_err();
    assert!(matches!(error, EmbedError::Cancelled));
    assert!(names(dir.path()).is_empty());
}

#[test]
fn an_explicit_revision_and_file_are_requested() {
    let files: Vec<_> = files().into_iter().chain([("onnx/model_O3.onnx", WEIGHTS.to_vec())]).collect();
    let listing = listing(&files);
    let server = Loopback::start(move |asked| {
        let path = asked.path.replace("/revision/refs%2Fpr%2F1?", "/revision/main?");
        hub_reply(&ReceivedRequest { path, ..asked.clone() }, &listing, &files)
    });
    let dir = tempfile::tempdir().unwrap();
    let spec = "hf:acme/Small@refs/pr/1#onnx/model_O3.onnx";
    let manifest = pull(&Hub::new(server.url(), None), spec, dir.path(), &NoProgress).unwrap();
    assert_eq!(manifest.id, "small-o3");
    assert_eq!(server.received()[0].path, "/api/models/acme/Small/revision/refs%2Fpr%2F1?blobs=true");
}
