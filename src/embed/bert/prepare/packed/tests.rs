use std::fs;

use super::fuzz::tiny_packed;
use crate::bert::{BertEmbedder, STAMP_FILE, prepare};
use crate::manifest::tests::example;
use crate::verify::tests::file_of;
use crate::{EmbedError, Embedder, InstalledModel, Manifest, Preparation, RuntimeLibrary, TextKind};

fn nothing() -> Result<RuntimeLibrary, EmbedError> {
    panic!("a packed model needs no runtime")
}

/// Installs a packed model with the tiny model's manifest after applying `change` to it.
fn installed(bytes: &[u8], change: impl FnOnce(&mut Manifest)) -> (tempfile::TempDir, InstalledModel) {
    let dir = tempfile::tempdir().unwrap();
    let mut manifest = Manifest { dimensions: 64, window: 8, query_prefix: String::new(), ..example() };
    manifest.files = [("tiny.bin".to_owned(), file_of(bytes))].into();
    change(&mut manifest);
    fs::write(dir.path().join("tiny.bin"), bytes).unwrap();
    manifest.write(dir.path()).unwrap();
    let stamp = dir.path().join(STAMP_FILE);
    let model = InstalledModel { dir: dir.path().into(), manifest, shipped: false, stamp };
    (dir, model)
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

#[test]
fn a_packed_model_is_prepared_without_a_runtime_and_embeds() {
    let (_guard, model) = installed(&tiny_packed(), |_| ());
    model.check_runnable().unwrap();
    let Preparation::Ready { mean_cosine, least_cosine } = prepare(&model, nothing, false).unwrap() else {
        panic!("{}", model.preparation());
    };
    assert!(mean_cosine > 0.999 && mean_cosine < 1.001 && least_cosine > 0.99, "{mean_cosine} {least_cosine}");
    let embedder = BertEmbedder::load(&model, 1).unwrap();
    let vectors = embedder.embed(TextKind::Passage, &["a", "ab ab", "\n a \u{200d}"]).unwrap();
    assert!((cosine(&vectors[0], &vectors[0]) - 1.0).abs() < 1e-5);
    assert!(cosine(&vectors[0], &vectors[1]) < 0.9999);
    assert_eq!(vectors[0], vectors[2]);
    assert_eq!(embedder.model(), &model.vectors(None));
}

#[test]
fn the_mean_is_subtracted_if_the_manifest_sets_center() {
    let of = |center: bool| {
        let (guard, model) = installed(&tiny_packed(), |manifest| manifest.center = center);
        assert!(matches!(prepare(&model, nothing, false).unwrap(), Preparation::Ready { .. }));
        (guard, BertEmbedder::load(&model, 1).unwrap())
    };
    let ((_one, plain), (_other, centered)) = (of(false), of(true));
    assert_ne!(plain.model(), centered.model());
    let mean = crate::bert::prepare::mean(&plain).unwrap();
    let texts = ["a", "ab ab é"];
    let vectors = |embedder: &BertEmbedder| embedder.embed(TextKind::Passage, &texts).unwrap();
    for (mut expected, found) in vectors(&plain).into_iter().zip(vectors(&centered)) {
        assert!(cosine(&expected, &found) < 0.999);
        expected.iter_mut().zip(&mean).for_each(|(value, mean)| *value -= mean);
        assert!(crate::normalize(&mut expected));
        assert!(cosine(&expected, &found) > 0.9999);
    }
}

#[test]
fn an_inconsistent_packed_file_is_refused_with_the_reason() {
    let good = tiny_packed();
    let with = |at: usize, value: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    for (bytes, reason) in [
        (with(4, 2), "not a packed model of a known version"),
        (with(8, 96), "its tensor emb.word has another form or size"),
        (with(12, 2), "it has no tensor l1.q.w"),
        (with(16, 0), "its sizes are inconsistent"),
        (with(40, 64), "do not share scales in groups of 32"),
        (with(48, 9), "special tokens are not among its pieces"),
        (good[..good.len() - 1].to_vec(), "is cut off"),
        (good[..100].to_vec(), "it is cut off"),
    ] {
        let (_guard, model) = installed(&bytes, |_| ());
        match prepare(&model, nothing, false).unwrap() {
            Preparation::Refused { reason: found } => assert!(found.contains(reason), "{found} does not say {reason}"),
            other => panic!("{other:?} where {reason}"),
        }
        let error = model.check_runnable().unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
}
