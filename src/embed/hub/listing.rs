//! A hub's description of a repository, and the choice of an ONNX file and a tokenizer from it.

use serde::Deserialize;
use serde_json::Value;

use super::super::EmbedError;
use super::spec::is_repository;

/// Variants in order of preference. The quantized ones have a quarter of the size and about the same quality.
const QUANTIZED: [&str; 2] = ["onnx/model_quantized.onnx", "onnx/model_int8.onnx"];
const WHOLE: [&str; 2] = ["onnx/model.onnx", "model.onnx"];

/// A repository at one commit, from `/api/models/OWNER/NAME/revision/REVISION?blobs=true`.
#[derive(Debug, Deserialize)]
pub(super) struct Listing {
    /// `OWNER/NAME`, as requested.
    #[serde(skip)]
    pub(super) repository: String,
    pub(super) sha: String,
    #[serde(default)]
    siblings: Vec<RepositoryFile>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default, rename = "cardData")]
    card: Value,
}

/// A file of a repository.
#[derive(Debug, Deserialize)]
pub(super) struct RepositoryFile {
    pub(super) rfilename: String,
    size: Option<u64>,
    lfs: Option<LargeFile>,
}

#[derive(Debug, Deserialize)]
struct LargeFile {
    sha256: Option<String>,
    size: Option<u64>,
}

impl RepositoryFile {
    /// Returns the announced size in bytes, if one is announced.
    pub(super) fn size(&self) -> Option<u64> {
        self.lfs.as_ref().and_then(|lfs| lfs.size).or(self.size)
    }

    /// Returns the announced size in bytes, or 0.
    pub(super) fn bytes(&self) -> u64 {
        self.size().unwrap_or(0)
    }

    /// Returns the announced sha256; only large files have one.
    pub(super) fn sha256(&self) -> Option<&str> {
        self.lfs.as_ref()?.sha256.as_deref()
    }
}

