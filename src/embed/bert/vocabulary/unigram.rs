//! The vocabulary of XLM-R and of other tokenizers that SentencePiece made in the same way.

use std::collections::HashSet;

use serde_json::Value;

use super::charsmap::Replacements;
use super::special_tokens::{self, PairTemplate};
use super::{MAX_PIECES, TokenizerFile, Vocabulary};
use crate::bert::unigram::{MAX_PIECE_BYTES, UnigramVocabulary, trie};

/// Stands for a space in pieces.
const MARK: &str = "\u{2581}";

pub(super) fn read(file: &Value) -> Result<TokenizerFile, String> {
    let unlike = |part: &str| format!("its {part} is not an XLM-R tokenizer's");
    let normalizer = Normalizer::read(&file["normalizer"]).ok_or_else(|| unlike("normalizer"))?;
    let parts_at_blanks = parts_at_blanks(&file["pre_tokenizer"]).ok_or_else(|| unlike("pre-tokenizer"))?;
    if !parts_at_blanks && !normalizer.joins_blanks {
        return Err("its tokenizer distinguishes one blank and several".into());
    }
    let model = &file["model"];
    if model["byte_fallback"] == true {
        return Err(unlike("model"));
    }
    let pieces = pieces(&model["vocab"]).ok_or_else(|| unlike("vocabulary"))?;
    let number = |piece: &Value| -> Option<u32> {
        let piece = piece.as_str()?;
        pieces.iter().position(|(known, _)| *known == piece).map(|number| number as u32)
    };
    let unknown = model["unk_id"].as_u64().filter(|unknown| (*unknown as usize) < pieces.len());
    let unknown = unknown.ok_or_else(|| unlike("model"))? as u32;
    let frame = special_tokens::read(&file["post_processor"], PairTemplate::Two, number)
        .ok_or_else(|| unlike("post-processor"))?;
    let mut special = HashSet::from([unknown, frame.start, frame.end]);
    for token in file["added_tokens"].as_array().into_iter().flatten() {
        // Other added tokens would be recognised in texts before segmentation, which the kernel does not support.
        let number = token["id"].as_u64().and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|_| token["special"] == true).ok_or_else(|| unlike("list of added tokens"))?;
        special.insert(number);
    }
    let mut spelled: Vec<(&[u8], u32)> = (0..)
        .zip(&pieces)
        .filter(|(number, (piece, _))| !piece.is_empty() && !special.contains(number))
        .map(|(number, (piece, _))| (piece.as_bytes(), number))
        .collect();
    spelled.sort_unstable();
    spelled.dedup_by_key(|(piece, _)| *piece);
    let mut replacements = normalizer.replacements()?;
    if parts_at_blanks {
        (1..=u32::from(char::MAX)).filter_map(char::from_u32).filter(|c| c.is_whitespace() && *c != ' ').for_each(
            |c| {
                replacements.blank(c);
            },
        );
    }
    let Replacements { from, ends, text } = replacements;
    let vocabulary = UnigramVocabulary {
        trie: trie(&spelled),
        scores: pieces.iter().map(|(_, score)| *score).collect(),
        from,
        ends,
        text,
        unknown,
        start: frame.start,
        end: frame.end,
    };
    Ok(TokenizerFile { vocabulary: Vocabulary::Unigram(vocabulary), second_kind: frame.second_kind })
}

/// The first step of tokenization.
struct Normalizer<'a> {
    /// The table of characters, in base64.
    table: &'a str,
    /// Whether several blanks become one, and trailing ones are removed.
    joins_blanks: bool,
}

impl<'a> Normalizer<'a> {
    /// Parses `Precompiled`, alone or followed by steps that join several blanks.
    fn read(normalizer: &'a Value) -> Option<Self> {
        let (first, rest) = match normalizer["type"].as_str()? {
            "Sequence" => normalizer["normalizers"].as_array()?.split_first()?,
            _ => (normalizer, &[][..]),
        };
        let (mut joined, mut stripped) = (false, false);
        for step in rest {
            match step["type"].as_str()? {
                "Strip" if step["strip_left"] == false && step["strip_right"] == true => stripped = true,
                "Replace" if step["pattern"]["Regex"] == " {2,}" => {
                    joined = step["content"] == " " || step["content"] == MARK;
                    joined.then_some(())?;
                }
                _ => return None,
            }
        }
        let table = first["precompiled_charsmap"].as_str().filter(|_| first["type"] == "Precompiled")?;
        Some(Self { table, joins_blanks: joined && stripped })
    }

    fn replacements(&self) -> Result<Replacements, String> {
        Replacements::read(self.table)
    }
}

/// Parses `Metaspace`, alone or after a split at all blanks. Returns whether there is such a split.
fn parts_at_blanks(pre_tokenizer: &Value) -> Option<bool> {
    let (metaspace, parts) = match pre_tokenizer["type"].as_str()? {
        "Sequence" => match pre_tokenizer["pretokenizers"].as_array()?.as_slice() {
            [first, second] if first["type"] == "WhitespaceSplit" => (second, true),
            [only] => (only, false),
            _ => return None,
        },
        _ => (pre_tokenizer, false),
    };
    let or_left_out = |name: &str, wanted: Value| metaspace[name].is_null() || metaspace[name] == wanted;
    let is_usual = metaspace["type"] == "Metaspace"
        && metaspace["replacement"] == MARK
        && or_left_out("prepend_scheme", "always".into())
        && or_left_out("add_prefix_space", true.into())
        && or_left_out("split", true.into());
    is_usual.then_some(parts)
}

/// Returns spelling and score of each piece, if all are valid.
fn pieces(vocabulary: &Value) -> Option<Vec<(&str, f32)>> {
    let vocabulary = vocabulary.as_array().filter(|vocabulary| vocabulary.len() <= MAX_PIECES)?;
    vocabulary.iter().map(read_piece).collect()
}

fn read_piece(entry: &Value) -> Option<(&str, f32)> {
    let piece = entry[0].as_str().filter(|piece| piece.len() <= MAX_PIECE_BYTES && !piece.contains('\0'))?;
    let score = entry[1].as_f64()? as f32;
    score.is_finite().then_some((piece, score))
}
