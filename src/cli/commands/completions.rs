//! `tars completions` and `tars man`: shell completions and manual pages, generated from the definitions of the commands.

use std::fs;
use std::io::Write;

use tars_service::{Context, Result};

use crate::args::{self, Completions, Manual};
use crate::format::pluralize;
use crate::{Outcome, terminal};

/// Prints the script by which a shell requests completions from tars.
pub(crate) fn run(args: &Completions) -> Result<Outcome> {
    let program = std::env::current_exe().context("cannot find the path of tars")?;
    let shells = clap_complete::env::Shells::builtins();
    let shell = shells.completer(args.shell.name()).context("there are no completions for this shell")?;
    let mut script = Vec::new();
    shell.write_registration(args::COMPLETE, "tars", "tars", &program.to_string_lossy(), &mut script)?;
    anstream::stdout().lock().write_all(&script)?;
    Ok(Outcome::Done)
}

/// Writes a manual page for each command.
pub(crate) fn manual(args: &Manual) -> Result<Outcome> {
    let folder = &args.folder;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let command = args::command().disable_help_subcommand(true);
    clap_mangen::generate_to(command, folder).with_context(|| format!("cannot write into {}", folder.display()))?;
    let pages =
        fs::read_dir(folder)?.flatten().filter(|entry| entry.path().extension().is_some_and(|kind| kind == "1"));
    terminal::print_note(&format!("{} in {}", pluralize(pages.count(), "page"), folder.display()));
    Ok(Outcome::Done)
}
