//! Shows what others say while the person types: the prompt and the typed line are drawn again below it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustyline::ExternalPrinter;

use crate::terminal;

/// The place for texts of other threads.
pub(super) struct Aside(Mutex<State>);

struct State {
    /// Prints above the prompt; `None` without a terminal.
    printer: Option<Box<dyn ExternalPrinter + Send>>,
    /// Whether an answer is being written, which no other text may interrupt.
    is_answering: bool,
    /// Texts that wait for the end of the answer.
    waiting: Vec<String>,
}

impl Aside {
    pub(super) fn new(printer: Option<Box<dyn ExternalPrinter + Send>>) -> Self {
        Self(Mutex::new(State { printer, is_answering: false, waiting: Vec::new() }))
    }

    /// Shows a note: now, or after the answer that is being written.
    pub(super) fn show(&self, message: &str) {
        let mut state = self.lock();
        match state.is_answering {
            true => state.waiting.push(message.to_owned()),
            false => state.print(message),
        }
    }

    /// Holds notes back while `answer` writes an answer, and shows them after it.
    pub(super) fn after<T>(&self, answer: impl FnOnce() -> T) -> T {
        self.lock().is_answering = true;
        let answered = answer();
        let mut state = self.lock();
        state.is_answering = false;
        for message in std::mem::take(&mut state.waiting) {
            state.print(&message);
        }
        answered
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn print(&mut self, message: &str) {
        let text = format!("{}\n", terminal::note(message));
        let is_shown = self.printer.as_mut().is_some_and(|printer| printer.print(text).is_ok());
        if !is_shown {
            terminal::print_note(message);
        }
    }
}
