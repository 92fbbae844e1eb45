//! Text for a terminal: the lines of a hit from the matching one on, with the query's words marked; cut and wrapped to columns.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use tars_text::analysis::{self, Folded, Term, is_unspaced, marked_words, normalize_word};

/// Widest line in columns, unless the terminal is narrower.
pub const WIDTH: usize = 160;

/// A piece of a line, marked or not.
#[derive(Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Its text.
    pub text: String,
    /// Whether a word of the query matches it.
    pub marked: bool,
}

/// Returns the non-blank lines of `content`, truncated to `width` columns, in fragments.
pub fn snippet(content: &str, query: &str, width: usize) -> Vec<Vec<Fragment>> {
    let words = words(query);
    let shown = content.split('\n').filter(|line| !line.trim().is_empty());
    shown.map(|line| mark(&shorten(line, &words, width), &words)).collect()
}

/// Like [`snippet`], for a terminal: wraps the first line into at most `rows` rows and truncates it to them. If it takes one row, adds
/// the next line.
pub fn rows(content: &str, query: &str, (width, rows): (usize, usize)) -> Vec<Vec<Fragment>> {
    let words = words(query);
    let mut shown = lines(content);
    let Some(first) = shown.next() else { return Vec::new() };
    // Wrapping leaves blanks at the ends of rows, so less text may fit than the columns suggest.
    let fitting = (1..=rows * 8).rev().map(|eighths| wrap(&shorten(first, &words, eighths * width / 8), width));
    let fits = |parts: &Vec<String>| parts.len() <= rows && parts.iter().all(|part| columns(part) <= width + 2);
    let mut parts = fitting.into_iter().find(fits).unwrap_or_else(|| vec![shorten(first, &words, width)]);
    if parts.len() == 1 {
        parts.extend(shown.next().map(|line| shorten(line, &words, width)));
    }
    parts.iter().map(|part| mark(part.trim(), &words)).collect()
}

/// Returns the non-blank lines, without the comments of tars, which are not for people.
fn lines(content: &str) -> impl Iterator<Item = &str> {
    let is_shown = |line: &&str| !line.trim().is_empty() && !is_own_comment(line);
    content.split('\n').filter(is_shown)
}

/// Returns whether a line is only a comment by which tars recognizes its own lines.
pub fn is_own_comment(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("<!-- tars:") && line.ends_with("-->")
}

/// Returns the words of a query as [`mark`] compares them.
pub fn words(query: &str) -> Vec<String> {
    analysis::terms(query)
        .into_iter()
        .filter(|term| !matches!(term, Term::Phrase(_)))
        .map(|term| normalize_word(term.text()))
        .collect()
}

/// Truncates a line that is wider than `width` to the part that begins shortly before its first marked word.
fn shorten(line: &str, words: &[String], width: usize) -> String {
    let line = line.trim();
    if columns(line) <= width {
        return line.to_owned();
    }
    let first = spans(line, words).first().map_or(0, |(start, _)| columns(&line[..*start]));
    let before = if first + width / 8 < width { 0 } else { first - width / 4 };
    let from = start_of_column(line, before);
    let rest = &line[from..];
    let shown = &rest[..start_of_column(rest, width)];
    let head = if from > 0 { "…" } else { "" };
    let tail = if shown.len() < rest.len() { "…" } else { "" };
    format!("{head}{shown}{tail}")
}

/// Truncates `text` to at most `most` columns, with an ellipsis at the end; returns nothing if there is no room for a meaningful part.
pub fn cut(text: &str, most: usize) -> String {
    match columns(text) <= most {
        true => text.to_owned(),
        false if most < 4 => String::new(),
        false => format!("{}…", &text[..start_of_column(text, most - 1)]),
    }
}

/// Like [`cut`], but removes the middle: both ends of a path say where a note is. The name of the file stays whole if it fits.
pub fn cut_middle(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    if most < 4 {
        return String::new();
    }
    if let Some((folders, name)) = text.rsplit_once('/')
        && let Some(room) = most.checked_sub(columns(name) + 1)
    {
        return format!("{}…{name}", &text[..start_of_column(&text[..=folders.len()], room)]);
    }
    let head = &text[..start_of_column(text, (most - 1) / 2)];
    let mut taken = columns(head) + 1;
    let kept = text.grapheme_indices(true).rev().take_while(|(_, grapheme)| {
        taken += width_of(grapheme);
        taken <= most
    });
    format!("{head}…{}", kept.last().map_or("", |(at, _)| &text[at..]))
}

