//! `tars handoff`

use std::io::Write;

use crate::memory_lines::beginning;
use crate::terminal::{self, sanitize_line};
use crate::{Outcome, args, json};
use tars_hook::current_session;
use tars_service::sessions::{HandoffLine, HandoffRequest, HandoffResponse};
use tars_service::{App, Backend, Result, Service};

pub(crate) fn run(app: &App, args: &args::Handoff) -> Result<Outcome> {
    let request = HandoffRequest {
        session: args.session.clone(),
        directory: std::env::current_dir().ok().map(|path| path.to_string_lossy().into_owned()),
        asking: current_session(app),
        tokens: args.budget.map(|tokens| tokens as usize),
        ..HandoffRequest::default()
    };
    let handoff = Service::new(app, Backend::Local).call(&request)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &handoff)?;
    } else if let (Some(text), None) = (&handoff.text, terminal::columns_of(std::io::stdout())) {
        writeln!(out, "{text}")?;
    } else if handoff.session.is_some() {
        show(&mut out, &handoff)?;
    } else {
        terminal::print_note("no other session of this project was noted (tars sessions --open lists unfinished ones)");
    }
    Ok(if handoff.session.is_some() { Outcome::Done } else { Outcome::Nothing })
}

/// Shows a handoff to a person.
fn show(out: &mut dyn Write, handoff: &HandoffResponse) -> Result<()> {
    // The first line of the text holds no words of a note.
    let head = handoff.text.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
    writeln!(out, "{}", terminal::for_output(&sanitize_line(head), 2))?;
    section(out, "asked", handoff.asked.iter().map(|request| beginning(request)))?;
    section(out, "open", lines(&handoff.next))?;
    section(out, "failed", handoff.failed.iter().map(|step| entry(&step.text, step.untrusted)))?;
    section(out, "decided", lines(&handoff.decided))?;
    section(out, "ruled out", lines(&handoff.ruled_out))?;
    section(out, "found", lines(&handoff.found))?;
    section(out, "changed files", handoff.files.iter().map(|file| entry(&file.text, file.untrusted)))?;
    section(out, "done", lines(&handoff.done))?;
    section(out, "open since earlier sessions", lines(&handoff.earlier))?;
    section(out, "unfinished as well", handoff.unfinished.iter().map(|id| sanitize_line(id)))
}

fn section(out: &mut dyn Write, heading: &str, lines: impl Iterator<Item = String>) -> Result<()> {
    for (at, line) in lines.enumerate() {
        if at == 0 {
            writeln!(out, "\n{heading}")?;
        }
        writeln!(out, "{}", terminal::for_output(&format!("  {line}"), 4))?;
    }
    Ok(())
}

fn lines(lines: &[HandoffLine]) -> impl Iterator<Item = String> {
    lines
        .iter()
        .map(|line| format!("{:<8}  {}", line.id.as_deref().unwrap_or_default(), entry(&line.text, line.untrusted)))
}

fn entry(text: &str, is_untrusted: bool) -> String {
    let mark = if is_untrusted { " (untrusted)" } else { "" };
    format!("{}{mark}", beginning(text))
}
