//! Splits text into words, for the full-text index and for questions.
//!
//! Both sides use this module, so that a word is cut in the same way when it is indexed and when it is searched. The index
//! itself folds case and diacritics and stems (FTS5 `porter unicode61`). This module adds what that tokenizer lacks: letters are
//! folded (`languages::fold`), runs of Chinese, Japanese, Korean and Thai become character bigrams, `camelCase` is also found by its
//! parts, words with marks (`C++`) are words of their own, and dates become tokens. Language-specific data is in `languages`. The module
//! knows no file, no database and no query syntax.

mod compounds;
mod date_tokens;
mod distance;
mod forms;
mod function_words;
mod index_text;
mod marked_words;
mod pairs;
mod presence;
mod script;
mod slip;
mod stem;
mod term;
mod terms;

pub use compounds::{Spellings, reversed, reversed_words};
pub use date_tokens::{date_tokens, mention_tokens, range_tokens};
pub use distance::distance_within;
pub use forms::Forms;
pub use index_text::index_text;
pub use marked_words::{MarkedWord, is_attached_mark, marked_words, shown};
pub use pairs::{WordPair, pairs_in, word_pairs};
pub use presence::term_presence;
pub use script::is_unspaced;
pub use slip::Slips;
pub use stem::stem;
pub use term::Term;
pub use terms::{phrase, terms, terms_in_any_language};

pub use crate::languages::{Folded, detect_language, fold, is_foreign_stop_word, is_stop_word, normalize_word};

/// Increases whenever this module cuts text differently; full-text rows of other versions are rebuilt.
pub const VERSION: u32 = 5;
