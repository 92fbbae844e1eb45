//! The settings of a ModernBERT in `config.json`, in the forms that versions 4 and 5 of `transformers` write. A missing setting has the
//! value that `transformers` assumes.

use serde_json::Value;

use crate::bert::arithmetic::GatedUnit;
use crate::bert::modern::Modern;

/// Upper limit for the number of positions and for the number of near tokens.
const MAX_PLACES: u64 = 1 << 20;

/// Reads the settings of the encoder.
pub(super) fn read(config: &Value, layers: usize) -> Result<Modern, String> {
    let unit = match text(config, "hidden_activation", "gelu") {
        "gelu" => GatedUnit::Gelu,
        "silu" => GatedUnit::Silu,
        other => {
            return Err(format!("hidden_activation of its config.json is {}, not gelu or silu", other.escape_debug()));
        }
    };
    for name in ["attention_bias", "mlp_bias", "norm_bias"] {
        if !matches!(config[name], Value::Null | Value::Bool(false)) {
            return Err(format!("{name} of its config.json is not false"));
        }
    }
    let activation = text(config, "classifier_activation", "gelu");
    if activation != "gelu" {
        return Err(format!("classifier_activation of its config.json is {}, not gelu", activation.escape_debug()));
    }
    if !config["rope_scaling"].is_null() {
        return Err("rope_scaling of its config.json is not supported".into());
    }
    let reach = number(config, "local_attention", 128)? / 2;
    let global_theta = theta(config, "full_attention", "global_rope_theta", 160_000.0)?;
    // An explicit null means that both kinds of layers share the base.
    let is_shared = config.get("local_rope_theta").is_some_and(Value::is_null);
    let otherwise = if is_shared { f64::from(global_theta) } else { 10_000.0 };
    let local_theta = theta(config, "sliding_attention", "local_rope_theta", otherwise)?;
    Ok(Modern { global_every: global_every(config, layers)?, reach, unit, global_theta, local_theta })
}

/// Returns the number of positions.
pub(super) fn places(config: &Value) -> Result<usize, String> {
    number(config, "max_position_embeddings", 8192)
}

/// Whether a classifier reads the mean of all tokens' vectors instead of the first one.
pub(super) fn classifies_mean(config: &Value) -> Result<bool, String> {
    match text(config, "classifier_pooling", "cls") {
        "cls" => Ok(false),
        "mean" => Ok(true),
        other => Err(format!("classifier_pooling of its config.json is {}, not cls or mean", other.escape_debug())),
    }
}

/// Returns every how many layers a token attends to all others, either as a number or from a list of all layers.
fn global_every(config: &Value, layers: usize) -> Result<usize, String> {
    let Some(kinds) = config["layer_types"].as_array() else {
        return number(config, "global_attn_every_n_layers", 3);
    };
    let is_global: Vec<bool> = kinds.iter().map(|kind| kind == "full_attention").collect();
    let every = is_global.iter().skip(1).position(|global| *global).map_or(is_global.len().max(1), |next| next + 1);
    let known = kinds.iter().all(|kind| kind == "full_attention" || kind == "sliding_attention");
    let alternates = is_global.iter().enumerate().all(|(layer, global)| *global == layer.is_multiple_of(every));
    match known && alternates && is_global.len() == layers {
        true => Ok(every),
        false => Err("layer_types of its config.json do not alternate regularly".into()),
    }
}

/// Returns the base of the rotary embedding for layers of a kind.
fn theta(config: &Value, kind: &str, flat: &str, otherwise: f64) -> Result<f32, String> {
    let nested = &config["rope_parameters"][kind];
    if !matches!(&nested["rope_type"], Value::Null) && nested["rope_type"] != "default" {
        return Err(format!("rope_type of {kind} in its config.json is not default"));
    }
    let said = if nested["rope_theta"].is_null() { &config[flat] } else { &nested["rope_theta"] };
    let theta = if said.is_null() { otherwise } else { said.as_f64().unwrap_or_default() };
    match (1.0..=1e12).contains(&theta) {
        true => Ok(theta as f32),
        false => Err(format!("{flat} of its config.json is not 1 to 1e12")),
    }
}

fn number(config: &Value, name: &str, otherwise: u64) -> Result<usize, String> {
    let said = if config[name].is_null() { Some(otherwise) } else { config[name].as_u64() };
    let said = said.filter(|said| (1..=MAX_PLACES).contains(said));
    said.map(|said| said as usize).ok_or_else(|| format!("{name} of its config.json is not 1 to {MAX_PLACES}"))
}

