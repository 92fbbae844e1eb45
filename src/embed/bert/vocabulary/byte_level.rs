//! The vocabulary of a byte-level tokenizer: those of RoBERTa, ModernBERT, GPT-2 and newer ones of the same kind.

use serde_json::Value;

use super::special_tokens::{self, PairTemplate, SpecialTokens};
use super::word_piece::WordPieceVocabulary;
use super::{MAX_PIECES, TokenizerFile, Vocabulary};
use crate::bert::byte_level::{EATS_BLANKS, Merge, compile, spelled};
use std::collections::HashMap;

/// The pattern of words if the file names none.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Maximum length of a piece, in bytes of its spelling.
const MAX_SPELLING: usize = 1024;

/// Maximum number of numbers without a piece.
const MAX_GAPS: usize = 1024;

/// A byte-level vocabulary with its settings.
#[derive(Debug, PartialEq)]
pub(in crate::bert) struct ByteLevelVocabulary {
    /// Spellings and special tokens; those may have the flag [`EATS_BLANKS`].
    pub(in crate::bert) pieces: WordPieceVocabulary,
    /// Sorted by their two pieces.
    pub(in crate::bert) merges: Vec<Merge>,
    /// See [`crate::bert::byte_level::Splitter`].
    pub(in crate::bert) pattern: String,
    pub(in crate::bert) whole_words: bool,
    pub(in crate::bert) is_composed: bool,
    /// Whether two end tokens are between two texts.
    pub(in crate::bert) two_ends: bool,
}

