//! `tars init`: from nothing to a first answer, step by step.
//!
//! Vault, model, watcher and agents each are a step, and so is a first question. A step is decided by its flag, by `--yes`, or by the
//! person at the terminal; where neither is there, it is left out. Each is done and written down before the next one is asked about, so
//! that the whole can be ended at any time, and taken back by `--undo`.

mod first_search;
mod steps;
mod undo;
mod vault;

use std::io::Write;

use anyhow::Result;

use crate::app::{App, OFFER, line_of_languages};
use crate::cli::args::{Args, Init};
use crate::cli::terminal::for_output;
use crate::cli::{Outcome, interrupt, prompt};
use crate::config::SummaryProvider;
use crate::service::setup::{InitRequest, InitResponse};
use crate::service::{Interrupted, Reach, Service};

/// Columns before what is said.
const INDENT: usize = 15;

pub(in crate::cli) fn run(app: &App, args: &Args, init: &Init) -> Result<Outcome> {
    if init.undo {
        return undo::run(app);
    }
    interrupt::listen();
    let manner = Manner { asks: prompt::is_possible() && !init.yes, yes: init.yes };
    // A model that is not there is said before anything is set.
    init.model.as_ref().map(|id| app.catalog().get(id)).transpose()?;
    let folder = vault::chosen(app, init, &manner)?;
    let set_up = Service::new(app, Reach::Local).call(&InitRequest { folder })?;
    say(&set_up)?;
    // What was just set decides about the steps that follow.
    let app = &App::new(app.environment.clone(), &args.flags())?;
    steps::model(app, init, &manner, set_up.advice.as_ref())?;
    // The model may be another one now.
    let app = &App::new(app.environment.clone(), &args.flags())?;
    let watcher = steps::watcher(app, init, &manner)?;
    let agents = steps::agents(app, args, init, &manner)?;
    let searched = first_search::run(app, init, &manner)?;
    if app.settings.config.summary.provider == SummaryProvider::Auto {
        line("notes", OFFER)?;
    }
    Ok(match [watcher, agents] {
        [true, true] => searched,
        _ if searched == Outcome::Interrupted => searched,
        _ => Outcome::Partial,
    })
}

/// Prints the vault and what is known of it.
fn say(set_up: &InitResponse) -> Result<()> {
    let InitResponse { vault, configuration, memory_folder, has_client_memory, languages, .. } = set_up;
    line("vault", &vault.display().to_string())?;
    line("configuration", &configuration.display().to_string())?;
    line("memory folder", &memory_folder.display().to_string())?;
    if *has_client_memory {
        line("optional", "tars config set index.client_memory true (searches Claude Code's own memory too)")?;
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

/// How steps are decided about that no flag decides about.
struct Manner {
    /// Somebody is asked.
    asks: bool,
    /// All that is proposed is done.
    yes: bool,
}

impl Manner {
    /// Whether a step is done: as its flag says, as the person answers, and else only with `--yes`.
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
/// [`Interrupted`]: the input has ended, or a signal came. All that was done so far stays.
fn answer(question: &str) -> Result<String> {
    // Both ends are a terminal.
    prompt::ask_unless(&for_output(question, 0), &interrupt::asked)?.ok_or_else(|| Interrupted.into())
}
