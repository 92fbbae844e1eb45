//! The forms in which names are compared.

use std::borrow::Cow;

use unicode_normalization_alignments::UnicodeNormalization;

/// Returns `name` as composed text (NFC).
pub fn composed(name: &str) -> Cow<'_, str> {
    if name.is_ascii() {
        return Cow::Borrowed(name);
    }
    let composed: String = name.nfc().map(|(letter, _)| letter).collect();
    if composed == name { Cow::Borrowed(name) } else { Cow::Owned(composed) }
}

/// Returns `name` as composed text in lower case.
pub fn folded(name: &str) -> String {
    let lower = composed(name).to_lowercase();
    // The lower case of some letters (`İ`) is decomposed.
    match composed(&lower) {
        Cow::Borrowed(_) => lower,
        Cow::Owned(again) => again,
    }
}

/// Whether `name` holds an uppercase letter: then its writer means exactly this case.
pub fn holds_uppercase(name: &str) -> bool {
    name.chars().any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decomposed_names_equal_composed_ones() {
        assert_eq!(composed("u\u{308}ber/Cafe\u{301}.md"), "über/Café.md");
        assert_eq!(folded("U\u{308}BER"), folded("über"));
        assert_eq!(composed("\u{1112}\u{1161}\u{11ab}"), "한");
        assert!(matches!(composed("plain"), Cow::Borrowed(_)) && matches!(composed("über"), Cow::Borrowed(_)));
        assert!(holds_uppercase("Über") && !holds_uppercase("über/日本"));
    }
}
