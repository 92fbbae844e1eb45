//! `tars init`: from nothing to a first answer, step by step.
//!
//! The steps are vault, model, watcher, agents, a first question and the author of notes. Each step is decided by its flag, by `--yes`, or
//! by the person at the terminal; otherwise it is skipped. Each is done and recorded before the next question, so that the person can stop
//! at any time, and `--undo` can revert everything. The last lines say how to go on.

mod first_search;
mod steps;
mod undo;
mod vault;

use std::io::Write;

use crate::args::{Args, Init};
use crate::terminal::for_output;
use crate::{Outcome, interrupt, prompt};
use tars_service::setup::{InitRequest, InitResponse};
use tars_service::{App, Backend, Interrupted, Result, Service, line_of_languages};

/// Columns of a label.
const INDENT: usize = 15;

pub(crate) fn run(app: &App, args: &Args, init: &Init) -> Result<Outcome> {
    if init.undo {
        return undo::run(app);
    }
    interrupt::listen();
    let interaction = Interaction { asks: prompt::can_ask() && !init.yes, yes: init.yes };
    // A missing model is reported before any change.
    init.model.as_ref().map(|id| app.catalog().get(id)).transpose()?;
    let folder = vault::chosen(app, init, &interaction)?;
    let set_up = Service::new(app, Backend::Local).call(&InitRequest { folder })?;
    say(&set_up)?;
    // The following steps use the new settings.
    let app = &App::new(app.environment.clone(), &args.flags())?;
    steps::model(app, init, &interaction, set_up.advice.as_ref())?;
    // The model may have changed.
    let app = &App::new(app.environment.clone(), &args.flags())?;
    let watcher = steps::watcher(app, init, &interaction)?;
    let agents = steps::agents(app, args, init, &interaction)?;
    let searched = first_search::run(app, init, &interaction)?;
    Ok(match [watcher, agents] {
        [true, true] => searched,
        _ if searched == Outcome::Interrupted => searched,
        _ => Outcome::Partial,
    })
}

/// Prints the vault and its properties.
fn say(set_up: &InitResponse) -> Result<()> {
    let InitResponse { vault, configuration, memory_folder, client_memories, languages, .. } = set_up;
    line("vault", &vault.display().to_string())?;
    line("configuration", &configuration.display().to_string())?;
    line("memory folder", &memory_folder.display().to_string())?;
    if !client_memories.is_empty() {
        let clients: Vec<&str> = client_memories.iter().map(|client| client.label()).collect();
        let clients = clients.join(" and ");
        line("optional", &format!("tars config set index.client_memory true (searches what {clients} noted too)"))?;
    }
    if let Some(languages) = line_of_languages(languages) {
        line("languages", &languages)?;
    }
    Ok(())
}

/// Prints a line of the report.
fn line(label: &str, text: &str) -> Result<()> {
    writeln!(anstream::stdout().lock(), "{}", for_output(&format!("{label:<INDENT$}{text}"), INDENT))?;
    Ok(())
}

/// How steps without a flag are decided.
struct Interaction {
    /// The person is asked.
    asks: bool,
    /// All proposals are accepted.
    yes: bool,
}

impl Interaction {
    /// Decides a step: by its flag, else by the person's answer, else by `--yes`.
    fn decides(&self, flag: Option<bool>, question: &str) -> Result<bool> {
        if let Some(decided) = flag {
            return Ok(decided);
        }
        if !self.asks {
            return Ok(self.yes);
        }
        loop {
            match answer(&format!("{question} [Y/n]"))?.to_lowercase().as_str() {
                "" | "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => writeln!(anstream::stderr().lock(), "Type y or n; Enter alone is y.")?,
            }
        }
    }
}

/// Asks the person.
///
/// # Errors
/// [`Interrupted`]: the input has ended, or a signal arrived. Finished steps stay.
fn answer(question: &str) -> Result<String> {
    // The caller has checked that both ends are a terminal.
    prompt::ask_cancellable(&for_output(question, 0), &interrupt::is_requested)?.ok_or_else(|| Interrupted.into())
}
