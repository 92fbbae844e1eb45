use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::charsmap::Replacements;
use super::table::charsmap;
use super::*;
use tars_testing::fuzz::seed_is;

/// Replacements of the tiny tokenizer. The last is a composition, which the tokenizer does without a table.
const REPLACED: [(&str, &str); 8] = [
    ("\t", " "),
    ("\n", " "),
    ("\u{200d}", ""),
    ("\u{2581}", " "),
    ("\u{3000}", " "),
    ("\u{fb01}", "fi"),
    ("\u{1d400}", "A"),
    ("e\u{301}", "é"),
];

/// A tokenizer like XLM-R's.
fn unigram() -> Value {
    let special = |id: &str, part: u32| json!({"SpecialToken": {"id": id, "type_id": part}});
    let sequence = |id: &str, part: u32| json!({"Sequence": {"id": id, "type_id": part}});
    let added: Vec<Value> = ["<s>", "<pad>", "</s>", "<unk>"]
        .iter()
        .enumerate()
        .map(|(id, piece)| json!({"id": id, "content": piece, "special": true, "normalized": false}))
        .collect();
    json!({
        "added_tokens": added,
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": charsmap(&REPLACED)},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": "\u{2581}", "add_prefix_space": true}]},
        "post_processor": {"type": "TemplateProcessing",
            "single": [special("<s>", 0), sequence("A", 0), special("</s>", 0)],
            "pair": [special("<s>", 0), sequence("A", 0), special("</s>", 0), special("</s>", 0), sequence("B", 0),
                special("</s>", 0)]},
        "model": {"type": "Unigram", "unk_id": 3, "vocab": [["<s>", 0.0], ["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0],
            ["\u{2581}", -2.0], ["a", -3.0], ["\u{2581}ab", -4.0], ["é", -5.0], ["fi", -4.5]]}
    })
}

fn read(file: &Value) -> Result<TokenizerFile, String> {
    super::read(file.to_string().as_bytes())
}

fn tokens(file: &Value, text: &str) -> Vec<u32> {
    let Vocabulary::Unigram(vocabulary) = read(file).unwrap().vocabulary else { panic!("it is a unigram vocabulary") };
    let mut tokens = Vec::new();
    vocabulary.unigram().encode(text, &mut tokens);
    tokens
}

#[test]
fn a_tokenizer_of_xlm_r_is_read_completely() {
    let found = read(&unigram()).unwrap();
    assert_eq!((found.vocabulary.pieces(), found.second_kind), (9, Some(0)));
    let Vocabulary::Unigram(vocabulary) = &found.vocabulary else { panic!("{found:?}") };
    assert_eq!((vocabulary.start, vocabulary.end, vocabulary.unknown), (0, 2, 3));
    assert_eq!(tokens(&unigram(), "ab\u{3000}\n a \u{fb01}"), [6, 4, 5, 4, 8]);
    assert_eq!(tokens(&unigram(), "a\u{200d}e\u{301}"), [4, 5, 7]);
    // Text that spells a special token is ordinary text. Blanks without an entry in the table split words too.
    assert_eq!(tokens(&unigram(), "<s>"), [4, 3]);
    assert_eq!(tokens(&unigram(), "a\u{85}a"), tokens(&unigram(), "a a"));
    seed_is("tokenizer", "unigram", unigram().to_string().as_bytes());
}

#[test]
fn a_table_of_characters_is_read_in_order() {
    let read = Replacements::read(&charsmap(&REPLACED)).unwrap();
    let from: Vec<char> = read.from.iter().map(|number| char::from_u32(*number).unwrap()).collect();
    assert_eq!(from, ['\t', '\n', '\u{200d}', '\u{2581}', '\u{3000}', '\u{fb01}', '\u{1d400}']);
    assert_eq!((read.text.as_str(), read.ends.as_slice()), ("    fiA", &[1, 2, 2, 3, 4, 6, 7][..]));
    let mut more = Replacements::read(&charsmap(&[("b\u{301}", "x"), ("é", "xyz"), ("ü", "")])).unwrap();
    ['\u{85}', 'é', '\u{2028}'].into_iter().for_each(|c| more.blank(c));
    assert_eq!((more.text.as_str(), more.from.len(), more.ends.as_slice()), (" xyz ", 4, &[1, 4, 4, 5][..]));
}

