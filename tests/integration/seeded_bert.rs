//! Encoders of the BERT family with weights from a seed, in the forms in which authors publish models: the same weights as
//! `model.safetensors` and as an ONNX graph, with `config.json` and `tokenizer.json`.
//!
//! Random weights are harder on a kernel that rounds than trained ones: they have no redundancy.

use serde_json::{Value, json};

use crate::charsmap::charsmap;
use crate::onnx_file::{FLOAT, INT64, Message, float, int, integers, ints, node, tensor, value};

const HIDDEN: usize = 64;
const INNER: usize = 128;
const HEADS: usize = 2;
const LAYERS: usize = 2;
/// Positions of tokens.
const PLACES: usize = 80;

/// The characters that XLM-R's tokenizer replaces here.
const REPLACED: [(&str, &str); 8] = [
    ("\t", " "),
    ("\n", " "),
    ("\u{2026}", "..."),
    ("\u{3000}", " "),
    ("\u{fb01}", "fi"),
    ("\u{2167}", "VIII"),
    ("\u{216b}", "XII"),
    ("e\u{301}", "é"),
];

/// The shape of a model.
#[derive(Clone, Copy)]
pub(crate) struct Seeded {
    pub(crate) seed: u64,
    /// XLM-R with its tokenizer instead of BERT.
    pub(crate) is_xlm: bool,
    /// Classes of a cross-encoder; 0 for an embedding model.
    pub(crate) classes: usize,
}

impl Seeded {
    /// Returns the files of a repository of this model, in both forms.
    pub(crate) fn files(self) -> Vec<(&'static str, Vec<u8>)> {
        let json = |value: Value| value.to_string().into_bytes();
        let mut files = vec![
            ("model.safetensors", self.safetensors()),
            ("onnx/model.onnx", self.onnx()),
            ("tokenizer.json", json(self.tokenizer())),
            ("config.json", json(self.config())),
        ];
        if self.classes == 0 {
            let pooling = json!({"word_embedding_dimension": HIDDEN, "pooling_mode_mean_tokens": !self.is_xlm,
                "pooling_mode_cls_token": self.is_xlm});
            files.push(("1_Pooling/config.json", json(pooling)));
        }
        files
    }

    pub(crate) fn config(self) -> Value {
        let (family, class) = if self.is_xlm { ("xlm-roberta", "XLMRoberta") } else { ("bert", "Bert") };
        let part = if self.classes == 0 { "Model" } else { "ForSequenceClassification" };
        json!({"model_type": family, "architectures": [format!("{class}{part}")], "hidden_size": HIDDEN,
            "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER, "hidden_act": "gelu",
            "layer_norm_eps": 1e-5, "pad_token_id": u32::from(self.is_xlm), "num_labels": self.classes.max(1),
            "max_position_embeddings": PLACES + self.first_place(), "position_embedding_type": "absolute"})
    }

    fn first_place(self) -> usize {
        if self.is_xlm { 2 } else { 0 }
    }

