//! `tars expand`

use crate::args::Expand;
use crate::{Outcome, format, json, last_answer, terminal};
use tars_hook::current_session;
use tars_service::{App, Backend, ExpandRequest, Result, Service};

pub(crate) fn run(app: &App, args: &Expand) -> Result<Outcome> {
    let session = current_session(app);
    let id = last_answer::result_id(app, &args.id)?;
    let request = ExpandRequest { id, window: args.window, file: args.file, session };
    let expansion = Service::new(app, Backend::Fallback).call(&request)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &expansion)?;
    } else {
        if let Some(replaced) = &expansion.replaced {
            terminal::print_note(&format!(
                "chunk {} has changed since; most of its text is now in {}",
                replaced.short(),
                expansion.id.short()
            ));
        }
        format::expansion(&mut out, &expansion)?;
    }
    Ok(Outcome::Done)
}
