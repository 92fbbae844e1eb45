//! Tests of the origin of a model's files: the commit that a pull pins, and the repository that a model was converted from.

use super::*;

/// Returns the files of a conversion, which do not declare its pooling.
fn converted() -> Vec<(&'static str, Vec<u8>)> {
    files().into_iter().filter(|(name, _)| !name.contains("ool") && *name != "modules.json").collect()
}

/// Serves a conversion of `big/origin`, and that repository with these files.
fn serve_with_origin(origin_files: Vec<(&'static str, Vec<u8>)>) -> Loopback {
    let own = converted();
    let mut own_listing = listing(&own);
    own_listing["cardData"]["base_model"] = json!("big/origin");
    let origin_listing = listing(&origin_files);
    Loopback::start(move |asked| match asked.path.contains("big/origin") {
        true => {
            let path = asked.path.replace("big/origin", "acme/Small");
            hub_reply(&ReceivedRequest { path, ..asked.clone() }, &origin_listing, &origin_files)
        }
        false => hub_reply(asked, &own_listing, &own),
    })
}

#[test]
fn a_conversion_takes_the_pooling_of_its_origin() {
    let server = serve_with_origin(files());
    let dir = tempfile::tempdir().unwrap();
    let log = Log::default();
    let manifest = pull(&Hub::new(server.url(), None), "hf:acme/Small", dir.path(), &log).unwrap();
    assert_eq!(manifest.pooling, Some(Pooling::Cls));
    assert!(log.warnings.lock().unwrap()[0].contains("taken from big/origin"));
}

#[test]
fn an_origin_that_moved_on_brings_its_new_layers() {
    let dir = tempfile::tempdir().unwrap();
    let json = |value: Value| value.to_string().into_bytes();
    let module = |path: &str, kind: &str| json!({"path": path, "type": format!("sentence_transformers.models.{kind}")});
    let modules = json!([module("", "Transformer"), module("1_Pooling", "Pooling"), module("2_Dense", "Dense")]);
    let function = "torch.nn.modules.linear.Identity";
    let layer = json!({"in_features": 384, "out_features": 24, "activation_function": function});
    for weights in [b"first layer".to_vec(), b"second layer".to_vec()] {
        let mut origin = files();
        origin.retain(|(name, _)| *name != "modules.json");
        origin.extend([
            ("modules.json", json(modules.clone())),
            ("2_Dense/config.json", json(layer.clone())),
            ("2_Dense/model.safetensors", weights.clone()),
        ]);
        let manifest = pull_from(&serve_with_origin(origin), dir.path()).unwrap();
        assert_eq!(manifest.files["dense-1.safetensors"].sha256, file_of(&weights).sha256);
    }
}

#[test]
fn a_repository_without_declared_pooling_causes_a_warning() {
    let own = converted();
    let mut listing = listing(&own);
    listing["cardData"]["base_model"] = json!("gone/origin");
    let server = serve(listing, own);
    let dir = tempfile::tempdir().unwrap();
    let log = Log::default();
    let manifest = pull(&Hub::new(server.url(), None), "hf:acme/Small", dir.path(), &log).unwrap();
    assert_eq!(manifest.pooling, Some(Pooling::Mean));
    assert!(log.warnings.lock().unwrap()[0].contains("the mean is assumed"));
}

#[test]
fn a_file_that_changed_at_the_same_commit_is_refused_and_the_first_one_kept() {
    let dir = tempfile::tempdir().unwrap();
    let models = dir.path();
    pull_from(&serve(listing(&files()), files()), models).unwrap();
    let kept = Manifest::read(&models.join("small-quantized")).unwrap();
    let mut other = files();
    other[1].1 = b"{\"model\": null}".to_vec();
    let said = pull_from(&serve(listing(&other), other), models).unwrap_err().to_string();
    assert!(said.contains("small-quantized/tokenizer.json for the same commit"), "{said}");
    assert!(said.contains(&file_of(TOKENIZER).sha256), "{said}");
    assert_eq!(Manifest::read(&models.join("small-quantized")).unwrap(), kept);
    kept.verify(&models.join("small-quantized"), true).unwrap();
    // The same files are no reason to complain, and another commit is a new version.
    pull_from(&serve(listing(&files()), files()), models).unwrap();
}
