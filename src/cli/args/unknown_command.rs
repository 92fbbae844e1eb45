//! Words that are no command: a misspelt command, or a question typed without one.
//!
//! Tars does not search for them unasked: a script with a misspelt command must fail, and a command of a later version must not change
//! what an old line does. So the error names the exact line to type.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use tars_text::analysis::is_stop_word;

/// Length from which two letters of a misspelt command may be wrong instead of one.
const LONG: usize = 6;
/// Shortest beginning of a command that counts as an abbreviation.
const SHORTEST_BEGINNING: usize = 3;
/// Most commands to name.
const MAX_COMMANDS: usize = 3;

/// Returns an error that says what to type instead, if `error` is about words that are no command of tars; `None` otherwise.
pub(super) fn explained(error: &Error, command: &Command, arguments: &[OsString]) -> Option<Error> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let at = arguments.iter().skip(1).position(|argument| argument.to_str() == Some(typed.as_str()))? + 1;
    let is_command =
        |argument: &OsString| command.get_subcommands().any(|known| argument.to_str() == Some(known.get_name()));
    // The word after a command, as in `tars models lst`.
    if arguments[1..at].iter().any(is_command) {
        return None;
    }
    let words = |range: &[OsString]| range.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>();
    let (before, after) = (words(&arguments[1..at]), words(&arguments[at + 1..]));
    let lines = lines(&similar(typed, command), &before, typed, &after);
    let lines: Vec<String> = lines
        .iter()
        .zip(["try: "].iter().chain(std::iter::repeat(&"or:  ")))
        .map(|(line, word)| format!("  {word}{line}"))
        .collect();
    let message = format!("'{typed}' is no command\n\n{}\n\nFor all commands, try 'tars --help'.\n", lines.join("\n"));
    Some(Error::raw(ErrorKind::InvalidSubcommand, message))
}

/// Returns the lines to type instead, the likeliest first.
fn lines(commands: &[&str], before: &[String], typed: &str, after: &[String]) -> Vec<String> {
    let shell = |words: &[String]| words.iter().map(|word| shell_word(word)).collect::<Vec<_>>();
    let tars = |rest: Vec<String>| {
        let before = shell(before);
        ["tars".to_owned()].into_iter().chain(before).chain(rest).collect::<Vec<_>>().join(" ")
    };
    let as_command =
        commands.iter().map(|command| tars([(*command).to_owned()].into_iter().chain(shell(after)).collect()));
    let (options, more): (Vec<&String>, Vec<&String>) = after.iter().partition(|word| word.starts_with("--"));
    let question = std::iter::once(typed).chain(more.iter().map(|word| word.as_str())).collect::<Vec<_>>().join(" ");
    let search =
        ["search".to_owned(), in_quotes(&question)].into_iter().chain(options.into_iter().map(|word| shell_word(word)));
    let search = tars(search.collect());
    // A question begins with such a word, and a command does not.
    if is_stop_word(&typed.to_lowercase()) || typed.contains(char::is_whitespace) {
        return vec![search];
    }
    as_command.chain([search]).collect()
}

/// Returns the commands that a misspelt or abbreviated word may mean, nearest first.
fn similar<'c>(typed: &str, command: &'c Command) -> Vec<&'c str> {
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    let most = if length < LONG { 1 } else { 2 };
    let distance = |name: &str| match name.starts_with(&typed) && length >= SHORTEST_BEGINNING {
        true => 1,
        false => strsim::osa_distance(&typed, name),
    };
    let names = command.get_subcommands().filter(|known| !known.is_hide_set()).map(Command::get_name);
    let mut near: Vec<(usize, &str)> =
        names.map(|name| (distance(name), name)).filter(|(far, _)| *far <= most).collect();
    near.sort_by_key(|(far, _)| *far);
    near.into_iter().map(|(_, name)| name).take(MAX_COMMANDS).collect()
}

/// Returns one word of a shell.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@,+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { in_quotes(word) }
}

/// Returns a text in quotes, double ones if the shell reads nothing in them.
pub(crate) fn in_quotes(text: &str) -> String {
    match text.contains(['"', '$', '`', '\\', '!']) {
        true => format!("'{}'", text.replace('\'', r"'\''")),
        false => format!("\"{text}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Args;
    use super::*;

    fn said(arguments: &[&str]) -> String {
        let error = Args::read(["tars"].iter().chain(arguments).map(OsString::from)).unwrap_err();
        assert!(error.use_stderr(), "it is an error");
        error.to_string()
    }

    fn advice(arguments: &[&str]) -> Vec<String> {
        let said = said(arguments);
        let lines =
            said.lines().map(str::trim).filter_map(|line| line.strip_prefix("try: ").or(line.strip_prefix("or:  ")));
        lines.map(str::to_owned).collect()
    }

    #[test]
    fn a_misspelt_command_suggests_the_command_first() {
        assert_eq!(advice(&["serch", "leak", "valve"]), ["tars search leak valve", "tars search \"serch leak valve\""]);
        assert_eq!(advice(&["--vault", "My notes", "stauts", "--json"])[0], "tars --vault \"My notes\" status --json");
        for (typed, meant) in [
            ("searhc", "search"),
            ("saerch", "search"),
            ("remeber", "remember"),
            ("dialy", "daily"),
            ("wek", "week"),
            ("conv", "conversations"),
            ("Search", "search"),
            ("indx", "index"),
            ("gte", "get"),
        ] {
            assert_eq!(advice(&[typed, "x"])[0], format!("tars {meant} x"), "{typed}");
        }
    }

    #[test]
    fn several_words_that_are_no_command_say_how_to_search() {
        assert_eq!(advice(&["what", "did", "Mara", "say"]), ["tars search \"what did Mara say\""]);
        assert_eq!(advice(&["what did Mara say"]), ["tars search \"what did Mara say\""]);
        assert_eq!(advice(&["sourdough"]), ["tars search \"sourdough\""]);
        assert_eq!(advice(&["#chores"]), ["tars search \"#chores\""]);
        assert_eq!(advice(&["roof", "$5", "--json"]), ["tars search 'roof $5' --json"]);
        assert!(said(&["roof", "price"]).starts_with("error: 'roof' is no command\n"));
    }

    #[test]
    fn the_word_after_a_command_gets_the_message_of_that_command() {
        assert!(said(&["models", "lst"]).contains("'list'"));
    }
}
