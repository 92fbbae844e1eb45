//! Features of a sentence and its context: hashed n-grams of words and characters, and a few marks that hold in every language.
//!
//! Each group of features is scaled to length 1 and weighted, so that a long sentence says no more than a short one (the
//! "hashing trick" of Weinberger et al., 2009, with signed hashes). Training and use share this code: `scripts/quality/train`
//! reads the features from the example `classifier_features`.

use std::collections::BTreeMap;

use crate::analysis::is_unspaced;

/// Number of features is 2 to this power.
pub const BITS: u32 = 16;

/// Words of an n-gram at most.
const WORDS: usize = 3;
/// Characters of an n-gram, at least and at most.
const CHARACTERS: (usize, usize) = (2, 5);
/// Words of an n-gram of the context at most.
const CONTEXT_WORDS: usize = 2;
/// Weight of the context and of the marks; the sentence's own groups have weight 1.
const CONTEXT_WEIGHT: f32 = 0.5;
/// Weight of a mark.
const MARK_WEIGHT: f32 = 0.5;
/// Letters of a stem, which word forms share.
const STEM: usize = 5;

/// A group of features, each with its own hashes.
#[derive(Clone, Copy)]
enum Group {
    Words,
    Characters,
    Context,
    Marks,
}

/// Returns the features of `text` said in `context` as (index below 2^[`BITS`], value), ordered by index.
///
/// `context` is what was said before or asked for, cut to the part that matters.
pub(super) fn features(text: &str, context: &str) -> Vec<(u32, f32)> {
    let (text, context) = (plain(text), plain(context));
    let (words, context_words) = (tokens(&text), tokens(&context));
    let mut all = Features::default();
    all.add(Group::Words, 1.0, word_grams(&words, WORDS));
    all.add(Group::Characters, 1.0, character_grams(&text));
    all.add(Group::Context, CONTEXT_WEIGHT, word_grams(&context_words, CONTEXT_WORDS));
    for mark in marks(&text, &context, &words, &context_words) {
        all.put(Group::Marks, mark, MARK_WEIGHT);
    }
    all.0.into_iter().collect()
}

#[derive(Default)]
struct Features(BTreeMap<u32, f32>);

impl Features {
    /// Adds a group of n-grams, scaled to length `weight`.
    fn add(&mut self, group: Group, weight: f32, grams: impl Iterator<Item = String>) {
        let mut counts: BTreeMap<u32, f32> = BTreeMap::new();
        for gram in grams {
            let (index, sign) = hashed(group, &gram);
            *counts.entry(index).or_default() += sign;
        }
        let length = counts.values().map(|count| count * count).sum::<f32>().sqrt();
        if length > 0.0 {
            for (index, count) in counts {
                *self.0.entry(index).or_default() += weight * count / length;
            }
        }
    }

    fn put(&mut self, group: Group, name: &str, value: f32) {
        let (index, sign) = hashed(group, name);
        *self.0.entry(index).or_default() += sign * value;
    }
}

/// Returns the index and the sign of a feature: FNV-1a of the group and the name.
fn hashed(group: Group, name: &str) -> (u32, f32) {
    let bytes = std::iter::once(group as u8).chain(name.bytes());
    let mut hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    // The low bits of FNV differ too little between similar names.
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let index = (hash >> (64 - BITS)) as u32;
    (index, if hash & 1 == 0 { 1.0 } else { -1.0 })
}

/// Lower case, plain apostrophes, every digit as 0: which number it is says nothing about the kind of a sentence.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase().replace(['\u{2019}', '\u{2bc}'], "'").replace("i\u{307}", "i");
    lower.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// Returns the words of a text, and the marks that end a sentence or begin code as words of their own.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        let is_word = character.is_alphanumeric() || character == '_';
        match (is_word, start) {
            (true, None) => start = Some(at),
            (false, Some(begin)) => {
                found.push(&text[begin..at]);
                start = None;
            }
            _ => {}
        }
        if matches!(character, '?' | '!' | ':' | '`' | '？' | '！' | '：') {
            found.push(&text[at..at + character.len_utf8()]);
        }
    }
    found.extend(start.map(|begin| &text[begin..]));
    found
}

fn word_grams<'t>(words: &'t [&'t str], longest: usize) -> impl Iterator<Item = String> + 't {
    (1..=longest).flat_map(move |size| words.windows(size).map(|gram| gram.join(" ")))
}

/// Returns the n-grams of characters within each blank-separated word, which a blank begins and ends.
fn character_grams(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_whitespace().flat_map(|word| {
        let characters: Vec<char> = std::iter::once(' ').chain(word.chars()).chain(std::iter::once(' ')).collect();
        let (least, most) = CHARACTERS;
        let grams = (least..=most).flat_map(move |size| {
            characters.windows(size).map(|gram| gram.iter().collect::<String>()).collect::<Vec<String>>()
        });
        grams.collect::<Vec<String>>()
    })
}

/// Returns the names of the marks that a sentence bears.
fn marks(text: &str, context: &str, words: &[&str], context_words: &[&str]) -> Vec<&'static str> {
    let (text, context) = (text.trim(), context.trim());
    let is_same = !context.is_empty() && context.contains(text);
    let shared = shared_stems(words, context_words);
    let length = if text.contains(is_unspaced) { text.chars().count() / 2 } else { words.len() };
    let context_length = if context.contains(is_unspaced) { context.chars().count() / 2 } else { context_words.len() };
    let bearing = [
        (is_same, "is in the context"),
        (!is_same && shared > 0.0, "shares a word"),
        (!is_same && shared > 0.3, "shares a third"),
        (!is_same && shared > 0.6, "shares most"),
        (text.ends_with(['?', '？']), "asks"),
        (text.ends_with([':', '：']), "introduces"),
        (text.ends_with(['!', '！']), "exclaims"),
        (context.ends_with(['?', '？']), "answers a question"),
        (context.contains(['?', '？']), "follows a question"),
        (context.is_empty(), "stands alone"),
        (length < 4, "below 4 words"),
        (length < 8, "below 8 words"),
        (length > 20, "above 20 words"),
        (context_length < 4, "context below 4 words"),
        (context_length > 11, "context above 11 words"),
        (text.contains('`'), "names code"),
        (text.contains('0'), "has a digit"),
        (context.contains('0'), "context has a digit"),
    ];
    bearing.into_iter().filter(|(bears, _)| *bears).map(|(_, name)| name).collect()
}

/// Returns the share of the longer words of `words` whose stem is in `others`.
fn shared_stems(words: &[&str], others: &[&str]) -> f32 {
    let stem = |word: &&&str| (word.chars().count() > 3).then(|| word.chars().take(STEM).collect::<String>());
    let stems: Vec<String> = words.iter().filter_map(|word| stem(&word)).collect();
    let others: Vec<String> = others.iter().filter_map(|word| stem(&word)).collect();
    let shared = stems.iter().filter(|stem| others.contains(stem)).count();
    shared as f32 / stems.len().max(1) as f32
}