/// Wraps `line` into parts of at most `width` columns, broken at blanks, which are dropped. Further parts are indented to the first word
/// of a list item, or like the line. A word that does not fit, such as an address, stays whole, so that it can be copied; the terminal
/// folds it.
pub fn wrap(line: &str, width: usize) -> Vec<String> {
    if columns(line) <= width {
        return vec![line.to_owned()];
    }
    let text = line.trim_start();
    let blanks = line.len() - text.len();
    let marker = if ["- ", "* ", "+ ", "> "].iter().any(|marker| text.starts_with(marker)) { 2 } else { 0 };
    let indent = " ".repeat((columns(&line[..blanks]) + marker).min(width / 2));
    let mut parts = Vec::new();
    let mut part = line[..blanks + marker].to_owned();
    let mut has_word = false;
    for word in line[blanks + marker..].split_inclusive(' ') {
        if has_word && columns(&part) + columns(word.trim_end()) > width {
            parts.push(part.trim_end().to_owned());
            part.clone_from(&indent);
        }
        part.push_str(word);
        has_word = true;
    }
    parts.push(part.trim_end().to_owned());
    parts
}

/// Returns the length in bytes of the longest prefix of `text` that takes at most `most` columns.
pub(crate) fn start_of_column(text: &str, most: usize) -> usize {
    let mut taken = 0;
    let beyond = text.grapheme_indices(true).find(|(_, grapheme)| {
        taken += width_of(grapheme);
        taken > most
    });
    beyond.map_or(text.len(), |(at, _)| at)
}

/// Returns the width of a text in terminal columns.
pub fn columns(text: &str) -> usize {
    text.graphemes(true).map(width_of).sum()
}

/// Returns the width in terminal columns of a character as a person sees it, such as an emoji of several; at most eight for a tab.
fn width_of(grapheme: &str) -> usize {
    match grapheme.as_bytes() {
        b"\t" => 8,
        [b' '..=b'~'] => 1,
        _ if grapheme.starts_with(char::is_control) => 0,
        _ => grapheme.width(),
    }
}

/// Returns a line in fragments, with its words that match one of `words` marked.
pub fn mark(line: &str, words: &[String]) -> Vec<Fragment> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for (start, end) in spans(line, words) {
        if start > at {
            pieces.push(Fragment { text: line[at..start].to_owned(), marked: false });
        }
        pieces.push(Fragment { text: line[start..end].to_owned(), marked: true });
        at = end;
    }
    if at < line.len() {
        pieces.push(Fragment { text: line[at..].to_owned(), marked: false });
    }
    pieces
}

