//! Translates the markup within a line: emphasis and links become marks, which the renderer turns into styles. Code is left as it is, and
//! so is `**`, whose meaning the renderer knows at once.

use crate::snippet::columns;

/// Marks of the translation: control characters, which no text from a model holds on the screen.
pub(super) const EMPHASIS: [char; 2] = ['\u{1}', '\u{2}'];
pub(super) const LINK: [char; 2] = ['\u{3}', '\u{4}'];
pub(super) const ADDRESS: [char; 2] = ['\u{5}', '\u{6}'];

/// Characters that may begin markup.
const SPECIAL: [char; 6] = ['*', '_', '[', '`', '!', '\\'];
/// Bytes within which markup ends. Text behind an opening mark is held back so long at most.
const MAX_SPAN: usize = 1_000;

/// Whether a character is one of the marks.
pub(super) fn is_mark(character: char) -> bool {
    ('\u{1}'..='\u{6}').contains(&character)
}

/// A part of a line.
enum Span {
    /// So many bytes stay as they are.
    Text(usize),
    /// So many bytes are replaced.
    Marked(usize, String),
    /// The meaning is open until more of the line is there.
    Open,
}

/// The place of a closing mark.
enum Closing {
    At(usize),
    Missing,
    Open,
}

/// Translates the beginning of a text that follows the character `before`. Returns the translation and how many bytes of the text it
/// covers: all of them if the rest of the line is there (`is_whole`).
pub(super) fn translated(text: &str, before: char, is_whole: bool) -> (String, usize) {
    let (mut out, mut at, mut before) = (String::new(), 0, before);
    while at < text.len() {
        let rest = &text[at..];
        let taken = match span(rest, before, is_whole) {
            Span::Text(length) => {
                out.push_str(&rest[..length]);
                length
            }
            Span::Marked(length, translation) => {
                out.push_str(&translation);
                length
            }
            Span::Open => break,
        };
        before = rest[..taken].chars().next_back().unwrap_or(before);
        at += taken;
    }
    (out, at)
}

/// Translates a whole text.
pub(super) fn translated_whole(text: &str) -> String {
    translated(text, ' ', true).0
}

fn span(rest: &str, before: char, is_whole: bool) -> Span {
    let length = rest.floor_char_boundary(MAX_SPAN);
    let (window, is_whole) = if length < rest.len() { (&rest[..length], true) } else { (rest, is_whole) };
    let is_last = window.len() == 1 && !is_whole;
    match rest.chars().next() {
        Some('*') => emphasis(window, '*', before, is_whole),
        Some('_') => emphasis(window, '_', before, is_whole),
        Some('`') => code(window, is_whole),
        Some('[' | '!' | '\\') if is_last => Span::Open,
        Some('[') => link(window, is_whole),
        Some('!') if window[1..].starts_with('[') => match link(&window[1..], is_whole) {
            Span::Marked(length, translation) => Span::Marked(length + 1, translation),
            Span::Text(_) => Span::Text(1),
            Span::Open => Span::Open,
        },
        Some('\\') if window[1..].starts_with(['*', '_', '[']) => Span::Marked(2, window[1..2].to_owned()),
        Some('!' | '\\') => Span::Text(1),
        _ => Span::Text(rest.find(SPECIAL).unwrap_or(rest.len())),
    }
}

/// `*emphasis*`, `_emphasis_` and `***strong emphasis***`. Marks within a word stay: `snake_case`, `2*3`.
fn emphasis(text: &str, mark: char, before: char, is_whole: bool) -> Span {
    let run = run(text, mark);
    if run == text.len() && !is_whole {
        return Span::Open;
    }
    let opens = text[run..].chars().next().is_some_and(|next| next.is_alphanumeric() || "\"'“„«(`[".contains(next));
    if !(run == 1 || (run == 3 && mark == '*')) || !opens || joins(before) {
        return Span::Text(run);
    }
    match closing(&text[run..], mark, run, is_whole) {
        Closing::At(at) => {
            let inner = translated_whole(&text[run..run + at]);
            let strong = if run == 3 { "**" } else { "" };
            let [on, off] = EMPHASIS;
            Span::Marked(2 * run + at, format!("{strong}{on}{inner}{off}{strong}"))
        }
        Closing::Missing => Span::Text(run),
        Closing::Open => Span::Open,
    }
}

/// Returns where emphasis ends: at a run of as many marks that follows a word and precedes none.
fn closing(text: &str, mark: char, count: usize, is_whole: bool) -> Closing {
    let mut at = 0;
    while let Some(found) = text[at..].find(mark).map(|found| found + at) {
        let length = run(&text[found..], mark);
        let next = text[found + length..].chars().next();
        if next.is_none() && !is_whole {
            return Closing::Open;
        }
        let follows = text[..found].chars().next_back().is_some_and(|before| !before.is_whitespace());
        if length == count && follows && !next.is_some_and(joins) {
            return Closing::At(found);
        }
        at = found + length;
    }
    if is_whole { Closing::Missing } else { Closing::Open }
}

/// Code stays as it is, with its marks.
fn code(text: &str, is_whole: bool) -> Span {
    let count = run(text, '`');
    let mut at = count;
    while let Some(found) = text[at..].find('`').map(|found| found + at) {
        let length = run(&text[found..], '`');
        if found + length == text.len() && !is_whole {
            return Span::Open;
        }
        at = found + length;
        if length == count {
            return Span::Text(at);
        }
    }
    if is_whole { Span::Text(count) } else { Span::Open }
}

/// `[text](address)`, whose address is shown too, and `[[Note]]`.
fn link(text: &str, is_whole: bool) -> Span {
    let undecided = || if is_whole { Span::Text(1) } else { Span::Open };
    let [on, off] = LINK;
    if let Some(note) = text.strip_prefix("[[") {
        let Some(end) = note.find("]]") else { return undecided() };
        let shown = note[..end].rsplit_once('|').map_or(&note[..end], |(_, shown)| shown);
        return Span::Marked(end + 4, format!("{on}{shown}{off}"));
    }
    let Some(end) = matching(text, '[', ']') else { return undecided() };
    let target = &text[end + 1..];
    if target.is_empty() {
        return undecided();
    }
    if !target.starts_with('(') {
        return Span::Text(1);
    }
    let Some(close) = matching(target, '(', ')') else { return undecided() };
    // A title may follow the address.
    let address = target[1..close].split_whitespace().next().unwrap_or_default().trim_matches(['<', '>']);
    let shown = translated_whole(&text[1..end]);
    let [address_on, address_off] = ADDRESS;
    let shown = match (shown.trim().is_empty(), address.is_empty() || address == &text[1..end]) {
        (true, _) => format!("{on}{address}{off}"),
        (false, true) => format!("{on}{shown}{off}"),
        (false, false) => format!("{on}{shown}{off} {address_on}({address}){address_off}"),
    };
    Span::Marked(end + 1 + close + 1, shown)
}

/// Returns the bracket that closes the first character of a text.
fn matching(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, character)| {
        if character == open {
            depth += 1;
        } else if character == close {
            depth -= 1;
        }
        (depth == 0).then_some(at)
    })
}

/// Whether a mark beside this character stands within a word. Scripts without blanks have no such words.
fn joins(character: char) -> bool {
    character.is_alphanumeric() && !is_wide(character)
}

/// Returns how often a text begins with the mark.
fn run(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

/// Whether a character takes two columns.
pub(super) fn is_wide(character: char) -> bool {
    columns(character.encode_utf8(&mut [0; 4])) > 1
}
