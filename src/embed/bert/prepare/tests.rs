//! Tests with the real model from `TARS_MODELS_DIR`, compared with ONNX Runtime.

use std::sync::LazyLock;

use prost::Message;
use tempfile::TempDir;

use super::graph::{Graph, ModelProto, NodeProto};
use super::recognize::recognize;
use super::reference::TEXTS;
use crate::bert::vocabulary;
use crate::bert::*;
use crate::local::Engine;
use crate::{Catalog, Embedder, Manifest, OnnxEmbedder, RuntimeLibrary, TextKind};

const MODEL: &str = "all-minilm-l6-v2-int8";

/// A temporary models directory that holds the prepared model.
static MODELS: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let model = copy(&dir);
    assert!(matches!(prepare(&model, || Ok(library()), false).unwrap(), Preparation::Ready { .. }));
    dir
});

static ONE: LazyLock<BertEmbedder> = LazyLock::new(|| BertEmbedder::load(&installed(), 1).unwrap());
static THREE: LazyLock<BertEmbedder> = LazyLock::new(|| BertEmbedder::load(&installed(), 3).unwrap());

fn shared() -> PathBuf {
    PathBuf::from(std::env::var_os("TARS_MODELS_DIR").expect("scripts/test sets it"))
}

fn library() -> RuntimeLibrary {
    RuntimeLibrary::find(None, &shared()).unwrap()
}

/// Copies the unprepared model into `dir`.
fn copy(dir: &TempDir) -> InstalledModel {
    let folder = dir.path().join(MODEL);
    fs::create_dir(&folder).unwrap();
    for name in ["model.onnx", "tokenizer.json", "manifest.toml"] {
        fs::copy(shared().join(MODEL).join(name), folder.join(name)).unwrap();
    }
    Catalog::new(dir.path()).get(MODEL).unwrap()
}

fn installed() -> InstalledModel {
    Catalog::new(MODELS.path()).get(MODEL).unwrap()
}

