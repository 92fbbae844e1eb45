//! Compiles the regular expressions of the rules.

use regex::bytes::{Regex, RegexBuilder};

/// Compiles a built-in pattern over bytes and ASCII.
pub(super) fn pattern(source: &str) -> Regex {
    RegexBuilder::new(source).unicode(false).build().expect("the tests compile every pattern")
}
