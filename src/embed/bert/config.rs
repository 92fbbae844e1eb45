//! Reads `config.json`, which describes the shape of an encoder: one of the BERT family or a ModernBERT.

mod modern;

use serde_json::Value;

use super::arithmetic::BLOCK;
use super::modern::Modern;

/// Upper limits; no encoder beyond them could run in reasonable time.
const MAX_LAYERS: u64 = 128;
const MAX_WIDTH: u64 = 1 << 14;

/// The shape of an encoder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Config {
    /// Length of a token's vector.
    pub(super) hidden: usize,
    pub(super) layers: usize,
    /// Length of a head's part of a token's vector.
    pub(super) head: usize,
    /// Length of the intermediate vector of the feed-forward network.
    pub(super) inner: usize,
    /// Epsilon of the normalisations.
    pub(super) epsilon: f32,
    /// Index of the first token's position embedding: RoBERTa and XLM-R skip the indices up to that of the padding.
    pub(super) first_place: usize,
    /// The settings of a ModernBERT; `None` for the BERT family.
    pub(super) modern: Option<Modern>,
    /// Number of positions of a ModernBERT, which has no table of them.
    pub(super) places: usize,
    /// Whether a classifier reads the mean of all tokens' vectors instead of the first one.
    pub(super) classifies_mean: bool,
}

impl Config {
    /// Parses the file.
    ///
    /// # Errors
    /// A short description of the first unsupported setting.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        Self::of(&serde_json::from_slice(bytes).map_err(|error| format!("its config.json is not JSON: {error}"))?)
    }

    /// Reads the parsed file.
    ///
    /// # Errors
    /// As [`Config::read`].
    fn of(config: &Value) -> Result<Self, String> {
        let family = config["model_type"].as_str().unwrap_or("of no known kind");
        let first_place = match family {
            "bert" | MODERN => 0,
            "roberta" | "xlm-roberta" => 1 + number(config, "pad_token_id", 1)?,
            other => {
                let other = other.escape_debug();
                return Err(format!("its network is {other}, not bert, roberta, xlm-roberta or modernbert"));
            }
        };
        let is_modern = family == MODERN;
        let expected = [("hidden_act", "gelu"), ("position_embedding_type", "absolute")];
        for (name, expected) in expected.into_iter().filter(|_| !is_modern) {
            let said = config.get(name).map(|said| said.as_str().unwrap_or("another"));
            if said.is_some_and(|said| said != expected) || said.is_none() && name == "hidden_act" {
                let said = said.unwrap_or("not there");
                return Err(format!("{name} of its config.json is {}, not {expected}", said.escape_debug()));
            }
        }
        if config["is_decoder"] == true {
            return Err("its network is a decoder".into());
        }
        let size = |name: &str, most: u64| {
            let size = config[name].as_u64().filter(|size| (1..=most).contains(size));
            size.map(|size| size as usize).ok_or_else(|| format!("{name} of its config.json is not 1 to {most}"))
        };
        let (hidden, inner) = (size("hidden_size", MAX_WIDTH)?, size("intermediate_size", MAX_WIDTH)?);
        let (layers, heads) = (size("num_hidden_layers", MAX_LAYERS)?, size("num_attention_heads", MAX_WIDTH)?);
        let head = hidden / heads;
        if !hidden.is_multiple_of(heads)
            || !matches!(head, 32 | 64)
            || [hidden, inner].iter().any(|size| size % BLOCK != 0)
        {
            return Err(format!("its vectors of {hidden} and {inner} in {heads} heads are not supported"));
        }
        let (name, otherwise) = if is_modern { ("norm_eps", 1e-5) } else { ("layer_norm_eps", 1e-12) };
        let epsilon = config[name].as_f64().unwrap_or(otherwise) as f32;
        if !(epsilon > 0.0 && epsilon < 1.0) {
            return Err(format!("{name} of its config.json is not between 0 and 1"));
        }
        let first_place = first_place as usize;
        let bert =
            Self { hidden, layers, head, inner, epsilon, first_place, modern: None, places: 0, classifies_mean: false };
        match is_modern {
            true => Ok(Self {
                modern: Some(modern::read(config, layers)?),
                places: modern::places(config)?,
                classifies_mean: modern::classifies_mean(config)?,
                ..bert
            }),
            false => Ok(bert),
        }
    }
}

/// The family whose settings [`modern`] reads.
const MODERN: &str = "modernbert";

fn number(config: &Value, name: &str, otherwise: u64) -> Result<u64, String> {
    match &config[name] {
        Value::Null => Ok(otherwise),
        value => value
            .as_u64()
            .filter(|number| *number < MAX_WIDTH)
            .ok_or_else(|| format!("{name} of its config.json is not a valid number")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config() -> Value {
        json!({"model_type": "bert", "hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12,
            "intermediate_size": 1536, "layer_norm_eps": 1e-12, "hidden_act": "gelu"})
    }

    #[test]
    fn the_shape_is_read_and_positions_start_after_the_padding() {
        let read = Config::of(&config()).unwrap();
        assert_eq!((read.hidden, read.layers, read.head, read.inner, read.epsilon), (384, 6, 32, 1536, 1e-12));
        assert_eq!((read.first_place, read.modern), (0, None));
        for (more, first_place) in [(json!({}), 2), (json!({"pad_token_id": 3}), 4), (json!({"pad_token_id": null}), 2)]
        {
            let mut config = config();
            config["model_type"] = "xlm-roberta".into();
            config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            assert_eq!(Config::of(&config).unwrap().first_place, first_place);
        }
    }

    #[test]
    fn unsupported_settings_are_refused_by_name() {
        for (name, value) in [
            ("model_type", json!("mpnet\u{1b}")),
            ("model_type", Value::Null),
            ("hidden_act", json!("gelu_new")),
            ("hidden_act", json!(3)),
            ("position_embedding_type", json!("relative_key")),
            ("hidden_size", json!(100)),
            ("hidden_size", json!(u64::MAX)),
            ("intermediate_size", json!(-1)),
            ("num_hidden_layers", json!(0)),
            ("num_attention_heads", json!(5)),
            ("num_attention_heads", json!(3)),
            ("layer_norm_eps", json!(0)),
            ("is_decoder", json!(true)),
        ] {
            let mut config = config();
            config[name] = value.clone();
            let reason = Config::of(&config).unwrap_err();
            assert!(!reason.contains('\u{1b}') && !reason.is_empty(), "{name} = {value}: {reason}");
        }
        let mut config = config();
        config.as_object_mut().unwrap().remove("hidden_act");
        assert!(Config::of(&config).unwrap_err().contains("hidden_act"));
        assert!(Config::read(b"{").unwrap_err().contains("not JSON"));
    }
}
