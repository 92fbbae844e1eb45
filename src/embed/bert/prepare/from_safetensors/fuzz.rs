//! Fuzz test of named weights.

use serde_json::{Map, Value, json};

use super::super::weight_source::{WeightSource, weights};
use super::NamedWeights;
use crate::bert::config::Config;
use crate::bert::prepare::fuzz::{source, tiny_vocabulary};
use crate::bert::prepared;
use crate::safetensors::tests::file;
use tars_testing::fuzz::{fuzz, seed_is};

const HIDDEN: usize = 64;
/// Number of pieces in the tiny vocabulary.
const WORDS: usize = 8;
const CONFIG: Config = Config {
    hidden: HIDDEN,
    layers: 1,
    head: 32,
    inner: HIDDEN,
    epsilon: 1e-5,
    first_place: 2,
    modern: None,
    places: 0,
    classifies_mean: false,
};

/// A file is either refused with a reason on one line, or its contents are consistent and give a complete prepared file.
#[test]
fn fuzz_safetensors() {
    fuzz("safetensors", |bytes| {
        let read = || {
            let original = NamedWeights::of(bytes, CONFIG, WORDS)?;
            let mut weights = weights(&original)?;
            weights.classifier = Some(original.classifier(1)?);
            assert_eq!((weights.words.rows, original.word(7)?.len()), (WORDS, HIDDEN));
            let file = prepared::write(weights.checked()?, &tiny_vocabulary(), &source());
            assert!(file.len() <= 4 * bytes.len() + 16384, "{} bytes of {}", file.len(), bytes.len());
            Ok::<_, String>(())
        };
        if let Err(reason) = read() {
            assert!(!reason.is_empty() && !reason.contains('\n'), "{reason:?}");
        }
    });
}

#[test]
fn a_tiny_model_is_read_completely_and_serves_as_a_seed() {
    let bytes = tiny();
    seed_is("safetensors", "tiny", &bytes);
    let original = NamedWeights::of(&bytes, CONFIG, WORDS).unwrap();
    let mut weights = weights(&original).unwrap();
    weights.classifier = Some(original.classifier(1).unwrap());
    let weights = weights.checked().unwrap();
    // Two positions are skipped, and the first kind of sentence is added to the others: 1/8 + 5/16.
    assert_eq!((weights.positions.len(), weights.positions[0]), (6 * HIDDEN, 0.4375));
    let second = &weights.classifier.as_ref().unwrap().second;
    assert_eq!((second.len(), second[0]), (HIDDEN, -0.0625));
    let reason = |config: Config, pieces: usize| NamedWeights::of(&bytes, config, pieces).err();
    assert!(reason(Config { hidden: 128, ..CONFIG }, WORDS).unwrap().contains("8 vectors of 64"));
    assert!(reason(CONFIG, WORDS + 1).unwrap().contains("9 pieces have 8 vectors"));
    let two = NamedWeights::of(&bytes, Config { layers: 2, ..CONFIG }, WORDS).unwrap();
    assert!(two.layer(1).err().unwrap().contains("no tensor bert.encoder.layer.1.attention.self.query.weight"));
    assert!(original.classifier(2).err().unwrap().contains("no sentences of kind 2"));
    let places = NamedWeights::of(&bytes, Config { first_place: 8, ..CONFIG }, WORDS).unwrap();
    assert!(places.positions().err().unwrap().contains("no position"));
}

/// A cross-encoder with one layer in 16-bit floats. Its normalisations have the names of the first releases of BERT.
fn tiny() -> Vec<u8> {
    let (mut directory, mut data) = (Map::new(), Vec::new());
    let mut put = |name: &str, shape: &[usize], bits: u16| {
        let start = data.len();
        // Every seventh number is larger by a quarter, so that rows differ.
        let numbers = (0..shape.iter().product::<usize>()).map(|at| bits + if at % 7 == 0 { 0x100 } else { 0 });
        data.extend(numbers.flat_map(u16::to_le_bytes));
        let tensor = json!({"dtype": "F16", "shape": shape, "data_offsets": [start, data.len()]});
        directory.insert(name.to_owned(), tensor);
    };
    let (quarter, eighth, one) = (0x3400, 0x3000, 0x3c00);
    put("bert.embeddings.word_embeddings.weight", &[WORDS, HIDDEN], quarter);
    put("bert.embeddings.position_embeddings.weight", &[8, HIDDEN], eighth);
    put("bert.embeddings.token_type_embeddings.weight", &[2, HIDDEN], quarter);
    let layer = "bert.encoder.layer.0";
    for norm in ["bert.embeddings", &format!("{layer}.attention.output"), &format!("{layer}.output")] {
        put(&format!("{norm}.LayerNorm.gamma"), &[HIDDEN], one);
        put(&format!("{norm}.LayerNorm.beta"), &[HIDDEN], 0);
    }
    for name in [
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.output.dense",
        "intermediate.dense",
        "output.dense",
    ] {
        put(&format!("{layer}.{name}.weight"), &[HIDDEN, HIDDEN], eighth);
        put(&format!("{layer}.{name}.bias"), &[HIDDEN], quarter);
    }
    put("bert.pooler.dense.weight", &[HIDDEN, HIDDEN], eighth);
    put("bert.pooler.dense.bias", &[HIDDEN], 0);
    put("classifier.weight", &[2, HIDDEN], quarter);
    put("classifier.bias", &[2], 0);
    file(&Value::Object(directory).to_string(), &data)
}
