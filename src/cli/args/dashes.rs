//! Words that begin with a dash but are not options: `-draft` in a query, and a list item as a text.
//!
//! clap either refuses such words or treats every option after the first word as one. So this module prefixes them with a NUL, which no
//! process argument can contain, and the value parser removes the NUL.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use clap::builder::{OsStringValueParser, StringValueParser, TypedValueParser};

/// Commands whose words are a query, in which `-word` excludes a word.
const QUERIES: [&str; 8] = ["search", "ask", "sgrep", "svec", "list", "tags", "tasks", "random"];
/// Commands whose words are a text.
const TEXTS: [&str; 6] = ["remember", "daily", "feedback", "forget", "done", "context"];

/// Returns `arguments` with the marker before words that begin with a dash; `None` if there are none.
pub(super) fn marked(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let is_command = |names: &[&str]| {
        let is_name = |argument: &&OsString| names.iter().any(|name| argument.as_os_str() == OsStr::new(name));
        arguments.iter().skip(1).position(|argument| is_name(&argument)).map(|at| at + 2)
    };
    let (is_query, start) = match (is_command(&QUERIES), is_command(&TEXTS)) {
        (Some(query), text) if text.is_none_or(|text| query < text) => (true, query),
        (_, text) => (false, text?),
    };
    let mut found = false;
    let mark = |(at, argument): (usize, &OsString)| {
        let bytes = argument.as_bytes();
        let takes_value = arguments[at - 1].as_bytes().starts_with(b"--");
        if at < start || !(is_text(bytes) || (is_query && !takes_value && is_left_out(bytes))) {
            return argument.clone();
        }
        found = true;
        OsString::from_vec([b"\0", bytes].concat())
    };
    let first = arguments.iter().take(1).cloned();
    let marked: Vec<OsString> = first.chain(arguments.iter().enumerate().skip(1).map(mark)).collect();
    found.then_some(marked)
}

/// Returns whether an argument with a dash is a text: no option has blanks before its value.
fn is_text(argument: &[u8]) -> bool {
    let name = argument.split(|byte| *byte == b'=').next().unwrap_or_default();
    argument.starts_with(b"-") && name.iter().any(u8::is_ascii_whitespace)
}

/// Returns whether an argument is `-word` of a query, and not one of the short options `-n 5`, `-h` and `-V`.
fn is_left_out(argument: &[u8]) -> bool {
    match argument {
        // `-0` is an option of lists, and excludes no word elsewhere.
        [b'-', b'h' | b'V' | b'0'] | [b'-'] | [b'-', b'-', ..] => false,
        [b'-', b'n', value @ ..] => !value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'='),
        [b'-', ..] => true,
        _ => false,
    }
}

/// Parses a word of a text.
pub(super) fn word() -> impl TypedValueParser<Value = String> {
    StringValueParser::new().map(|word: String| word.strip_prefix('\0').map(str::to_owned).unwrap_or(word))
}

/// Parses a word of a query, in any encoding.
pub(super) fn os_word() -> impl TypedValueParser<Value = OsString> {
    OsStringValueParser::new().map(|word: OsString| match word.as_bytes().strip_prefix(b"\0") {
        Some(plain) => OsString::from_vec(plain.to_vec()),
        None => word,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Command};

    fn read(arguments: &[&str]) -> Result<Command, clap::Error> {
        Args::read(["tars"].iter().chain(arguments).map(OsString::from)).map(|args| args.command)
    }

    #[test]
    fn words_with_a_dash_are_accepted() {
        for (arguments, words, limit) in [
            (&["search", "Jonas", "-Petra", "--json", "-n", "3"][..], &["Jonas", "-Petra"][..], Some(3)),
            (&["search", "-notes", "Jonas", "-n5", "--json"], &["-notes", "Jonas"], Some(5)),
            (&["sgrep", "a", "-\"b c\"", "--json"], &["a", "-\"b c\""], None),
        ] {
            let (Command::Search(search) | Command::Sgrep(search)) = read(arguments).unwrap() else {
                panic!("a search")
            };
            assert_eq!(search.words, words, "{arguments:?}");
            assert_eq!((search.json, search.limit), (true, limit), "{arguments:?}");
        }
        let Command::Remember(remember) = read(&["remember", "--force", "- a line"]).unwrap() else { panic!("a text") };
        assert_eq!((remember.text, remember.force), (vec!["- a line".to_owned()], true));
    }

    #[test]
    fn unknown_options_are_still_refused() {
        for arguments in
            [&["search", "Jonas", "--jsn"][..], &["remember", "-x", "a"], &["undo", "-x"], &["remember", "a", "--jsn"]]
        {
            assert!(read(arguments).is_err(), "{arguments:?}");
        }
        let said = read(&["models", "list", "-x"]).unwrap_err().to_string();
        assert!(said.contains("'-x'") && !said.contains('\0'), "{said}");
        let said = read(&["search", "Jonas", "-Petra", "--jsn"]).unwrap_err().to_string();
        assert!(said.contains("--jsn") && said.contains("--json") && !said.contains('\0'), "{said}");
    }
}
