//! `tars extract`

use std::io::Write;

use crate::args::Extract;
use crate::memory_lines::one_line;
use crate::terminal::{for_output, sanitize_line};
use crate::{Outcome, format, json, prompt, terminal};
use tars_service::memory::{ExtractRequest, ExtractSource};
use tars_service::{App, Backend, Result, Service};

pub(crate) fn run(app: &App, args: &Extract) -> Result<Outcome> {
    let source = match args.source.as_str() {
        "-" => ExtractSource::Text(prompt::read_text(std::slice::from_ref(&args.source), "text")?),
        name => ExtractSource::Named(name.to_owned()),
    };
    let request = ExtractRequest { source, again: args.again, dry_run: args.dry_run };
    let found = Service::new(app, Backend::Local).call(&request)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &found)?;
    } else {
        for line in &found.written {
            writeln!(out, "{}", for_output(&one_line(line), 2))?;
        }
        if args.dry_run {
            for fact in &found.facts {
                writeln!(out, "{}", sanitize_line(fact))?;
            }
        }
        if found.read_before {
            terminal::print_note(&format!("{} has read this before (--again asks it again)", sanitize_line(&found.by)));
        }
        if found.unread > 0 {
            terminal::print_note(&format!("{} did not fit and were not read", format::pluralize(found.unread, "line")));
        }
        if found.facts.is_empty() {
            terminal::print_note("no facts were found that are new to the memory");
        }
    }
    Ok(if found.facts.is_empty() { Outcome::Nothing } else { Outcome::Done })
}