/// Returns a model directory that holds only the prepared file.
fn prepared_copy() -> (TempDir, InstalledModel, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let stamp = dir.path().join(STAMP_FILE);
    let model = InstalledModel { dir: dir.path().into(), stamp, ..installed() };
    let file = dir.path().join(PREPARED_FILE);
    fs::copy(installed().prepared_file(), &file).unwrap();
    (dir, model, file)
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Vec<Vec<f32>> {
    embedder.embed(TextKind::Passage, texts).unwrap()
}

#[test]
fn vectors_are_close_to_those_of_onnx_runtime() {
    let original = OnnxEmbedder::load(&installed(), &library(), 1).unwrap();
    // This includes texts that the preparation does not compare.
    let others = ["x", "", "the the the the", "Zwei Äpfel & drei Birnen", "パン", "0 1 1 2 3 5 8 13 21 34"];
    let texts: Vec<&str> = others.into_iter().chain(TEXTS).filter(|text| ONE.tokens().count(text) <= 200).collect();
    let (ours, theirs) = (embed(&*ONE, &texts), embed(&original, &texts));
    for ((text, ours), theirs) in texts.iter().zip(&ours).zip(&theirs) {
        assert_eq!(ours.len(), ONE.dimensions());
        assert!((cosine(ours, ours) - 1.0).abs() < 1e-4);
        assert!(cosine(ours, theirs) > 0.99, "{text}: {}", cosine(ours, theirs));
    }
    assert_ne!(ONE.model(), original.model());
    assert_eq!((ONE.window(), ONE.tokens().name()), (original.window(), original.tokens().name()));
}

#[test]
fn a_text_has_one_vector_alone_in_a_batch_and_with_any_number_of_workers() {
    let texts = &TEXTS[..12];
    let alone: Vec<Vec<f32>> = texts.iter().map(|text| embed(&*ONE, &[text]).remove(0)).collect();
    let many: Vec<&str> = texts.iter().cycle().take(40).copied().collect();
    std::thread::scope(|scope| {
        for embedder in [&ONE, &THREE, &THREE] {
            scope.spawn(|| {
                for (index, vector) in embed(&**embedder, &many).iter().enumerate() {
                    assert_eq!(*vector, alone[index % texts.len()]);
                }
            });
        }
    });
    assert!(embed(&*THREE, &[]).is_empty());
}

#[test]
fn a_text_that_fills_the_window_is_embedded_and_a_longer_one_refused() {
    // Each of these words is one token.
    let words = |count: usize| vec!["time"; count].join(" ");
    assert_eq!(embed(&*ONE, &[&words(ONE.window())]).len(), 1);
    match ONE.embed(TextKind::Passage, &["short", &words(ONE.window() + 1)]) {
        Err(EmbedError::TextTooLong { index, tokens, window }) => {
            assert_eq!((index, tokens, window), (1, ONE.window() + 3, ONE.window() + 2));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn text_that_spells_a_special_token_becomes_one_as_in_the_original() {
    let original = OnnxEmbedder::load(&installed(), &library(), 1).unwrap();
    for text in ["[MASK]", "a[SEP]b [CLS][PAD] [sep] [ MASK ]", "é[UNK]\u{301}", "[[MASK]] [MASK"] {
        assert_eq!(
            ONE.tokenizer().encode_with_special(text),
            original.engine.encode_with_special(text).unwrap(),
            "{text}"
        );
    }
}

#[test]
fn the_manifests_prefix_and_pooling_are_applied() {
    let with = |change: &dyn Fn(&mut Manifest)| {
        let mut model = installed();
        change(&mut model.manifest);
        BertEmbedder::load(&model, 1).unwrap()
    };
    let prefixed = with(&|manifest| manifest.query_prefix = "query: ".into());
    assert_eq!(prefixed.window(), ONE.window() - ONE.tokens().count("query: "));
    assert_ne!(prefixed.model(), ONE.model());
    assert_eq!(prefixed.embed(TextKind::Query, &["cat"]).unwrap(), embed(&*ONE, &["query: cat"]));
    assert_eq!(embed(&prefixed, &["cat"]), embed(&*ONE, &["cat"]));
    let first = with(&|manifest| manifest.pooling = Some(crate::Pooling::Cls));
    assert!(cosine(&embed(&first, &["a cat"])[0], &embed(&*ONE, &["a cat"])[0]) < 0.99);
}

#[test]
#[ignore = "nightly: runs the model with each instruction set, 10 s"]
fn every_instruction_set_gives_nearly_the_same_vectors() {
    let texts = &TEXTS[..8];
    let names =
        ["avx-512-vnni", "avx-vnni", "avx2", "sse4.1", "neon-with-i8mm", "neon-with-dot-products", "neon", "portable"];
    let load = |name: &&str| BertEmbedder::load(&installed(), 1).unwrap().with_instructions(name).ok();
    let sets: Vec<BertEmbedder> = names.iter().filter_map(load).collect();
    assert!(sets.last().is_some_and(|last| last.instructions() == "portable"));
    let expected = embed(&sets[0], texts);
    for set in &sets[1..] {
        for (left, right) in expected.iter().zip(embed(set, texts)) {
            let alike = cosine(left, &right);
            assert!(alike > 0.99, "{} against {}: {alike}", set.instructions(), sets[0].instructions());
        }
    }
    let error = BertEmbedder::load(&installed(), 1).unwrap().with_instructions("sse2").err().unwrap();
    assert!(error.to_string().contains("portable"), "{error}");
}

#[test]
fn a_model_is_prepared_once_and_again_when_its_file_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let model = copy(&dir);
    assert!(matches!(model.preparation(), Preparation::Missing { .. }));
    assert!(matches!(BertEmbedder::load(&model, 1), Err(EmbedError::NotPrepared { .. })));
    let Preparation::Ready { mean_cosine, least_cosine } = prepare(&model, || Ok(library()), false).unwrap() else {
        panic!("{}", model.preparation());
    };
    assert!(mean_cosine > 0.995 && least_cosine > 0.99 && least_cosine <= mean_cosine);
    let bytes = fs::read(model.prepared_file()).unwrap();
    // A file with other contents but the same header is never used, and is created again.
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(model.prepared_file(), &changed).unwrap();
    assert!(model.verify_prepared().unwrap_err().to_string().contains("damaged"));
    assert!(matches!(BertEmbedder::load(&model, 1), Err(EmbedError::NotPrepared { .. })));
    fs::write(model.dir.join(".kernel.binLeft"), "of one that was killed").unwrap();
    prepare(&model, || Ok(library()), false).unwrap();
    model.verify_prepared().unwrap();
    assert_eq!(fs::read(model.prepared_file()).unwrap(), bytes);
    let names: Vec<_> = fs::read_dir(&model.dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 6, "{names:?}");
}

#[test]
fn a_file_that_is_torn_stale_or_foreign_is_never_used() {
    let (_guard, model, file) = prepared_copy();
    assert!(matches!(model.preparation(), Preparation::Ready { .. }));
    let good = fs::read(&file).unwrap();
    let problem = |model: &InstalledModel| match model.preparation() {
        Preparation::Missing { reason } => reason,
        other => panic!("{other:?}"),
    };
    let with = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        problem(&model)
    };
    assert!(with(&good[..good.len() - 1]).ends_with("it is cut off"));
    assert!(with(&good[..100]).ends_with("it is cut off"));
    assert!(with(&[&good[..], &[0; 64]].concat()).ends_with("it is cut off"));
    assert!(with(&vec![0; good.len()]).contains("damaged or another kind"));
    with(&[]);
    for place in (0..size_of::<prepared::Header>()).step_by(7) {
        let mut bytes = good.clone();
        bytes[place] ^= 4;
        assert!(with(&bytes).contains("damaged"), "{place}");
    }
    fs::write(&file, &good).unwrap();
    let mut other = model.clone();
    other.manifest.files.get_mut("model.onnx").unwrap().sha256 = "0".repeat(64);
    assert!(problem(&other).ends_with("it was made from other files"));
    fs::remove_file(&file).unwrap();
    assert!(problem(&model).ends_with("it does not exist"));
}

/// Runs the recognition on the shipped graph after a change.
fn changed(change: impl FnOnce(&mut Vec<NodeProto>)) -> Result<(), String> {
    static FILE: LazyLock<ModelProto> = LazyLock::new(|| {
        ModelProto::decode(fs::read(shared().join(MODEL).join("model.onnx")).unwrap().as_slice()).unwrap()
    });
    let mut graph = FILE.graph.clone().unwrap();
    change(&mut graph.node);
    recognize(&Graph::new(&graph)).map(|_| ())
}

fn find<'n>(nodes: &'n mut [NodeProto], op_type: &str) -> &'n mut NodeProto {
    nodes.iter_mut().rfind(|node| node.op_type == op_type).unwrap()
}

