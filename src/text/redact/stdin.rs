//! Passwords that a command reads from its input: `echo X | docker login --password-stdin`, `sudo -S … <<< X`.

use std::ops::Range;

use super::commands::{ShellWord, is_value, opens_program, without_marks, words};

/// Words of commands that read a password.
pub(super) const KEYWORDS: &[&str] =
    &["--password-stdin", "chpasswd", "sudo -", "passwd --stdin", "cryptsetup ", "kinit ", "smbpasswd "];

/// Most bytes before the keyword that are read.
const MAX_BEFORE: usize = 300;

/// Returns the password that the command at `at` reads, as far as its line says it.
pub(super) fn find(text: &[u8], at: usize) -> Vec<Range<usize>> {
    let is = |word: &str| text[at..].get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
    if is("sudo -") && !reads_input(text, at) || !is("--") && !opens_program(text, at) {
        return Vec::new();
    }
    let pair = is("chpasswd");
    let value = |word: Range<usize>| {
        let bytes = &text[word.clone()];
        let from = if pair { bytes.iter().position(|byte| *byte == b':')? + 1 } else { 0 };
        let span = without_marks(text, &(word.start + from..word.end));
        is_value(&text[span.clone()]).then_some(span)
    };
    piped(text, at).into_iter().chain(here_string(text, at)).filter_map(value).collect()
}

/// Whether the options of the `sudo` at `at` have an `S`.
fn reads_input(text: &[u8], at: usize) -> bool {
    let options = words(text, at).into_iter().skip(1).map(|word| &text[word.span]);
    options.take_while(|word| word.starts_with(b"-")).any(|word| word.get(1) != Some(&b'-') && word.contains(&b'S'))
}

/// Returns the last word of an `echo` or a `printf` whose output the command at `at` reads.
fn piped(text: &[u8], at: usize) -> Option<Range<usize>> {
    let from = at.saturating_sub(MAX_BEFORE);
    let line = text[from..at].iter().rposition(|byte| *byte == b'\n').map_or(from, |end| from + end + 1);
    let pipe = line + text[line..at].iter().rposition(|byte| *byte == b'|')?;
    let before = &text[line..pipe];
    let start = ["echo ", "printf "].iter().filter_map(|name| last_place(before, name.as_bytes())).max()?;
    let mut said = words(text, line + start);
    said.retain(|word| word.span.end <= pipe);
    // Nothing else stands between the two.
    let last: &ShellWord = said.get(1..)?.last()?;
    let between = text[last.span.end..pipe].iter().all(|byte| b" \t\"'\\".contains(byte));
    (between && opens_program(text, line + start)).then(|| last.span.clone())
}

fn last_place(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).rposition(|part| part == word)
}

/// Returns the word behind `<<<` on the line of the command at `at`.
fn here_string(text: &[u8], at: usize) -> Option<Range<usize>> {
    let end = text.len().min(at + MAX_BEFORE);
    let line = text[at..end].split(|byte| *byte == b'\n').next()?;
    let behind = at + line.windows(3).position(|part| part == b"<<<")? + 3;
    words(text, behind).first().map(|word| word.span.clone())
}
