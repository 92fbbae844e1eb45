use super::*;
use crate::bert::vocabulary::byte_level::tiny;
use crate::bert::vocabulary::{self, ByteLevelVocabulary, Vocabulary};
use crate::bert::wordpiece::table;

fn read(file: &serde_json::Value) -> ByteLevelVocabulary {
    let found = vocabulary::read(file.to_string().as_bytes()).unwrap();
    let Vocabulary::ByteLevel(vocabulary) = found.vocabulary else { panic!("{found:?}") };
    vocabulary
}

/// Returns the spellings of a text's pieces.
fn pieces(vocabulary: &ByteLevelVocabulary, text: &str) -> Vec<String> {
    let spellings = &vocabulary.pieces.pieces;
    let ends: Vec<u32> = spellings
        .iter()
        .scan(0, |end, piece| {
            *end += piece.len() as u32;
            Some(*end)
        })
        .collect();
    let (slots, all) = (table(spellings), spellings.concat());
    let pieces = WordPiece { slots: &slots, ends: &ends, text: all.as_bytes(), unknown: 0, longest_word: 0 };
    let mapped = ByteLevel {
        pieces,
        specials: &vocabulary.pieces.specials,
        merges: &vocabulary.merges,
        pattern: vocabulary.pattern.as_bytes(),
        whole_words: vocabulary.whole_words,
        is_composed: vocabulary.is_composed,
    };
    let mut tokens = Vec::new();
    mapped.encode(&mapped.normalized(text), &Splitter::new(&mapped).unwrap(), &mut tokens);
    tokens.into_iter().map(|token| spellings[token as usize].clone()).collect()
}

#[test]
fn the_earliest_merge_comes_first_and_bytes_stay_apart() {
    let vocabulary = read(&tiny());
    assert_eq!(vocabulary.pieces.specials, [0, 1, 2 | EATS_BLANKS, 3]);
    // "a b" is before "b c".
    assert_eq!(pieces(&vocabulary, "abc bc abab"), ["abc", "Ġ", "bc", "Ġab", "ab"]);
    // A combining accent becomes one character, whose two bytes merge.
    assert_eq!(pieces(&vocabulary, "e\u{301}\n"), ["Ã©", "Ċ"]);
    assert_eq!(pieces(&vocabulary, "\u{65e5}"), ["æ", "Ĺ", "¥"]);
    assert!(pieces(&vocabulary, "").is_empty());
    // Work is bounded for a long word.
    assert_eq!(pieces(&vocabulary, &"ab".repeat(50_000)).len(), 50_000);
}

#[test]
fn the_last_of_several_blanks_belongs_to_the_next_word() {
    let vocabulary = read(&tiny());
    assert_eq!(pieces(&vocabulary, "a   ab"), ["a", "ĠĠ", "Ġab"]);
    assert_eq!(pieces(&vocabulary, "a \n\tab  "), ["a", "Ġ", "Ċ", "ĉ", "ab", "ĠĠ"]);
}

#[test]
fn a_whole_word_needs_no_merges_if_the_file_says_so() {
    let mut file = tiny();
    assert_eq!(pieces(&read(&file), " whole").len(), 6);
    file["model"]["ignore_merges"] = true.into();
    assert_eq!(pieces(&read(&file), " whole whole"), ["Ġwhole", "Ġwhole"]);
}

#[test]
fn a_pattern_of_its_own_splits_and_line_breaks_stay_together() {
    let mut file = tiny();
    let pattern = r" ?[^\s\p{N}]+|\p{N}{1,3}|\s*[\r\n]+|\s+(?!\S)|\s+";
    file["pre_tokenizer"] = serde_json::json!({"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false},
        {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]});
    let vocabulary = read(&file);
    let splitter = |text: &'static str| {
        let (regex, shortens_blanks) = compile(pattern).unwrap();
        let mut words = Vec::new();
        Splitter { regex, shortens_blanks, bytes: Vec::new() }.words(text, |word| words.push(word));
        words
    };
    assert_eq!(splitter("a 12345   b \n\n\n c"), ["a", " ", "123", "45", "  ", " b", " \n\n\n", " c"]);
    assert_eq!(pieces(&vocabulary, "ab  ab"), ["ab", "Ġ", "Ġab"]);
}

#[test]
fn unsupported_tokenizers_are_refused_with_a_reason() {
    for (place, value, reason) in [
        ("/normalizer", serde_json::json!({"type": "Lowercase"}), "normalizer"),
        ("/pre_tokenizer/add_prefix_space", true.into(), "pre-tokenizer"),
        ("/model/byte_fallback", true.into(), "model"),
        ("/model/vocab/a", serde_json::Value::Null, "vocabulary"),
        ("/model/merges/0", "a nothing".into(), "merges"),
        ("/added_tokens/0/single_word", true.into(), "vocabulary"),
        ("/post_processor/type", "Other".into(), "post-processor"),
    ] {
        let mut file = tiny();
        *file.pointer_mut(place).unwrap() = value;
        let said = vocabulary::read(file.to_string().as_bytes()).unwrap_err();
        assert!(said.contains(reason), "{place}: {said}");
    }
    let mut file = tiny();
    file["model"]["vocab"].as_object_mut().unwrap().remove("Ġ");
    assert!(vocabulary::read(file.to_string().as_bytes()).unwrap_err().contains("lacks a byte"));
    for pattern in [r"\p{L}++|\s+", r"(?=a)b", "("] {
        assert!(compile(pattern).is_err(), "{pattern}");
    }
}
