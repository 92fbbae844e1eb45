//! Fuzz test of prepared files.

use std::fs;
use std::sync::Arc;

use super::write::put_header;
use super::*;
use crate::bert::arithmetic::{self, GatedUnit};
use crate::bert::encoder::{Input, Workspace};
use crate::bert::modern::Modern;
use crate::bert::prepare::fuzz::{source, tiny_vocabulary, tiny_weights};
use crate::bert::tokenizer::Tokenizer;
use crate::bert::unigram::{UnigramVocabulary, trie};
use crate::bert::vocabulary::{self, Vocabulary, byte_level};
use crate::bert::weights::{ClassifierWeights, ModernWeights, NormWeights, QuantizedMatrix, Table};
use tars_testing::fuzz::{fuzz, seed_is};

/// Text with pieces, special tokens and neither.
const TEXT: &str = "a ab abb é É. [MASK][SEP] unknowable aaaaaaaaaaaaaaaaaa";

/// A damaged file is refused with a reason. A file with correct hashes, which only an attacker would produce, is either refused, or
/// tokenizes and embeds without reading beyond its sections. The same holds for a file whose contents changed after the last hash.
#[test]
fn fuzz_kernel() {
    fuzz("kernel", |bytes| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernel.bin");
        for (bytes, hashed) in [(bytes.to_vec(), true), (bytes.to_vec(), false), (resealed(bytes), true)] {
            fs::write(&path, &bytes).unwrap();
            match Prepared::open(&path, &source(), hashed) {
                Ok(prepared) => embeds(prepared),
                Err(reason) => assert!(!reason.is_empty() && !reason.contains('\n'), "{reason:?}"),
            }
        }
    });
}

fn embeds(prepared: Prepared) {
    let prepared = Arc::new(prepared);
    let Ok(tokenizer) = Tokenizer::new(Arc::clone(&prepared), "tiny".into()) else { return };
    let mut tokens = tokenizer.encode_with_special(TEXT);
    // The window does the same; it never exceeds the number of positions.
    tokens.truncate(prepared.header.positions as usize);
    let mut workspace = Workspace::default();
    let classifier = prepared.classifier();
    let second = classifier.map(|classifier| (2, classifier.second));
    for first_token_only in [false, true] {
        let input = Input { ids: &tokens, second, first_token_only };
        let values = prepared.encoder().run(input, arithmetic::best(), &mut workspace);
        let rows = if first_token_only && prepared.header.layers > 0 { tokens.len().min(1) } else { tokens.len() };
        assert_eq!(values.len(), rows * prepared.header.hidden as usize);
        if let (Some(classifier), false) = (classifier, tokens.is_empty()) {
            classifier.logit(&classifier.pooled(&values[..prepared.header.hidden as usize]));
        }
    }
}

/// Returns the file with all hashes corrected.
fn resealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= HEADER {
        let mut header: Header = bytemuck::pod_read_unaligned(&bytes[..HEADER]);
        header.length = (bytes.len() - HEADER) as u64;
        header.contents = *blake3::hash(&bytes[HEADER..]).as_bytes();
        put_header(&mut bytes, header);
    }
    bytes
}

/// Each of these would crash the process during embedding, or never end.
#[test]
fn a_file_with_inconsistent_numbers_is_refused() {
    let sound = write(tiny_weights(), &tiny_vocabulary(), &source());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.bin");
    let open = |bytes: &[u8]| {
        fs::write(&path, resealed(bytes)).unwrap();
        Prepared::open(&path, &source(), true).map(drop)
    };
    assert_eq!(open(&sound), Ok(()));
    let changes: [(_, fn(&mut Header)); 7] = [
        ("no numbers in a vector", |header| (header.hidden, header.layers) = (0, u32::MAX)),
        ("no head of that width", |header| header.head = 16),
        ("a table without slots", |header| header.slots = 0),
        ("a token before the text that is none", |header| header.start = 8),
        ("a token after the text that is none", |header| header.end = u32::MAX),
        ("an unknown token that is none", |header| header.unknown = 8),
        ("a wide vector of odd length", |header| header.inner = 1),
    ];
    for (what, change) in changes {
        let mut header: Header = bytemuck::pod_read_unaligned(&sound[..HEADER]);
        change(&mut header);
        let mut bytes = sound.clone();
        put_header(&mut bytes, header);
        assert!(open(&bytes).is_err(), "{what}");
    }
    // The numbers of the special tokens, and the ends of the pieces, which determine their spelling.
    let at = |numbers: &[u32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        sound.windows(bytes.len()).rposition(|window| window == bytes).unwrap()
    };
    let (specials, ends) = (at(&[1, 2, 3]), at(&[5, 10, 15, 20, 21, 24, 26, 27]));
    for (what, at, number) in [
        ("a special token that is none", specials, 8u32),
        ("a special token of half a character", ends + 20, 25),
        ("a special token without letters", ends + 4, 5),
    ] {
        let mut bytes = sound.clone();
        if what.contains("half") {
            bytes[specials..specials + 4].copy_from_slice(&6u32.to_le_bytes());
        }
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        assert!(open(&bytes).is_err(), "{what}");
    }
}

/// Returns a cross-encoder whose weights were floats, with this vocabulary.
fn of_floats(vocabulary: &Vocabulary, classes: usize) -> Vec<u8> {
    let mut weights = tiny_weights();
    let hidden = weights.words.columns;
    weights.has_mean = true;
    weights.classifier = (classes > 0).then(|| ClassifierWeights {
        second: vec![0.25; hidden],
        dense: vec![0.125; hidden * hidden],
        dense_bias: vec![0.5; hidden],
        classes: vec![1.0; classes * hidden],
        classes_bias: (1..=classes).map(|class| class as f32).collect(),
        norm: None,
        reads_mean: false,
    });
    write(weights, vocabulary, &source())
}