    /// The spelling of the pieces, by number.
    fn pieces(self) -> Vec<String> {
        let letters = || (0x21..=0x7e).map(char::from).chain("éüдя明日🎉½".chars());
        let special =
            if self.is_xlm { ["<s>", "<pad>", "</s>", "<unk>"] } else { ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] };
        let words = ["walrus", "otter", "puffin", "tusk", "stone", "beak", "ice", "river"];
        let (mark, more) = if self.is_xlm { ("\u{2581}", "") } else { ("", "##") };
        let mut pieces: Vec<String> = special.map(str::to_owned).to_vec();
        pieces.extend(words.map(|word| format!("{mark}{word}")));
        pieces.extend(letters().map(|letter| format!("{more}{letter}")));
        match self.is_xlm {
            true => pieces.push(mark.into()),
            false => pieces.extend(letters().map(String::from)),
        }
        pieces
    }

    pub(crate) fn tokenizer(self) -> Value {
        let pieces = self.pieces();
        let sequence = |id: &str, part: u32| json!({"Sequence": {"id": id, "type_id": part}});
        let special = |id: usize, part: u32| json!({"SpecialToken": {"id": pieces[id], "type_id": part}});
        let named = |id: usize| json!({"id": pieces[id], "ids": [id], "tokens": [pieces[id]]});
        let (start, end) = if self.is_xlm { (0, 2) } else { (2, 3) };
        let pair = match self.is_xlm {
            true => vec![
                special(start, 0),
                sequence("A", 0),
                special(end, 0),
                special(end, 0),
                sequence("B", 0),
                special(end, 0),
            ],
            false => vec![special(start, 0), sequence("A", 0), special(end, 0), sequence("B", 1), special(end, 1)],
        };
        let added: Vec<Value> = (0..4)
            .map(|id| {
                json!({"id": id, "content": pieces[id], "single_word": false, "lstrip": false, "rstrip": false,
                    "normalized": false, "special": true})
            })
            .collect();
        let model = match self.is_xlm {
            true => {
                let scored =
                    |(id, piece): (usize, &String)| json!([piece, if id < 4 { 0.0 } else { -1.0 - id as f64 / 16.0 }]);
                json!({"type": "Unigram", "unk_id": 3, "vocab": pieces.iter().enumerate().map(scored).collect::<Vec<_>>()})
            }
            false => {
                let vocabulary: serde_json::Map<String, Value> =
                    pieces.iter().enumerate().map(|(id, piece)| (piece.clone(), json!(id))).collect();
                json!({"type": "WordPiece", "unk_token": pieces[1], "continuing_subword_prefix": "##",
                    "max_input_chars_per_word": 100, "vocab": vocabulary})
            }
        };
        let (normalizer, pre_tokenizer) = match self.is_xlm {
            true => (
                json!({"type": "Precompiled", "precompiled_charsmap": charsmap(&REPLACED)}),
                json!({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
                    {"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always", "split": true}]}),
            ),
            false => (
                json!({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                    "lowercase": true}),
                json!({"type": "BertPreTokenizer"}),
            ),
        };
        json!({"version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "decoder": null, "model": model,
            "post_processor": {"type": "TemplateProcessing", "pair": pair,
                "single": [special(start, 0), sequence("A", 0), special(end, 0)],
                "special_tokens": {&pieces[start]: named(start), &pieces[end]: named(end)}}})
    }

    /// Name, shape and numbers of each tensor.
    fn tensors(self) -> Vec<(String, Vec<usize>, Vec<f32>)> {
        let mut random = Random(self.seed);
        let prefix = match (self.classes, self.is_xlm) {
            (0, _) => "",
            (_, true) => "roberta.",
            (_, false) => "bert.",
        };
        let mut tensors = Vec::new();
        let mut put = |name: String, shape: &[usize], mean: f32, spread: f32| {
            let values = (0..shape.iter().product()).map(|_| mean + spread * random.normal()).collect();
            tensors.push((name, shape.to_vec(), values));
        };
        let kinds = if self.is_xlm { 1 } else { 2 };
        let tables = [("word", self.pieces().len()), ("position", PLACES + self.first_place()), ("token_type", kinds)];
        for (table, rows) in tables {
            put(format!("{prefix}embeddings.{table}_embeddings.weight"), &[rows, HIDDEN], 0.0, 0.5);
        }
        let mut norms = vec![format!("{prefix}embeddings.LayerNorm")];
        for layer in 0..LAYERS {
            let layer = format!("{prefix}encoder.layer.{layer}");
            for (name, inputs, outputs) in [
                ("attention.self.query", HIDDEN, HIDDEN),
                ("attention.self.key", HIDDEN, HIDDEN),
                ("attention.self.value", HIDDEN, HIDDEN),
                ("attention.output.dense", HIDDEN, HIDDEN),
                ("intermediate.dense", HIDDEN, INNER),
                ("output.dense", INNER, HIDDEN),
            ] {
                put(format!("{layer}.{name}.weight"), &[outputs, inputs], 0.0, 1.0 / (inputs as f32).sqrt());
                put(format!("{layer}.{name}.bias"), &[outputs], 0.0, 0.1);
            }
            norms.extend(["attention.output", "output"].map(|part| format!("{layer}.{part}.LayerNorm")));
        }
        for norm in norms {
            put(format!("{norm}.weight"), &[HIDDEN], 1.0, 0.1);
            put(format!("{norm}.bias"), &[HIDDEN], 0.0, 0.1);
        }
        if self.classes > 0 {
            for (name, outputs) in [(self.dense(), HIDDEN), (self.last(), self.classes)] {
                put(format!("{name}.weight"), &[outputs, HIDDEN], 0.0, 0.25);
                put(format!("{name}.bias"), &[outputs], 0.0, 0.25);
            }
        }
        tensors
    }

    fn dense(self) -> &'static str {
        if self.is_xlm { "classifier.dense" } else { "bert.pooler.dense" }
    }

    fn last(self) -> &'static str {
        if self.is_xlm { "classifier.out_proj" } else { "classifier" }
    }

    pub(crate) fn safetensors(self) -> Vec<u8> {
        safetensors(self.tensors())
    }

    pub(crate) fn onnx(self) -> Vec<u8> {
        let tensors = self.tensors();
        let prefix = tensors[0].0.trim_end_matches("embeddings.word_embeddings.weight").to_owned();
        let mut graph = Graph::default();
        for (name, shape, values) in &tensors {
            // A matrix is multiplied from the right, and is therefore transposed.
            match shape[..] {
                [outputs, inputs] if !name.contains("embeddings.") => {
                    let turned: Vec<f32> = (0..inputs)
                        .flat_map(|input| (0..outputs).map(move |output| output * inputs + input))
                        .map(|at| values[at])
                        .collect();
                    graph.constant(tensor(name, &[inputs, outputs], &turned));
                }
                _ => graph.constant(tensor(name, shape, values)),
            }
        }
        let table = |name: &str| format!("{prefix}embeddings.{name}_embeddings.weight");
        let mut values = graph.add("Gather", &[&table("word"), "input_ids"]);
        let kind = if self.is_xlm { graph.integers(&[1], &[0]) } else { "token_type_ids".into() };
        let places = graph.places(self.first_place() as i64);
        for (name, ids) in [("position", &places), ("token_type", &kind)] {
            let vectors = graph.add("Gather", &[&table(name), ids]);
            values = graph.add("Add", &[&values, &vectors]);
        }
        values = graph.norm(&values, &format!("{prefix}embeddings.LayerNorm"));
        for layer in 0..LAYERS {
            values = graph.layer(&values, &format!("{prefix}encoder.layer.{layer}"));
        }
        if self.classes > 0 {
            let first = graph.scalar(0);
            values = graph.add_with("Gather", &[&values, &first], &[int("axis", 1)]);
            values = graph.linear(&values, self.dense());
            values = graph.add("Tanh", &[&values]);
            values = graph.linear(&values, self.last());
        }
        let inputs: &[&str] = if self.is_xlm { &["input_ids"] } else { &["input_ids", "token_type_ids"] };
        graph.file(inputs, &values)
    }
}

