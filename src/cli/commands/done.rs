//! `tars done`

use std::io::Write;

use crate::args::Done;
use crate::memory_lines::beginning;
use crate::terminal::sanitize_line;
use crate::{Outcome, format, json, terminal};
use tars_service::memory::{DoneRequest, OpenEndLine, Tick};
use tars_service::{App, Backend, Result, Service};

pub(crate) fn run(app: &App, args: &Done) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let query = args.query.join(" ");
    let tick = match (query.trim().is_empty(), args.all) {
        (true, _) => Tick::None,
        (false, true) => Tick::All,
        (false, false) => Tick::One,
    };
    let found = service.call(&DoneRequest { query: query.clone(), tick: Tick::None })?;
    let mut out = anstream::stdout().lock();
    let shown = tick == Tick::None || (tick == Tick::One && found.found.len() > 1 && found.session.is_none());
    if shown && !args.json {
        found.found.iter().try_for_each(|end| writeln!(out, "{}", terminal::for_output(&open_line(end), 2)))?;
    }
    let response = match tick {
        Tick::None => found,
        tick => service.call(&DoneRequest { query: query.clone(), tick })?,
    };
    let is_nothing =
        response.session.is_none() && (response.found.is_empty() || (tick != Tick::None && response.ticked.is_empty()));
    if args.json {
        json::line(&mut out, &response)?;
    } else if response.found.is_empty() && response.session.is_none() {
        let which = if query.trim().is_empty() { String::new() } else { format!(" with '{}'", sanitize_line(&query)) };
        terminal::print_note(&format!(
            "the memory holds no open end{which}; tars ticks no tasks of your own notes (tars tasks lists them)"
        ));
    } else if tick != Tick::None {
        for end in &response.found {
            writeln!(out, "{}", terminal::for_output(&open_line(end), 2))?;
        }
        let count = format::pluralize(response.ticked.len(), "line");
        let session = response.session.as_deref().map(|id| format!("the session {} is done; ", sanitize_line(id)));
        terminal::print_note(&format!("{}ticked {count} (tars undo takes it back)", session.unwrap_or_default()));
    }
    Ok(if is_nothing { Outcome::Nothing } else { Outcome::Done })
}

/// Formats an open end: day, id, project, text.
fn open_line(end: &OpenEndLine) -> String {
    let project = end.project.as_deref().map(|name| format!("[{}] ", sanitize_line(name))).unwrap_or_default();
    format!("{}  {}  {project}{}", end.day, end.line.id, beginning(&end.said))
}