#[test]
fn a_damaged_table_of_characters_is_refused() {
    let reason = |encoded: &str| Replacements::read(encoded).unwrap_err();
    assert!(reason("?").contains("base64"));
    assert!(
        reason("").contains("cut off")
            && reason("AAAAAA==").contains("cut off")
            && reason("/////w==").contains("cut off")
    );
    assert!(reason(&charsmap(&[("a", "b")])).contains("replaces 'a'"));
    assert!(reason(&charsmap(&[("é", &"x".repeat(100))])).contains("long text"));
    // Changes the size of the trie, or one of its units.
    let whole = STANDARD.decode(charsmap(&[("é", "e")])).unwrap();
    let with = |at: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        reason(&STANDARD.encode(bytes))
    };
    assert!(with(0, 1020).contains("is inconsistent"));
    assert!(with(4, 300 << 10).contains("is inconsistent") && with(8, 1 << 31 | 9).contains("is inconsistent"));
    assert!(Replacements::read(&charsmap(&[("a", "a"), ("é", "é")])).unwrap().from.is_empty());
}

#[test]
fn a_tokenizer_that_differs_from_xlm_r_is_refused() {
    let refused = |change: &dyn Fn(&mut Value), part: &str| {
        let mut file = unigram();
        change(&mut file);
        let reason = read(&file).unwrap_err();
        assert!(reason.contains(part), "{reason} does not say {part}");
    };
    let table = json!({"type": "Precompiled", "precompiled_charsmap": charsmap(&REPLACED)});
    let metaspace = json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always"});
    refused(&|file| file["normalizer"] = json!({"type": "NFKC"}), "normalizer");
    refused(
        &|file| file["normalizer"] = json!({"type": "Sequence", "normalizers": [table, {"type": "Lowercase"}]}),
        "normalizer",
    );
    refused(&|file| file["pre_tokenizer"] = json!({"type": "Whitespace"}), "pre-tokenizer");
    refused(&|file| file["pre_tokenizer"]["pretokenizers"][1]["prepend_scheme"] = "never".into(), "pre-tokenizer");
    refused(&|file| file["pre_tokenizer"] = metaspace.clone(), "one blank and several");
    refused(&|file| file["post_processor"]["single"] = json!([]), "post-processor");
    refused(&|file| file["model"]["byte_fallback"] = true.into(), "model");
    refused(&|file| file["model"]["unk_id"] = 9.into(), "model");
    refused(&|file| file["model"]["unk_id"] = Value::Null, "model");
    refused(&|file| file["model"]["vocab"][5][1] = "x".into(), "vocabulary");
    refused(&|file| file["model"]["vocab"][5][0] = "a".repeat(200).into(), "vocabulary");
    refused(&|file| file["added_tokens"][0]["special"] = false.into(), "added tokens");
    refused(&|file| file["model"]["type"] = "WordLevel".into(), "not WordPiece, Unigram or BPE");
    assert!(super::read(b"{").unwrap_err().contains("not JSON"));
    // The other supported way to join several blanks.
    let mut file = unigram();
    let steps = json!([table, {"type": "Strip", "strip_left": false, "strip_right": true},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "\u{2581}"}]);
    file["normalizer"] = json!({"type": "Sequence", "normalizers": steps});
    file["pre_tokenizer"] = metaspace;
    assert_eq!(tokens(&file, "ab  a "), [6, 4, 5]);
}

#[test]
fn an_unsupported_pair_template_gives_none() {
    let kind = |change: &dyn Fn(&mut Value)| {
        let mut file = unigram();
        change(&mut file);
        read(&file).unwrap().second_kind
    };
    assert_eq!(kind(&|file| file["post_processor"]["pair"][4]["Sequence"]["type_id"] = 1.into()), Some(0));
    assert_eq!(kind(&|file| file["post_processor"]["pair"] = json!([])), None);
    assert_eq!(kind(&|file| file["post_processor"]["pair"][3]["SpecialToken"]["id"] = "<s>".into()), None);
    let fixed = json!({"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]});
    assert_eq!(kind(&|file| file["post_processor"] = fixed.clone()), Some(0));
    let mut file = unigram();
    file["post_processor"] = json!({"type": "RobertaProcessing", "sep": ["</s>", 3], "cls": ["<s>", 0]});
    assert!(read(&file).unwrap_err().contains("post-processor"));
}
