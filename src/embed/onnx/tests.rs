//! Tests with the real model from `TARS_MODELS_DIR`.

use std::path::PathBuf;
use std::sync::LazyLock;

use super::*;
use crate::{Catalog, TextKind};
use tars_text::chunker::{ChunkOptions, chunk};
use tars_text::markdown;

const MODEL: &str = "all-minilm-l6-v2-int8";

static ONE: LazyLock<OnnxEmbedder> = LazyLock::new(|| load(1));
static THREE: LazyLock<OnnxEmbedder> = LazyLock::new(|| load(3));

fn load(workers: usize) -> OnnxEmbedder {
    let models = std::env::var_os("TARS_MODELS_DIR").map(PathBuf::from).unwrap_or_else(|| {
        panic!("TARS_MODELS_DIR is not set: scripts/test installs the model and runs the tests with it")
    });
    let model = Catalog::new(&models).get(MODEL).unwrap();
    let library = RuntimeLibrary::find(None, &models).unwrap();
    OnnxEmbedder::load(&model, &library, workers).unwrap()
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

fn embed(embedder: &OnnxEmbedder, texts: &[&str]) -> Vec<Vec<f32>> {
    embedder.embed(TextKind::Passage, texts).unwrap()
}

const TEXTS: [&str; 7] = [
    "The cat sleeps on the sofa.",
    "",
    "A kitten is napping on the couch.",
    "Interest rates rose by half a percent last quarter, and the bank expects them to rise again before winter.",
    "x",
    "Die Katze schläft auf dem Sofa. 猫はソファで眠る。",
    "fn main() { println!(\"hello\"); }",
];

#[test]
fn related_sentences_are_closer_than_others() {
    let vectors = embed(&ONE, &TEXTS);
    assert!(cosine(&vectors[0], &vectors[2]) > 0.5);
    assert!(cosine(&vectors[0], &vectors[2]) > cosine(&vectors[0], &vectors[3]) + 0.3);
    assert!(cosine(&vectors[0], &vectors[2]) > cosine(&vectors[0], &vectors[6]) + 0.3);
    let asked = ONE.embed(TextKind::Query, &["Where does the cat sleep?"]).unwrap().remove(0);
    assert!(cosine(&asked, &vectors[0]) > cosine(&asked, &vectors[3]));
    for vector in &vectors {
        assert_eq!(vector.len(), ONE.dimensions());
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-4);
    }
}

#[test]
fn a_text_has_one_vector_alone_in_a_batch_and_with_any_number_of_workers() {
    let alone: Vec<Vec<f32>> = TEXTS.iter().map(|text| embed(&ONE, &[text]).remove(0)).collect();
    let many: Vec<&str> = TEXTS.iter().cycle().take(5 * TEXTS.len()).copied().collect();
    for embedder in [&ONE, &THREE] {
        let vectors = embed(embedder, &many);
        assert_eq!(vectors.len(), many.len());
        for (index, vector) in vectors.iter().enumerate() {
            assert!(cosine(vector, &alone[index % TEXTS.len()]) > 0.9999, "{}", many[index]);
        }
    }
}

#[test]
fn several_threads_may_embed_at_once() {
    let expected = embed(&ONE, &TEXTS);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let vectors = embed(&THREE, &TEXTS);
                assert!(vectors.iter().zip(&expected).all(|(left, right)| cosine(left, right) > 0.9999));
            });
        }
    });
}

#[test]
fn no_text_gives_no_vector() {
    assert!(embed(&ONE, &[]).is_empty() && embed(&THREE, &[]).is_empty());
}

