//! `tars feedback`, `tars review`

use std::io::Write;

use super::{proposals, skills};
use crate::args::{FeedbackArgs, Promote, Review};
use crate::memory_lines::{one_line, place, report_removed};
use crate::terminal::{sanitize, sanitize_line};
use crate::{Outcome, format, json, memory_lines, prompt, terminal};
use tars_service::memory::{
    DecideRequest, FeedbackRequest, PromoteTo, ProposalView, ProposalsRequest, ProposeJob, ReviewLine, ReviewRequest,
    SettleRequest, SettleResponse, Settlement,
};
use tars_service::{App, Backend, Result, Service};
use tars_vault::LineOrigin;

pub(crate) fn feedback(app: &App, args: &FeedbackArgs) -> Result<Outcome> {
    let request = FeedbackRequest { good: args.kind == "good", note: prompt::read_text(&args.note, "note")? };
    let response = Service::new(app, Backend::Local).call(&request)?;
    report_removed(&response.removed);
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &response)?;
    } else {
        writeln!(out, "{}", terminal::for_output(&format!("added  {}", one_line(&response.line)), 2))?;
    }
    Ok(Outcome::Done)
}

pub(crate) fn run(app: &App, args: &Review) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    if let Some(id) = args.promote.as_ref().or(args.drop.as_ref()) {
        return settle_one(&service, args, id);
    }
    if let Some(id) = args.accept.as_ref().or(args.refuse.as_ref()) {
        let request = DecideRequest { id: id.clone(), accept: args.accept.is_some(), text: args.text.clone() };
        return proposals::decide(&service, &request, args.json);
    }
    if args.skills {
        return skills::run(&service, args.write.as_deref(), args.json);
    }
    if args.propose {
        return proposals::propose(&service, ProposeJob::Review, args.json);
    }
    if args.proposals {
        return proposals::print(&service, args.json);
    }
    if args.settle {
        return proposals::settle_boxes(&service, args.json);
    }
    if !args.json {
        review_list(&service)?;
    }
    let waiting = service.call(&ReviewRequest {})?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &waiting)?;
    } else if waiting.is_empty() {
        terminal::print_note("nothing waits for a review");
    } else if prompt::can_ask() {
        drop(out);
        return review_each(&service, &waiting);
    } else {
        for ReviewLine { source, proposal, line, origin } in &waiting {
            let said = memory_lines::beginning(proposal);
            writeln!(out, "{source}  {}  {}  {said}{}", place(line), line.id, mistrust(source, origin.as_ref()))?;
        }
        terminal::print_note("settle each with --promote ID [--to procedural] or --drop ID, or run it in a terminal");
    }
    Ok(if waiting.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// Returns the origin of a line that deserves a second look, behind two spaces. Feedback of unknown origin is the person's.
fn mistrust(source: &str, origin: Option<&LineOrigin>) -> String {
    match origin {
        Some(origin) if origin.by.may_be_promoted() => String::new(),
        Some(origin) => format!("  [{}]", sanitize_line(&origin.describe())),
        None if source == "extracted" => "  [origin unknown]".to_owned(),
        None => String::new(),
    }
}

/// Applies the ticked boxes of the list, and asks about the other proposals if a person is present.
fn review_list(service: &Service<'_>) -> Result<()> {
    let listed = service.call(&ProposalsRequest {})?;
    if listed.iter().any(|proposal| proposal.word != "open") {
        proposals::settle_boxes(service, false)?;
    }
    let open: Vec<ProposalView> = listed.into_iter().filter(|proposal| proposal.word == "open").collect();
    if !open.is_empty() && prompt::can_ask() {
        proposals::review_each(service, &open)?;
    } else if !open.is_empty() {
        terminal::print_note(&format!(
            "{} on the list: tars review --proposals",
            format::pluralize(open.len(), "proposal")
        ));
    }
    Ok(())
}

fn settle_one(service: &Service<'_>, args: &Review, id: &str) -> Result<Outcome> {
    let to = match args.to {
        Promote::Semantic => PromoteTo::Semantic,
        Promote::Procedural => PromoteTo::Procedural,
    };
    let settlement = match args.drop {
        Some(_) => Settlement::Drop,
        None => Settlement::Promote { to, text: args.text.clone(), replace: args.replace.clone() },
    };
    let response = service.call(&SettleRequest { id: id.to_owned(), path: None, settlement })?;
    report_removed(&response.removed);
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &response)?;
    } else {
        writeln!(out, "{}", settled_line(&response))?;
    }
    Ok(Outcome::Done)
}

fn settled_line(response: &SettleResponse) -> String {
    let status = response.status.as_str();
    match &response.line {
        Some(line) => format!("{status}  {}", one_line(line)),
        None => status.to_owned(),
    }
}

/// Asks about the waiting lines one by one.
fn review_each(service: &Service<'_>, waiting: &[ReviewLine]) -> Result<Outcome> {
    let mut settled = 0;
    'all: for (index, ReviewLine { source, proposal, line, origin }) in waiting.iter().enumerate() {
        let by = mistrust(source, origin.as_ref());
        prompt::show(&format!("\n{}/{}  {source}  {}{by}", index + 1, waiting.len(), place(line)))?;
        prompt::show(&format!("  {}", sanitize(proposal).replace('\n', "\n  ")))?;
        let mut text = proposal.clone();
        let settlement = loop {
            let promote = |to, text: &str| Some(Settlement::Promote { to, text: Some(text.to_owned()), replace: None });
            match prompt::choose(
                "[m]emory, [p]rocedural, [e]dit, [d]rop, [q]uit, or [s]kip?",
                &['m', 'p', 'e', 'd', 'q', 's'],
            )? {
                'm' => break promote(PromoteTo::Semantic, &text),
                'p' => break promote(PromoteTo::Procedural, &text),
                'd' => break Some(Settlement::Drop),
                'q' => break 'all,
                'e' => {
                    if let Some(edited) = prompt::ask("new text:")?.filter(|edited| !edited.is_empty()) {
                        text = edited;
                        prompt::show(&format!("  {}", sanitize(&text)))?;
                    }
                }
                _ => break None,
            }
        };
        if let Some(settlement) = settlement {
            let request = SettleRequest { id: line.id.clone(), path: Some(line.path.clone()), settlement };
            prompt::show(&settled_line(&service.call(&request)?))?;
            settled += 1;
        }
    }
    terminal::print_note(&format!("settled {}", format::pluralize(settled, "line")));
    Ok(Outcome::Done)
}
