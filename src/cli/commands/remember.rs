//! `tars remember`

use std::io::Write;

use crate::args::Remember;
use crate::memory_lines::{one_line, report_removed};
use crate::{Outcome, format, json, prompt, terminal};
use tars_memory::Relation;
use tars_service::memory::{NearLine, Overgrown, RememberRequest, RememberResponse, RememberStatus};
use tars_service::{App, Backend, Result, Service};

/// The least similarity at which a person is shown the nearest line. With the default model, 71 of 80 pairs of contradicting lines reach it,
/// and of 30 lines beside 40 about other matters one does.
const NEAR_ENOUGH: f64 = 0.45;

pub(crate) fn run(app: &App, args: &Remember) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let is_asked = !args.json && prompt::can_ask();
    let request = RememberRequest {
        text: prompt::read_text(&args.text, "text")?,
        memory_type: args.memory_type,
        to: args.to.clone(),
        section: args.section.clone(),
        replace: args.replace.clone(),
        force: args.force,
        ask: is_asked,
        // A person sees the lines that are near enough to ask about, or else the nearest.
        nearest: if args.json { RememberRequest::default().nearest } else { usize::from(is_asked) },
    };
    let mut response = service.call(&request)?;
    response.warnings.iter().for_each(|warning| terminal::print_note(warning));
    if is_asked && response.status == RememberStatus::Close {
        say_near(&response.near);
        let question = "[a]dd it, [r]eplace the first of them, or [l]eave it?";
        let nearest = response.near.first().map(|near| near.line.id.clone());
        let decided = match prompt::choose(question, &['a', 'r', 'l'])? {
            'a' => Some(RememberRequest { force: true, ..request }),
            'r' => Some(RememberRequest { replace: nearest, ..request }),
            _ => None,
        };
        if let Some(decided) = decided {
            let said = std::mem::take(&mut response.warnings);
            response = service.call(&decided)?;
            response
                .warnings
                .iter()
                .filter(|warning| !said.contains(warning))
                .for_each(|one| terminal::print_note(one));
        }
    }
    report(&response, args.json)?;
    let is_done = response.line.is_some() || response.status == RememberStatus::Proposed;
    Ok(if is_done { Outcome::Done } else { Outcome::Nothing })
}

fn say_near(near: &[NearLine]) {
    for near in near.iter().filter(|near| near.relation != Relation::Equal).take(3) {
        let word = match near.relation {
            Relation::Close => "nearly the same",
            _ => "says otherwise",
        };
        terminal::print_note(&format!("{word}: {}", one_line(&near.line)));
    }
}

/// Names the line nearest to the written one, if nothing was asked about it and it may concern the same subject.
fn say_nearest(response: &RememberResponse) {
    let nearest = response.nearest.first().filter(|nearest| nearest.similarity >= NEAR_ENOUGH);
    if let Some(nearest) = nearest.filter(|_| response.near.is_empty()) {
        terminal::print_note(&format!("nearest: {}", one_line(&nearest.line)));
        terminal::print_note(&format!("if that is no longer true: tars forget {}", nearest.line.id));
    }
}

fn report(response: &RememberResponse, as_json: bool) -> Result<()> {
    let mut out = anstream::stdout().lock();
    if as_json {
        return json::line(&mut out, response);
    }
    report_removed(&response.removed);
    match &response.line {
        Some(line) => {
            let status = response.status.as_str();
            writeln!(out, "{}", terminal::for_output(&format!("{status}  {}", one_line(line)), 2))?;
            if response.status == RememberStatus::Added {
                match prompt::can_ask() {
                    true => say_nearest(response),
                    false => say_near(&response.near),
                }
            }
        }
        None if response.status == RememberStatus::Proposed => {
            terminal::print_note(
                "proposed, not remembered: this session has read from the network or used a tool that tars does not know \
                 (tars review --proposals)",
            );
        }
        None if !prompt::can_ask() => {
            say_near(&response.near);
            terminal::print_note("nothing was written: add it with --force, or replace a line with --replace ID");
        }
        None => terminal::print_note("nothing was written"),
    }
    if let Some(overgrown) = &response.overgrown {
        warn_overgrown(overgrown);
    }
    Ok(())
}

/// Warns that a file is too long to read at a glance, and names its oldest lines.
pub(super) fn warn_overgrown(overgrown: &Overgrown) {
    let Overgrown { path, lines, tokens, oldest } = overgrown;
    let size = format!("{}, about {tokens} tokens", format::pluralize(*lines, "line"));
    terminal::print_note(&format!("{path} has grown long ({size}): tars tidy"));
    for line in oldest {
        terminal::print_note(&format!("oldest: {}", one_line(line)));
    }
}
