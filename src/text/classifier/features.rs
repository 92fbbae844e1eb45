//! Features of a sentence and its context: hashed n-grams of words and characters, and a few marks that hold in every language.
//!
//! Each group of features is scaled to length 1 and weighted, so that a long sentence says no more than a short one (the
//! "hashing trick" of Weinberger et al., 2009, with signed hashes). Training and use share this code: `scripts/quality/train`
//! reads the features from the example `classifier_features`.

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
    Named,
}

/// Returns the features of `text` said in `context` as (index below 2^[`BITS`], value), ordered by index.
///
/// `context` is what was said before or asked for, cut to the part that matters; `named` are further features with their values.
pub(super) fn features(text: &str, context: &str, named: &[(String, f32)]) -> Vec<(u32, f32)> {
    let (text, context) = (plain(text), plain(context));
    let (words, context_words) = (tokens(&text), tokens(&context));
    let mut all = Vec::new();
    all.extend(scaled(1.0, word_grams(Group::Words, &words, WORDS)));
    all.extend(scaled(1.0, character_grams(&text)));
    all.extend(scaled(CONTEXT_WEIGHT, word_grams(Group::Context, &context_words, CONTEXT_WORDS)));
    for mark in marks(&text, &context, &words, &context_words) {
        let (index, sign) = Hash::of(Group::Marks).with(mark).feature();
        all.push((index, sign * MARK_WEIGHT));
    }
    for (name, value) in named {
        let (index, sign) = Hash::of(Group::Named).with(name).feature();
        all.push((index, sign * value));
    }
    summed(all)
}

/// Returns n-grams as features of one group, scaled to length `weight`.
fn scaled(weight: f32, grams: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    let mut counts = summed(grams);
    let length = counts.iter().map(|(_, count)| count * count).sum::<f32>().sqrt();
    // Signs may cancel each other.
    if length == 0.0 {
        return Vec::new();
    }
    counts.iter_mut().for_each(|(_, count)| *count = weight * *count / length);
    counts
}

/// Adds the values of equal indices, and orders them by index.
fn summed(mut features: Vec<(u32, f32)>) -> Vec<(u32, f32)> {
    features.sort_by_key(|(index, _)| *index);
    features.dedup_by(|later, kept| {
        let is_same = later.0 == kept.0;
        if is_same {
            kept.1 += later.1;
        }
        is_same
    });
    features
}

/// The FNV-1a hash of a group and a name, which may come in parts.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    fn of(group: Group) -> Self {
        Self(0xcbf2_9ce4_8422_2325).byte(group as u8)
    }

    fn byte(self, byte: u8) -> Self {
        Self((self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }

    fn with(self, part: &str) -> Self {
        part.bytes().fold(self, Self::byte)
    }

    /// Returns the index and the sign of the feature.
    fn feature(self) -> (u32, f32) {
        // The low bits of FNV differ too little between similar names.
        let hash = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((hash >> (64 - BITS)) as u32, if hash & 1 == 0 { 1.0 } else { -1.0 })
    }
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

/// Returns the n-grams of up to `longest` words, which a blank separates.
fn word_grams(group: Group, words: &[&str], longest: usize) -> Vec<(u32, f32)> {
    let mut grams = Vec::with_capacity(words.len() * longest);
    for start in 0..words.len() {
        let mut hash = Hash::of(group);
        for (position, word) in words[start..].iter().take(longest).enumerate() {
            hash = if position > 0 { hash.byte(b' ').with(word) } else { hash.with(word) };
            grams.push(hash.feature());
        }
    }
    grams
}

/// Returns the n-grams of characters within each blank-separated word, which a blank begins and ends.
fn character_grams(text: &str) -> Vec<(u32, f32)> {
    let (least, most) = CHARACTERS;
    let mut grams = Vec::with_capacity(text.len() * (most - least + 1));
    for word in text.split_whitespace() {
        let characters: Vec<char> = std::iter::once(' ').chain(word.chars()).chain(std::iter::once(' ')).collect();
        for start in 0..characters.len() {
            let mut hash = Hash::of(Group::Characters);
            for (position, character) in characters[start..].iter().take(most).enumerate() {
                hash = hash.with(character.encode_utf8(&mut [0; 4]));
                if position + 1 >= least {
                    grams.push(hash.feature());
                }
            }
        }
    }
    grams
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