/// Returns the weights of a layer after the pooling of such a model.
pub(crate) fn dense_layer(seed: u64, outputs: usize) -> Vec<u8> {
    let mut random = Random(seed);
    let mut tensor = |name: &str, shape: Vec<usize>, spread: f32| {
        let values = (0..shape.iter().product()).map(|_| spread * random.normal()).collect();
        (name.to_owned(), shape, values)
    };
    safetensors(vec![tensor("linear.weight", vec![outputs, HIDDEN], 0.125), tensor("linear.bias", vec![outputs], 0.5)])
}

fn safetensors(tensors: Vec<(String, Vec<usize>, Vec<f32>)>) -> Vec<u8> {
    let (mut directory, mut data) = (serde_json::Map::new(), Vec::new());
    directory.insert("__metadata__".into(), json!({"format": "pt"}));
    for (name, shape, values) in tensors {
        let start = data.len();
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        directory.insert(name, json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]}));
    }
    // torch also writes tensors that are not weights.
    let start = data.len();
    data.extend([0; 8]);
    let place = json!({"dtype": "I64", "shape": [1, 1], "data_offsets": [start, data.len()]});
    directory.insert("embeddings.position_ids".into(), place);
    let directory = Value::Object(directory).to_string().into_bytes();
    [&(directory.len() as u64).to_le_bytes()[..], &directory, &data].concat()
}

/// An ONNX graph under construction.
#[derive(Default)]
struct Graph {
    nodes: Vec<Vec<u8>>,
    constants: Vec<Vec<u8>>,
}

impl Graph {
    fn add(&mut self, operator: &str, inputs: &[&str]) -> String {
        self.add_with(operator, inputs, &[])
    }

    fn add_with(&mut self, operator: &str, inputs: &[&str], attributes: &[Vec<u8>]) -> String {
        let output = format!("value_{}", self.nodes.len());
        self.nodes.push(node(operator, inputs, &output, attributes));
        output
    }

    fn constant(&mut self, constant: Vec<u8>) {
        self.constants.push(constant);
    }

