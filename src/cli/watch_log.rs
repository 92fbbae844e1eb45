//! The log of a watcher: at a terminal one line per event, with the time of day; elsewhere, or if `TARS_LOG` is set, the normal log.

use std::fmt::{Debug, Write as _};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use super::format::pluralize;
use super::terminal::{self, sanitize_line};
use tars_base::clock::Clock;

/// Starts the log. Errors appear in both forms.
pub(super) fn start(clock: &Clock) {
    if std::env::var_os("TARS_LOG").is_some() || terminal::columns_of(std::io::stderr()).is_none() {
        return terminal::start_log_to("info", std::io::stderr);
    }
    let filter = Targets::new().with_target(env!("CARGO_CRATE_NAME"), Level::INFO);
    let lines = Lines { clock: clock.clone() }.with_filter(filter);
    if tracing_subscriber::registry().with(lines).try_init().is_err() {
        tracing::debug!("a log was started before");
    }
}

/// Prints each event as a line.
struct Lines {
    clock: Clock,
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = EventFields::default();
        event.record(&mut fields);
        let time = self.clock.now().strftime("%H:%M").to_string();
        terminal::print_event(&time, &sanitize_line(&fields.text()));
    }
}

/// The fields of an event.
#[derive(Debug, Default)]
struct EventFields {
    message: String,
    error: String,
    numbers: Vec<(&'static str, usize)>,
}

impl Visit for EventFields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.numbers.push((field.name(), usize::try_from(value).unwrap_or(usize::MAX)));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = match field.name() {
            "message" => &mut self.message,
            "error" => &mut self.error,
            _ => return,
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "{value:?}");
    }
}

impl EventFields {
    fn text(&self) -> String {
        match self.message.as_str() {
            "indexed" => self.indexed(),
            "watching" => "watching the notes (Ctrl-C ends it)".into(),
            message if self.error.is_empty() => message.to_owned(),
            message => format!("{message}: {}", self.error),
        }
    }

    /// Describes an indexing run by its nonzero counts.
    fn indexed(&self) -> String {
        let of = |names: &[&str]| -> usize {
            self.numbers.iter().filter(|(name, _)| names.contains(name)).map(|(_, number)| number).sum()
        };
        let parts = [
            (of(&["new", "changed"]), "note", "indexed"),
            (of(&["moved"]), "note", "moved"),
            (of(&["removed"]), "note", "removed"),
            (of(&["embedded"]), "passage", "embedded"),
            (of(&["waiting"]), "passage", "still to be embedded"),
        ];
        let parts = parts.iter().filter(|(number, ..)| *number > 0);
        parts.map(|(number, noun, fate)| format!("{} {fate}", pluralize(*number, noun))).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(message: &str, error: &str, numbers: &[(&'static str, usize)]) -> String {
        EventFields { message: message.into(), error: error.into(), numbers: numbers.to_vec() }.text()
    }

    #[test]
    fn a_watcher_at_a_terminal_prints_sentences() {
        let numbers = [("new", 2), ("changed", 1), ("moved", 0), ("removed", 1), ("embedded", 5), ("waiting", 0)];
        assert_eq!(text("indexed", "", &numbers), "3 notes indexed, 1 note removed, 5 passages embedded");
        assert_eq!(text("the model is not ready", "no file", &[]), "the model is not ready: no file");
        assert_eq!(text("watching", "", &[("pid", 7)]), "watching the notes (Ctrl-C ends it)");
        assert_eq!(text("ended", "", &[]), "ended");
    }
}
