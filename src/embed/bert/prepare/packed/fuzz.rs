//! Fuzz test of packed models.

use super::*;
use crate::bert::weights::Weights;
use tars_testing::fuzz::{fuzz, seed_is};

/// Length of a token's vector and of the inner vector in the tiny model, which has one layer.
const HIDDEN: usize = 64;
/// Number of positions.
const PLACES: usize = 8;
/// Spelling and score of each piece.
const PIECES: [(&str, f32); 9] = [
    ("<s>", 0.0),
    ("<pad>", 0.0),
    ("</s>", 0.0),
    ("<unk>", 0.0),
    ("\u{2581}", -2.0),
    ("a", -3.0),
    ("ab", -4.0),
    ("é", -5.0),
    ("<mask>", 0.0),
];

/// A file is either refused with a reason on one line, or its contents are consistent.
#[test]
fn fuzz_packed() {
    fuzz("packed", |bytes| {
        let read = || {
            let packed = Packed::read(bytes)?;
            let vocabulary = packed.vocabulary()?;
            let mut tokens = Vec::new();
            vocabulary.unigram().encode("a ab abb é É <mask> \u{3000} unknowable", &mut tokens);
            assert!(tokens.iter().all(|token| (*token as usize) < vocabulary.scores.len()));
            let shape = super::super::exact::Shape {
                hidden: packed.hidden,
                head: packed.head,
                epsilon: packed.epsilon,
                modern: None,
            };
            let layers =
                (0..packed.layers).map(|number| packed.layer(number)?.weights(shape)).collect::<Result<_, _>>()?;
            let (words, positions, norm) = (packed.word_vectors()?, packed.positions()?, packed.norm()?);
            assert_eq!(words.rows, vocabulary.scores.len());
            let (head, epsilon) = (shape.head, shape.epsilon);
            let weights = Weights {
                head,
                epsilon,
                words,
                positions,
                norm,
                layers,
                has_mean: true,
                classifier: None,
                modern: None,
            };
            weights.checked().map(drop)
        };
        if let Err(reason) = read() {
            assert!(!reason.is_empty() && !reason.contains('\n'), "{reason:?}");
        }
    });
}

#[test]
fn a_tiny_packed_model_is_a_seed() {
    seed_is("packed", "tiny", &tiny_packed());
}

/// Returns the bytes of a model with one layer.
pub(in crate::bert) fn tiny_packed() -> Vec<u8> {
    let mut file = Vec::new();
    let mut put = |bytes: &[u8]| file.extend_from_slice(bytes);
    put(MAGIC);
    for number in [1, HIDDEN, 1, 2, HIDDEN, PIECES.len(), PLACES, 2] {
        put(&(number as u32).to_le_bytes());
    }
    put(&1e-12f32.to_le_bytes());
    for number in [BLOCK_WEIGHTS, PIECES.len(), 0, 2, 1, 3] {
        put(&(number as u32).to_le_bytes());
    }
    let text = PIECES.map(|(piece, _)| piece).concat();
    put(&(text.len() as u64).to_le_bytes());
    let mut begin = 0;
    for (piece, _) in PIECES {
        put(&(begin as u32).to_le_bytes());
        begin += piece.len();
    }
    put(&(begin as u32).to_le_bytes());
    PIECES.iter().for_each(|(_, score)| put(&score.to_le_bytes()));
    put(text.as_bytes());
    let mut folds = Vec::new();
    for (from, to) in [('\n', " "), ('\u{200d}', ""), ('\u{3000}', " ")] {
        folds.extend(u32::from(from).to_le_bytes());
        folds.push(to.len() as u8);
        to.chars().for_each(|c| folds.extend(u32::from(c).to_le_bytes()));
    }
    put(&3u32.to_le_bytes());
    put(&(folds.len() as u32).to_le_bytes());
    put(&folds);
    let tensors = tensors();
    put(&(tensors.len() as u32).to_le_bytes());
    let directory: usize = tensors.iter().map(|(name, ..)| 2 + name.len() + 1 + 4 + 16).sum();
    let mut place = file.len() + directory;
    for (name, is_packed, count, bytes) in &tensors {
        file.extend((name.len() as u16).to_le_bytes());
        file.extend(name.as_bytes());
        file.push(u8::from(*is_packed));
        file.extend((*count as u32).to_le_bytes());
        file.extend((place as u64).to_le_bytes());
        file.extend((bytes.len() as u64).to_le_bytes());
        place += bytes.len();
    }
    tensors.iter().for_each(|(.., bytes)| file.extend(bytes));
    file
}

type Tensor = (String, bool, usize, Vec<u8>);

fn tensors() -> Vec<Tensor> {
    let mut tensors: Vec<Tensor> = Vec::new();
    let packed = |name: &str, count: usize| {
        let block = |number: usize| {
            let halves = (0..16).map(move |at| ((number * 37 + at * 101) % 256) as u8);
            [0x00, 0x2c].into_iter().chain(halves)
        };
        (name.to_owned(), true, count, (0..count / BLOCK_WEIGHTS).flat_map(block).collect())
    };
    let floats = |name: &str, count: usize, value: f32| {
        let of = |at: usize| (value + (at % 7) as f32 / 64.0).to_le_bytes();
        (name.to_owned(), false, count, (0..count).flat_map(of).collect())
    };
    tensors.push(packed("emb.word", PIECES.len() * HIDDEN));
    tensors.push(floats("emb.pos", PLACES * HIDDEN, 0.125));
    tensors.push(floats("emb.type", 2 * HIDDEN, 0.25));
    for name in ["emb.ln", "l0.aln", "l0.oln"] {
        tensors.push(floats(&format!("{name}.w"), HIDDEN, 1.0));
        tensors.push(floats(&format!("{name}.b"), HIDDEN, 0.0));
    }
    for name in ["q", "k", "v", "ao", "fi", "fo"] {
        tensors.push(packed(&format!("l0.{name}.w"), HIDDEN * HIDDEN));
        tensors.push(floats(&format!("l0.{name}.b"), HIDDEN, 0.5));
    }
    tensors
}
