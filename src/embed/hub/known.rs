//! Models that tars knows better than their authors' files say: how they want to be asked, and how their scores are to be read.

use super::super::{Manifest, WeightsForm};

/// The manifest with which tars installs this model from another place. Its calibration was made with weights of 4 bits; those of
/// a repository give nearly the same vectors.
const MULTILINGUAL: &str = include_str!("../../../models/multilingual-e5-small/manifest.toml");

/// Puts what tars knows of the model in `repository` into its manifest.
pub(super) fn complete(repository: &str, manifest: &mut Manifest) {
    if repository != "intfloat/multilingual-e5-small" {
        return;
    }
    let known: Manifest = toml::from_str(MULTILINGUAL).expect("a test reads it");
    manifest.pooling = known.pooling;
    manifest.normalize = known.normalize;
    manifest.query_prefix = known.query_prefix;
    manifest.passage_prefix = known.passage_prefix;
    manifest.window = known.window;
    manifest.languages = known.languages;
    // ONNX Runtime's vectors keep their mean, and their scores are others.
    if manifest.form() != WeightsForm::Onnx {
        manifest.center = known.center;
        manifest.scale = known.scale;
    }
}
