//! ModernBERTs with weights from a seed, as `transformers` saves them, and a byte-level tokenizer. scripts/quality/reference-vectors
//! makes the same ones. The integration tests use this file too.

use serde_json::{Map, Value, json};

/// Number of tokens that a test model reads at once.
const PLACES: usize = 512;

const SPECIAL: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "  "];
/// Words that are pieces, and all their beginnings are.
const WORDS: [&str; 6] = ["Ġwalrus", "Ġotter", "Ġtusk", "Ġstone", "river", "Ġeats"];

/// The shape of a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeededModern {
    pub(crate) seed: u64,
    pub(crate) hidden: usize,
    pub(crate) inner: usize,
    pub(crate) heads: usize,
    pub(crate) layers: usize,
    /// Width of the window of local layers.
    pub(crate) local: usize,
    pub(crate) activation: &'static str,
    /// Base of the rotary embedding of global layers.
    pub(crate) theta: f64,
}

/// Name, shape and numbers of a tensor.
pub(crate) type Tensor = (String, Vec<usize>, Vec<f32>);

/// A small model.
pub(crate) const SMALL: SeededModern = SeededModern {
    seed: 3,
    hidden: 128,
    inner: 192,
    heads: 4,
    layers: 4,
    local: 16,
    activation: "gelu",
    theta: 160_000.0,
};

/// A small model with wide heads and the other gated unit.
pub(crate) const SMALL_SILU: SeededModern =
    SeededModern { seed: 4, heads: 2, activation: "silu", theta: 80_000.0, ..SMALL };

/// The true shape of jhu-clsp/ettin-encoder-17m, which cross-encoder/ettin-reranker-17m-v1 is made from.
pub(crate) const ETTIN: SeededModern =
    SeededModern { seed: 5, hidden: 256, inner: 384, layers: 7, local: 128, ..SMALL };

/// The true shape of ibm-granite/granite-embedding-small-english-r2.
pub(crate) const GRANITE: SeededModern =
    SeededModern { seed: 6, hidden: 384, inner: 1536, heads: 12, layers: 12, local: 128, theta: 80_000.0, ..SMALL };

/// The texts of the reference. The last ones are longer than the windows of local layers.
pub(crate) fn texts() -> Vec<String> {
    let long = |count: usize| "A walrus eats  an otter by the river, ".repeat(count);
    vec!["walrus".into(), "The otter\n\n has a stone: é 明日 🎉".into(), long(3), long(10)]
}

impl SeededModern {
    /// Returns the tensors of an encoder, or of a classifier with one class.
    pub(crate) fn tensors(self, classifies: bool) -> Vec<Tensor> {
        let Self { hidden, inner, .. } = self;
        let prefix = if classifies { "model." } else { "" };
        let mut tensors: Vec<Tensor> = Vec::new();
        let mut put = |name: &str, shape: &[usize], mean: f64, spread: f64| {
            let seed = self.seed * 1000 + tensors.len() as u64;
            let count = shape.iter().product();
            tensors.push((name.to_owned(), shape.to_vec(), numbers(seed, count, mean, spread)));
        };
        let spread = |inputs: usize| 1.0 / (inputs as f64).sqrt();
        put(&format!("{prefix}embeddings.tok_embeddings.weight"), &[pieces().len(), hidden], 0.0, 0.5);
        put(&format!("{prefix}embeddings.norm.weight"), &[hidden], 1.0, 0.1);
        for layer in 0..self.layers {
            let name = |part: &str| format!("{prefix}layers.{layer}.{part}.weight");
            put(&name("attn.Wqkv"), &[3 * hidden, hidden], 0.0, spread(hidden));
            put(&name("attn.Wo"), &[hidden, hidden], 0.0, spread(hidden));
            if layer > 0 {
                put(&name("attn_norm"), &[hidden], 1.0, 0.1);
            }
            put(&name("mlp.Wi"), &[2 * inner, hidden], 0.0, spread(hidden));
            put(&name("mlp.Wo"), &[hidden, inner], 0.0, spread(inner));
            put(&name("mlp_norm"), &[hidden], 1.0, 0.1);
        }
        put(&format!("{prefix}final_norm.weight"), &[hidden], 1.0, 0.1);
        if classifies {
            put("head.dense.weight", &[hidden, hidden], 0.0, spread(hidden));
            put("head.norm.weight", &[hidden], 1.0, 0.1);
            put("classifier.weight", &[1, hidden], 0.0, spread(hidden));
            put("classifier.bias", &[1], 0.25, 0.0);
        }
        tensors
    }

