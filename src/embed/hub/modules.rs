//! Reads `modules.json`: the steps of a model that sentence-transformers published, and the layers after its pooling.

use serde_json::Value;

use super::super::Activation;
use super::super::manifest::check_name;

/// Upper limit for the layers after a pooling; models have one or two.
const MAX_DENSE: usize = 8;

/// A layer after the pooling.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DenseModule {
    /// Its folder in the repository.
    pub(super) folder: String,
    pub(super) outputs: usize,
    pub(super) activation: Activation,
}

/// Returns whether the modules include a normalisation. Refuses unknown modules, and another order than encoder, pooling, dense layers,
/// normalisation.
pub(super) fn check_modules(modules: &Value) -> Result<bool, String> {
    const ORDER: [&str; 4] = ["Transformer", "Pooling", DENSE, "Normalize"];
    // Dropout changes nothing outside of training.
    let kinds: Vec<&str> = list(modules).filter_map(kind).filter(|kind| *kind != "Dropout").collect();
    if let Some(other) = kinds.iter().find(|kind| !ORDER.contains(kind)) {
        return Err(format!("its module {} is not supported", other.escape_debug()));
    }
    if !kinds.contains(&"Pooling") {
        return Err("its modules.json names no pooling".into());
    }
    if kinds.iter().filter(|kind| **kind == DENSE).count() > MAX_DENSE {
        return Err(format!("it has more than {MAX_DENSE} dense layers"));
    }
    let places = kinds.iter().map(|kind| ORDER.iter().position(|known| known == kind));
    match places.is_sorted() {
        true => Ok(kinds.contains(&"Normalize")),
        false => Err(format!("the order of its modules ({}) is not supported", kinds.join(", "))),
    }
}

/// Class name of the modules that are layers after the pooling.
const DENSE: &str = "Dense";

/// Class name of the module that normalises inside of a classifier.
const NORM: &str = "LayerNorm";

/// Whether the modules are a cross-encoder with a classifier after the pooling, as the Ettin rerankers are published.
pub(super) fn has_classifier(modules: &Value) -> bool {
    let kinds = list(modules).filter_map(kind).filter(|kind| *kind != "Dropout");
    kinds.eq(["Transformer", "Pooling", DENSE, NORM, DENSE])
}

/// Reads the three layers of such a classifier, whose input has `hidden` numbers.
pub(super) fn classifier(modules: &[(String, Option<Value>)], hidden: usize) -> Result<Vec<DenseModule>, String> {
    let [first, norm, last] = modules else { return Err("its classifier does not have three layers".into()) };
    let layer = |(folder, config): &(String, Option<Value>), outputs: usize, activation: Activation, name: &str| {
        let said = |key: &str| config.as_ref().and_then(|config| config.get(key));
        let is = |key: &str, size: usize| said(key).and_then(Value::as_u64) == Some(size as u64);
        let function = said("activation_function").and_then(Value::as_str).and_then(|path| path.rsplit('.').next());
        let fits = match activation {
            Activation::Norm => is("dimension", hidden),
            _ => is("in_features", hidden) && is("out_features", outputs) && function == Some(name),
        };
        match fits && said("use_residual") != Some(&Value::Bool(true)) {
            true => Ok(DenseModule { folder: folder.clone(), outputs, activation }),
            false => Err(format!("the layer '{folder}' of its classifier is not supported")),
        }
    };
    Ok(vec![
        layer(first, hidden, Activation::Gelu, "GELU")?,
        layer(norm, hidden, Activation::Norm, "")?,
        layer(last, 1, Activation::Identity, "Identity")?,
    ])
}

/// Returns the folders of the layers after the pooling.
pub(super) fn dense_folders(modules: &Value) -> impl Iterator<Item = &str> {
    let dense = list(modules).filter(|module| matches!(kind(module), Some(DENSE | NORM)));
    // A hostile name stays in the list, as a folder that does not exist.
    let dense = dense.take(MAX_DENSE);
    dense.map(|module| module["path"].as_str().filter(|path| check_name(path).is_ok()).unwrap_or_default())
}

/// Reads the layers after the pooling, each with its folder and its configuration.
pub(super) fn dense(modules: &[(String, Option<Value>)]) -> Result<Vec<DenseModule>, String> {
    let mut before = None;
    let mut layers = Vec::new();
    for (folder, config) in modules {
        let said = |key: &str| config.as_ref().and_then(|config| config.get(key));
        let size = |key| said(key).and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok());
        let (Some(inputs), Some(outputs)) = (size("in_features"), size("out_features")) else {
            return Err(format!("its dense layer '{folder}' does not declare its sizes"));
        };
        if before.is_some_and(|before| before != inputs) {
            return Err(format!("its dense layer '{folder}' does not read the one before it"));
        }
        // A layer may read the vectors of tokens instead, as ColBERT's do.
        let names = ["module_input_name", "module_output_name"].map(said);
        if names.iter().flatten().any(|name| **name != Value::Null && **name != "sentence_embedding") {
            return Err(format!("its dense layer '{folder}' is not one after the pooling"));
        }
        if said("use_residual") == Some(&Value::Bool(true)) {
            return Err(format!("its dense layer '{folder}' adds its input to its result, which is not supported"));
        }
        let function = said("activation_function").and_then(Value::as_str).unwrap_or_default();
        // A dotted path that differs between versions.
        let activation = match function.rsplit('.').next() {
            Some("Identity") => Activation::Identity,
            Some("Tanh") => Activation::Tanh,
            Some("ReLU") => Activation::Relu,
            Some("GELU") => Activation::Gelu,
            _ => return Err(format!("the function {} of its dense layer is not supported", function.escape_debug())),
        };
        layers.push(DenseModule { folder: folder.clone(), outputs, activation });
        before = Some(outputs);
    }
    Ok(layers)
}

/// Returns the folder of the pooling.
pub(super) fn pooling_folder(modules: &Value) -> Option<&str> {
    let path = list(modules).find(|module| kind(module) == Some("Pooling"))?.get("path")?.as_str()?;
    check_name(path).is_ok().then_some(path)
}

/// Returns the elements of a list; none of another value.
pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the class name of a module. Its type is a dotted path that differs between versions.
fn kind(module: &Value) -> Option<&str> {
    module.get("type")?.as_str()?.rsplit('.').next()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_folder_of_a_module_is_a_plain_name() {
        let usual = json!([{"path": "", "type": "sentence_transformers.models.Transformer"},
            {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]);
        assert_eq!(pooling_folder(&usual), Some("1_Pooling"));
        let hostile = json!([{"path": "../../x", "type": "sentence_transformers.models.Pooling"}]);
        assert_eq!(pooling_folder(&hostile), None);
        let hostile = json!([{"path": "../../x", "type": "sentence_transformers.models.Dense"}]);
        assert_eq!(dense_folders(&hostile).collect::<Vec<_>>(), [""]);
    }
}
