//! `tars forget`

use super::forget_source;
use crate::args::Forget;
use crate::{Outcome, format, json, memory_lines, prompt, terminal};
use tars_service::memory::{ForgetRequest, MemoryLine, Remove};
use tars_service::{App, Backend, Result, Service};

pub(crate) fn run(app: &App, args: &Forget) -> Result<Outcome> {
    if args.query.is_empty() {
        return forget_source::run(app, args);
    }
    let service = Service::new(app, Backend::Local);
    let is_piped = args.query.len() == 1 && args.query[0] == "-";
    let query = prompt::read_text(&args.query, "text")?.trim().to_owned();
    let mut response = service.call(&ForgetRequest { query: query.clone(), remove: Remove::None })?;
    let mut out = anstream::stdout().lock();
    if response.found.is_empty() && !args.json {
        terminal::print_note(&format!("no line in the memory folder matches '{}'", terminal::sanitize_line(&query)));
        return Ok(Outcome::Nothing);
    }
    // Standard input that held the words cannot hold the answer.
    let asking = !args.yes && !args.json && !is_piped && prompt::can_ask();
    if !args.json {
        memory_lines::list(&mut out, &response.found, asking && response.found.len() > 1)?;
    }
    let remove = match (args.yes, args.all) {
        (true, true) => Remove::All,
        (true, false) => Remove::One,
        (false, _) if asking => Remove::Lines(chosen(&response.found)?),
        (false, _) => Remove::None,
    };
    if remove != Remove::None {
        response = service.call(&ForgetRequest { query, remove })?;
    }
    if args.json {
        json::line(&mut out, &response)?;
    } else if response.removed.is_empty() {
        let next = if args.yes || asking { "" } else { ": remove a line with tars forget ID --yes" };
        terminal::print_note(&format!("nothing was removed{next}"));
    } else {
        terminal::print_note(&removed_note(response.removed.len()));
    }
    Ok(if response.removed.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// Returns the message about the removal and its undo.
pub(super) fn removed_note(count: usize) -> String {
    let them = if count == 1 { "it" } else { "them" };
    format!("removed {} (tars undo brings {them} back)", format::pluralize(count, "line"))
}

/// Asks which of these lines to remove.
fn chosen(found: &[MemoryLine]) -> Result<Vec<MemoryLine>> {
    if found.len() == 1 {
        let yes = prompt::choose("remove this line? [y/N]", &['y', 'n'])? == 'y';
        return Ok(if yes { found.to_vec() } else { Vec::new() });
    }
    let Some(answer) = prompt::ask("remove which? numbers, 'all', or nothing:")? else { return Ok(Vec::new()) };
    if answer.eq_ignore_ascii_case("all") {
        return Ok(found.to_vec());
    }
    let mut chosen = Vec::new();
    for word in answer.split([' ', ',']).filter(|word| !word.is_empty()) {
        let number: Option<usize> = word.parse().ok().filter(|number| (1..=found.len()).contains(number));
        let Some(number) = number else {
            terminal::print_note(&format!("'{word}' is none of the numbers above: nothing was removed"));
            return Ok(Vec::new());
        };
        chosen.push(found[number - 1].clone());
    }
    Ok(chosen)
}
