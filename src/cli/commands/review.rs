//! `tars feedback`, `tars review`

use std::io::Write;

use anyhow::Result;
use jiff::civil::DateTime;
use serde::Serialize;

use crate::app::App;
use crate::cli::args::{FeedbackArgs, Promote, Review};
use crate::cli::bullets::{BulletJson, beginning, place};
use crate::cli::terminal::clean;
use crate::cli::{Outcome, human, json, prompt, terminal};
use crate::domain::MemoryType;
use crate::memory::{self, Fact, Feedback, Proposal, Settlement};
use crate::service::Refusal;
use crate::vault::MemoryFolder;

#[derive(Serialize)]
struct ProposalJson<'a> {
    source: &'static str,
    proposal: &'a str,
    #[serde(flatten)]
    bullet: BulletJson,
}

#[derive(Serialize)]
struct Settled {
    /// `promoted`, `known` or `dropped`.
    status: &'static str,
    #[serde(flatten)]
    bullet: Option<BulletJson>,
}

pub(in crate::cli) fn feedback(app: &App, args: &FeedbackArgs) -> Result<Outcome> {
    let feedback = if args.kind == "good" { Feedback::Good } else { Feedback::Wrong };
    let note = prompt::text(&args.note, "note")?;
    // Checks the text as any other that is remembered.
    let note = Fact::new(MemoryType::Semantic, None, &note)?;
    say_removed(&note);
    let folder = app.memory_folder()?;
    let now = app.environment.clock.now().datetime();
    let bullet = memory::feed_back(&mut app.writer(&folder, "feedback")?, feedback, &note.text, now)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &BulletJson::new(&folder, &bullet))?;
    } else {
        writeln!(out, "added  {}  {}  {}", place(&folder, &bullet), bullet.id, beginning(&bullet.text))?;
    }
    Ok(Outcome::Done)
}

pub(in crate::cli) fn run(app: &App, args: &Review) -> Result<Outcome> {
    let folder = app.memory_folder()?;
    let now = app.environment.clock.now().datetime();
    let waiting = memory::proposals(&folder)?;
    if let Some(id) = args.promote.as_ref().or(args.drop.as_ref()) {
        return settle_one(app, &folder, args, named(&waiting, id)?, now);
    }
    let mut out = anstream::stdout().lock();
    if args.json {
        let list: Vec<ProposalJson<'_>> = waiting.iter().map(|proposal| proposal_json(&folder, proposal)).collect();
        json::line(&mut out, &list)?;
    } else if waiting.is_empty() {
        terminal::note("nothing waits for a review");
    } else if prompt::is_possible() {
        drop(out);
        return go_through(app, &folder, &waiting, now);
    } else {
        for proposal in &waiting {
            let bullet = &proposal.bullet;
            let source = proposal.source.as_str();
            writeln!(out, "{source}  {}  {}  {}", place(&folder, bullet), bullet.id, beginning(&proposal.text))?;
        }
        terminal::note("settle each with --promote ID [--to procedural] or --drop ID, or run it in a terminal");
    }
    Ok(if waiting.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

fn proposal_json<'a>(folder: &MemoryFolder, proposal: &'a Proposal) -> ProposalJson<'a> {
    ProposalJson {
        source: proposal.source.as_str(),
        proposal: &proposal.text,
        bullet: BulletJson::new(folder, &proposal.bullet),
    }
}

fn named<'p>(waiting: &'p [Proposal], id: &str) -> Result<&'p Proposal> {
    let found: Vec<&Proposal> = waiting.iter().filter(|proposal| proposal.bullet.id.starts_with(id)).collect();
    match found.as_slice() {
        [one] if id.len() >= memory::SHORTEST_ID => Ok(one),
        _ => Err(Refusal {
            message: format!("no single line that waits for a review has the id {id}"),
            hint: "tars review --json".into(),
        }
        .into()),
    }
}

fn settle_one(app: &App, folder: &MemoryFolder, args: &Review, proposal: &Proposal, now: DateTime) -> Result<Outcome> {
    let settlement = match args.drop {
        Some(_) => Settlement::Drop,
        None => {
            let kind = match args.to {
                Promote::Semantic => MemoryType::Semantic,
                Promote::Procedural => MemoryType::Procedural,
            };
            let fact = Fact::new(kind, None, args.text.as_deref().unwrap_or(&proposal.text))?;
            say_removed(&fact);
            Settlement::Promote(fact)
        }
    };
    let archive = memory::archive(folder, now)?;
    let told = settle(app, folder, proposal, &settlement, &archive, now)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &told)?;
    } else {
        writeln!(out, "{}", told.line())?;
    }
    Ok(Outcome::Done)
}

impl Settled {
    fn line(&self) -> String {
        match &self.bullet {
            Some(bullet) => format!("{}  {}", self.status, bullet.line()),
            None => self.status.to_owned(),
        }
    }
}

fn settle(
    app: &App,
    folder: &MemoryFolder,
    proposal: &Proposal,
    settlement: &Settlement,
    archive: &str,
    now: DateTime,
) -> Result<Settled> {
    let stored = memory::settle(&mut app.writer(folder, "review")?, proposal, settlement, archive, now)?;
    let status = match &stored {
        Some(stored) if stored.known => "known",
        Some(_) => "promoted",
        None => "dropped",
    };
    Ok(Settled { status, bullet: stored.map(|stored| BulletJson::new(folder, &stored.bullet)) })
}

/// Asks about one proposal after the other.
fn go_through(app: &App, folder: &MemoryFolder, waiting: &[Proposal], now: DateTime) -> Result<Outcome> {
    let archive = memory::archive(folder, now)?;
    let mut settled = 0;
    for (index, proposal) in waiting.iter().enumerate() {
        let place = place(folder, &proposal.bullet);
        eprint_line(&format!("\n{}/{}  {}  {place}", index + 1, waiting.len(), proposal.source.as_str()))?;
        eprint_line(&format!("  {}", clean(&proposal.text).replace('\n', "\n  ")))?;
        let mut text = proposal.text.clone();
        let settlement = loop {
            match prompt::choose(
                "[m]emory, [p]rocedural, [e]dit, [d]rop, [q]uit, or [s]kip?",
                &['m', 'p', 'e', 'd', 'q', 's'],
            )? {
                'm' => break Some(Settlement::Promote(Fact::new(MemoryType::Semantic, None, &text)?)),
                'p' => break Some(Settlement::Promote(Fact::new(MemoryType::Procedural, None, &text)?)),
                'd' => break Some(Settlement::Drop),
                'q' => return done(settled),
                'e' => {
                    if let Some(edited) = prompt::ask("new text:")?.filter(|edited| !edited.is_empty()) {
                        text = edited;
                        eprint_line(&format!("  {}", clean(&text)))?;
                    }
                }
                _ => break None,
            }
        };
        if let Some(settlement) = settlement {
            eprint_line(&settle(app, folder, proposal, &settlement, &archive, now)?.line())?;
            settled += 1;
        }
    }
    done(settled)
}

fn say_removed(fact: &Fact) {
    if !fact.removed.is_empty() {
        terminal::note(&format!("taken out before writing: {}", fact.removed.join(", ")));
    }
}

fn done(settled: usize) -> Result<Outcome> {
    terminal::note(&format!("settled {}", human::count(settled, "line")));
    Ok(Outcome::Done)
}

fn eprint_line(text: &str) -> Result<()> {
    writeln!(anstream::stderr().lock(), "{text}")?;
    Ok(())
}
