//! Views of a text as a reader sees it, so that invisible characters and special blanks hide no secret.

use std::ops::Range;
use std::sync::LazyLock;

use crate::invisible;

/// Invisible characters, and their HTML entities. Beyond the basic plane there are thousands, which no writer uses.
pub(super) static INVISIBLE: LazyLock<Vec<String>> = LazyLock::new(|| {
    let ranges = invisible::INVISIBLE.into_iter().filter(|range| *range.end() <= '\u{ffff}');
    let entities = ["&shy;", "&zwj;", "&zwnj;", "&zerowidthspace;", "&#8203;", "&#x200b;"].map(str::to_owned);
    ranges.flatten().map(String::from).chain(entities).collect()
});

/// Blanks other than the plain one.
pub(super) const SPECIAL_BLANKS: &[&str] = &["\u{a0}", "\u{202f}", "\u{3000}", "&nbsp;", "&#160;", "&#xa0;"];

/// The kind of a hidden character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    Invisible,
    Blank,
}

/// A text without its hidden characters.
pub(super) struct View {
    pub(super) text: String,
    parts: Vec<Part>,
}

/// The part of a view that starts at `at` and corresponds to `original`.
struct Part {
    at: usize,
    original: Range<usize>,
    verbatim: bool,
}

impl View {
    /// Builds the view of `piece` of `text`, with `blank` for each special blank. `hidden` lists the hidden characters
    /// in it, in order.
    pub(super) fn new(text: &str, piece: Range<usize>, hidden: &[(Range<usize>, Hidden)], blank: &str) -> Self {
        let mut view = Self { text: String::with_capacity(piece.len()), parts: Vec::new() };
        let mut from = piece.start;
        for (place, kind) in hidden {
            view.push(&text[from..place.start], from..place.start, true);
            let shown = if *kind == Hidden::Blank { blank } else { "" };
            view.push(shown, place.clone(), false);
            from = place.end;
        }
        view.push(&text[from..piece.end], from..piece.end, true);
        view
    }

    fn push(&mut self, shown: &str, original: Range<usize>, verbatim: bool) {
        if !shown.is_empty() {
            self.parts.push(Part { at: self.text.len(), original, verbatim });
            self.text.push_str(shown);
        }
    }

    /// Translates a non-empty span of the view to the original.
    pub(super) fn original(&self, span: &Range<usize>) -> Range<usize> {
        let (first, last) = (self.part(span.start), self.part(span.end - 1));
        let start = first.original.start + if first.verbatim { span.start - first.at } else { 0 };
        let end = if last.verbatim { last.original.start + span.end - last.at } else { last.original.end };
        start..end
    }

    fn part(&self, at: usize) -> &Part {
        &self.parts[self.parts.partition_point(|part| part.at <= at) - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_a_view_are_found_in_the_original() {
        let text = "ab\u{200b}cd&nbsp;ef";
        let hidden = [(2..5, Hidden::Invisible), (7..13, Hidden::Blank)];
        let view = View::new(text, 0..text.len(), &hidden, " ");
        assert_eq!(view.text, "abcd ef");
        let original = |span: Range<usize>| &text[view.original(&span)];
        assert_eq!((original(0..2), original(1..3), original(2..4)), ("ab", "b\u{200b}c", "cd"));
        assert_eq!((original(4..5), original(3..5), original(5..7)), ("&nbsp;", "d&nbsp;", "ef"));
        assert_eq!(View::new(text, 5..text.len(), &hidden[1..], "").text, "cdef");
    }
}
