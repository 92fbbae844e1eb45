//! How much of a question is looked at, so that no question takes long, whatever it holds.
//!
//! | of a question | at most | what is left out |
//! |---|---|---|
//! | text | 32,768 characters | what stands behind them |
//! | words, with parts and bigrams | 64 different ones (`analysis::terms`) | the later ones |
//! | phrases, and exclusions | 32 each, of 256 words and bigrams together | the later ones |
//! | letters of a phrase | 1,024 | it is read as words |
//! | filters of each kind | 32 | the later ones |
//! | dates | 16 different ones, of 128 tokens together | the later ones |
//! | beginnings of words (`sourd*`) | 4, each with 8 words whose stems are shorter | the later ones are words |
//! | rare words that are looked for in other spellings, in parts and in compounds | 4 of at most 40 letters | the commoner ones |
//! | compounds that a word may be a part of | the 32 shortest, of which 8 are looked for | those that are longer |
//! | words that are looked for in other forms | 8, each in 8 forms (`search::forms`) | the commoner ones |
//! | pairs of words | 32 (`analysis::word_pairs`) | the later ones |
//! | misspelt words | 3 of at most 40 letters | where there are more, none is corrected |
//! | stems that a misspelt word is compared with closely | the 32 nearest | those that are less alike |
//! | pieces for the model | 4 of its window (`semantics`) | what stands behind them |
//!
//! So a question asks the full text for at most 64 + 32 + 16 parts, whose number of finds is bounded in its turn
//! (`store::sqlite::lexical`: of many finds those of the rarest parts are scored). What is left out of phrases, exclusions,
//! filters or the text is said in a remark.

/// Characters of a question.
pub(super) const TEXT: usize = 32 * 1024;
/// Phrases, and exclusions.
pub(super) const PHRASES: usize = 32;
/// Words and bigrams in all phrases, and in all exclusions.
pub(super) const PHRASE_TERMS: usize = 256;
/// Characters of a phrase or of a quoted value.
pub(super) const PHRASE_TEXT: usize = 1024;
/// Filters of each kind.
pub(super) const FILTERS: usize = 32;
/// What is said of operators that are none.
pub(super) const REMARKS: usize = 8;
/// Different dates.
pub(super) const DATES: usize = 16;
/// Tokens that stand for all dates.
pub(super) const DATE_TOKENS: usize = 128;
/// Letters of a word that is corrected: a longer one is no word.
pub(super) const MISSPELT: usize = 40;
/// Stems that one misspelt word is compared with closely.
pub(super) const STEMS: usize = 32;

/// Rare words for which others are looked for too.
pub(super) const RARE_WORDS: usize = 4;
/// Words that may be compounds of one word.
pub(super) const COMPOUNDS: usize = 32;
/// Compounds that are looked for in place of one word.
pub(super) const COMPOUNDS_ASKED: usize = 8;
/// Words that are looked for in other forms.
pub(super) const INFLECTED: usize = 8;
/// Other forms of one word.
pub(super) const FORMS: usize = 8;
/// Beginnings of words.
pub(super) const BEGINNINGS: usize = 4;
/// Words of a beginning whose stems are shorter than it.
pub(super) const SHORTER_STEMS: usize = 8;

/// Returns the part of a question's text that is looked at.
pub(super) fn beginning(text: &str) -> &str {
    text.char_indices().nth(TEXT).map_or(text, |(end, _)| &text[..end])
}