fn unigram() -> Vocabulary {
    let pieces: [(&[u8], u32); 4] = [(b"a", 5), (b"ab", 6), ("é".as_bytes(), 7), ("\u{2581}".as_bytes(), 4)];
    let scores = vec![0.0, 0.0, 0.0, 0.0, -2.0, -3.0, -4.0, -5.0];
    let (from, ends, text) = (vec![10, 0x3000], vec![1, 2], "  ".into());
    let trie = trie(&pieces);
    Vocabulary::Unigram(UnigramVocabulary { trie, scores, from, ends, text, unknown: 3, start: 0, end: 2 })
}

/// Returns a reranker of ModernBERT's kind with a byte-level vocabulary.
fn modern() -> Vec<u8> {
    let vocabulary = vocabulary::read(byte_level::tiny().to_string().as_bytes()).unwrap().vocabulary;
    let mut weights = tiny_weights();
    let (hidden, pieces) = (weights.words.columns, vocabulary.pieces());
    let norm = || NormWeights { scale: vec![1.0; hidden], shift: vec![0.0; hidden] };
    for layer in &mut weights.layers {
        let inner = layer.feed_forward_out.inputs;
        let wide = (0..hidden * 2 * inner).map(|at| (at % 7) as f32 - 3.0).collect();
        let wide = Table::of_floats(hidden, 2 * inner, wide);
        layer.feed_forward_in = QuantizedMatrix::new(wide, vec![0.0; 2 * inner]).unwrap();
    }
    let values = (0..pieces * hidden).map(|at| (at % 5) as i8 - 2).collect();
    weights.words = Table::of_bytes(hidden, values, vec![0.5; pieces], true);
    weights.positions.clear();
    let settings = Modern { global_every: 2, reach: 3, unit: GatedUnit::Silu, global_theta: 100.0, local_theta: 10.0 };
    weights.modern = Some(ModernWeights { settings, places: 16, final_norm: norm() });
    weights.classifier = Some(ClassifierWeights {
        second: vec![0.0; hidden],
        dense: vec![0.125; hidden * hidden],
        dense_bias: vec![0.5; hidden],
        classes: vec![1.0; hidden],
        classes_bias: vec![1.0],
        norm: Some(norm()),
        reads_mean: true,
    });
    write(weights.checked().unwrap(), &vocabulary, &source())
}

#[test]
fn a_file_stores_a_modern_bert_and_byte_level_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.bin");
    let bytes = modern();
    fs::write(&path, &bytes).unwrap();
    let prepared = Prepared::open(&path, &source(), true).unwrap();
    assert_eq!((prepared.header.positions, prepared.ends_between()), (16, 1));
    assert!(prepared.mean().is_some_and(|mean| mean.iter().all(|value| *value == 0.0)));
    assert!(prepared.classifier().is_some_and(|classifier| classifier.reads_mean && classifier.norm.is_some()));
    let Network::Modern(settings, _) = prepared.encoder().network else { panic!("it is a ModernBERT") };
    assert_eq!((settings.global_every, settings.reach, settings.unit), (2, 3, GatedUnit::Silu));
    let tokenizer = Tokenizer::new(Arc::new(prepared), "tiny".into()).unwrap();
    // The blank before a token that includes it disappears, and two blanks are a token.
    let spelled = |text: &str| tokenizer.encode(text);
    assert_eq!(spelled("ab [MASK]"), [spelled("ab"), vec![2]].concat());
    assert_eq!(spelled("ab  ab"), [spelled("ab"), vec![3], spelled("ab")].concat());
    assert_eq!(tokenizer.encode_with_special("")[..], [0, 1]);
    seed_is("kernel", "modern-byte-level", &bytes);
    seed_is("tokenizer", "byte-level", byte_level::tiny().to_string().as_bytes());
}

#[test]
fn each_float_format_stores_its_classifier_and_a_mean() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.bin");
    for (vocabulary, between) in [(tiny_vocabulary(), 1), (unigram(), 2)] {
        for classes in 0..=2 {
            fs::write(&path, of_floats(&vocabulary, classes)).unwrap();
            let prepared = Prepared::open(&path, &source(), true).unwrap();
            assert_eq!((prepared.ends_between(), prepared.mean()), (between, Some(&[0.0; 64][..])));
            let biases = prepared.classifier().map(|classifier| classifier.classes_bias.to_vec());
            assert_eq!(biases, (classes > 0).then(|| [1.0, 2.0][..classes].to_vec()));
            embeds(prepared);
        }
    }
    // Format 1 has neither a mean nor a classifier.
    fs::write(&path, write(tiny_weights(), &tiny_vocabulary(), &source())).unwrap();
    let prepared = Prepared::open(&path, &source(), true).unwrap();
    assert!(prepared.mean().is_none() && prepared.classifier().is_none());
    let mut three = of_floats(&tiny_vocabulary(), 2);
    let place = HEADER.next_multiple_of(ALIGNMENT);
    three[place..place + 4].copy_from_slice(&3u32.to_le_bytes());
    fs::write(&path, resealed(&three)).unwrap();
    assert!(Prepared::open(&path, &source(), true).unwrap_err().contains("3 classes"));
}

#[test]
fn a_tiny_model_of_each_format_is_a_seed() {
    seed_is("kernel", "tiny", &write(tiny_weights(), &tiny_vocabulary(), &source()));
    seed_is("kernel", "pairs", &of_floats(&tiny_vocabulary(), 2));
    seed_is("kernel", "unigram", &of_floats(&unigram(), 1));
}