fn text<'a>(config: &'a Value, name: &str, otherwise: &'a str) -> &'a str {
    match &config[name] {
        Value::Null => otherwise,
        said => said.as_str().unwrap_or("another"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Config;
    use super::*;

    /// The settings of ibm-granite/granite-embedding-small-english-r2 that matter here.
    fn granite() -> Value {
        json!({"model_type": "modernbert", "hidden_size": 384, "num_hidden_layers": 12, "num_attention_heads": 12,
            "intermediate_size": 1536, "hidden_activation": "gelu", "norm_eps": 1e-5, "layer_norm_eps": 1e-12,
            "position_embedding_type": "absolute", "global_attn_every_n_layers": 3, "global_rope_theta": 80000,
            "local_attention": 128, "local_rope_theta": 10000.0, "max_position_embeddings": 8192, "norm_bias": false,
            "attention_bias": false, "mlp_bias": false, "classifier_pooling": "mean"})
    }

    fn of(change: Value) -> Result<Config, String> {
        let mut config = granite();
        config.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        Config::read(config.to_string().as_bytes())
    }

    #[test]
    fn both_forms_of_the_settings_are_read() {
        let read = of(json!({})).unwrap();
        let modern =
            Modern { global_every: 3, reach: 64, unit: GatedUnit::Gelu, global_theta: 80_000.0, local_theta: 10_000.0 };
        assert_eq!((read.hidden, read.head, read.inner, read.epsilon), (384, 32, 1536, 1e-5));
        assert_eq!((read.modern, read.places, read.classifies_mean), (Some(modern), 8192, true));
        let kinds: Vec<&str> =
            (0..12).map(|layer| if layer % 3 == 0 { "full_attention" } else { "sliding_attention" }).collect();
        let newer = json!({"global_attn_every_n_layers": null, "layer_types": kinds, "hidden_activation": "silu",
            "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 5e4},
                "sliding_attention": {"rope_theta": 3e4}}});
        let newer = of(newer).unwrap().modern.unwrap();
        let expected = Modern { unit: GatedUnit::Silu, global_theta: 5e4, local_theta: 3e4, ..modern };
        assert_eq!(newer, expected);
        assert_eq!(of(json!({"local_rope_theta": null})).unwrap().modern.unwrap().local_theta, 80_000.0);
        // ibm-granite/granite-embedding-97m-multilingual-r2.
        let multilingual = json!({"hidden_activation": "silu", "global_rope_theta": 150_000.0,
            "local_rope_theta": 160_000.0, "max_position_embeddings": 32768, "vocab_size": 180_000});
        let read = of(multilingual).unwrap();
        let expected = Modern { unit: GatedUnit::Silu, global_theta: 150_000.0, local_theta: 160_000.0, ..modern };
        assert_eq!((read.modern, read.places), (Some(expected), 32768));
        let all_global = json!({"layer_types": vec!["full_attention"; 12]});
        assert_eq!(of(all_global).unwrap().modern.unwrap().global_every, 1);
    }

    #[test]
    fn unsupported_settings_are_refused_by_name() {
        for (name, value) in [
            ("hidden_activation", json!("relu\u{1b}")),
            ("attention_bias", json!(true)),
            ("mlp_bias", json!(true)),
            ("norm_bias", json!(1)),
            ("classifier_activation", json!("tanh")),
            ("classifier_pooling", json!("max")),
            ("rope_scaling", json!({"factor": 2})),
            ("local_attention", json!(0)),
            ("global_rope_theta", json!("many")),
            ("local_rope_theta", json!(-1)),
            ("norm_eps", json!(0)),
            ("max_position_embeddings", json!(u64::MAX)),
            ("layer_types", json!(["full_attention"])),
            ("layer_types", json!(vec!["sliding_attention"; 12])),
        ] {
            let reason = of(json!({name: value})).unwrap_err();
            assert!(reason.contains(name) && !reason.contains('\u{1b}'), "{name} = {value}: {reason}");
        }
        let scaled = json!({"rope_parameters": {"full_attention": {"rope_type": "yarn"}}});
        assert!(of(scaled).unwrap_err().contains("rope_type of full_attention"));
    }
}