pub(super) fn read(file: &Value) -> Result<TokenizerFile, String> {
    let unlike = |part: &str| format!("its {part} is not a byte-level tokenizer's");
    let is_composed = match file["normalizer"]["type"].as_str() {
        Some("NFC") => true,
        None if file["normalizer"].is_null() => false,
        _ => return Err(unlike("normalizer")),
    };
    let pattern = pattern(&file["pre_tokenizer"]).ok_or_else(|| unlike("pre-tokenizer"))?.to_owned();
    compile(&pattern)?;
    let model = &file["model"];
    let unset = |name: &str| matches!(&model[name], Value::Null | Value::Bool(false)) || model[name] == "";
    let settings = ["dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"];
    if !settings.into_iter().all(unset) {
        return Err(unlike("model"));
    }
    let added = file["added_tokens"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (pieces, specials) = pieces(&model["vocab"], added).ok_or_else(|| unlike("vocabulary"))?;
    // The spelling of an added token replaces that of the model's piece with the same number, but merges may name both.
    let mut numbers: HashMap<&str, u32> = pieces.iter().map(String::as_str).zip(0..).collect();
    for (piece, number) in model["vocab"].as_object().into_iter().flatten() {
        numbers.insert(piece, number.as_u64().unwrap_or_default() as u32);
    }
    let has_byte = |byte: u8| numbers.contains_key(&*spelled(byte).encode_utf8(&mut [0; 4]));
    if !(0..=u8::MAX).all(has_byte) {
        return Err("its vocabulary lacks a byte".into());
    }
    let merges = merges(&model["merges"], &numbers).ok_or_else(|| unlike("list of merges"))?;
    let number = |piece: &Value| -> Option<u32> { numbers.get(piece.as_str()?).copied() };
    let (SpecialTokens { start, end, second_kind }, two_ends) =
        frame(&file["post_processor"], number).ok_or_else(|| unlike("post-processor"))?;
    let pieces = WordPieceVocabulary { pieces, specials, unknown: start, start, end, longest_word: 0 };
    let whole_words = model["ignore_merges"] == true;
    let vocabulary = ByteLevelVocabulary { pieces, merges, pattern, whole_words, is_composed, two_ends };
    Ok(TokenizerFile { vocabulary: Vocabulary::ByteLevel(vocabulary), second_kind })
}

/// Returns the pattern of words: that of GPT-2, or one that stands before the step that spells bytes.
fn pattern(pre_tokenizer: &Value) -> Option<&str> {
    let is_bytes = |step: &Value, splits: bool| {
        let wanted = [("add_prefix_space", false), ("use_regex", splits)];
        // The crate `tokenizers` assumes that a missing `use_regex` means true.
        let says = |(name, wanted): (&str, bool)| step[name] == wanted || wanted && step[name].is_null();
        step["type"] == "ByteLevel" && wanted.into_iter().all(says)
    };
    if is_bytes(pre_tokenizer, true) {
        return Some(GPT2);
    }
    let steps = pre_tokenizer["pretokenizers"].as_array().filter(|_| pre_tokenizer["type"] == "Sequence")?;
    match steps.as_slice() {
        [bytes] if is_bytes(bytes, true) => Some(GPT2),
        [split, bytes] if is_bytes(bytes, false) => {
            let is_plain = split["type"] == "Split" && split["behavior"] == "Isolated" && split["invert"] != true;
            split["pattern"]["Regex"].as_str().filter(|_| is_plain)
        }
        _ => None,
    }
}

/// Returns the special tokens around texts, and whether two end tokens are between two texts.
fn frame(post_processor: &Value, number: impl Fn(&Value) -> Option<u32> + Copy) -> Option<(SpecialTokens, bool)> {
    // In a sequence, the step for bytes only trims offsets.
    let steps = match post_processor["type"] == "Sequence" {
        true => post_processor["processors"].as_array()?.iter().collect(),
        false => vec![post_processor],
    };
    let mut framing = steps.into_iter().filter(|step| step["type"] != "ByteLevel");
    let step = framing.next().filter(|_| framing.next().is_none())?;
    let read = |between| special_tokens::read(step, between, number);
    let [one, two] = [PairTemplate::One, PairTemplate::Two].map(read);
    match (one, two) {
        (Some(one), _) if one.second_kind.is_some() => Some((one, false)),
        (_, Some(two)) if two.second_kind.is_some() => Some((two, true)),
        (one, two) => one.or(two).map(|frame| (frame, false)),
    }
}

/// Returns the spellings by number, and the numbers of the special tokens.
fn pieces(vocabulary: &Value, added: &[Value]) -> Option<(Vec<String>, Vec<u32>)> {
    let vocabulary = vocabulary.as_object()?;
    let known = vocabulary.iter().map(|(piece, number)| Some((piece.as_str(), number.as_u64()? as usize, false)));
    let tokens = added.iter().map(|token| Some((token["content"].as_str()?, token["id"].as_u64()? as usize, true)));
    let all: Vec<(&str, usize, bool)> = known.chain(tokens).collect::<Option<_>>()?;
    let count = all.iter().map(|(_, number, _)| number.saturating_add(1)).max().filter(|count| *count <= MAX_PIECES)?;
    let mut pieces = vec![String::new(); count];
    for (piece, number, is_added) in all {
        if piece.is_empty() || piece.len() > MAX_SPELLING || !is_added && !pieces[number].is_empty() {
            return None;
        }
        piece.clone_into(&mut pieces[number]);
    }
    let gaps = pieces.iter().filter(|piece| piece.is_empty()).count();
    let special = |token: &Value| {
        let plain = ["single_word", "rstrip"].iter().all(|name| token[name] != true);
        let flag = if token["lstrip"] == true { EATS_BLANKS } else { 0 };
        token["id"].as_u64().filter(|_| plain).map(|number| number as u32 | flag)
    };
    let specials: Vec<u32> = added.iter().map(special).collect::<Option<_>>()?;
    (gaps <= MAX_GAPS).then_some((pieces, specials))
}

/// Reads merges in both forms: `"a b"` and `["a", "b"]`.
fn merges(merges: &Value, numbers: &HashMap<&str, u32>) -> Option<Vec<Merge>> {
    let merges = merges.as_array().filter(|merges| merges.len() <= MAX_PIECES)?;
    let mut read = Vec::with_capacity(merges.len());
    for (rank, merge) in (0..).zip(merges) {
        let (left, right) = match merge {
            Value::String(both) => both.split_once(' ')?,
            both => (both[0].as_str()?, both[1].as_str()?),
        };
        let number = |piece: &str| numbers.get(piece).copied();
        let merged = number(&format!("{left}{right}"))?;
        read.push(Merge { left: number(left)?, right: number(right)?, rank, merged });
    }
    read.sort_unstable();
    // As in the crate `tokenizers`, the last of equal merges counts.
    read.dedup_by(|later, kept| {
        let is_same = (later.left, later.right) == (kept.left, kept.right);
        if is_same {
            *kept = *later;
        }
        is_same
    });
    Some(read)
}

/// A vocabulary of all bytes and some merges, for tests.
#[cfg(test)]
pub(in crate::bert) fn tiny() -> Value {
    use serde_json::json;

    let mut pieces: Vec<String> = ["[CLS]", "[SEP]", "[MASK]", "  "].map(str::to_owned).to_vec();
    pieces.extend((0..=u8::MAX).map(|byte| spelled(byte).to_string()));
    let merges = ["a b", "b c", "ab c", "Ġ ab", "Ġ Ġ", "Ã ©"];
    pieces.extend(merges.map(|merge| merge.replace(' ', "")));
    pieces.push("Ġwhole".into());
    let vocabulary: serde_json::Map<String, Value> =
        pieces.iter().enumerate().skip(4).map(|(number, piece)| (piece.clone(), json!(number))).collect();
    let added: Vec<Value> = (0..4)
        .map(|id| {
            json!({"id": id, "content": pieces[id], "single_word": false, "lstrip": id == 2, "rstrip": false,
                "normalized": id == 3, "special": id < 3})
        })
        .collect();
    let special = |id: &str, part: u32| json!({"SpecialToken": {"id": id, "type_id": part}});
    let sequence = |id: &str, part: u32| json!({"Sequence": {"id": id, "type_id": part}});
    let named = |id: &str, number: u32| json!({"id": id, "ids": [number], "tokens": [id]});
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "decoder": null,
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        "post_processor": {"type": "TemplateProcessing",
            "single": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)],
            "pair": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0), sequence("B", 0), special("[SEP]", 0)],
            "special_tokens": {"[CLS]": named("[CLS]", 0), "[SEP]": named("[SEP]", 1)}},
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": vocabulary, "merges": merges}
    })
}
