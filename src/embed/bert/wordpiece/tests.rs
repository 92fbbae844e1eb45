//! Tests with the real vocabulary from `TARS_MODELS_DIR`, compared with the crate `tokenizers`.

use std::path::PathBuf;
use std::sync::LazyLock;

use proptest::prelude::*;
use tokenizers::Tokenizer;

use super::*;
use crate::bert::prepare::reference::TEXTS;
use crate::bert::vocabulary::{self, Vocabulary, WordPieceVocabulary};

struct Both {
    vocabulary: WordPieceVocabulary,
    slots: Vec<u32>,
    ends: Vec<u32>,
    text: String,
    other: Tokenizer,
}

static BOTH: LazyLock<Both> = LazyLock::new(|| {
    let models = std::env::var_os("TARS_MODELS_DIR").expect("scripts/test sets it");
    let bytes = std::fs::read(PathBuf::from(models).join("all-minilm-l6-v2-int8/tokenizer.json")).unwrap();
    let Vocabulary::WordPiece(vocabulary) = vocabulary::read(&bytes).unwrap().vocabulary else { unreachable!() };
    let mut other = Tokenizer::from_bytes(&bytes).unwrap();
    other.with_padding(None);
    other.with_truncation(None).unwrap();
    let mut text = String::new();
    let mut ends = Vec::new();
    for piece in &vocabulary.pieces {
        text.push_str(piece);
        ends.push(text.len() as u32);
    }
    Both { slots: table(&vocabulary.pieces), vocabulary, ends, text, other }
});

fn tokens(text: &str) -> Vec<u32> {
    let both = &*BOTH;
    let pieces = WordPiece {
        slots: &both.slots,
        ends: &both.ends,
        text: both.text.as_bytes(),
        unknown: both.vocabulary.unknown,
        longest_word: both.vocabulary.longest_word as usize,
    };
    let mut tokens = Vec::new();
    pieces.encode(text, &mut tokens);
    tokens
}

fn assert_same(text: &str) {
    let expected = BOTH.other.encode_fast(text, false).unwrap();
    assert_eq!(tokens(text), expected.get_ids(), "{text:?}");
}

#[test]
fn texts_of_many_kinds_are_tokenized_as_by_tokenizers() {
    TEXTS.iter().for_each(|text| assert_same(text));
    for text in [
        "",
        " ",
        "\t\n\r",
        "a\u{b}b\u{c}c\u{1b}[0md\u{7f}e\0f",
        "caf\u{e9} cafe\u{301} CAF\u{c9}",
        "\u{130}stanbul \u{1e9e} \u{df} \u{fb03} \u{1c4}",
        "q\u{307}\u{323} q\u{323}\u{307} \u{302e}\u{301}x",
        "\u{ad}soft\u{200b}zero\u{200d}joiner\u{feff}\u{2060}",
        "\u{a0}non\u{202f}breaking\u{3000}blanks\u{2028}\u{2029}\u{85}\u{1680}",
        "\u{fffd}\u{e000}\u{f8ff}\u{10ffff}\u{fdd0}",
        "漢字かな交じり文 \u{20000}\u{2f800}\u{f900}\u{3400}\u{2b820}",
        "한글 자모 \u{1100}\u{1161}\u{11a8} \u{ac01}",
        "हिन्दी ไทย தமிழ் עִבְרִית العربية",
        "👩\u{200d}👧\u{200d}👦 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3}",
        "x²+y₁≈½ №7 ™ €5 a_b-c/d\\e",
        "¿qué? ¡sí! «oui» „ja“ 'tis…—–",
        "[CLS ] [unused1] ##ing #a ##",
        "\u{1d400}\u{1d7d8} \u{2102} \u{ff21}\u{ff11}",
    ] {
        assert_same(text);
    }
}

#[test]
fn long_words_become_unknown_at_the_same_length() {
    for (letter, count) in
        [("a", 99), ("a", 100), ("a", 101), ("é", 100), ("é", 101), ("ж", 100), ("ж", 101), ("z", 5000)]
    {
        assert_same(&format!("before {} after", letter.repeat(count)));
    }
    assert_eq!(tokens(&"a".repeat(101)), [BOTH.vocabulary.unknown]);
}

#[test]
fn every_piece_of_the_vocabulary_is_found() {
    for (number, piece) in (0u32..).zip(&BOTH.vocabulary.pieces) {
        if BOTH.vocabulary.specials.contains(&number) {
            continue;
        }
        assert_same(piece);
        assert_same(&format!("un{}", piece.trim_start_matches("##")));
    }
}

#[test]
#[ignore = "nightly: tokenizes every character of Unicode, 8 s"]
fn every_character_is_tokenized_as_by_tokenizers() {
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    // Each character is inside a word, which shows whether it splits the word, vanishes or changes.
    for part in all.chunks(512) {
        assert_same(&part.iter().map(|c| format!("a{c}b ")).collect::<String>());
    }
}

proptest! {
    #[test]
    fn any_text_is_tokenized_as_by_tokenizers(text in "\\PC*") {
        assert_same(&text);
    }

    #[test]
    fn any_string_is_tokenized_as_by_tokenizers(characters in proptest::collection::vec(any::<char>(), 0..60)) {
        assert_same(&characters.into_iter().collect::<String>());
    }

    #[test]
    fn any_words_with_marks_are_tokenized_as_by_tokenizers(
        text in "([a-zA-ZäöüßéÀ-žΑ-ωА-я\u{300}-\u{36f}\u{5b0}-\u{5c2}一-二ぁ-ん가-각 .,\n'-]{0,40}){1,3}"
    ) {
        assert_same(&text);
    }
}