    /// Returns `config.json`.
    pub(crate) fn config(self, classifies: Option<&str>) -> Value {
        let class = if classifies.is_some() { "ModernBertForSequenceClassification" } else { "ModernBertModel" };
        json!({"model_type": "modernbert", "architectures": [class], "hidden_size": self.hidden,
            "num_hidden_layers": self.layers, "num_attention_heads": self.heads, "intermediate_size": self.inner,
            "hidden_activation": self.activation, "norm_eps": 1e-5, "layer_norm_eps": 1e-5, "norm_bias": false,
            "attention_bias": false, "mlp_bias": false, "position_embedding_type": "absolute",
            "max_position_embeddings": PLACES, "global_attn_every_n_layers": 3, "local_attention": self.local,
            "global_rope_theta": self.theta, "local_rope_theta": 10000.0, "pad_token_id": 0, "num_labels": 1,
            "classifier_pooling": classifies.unwrap_or("cls")})
    }
}

/// Returns numbers near a mean: each is the sum of four uniform ones, from a counter (SplitMix64, Steele et al. 2014).
fn numbers(seed: u64, count: usize, mean: f64, spread: f64) -> Vec<f32> {
    let mix = |mut state: u64| {
        state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^ state >> 31
    };
    let start = mix(seed.wrapping_add(1));
    let number = |index: u64| {
        let bits = mix(start.wrapping_add((index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let total: u64 = (0..4).map(|part| bits >> (16 * part) & 0xffff).sum();
        // Four uniform numbers have a variance of a third.
        (mean + spread * ((total as f64 / 65536.0 - 2.0) * 3.0f64.sqrt())) as f32
    };
    (0..count as u64).map(number).collect()
}

/// Returns the file of tensors.
pub(crate) fn safetensors(tensors: Vec<Tensor>) -> Vec<u8> {
    let (mut directory, mut data) = (Map::new(), Vec::new());
    for (name, shape, values) in tensors {
        let start = data.len();
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        directory.insert(name, json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]}));
    }
    let directory = Value::Object(directory).to_string().into_bytes();
    [&(directory.len() as u64).to_le_bytes()[..], &directory, &data].concat()
}

/// Returns the character that spells a byte.
fn spelled(byte: u8) -> char {
    let is_visible = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let hidden = (0..byte).filter(|byte| !is_visible(byte)).count() as u32;
    if is_visible(&byte) { char::from(byte) } else { char::from_u32(0x100 + hidden).unwrap() }
}

/// Returns the two pieces of each merge.
fn merges() -> Vec<(String, String)> {
    let mut merges = Vec::new();
    for word in WORDS {
        let letters: Vec<char> = word.chars().collect();
        for end in 1..letters.len() {
            let merge = (letters[..end].iter().collect(), letters[end].to_string());
            if !merges.contains(&merge) {
                merges.push(merge);
            }
        }
    }
    merges
}

/// Returns the spellings of the pieces, by number.
pub(crate) fn pieces() -> Vec<String> {
    let bytes = (0..=u8::MAX).map(|byte| spelled(byte).to_string());
    let merged = merges().into_iter().map(|(left, right)| left + &right);
    SPECIAL.iter().map(|piece| (*piece).to_owned()).chain(bytes).chain(merged).collect()
}

/// Returns `tokenizer.json`, as that of ModernBERT is made.
pub(crate) fn tokenizer() -> Value {
    // The crate `tokenizers` gives added tokens that the vocabulary lacks numbers of its own.
    let vocabulary: Map<String, Value> =
        pieces().into_iter().enumerate().map(|(id, piece)| (piece, json!(id))).collect();
    let added = SPECIAL.iter().enumerate().map(|(id, piece)| {
        json!({"id": id, "content": piece, "single_word": false, "lstrip": false, "rstrip": false, "normalized": id == 4,
            "special": id < 4})
    });
    let special = |id: usize, part: u32| json!({"SpecialToken": {"id": SPECIAL[id], "type_id": part}});
    let sequence = |id: &str, part: u32| json!({"Sequence": {"id": id, "type_id": part}});
    let named = |id: usize| json!({"id": SPECIAL[id], "ids": [id], "tokens": [SPECIAL[id]]});
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added.collect::<Vec<_>>(),
        "normalizer": {"type": "NFC"}, "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true,
            "use_regex": true},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        "post_processor": {"type": "TemplateProcessing",
            "single": [special(2, 0), sequence("A", 0), special(3, 0)],
            "pair": [special(2, 0), sequence("A", 0), special(3, 0), sequence("B", 0), special(3, 0)],
            "special_tokens": {"[CLS]": named(2), "[SEP]": named(3)}},
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
            "vocab": vocabulary,
            "merges": merges().iter().map(|(left, right)| format!("{left} {right}")).collect::<Vec<_>>()}
    })
}
