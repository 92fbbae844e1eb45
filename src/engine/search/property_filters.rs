//! Filters by the properties of notes: `status:open`, `rating:>3`, `due:<2026-05`, `author:none`.
//!
//! `<`, `<=`, `>` and `>=` before the value compare, and `none` asks for notes without the property; a dash before the name reverses the
//! condition. `name:*` asks for any value, and a star at the end of a value for any rest.

use jiff::civil::Date;

use tars_base::domain::{Comparison, PropertyCondition, PropertyTest};
use tars_store::property_number;
use tars_text::markdown::named_period;

/// Longest name of a property in a query, in bytes.
const LONGEST_NAME: usize = 100;

/// Splits a text at the colon behind a name, if it could be the name of a property. `std::io` and `http://x` have none.
pub(super) fn named_value(text: &str) -> Option<(&str, &str)> {
    let colon = text.bytes().take(LONGEST_NAME).position(|byte| byte == b':')?;
    let (name, value) = (&text[..colon], &text[colon + 1..]);
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/');
    let is_name = name.starts_with(char::is_alphabetic) && name.chars().all(is_part);
    let is_value = !value.starts_with(|next: char| next.is_whitespace() || next == ':') && !value.starts_with("//");
    (is_name && is_value && !value.is_empty()).then_some((name, value))
}

/// A value as it was typed.
#[derive(Debug, Clone, Copy)]
pub(super) struct TypedValue<'a> {
    /// It, without quotes.
    pub(super) text: &'a str,
    /// Whether it stood in quotes.
    pub(super) is_quoted: bool,
    /// Whether a dash stood before the name.
    pub(super) is_excluded: bool,
}

/// Returns the condition on the property `name`; `None` if nothing follows the sign.
pub(super) fn property_condition(name: &str, typed: TypedValue<'_>, today: Date) -> Option<PropertyCondition> {
    let condition = |test, is_excluded| Some(PropertyCondition { name: name.to_owned(), test, is_excluded });
    match typed.text {
        text if !typed.is_quoted && text.eq_ignore_ascii_case("none") => return condition(None, !typed.is_excluded),
        "*" if !typed.is_quoted => return condition(None, typed.is_excluded),
        _ => {}
    }
    let signs = [
        ("<=", Comparison::AtMost),
        (">=", Comparison::AtLeast),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
        ("=", Comparison::Equal),
    ];
    let signed = signs.into_iter().find_map(|(sign, comparison)| Some((typed.text.strip_prefix(sign)?, comparison)));
    let (text, comparison) = signed.unwrap_or((typed.text, Comparison::Equal));
    let text = text.trim();
    let (number, days) = (property_number(text), named_period(text, today));
    let test = PropertyTest { comparison, text: text.to_owned(), number, days };
    if text.is_empty() { None } else { condition(Some(test), typed.is_excluded) }
}