#[test]
fn a_text_that_fills_the_window_is_embedded_and_a_longer_one_refused() {
    // Each of these words is one token.
    let words = |count: usize| vec!["time"; count].join(" ");
    let (full, over) = (words(ONE.window()), words(ONE.window() + 1));
    assert_eq!(ONE.tokens().count(&full), ONE.window());
    assert_eq!(embed(&ONE, &[&full]).len(), 1);
    match ONE.embed(TextKind::Passage, &["short", &over]) {
        Err(EmbedError::TextTooLong { index, tokens, window }) => {
            assert_eq!((index, tokens, window), (1, ONE.manifest.window + 1, ONE.manifest.window));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_end_of_a_long_text_counts() {
    // The settings in the tokenizer file would truncate it at 128 tokens.
    let text = |last: &str| format!("{}{last}", "the weather was fine and we went for a walk ".repeat(20));
    let vectors = embed(&ONE, &[&text("cat"), &text("inflation and interest rates of the central bank")]);
    assert!(cosine(&vectors[0], &vectors[1]) < 0.999);
}

#[test]
fn tokens_are_neither_padded_nor_cut() {
    let count = |text: &str| ONE.tokens().count(text);
    assert_eq!((count(""), count("time"), count("time flies")), (0, 1, 2));
    assert_eq!(count(&vec!["time"; 300].join(" ")), 300);
    assert_eq!(count(&vec!["time"; 5000].join("\n")), 5000);
    assert_eq!(count("水は"), 2);
    assert!(ONE.tokens().name().starts_with("tokenizer:"));
}

#[test]
fn a_prefix_reduces_the_window_and_changes_the_vector() {
    let mut model = Catalog::new(std::env::var_os("TARS_MODELS_DIR").unwrap()).get(MODEL).unwrap();
    let library = RuntimeLibrary::find(None, model.dir.parent().unwrap()).unwrap();
    model.manifest.query_prefix = "query: ".into();
    let prefixed = OnnxEmbedder::load(&model, &library, 1).unwrap();
    assert_eq!(prefixed.window(), ONE.window() - ONE.tokens().count("query: "));
    assert_ne!(prefixed.model(), ONE.model());
    let [as_query, as_passage] =
        [TextKind::Query, TextKind::Passage].map(|kind| prefixed.embed(kind, &["cat"]).unwrap().remove(0));
    assert!(cosine(&as_query, &embed(&ONE, &["query: cat"])[0]) > 0.9999);
    assert!(cosine(&as_passage, &embed(&ONE, &["cat"])[0]) > 0.9999);
    assert!(cosine(&as_query, &as_passage) < 0.999);
}

#[test]
fn passages_chunked_by_the_models_tokens_fit_its_window() {
    let long_word = "averyveryverylongword".repeat(40);
    let blob = "QmFzZTY0IGlzIG5vIHRleHQ/".repeat(300);
    let note = format!(
        "# A note with a heading that is rather long, since it tells everything\n\n{}\n\n## 日本語の見出し\n\n{}\n\n\
         ```\n{blob}\n```\n\n| a | b |\n|---|---|\n| {long_word} | 👩‍👧 |\n\n{}\n\nÉtude über Füße, naïve café — №5 ½.\n",
        "Some words, and then some more. ".repeat(120),
        "水は命の源であり、すべての生き物に必要です。".repeat(60),
        "a.b-c/d_e ".repeat(200),
    );
    let document = markdown::parse("note.md", &note);
    let indexed = |line: &str| markdown::indexed_line(line).into_owned();
    for passage_tokens in [16, 200, 500] {
        let options = ChunkOptions { passage_tokens, window_tokens: ONE.window(), ..ChunkOptions::default() };
        let chunks = chunk(&document, &indexed, ONE.tokens(), &options);
        let texts: Vec<&str> =
            chunks.iter().flat_map(|chunk| &chunk.passages).map(|passage| passage.text.as_str()).collect();
        assert!(texts.len() > 8);
        for text in &texts {
            assert!(ONE.tokens().count(text) <= ONE.window(), "{text}");
        }
        if passage_tokens == 200 {
            assert_eq!(embed(&THREE, &texts).len(), texts.len());
        }
    }
}