    fn number(&mut self, value: f32) -> String {
        let name = format!("constant_{}", self.constants.len());
        self.constant(tensor(&name, &[], &[value]));
        name
    }

    fn integers(&mut self, shape: &[usize], values: &[i64]) -> String {
        let name = format!("constant_{}", self.constants.len());
        self.constant(integers(&name, shape, values));
        name
    }

    fn scalar(&mut self, value: i64) -> String {
        self.integers(&[], &[value])
    }

    /// The numbers of the tokens' positions.
    fn places(&mut self, first: i64) -> String {
        let shape = self.add("Shape", &["input_ids"]);
        let [which, start, step] = [1, first, 1].map(|number| self.scalar(number));
        let count = self.add("Gather", &[&shape, &which]);
        let end = self.add("Add", &[&count, &start]);
        self.add("Range", &[&start, &end, &step])
    }

    fn norm(&mut self, input: &str, name: &str) -> String {
        let (scale, shift) = (format!("{name}.weight"), format!("{name}.bias"));
        let attributes = [int("axis", 2), float("epsilon", 1e-5)];
        self.add_with("LayerNormalization", &[input, &scale, &shift], &attributes)
    }

    fn linear(&mut self, input: &str, name: &str) -> String {
        let product = self.add("MatMul", &[input, &format!("{name}.weight")]);
        self.add("Add", &[&product, &format!("{name}.bias")])
    }

    fn layer(&mut self, input: &str, name: &str) -> String {
        let heads = self.integers(&[4], &[0, 0, HEADS as i64, (HIDDEN / HEADS) as i64]);
        let whole = self.integers(&[3], &[0, 0, HIDDEN as i64]);
        let mut part = |part: &str, order: &[u64]| {
            let flat = self.linear(input, &format!("{name}.attention.self.{part}"));
            let parted = self.add("Reshape", &[&flat, &heads]);
            self.add_with("Transpose", &[&parted], &[ints("perm", order)])
        };
        let (query, key, value) =
            (part("query", &[0, 2, 1, 3]), part("key", &[0, 2, 3, 1]), part("value", &[0, 2, 1, 3]));
        let scores = self.add("MatMul", &[&query, &key]);
        let root = self.number(((HIDDEN / HEADS) as f32).sqrt());
        let scores = self.add("Div", &[&scores, &root]);
        let weights = self.add_with("Softmax", &[&scores], &[int("axis", 3)]);
        let context = self.add("MatMul", &[&weights, &value]);
        let context = self.add_with("Transpose", &[&context], &[ints("perm", &[0, 2, 1, 3])]);
        let context = self.add("Reshape", &[&context, &whole]);
        let seen = self.linear(&context, &format!("{name}.attention.output.dense"));
        let sum = self.add("Add", &[&seen, input]);
        let middle = self.norm(&sum, &format!("{name}.attention.output.LayerNorm"));
        let wide = self.linear(&middle, &format!("{name}.intermediate.dense"));
        let [root, one, half] = [2f32.sqrt(), 1.0, 0.5].map(|number| self.number(number));
        let error = self.add("Div", &[&wide, &root]);
        let error = self.add("Erf", &[&error]);
        let error = self.add("Add", &[&error, &one]);
        let product = self.add("Mul", &[&wide, &error]);
        let gelu = self.add("Mul", &[&product, &half]);
        let narrow = self.linear(&gelu, &format!("{name}.output.dense"));
        let sum = self.add("Add", &[&narrow, &middle]);
        self.norm(&sum, &format!("{name}.output.LayerNorm"))
    }

    fn file(self, inputs: &[&str], output: &str) -> Vec<u8> {
        let graph = self.nodes.iter().fold(Message::default(), |graph, node| graph.bytes(1, node)).bytes(2, b"seeded");
        let graph = self.constants.iter().fold(graph, |graph, constant| graph.bytes(5, constant));
        let graph = inputs.iter().fold(graph, |graph, input| graph.bytes(11, &value(input, INT64)));
        let graph = graph.bytes(12, &value(output, FLOAT));
        // ir_version, graph, opset_import.
        Message::default().number(1, 8).bytes(7, &graph.0).bytes(8, &Message::default().number(2, 17).0).0
    }
}

/// Numbers from a seed (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Approximates a normal distribution by the sum of twelve uniform numbers.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.uniform()).sum::<f32>() - 6.0
    }
}