/// Returns the byte ranges of `line` that match a word of the query, sorted and disjoint. Words are compared as the index folds them.
fn spans(line: &str, words: &[String]) -> Vec<(usize, usize)> {
    let folded = Folded::of(line);
    let text = folded.text.as_str();
    let marked = marked_words(text);
    let mut found: Vec<Range<usize>> = Vec::new();
    found.extend(marked.iter().filter(|one| words.contains(&one.word)).map(|one| one.place.clone()));
    let mut rest = 0;
    while let Some(start) = text[rest..].find(char::is_alphanumeric).map(|at| rest + at) {
        let end = text[start..].find(|c: char| !c.is_alphanumeric()).map_or(text.len(), |at| start + at);
        let run = &text[start..end];
        rest = end;
        if marked.iter().any(|one| one.is_single && one.place.contains(&start)) {
            continue;
        }
        if run.chars().any(is_unspaced) {
            for word in words {
                found.extend(run.match_indices(word.as_str()).map(|(at, text)| start + at..start + at + text.len()));
            }
        } else {
            let plain = normalize_word(run);
            if words.iter().any(|word| same_stem(&plain, word) || is_part(&plain, word)) {
                found.push(start..end);
            }
        }
    }
    let mut spans: Vec<(usize, usize)> =
        found.into_iter().map(|part| folded.original(part)).map(|part| (part.start, part.end)).collect();
    spans.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (start, end) in spans {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// Returns whether two words are forms of one, as an approximation of the index's stemmer: they share all but a short ending.
fn same_stem(word: &str, other: &str) -> bool {
    if word == other || has_digit(word) || has_digit(other) {
        return word == other;
    }
    let shared = word.chars().zip(other.chars()).take_while(|(left, right)| left == right).count();
    let longest = word.chars().count().max(other.chars().count());
    shared >= 4 && longest - shared <= 3
}

/// Returns whether the longer of two words begins or ends with the shorter, like a compound with its parts, or a word with its typed
/// prefix.
fn is_part(word: &str, other: &str) -> bool {
    const PART: usize = 4;
    let (short, long) = if word.len() < other.len() { (word, other) } else { (other, word) };
    short.chars().count() >= PART
        && !has_digit(short)
        && !has_digit(long)
        && long.chars().count() >= 2 * PART
        && (long.starts_with(short) || long.ends_with(short))
}

/// Returns whether a word has a digit: then it has no other forms.
fn has_digit(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(content: &str, query: &str) -> Vec<String> {
        let pieces = snippet(content, query, WIDTH).into_iter().flatten();
        pieces.filter(|piece| piece.marked).map(|piece| piece.text).collect()
    }

    #[test]
    fn words_and_their_forms_are_marked() {
        assert_eq!(marked("The watcher watches folders.", "watching folder"), ["watcher", "watches", "folders"]);
        assert_eq!(marked("战国史模式是主打", "战国模式"), ["战国", "模式"]);
        assert!(marked("nothing to see", "elsewhere").is_empty());
    }

    #[test]
    fn parts_of_compounds_and_prefixes_are_marked() {
        assert_eq!(marked("Zahnarzt: der Termin am Montag", "Zahnarzttermin"), ["Zahnarzt", "Termin"]);
        assert_eq!(marked("Der Zahnarzttermin am Montag", "termin"), ["Zahnarzttermin"]);
        assert_eq!(marked("A sourdough bread", "sourd*"), ["sourdough"]);
    }

    #[test]
    fn words_are_marked_however_they_are_written() {
        assert_eq!(marked("ein un**believ**able Café", "unbelievable cafe"), ["un**believ**able", "Café"]);
        assert_eq!(marked("trink H<sub>2</sub>O mit CO₂", "H2O co2"), ["H<sub>2</sub>O", "CO₂"]);
        assert_eq!(
            marked("so\u{ad}ft\u{200b}ware eﬃcient", "software efficient"),
            ["so\u{ad}ft\u{200b}ware", "eﬃcient"]
        );
        assert_eq!(marked("ｶﾞﾗｽのコップ", "ガラス"), ["ｶﾞﾗｽ"]);
        assert_eq!(marked("C++ and C, C#", "C++"), ["C++"]);
        assert_eq!(marked("C++ and C, C#", "C"), ["C"]);
        assert_eq!(marked("blimp3000 and blimp300, INC-1043", "blimp300 inc 1041"), ["blimp300", "INC"]);
    }

    #[test]
    fn a_snippet_contains_the_non_blank_lines() {
        let content = "the port is 8080\r\n\none\n\ntwo\n\nthree";
        let lines = snippet(content, "which port", WIDTH).into_iter();
        let shown: Vec<String> =
            lines.map(|line| line.into_iter().map(|piece| piece.text).collect::<String>()).collect();
        assert_eq!(shown, ["the port is 8080", "one", "two", "three"]);
        assert!(snippet("\n \n", "which port", WIDTH).is_empty());
    }

    #[test]
    fn long_lines_are_cut_around_the_match() {
        let line = format!("{} needle {}", "x ".repeat(300), "y ".repeat(300));
        let shown: String = snippet(&line, "needle", WIDTH).into_iter().flatten().map(|piece| piece.text).collect();
        assert!(shown.contains("needle") && shown.starts_with('…') && shown.chars().count() < 170);
    }

    #[test]
    fn a_truncated_path_keeps_both_ends() {
        assert_eq!(cut_middle("Editing and formatting/Views.md:13", 22), "Editing an…Views.md:13");
        assert_eq!((cut_middle("Views.md:13", 11), cut_middle("Views.md", 3)), ("Views.md:13".into(), String::new()));
        assert_eq!((cut("Views and modes", 9), cut("Views", 3)), ("Views an…".into(), String::new()));
        assert_eq!(cut_middle("战国模式.md:3", 9), "战国…md:3");
        let deep = "en/Obsidian Publish/Publish your content.md:69";
        assert_eq!(cut_middle(deep, 30), "en/…Publish your content.md:69");
        assert_eq!((cut_middle(deep, 27), cut_middle("en/", 2)), ("…Publish your content.md:69".into(), String::new()));
    }

    #[test]
    fn an_emoji_of_several_characters_has_the_width_that_it_is_drawn_with() {
        let family = "👩\u{200d}👩\u{200d}👧\u{200d}👦";
        assert_eq!((columns(family), columns("⚙\u{fe0f}"), columns("e\u{301}"), columns("a\tb\u{7}")), (2, 2, 1, 10));
        assert_eq!(cut(&format!("{family}{family}{family}"), 5), format!("{family}{family}…"));
        assert_eq!(start_of_column(family, 1), 0, "it is never cut");
    }

    #[test]
    fn a_long_line_is_wrapped_at_its_words() {
        assert_eq!(wrap("one two", 7), ["one two"]);
        assert_eq!(wrap("one two three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrap("  - one two three", 11), ["  - one two", "    three"]);
        assert_eq!(
            wrap("see https://example.org/a/long/one now", 12),
            ["see", "https://example.org/a/long/one", "now"]
        );
        assert_eq!(wrap("战国 模式 主打", 9), ["战国 模式", "主打"]);
        assert_eq!(wrap("", 9), [""]);
    }

    #[test]
    fn a_matching_line_is_wrapped_into_three_rows() {
        let shown = |content: &str| -> Vec<String> {
            let rows = rows(content, "seven", (24, 3)).into_iter();
            rows.map(|row| row.into_iter().map(|piece| piece.text).collect()).collect()
        };
        let line = "one two three four five six seven eight nine ten eleven";
        assert_eq!(shown(line), ["one two three four five", "six seven eight nine ten", "eleven"]);
        assert_eq!(shown("<!-- tars:session s -->\nseven\neight\nnine"), ["seven", "eight"]);
        let long = shown(&format!("{} seven {}", "x ".repeat(300), "y ".repeat(300)));
        assert!(long.len() <= 3 && long.concat().contains("seven") && long[0].starts_with('…'), "{long:?}");
    }

    #[test]
    fn lines_fit_a_narrow_terminal() {
        for (line, query) in [
            (format!("{} needle {}", "x ".repeat(300), "y ".repeat(300)), "needle"),
            (format!("needle {}", "y ".repeat(300)), "needle"),
            (format!("{}战国模式{}", "的".repeat(90), "了".repeat(90)), "战国模式"),
        ] {
            let shown: String = snippet(&line, query, 36).into_iter().flatten().map(|piece| piece.text).collect();
            assert!(shown.contains(query) && columns(&shown) <= 38, "{shown}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_line_is_wider_than_requested(content in "\\PC{0,200}", query in "\\PC{0,30}", width in 16..60usize) {
            for line in snippet(&content, &query, width) {
                let text: String = line.into_iter().map(|piece| piece.text).collect();
                proptest::prop_assert!(columns(&text) <= width + 2, "{}", text);
            }
        }

        #[test]
        fn wrapping_loses_no_word(line in "\\PC{0,120}", width in 1..60usize) {
            let parts = wrap(&line, width);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            proptest::prop_assert_eq!(words(&parts.join(" ")), words(&line));
        }

        #[test]
        fn fragments_concatenate_to_the_line(content in "\\PC{0,80}", query in "\\PC{0,30}") {
            for line in snippet(&content, &query, WIDTH) {
                let text: String = line.into_iter().map(|piece| piece.text).collect();
                proptest::prop_assert_eq!(text, content.trim());
            }
        }
    }
}
