//! Output besides the data: notes on standard error, colours, the log.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::snippet::wrap;
use tars_base::domain::USER_NOTICE;
pub(super) use tars_base::domain::{is_terminal_control, sanitize, sanitize_line};
use tars_config::Color;

/// Applies the configured choice; `auto` follows the terminal and `NO_COLOR`.
pub(super) fn choose_color(color: Color) {
    match color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// Returns the width of the terminal that `stream` goes to; `None` if there is no terminal or its width is unknown.
pub(super) fn columns_of(stream: impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Messages that wait while a command draws on the whole screen; `None` if they are printed at once.
static HELD: Mutex<Option<Vec<String>>> = Mutex::new(None);

fn held() -> MutexGuard<'static, Option<Vec<String>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps all further messages for [`held_notes`].
pub(super) fn hold_notes() {
    *held() = Some(Vec::new());
}

/// Takes the messages that were kept since the last call.
pub(super) fn held_notes() -> Vec<String> {
    held().as_mut().map(std::mem::take).unwrap_or_default()
}

/// Prints the messages that nobody has taken, and all further ones at once.
pub(super) fn release_notes() {
    let waiting = held().take();
    waiting.iter().flatten().for_each(|message| print_note(message));
}

/// Prints a message on standard error, wrapped on a terminal.
pub(super) fn print_note(message: &str) {
    if let Some(held) = held().as_mut() {
        held.push(sanitize_line(message));
        return;
    }
    // A closed standard error cannot be reported.
    let _ = writeln!(anstream::stderr(), "{}", note(message));
}

/// Returns the text of a message, wrapped on a terminal.
pub(super) fn note(message: &str) -> String {
    wrapped(&format!("tars: {}", sanitize(message)), "tars: ".len(), columns_of(std::io::stderr()))
}

/// Prints a message and the command that helps on standard error.
pub(super) fn print_problem(message: &str, hint: Option<&str>) {
    print_note(message);
    if let Some(hint) = hint {
        print_note(&format!("try: {hint}"));
    }
}

/// Prints an event with its time of day on standard error.
pub(super) fn print_event(time: &str, message: &str) {
    let text = wrapped(&format!("{time} {}", sanitize(message)), time.len() + 1, columns_of(std::io::stderr()));
    // A closed standard error cannot be reported.
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Returns a text for standard output: wrapped on a terminal, with an indent of further lines.
pub(super) fn for_output(text: &str, indent: usize) -> String {
    wrapped(text, indent, columns_of(std::io::stdout()))
}

/// Wraps a text to `columns`, except for wider words; returns it unchanged if the width is unknown.
fn wrapped(text: &str, indent: usize, columns: Option<usize>) -> String {
    let Some(width) = columns.and_then(|columns| columns.checked_sub(indent)).filter(|width| *width >= 16) else {
        return text.to_owned();
    };
    let blanks = " ".repeat(indent);
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        // The first part begins at the margin, so it has room for the indent too.
        let padded = line.get(..indent).filter(|start| lines.is_empty() && start.is_ascii());
        match padded {
            Some(start) => {
                let parts = wrap(&line[start.len()..], width).into_iter().enumerate();
                lines.extend(
                    parts.map(|(at, part)| if at == 0 { format!("{start}{part}") } else { blanks.clone() + &part }),
                );
            }
            None => lines.extend(wrap(line, width + indent)),
        }
    }
    lines.join("\n")
}

/// Starts the log on standard error; silent unless `TARS_LOG` is set (`TARS_LOG=debug`).
pub(super) fn start_log() {
    if std::env::var_os("TARS_LOG").is_some() {
        start_log_to("off", std::io::stderr);
    }
}

/// Prints important warnings on standard error while the command runs, if there is no log.
pub(super) fn start_notices() {
    // A filter by target alone: an environment filter compiles its patterns at every start.
    let filter = Targets::new().with_target(USER_NOTICE, tracing::Level::WARN);
    let said = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(|| NoteWriter);
    let said = said.without_time().with_level(false).with_target(false).with_filter(filter);
    // An existing log already shows these events.
    let _ = tracing_subscriber::registry().with(said).try_init();
}

/// Prints each event as a note.
struct NoteWriter;

impl Write for NoteWriter {
    fn write(&mut self, event: &[u8]) -> std::io::Result<usize> {
        print_note(&sanitize_line(String::from_utf8_lossy(event).trim()));
        Ok(event.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Starts a log with its own destination, at `level` unless `TARS_LOG` is set.
pub(super) fn start_log_to<W, M>(level: &str, place: M)
where
    W: Write,
    M: Fn() -> W + Send + Sync + 'static,
{
    let filter = tracing_subscriber::EnvFilter::try_from_env("TARS_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    // An unwritable log on a full disk must not print to a hook's standard error.
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(place);
    let log = log.log_internal_errors(false);
    if log.try_init().is_err() {
        tracing::debug!("a log was started before");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_at_words() {
        let text = "tars: one two three four five six\nseven";
        assert_eq!(wrapped(text, 6, Some(24)), "tars: one two three four\n      five six\nseven");
        assert_eq!(wrapped(text, 6, None), text);
        assert_eq!(wrapped("Öl two three four five", 6, Some(23)), "Öl two three four five");
    }
}
