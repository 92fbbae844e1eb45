//! Fuzz tests of ONNX graphs and tokenizers.

use prost::Message;

use super::graph::{
    AttributeProto, FLOAT, Graph, GraphProto, INT8, INT64, ModelProto, NodeProto, TensorProto, ValueInfoProto,
};
use super::recognize::recognize;
use crate::bert::byte_level::EATS_BLANKS;
use crate::bert::prepared;
use crate::bert::vocabulary::{self, Vocabulary, WordPieceVocabulary};
use crate::bert::weights::Weights;
use tars_base::domain::ContentHash;
use tars_testing::fuzz::{fuzz, seed_is};

/// Length of a token's vector and of the inner vector in the tiny model, which has one layer.
const HIDDEN: usize = 64;
/// Number of pieces in its vocabulary, and of its positions.
const PIECES: usize = 8;

/// A graph is either refused with a reason, or its weights are consistent and give a complete file of bounded size.
#[test]
fn fuzz_onnx() {
    fuzz("onnx", |bytes| {
        let Ok(ModelProto { graph: Some(graph) }) = ModelProto::decode(bytes) else { return };
        match recognize(&Graph::new(&graph)) {
            Err(reason) => assert!(!reason.is_empty()),
            Ok(weights) => {
                let rows = weights.words.rows;
                assert!(rows * weights.words.columns <= bytes.len(), "more weights than bytes");
                if rows == PIECES {
                    let file = prepared::write(weights, &tiny_vocabulary(), &source());
                    assert!(file.len() <= 8 * bytes.len() + 8192, "{} bytes of {}", file.len(), bytes.len());
                }
            }
        }
    });
}

/// A vocabulary is either refused with a reason, or all its token numbers are those of pieces.
#[test]
fn fuzz_tokenizer() {
    fuzz("tokenizer", |bytes| match vocabulary::read(bytes) {
        Err(reason) => assert!(!reason.is_empty()),
        Ok(read) => {
            let special = match &read.vocabulary {
                Vocabulary::WordPiece(read) => [&read.specials[..], &[read.unknown, read.start, read.end]].concat(),
                Vocabulary::Unigram(read) => {
                    let mut tokens = vec![read.unknown, read.start, read.end];
                    read.unigram().encode("a ab\u{3000}abb é \u{fb00} unknowable", &mut tokens);
                    tokens
                }
                Vocabulary::ByteLevel(read) => {
                    let specials = read.pieces.specials.iter().map(|special| special & !EATS_BLANKS);
                    let merged = read.merges.iter().flat_map(|merge| [merge.left, merge.right, merge.merged]);
                    specials.chain(merged).chain([read.pieces.start, read.pieces.end]).collect()
                }
            };
            assert!(special.into_iter().all(|number| (number as usize) < read.vocabulary.pieces()));
        }
    });
}

#[test]
fn a_tiny_model_is_a_seed() {
    let graph = Builder::default().model();
    seed_is("onnx", "tiny", &ModelProto { graph: Some(graph) }.encode_to_vec());
}

/// Hash of the tiny model's source.
pub(in crate::bert) fn source() -> ContentHash {
    ContentHash::of(b"tiny")
}

pub(in crate::bert) fn tiny_weights() -> Weights<'static> {
    recognize(&Graph::new(&Builder::default().model())).unwrap()
}

pub(in crate::bert) fn tiny_vocabulary() -> Vocabulary {
    let pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b", "é", "."].map(str::to_owned).to_vec();
    let vocabulary =
        WordPieceVocabulary { pieces, specials: vec![1, 2, 3], unknown: 1, start: 2, end: 3, longest_word: 10 };
    Vocabulary::WordPiece(vocabulary)
}

/// Builds a graph as exporters do. Names have one or two letters, so that a changed byte makes other connections.
#[derive(Default)]
struct Builder {
    graph: GraphProto,
    names: u8,
}

impl Builder {
    fn model(mut self) -> GraphProto {
        let words = self.table(PIECES, HIDDEN);
        let kinds = self.floats(&[2, HIDDEN], 0.25);
        let places = self.floats(&[PIECES, HIDDEN], 0.125);
        let numbers = self.integers(&[1, PIECES], &(0..PIECES as i64).collect::<Vec<_>>());
        let [zero, one, end] = [0, 1, 5].map(|number| self.integers(&[1], &[number]));
        let counted = self.node("Slice", &[&numbers, &zero, &end, &one, &one]);
        let words = self.node("Gather", &[&words, "input_ids"]);
        let kinds = self.node("Gather", &[&kinds, "token_type_ids"]);
        let places = self.node("Gather", &[&places, &counted]);
        let sum = self.node("Add", &[&words, &kinds]);
        let sum = self.node("Add", &[&sum, &places]);
        let input = self.norm(&sum);
        let output = self.layer(&input);
        self.graph.output.push(ValueInfoProto { name: output });
        self.graph
    }

