//! The list of proposals: `tars review`, `tars tidy --propose`

use std::io::Write;

use crate::memory_lines::one_line;
use crate::terminal::{sanitize, sanitize_line};
use crate::{Outcome, format, json, prompt, terminal};
use tars_base::domain::USER_NOTICE;
use tars_service::memory::{
    DecideRequest, DecideResponse, ProposalView, ProposalsRequest, ProposeJob, ProposeRequest, ProposeResponse,
    SettleProposalsRequest,
};
use tars_service::{Result, Service};

/// Runs a proposing job, and asks about the new proposals if a person is present.
pub(super) fn propose(service: &Service<'_>, job: ProposeJob, as_json: bool) -> Result<Outcome> {
    present(service, &service.call(&ProposeRequest { job })?, as_json)
}

/// Asks about the new proposals if a person is present, else prints them.
pub(super) fn present(service: &Service<'_>, response: &ProposeResponse, as_json: bool) -> Result<Outcome> {
    if as_json {
        json::line(&mut anstream::stdout().lock(), response)?;
        return Ok(Outcome::Done);
    }
    if let Some(problem) = &response.problem {
        tracing::warn!(target: USER_NOTICE, "{problem}");
        response.hint.as_ref().inspect(|hint| terminal::print_note(&format!("try: {hint}")));
    }
    if response.proposals.is_empty() {
        terminal::print_note("there is nothing new to propose");
    } else if prompt::can_ask() {
        return review_each(service, &response.proposals);
    } else {
        show(&response.proposals)?;
        let count = format::pluralize(response.proposals.len(), "proposal");
        terminal::print_note(&format!(
            "{count} on the list: tick them in proposals.md, or run tars review in a terminal"
        ));
    }
    Ok(Outcome::Done)
}

/// Prints the list.
pub(super) fn print(service: &Service<'_>, as_json: bool) -> Result<Outcome> {
    let listed = service.call(&ProposalsRequest {})?;
    if as_json {
        json::line(&mut anstream::stdout().lock(), &listed)?;
    } else if listed.is_empty() {
        terminal::print_note("the list of proposals is empty; tars review --propose and tars tidy --propose fill it");
    } else {
        show(&listed)?;
    }
    Ok(if listed.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// Applies the ticked boxes.
pub(super) fn settle_boxes(service: &Service<'_>, as_json: bool) -> Result<Outcome> {
    let done = service.call(&SettleProposalsRequest {})?;
    if as_json {
        json::line(&mut anstream::stdout().lock(), &done)?;
    } else if done.is_empty() {
        terminal::print_note("no box of the list is ticked");
    } else {
        let mut out = anstream::stdout().lock();
        for settled in &done {
            writeln!(out, "{}", line(settled))?;
        }
    }
    Ok(if done.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// Applies the person's decision on one proposal.
pub(super) fn decide(service: &Service<'_>, request: &DecideRequest, as_json: bool) -> Result<Outcome> {
    let done = service.call(request)?;
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, &done)?;
    } else {
        writeln!(out, "{}", line(&done))?;
    }
    Ok(Outcome::Done)
}

/// Asks about the proposals one by one.
pub(super) fn review_each(service: &Service<'_>, proposals: &[ProposalView]) -> Result<Outcome> {
    let mut settled = 0;
    'all: for (index, proposal) in proposals.iter().enumerate() {
        prompt::show(&format!("\n{}/{}  {}", index + 1, proposals.len(), described(proposal)))?;
        let brings_words = matches!(proposal.change, "add" | "merge" | "replace");
        let (question, letters): (_, &[char]) = match brings_words {
            true => ("[y]es, [n]o, [e]dit, [q]uit, or [s]kip?", &['y', 'n', 'e', 'q', 's']),
            false => ("[y]es, [n]o, [q]uit, or [s]kip?", &['y', 'n', 'q', 's']),
        };
        let mut text = None;
        let accept = loop {
            match prompt::choose(question, letters)? {
                'y' => break Some(true),
                'n' => break Some(false),
                'e' => {
                    text = prompt::ask("new text:")?.filter(|edited| !edited.is_empty()).or(text);
                    text.as_ref().map_or(Ok(()), |text| prompt::show(&format!("  {}", sanitize(text))))?;
                }
                'q' => break 'all,
                _ => break None,
            }
        };
        if let Some(accept) = accept {
            prompt::show(&line(&service.call(&DecideRequest { id: proposal.id.clone(), accept, text })?))?;
            settled += 1;
        }
    }
    terminal::print_note(&format!("settled {}", format::pluralize(settled, "proposal")));
    Ok(Outcome::Done)
}

fn show(proposals: &[ProposalView]) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for proposal in proposals {
        let mark = match proposal.word {
            "accepted" => "[x] ",
            "refused" => "[-] ",
            _ => "",
        };
        writeln!(out, "{}  {mark}{}", proposal.id, described(proposal))?;
    }
    Ok(())
}

/// Returns the effect of a proposal, followed by its sources.
pub(crate) fn described(proposal: &ProposalView) -> String {
    let place = match proposal.section.as_str() {
        "" => sanitize_line(&proposal.path),
        section => sanitize_line(&format!("{}, {section}", proposal.path)),
    };
    let (before, mark) = match proposal.change {
        "add" => (format!("add to {place}"), '+'),
        "page" => (format!("make {place}"), '+'),
        "merge" => (format!("merge into one line in {place}"), '+'),
        "replace" => (format!("no longer so in {place}"), '+'),
        "supersede" => (format!("no longer so in {place}"), '-'),
        "remove" => (format!("remove from {place}"), '-'),
        "link" => (format!("link in {place}"), ' '),
        _ => (format!("move to {place}"), '>'),
    };
    let mut lines = vec![before];
    if matches!(proposal.change, "merge" | "replace") {
        lines.extend(proposal.lines.iter().map(|line| format!("  - {}", sanitize_line(line))));
    }
    lines.extend(proposal.text.lines().map(|line| format!("  {mark} {}", sanitize_line(line))));
    lines.extend(proposal.link.iter().map(|link| match &link.to {
        Some(to) => format!("    [[{}]] leads nowhere: [[{}]] instead", sanitize_line(&link.target), sanitize_line(to)),
        None => format!("    [[{}]] leads nowhere: its brackets are removed", sanitize_line(&link.target)),
    }));
    lines.extend(proposal.stays.iter().map(|line| format!("    {}", sanitize_line(line))));
    lines.extend(proposal.sources.iter().map(|line| format!("    since: {}", sanitize_line(line))));
    lines.join("\n")
}

fn line(settled: &DecideResponse) -> String {
    match &settled.line {
        Some(line) => format!("{}  {}", settled.status, one_line(line)),
        None if settled.status == "gone" => {
            format!("gone  {}: its line has changed since, nothing was done", sanitize_line(&settled.proposal))
        }
        None => format!("{}  {}", settled.status, sanitize_line(&settled.proposal)),
    }
}
