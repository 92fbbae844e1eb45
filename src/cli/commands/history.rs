//! `tars history`

use std::io::Write;

use crate::args::History;
use crate::memory_lines::place;
use crate::terminal::{for_output, sanitize_line};
use crate::{Outcome, json, pager, terminal};
use tars_service::memory::HistoryRequest;
use tars_service::{App, Backend, Result, Service};

/// Columns of the dates before a line.
const DATES: usize = 25;

pub(crate) fn run(app: &App, args: &History) -> Result<Outcome> {
    let found = Service::new(app, Backend::Local).call(&HistoryRequest { query: args.words.join(" ") })?;
    if args.json {
        json::line(&mut anstream::stdout().lock(), &found)?;
    } else if found.is_empty() {
        terminal::print_note("no current or former line of the memory contains all of these words");
    } else {
        let mut out = pager::output();
        for (index, history) in found.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            for former in &history.before {
                let since = former.since.map_or_else(|| " ".repeat(10), |day| day.to_string());
                let said = format!("{since} – {}  {}", former.until, sanitize_line(&former.line.text));
                writeln!(out, "{}", for_output(&said, DATES))?;
            }
            match &history.now {
                Some(line) => {
                    let said = format!("{:<DATES$}{}  ({})", "now", sanitize_line(&line.text), place(line));
                    writeln!(out, "{}", for_output(&said, DATES))?;
                }
                None => writeln!(out, "{:<DATES$}no longer in the memory", "now")?,
            }
        }
        out.finish()?;
    }
    Ok(if found.is_empty() { Outcome::Nothing } else { Outcome::Done })
}
