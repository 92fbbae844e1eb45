//! Invisible characters: they hide, join or reorder text, or carry data. A reader does not see them.
//!
//! These are the default-ignorable code points of Unicode (DerivedCoreProperties.txt), and the marks of interlinear annotation.

use std::ops::RangeInclusive;

/// All invisible characters, in order.
pub const INVISIBLE: [RangeInclusive<char>; 17] = [
    '\u{ad}'..='\u{ad}',       // soft hyphen
    '\u{34f}'..='\u{34f}',     // grapheme joiner
    '\u{61c}'..='\u{61c}',     // Arabic mark of direction
    '\u{115f}'..='\u{1160}',   // Hangul fillers
    '\u{17b4}'..='\u{17b5}',   // Khmer inherent vowels
    '\u{180b}'..='\u{180f}',   // Mongolian selectors
    '\u{200b}'..='\u{200f}',   // zero width, and the marks of direction
    '\u{202a}'..='\u{202e}',   // embeddings and overrides of direction
    '\u{2060}'..='\u{206f}',   // word joiner, invisible operators, isolates of direction
    '\u{3164}'..='\u{3164}',   // Hangul filler
    '\u{fe00}'..='\u{fe0f}',   // variation selectors
    '\u{feff}'..='\u{feff}',   // byte order mark
    '\u{ffa0}'..='\u{ffa0}',   // half-width Hangul filler
    '\u{fff0}'..='\u{fffb}',   // reserved, and interlinear annotation
    '\u{1bca0}'..='\u{1bca3}', // shorthand format controls
    '\u{1d173}'..='\u{1d17a}', // musical format controls
    '\u{e0000}'..='\u{e0fff}', // tags and further variation selectors
];

/// Whether a character is invisible. Emoji without their joiners and variation selectors stay readable.
pub fn is_invisible(character: char) -> bool {
    // Most characters are below all others of the table.
    character >= '\u{ad}' && INVISIBLE.iter().any(|range| range.contains(&character))
}
