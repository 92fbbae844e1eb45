//! Built-in corrections for models whose published files lack prefixes or calibration.

use super::super::{Manifest, WeightsForm};

/// The manifest of the same model in tars' own packages. Its calibration was made with 4-bit weights; the published
/// weights give nearly the same vectors.
const MULTILINGUAL: &str = include_str!("../../../models/multilingual-e5-small/manifest.toml");

/// Completes the manifest of a known model in `repository`.
pub(super) fn apply_corrections(repository: &str, manifest: &mut Manifest) {
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
    // ONNX Runtime does not centre the vectors, so this calibration does not fit its scores.
    if manifest.form() != WeightsForm::Onnx {
        manifest.center = known.center;
        manifest.scale = known.scale;
    }
}
