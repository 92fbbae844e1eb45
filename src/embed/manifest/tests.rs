use super::*;
use tars_base::embedding::Calibration;

pub(crate) fn example() -> Manifest {
    let file = |digit: &str, size| ModelFile { sha256: digit.repeat(64), size };
    Manifest {
        id: "small-quantized".into(),
        kind: ModelKind::Embedding,
        dimensions: 384,
        pooling: Some(Pooling::Mean),
        normalize: Some(true),
        query_prefix: "query: ".into(),
        passage_prefix: String::new(),
        window: 256,
        languages: Vec::new(),
        full_dimensions: None,
        center: false,
        scale: None,
        licence: "apache-2.0".into(),
        source: Some("hf:acme/small".into()),
        dense: Vec::new(),
        files: BTreeMap::from([("model.onnx".into(), file("a", 1000)), ("tokenizer.json".into(), file("b", 200))]),
    }
}

fn complaint(change: impl FnOnce(&mut Manifest)) -> String {
    let mut manifest = example();
    change(&mut manifest);
    manifest.check().unwrap_err()
}

#[test]
fn a_written_manifest_reads_back_equal() {
    let dir = tempfile::tempdir().unwrap();
    example().write(dir.path()).unwrap();
    assert_eq!(Manifest::read(dir.path()).unwrap(), example());
    let text = fs::read_to_string(dir.path().join(MANIFEST_FILE)).unwrap();
    assert!(text.contains("[files.\"model.onnx\"]"), "{text}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn the_manifests_of_shipped_models_are_valid() {
    let text = include_str!("../../../models/all-minilm-l6-v2-int8/manifest.toml");
    let manifest: Manifest = toml::from_str(text).unwrap();
    manifest.check().unwrap();
    assert_eq!((manifest.form(), manifest.model_scale()), (WeightsForm::Onnx, ModelScale::default()));
    let text = include_str!("../../../models/multilingual-e5-small/manifest.toml");
    let manifest: Manifest = toml::from_str(text).unwrap();
    manifest.check().unwrap();
    assert!(manifest.reads_all_languages() && manifest.model_scale().every_script && manifest.center);
    assert_eq!((manifest.form(), manifest.weights_file()), (WeightsForm::Packed, "e5-small-q4.bin"));
}

#[test]
fn a_packed_model_has_one_file_and_a_ranking_scale() {
    let packed = || {
        let mut manifest = Manifest { center: true, languages: vec!["de".into(), "*".into()], ..example() };
        let file = manifest.files["model.onnx"].clone();
        manifest.files = [("weights.bin".to_owned(), file)].into();
        let both = Calibration { intercept: -2.0, matched: 5.0, similarity: 1.5, lead: 4.0 };
        manifest.scale = Some(ModelScale { both, ..ModelScale::default() });
        manifest
    };
    let dir = tempfile::tempdir().unwrap();
    packed().write(dir.path()).unwrap();
    assert_eq!(Manifest::read(dir.path()).unwrap(), packed());
    assert_eq!(packed().model_scale().both.intercept, -2.0);
    let refused = |change: fn(&mut Manifest)| {
        let mut manifest = packed();
        change(&mut manifest);
        manifest.check().unwrap_err()
    };
    assert!(
        refused(|m| _ = m.files.insert("tokenizer.json".into(), m.files["weights.bin"].clone())).contains("others")
    );
    assert!(refused(|m| m.languages = vec!["German".into()]).contains("languages"));
    assert!(
        refused(|m| m.scale = Some(ModelScale {
            both: Calibration { intercept: f64::NAN, ..ModelScale::default().both },
            ..ModelScale::default()
        }))
        .contains("scale")
    );
    assert!(complaint(|m| m.center = true).contains("center is only for .safetensors and .bin models"));
}

#[test]
fn a_reranker_has_a_kind_and_no_vectors() {
    let reranker = Manifest {
        kind: ModelKind::Reranker,
        dimensions: 0,
        pooling: None,
        normalize: None,
        query_prefix: String::new(),
        ..example()
    };
    let dir = tempfile::tempdir().unwrap();
    reranker.write(dir.path()).unwrap();
    assert_eq!(Manifest::read(dir.path()).unwrap(), reranker);
    let text = fs::read_to_string(dir.path().join(MANIFEST_FILE)).unwrap();
    assert!(text.contains("kind = \"reranker\"") && !text.contains("dimensions"), "{text}");
    assert!(complaint(|m| m.kind = ModelKind::Reranker).starts_with("dimensions is for embedding models"));
    let reranker = || reranker.clone();
    assert!(complaint(|m| *m = Manifest { passage_prefix: "p".into(), ..reranker() }).contains("passage_prefix"));
    let layer = |file: &str, outputs, activation| DenseLayer { file: file.into(), outputs, activation };
    let layers = [
        layer("dense-1.safetensors", 8, Activation::Gelu),
        layer("dense-2.safetensors", 8, Activation::Norm),
        layer("dense-3.safetensors", 1, Activation::Identity),
    ];
    // Its weights are an ONNX graph, which has a classifier of its own.
    let of_graph = |m: &mut Manifest| {
        *m = Manifest { dense: layers.to_vec(), pooling: Some(Pooling::Cls), ..reranker() };
    };
    assert!(complaint(of_graph).contains("needs pooling, and weights in a .safetensors file"));
    let short = |m: &mut Manifest| *m = Manifest { dense: layers[..2].to_vec(), ..reranker() };
    assert!(complaint(short).contains("dense of a reranker is not"));
    assert!(complaint(|m| m.pooling = None).contains("pooling is missing"));
    assert!(complaint(|m| m.normalize = None).contains("normalize is missing"));
}

#[test]
fn named_weights_need_a_configuration_file() {
    let named = |change: fn(&mut Manifest)| {
        let mut manifest = example();
        let file = manifest.files.remove("model.onnx").unwrap();
        manifest.files.insert("config.json".into(), file.clone());
        manifest.files.insert("model.safetensors".into(), file);
        change(&mut manifest);
        manifest
    };
    let manifest = named(|m| m.center = true);
    manifest.check().unwrap();
    assert_eq!((manifest.form(), manifest.weights_file()), (WeightsForm::Safetensors, "model.safetensors"));
    let refused = |change| named(change).check().unwrap_err();
    assert!(refused(|m| _ = m.files.remove("config.json")).contains("does not name config.json"));
    assert!(refused(|m| _ = m.files.remove("tokenizer.json")).contains("does not name tokenizer.json"));
    assert!(
        refused(|m| _ = m.files.insert("a.onnx".into(), m.files["config.json"].clone())).contains("2 files of weights")
    );
}

#[test]
fn ids_that_are_not_plain_names_are_refused() {
    for id in ["", "onnxruntime", "OnnxRuntime", ".hidden", "..", "a/b", "a\\b", "a b", "ä", "a\0", &"x".repeat(101)] {
        assert!(complaint(|manifest| manifest.id = id.into()).starts_with("id '"), "{id}");
    }
}

#[test]
fn file_names_cannot_leave_the_folder() {
    for name in ["../model.bin", "/etc/passwd", "a/../b", "a//b", "c:\\x", ".verified", "a/./b", "a\nb"] {
        let reason = complaint(|manifest| {
            let file = manifest.files["model.onnx"].clone();
            manifest.files.insert(name.into(), file);
        });
        assert!(reason.starts_with("file '"), "{name}: {reason}");
    }
    let mut nested = example();
    let file = nested.files.remove("model.onnx").unwrap();
    nested.files.insert("onnx/model.onnx".into(), file);
    nested.check().unwrap();
    assert_eq!(nested.weights_file(), "onnx/model.onnx");
}

#[test]
fn invalid_fields_are_refused() {
    assert!(complaint(|m| m.dimensions = 0).contains("dimensions"));
    assert!(complaint(|m| m.window = 2).contains("window"));
    assert!(complaint(|m| m.query_prefix = "x".repeat(5000)).contains("query_prefix"));
    assert!(complaint(|m| _ = m.files.remove("model.onnx")).contains("0 files of weights"));
    assert!(complaint(|m| _ = m.files.remove("tokenizer.json")).contains("tokenizer.json"));
    assert!(
        complaint(|m| _ = m.files.insert("b.onnx".into(), m.files["model.onnx"].clone()))
            .contains("2 files of weights")
    );
    assert!(complaint(|m| m.files.get_mut("model.onnx").unwrap().sha256 = "A".repeat(64)).contains("sha256"));
    assert!(complaint(|m| m.files.get_mut("model.onnx").unwrap().size = (2 << 30) + 1).contains("larger"));
}

#[test]
fn a_misspelt_field_is_named_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    example().write(dir.path()).unwrap();
    let path = dir.path().join(MANIFEST_FILE);
    let text = fs::read_to_string(&path).unwrap().replace("query_prefix", "querry_prefix");
    fs::write(&path, text).unwrap();
    let error = Manifest::read(dir.path()).unwrap_err().to_string();
    assert!(error.contains("manifest.toml: line 5: unknown field `querry_prefix`"), "{error}");
}

