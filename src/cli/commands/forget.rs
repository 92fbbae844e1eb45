//! `tars forget`

use anyhow::Result;
use serde::Serialize;

use crate::app::App;
use crate::cli::args::Forget;
use crate::cli::bullets::{self, BulletJson};
use crate::cli::{Outcome, human, json, prompt, terminal};
use crate::memory::{self, Bullet};
use crate::service::Refusal;

#[derive(Serialize)]
struct Report {
    /// Lines that match.
    found: Vec<BulletJson>,
    /// Lines that were removed.
    removed: Vec<BulletJson>,
}

pub(in crate::cli) fn run(app: &App, args: &Forget) -> Result<Outcome> {
    let query = args.query.join(" ");
    let folder = app.memory_folder()?;
    let found = memory::find(&folder, &query)?;
    let mut out = anstream::stdout().lock();
    if found.is_empty() && !args.json {
        terminal::note(&format!("nothing in the memory folder says '{query}'"));
        return Ok(Outcome::Nothing);
    }
    let asking = !args.yes && !args.json && prompt::is_possible();
    if !args.json {
        bullets::list(&mut out, &folder, &found, asking && found.len() > 1)?;
    }
    let unwanted: Vec<Bullet> = if args.yes {
        if found.len() > 1 && !args.all {
            return Err(several(found.len()));
        }
        found.clone()
    } else if asking {
        chosen(&found)?
    } else {
        Vec::new()
    };
    let removed = match unwanted.is_empty() {
        true => Vec::new(),
        false => memory::remove(&mut app.writer(&folder, "forget")?, &unwanted)?,
    };
    if args.json {
        let list = |bullets: &[Bullet]| bullets.iter().map(|bullet| BulletJson::new(&folder, bullet)).collect();
        json::line(&mut out, &Report { found: list(&found), removed: list(&removed) })?;
    } else if removed.is_empty() {
        let next = if args.yes || asking { "" } else { ": remove a line with tars forget ID --yes" };
        terminal::note(&format!("nothing was removed{next}"));
    } else {
        terminal::note(&removed_note(removed.len()));
    }
    Ok(if removed.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// Says how many lines went, and how they come back.
pub(super) fn removed_note(count: usize) -> String {
    let them = if count == 1 { "it" } else { "them" };
    format!("removed {} (tars undo brings {them} back)", human::count(count, "line"))
}

fn several(count: usize) -> anyhow::Error {
    Refusal {
        message: format!("{count} lines match: nothing was removed"),
        hint: "tars forget ID --yes for one of them, or --all for all".into(),
    }
    .into()
}

/// Asks which of these lines are meant.
fn chosen(found: &[Bullet]) -> Result<Vec<Bullet>> {
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
            terminal::note(&format!("'{word}' is none of the numbers above: nothing was removed"));
            return Ok(Vec::new());
        };
        chosen.push(found[number - 1].clone());
    }
    Ok(chosen)
}
