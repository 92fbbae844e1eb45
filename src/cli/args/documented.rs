//! Tests that every command in the documentation parses.

use std::fs;
use std::path::{Path, PathBuf};

use super::Args;

/// Splits a command line like a shell, and parses it.
pub(super) fn read(line: &str) -> Result<Args, clap::Error> {
    Args::read(words(line).into_iter().map(Into::into))
}

/// Returns the words of one shell command: quotes group words; comments and everything after a pipe are dropped.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '|' | ';' | '&' | '<' | '>') => break,
            (None, ' ') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// Returns the commands of tars in the shell blocks of a page.
fn commands(page: &str) -> Vec<String> {
    let mut language = None;
    let mut commands = Vec::new();
    let mut unfinished = String::new();
    for line in page.lines() {
        if let Some(opened) = line.trim_start().strip_prefix("```") {
            language = if language.is_some() { None } else { Some(opened.to_owned()) };
            continue;
        }
        let typed = match language.as_deref() {
            Some("sh" | "bash") => line,
            Some("console") => match line.strip_prefix("$ ") {
                Some(typed) => typed,
                None => continue,
            },
            _ => continue,
        };
        match typed.trim_end().strip_suffix('\\') {
            Some(start) => unfinished += start,
            None => commands.push(std::mem::take(&mut unfinished) + typed),
        }
    }
    let parts = commands.iter().flat_map(|command| command.split(" && "));
    parts.filter_map(tars).collect()
}

/// Returns a command without the variables that are set for it; `None` if it runs another program.
fn tars(command: &str) -> Option<String> {
    let mut rest = command.trim();
    while let Some((first, behind)) = rest.split_once(' ')
        && first.contains('=')
        && first.bytes().take_while(|byte| *byte != b'=').all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    {
        rest = behind.trim_start();
    }
    (rest == "tars" || rest.starts_with("tars ")).then(|| rest.to_owned())
}

fn pages() -> Vec<PathBuf> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md"), root.join("SECURITY.md")];
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    pages.extend(docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    pages
}

#[test]
fn commands_of_a_page_are_split_like_in_a_shell() {
    assert_eq!(words("tars search 'a b' \"c d\" e#f # why | x"), ["tars", "search", "a b", "c d", "e#f"]);
    assert_eq!(words("tars log -n 3 | head"), ["tars", "log", "-n", "3"]);
    let page = "```sh\nTARS_VAULT=a tars index\nls && tars \\\n  log\n```\n```console\n$ tars status\ntars: no\n```\n    tars x";
    assert_eq!(commands(page), ["tars index", "tars   log", "tars status"]);
}

#[test]
fn every_documented_command_parses() {
    let mut read_all = 0;
    let mut refused = Vec::new();
    for path in pages() {
        for command in commands(&fs::read_to_string(&path).unwrap()) {
            read_all += 1;
            if let Err(error) = read(&command)
                && error.use_stderr()
            {
                refused.push(format!("{}: {command}\n{error}", path.display()));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(read_all > 150, "only {read_all} commands were found");
}
