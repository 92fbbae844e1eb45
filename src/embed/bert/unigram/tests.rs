use proptest::prelude::*;

use super::*;

/// A small vocabulary. Piece numbers are indices in this list.
const PIECES: [(&str, f32); 14] = [
    ("\u{2581}", -4.0),
    ("a", -3.0),
    ("b", -3.5),
    ("ab", -5.0),
    ("abc", -9.0),
    ("c", -4.0),
    ("<unk>", 0.0),
    ("\u{2581}a", -4.5),
    ("\u{2581}ab", -6.5),
    ("é", -5.0),
    ("日", -5.0),
    ("日本", -6.0),
    ("本", -5.5),
    ("f", -4.0),
];
const UNKNOWN: u32 = 6;

struct Tables {
    units: Vec<Unit>,
    scores: Vec<f32>,
    from: Vec<u32>,
    ends: Vec<u32>,
    text: String,
}

fn tables() -> Tables {
    let mut pieces: Vec<(&[u8], u32)> =
        (0..).zip(PIECES).map(|(number, (piece, _))| (piece.as_bytes(), number)).collect();
    pieces.retain(|(_, number)| *number != UNKNOWN);
    pieces.sort_unstable();
    let (mut ends, mut text) = (Vec::new(), String::new());
    let folds = [('\n', " "), ('\u{200d}', ""), ('\u{3000}', " "), ('ﬀ', "ff"), ('ａ', "a")];
    for (_, replacement) in folds {
        text.push_str(replacement);
        ends.push(text.len() as u32);
    }
    let from = folds.map(|(c, _)| u32::from(c)).to_vec();
    Tables { units: trie(&pieces), scores: PIECES.map(|(_, score)| score).to_vec(), from, ends, text }
}

impl Tables {
    fn unigram(&self) -> Unigram<'_> {
        Unigram {
            trie: &self.units,
            scores: &self.scores,
            unknown_score: unknown_score(&self.scores),
            unknown: UNKNOWN,
            folds: ReplacementTable { from: &self.from, ends: &self.ends, text: self.text.as_bytes() },
        }
    }
}

fn tokens(text: &str) -> Vec<u32> {
    let mut tokens = Vec::new();
    tables().unigram().encode(text, &mut tokens);
    tokens
}

/// Checks properties of every text: a bounded number of tokens, all in the vocabulary.
pub(super) fn sound(text: &str) {
    let found = tokens(text);
    assert!(found.len() <= 2 * text.chars().count() * 4 + 1);
    assert!(found.iter().all(|token| (*token as usize) < PIECES.len()));
}

#[test]
fn the_likeliest_segmentation_is_chosen() {
    // "▁ab" -6.5 against "▁a" + "b" -8 and "▁" + "ab" -9.
    assert_eq!(tokens("ab"), [8]);
    // "▁ab" + "c" -10.5 against "▁" + "abc" -13.
    assert_eq!(tokens("abc"), [8, 5]);
    assert_eq!(tokens("日本"), [0, 11]);
    assert_eq!(tokens("b a"), [0, 2, 7]);
}

#[test]
fn text_is_composed_replaced_and_split() {
    assert_eq!(tokens("e\u{301}"), tokens("é"));
    assert_eq!(tokens("\u{ff41}b"), tokens("ab"));
    assert_eq!(tokens(" a\n\u{3000} a  "), [7, 7]);
    assert_eq!(tokens("a\u{200d}b"), [8]);
    assert_eq!(tokens("\u{fb00}"), [0, 13, 13]);
    assert_eq!(tokens(""), [0u32; 0]);
    assert_eq!(tokens(" \n "), [0u32; 0]);
}

#[test]
fn unknown_characters_in_a_row_are_one_token_and_special_tokens_are_text() {
    assert_eq!(tokens("xyz"), [0, UNKNOWN]);
    assert_eq!(tokens("xay"), [0, UNKNOWN, 1, UNKNOWN]);
    assert!(!tokens("<unk>").is_empty());
    assert_eq!(tokens("a<unk>b"), [7, UNKNOWN, 2]);
}

#[test]
fn an_endless_word_is_segmented_in_linear_time() {
    let long = "ab".repeat(200_000);
    assert_eq!(tokens(&long).len(), 200_000);
}

proptest! {
    #[test]
    fn a_trie_finds_exactly_its_spellings(
        words in proptest::collection::btree_set("[a-c]{1,6}|[é日本ﬀ]{1,3}", 1..40), others in proptest::collection::vec("[a-d]{1,7}", 0..20)
    ) {
        let pieces: Vec<(&[u8], u32)> = words.iter().zip(0..).map(|(word, number)| (word.as_bytes(), number)).collect();
        let units = trie(&pieces);
        let find = |word: &str| {
            let end = word.bytes().try_fold(0, |state, byte| trie::child(&units, state, byte))?;
            trie::value(&units, end)
        };
        for (word, number) in words.iter().zip(0..) {
            prop_assert_eq!(find(word), Some(number));
        }
        for other in others.iter().filter(|other| !words.contains(*other)) {
            prop_assert_eq!(find(other), None);
        }
    }

    #[test]
    fn no_segmentation_is_likelier(word in "[abc]{1,9}") {
        let best = tokens(&word).iter().map(|token| PIECES[*token as usize].1).sum::<f32>();
        let exact = likeliest(&format!("\u{2581}{word}"));
        prop_assert!((best - exact).abs() < 1e-3, "{word}: {best} against {exact}");
    }
}

/// Returns the highest sum of scores, by brute force.
fn likeliest(rest: &str) -> f32 {
    let fits = PIECES.iter().filter(|(piece, _)| *piece != "<unk>" && rest.starts_with(piece));
    let best = fits.map(|(piece, score)| score + likeliest(&rest[piece.len()..])).fold(f32::NEG_INFINITY, f32::max);
    if rest.is_empty() { 0.0 } else { best }
}
