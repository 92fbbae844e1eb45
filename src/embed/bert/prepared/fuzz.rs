//! Hostile prepared files.

use std::fs;
use std::sync::Arc;

use super::*;
use crate::embed::bert::arithmetic;
use crate::embed::bert::encoder::{Input, Workspace};
use crate::embed::bert::prepare::fuzz::{source, tiny_vocabulary, tiny_weights};
use crate::embed::bert::tokenizer::Tokenizer;
use crate::fuzz::{fuzz, seed_is};

/// Some text of pieces, of special tokens and of neither.
const TEXT: &str = "a ab abb é É. [MASK][SEP] unknowable aaaaaaaaaaaaaaaaaa";

/// A damaged file is refused with a reason. One whose hashes are right, as only an attacker would make them, is refused or cuts
/// and embeds without reading beyond its sections; so is one whose contents changed after they were last hashed.
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
    let mut tokens = tokenizer.framed(TEXT);
    // As the window does, which is no longer than there are places.
    tokens.truncate(prepared.header.positions as usize);
    let mut workspace = Workspace::default();
    let classifier = prepared.classifier();
    let second = classifier.map(|classifier| (2, classifier.second));
    for first_alone in [false, true] {
        let input = Input { ids: &tokens, second, first_alone };
        let values = prepared.encoder().run(input, arithmetic::best(), &mut workspace);
        let rows = if first_alone && prepared.header.layers > 0 { tokens.len().min(1) } else { tokens.len() };
        assert_eq!(values.len(), rows * prepared.header.hidden as usize);
        if let (Some(classifier), false) = (classifier, tokens.is_empty()) {
            classifier.logit(&classifier.pooled(&values[..prepared.header.hidden as usize]));
        }
    }
}

/// The same with all its hashes right.
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

/// Each would end the process where a text is embedded, or go on for ever.
#[test]
fn a_file_whose_numbers_do_not_go_together_is_refused() {
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
    // The numbers of the special tokens, and the ends of the pieces, which tell how they are spelled.
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

#[test]
fn a_tiny_model_is_a_seed() {
    seed_is("kernel", "tiny", &write(tiny_weights(), &tiny_vocabulary(), &source()));
}
