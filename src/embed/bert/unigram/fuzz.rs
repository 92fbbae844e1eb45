//! Fuzz test of tables and texts.

use super::*;
use tars_testing::fuzz::{fuzz, text};

/// For any tables of a tampered file, tokenizing a text takes bounded work and yields only tokens that the tables name.
#[test]
fn fuzz_unigram() {
    fuzz("unigram", |bytes| {
        let number = |chunk: &[u8]| u32::from_le_bytes(chunk.try_into().unwrap());
        let (tables, rest) = bytes.split_at(bytes.len().min(512));
        let numbers: Vec<u32> = tables.chunks_exact(4).map(number).collect();
        let units: Vec<Unit> = numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        let scores: Vec<f32> = numbers.iter().map(|number| f32::from_bits(*number)).collect();
        let mut from = numbers.clone();
        from.sort_unstable();
        let folds = ReplacementTable { from: &from, ends: &numbers, text: tables };
        let damaged =
            Unigram { trie: &units, scores: &scores, unknown_score: unknown_score(&scores), unknown: 3, folds };
        let text = text(rest);
        let mut tokens = Vec::new();
        damaged.encode(&text, &mut tokens);
        // No replacement is longer than the tables.
        assert!(tokens.len() <= text.len() * (tables.len() + 4) + 1);
        assert!(tokens.iter().all(|token| *token == 3 || (*token as usize) < scores.len()));
        super::tests::sound(&text);
    });
}
