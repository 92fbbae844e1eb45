//! Loading and running a cross-encoder that the test builds.

use tars_embed::{Catalog, EmbedError, OnnxEmbedder, OnnxReranker, Reranker, RuntimeLibrary};

use crate::harness::models;
use crate::tiny_model::Tiny;

fn load(tiny: Tiny) -> Result<OnnxReranker, EmbedError> {
    let dir = tempfile::tempdir().unwrap();
    tiny.install(dir.path(), "tiny");
    let model = Catalog::new(dir.path()).reranker(None)?;
    let library = RuntimeLibrary::find(None, &models())?;
    let reranker = OnnxReranker::load(&model, &library, 2)?;
    // The first question opens its session, so that the folder must outlive it.
    reranker.relevance("walrus", &["ice"])?;
    Ok(reranker)
}

fn logits(reranker: &OnnxReranker, question: &str, texts: &[&str]) -> Vec<f64> {
    let logits = reranker.relevance(question, texts).unwrap();
    logits.into_iter().map(|logit| (logit * 1000.0).round() / 1000.0).collect()
}

#[test]
fn pairs_are_scored_independently() {
    let reranker = load(Tiny::new()).unwrap();
    let texts = ["The walrus has a tusk.", "An otter", "", "walrus walrus walrus"];
    assert_eq!(logits(&reranker, "Has a Walrus a tusk?", &texts), [2.0, -4.0, -4.0, 5.0]);
    // The tokenizer file itself would pad and cut to eight tokens.
    let late = format!("{} walrus", "the weather was fine ".repeat(10));
    assert_eq!(logits(&reranker, "walrus", &[&late, "walrus"]), [-1.0, -1.0]);
    assert!(logits(&reranker, "walrus", &[]).is_empty());
}

#[test]
fn a_text_that_is_too_long_is_truncated() {
    let reranker = load(Tiny { window: 32, ..Tiny::new() }).unwrap();
    // Three of 32 tokens are special and one belongs to the question.
    let with = |before: usize| format!("{}walrus", "x ".repeat(before));
    assert_eq!(logits(&reranker, "walrus", &[&with(27), &with(28), &with(5000)]), [-1.0, -4.0, -4.0]);
    let longest = "walrus ".repeat(13);
    assert_eq!(logits(&reranker, &longest, &["walrus"]), [13.0 * 3.0 - 4.0]);
    match reranker.relevance(&"walrus ".repeat(14), &["walrus"]) {
        Err(error @ EmbedError::QuestionTooLong { tokens: 14, most: 13, .. }) => assert!(error.hint().is_some()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_second_of_two_classes_is_the_relevant_one() {
    let reranker = load(Tiny { classes: 2, ..Tiny::new() }).unwrap();
    assert_eq!(logits(&reranker, "walrus tusk", &["the tusk of a walrus", "otter"]), [2.0, -4.0]);
}

#[test]
fn a_model_that_is_no_reranker_says_so() {
    let error = load(Tiny { classes: 3, ..Tiny::new() }).err().unwrap().to_string();
    assert!(error.contains("'tiny' failed") && error.contains("[1, 3]"), "{error}");
    let catalog = Catalog::new(models());
    let library = RuntimeLibrary::find(None, &models()).unwrap();
    let embedding = catalog.get("all-minilm-l6-v2-int8").unwrap();
    assert!(matches!(OnnxReranker::load(&embedding, &library, 1), Err(EmbedError::WrongKind { .. })));
    let dir = tempfile::tempdir().unwrap();
    Tiny::new().install(dir.path(), "tiny");
    let reranker = Catalog::new(dir.path()).get("tiny").unwrap();
    assert!(matches!(OnnxEmbedder::load(&reranker, &library, 1), Err(EmbedError::WrongKind { .. })));
}

#[test]
fn a_network_that_was_changed_is_not_loaded() {
    let dir = tempfile::tempdir().unwrap();
    Tiny::new().install(dir.path(), "tiny");
    std::fs::write(dir.path().join("tiny/model.onnx"), Tiny { classes: 2, ..Tiny::new() }.onnx()).unwrap();
    let model = Catalog::new(dir.path()).get("tiny").unwrap();
    let library = RuntimeLibrary::find(None, &models()).unwrap();
    let error = OnnxReranker::load(&model, &library, 1).err().unwrap();
    assert!(matches!(error, EmbedError::SizeMismatch { .. }), "{error}");
}
