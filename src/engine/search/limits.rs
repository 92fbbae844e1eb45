//! Limits on the size of a question, so that every question is answered quickly.
//!
//! | part of a question | limit | beyond the limit |
//! |---|---|---|
//! | text | 32,768 characters | the rest is ignored |
//! | words, with parts and bigrams | 64 different ones (`analysis::terms`) | later ones are ignored |
//! | phrases, and exclusions | 32 each, 256 words and bigrams together | later ones are ignored |
//! | characters of a phrase | 1,024 | the phrase is read as words |
//! | filters of each kind | 32 | later ones are read as words |
//! | names that are looked for among properties | 32 | later ones are read as words |
//! | filters that are no pattern | 4 are looked for as names | later ones are read as words |
//! | dates | 16 different ones, 128 tokens together | later ones are ignored |
//! | prefixes (`sourd*`) | 4, each with 8 words whose stems are shorter | later ones are read as words |
//! | rare words with other spellings, parts and compounds | 4 of at most 40 letters | more frequent ones get no alternatives |
//! | compounds of a word | the 32 shortest, of which 8 are looked for | longer ones are ignored |
//! | words with other forms | 8, each with 8 forms (`search::forms`) | more frequent ones get no other forms |
//! | pairs of words | 32 (`analysis::word_pairs`) | later ones are ignored |
//! | parts of a compound question | 4, of a question of at most 1,024 bytes (`text::question_parts`) | later ones are ignored |
//! | misspelt words | 3 of at most 40 letters | with more, none is corrected |
//! | stems compared closely with a misspelt word | the 32 nearest | less similar ones are ignored |
//! | pieces for the model | 4 windows (`vector_search`) | the rest is ignored |
//!
//! So a question asks the full text for at most 64 + 32 + 16 parts, and the number of matches is limited too
//! (`store::sqlite::lexical`: with many matches, those of the rarest parts are scored). A remark names what was ignored of
//! phrases, exclusions, filters and the text.

/// Characters of a question.
pub(super) const TEXT: usize = 32 * 1024;
/// Phrases; exclusions have the same limit.
pub(super) const PHRASES: usize = 32;
/// Words and bigrams in all phrases; exclusions have the same limit.
pub(super) const PHRASE_TERMS: usize = 256;
/// Characters of a phrase or of a quoted value.
pub(super) const PHRASE_TEXT: usize = 1024;
/// Filters of each kind.
pub(super) const FILTERS: usize = 32;
/// Values of `path:` that are no pattern and are looked for as names.
pub(super) const UNKNOWN_PATTERNS: usize = 4;
/// Remarks about text that looks like an operator.
pub(super) const REMARKS: usize = 8;
/// Different dates.
pub(super) const DATES: usize = 16;
/// Tokens of all dates together.
pub(super) const DATE_TOKENS: usize = 128;
/// Letters of a word that is corrected or expanded. Longer strings are no words.
pub(super) const WORD_LETTERS: usize = 40;
/// Stems compared closely with one misspelt word.
pub(super) const STEMS: usize = 32;

/// Rare words that get alternatives.
pub(super) const RARE_WORDS: usize = 4;
/// Candidate compounds of one word.
pub(super) const COMPOUNDS: usize = 32;
/// Compounds searched for one word.
pub(super) const COMPOUNDS_SEARCHED: usize = 8;
/// Words searched in other forms.
pub(super) const INFLECTED_WORDS: usize = 8;
/// Other forms of one word.
pub(super) const FORMS: usize = 8;
/// Prefixes.
pub(super) const PREFIXES: usize = 4;
/// Words per prefix whose stems are shorter than it.
pub(super) const SHORTER_STEMS: usize = 8;

/// Returns the first [`TEXT`] characters of a question.
pub(super) fn truncated(text: &str) -> &str {
    text.char_indices().nth(TEXT).map_or(text, |(end, _)| &text[..end])
}