    fn layer(&mut self, input: &str) -> String {
        let root = self.scalar(1.0 / 32f32.sqrt());
        let [zero, little, one, half, two] = [0.0, -1e9, 1.0, 0.5, 2f32.sqrt()].map(|number| self.scalar(number));
        let shape = self.integers(&[3], &[0, -1, 32]);
        let query = self.split(input);
        let query = self.node("Mul", &[&query, &root]);
        let key = self.split(input);
        let key = self.node("Reshape", &[&key, &shape]);
        let key = self.transposed(&key, &[0, 2, 1]);
        let key = self.node("Reshape", &[&key, &shape]);
        let value = self.split(input);
        let scores = self.node("MatMul", &[&query, &key]);
        let mask = self.node("Where", &["attention_mask", &zero, &little]);
        let scores = self.node("Add", &[&scores, &mask]);
        let weights = self.node("Softmax", &[&scores]);
        let context = self.node("MatMul", &[&weights, &value]);
        let context = self.transposed(&context, &[0, 2, 1, 3]);
        let context = self.node("Reshape", &[&context, &shape]);
        let seen = self.linear(&context);
        let sum = self.node("Add", &[&seen, input]);
        let middle = self.norm(&sum);
        let wide = self.linear(&middle);
        let error = self.node("Div", &[&wide, &two]);
        let error = self.node("Erf", &[&error]);
        let error = self.node("Add", &[&error, &one]);
        let product = self.node("Mul", &[&wide, &error]);
        let gelu = self.node("Mul", &[&product, &half]);
        let narrow = self.linear(&gelu);
        let sum = self.node("Add", &[&narrow, &middle]);
        self.norm(&sum)
    }

    /// Splits into two heads of 32.
    fn split(&mut self, input: &str) -> String {
        let flat = self.linear(input);
        let [zero, width] = [0, 32].map(|number| self.integers(&[1], &[number]));
        let shape = self.node("Concat", &[&zero, &zero, &zero, &width]);
        let heads = self.node("Reshape", &[&flat, &shape]);
        self.transposed(&heads, &[0, 2, 1, 3])
    }

    fn linear(&mut self, input: &str) -> String {
        let matrix = self.table(HIDDEN, HIDDEN);
        let bias = self.floats(&[HIDDEN], 0.5);
        let product = self.node("MatMul", &[input, &matrix]);
        self.node("Add", &[&product, &bias])
    }

    fn norm(&mut self, input: &str) -> String {
        let (scale, shift) = (self.floats(&[HIDDEN], 1.0), self.floats(&[HIDDEN], 0.0));
        self.node("LayerNormalization", &[input, &scale, &shift])
    }

    fn transposed(&mut self, input: &str, order: &[i64]) -> String {
        let output = self.node("Transpose", &[input]);
        let attribute = AttributeProto { name: "perm".into(), ints: order.to_vec(), ..AttributeProto::default() };
        self.graph.node.last_mut().unwrap().attribute.push(attribute);
        output
    }

    fn node(&mut self, op_type: &str, input: &[&str]) -> String {
        let output = self.name();
        let input = input.iter().map(|name| (*name).to_owned()).collect();
        let node = NodeProto { input, output: vec![output.clone()], op_type: op_type.into(), ..NodeProto::default() };
        self.graph.node.push(node);
        output
    }

    /// 8-bit weights with a scale for each column.
    fn table(&mut self, rows: usize, columns: usize) -> String {
        let bytes = (0..rows * columns).map(|at| (at * 37 % 201) as u8).collect();
        let weights = self.tensor(&[rows, columns], INT8, bytes);
        let scales = self.floats(&[1, columns], 0.01);
        let cast = self.node("Cast", &[&weights]);
        let attribute = AttributeProto { name: "to".into(), i: FLOAT.into(), ..AttributeProto::default() };
        self.graph.node.last_mut().unwrap().attribute.push(attribute);
        self.node("Mul", &[&cast, &scales])
    }

    fn scalar(&mut self, value: f32) -> String {
        self.floats(&[], value)
    }

    fn floats(&mut self, shape: &[usize], value: f32) -> String {
        self.tensor(shape, FLOAT, value.to_le_bytes().repeat(shape.iter().product()))
    }

    fn integers(&mut self, shape: &[usize], values: &[i64]) -> String {
        self.tensor(shape, INT64, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    fn tensor(&mut self, shape: &[usize], data_type: i32, raw_data: Vec<u8>) -> String {
        let name = self.name();
        let dims = shape.iter().map(|length| *length as i64).collect();
        self.graph.initializer.push(TensorProto {
            name: name.clone(),
            dims,
            data_type,
            raw_data,
            ..TensorProto::default()
        });
        name
    }

    fn name(&mut self) -> String {
        self.names += 1;
        match self.names {
            letter @ ..26 => char::from(b'a' + letter).into(),
            number => format!("{}{}", char::from(b'a' + number / 26), char::from(b'a' + number % 26)),
        }
    }
}
