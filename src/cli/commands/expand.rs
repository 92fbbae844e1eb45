//! `tars expand`

use anyhow::Result;

use crate::cli::args::Expand;
use crate::cli::{Outcome, human, json, terminal};
use tars_hook::current_session;
use tars_service::{App, ExpandRequest, Reach, Service};

pub(in crate::cli) fn run(app: &App, args: &Expand) -> Result<Outcome> {
    let session = current_session(app);
    let request = ExpandRequest { id: args.id.clone(), window: args.window, file: args.file, session };
    let expansion = Service::new(app, Reach::Fallback).call(&request)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &expansion)?;
    } else {
        if let Some(replaced) = &expansion.replaced {
            terminal::note(&format!(
                "chunk {} has changed since; most of its text is now in {}",
                replaced.short(),
                expansion.id.short()
            ));
        }
        human::expansion(&mut out, &expansion)?;
    }
    Ok(Outcome::Done)
}
