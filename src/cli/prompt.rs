//! Questions to a person at a terminal.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::terminal::sanitize;
use tars_service::{Context, Refusal, Result};

/// Longest text on standard input, in bytes.
const MAX_INPUT: u64 = 1 << 20;

/// Interval of checks whether a question is cancelled.
const CHECK_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Returns whether a person can be asked: both ends are a terminal.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Shows the person a text that a question is about.
pub(super) fn show(text: &str) -> Result<()> {
    Ok(writeln!(anstream::stderr().lock(), "{text}")?)
}

/// Asks, and returns the trimmed answer; `None` at the end of the input.
pub(super) fn ask(question: &str) -> Result<Option<String>> {
    ask_cancellable(question, &|| false)
}

/// Like [`ask`]; also returns `None` once the question is cancelled.
pub(super) fn ask_cancellable(question: &str, is_cancelled: &dyn Fn() -> bool) -> Result<Option<String>> {
    let mut error = anstream::stderr().lock();
    write!(error, "{} ", sanitize(question))?;
    error.flush()?;
    while !has_line() {
        if is_cancelled() {
            writeln!(error)?;
            return Ok(None);
        }
    }
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line).context("cannot read the answer")?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

/// Waits a moment for a line on standard input. Returns true if that cannot be determined, so that the read blocks.
fn has_line() -> bool {
    let stdin = io::stdin();
    let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut waiting, Some(&CHECK_INTERVAL)) {
        Ok(0) | Err(Errno::INTR) => !stdin.is_terminal(),
        _ => true,
    }
}

/// Asks until the answer is one of the letters. An empty answer and the end of the input select the last one.
pub(super) fn choose(question: &str, letters: &[char]) -> Result<char> {
    choose_cancellable(question, letters, &|| false)
}

/// Like [`choose`], but returns the last letter once the question is cancelled.
pub(super) fn choose_cancellable(question: &str, letters: &[char], is_cancelled: &dyn Fn() -> bool) -> Result<char> {
    let last = *letters.last().expect("there is something to choose from");
    loop {
        let Some(answer) = ask_cancellable(question, is_cancelled)? else { return Ok(last) };
        match answer.to_lowercase().chars().next() {
            None => return Ok(last),
            Some(letter) if letters.contains(&letter) => return Ok(letter),
            Some(_) => show(&valid_letters(letters))?,
        }
    }
}

/// Returns a message with the valid letters.
fn valid_letters(letters: &[char]) -> String {
    let letters: Vec<String> = letters.iter().map(char::to_string).collect();
    match letters.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("Type {} or {last}; Enter alone is {last}.", rest.join(", ")),
        _ => format!("Type {}.", letters.concat()),
    }
}

/// Returns the text of the words on the command line; `-`, or no words, reads standard input.
pub(super) fn read_text(words: &[String], what: &str) -> Result<String> {
    let piped = words.len() == 1 && words[0] == "-";
    if !piped && !words.is_empty() {
        return Ok(words.join(" "));
    }
    if !piped && io::stdin().is_terminal() {
        let message = format!("there is no {what}");
        return Err(Refusal { message, hint: "give it as an argument, or on standard input".into() }.into());
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes).context("cannot read standard input")?;
    if bytes.len() as u64 > MAX_INPUT {
        let message = format!("the {what} on standard input is longer than {MAX_INPUT} bytes");
        return Err(Refusal { message, hint: "write a note of its own".into() }.into());
    }
    // Piped text may have any encoding; invalid UTF-8 is replaced, as in files.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
