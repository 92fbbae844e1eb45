//! The special tokens around a text and between two texts.

use serde_json::Value;

/// Special tokens around texts.
#[derive(Debug, PartialEq)]
pub(super) struct SpecialTokens {
    /// Token before a text.
    pub(super) start: u32,
    /// Token after a text.
    pub(super) end: u32,
    /// Kind of sentence of the second text; `None` if pairs are joined in an unsupported way.
    pub(super) second_kind: Option<usize>,
}

/// How two texts are joined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PairTemplate {
    /// One end token between them, and the second text has its own kind of sentence: `[CLS] A [SEP] B [SEP]`.
    One,
    /// Two end tokens between them, and both texts have the same kind: `<s> A </s> </s> B </s>`.
    Two,
}

/// Parses a `post_processor`. `number` returns the number of the piece with a spelling.
pub(super) fn read(
    post_processor: &Value,
    between: PairTemplate,
    number: impl Fn(&Value) -> Option<u32>,
) -> Option<SpecialTokens> {
    let named = match (post_processor["type"].as_str()?, between) {
        ("TemplateProcessing", _) => return template(post_processor, between, number),
        // The fixed forms of the same two templates.
        ("BertProcessing", PairTemplate::One) => 1,
        ("RobertaProcessing", PairTemplate::Two) => 0,
        _ => return None,
    };
    let special = |name: &str| number(&post_processor[name][0]).filter(|token| post_processor[name][1] == *token);
    Some(SpecialTokens { start: special("cls")?, end: special("sep")?, second_kind: Some(named) })
}

fn template(template: &Value, between: PairTemplate, number: impl Fn(&Value) -> Option<u32>) -> Option<SpecialTokens> {
    let special = |part: &Value| number(&part["SpecialToken"]["id"]);
    let [before, text, after] = template["single"].as_array()?.as_slice() else { return None };
    let (start, end) = (special(before)?, special(after)?);
    if text["Sequence"]["id"] != "A" {
        return None;
    }
    let pair = template["pair"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_special = |part: &Value, token: u32| special(part) == Some(token);
    let is_text = |part: &Value, name: &str| part["Sequence"]["id"] == name;
    let kind = |part: &Value| {
        let named = if part["Sequence"].is_object() { &part["Sequence"] } else { &part["SpecialToken"] };
        named["type_id"].as_u64()
    };
    let second_kind = match (between, pair) {
        (PairTemplate::One, [head, first, middle, second, last]) => {
            let is_framed = is_special(head, start) && is_special(middle, end) && is_special(last, end);
            let first_kinds = [head, first, middle].iter().all(|part| kind(part) == Some(0));
            let is_whole = is_framed && is_text(first, "A") && is_text(second, "B") && first_kinds;
            kind(second).filter(|found| is_whole && kind(last) == Some(*found) && *found < 2).map(|kind| kind as usize)
        }
        // Networks of this family do not distinguish kinds, whatever the template says.
        (PairTemplate::Two, [head, first, middle, next, second, last]) => {
            let is_framed = is_special(head, start) && [middle, next, last].iter().all(|part| is_special(part, end));
            (is_framed && is_text(first, "A") && is_text(second, "B")).then_some(0)
        }
        _ => None,
    };
    Some(SpecialTokens { start, end, second_kind })
}