#[test]
fn a_graph_that_differs_anywhere_is_refused_with_the_place() {
    changed(|_| ()).unwrap();
    let refused = |change: &dyn Fn(&mut Vec<NodeProto>), reason: &str| {
        let found = changed(change).unwrap_err();
        assert!(found.contains(reason), "{found:?} does not say {reason:?}");
    };
    refused(&|nodes| find(nodes, "Erf").op_type = "Tanh".into(), "expected GELU");
    refused(&|nodes| find(nodes, "Softmax").attribute[0].i = 1, "expected attention, found Softmax");
    refused(&|nodes| find(nodes, "Softmax").domain = "com.example".into(), "expected attention, found Softmax");
    refused(&|nodes| find(nodes, "LayerNormalization").op_type = "RMSNormalization".into(), "expected LayerNorm");
    refused(
        &|nodes| find(nodes, "LayerNormalization").attribute.iter_mut().for_each(|a| a.f = 1e-5),
        "differ in epsilon",
    );
    refused(&|nodes| find(nodes, "Transpose").attribute[0].ints = vec![0, 1, 2, 3], "expected attention");
    // The last product of the graph is that of the last matrix, whose input is GELU's output.
    refused(&|nodes| find(nodes, "MatMul").input.swap(0, 1), "expected a matrix of weights");
    refused(&|nodes| nodes.retain(|node| node.op_type != "IsNaN"), "expected attention");
    refused(&|nodes| nodes.retain(|node| node.op_type != "Gather"), "expected an Add of a LayerNormalization");
    refused(
        &|nodes| {
            let query = nodes.iter_mut().rfind(|node| node.op_type == "Mul" && node.input[0].starts_with("transpose"));
            let name = query.unwrap().input[0].clone();
            let scores = nodes.iter_mut().rfind(|node| node.op_type == "Mul" && node.input[0] == name).unwrap();
            scores.op_type = "Div".into();
        },
        "expected attention",
    );
}

