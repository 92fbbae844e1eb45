//! The list of proposals: `tars review`, `tars tidy --propose`

use std::io::Write;

use anyhow::Result;

use crate::cli::bullets::one_line;
use crate::cli::terminal::{clean, clean_line};
use crate::cli::{Outcome, human, json, prompt, terminal};
use tars_base::domain::SAID;
use tars_service::Service;
use tars_service::memory::{
    DecideRequest, DecideResponse, ProposalView, ProposalsRequest, ProposeJob, ProposeRequest, ProposeResponse,
    SettleProposalsRequest,
};

/// Runs a proposing job, and asks about the new proposals if a person is present.
pub(super) fn propose(service: &Service<'_>, job: ProposeJob, as_json: bool) -> Result<Outcome> {
    put_before(service, &service.call(&ProposeRequest { job })?, as_json)
}

/// Asks about the new proposals if a person is present, else prints them.
pub(super) fn put_before(service: &Service<'_>, response: &ProposeResponse, as_json: bool) -> Result<Outcome> {
    if as_json {
        json::line(&mut anstream::stdout().lock(), response)?;
        return Ok(Outcome::Done);
    }
    if let Some(problem) = &response.problem {
        tracing::warn!(target: SAID, "{problem}");
        response.hint.as_ref().inspect(|hint| terminal::note(&format!("try: {hint}")));
    }
    if response.proposals.is_empty() {
        terminal::note("there is nothing new to propose");
    } else if prompt::is_possible() {
        return go_through(service, &response.proposals);
    } else {
        show(&response.proposals)?;
        let count = human::count(response.proposals.len(), "proposal");
        terminal::note(&format!("{count} on the list: tick them in proposals.md, or run tars review in a terminal"));
    }
    Ok(Outcome::Done)
}

/// Prints the list.
pub(super) fn print(service: &Service<'_>, as_json: bool) -> Result<Outcome> {
    let listed = service.call(&ProposalsRequest {})?;
    if as_json {
        json::line(&mut anstream::stdout().lock(), &listed)?;
    } else if listed.is_empty() {
        terminal::note("the list of proposals is empty; tars review --propose and tars tidy --propose fill it");
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
        terminal::note("no box of the list is ticked");
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
pub(super) fn go_through(service: &Service<'_>, proposals: &[ProposalView]) -> Result<Outcome> {
    let mut settled = 0;
    for (index, proposal) in proposals.iter().enumerate() {
        eprint_line(&format!("\n{}/{}  {}", index + 1, proposals.len(), described(proposal)))?;
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
                    text.as_ref().map_or(Ok(()), |text| eprint_line(&format!("  {}", clean(text))))?;
                }
                'q' => return done(settled),
                _ => break None,
            }
        };
        if let Some(accept) = accept {
            eprint_line(&line(&service.call(&DecideRequest { id: proposal.id.clone(), accept, text })?))?;
            settled += 1;
        }
    }
    done(settled)
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
fn described(proposal: &ProposalView) -> String {
    let place = match proposal.section.as_str() {
        "" => clean_line(&proposal.path),
        section => clean_line(&format!("{}, {section}", proposal.path)),
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
        lines.extend(proposal.lines.iter().map(|line| format!("  - {}", clean_line(line))));
    }
    lines.extend(proposal.text.lines().map(|line| format!("  {mark} {}", clean_line(line))));
    lines.extend(proposal.link.iter().map(|link| match &link.to {
        Some(to) => format!("    [[{}]] leads nowhere: [[{}]] instead", clean_line(&link.target), clean_line(to)),
        None => format!("    [[{}]] leads nowhere: its brackets are removed", clean_line(&link.target)),
    }));
    lines.extend(proposal.stays.iter().map(|line| format!("    {}", clean_line(line))));
    lines.extend(proposal.sources.iter().map(|line| format!("    since: {}", clean_line(line))));
    lines.join("\n")
}

fn line(settled: &DecideResponse) -> String {
    match &settled.line {
        Some(line) => format!("{}  {}", settled.status, one_line(line)),
        None if settled.status == "gone" => {
            format!("gone  {}: its line has changed since, nothing was done", clean_line(&settled.proposal))
        }
        None => format!("{}  {}", settled.status, clean_line(&settled.proposal)),
    }
}

fn done(settled: usize) -> Result<Outcome> {
    terminal::note(&format!("settled {}", human::count(settled, "proposal")));
    Ok(Outcome::Done)
}

fn eprint_line(text: &str) -> Result<()> {
    writeln!(anstream::stderr().lock(), "{text}")?;
    Ok(())
}
