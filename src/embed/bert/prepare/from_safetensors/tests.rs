//! Compares ModernBERT in 32-bit floats with `transformers`, which made the reference (scripts/quality/reference-vectors).

use serde_json::Value;

use super::seeded_modern::{ETTIN, GRANITE, SMALL, SMALL_SILU, SeededModern, pieces, safetensors, texts, tokenizer};
use super::{NamedWeights, WeightSource};
use crate::bert::classifier::Classifier;
use crate::bert::config::Config;
use crate::bert::encoder::Input;
use crate::bert::matrix::Norm;
use crate::bert::prepare::weight_source::vectors;
use crate::bert::vocabulary;
use crate::local::mean;
use crate::normalize;

fn reference() -> Value {
    serde_json::from_str(include_str!("../../../../../tests/integration/modern_vectors.json")).unwrap()
}

fn config(seeded: SeededModern, classifies: Option<&str>) -> Config {
    Config::read(seeded.config(classifies).to_string().as_bytes()).unwrap()
}

#[test]
fn the_true_shapes_and_the_byte_level_tokenizer_are_read() {
    let shapes = [GRANITE, ETTIN].map(|seeded| config(seeded, None)).map(|read| (read.hidden, read.head, read.inner));
    assert_eq!(shapes, [(384, 32, 1536), (256, 64, 384)]);
    let read = vocabulary::read(tokenizer().to_string().as_bytes()).unwrap();
    assert_eq!((read.vocabulary.pieces(), read.second_kind), (pieces().len(), Some(0)));
    let tokens: Vec<Vec<u32>> = serde_json::from_value(reference()["tokens"].clone()).unwrap();
    assert_eq!(tokens.len(), texts().len());
}

#[test]
fn exact_vectors_equal_those_of_transformers() {
    let reference = reference();
    let tokens: Vec<Vec<u32>> = serde_json::from_value(reference["tokens"].clone()).unwrap();
    let inputs: Vec<Input<'_>> =
        tokens.iter().map(|ids| Input { ids, second: None, first_token_only: false }).collect();
    // The last texts reach beyond the windows of local layers on both sides.
    assert!(tokens.last().unwrap().len() > 5 * SMALL.local);
    for (name, seeded) in [("small", SMALL), ("silu", SMALL_SILU)] {
        let file = safetensors(seeded.tensors(false));
        let original = NamedWeights::of(&file, config(seeded, None), pieces().len()).unwrap();
        assert_eq!(original.layers(), seeded.layers);
        for (pooling, width) in [("cls", Some(seeded.hidden)), ("mean", None)] {
            let Ok(expected) = serde_json::from_value::<Vec<Vec<f32>>>(reference[name][pooling].clone()) else {
                continue;
            };
            for (values, expected) in vectors(&original, &inputs).unwrap().iter().zip(&expected) {
                let mut found = mean(&values[..width.unwrap_or(values.len())], seeded.hidden);
                assert!(normalize(&mut found));
                let error = found.iter().zip(expected).map(|(found, expected)| (found - expected).abs());
                let error = error.fold(0.0f32, f32::max);
                assert!(error < 2e-4, "{name}, {pooling}: {error}");
            }
        }
    }
}

#[test]
fn a_classifier_equals_that_of_transformers() {
    let (reference, hidden) = (reference(), SMALL.hidden);
    // A text is enough to compare the head; pairs are compared with the whole program.
    let file = safetensors(SMALL.tensors(true));
    for pooling in ["cls", "mean"] {
        let original = NamedWeights::of(&file, config(SMALL, Some(pooling)), pieces().len()).unwrap();
        let read = original.classifier(0).unwrap();
        assert_eq!((read.reads_mean, read.classes_bias.len()), (pooling == "mean", 1));
        let norm = read.norm.as_ref().unwrap();
        let classifier = Classifier {
            second: &read.second,
            dense: &read.dense,
            dense_bias: &read.dense_bias,
            classes: &read.classes,
            classes_bias: &read.classes_bias,
            norm: Some(Norm { scale: &norm.scale, shift: &norm.shift, epsilon: 1e-5 }),
            reads_mean: read.reads_mean,
        };
        let tokens: Vec<u32> = serde_json::from_value(reference["pair"].clone()).unwrap();
        let input = Input { ids: &tokens, second: Some((1, &read.second)), first_token_only: false };
        let values = &vectors(&original, &[input]).unwrap()[0];
        assert_eq!(values.len(), tokens.len() * hidden);
        let found = classifier.logit(&classifier.pooled(values));
        let expected = reference["small"][format!("logits {pooling}")][1].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-3, "{pooling}: {found} is not {expected}");
    }
}

#[test]
fn a_model_that_lacks_a_tensor_names_it() {
    let without = |name: &str| {
        let mut tensors = SMALL.tensors(false);
        tensors.retain(|(tensor, ..)| tensor != name);
        let file = safetensors(tensors);
        let original = NamedWeights::of(&file, config(SMALL, None), pieces().len())?;
        (0..original.layers()).try_for_each(|number| original.layer(number).map(drop))?;
        original.after_layers().map(drop)
    };
    assert_eq!(without("nothing"), Ok(()));
    for name in
        ["embeddings.tok_embeddings.weight", "layers.1.attn_norm.weight", "layers.3.mlp.Wi.weight", "final_norm.weight"]
    {
        let reason = without(name).unwrap_err();
        assert!(reason.contains(name), "{name}: {reason}");
    }
}