impl Listing {
    /// Whether the commit is a valid hash. It becomes part of addresses and of the manifest.
    pub(super) fn has_valid_commit(&self) -> bool {
        matches!(self.sha.len(), 40 | 64) && self.sha.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    /// Returns the file at `path`.
    pub(super) fn file(&self, path: &str) -> Option<&RepositoryFile> {
        self.siblings.iter().find(|file| file.rfilename == path)
    }

    /// Returns the ONNX file for `architecture`: `wanted`, or the first of the usual names.
    pub(super) fn onnx(&self, wanted: Option<&str>, architecture: &str) -> Result<&RepositoryFile, EmbedError> {
        let candidates = match wanted {
            Some(path) => vec![self.file(path).ok_or_else(|| self.missing(&format!("file {path}")))?],
            None => self.usual_onnx(architecture),
        };
        if let Some(file) = candidates.iter().find(|file| !self.has_external_data(&file.rfilename)) {
            return Ok(file);
        }
        if let Some(file) = candidates.first() {
            let reason = format!("{} keeps its weights in external data files", file.rfilename);
            return Err(self.unusable(reason));
        }
        let paths = self.siblings.iter().map(|file| file.rfilename.as_str());
        let others: Vec<_> = paths.filter(|path| path.ends_with(".onnx")).take(10).map(str::escape_debug).collect();
        let others: Vec<_> = others.into_iter().map(|path| path.to_string()).collect();
        Err(self.unusable(match others.is_empty() {
            true => "it holds no .onnx file".into(),
            false => format!("none of its .onnx files has a usual name; name one: {}", others.join(", ")),
        }))
    }

    /// Returns the tokenizer: the one at the root, or the one beside the ONNX file.
    pub(super) fn tokenizer(&self, onnx: &str) -> Result<&RepositoryFile, EmbedError> {
        let beside = onnx.rsplit_once('/').map(|(folder, _)| format!("{folder}/tokenizer.json"));
        self.file("tokenizer.json")
            .or_else(|| self.file(beside.as_deref()?))
            .ok_or_else(|| self.unusable("it holds no tokenizer.json".into()))
    }

    /// Returns the declared licence, or `unknown`.
    pub(super) fn licence(&self) -> String {
        let named = |field| one_text(self.card.get(field)?);
        let tagged = || self.tags.iter().find_map(|tag| tag.strip_prefix("license:"));
        let licence = match named("license") {
            Some("other") => named("license_name").or(Some("other")),
            licence => licence.or_else(tagged),
        };
        licence.unwrap_or("unknown").chars().filter(|c| !c.is_control()).take(100).collect()
    }

    /// Returns the repository that this one was converted from, if it declares exactly one.
    pub(super) fn base_model(&self) -> Option<String> {
        let name = one_text(self.card.get("base_model")?)?;
        (is_repository(name) && name != self.repository).then(|| name.to_owned())
    }

    /// Returns an error with the reason why this repository is unusable.
    pub(super) fn unusable(&self, reason: String) -> EmbedError {
        EmbedError::Unusable { repository: self.repository.clone(), reason }
    }

    /// Returns an error that names a missing file or revision.
    pub(super) fn missing(&self, what: &str) -> EmbedError {
        EmbedError::NotFound { repository: self.repository.clone(), what: what.into() }
    }

    fn usual_onnx(&self, architecture: &str) -> Vec<&RepositoryFile> {
        let mut qint8: Vec<_> = self.siblings.iter().filter(|file| is_qint8(&file.rfilename, architecture)).collect();
        qint8.sort_by_key(|file| (file.rfilename.len(), &file.rfilename));
        let named = |paths: [&'static str; 2]| paths.into_iter().filter_map(|path| self.file(path));
        named(QUANTIZED).chain(qint8).chain(named(WHOLE)).collect()
    }

    /// Whether the ONNX file at `path` has external data files such as `model.onnx_data`, without which it cannot be loaded.
    fn has_external_data(&self, path: &str) -> bool {
        let stem = path.trim_end_matches(".onnx");
        let companions = [format!("{path}_data"), format!("{path}.data"), format!("{stem}.data")];
        self.siblings.iter().any(|file| companions.iter().any(|start| file.rfilename.starts_with(start)))
    }
}

/// Whether `path` is an int8 variant for this architecture or for any.
fn is_qint8(path: &str, architecture: &str) -> bool {
    let Some(variant) = path.strip_prefix("onnx/model_qint8").and_then(|rest| rest.strip_suffix(".onnx")) else {
        return false;
    };
    let plain = variant.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let foreign = (variant.contains("arm64") && architecture != "aarch64")
        || (variant.contains("avx") && !architecture.starts_with("x86"));
    plain && !foreign
}

/// Returns a string, or the only element of a list of strings.
fn one_text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(list) if list.len() == 1 => list[0].as_str(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn listing(files: &[&str]) -> Listing {
        let siblings: Vec<_> = files.iter().map(|name| json!({ "rfilename": name })).collect();
        let mut listing: Listing =
            serde_json::from_value(json!({"sha": "a".repeat(40), "siblings": siblings})).unwrap();
        listing.repository = "acme/small".into();
        listing
    }

    fn chosen(files: &[&str], wanted: Option<&str>, architecture: &str) -> Result<String, String> {
        let listing = listing(files);
        listing.onnx(wanted, architecture).map(|file| file.rfilename.clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_quantized_variant_is_preferred() {
        let files = ["model.onnx", "onnx/model.onnx", "onnx/model_int8.onnx", "onnx/model_quantized.onnx"];
        for end in (1..=4).rev() {
            assert_eq!(chosen(&files[..end], None, "x86_64").unwrap(), files[end - 1]);
        }
    }

    #[test]
    fn int8_variants_follow_the_architecture() {
        let files = [
            "onnx/model.onnx",
            "onnx/model_qint8_arm64.onnx",
            "onnx/model_qint8_avx512_vnni.onnx",
            "onnx/model_qint8_avx512.onnx",
        ];
        assert_eq!(chosen(&files, None, "x86_64").unwrap(), "onnx/model_qint8_avx512.onnx");
        assert_eq!(chosen(&files, None, "aarch64").unwrap(), "onnx/model_qint8_arm64.onnx");
        assert_eq!(chosen(&files, None, "riscv64").unwrap(), "onnx/model.onnx");
        assert_eq!(chosen(&files[..2], None, "x86_64").unwrap(), "onnx/model.onnx");
        assert_eq!(chosen(&["onnx/model_qint8/../x.onnx", "model.onnx"], None, "x86_64").unwrap(), "model.onnx");
    }

    #[test]
    fn an_explicit_file_is_used_or_reported_missing() {
        let files = ["onnx/model.onnx", "onnx/model_O3.onnx"];
        assert_eq!(chosen(&files, Some("onnx/model_O3.onnx"), "x86_64").unwrap(), "onnx/model_O3.onnx");
        let error = chosen(&files, Some("model.onnx"), "x86_64").unwrap_err();
        assert_eq!(error, "acme/small has no file model.onnx");
    }

    #[test]
    fn files_with_external_data_are_skipped_or_refused() {
        let files = ["onnx/model.onnx", "onnx/model.onnx_data"];
        assert!(chosen(&files, None, "x86_64").unwrap_err().contains("external data"));
        assert!(chosen(&files, Some("onnx/model.onnx"), "x86_64").unwrap_err().contains("external data"));
        assert!(chosen(&["model.onnx", "model.onnx.data"], None, "x86_64").is_err());
        let more = ["onnx/model.onnx", "onnx/model.onnx_data", "onnx/model_quantized.onnx"];
        assert_eq!(chosen(&more, None, "x86_64").unwrap(), more[2]);
        let quantized = ["onnx/model_quantized.onnx", "onnx/model_quantized.onnx_data", "onnx/model.onnx"];
        assert_eq!(chosen(&quantized, None, "x86_64").unwrap(), "onnx/model.onnx");
    }

    #[test]
    fn the_error_for_a_repository_without_a_usual_model_lists_its_files() {
        assert!(chosen(&["model.safetensors"], None, "x86_64").unwrap_err().contains("no .onnx file"));
        let error = chosen(&["model_optimized.onnx"], None, "x86_64").unwrap_err();
        assert!(error.ends_with("name one: model_optimized.onnx"), "{error}");
    }

    #[test]
    fn the_tokenizer_may_be_beside_the_model() {
        let both = listing(&["onnx/tokenizer.json", "tokenizer.json"]);
        assert_eq!(both.tokenizer("onnx/model.onnx").unwrap().rfilename, "tokenizer.json");
        let beside = listing(&["onnx/tokenizer.json"]);
        assert_eq!(beside.tokenizer("onnx/model.onnx").unwrap().rfilename, "onnx/tokenizer.json");
        assert!(beside.tokenizer("model.onnx").is_err());
    }

    #[test]
    fn licence_and_origin_come_from_the_card() {
        let with = |card: Value, tags: &[&str]| Listing {
            card,
            tags: tags.iter().map(|tag| (*tag).into()).collect(),
            ..listing(&[])
        };
        assert_eq!(with(json!({"license": "mit"}), &["license:apache-2.0"]).licence(), "mit");
        assert_eq!(with(json!({"license": ["mit"]}), &[]).licence(), "mit");
        assert_eq!(with(json!({"license": "other", "license_name": "gemma\u{1b}"}), &[]).licence(), "gemma");
        assert_eq!(with(Value::Null, &["license:apache-2.0"]).licence(), "apache-2.0");
        assert_eq!(with(Value::Null, &[]).licence(), "unknown");
        let origin = |value: Value| with(json!({ "base_model": value }), &[]).base_model();
        assert_eq!(origin(json!("big/model")).as_deref(), Some("big/model"));
        assert_eq!(origin(json!(["big/model"])).as_deref(), Some("big/model"));
        for none in [json!(["a/b", "c/d"]), json!("../.."), json!("acme/small"), json!(3)] {
            assert_eq!(origin(none), None);
        }
    }

    #[test]
    fn a_commit_is_hexadecimal() {
        assert!(listing(&[]).has_valid_commit());
        for sha in ["", "main", "../../../../etc", &"g".repeat(40)] {
            assert!(!Listing { sha: sha.into(), ..listing(&[]) }.has_valid_commit());
        }
    }
}
