//! The text of a handoff for an agent, within a limit of tokens.
//!
//! The first line and the last one are words of tars; the rest is a block of data. Requests, open ends, failed steps, decisions and changed
//! files are shortened before one of them is left out, and come before findings, chores and the open ends of earlier sessions.

use super::{HandoffEntry, HandoffLine, HandoffResponse, HandoffSession};
use crate::context::UNTRUSTED;
use crate::sessions::unfinished::{end_words, reasons_in_words};
use tars_agent::context_block::{Budget, ListBlock};
use tars_memory::{LastEnd, Unfinished};
use tars_text::cleaning::truncated;
use tars_text::redact::redact;

/// The headings, in the order in which they are shown.
const HEADINGS: [&str; 9] = [
    "asked",
    "open",
    "failed",
    "decided",
    "ruled out",
    "found",
    "changed files",
    "done",
    "open since earlier sessions",
];
const ASKED: usize = 0;
const OPEN: usize = 1;
const FAILED: usize = 2;
const DECIDED: usize = 3;
const RULED_OUT: usize = 4;
const FOUND: usize = 5;
const FILES: usize = 6;
const DONE: usize = 7;
const EARLIER: usize = 8;
/// Lengths of a line in characters, tried in this order until everything that must be in the text fits.
const LENGTHS: [usize; 5] = [240, 160, 110, 80, 50];
/// A list of files may have one for so many characters of the length of a line.
const CHARACTERS_PER_FILE: usize = 12;
/// Maximum length of a project's name.
const MAX_NAME: usize = 80;

/// Returns the text of a handoff in at most `tokens` tokens. `why` says how the session's last turn ended, and why it is unfinished.
pub(super) fn text(
    response: &HandoffResponse,
    session: &HandoffSession,
    (end, reasons): (LastEnd, &[Unfinished]),
    tokens: usize,
) -> String {
    let (head, tail) = (head(session, reasons, response.next.len()), tail(response, session));
    let around = format!("{head}\n\n{tail}");
    let mut block = ListBlock::new(&HEADINGS, Budget::of_tokens(tokens), &around);
    for length in LENGTHS {
        block = ListBlock::new(&HEADINGS, Budget::of_tokens(tokens), &around);
        if push_needed(&mut block, response, end, length) {
            break;
        }
    }
    let others = [
        (RULED_OUT, &response.ruled_out),
        (FOUND, &response.found),
        (DONE, &response.done),
        (EARLIER, &response.earlier),
    ];
    for (section, lines) in others {
        // The newest lines come first, so that the oldest are left out.
        for line in lines {
            if !block.push(section, &shown(line, LENGTHS[0])) {
                break;
            }
        }
    }
    [Some(head), block.text(), Some(tail).filter(|tail| !tail.is_empty())]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n")
}

/// Adds what must be in the text, and returns whether all of it fitted.
fn push_needed(block: &mut ListBlock, response: &HandoffResponse, end: LastEnd, length: usize) -> bool {
    let last = response.asked.len().saturating_sub(1);
    for (at, request) in response.asked.iter().enumerate() {
        let how = if at == last && end != LastEnd::Answered { format!(" ({})", end_words(end)) } else { String::new() };
        block.push(ASKED, &format!("{}{how}", shortened(request, length)));
    }
    for line in &response.next {
        block.push(OPEN, &shown(line, length));
    }
    for step in &response.failed {
        block.push(FAILED, &entry(step, length));
    }
    for line in &response.decided {
        block.push(DECIDED, &shown(line, length));
    }
    let most = length / CHARACTERS_PER_FILE;
    let more = response.files.len().saturating_sub(most);
    let mut files: Vec<String> = response.files[more..].iter().map(|file| entry(file, length)).collect();
    if more > 0 {
        files.push(format!("… {more} more"));
    }
    block.push(FILES, &files.join(", "));
    block.is_complete()
}

fn entry(entry: &HandoffEntry, length: usize) -> String {
    marked(shortened(&entry.text, length), entry.untrusted)
}

/// Returns a text with the word behind it, if it is of untrusted origin.
fn marked(text: String, is_untrusted: bool) -> String {
    if is_untrusted { format!("{text} ({UNTRUSTED})") } else { text }
}

/// Returns a line with its id.
fn shown(line: &HandoffLine, length: usize) -> String {
    let text = marked(shortened(&line.text, length), line.untrusted);
    line.id.as_ref().map_or_else(|| text.clone(), |id| format!("[{id}] {text}"))
}

fn shortened(text: &str, length: usize) -> String {
    truncated(&redact(text).text, length)
}

/// Returns the first line, which holds no words of a note.
fn head(session: &HandoffSession, reasons: &[Unfinished], open_ends: usize) -> String {
    let client = session.client.map(|client| format!(" in {client}")).unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_./".contains(c) { c } else { '_' };
    let project = session.project.as_deref().map(|name| name.chars().take(MAX_NAME).map(plain).collect::<String>());
    let project = project.map(|name| format!(", project {name}")).unwrap_or_default();
    let (began, ended) = (session.began.strftime("%Y-%m-%d %H:%M"), session.ended.strftime("%Y-%m-%d %H:%M"));
    let state = match reasons {
        [] => "finished".to_owned(),
        reasons => format!("unfinished ({})", reasons_in_words(reasons, open_ends)),
    };
    format!("Handoff of session {}{client}{project}, {began} to {ended}: {state}.", session.short)
}

/// Returns the commands that show more, in one line.
fn tail(response: &HandoffResponse, session: &HandoffSession) -> String {
    let is_plain = |id: &str| {
        !id.starts_with('-') && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let mut said = Vec::new();
    if session.has_transcript && is_plain(&session.id) {
        let turn = session.last_turn.as_deref().filter(|turn| is_plain(turn));
        let turn = turn.map(|turn| format!(" --turn {turn}")).unwrap_or_default();
        said.push(format!("`tars transcript {}{turn}` shows its turns", session.id));
    }
    let lines = [&response.next, &response.decided, &response.found, &response.done].into_iter().flatten();
    if let Some(line) = lines.min_by_key(|line| (&line.path, line.line)) {
        said.push(format!("`tars get {}:{}` the lines in their note", line.path, line.line));
    }
    if response.next.iter().any(|line| line.id.is_some()) {
        said.push("`tars done ID` ticks an open end".to_owned());
    }
    if !response.unfinished.is_empty() {
        said.push(format!(
            "unfinished as well: {}",
            response.unfinished.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
        ));
    }
    match said.is_empty() {
        true => String::new(),
        false => format!("More: {}.", said.join("; ")),
    }
}
