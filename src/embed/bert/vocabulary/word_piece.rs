//! The vocabulary of an uncased BERT model.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::special_tokens::{self, PairTemplate};
use super::{TokenizerFile, Vocabulary};
use crate::bert::wordpiece::MAX_PIECE_BYTES;

/// A WordPiece vocabulary with its settings.
#[derive(Debug, PartialEq)]
pub(in crate::bert) struct WordPieceVocabulary {
    /// The spelling of each piece, by its number.
    pub(in crate::bert) pieces: Vec<String>,
    /// Numbers of special tokens, which are recognised in text before any other step.
    pub(in crate::bert) specials: Vec<u32>,
    /// Token for unknown words.
    pub(in crate::bert) unknown: u32,
    /// Token before a text.
    pub(in crate::bert) start: u32,
    /// Token after a text.
    pub(in crate::bert) end: u32,
    /// Maximum number of characters of a word; longer words are unknown.
    pub(in crate::bert) longest_word: u32,
}

pub(super) fn read(file: &Value) -> Result<TokenizerFile, String> {
    let unlike = |part: &str| format!("its {part} is not an uncased BERT tokenizer's");
    let normalizer = &file["normalizer"];
    let lower = normalizer["type"] == "BertNormalizer"
        && ["clean_text", "handle_chinese_chars", "lowercase"].iter().all(|name| normalizer[name] == true)
        && normalizer["strip_accents"] != false;
    if !lower {
        return Err(unlike("normalizer"));
    }
    if file["pre_tokenizer"] != json!({"type": "BertPreTokenizer"}) {
        return Err(unlike("pre-tokenizer"));
    }
    let model = &file["model"];
    if model["continuing_subword_prefix"] != "##" {
        return Err(unlike("model"));
    }
    let pieces = pieces(&model["vocab"]).ok_or_else(|| unlike("vocabulary"))?;
    let numbers: HashMap<&str, u32> = pieces.iter().map(String::as_str).zip(0..).collect();
    let number = |piece: &Value| -> Option<u32> { numbers.get(piece.as_str()?).copied() };
    let longest = u32::try_from(model["max_input_chars_per_word"].as_u64().unwrap_or(u64::MAX));
    let (Some(unknown), Ok(longest_word)) = (number(&model["unk_token"]), longest) else {
        return Err(unlike("model"));
    };
    let frame = special_tokens::read(&file["post_processor"], PairTemplate::One, number)
        .ok_or_else(|| unlike("post-processor"))?;
    let special = |token: &Value| -> Option<u32> {
        let plain = ["single_word", "lstrip", "rstrip", "normalized"].iter().all(|name| token[name] == false);
        let number = number(&token["content"])?;
        (plain && token["id"] == number).then_some(number)
    };
    let specials: Option<Vec<u32>> = match &file["added_tokens"] {
        Value::Array(tokens) => tokens.iter().map(special).collect(),
        _ => Some(Vec::new()),
    };
    let specials = specials.ok_or_else(|| unlike("list of added tokens"))?;
    let (start, end) = (frame.start, frame.end);
    let vocabulary = WordPieceVocabulary { specials, unknown, start, end, longest_word, pieces };
    Ok(TokenizerFile { vocabulary: Vocabulary::WordPiece(vocabulary), second_kind: frame.second_kind })
}

/// Returns the pieces by number, if the numbers are 0, 1, 2 and so on and no piece is too long.
fn pieces(vocabulary: &Value) -> Option<Vec<String>> {
    let vocabulary = vocabulary.as_object()?;
    let mut pieces = vec![None; vocabulary.len()];
    for (piece, number) in vocabulary {
        let place = pieces.get_mut(usize::try_from(number.as_u64()?).ok()?)?;
        if piece.len() > MAX_PIECE_BYTES || place.replace(piece.clone()).is_some() {
            return None;
        }
    }
    pieces.into_iter().collect()
}
