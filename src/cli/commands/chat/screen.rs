//! A conversation on the terminal: streamed answers, one line per tool call, and questions.

use std::io::{self, IsTerminal, Write};

use super::markdown::Renderer;
use crate::terminal::sanitize;
use crate::{prompt, terminal};
use tars_assistant::{ChatFrontend, Decision, PermissionRequest, TurnEnd, TurnEvent};
use tars_chat::{CancelToken, Usage};

/// Widest column for answers: longer lines are hard to read.
const MAX_WIDTH: usize = 100;

/// The terminal, or the output that replaces it.
pub(super) struct Screen {
    /// `None` if text is printed unrendered.
    renderer: Option<Renderer>,
    shows_tokens: bool,
    /// The token that Ctrl-C cancels during an answer.
    cancel: CancelToken,
    /// Whether the last piece did not end its line.
    is_open: bool,
    /// The answer so far, if no person watches it. Other programs must not get text that turns out to be reasoning.
    held: Option<String>,
}

impl Screen {
    pub(super) fn new(plain: bool, shows_tokens: bool) -> Self {
        let columns = terminal::columns_of(io::stdout()).filter(|_| !plain && io::stdout().is_terminal());
        let renderer = columns.map(|columns| Renderer::new(columns.saturating_sub(1).clamp(20, MAX_WIDTH)));
        let held = (!io::stdout().is_terminal()).then(String::new);
        Self { renderer, shows_tokens, cancel: CancelToken::default(), is_open: false, held }
    }

    /// Makes `cancel` abort later questions.
    pub(super) fn stops_with(&mut self, cancel: &CancelToken) {
        self.cancel = cancel.clone();
    }

    /// Prints a whole text.
    pub(super) fn markdown(&mut self, text: &str) {
        self.text(text);
        self.end_line();
    }

    /// Ends the output of a turn.
    pub(super) fn end_of_answer(&mut self, end: &TurnEnd) {
        self.end_line();
        if end.is_stopped {
            terminal::print_note("stopped");
        }
        let Usage { input_tokens, output_tokens } = end.usage;
        if self.shows_tokens && (input_tokens, output_tokens) != (None, None) {
            let shown = |tokens: Option<u64>| tokens.map_or_else(|| "?".to_owned(), |tokens| tokens.to_string());
            terminal::print_note(&format!("{} tokens sent, {} received", shown(input_tokens), shown(output_tokens)));
        }
    }

    /// Prints a piece of an answer, or holds it.
    fn answer(&mut self, piece: &str) {
        match &mut self.held {
            Some(held) => held.push_str(piece),
            None => self.text(piece),
        }
    }

    /// Drops the answer so far, or marks it if the person has seen it.
    fn withdraw(&mut self) {
        match &mut self.held {
            Some(held) => held.clear(),
            None => {
                self.end_line();
                terminal::print_note("the text above was the model's reasoning; the answer follows");
            }
        }
    }

    fn text(&mut self, piece: &str) {
        let piece = sanitize(piece);
        let out = match &mut self.renderer {
            Some(renderer) => renderer.push(&piece),
            None => piece.clone(),
        };
        self.is_open = if piece.is_empty() { self.is_open } else { !piece.ends_with('\n') };
        put(&out);
    }

    pub(super) fn end_line(&mut self) {
        if let Some(held) = self.held.as_mut().map(std::mem::take).filter(|held| !held.is_empty()) {
            self.text(&held);
        }
        match &mut self.renderer {
            Some(renderer) => put(&renderer.finish()),
            None if self.is_open => put("\n"),
            None => {}
        }
        self.is_open = false;
    }
}

impl ChatFrontend for Screen {
    fn show(&mut self, event: TurnEvent<'_>) {
        match event {
            TurnEvent::Text(text) => self.answer(text),
            TurnEvent::Withdrawn => self.withdraw(),
            TurnEvent::Tool { name, about } => {
                self.end_line();
                say(&format!("⚙ {name} {about}"));
            }
            TurnEvent::ToolDone { name, result, failed: true } => say(&format!("✗ {name}: {result}")),
            TurnEvent::Notice(line) => {
                self.end_line();
                terminal::print_note(line);
            }
            TurnEvent::ToolDone { .. } => {}
        }
    }

    fn request_permission(&mut self, request: PermissionRequest<'_>) -> Decision {
        self.end_line();
        if !prompt::can_ask() {
            return Decision::Unavailable;
        }
        let asked = format!("{} would be used with:{}\nAllow it? [y]es, or [n]o?", request.tool, request.what);
        match prompt::choose_cancellable(&asked, &['y', 'n'], &|| self.cancel.is_cancelled()) {
            Ok('y') => Decision::Yes,
            _ => Decision::No,
        }
    }
}

/// Prints the status of a tool call, as one line of the terminal.
fn say(line: &str) {
    let columns = terminal::columns_of(io::stderr()).unwrap_or(200);
    let line = crate::snippet::cut(&sanitize(line), columns.saturating_sub(1));
    let faint = anstyle::Style::new().dimmed();
    // A closed standard error cannot be reported.
    let _ = writeln!(anstream::stderr(), "{faint}{line}{faint:#}");
}

fn put(text: &str) {
    let mut out = anstream::stdout().lock();
    // A reader that has gone away is noticed when the answer is stored; the conversation does not depend on it.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
