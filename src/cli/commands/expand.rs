//! `tars expand`

use anyhow::Result;

use crate::app::App;
use crate::cli::args::Expand;
use crate::cli::{Outcome, daemon, human, json, terminal};
use crate::daemon::{Request, Response};
use crate::search::{Extent, expand};

pub(in crate::cli) fn run(app: &App, args: &Expand) -> Result<Outcome> {
    let extent = match (args.window, args.file) {
        (Some(window), _) => Extent::Window(window),
        (None, true) => Extent::File,
        (None, false) => Extent::Section,
    };
    let request = Request::Expand { id: args.id.clone(), extent };
    let expansion = match daemon::ask(app, &request) {
        Some(Response::Expansion(expansion)) => expansion,
        _ => expand(&*app.open_index()?.snapshot()?, &args.id, extent)?,
    };
    let mut out = anstream::stdout().lock();
    if args.json {
        json::expansion(&mut out, &expansion)?;
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
