//! Bullets without a model: the request, what came of it, what was decided, what was changed and run.

use std::path::Path;

use super::bullets::{MOST_BULLETS, cleaned};
use super::sentences::{is_decision, sentences, shortened};
use crate::domain::Turn;

/// Length of what is quoted of a request or an answer, in characters.
const QUOTE: usize = 240;
/// Files, and commands, that are named.
const NAMED: usize = 5;
const COMMAND: usize = 80;

/// How answers begin that say nothing yet.
const PREAMBLES: &[&str] = &[
    "sure",
    "great",
    "perfect",
    "absolutely",
    "certainly",
    "of course",
    "okay",
    "ok,",
    "you're right",
    "good question",
    "let me",
    "i'll ",
    "i will ",
    "now i",
    "now let",
    "here's",
    "here is",
    "here are",
    "thanks",
    "all done",
];

/// Returns the bullets of a turn, made of sentences of the turn itself: at most [`MOST_BULLETS`], without markers, each one
/// line. The caller takes secrets out of the turn first, since a private span may reach over several sentences.
pub fn extract(turn: &Turn) -> Vec<String> {
    let mut bullets = Vec::new();
    let request = headline(&turn.request);
    bullets.extend(request.as_ref().map(|request| format!("Asked: {request}")));
    let closing = sentences(&turn.closing);
    let answer = outcome(&closing);
    bullets.extend(answer.as_ref().map(|answer| format!("Answer: {answer}")));
    let shown =
        |sentence: &String| [&request, &answer].into_iter().flatten().any(|text| text.contains(sentence.as_str()));
    let said = sentences(&turn.request).into_iter().chain(sentences(&turn.answer));
    let mut decisions: Vec<String> = said.filter(|sentence| is_decision(sentence) && !shown(sentence)).collect();
    decisions.dedup();
    // What was said last about it holds.
    let first = decisions.len().saturating_sub(2);
    bullets.extend(decisions.drain(first..).map(|sentence| format!("Decided: {}", shortened(&sentence, QUOTE))));
    let directory = turn.directory.as_deref();
    let files = turn.files.iter().map(|file| format!("`{}`", changed_file(file, directory)));
    bullets.extend(listed(files.collect(), ", ").map(|files| format!("Changed: {files}")));
    bullets.extend(listed(commands(turn), "; ").map(|commands| format!("Ran: {commands}")));
    bullets.truncate(MOST_BULLETS);
    // Marked, so that none is taken for a heading or a table.
    let marked: Vec<String> = bullets.iter().map(|bullet| format!("- {}", bullet.replace('\n', " "))).collect();
    cleaned(marked.iter().map(String::as_str))
}

/// Returns the beginning of a request in one line, at most 240 characters. What is not prose is shown too where nothing
/// else is; without a word there is nothing.
pub fn headline(request: &str) -> Option<String> {
    let mut found = String::new();
    for sentence in sentences(request) {
        if !found.is_empty() && found.chars().count() + sentence.chars().count() > QUOTE {
            break;
        }
        if !found.is_empty() {
            found.push(' ');
        }
        found.push_str(&sentence);
    }
    if found.is_empty() {
        let line = request.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric))?;
        found = line.trim_start_matches(['#', '>', '|', ' ']).to_owned();
    }
    Some(shortened(&found, QUOTE))
}

/// Returns the first sentences that say something.
fn outcome(closing: &[String]) -> Option<String> {
    let says_something = |sentence: &&String| {
        let lower = sentence.to_lowercase();
        sentence.chars().count() >= 12
            && !lower.ends_with(':')
            && !PREAMBLES.iter().any(|words| lower.starts_with(words))
    };
    let first = closing.iter().position(|sentence| says_something(&sentence)).unwrap_or(0);
    let mut found = closing.get(first)?.clone();
    if let Some(next) = closing.get(first + 1).filter(says_something)
        && found.chars().count() + next.chars().count() < QUOTE
    {
        found.push(' ');
        found.push_str(next);
    }
    Some(shortened(&found, QUOTE))
}

