//! Benchmarks of embedding: `TARS_MODELS_DIR=... cargo bench -p tars-benches --bench embed`. They need the installed model and prepare
//! it if necessary. Rates are tokens per second; scripts/bench/embed compares them with other programs.

use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use tars_base::domain::CountTokens;
use tars_embed::{BertEmbedder, Catalog, Embedder, OnnxEmbedder, RuntimeLibrary, TextKind, prepare};

fn main() {
    divan::main();
}

struct Both {
    kernel: BertEmbedder,
    /// The kernel with AVX2 only; `None` if the processor lacks AVX2.
    avx2: Option<BertEmbedder>,
    onnx: OnnxEmbedder,
}

static BOTH: LazyLock<Both> = LazyLock::new(|| {
    let models = std::env::var_os("TARS_MODELS_DIR").expect("TARS_MODELS_DIR names the installed models");
    let model = Catalog::new(&models).get("all-minilm-l6-v2-int8").expect("./scripts/install-models");
    let library = RuntimeLibrary::find(None, models.as_ref()).expect("./scripts/install-models");
    prepare(&model, || RuntimeLibrary::find(None, models.as_ref()), false)
        .expect("the folder of the model can be written to");
    Both {
        kernel: BertEmbedder::load(&model, 1).expect("the model is prepared"),
        avx2: BertEmbedder::load(&model, 1).expect("the model is prepared").with_instructions("avx2").ok(),
        onnx: OnnxEmbedder::load(&model, &library, 1).expect("the model is installed"),
    }
});

/// Returns prose of `words` words, each of them one token.
fn prose(words: usize) -> String {
    let words = ["the", "garden", "server", "bread", "of", "winter", "train", "was"].into_iter().cycle().take(words);
    words.collect::<Vec<_>>().join(" ")
}

fn embed(bencher: Bencher<'_, '_>, embedder: &dyn Embedder, tokens: usize) {
    let text = prose(tokens - 2);
    bencher.counter(ItemsCount::new(tokens)).bench(|| embedder.embed(TextKind::Passage, &[&text]));
}

#[divan::bench(args = [8, 16, 64, 128, 256])]
fn kernel(bencher: Bencher<'_, '_>, tokens: usize) {
    embed(bencher, &BOTH.kernel, tokens);
}

#[divan::bench(args = [8, 16, 64, 128, 256])]
fn kernel_avx2(bencher: Bencher<'_, '_>, tokens: usize) {
    if let Some(embedder) = &BOTH.avx2 {
        embed(bencher, embedder, tokens);
    }
}

#[divan::bench(args = [8, 16, 64, 128, 256])]
fn onnx_runtime(bencher: Bencher<'_, '_>, tokens: usize) {
    embed(bencher, &BOTH.onnx, tokens);
}

fn count(bencher: Bencher<'_, '_>, tokens: &dyn CountTokens, text: &str) {
    bencher.counter(BytesCount::of_str(text)).bench_local(|| tokens.count(text));
}

const MIXED: &str = "Die Füße der Étude — 明天下午三点在图书馆门口见面，naïve Ångström, half past six. ";

#[divan::bench]
fn wordpiece_english(bencher: Bencher<'_, '_>) {
    count(bencher, BOTH.kernel.tokens(), &prose(2000));
}

#[divan::bench]
fn wordpiece_mixed(bencher: Bencher<'_, '_>) {
    count(bencher, BOTH.kernel.tokens(), &MIXED.repeat(100));
}

#[divan::bench]
fn tokenizers_english(bencher: Bencher<'_, '_>) {
    count(bencher, BOTH.onnx.tokens(), &prose(2000));
}

#[divan::bench]
fn tokenizers_mixed(bencher: Bencher<'_, '_>) {
    count(bencher, BOTH.onnx.tokens(), &MIXED.repeat(100));
}
