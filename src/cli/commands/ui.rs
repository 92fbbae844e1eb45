//! `tars ui`, and `tars` alone on a terminal.

use std::io::{self, IsTerminal};

use jiff::Zoned;

use super::{open, proposals, status, undo};
use crate::args::Ui;
use crate::{Outcome, interrupt, terminal};
use tars_service::memory::{JournaledWrite, ProposalView};
use tars_service::{App, Refusal, Result, StatusReport};
use tars_ui::{CommandLine, Options, Place};

pub(crate) fn run(app: &App, args: &Ui) -> Result<Outcome> {
    if !args.plain && !has_screen(app) {
        let message = "the picker needs a terminal that it can draw on".to_owned();
        return Err(Refusal { message, hint: "tars ui --plain, or tars search QUESTION".into() }.into());
    }
    show(app, &Options { query: args.words.join(" "), plain: args.plain, color: has_colors() })
}

/// Whether `tars` alone shows the picker: there is a vault, and a screen.
pub(crate) fn is_shown_alone(app: &App) -> bool {
    !app.collections().is_empty() && has_screen(app)
}

/// The picker without a question.
pub(crate) fn alone(app: &App) -> Result<Outcome> {
    show(app, &Options { color: has_colors(), ..Options::default() })
}

fn show(app: &App, options: &Options) -> Result<Outcome> {
    if !options.plain {
        interrupt::listen();
        terminal::hold_notes();
    }
    let shown = tars_ui::run(app, &PickerCommands { app }, options);
    terminal::release_notes();
    shown?;
    Ok(if interrupt::is_requested() { Outcome::Interrupted } else { Outcome::Done })
}

fn has_screen(app: &App) -> bool {
    let is_dumb = app.environment.variable("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb
}

fn has_colors() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

struct PickerCommands<'a> {
    app: &'a App,
}

impl CommandLine for PickerCommands<'_> {
    fn open(&self, place: &Place) -> Result<()> {
        open::in_editor(self.app, place.clone()).map(|_| ())
    }

    fn status(&self, report: &StatusReport, now: &Zoned) -> String {
        status::text(report, now)
    }

    fn proposal(&self, proposal: &ProposalView) -> String {
        proposals::described(proposal)
    }

    fn write(&self, write: &JournaledWrite, now: &Zoned) -> String {
        undo::write_line(write, now)
    }

    fn notices(&self) -> Vec<String> {
        terminal::held_notes()
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_requested()
    }
}
