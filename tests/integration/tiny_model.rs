//! A cross-encoder of a few kilobytes that tests build: it counts the words that a question and a text have in common.
//!
//! The network is a real ONNX file and its tokenizer a real WordPiece one, so that the code which loads and runs a
//! published model loads and runs this one. Its logit is `3 * shared - 4`: no common word gives far below zero, one word
//! a little below, two above. A word that occurs twice in the text counts twice.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::onnx_file::{FLOAT, INT64, Message, int, ints, node, tensor, value};

/// The vocabulary; every other word is `[UNK]` and counts nothing.
const WORDS: [&str; 12] =
    ["walrus", "otter", "puffin", "tusk", "stone", "beak", "ice", "river", "cliff", "sleeps", "eats", "flies"];
const SPECIAL: [&str; 4] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];

/// The shape of a model.
#[derive(Clone, Copy)]
pub(crate) struct Tiny {
    /// Number of classes.
    pub(crate) classes: usize,
    /// Longest input in tokens, including special ones.
    pub(crate) window: usize,
}

impl Tiny {
    pub(crate) fn new() -> Self {
        Self { classes: 1, window: 64 }
    }

    /// Installs it as `id` in a models directory.
    pub(crate) fn install(self, models: &Path, id: &str) {
        let dir = models.join(id);
        fs::create_dir_all(&dir).unwrap();
        let mut manifest = format!("id = '{id}'\nkind = 'reranker'\nwindow = {}\nlicence = 'mit'\n", self.window);
        for (name, bytes) in [("model.onnx", self.onnx()), ("tokenizer.json", tokenizer())] {
            let sha256 = tars_base::domain::hex(&Sha256::digest(&bytes));
            manifest.push_str(&format!("[files.'{name}']\nsha256 = '{sha256}'\nsize = {}\n", bytes.len()));
            fs::write(dir.join(name), bytes).unwrap();
        }
        fs::write(dir.join("manifest.toml"), manifest).unwrap();
    }

    /// Returns the network as an ONNX file.
    pub(crate) fn onnx(self) -> Vec<u8> {
        let rows = SPECIAL.len() + WORDS.len();
        // The row of a word is its own unit vector; those of special tokens are zero.
        let mut table = vec![0.0; rows * WORDS.len()];
        for word in 0..WORDS.len() {
            table[(SPECIAL.len() + word) * WORDS.len() + word] = 1.0;
        }
        // With several classes, the last one gets the score and the first one its negative part.
        let (mut weights, mut bias) = (vec![0.0; self.classes], vec![0.0; self.classes]);
        weights[self.classes - 1] = 3.0;
        bias[0] = if self.classes == 1 { -4.0 } else { 4.0 };
        let nodes = [
            node("Gather", &["table", "input_ids"], "words", &[]),
            node("Cast", &["attention_mask"], "mask", &[int("to", FLOAT)]),
            node("Cast", &["token_type_ids"], "second", &[int("to", FLOAT)]),
            node("Sub", &["mask", "second"], "first", &[]),
            node("Unsqueeze", &["first"], "of_question", &[ints("axes", &[2])]),
            node("Unsqueeze", &["second"], "of_text", &[ints("axes", &[2])]),
            node("Mul", &["words", "of_question"], "question_words", &[]),
            node("Mul", &["words", "of_text"], "text_words", &[]),
            node("ReduceSum", &["question_words"], "question", &[ints("axes", &[1]), int("keepdims", 0)]),
            node("ReduceSum", &["text_words"], "text", &[ints("axes", &[1]), int("keepdims", 0)]),
            node("Mul", &["question", "text"], "common", &[]),
            node("ReduceSum", &["common"], "shared", &[ints("axes", &[1]), int("keepdims", 1)]),
            node("MatMul", &["shared", "weights"], "weighted", &[]),
            node("Add", &["weighted", "bias"], "logits", &[]),
        ];
        let mut graph = Message::default();
        for node in nodes {
            graph = graph.bytes(1, &node);
        }
        graph = graph
            .bytes(2, b"tiny")
            .bytes(5, &tensor("table", &[rows, WORDS.len()], &table))
            .bytes(5, &tensor("weights", &[1, self.classes], &weights))
            .bytes(5, &tensor("bias", &[self.classes], &bias));
        for input in ["input_ids", "attention_mask", "token_type_ids"] {
            graph = graph.bytes(11, &value(input, INT64));
        }
        graph = graph.bytes(12, &value("logits", FLOAT));
        // ir_version, graph, opset_import.
        Message::default().number(1, 6).bytes(7, &graph.0).bytes(8, &Message::default().number(2, 11).0).0
    }
}

/// The configuration that a repository of this model publishes.
pub(crate) fn config() -> Value {
    json!({"architectures": ["BertForSequenceClassification"], "hidden_size": 12, "id2label": {"0": "LABEL_0"},
        "max_position_embeddings": 64, "model_type": "bert"})
}

/// Returns a WordPiece tokenizer; like published ones it would pad and cut by itself if it were allowed to.
pub(crate) fn tokenizer() -> Vec<u8> {
    let vocabulary: serde_json::Map<String, Value> =
        SPECIAL.iter().chain(&WORDS).enumerate().map(|(id, word)| ((*word).to_owned(), json!(id))).collect();
    let added: Vec<Value> = SPECIAL
        .iter()
        .enumerate()
        .map(|(id, word)| {
            json!({"id": id, "content": word, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true})
        })
        .collect();
    let sequence = |id: &str, part: u32| json!({"Sequence": {"id": id, "type_id": part}});
    let special = |id: &str, part: u32| json!({"SpecialToken": {"id": id, "type_id": part}});
    let named = |word: &str, id: u32| json!({"id": word, "ids": [id], "tokens": [word]});
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
            "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": added,
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)],
            "pair": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0), sequence("B", 1),
                special("[SEP]", 1)],
            "special_tokens": {"[CLS]": named("[CLS]", 2), "[SEP]": named("[SEP]", 3)}
        },
        "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary}
    })
    .to_string()
    .into_bytes()
}
