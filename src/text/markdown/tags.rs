//! Tags, by the rules of Obsidian.
//!
//! A tag is `#` at the start of a line or after white space, followed by letters of any script, digits, emoji, `_`, `-` and
//! `/`. At least one character is not a digit.

use std::collections::BTreeSet;

use crate::names::folded;

/// Returns the tags in a value of front matter, split at commas and white space, without `#`.
pub(super) fn split(value: &str) -> impl Iterator<Item = String> + '_ {
    let words = value.split(|character: char| character == ',' || character.is_whitespace());
    words.map(|word| word.trim_start_matches('#').trim_matches('/').to_owned()).filter(|tag| !tag.is_empty())
}

/// Adds the tags in `text`, a run of plain text without markup, to `tags`. `opens` says whether a tag may be at its very start.
pub(super) fn collect(text: &str, opens: bool, tags: &mut Vec<String>) {
    let mut rest = 0;
    while let Some(at) = text[rest..].find('#').map(|at| rest + at) {
        rest = at + 1;
        let may_open = text[..at].chars().next_back().map_or(opens, char::is_whitespace);
        if !may_open {
            continue;
        }
        let end = text[rest..].find(|c| !is_tag_character(c)).map_or(text.len(), |length| rest + length);
        let tag = text[rest..end].trim_matches('/');
        if tag.contains(|c: char| !c.is_ascii_digit() && !matches!(c, '/' | '-' | '_')) {
            tags.push(tag.to_owned());
        }
        rest = end;
    }
}

/// Returns the tag that a word of a query names, without `#`: `#chores`, `#home/garden/`. Punctuation may follow it. `C#`, `#7` and `#a+b`
/// are no tags.
pub fn tag_of_word(word: &str) -> Option<&str> {
    let name = word.strip_prefix('#')?.trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
    let tag = name.trim_end_matches('/');
    let mut found = Vec::new();
    collect(word, true, &mut found);
    (found == [tag] && name.chars().all(is_tag_character)).then_some(tag)
}

/// Whether a line of text holds `tag`, or one below it, ignoring case.
pub fn has_tag(line: &str, tag: &str) -> bool {
    let mut found = Vec::new();
    collect(line, true, &mut found);
    let wanted = tag.trim_start_matches('#').to_lowercase();
    let is_meant = |rest: &str| rest.is_empty() || rest.starts_with('/');
    found.iter().any(|held| held.to_lowercase().strip_prefix(&wanted).is_some_and(is_meant))
}

/// Returns the distinct `tags`, composed, lower-case and sorted.
pub(super) fn sorted(tags: impl Iterator<Item = String>) -> Vec<String> {
    tags.map(|tag| folded(&tag)).collect::<BTreeSet<_>>().into_iter().collect()
}

fn is_tag_character(character: char) -> bool {
    match character {
        '_' | '-' | '/' => true,
        _ if character.is_ascii() => character.is_ascii_alphanumeric(),
        _ if character.is_alphanumeric() => true,
        // Joiners connect the parts of emoji and of some scripts.
        '\u{200c}' | '\u{200d}' => true,
        // Punctuation, spaces and control characters. The rest are script marks and emoji.
        '\u{80}'..='\u{bf}' | '×' | '÷' | '\u{2000}'..='\u{206f}' | '\u{2e00}'..='\u{2e7f}' => false,
        '\u{3000}'..='\u{3020}' | '\u{3030}' | '\u{fe10}'..='\u{fe1f}' | '\u{fe30}'..='\u{fe6f}' => false,
        '\u{ff00}'..='\u{ff65}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e000}'..='\u{f8ff}' => false,
        _ => !character.is_whitespace() && !character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(text: &str) -> Vec<String> {
        let mut tags = Vec::new();
        collect(text, true, &mut tags);
        tags
    }

    #[test]
    fn tags_begin_after_white_space() {
        assert_eq!(tags("#a b #c\t#d\n#e x#f (#g) ##h"), ["a", "c", "d", "e"]);
        let mut none = Vec::new();
        collect("#a", false, &mut none);
        assert!(none.is_empty());
    }

    #[test]
    fn tags_end_at_punctuation() {
        assert_eq!(
            tags("#a. #b, #c! #area/topic/ #x-y_z: #c++ #d#e"),
            ["a", "b", "c", "area/topic", "x-y_z", "c", "d"]
        );
    }

    #[test]
    fn tags_are_not_numbers() {
        assert_eq!(tags("#1984 #1/2 #- #_ # #y1984 #1a #/"), ["y1984", "1a"]);
    }

    #[test]
    fn tags_may_use_any_script() {
        assert_eq!(tags("#日本語、x #été #हिन्दी #🚀/x #中文。"), ["日本語", "été", "हिन्दी", "🚀/x", "中文"]);
    }

    #[test]
    fn a_word_of_a_query_may_name_a_tag() {
        for (word, tag) in
            [("#chores", "chores"), ("#a/b", "a/b"), ("#a/b/", "a/b"), ("#été,", "été"), ("#y1984?", "y1984")]
        {
            assert_eq!(tag_of_word(word), Some(tag), "{word}");
        }
        for word in ["", "#", "chores", "C#", "#7", "#1984", "##a", "#a+b", "#a#b", "#a,#b", "#/", "(#a)", "#!"] {
            assert_eq!(tag_of_word(word), None, "{word}");
        }
    }

    #[test]
    fn a_line_has_a_tag_or_one_below_it() {
        assert!(has_tag("- water it #Home/Garden, soon", "home") && has_tag("#home", "#Home"));
        assert!(!has_tag("#homes x#home home", "home") && !has_tag("#home", "home/garden"));
    }

    #[test]
    fn a_decomposed_tag_is_the_composed_one() {
        let decomposed = tags("#Cafe\u{301}/u\u{308}ber #caf\u{e9}/\u{fc}ber");
        assert_eq!(sorted(decomposed.into_iter()), ["caf\u{e9}/\u{fc}ber"]);
    }

    #[test]
    fn values_split_at_commas_and_spaces() {
        assert_eq!(split("a, #b  c/,,# 3").collect::<Vec<_>>(), ["a", "b", "c", "3"]);
    }
}