#[test]
fn the_fingerprint_depends_only_on_what_affects_vectors() {
    let of = |change: fn(&mut Manifest)| {
        let mut manifest = example();
        change(&mut manifest);
        manifest.fingerprint()
    };
    let original = of(|_| {});
    assert!(original.as_str().starts_with("small-quantized@"));
    assert_eq!(original, of(|m| m.licence = "mit".into()));
    assert_eq!(original, of(|m| m.window = 128));
    assert_eq!(original, of(|m| m.source = None));
    assert_eq!(original, of(|m| m.languages = vec!["en".into()]));
    assert_eq!(original, of(|m| m.scale = Some(ModelScale::default())));
    let changes: [fn(&mut Manifest); 6] = [
        |m| m.center = true,
        |m| m.pooling = Some(Pooling::Cls),
        |m| m.normalize = Some(false),
        |m| m.query_prefix.clear(),
        |m| std::mem::swap(&mut m.query_prefix, &mut m.passage_prefix),
        |m| m.files.get_mut("tokenizer.json").unwrap().sha256 = "c".repeat(64),
    ];
    for change in changes {
        assert_ne!(original, of(change));
    }
}

#[test]
fn layers_and_a_cut_fit_the_vectors_and_change_the_fingerprint() {
    let layered = |change: fn(&mut Manifest)| {
        let mut manifest = Manifest { dimensions: 256, full_dimensions: Some(768), ..example() };
        let file = manifest.files["model.onnx"].clone();
        manifest.files.insert("dense-1.safetensors".into(), file);
        let layer = DenseLayer { file: "dense-1.safetensors".into(), outputs: 768, activation: Activation::Tanh };
        manifest.dense = vec![layer];
        change(&mut manifest);
        manifest
    };
    let dir = tempfile::tempdir().unwrap();
    let whole = layered(|_| ());
    whole.write(dir.path()).unwrap();
    assert_eq!(Manifest::read(dir.path()).unwrap(), whole);
    // The weights are those of the network, although the layer's file comes first.
    assert_eq!((whole.form(), whole.weights_file()), (WeightsForm::Onnx, "model.onnx"));
    let others: [fn(&mut Manifest); 2] = [|m| m.dense[0].activation = Activation::Identity, |m| m.dimensions = 128];
    for other in others {
        assert_ne!(layered(other).fingerprint(), whole.fingerprint());
    }
    let refused = |change: fn(&mut Manifest)| layered(change).check().unwrap_err();
    assert!(refused(|m| m.full_dimensions = Some(256)).starts_with("full_dimensions is 256"));
    assert!(refused(|m| m.full_dimensions = None).contains("ends with 768 numbers"));
    assert!(refused(|m| m.dense[0].file = "gone.safetensors".into()).contains("'gone.safetensors'"));
    assert!(refused(|m| m.dense[0].outputs = 0).contains("0 outputs"));
}
