//! Shows long output in the pager of the person's environment: `$TARS_PAGER`, else `$PAGER`; without either there is none.
//!
//! The output is collected first, and the pager starts only if it takes more rows than the terminal has. The command is split into words
//! as a shell does it, without a shell, and no text of a note reaches its arguments.

use std::io::{self, IsTerminal, StdoutLock, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};

use super::{interrupt, snippet, terminal};

static IS_FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// Makes this process show everything without a pager.
pub(super) fn forbid() {
    IS_FORBIDDEN.store(true, Ordering::Relaxed);
}

/// Standard output, through a pager if one is set, a person reads it, and it is long. [`Output::finish`] ends it.
pub(super) enum Output {
    /// Printed as it comes.
    Direct(AutoStream<StdoutLock<'static>>),
    /// Collected for a pager.
    Held {
        /// The output so far.
        bytes: Vec<u8>,
        /// The pager's program and its arguments.
        pager: Vec<String>,
    },
}

/// Returns the output of a command for people.
pub(super) fn output() -> Output {
    let is_read = io::stdout().is_terminal() && !IS_FORBIDDEN.load(Ordering::Relaxed);
    let variables = ["TARS_PAGER", "PAGER"];
    let set = if is_read { variables.iter().find_map(std::env::var_os) } else { None };
    // An empty variable switches the pager off, whatever the other one says.
    match set.and_then(|command| words(command.to_str()?)) {
        Some(pager) => Output::Held { bytes: Vec::new(), pager },
        None => Output::Direct(anstream::stdout().lock()),
    }
}

/// Splits a command into words; `None` for none, for `cat`, and for a quote without an end.
fn words(command: &str) -> Option<Vec<String>> {
    shlex::split(command).filter(|words| words.first().is_some_and(|program| program != "cat"))
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Direct(out) => out.write(bytes),
            Self::Held { bytes: held, .. } => held.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Direct(out) => out.flush(),
            Self::Held { .. } => Ok(()),
        }
    }
}

impl Output {
    /// Shows the collected output, and waits until the person leaves the pager.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) fn finish(self) -> io::Result<()> {
        let (bytes, pager) = match self {
            Self::Direct(mut out) => return out.flush(),
            Self::Held { bytes, pager } => (bytes, pager),
        };
        let size = rustix::termios::tcgetwinsize(io::stdout()).map(|size| (size.ws_row.into(), size.ws_col.into()));
        let fits = size.is_ok_and(|(rows, columns)| rows_of(&String::from_utf8_lossy(&bytes), columns) < rows);
        let mut out = anstream::stdout().lock();
        if fits {
            out.write_all(&bytes)?;
            return out.flush();
        }
        let has_color = out.current_choice() != ColorChoice::Never;
        drop(out);
        let bytes = if has_color { bytes } else { anstream::adapter::strip_bytes(&bytes).into_vec() };
        if let Err(error) = show(&pager, &bytes) {
            let program = terminal::sanitize_line(&pager[0]);
            terminal::print_note(&format!("cannot start the pager '{program}' of $TARS_PAGER or $PAGER: {error}"));
            let mut out = anstream::stdout().lock();
            out.write_all(&bytes)?;
            out.flush()?;
        }
        Ok(())
    }
}

fn show(pager: &[String], bytes: &[u8]) -> io::Result<()> {
    let mut command = Command::new(&pager[0]);
    command.args(&pager[1..]).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Colours as they are, and no pager for less than a screen, as other programs ask less for it.
        command.env("LESS", "FRX");
    }
    let mut child = command.spawn()?;
    // Ctrl-C stops a search within the pager, which would keep the terminal in its own state if nobody waited for it.
    interrupt::leave_to_child();
    if let Some(mut input) = child.stdin.take() {
        // A person who leaves the pager early closes the pipe.
        let _ = input.write_all(bytes);
    }
    child.wait().map(|_| ())
}

/// Returns the rows that a text takes on a terminal of this width.
fn rows_of(text: &str, columns: usize) -> usize {
    let plain = anstream::adapter::strip_str(text).to_string();
    plain.lines().map(|line| snippet::columns(line).saturating_sub(1) / columns.max(1) + 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pager_is_a_command_without_a_shell() {
        assert_eq!(words("less -R '+/a b'").unwrap(), ["less", "-R", "+/a b"]);
        assert_eq!(words("less; rm x").unwrap(), ["less;", "rm", "x"]);
        assert!(words("").is_none() && words("cat").is_none() && words("less 'x").is_none());
    }

    #[test]
    fn folded_lines_and_colours_are_counted_as_the_terminal_shows_them() {
        assert_eq!(rows_of("\u{1b}[1mabcd\u{1b}[0m\n\nabcde\n", 4), 4);
    }
}