#[test]
fn an_unsupported_model_is_refused_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut model = copy(&dir);
    let path = model.dir.join("model.onnx");
    let mut file = ModelProto::decode(fs::read(&path).unwrap().as_slice()).unwrap();
    find(&mut file.graph.as_mut().unwrap().node, "Erf").op_type = "Tanh".into();
    let bytes = file.encode_to_vec();
    fs::write(&path, &bytes).unwrap();
    model.manifest.files.insert("model.onnx".into(), crate::verify::tests::file_of(&bytes));
    model.manifest.write(&model.dir).unwrap();
    let Preparation::Refused { reason } = prepare(&model, || Ok(library()), false).unwrap() else {
        panic!("{}", model.preparation());
    };
    assert!(reason.contains("GELU"), "{reason}");
    assert_eq!(model.preparation(), Preparation::Refused { reason: reason.clone() });
    // A second call tries nothing: it would fail, because the runtime is missing.
    let nothing = RuntimeLibrary { path: "nowhere".into(), manifest: None };
    assert_eq!(prepare(&model, || Ok(nothing), false).unwrap(), Preparation::Refused { reason });
    assert!(matches!(BertEmbedder::load(&model, 1), Err(EmbedError::NotPrepared { .. })));
    // Another file of the same name makes it another model.
    fs::copy(shared().join(MODEL).join("model.onnx"), &path).unwrap();
    model.manifest = Manifest::read(&shared().join(MODEL)).unwrap();
    assert!(matches!(model.preparation(), Preparation::Missing { .. }));
}

#[test]
fn a_tokenizer_of_another_kind_is_refused() {
    let good: serde_json::Value =
        serde_json::from_slice(&fs::read(shared().join(MODEL).join("tokenizer.json")).unwrap()).unwrap();
    vocabulary::read(good.to_string().as_bytes()).unwrap();
    let refused = |change: &dyn Fn(&mut serde_json::Value), part: &str| {
        let mut file = good.clone();
        change(&mut file);
        let reason = vocabulary::read(file.to_string().as_bytes()).unwrap_err();
        assert!(reason.contains(part), "{reason}");
    };
    refused(&|file| file["normalizer"]["lowercase"] = false.into(), "normalizer");
    refused(&|file| file["normalizer"]["strip_accents"] = false.into(), "normalizer");
    refused(&|file| file["pre_tokenizer"]["type"] = "Whitespace".into(), "pre-tokenizer");
    refused(&|file| file["model"]["type"] = "WordLevel".into(), "model");
    refused(&|file| file["model"]["unk_token"] = "<unk>".into(), "model");
    refused(&|file| file["model"]["vocab"]["[PAD]"] = 7.into(), "vocabulary");
    refused(&|file| file["model"]["vocab"][&"a".repeat(200)] = 30_522.into(), "vocabulary");
    refused(&|file| file["post_processor"]["single"] = serde_json::json!([]), "post-processor");
    refused(&|file| file["added_tokens"][0]["normalized"] = true.into(), "added tokens");
}

#[test]
fn the_stamp_of_a_shipped_file_is_written_to_the_persons_own_folder() {
    let (_guard, model, file) = prepared_copy();
    let place = tempfile::tempdir().unwrap();
    let (own, share) = (place.path().join("own"), place.path().join("share"));
    fs::create_dir_all(share.join(MODEL)).unwrap();
    model.manifest.write(&share.join(MODEL)).unwrap();
    let shipped = share.join(MODEL).join(PREPARED_FILE);
    fs::copy(&file, &shipped).unwrap();
    let dated = |seconds: u64| {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        fs::File::options().write(true).open(&shipped).unwrap().set_modified(time).unwrap();
    };
    dated(60);
    let model = Catalog::new(&own).with_shipped([share.clone()]).get(MODEL).unwrap();
    assert!(matches!(model.preparation(), Preparation::Ready { .. }));
    assert!(own.join(format!(".{MODEL}.verified")).exists());
    assert_eq!(fs::read_dir(share.join(MODEL)).unwrap().count(), 2, "a folder that came with tars is not written to");
    let mut bytes = fs::read(&shipped).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&shipped, &bytes).unwrap();
    dated(60 * 60);
    assert!(matches!(model.preparation(), Preparation::Missing { .. }), "it is hashed again once it has changed");
}

#[test]
fn a_file_is_hashed_again_when_it_has_changed() {
    let (_guard, model, file) = prepared_copy();
    let dated = |seconds: u64| {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    };
    let stamp = model.dir.join(STAMP_FILE);
    assert!(matches!(model.preparation(), Preparation::Ready { .. }));
    assert!(!stamp.exists(), "a young file may change again without a trace");
    dated(60);
    assert!(matches!(model.preparation(), Preparation::Ready { .. }));
    assert!(stamp.exists());
    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, &bytes).unwrap();
    assert!(matches!(model.preparation(), Preparation::Missing { .. }));
    dated(30);
    assert!(matches!(model.preparation(), Preparation::Missing { .. }));
}
