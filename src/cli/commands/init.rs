//! `tars init`

use std::io::Write;

use anyhow::Result;

use crate::app::{App, OFFER, line_of_languages};
use crate::cli::Outcome;
use crate::cli::args::Init;
use crate::cli::terminal::for_output;
use crate::config::SummaryProvider;
use crate::service::setup::{InitRequest, InitResponse};
use crate::service::{Reach, Service};

pub(in crate::cli) fn run(app: &App, args: &Init) -> Result<Outcome> {
    let request = InitRequest { folder: args.folder.clone() };
    let InitResponse { vault, configuration, memory_folder, has_client_memory, languages, advice } =
        Service::new(app, Reach::Local).call(&request)?;
    let mut out = anstream::stdout().lock();
    writeln!(out, "vault          {}", vault.display())?;
    writeln!(out, "configuration  {}", configuration.display())?;
    writeln!(out, "memory folder  {}", memory_folder.display())?;
    if has_client_memory {
        let offer = "tars config set index.client_memory true (searches Claude Code's own memory too)";
        writeln!(out, "{}", for_output(&format!("optional       {offer}"), 15))?;
    }
    if let Some(languages) = line_of_languages(&languages) {
        writeln!(out, "{}", for_output(&format!("languages      {languages}"), 15))?;
    }
    if let Some(advice) = advice {
        writeln!(out, "{}", for_output(&format!("advice         {}", advice.line()), 15))?;
    }
    writeln!(out, "next           tars index")?;
    if app.settings.config.summary.provider == SummaryProvider::Auto {
        writeln!(out, "{}", for_output(&format!("notes          {OFFER}"), 15))?;
    }
    Ok(Outcome::Done)
}
