//! `tars history`

use std::io::Write;

use crate::args::History;
use crate::memory_lines::place;
use crate::terminal::sanitize_line;
use crate::{Outcome, json, terminal};
use tars_service::memory::HistoryRequest;
use tars_service::{App, Backend, Result, Service};

pub(crate) fn run(app: &App, args: &History) -> Result<Outcome> {
    let found = Service::new(app, Backend::Local).call(&HistoryRequest { query: args.words.join(" ") })?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &found)?;
    } else if found.is_empty() {
        terminal::print_note("no current or former line of the memory contains all of these words");
    } else {
        for (index, history) in found.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            for former in &history.before {
                let since = former.since.map_or_else(|| " ".repeat(10), |day| day.to_string());
                writeln!(out, "{since} – {}  {}", former.until, sanitize_line(&former.line.text))?;
            }
            match &history.now {
                Some(line) => writeln!(out, "now{}{}  ({})", " ".repeat(22), sanitize_line(&line.text), place(line))?,
                None => writeln!(out, "now{}no longer in the memory", " ".repeat(22))?,
            }
        }
    }
    Ok(if found.is_empty() { Outcome::Nothing } else { Outcome::Done })
}