/// Returns the commands, the same ones once.
fn commands(turn: &Turn) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for command in &turn.commands {
        let line = format!("`{}`", command_line(command));
        if !found.contains(&line) {
            found.push(line);
        }
    }
    found
}

/// Returns a command in one line of at most 82 characters, fit to stand between backticks.
pub fn command_line(command: &str) -> String {
    let line = command.trim().lines().next().unwrap_or_default().trim();
    let more = if command.trim().lines().count() > 1 { " …" } else { "" };
    format!("{}{more}", shortened(line, COMMAND)).replace('`', "'")
}

fn listed(entries: Vec<String>, between: &str) -> Option<String> {
    let more = entries.len().saturating_sub(NAMED);
    let named = entries[..entries.len() - more].join(between);
    match (entries.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(named),
        (false, more) => Some(format!("{named} and {more} more")),
    }
}

/// Returns a file's path below the directory that the agent worked in, fit to stand between backticks.
pub fn changed_file(file: &str, directory: Option<&str>) -> String {
    let inner = directory.and_then(|directory| Path::new(file).strip_prefix(directory).ok()?.to_str());
    inner.filter(|inner| !inner.is_empty()).unwrap_or(file).replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn() -> Turn {
        Turn {
            directory: Some("/home/anna/pump".into()),
            request: "Why does the pump stop at night? It is urgent.\n```\npanic at 12\n```".into(),
            answer: "Let me look.\n\nI chose minutes because seconds overflow.\n\nGreat news! The timer overflowed at midnight. \
                     It counts minutes now."
                .into(),
            closing: "Great news! The timer overflowed at midnight. It counts minutes now.".into(),
            tools: vec!["Bash".into(), "Edit".into()],
            files: vec!["/home/anna/pump/src/timer.rs".into(), "/etc/hosts".into()],
            commands: vec!["cargo test timer\necho done".into(), "git status".into(), "git status".into()],
            ..Turn::default()
        }
    }

    #[test]
    fn a_turn_in_a_few_lines() {
        assert_eq!(
            extract(&turn()),
            [
                "Asked: Why does the pump stop at night? It is urgent.",
                "Answer: The timer overflowed at midnight. It counts minutes now.",
                "Decided: I chose minutes because seconds overflow.",
                "Changed: `src/timer.rs`, `/etc/hosts`",
                "Ran: `cargo test timer …`; `git status`",
            ]
        );
    }

    #[test]
    fn little_gives_little() {
        assert!(extract(&Turn::default()).is_empty());
        let short = Turn { request: "hello there".into(), closing: "Hi!".into(), ..Turn::default() };
        assert_eq!(extract(&short), ["Asked: hello there", "Answer: Hi!"]);
        let code = Turn { request: "```\nlet a = 1;\n```".into(), ..Turn::default() };
        assert_eq!(extract(&code), ["Asked: let a = 1;"]);
    }

    #[test]
    fn long_lists_are_counted() {
        let files = (0..9).map(|number| format!("{number}.rs")).collect();
        let bullets = extract(&Turn { files, ..Turn::default() });
        assert_eq!(bullets, ["Changed: `0.rs`, `1.rs`, `2.rs`, `3.rs`, `4.rs` and 4 more"]);
    }

    proptest::proptest! {
        #[test]
        fn any_turn_has_safe_bullets(request in "\\PC{0,60}", answer in "([a-z.?! \n`#-]|<!--|-->){0,60}", file in "\\PC{0,20}") {
            let turn = Turn { request, closing: answer.clone(), answer, files: vec![file.clone()], commands: vec![file], ..turn() };
            let bullets = extract(&turn);
            proptest::prop_assert!(bullets.len() <= MOST_BULLETS);
            for bullet in bullets {
                proptest::prop_assert!(!bullet.contains(['\n', '\r']) && !bullet.contains("<!--"));
            }
        }
    }
}
