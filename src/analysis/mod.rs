//! Text to words: what the full-text index stores and what a question asks it for.
//!
//! Both sides pass through here, so that a word is cut the same way when it is indexed and when it is sought. The
//! index itself folds case and diacritics and stems (FTS5 `porter unicode61`); this module adds what that tokenizer lacks:
//! runs of Chinese, Japanese, Korean and Thai become character bigrams, `camelCase` is found in its parts too, and
//! dates become tokens of their own. What is particular to a language stands in `languages`. It knows no file, no database and no
//! query syntax.

mod compounds;
mod dates;
mod distance;
mod forms;
mod functions;
mod index_text;
mod pairs;
mod presence;
mod script;
mod slip;
mod stem;
mod term;
mod terms;

pub use compounds::{Spellings, compound_ends, reversed};
pub use dates::{date_tokens, mention_tokens, range_tokens};
pub use distance::distance_within;
pub use forms::Forms;
pub use index_text::index_text;
pub use pairs::{WordPair, pairs_in, word_pairs};
pub use presence::presence;
pub use script::is_unspaced;
pub use slip::Slips;
pub use stem::stem;
pub use term::Term;
pub use terms::{phrase, terms, terms_whatever_language};

pub use crate::languages::{bare, is_little_word_elsewhere, is_stop_word, spoken};

/// Changes whenever this module cuts text differently: full-text rows made by another version are made again.
pub const VERSION: u32 = 4;
