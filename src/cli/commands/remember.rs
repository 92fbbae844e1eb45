//! `tars remember`

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use crate::app::App;
use crate::cli::args::Remember;
use crate::cli::bullets::{BulletJson, LikeJson, beginning, one_line, place};
use crate::cli::{Outcome, human, json, prompt, terminal};
use crate::domain::MemoryType;
use crate::memory::{self, Bullet, Fact, Like, Overgrown, Relation, Stored};
use crate::service::Refusal;
use crate::vault::MemoryFolder;

#[derive(Serialize)]
struct Report {
    /// `added`, `replaced`, `known`, or `close`: not written, since nearly the same is there.
    status: &'static str,
    #[serde(flatten)]
    bullet: Option<BulletJson>,
    removed: Vec<&'static str>,
    near: Vec<LikeJson>,
    overgrown: Option<OvergrownJson>,
}

#[derive(Serialize)]
pub(super) struct OvergrownJson {
    path: String,
    lines: usize,
    tokens: usize,
    oldest: Vec<BulletJson>,
}

impl OvergrownJson {
    pub(super) fn new(folder: &MemoryFolder, overgrown: &Overgrown) -> Self {
        Self {
            path: folder.shown(&overgrown.file),
            lines: overgrown.lines,
            tokens: overgrown.tokens,
            oldest: overgrown.oldest.iter().map(|bullet| BulletJson::new(folder, bullet)).collect(),
        }
    }
}

/// What to do with a fact.
enum Choice {
    Add { force: bool },
    Replace(Box<Bullet>),
    Leave,
}

pub(in crate::cli) fn run(app: &App, args: &Remember) -> Result<Outcome> {
    let fact = Fact::new(args.memory_type, args.section.clone(), &prompt::text(&args.text, "text")?)?;
    let folder = app.memory_folder()?;
    let now = app.environment.clock.now().datetime();
    let (near, failure) = memory::consider(&folder, &fact, now.date(), || app.comparing_model())?;
    if let Some(failure) = failure {
        terminal::note(&format!("compared by words only: {failure}"));
    }
    let choice = match &args.replace {
        Some(id) => Choice::Replace(Box::new(named(&folder, id)?)),
        None if args.force => Choice::Add { force: true },
        None => choose(&folder, &near, args.json)?,
    };
    let (status, stored) = match choice {
        Choice::Leave => ("close", None),
        Choice::Add { force } => {
            let stored = memory::remember(&mut app.writer(&folder, "remember")?, &fact, &now, None, force)?;
            (if stored.known { "known" } else { "added" }, Some(stored))
        }
        Choice::Replace(old) => {
            let stored = memory::remember(&mut app.writer(&folder, "remember")?, &fact, &now, Some(&old), false)?;
            ("replaced", Some(stored))
        }
    };
    let overgrown = match &stored {
        // Days grow as long as they are.
        Some(stored) if !stored.known && fact.kind != MemoryType::Daily => {
            // The line is written: that its file cannot be looked at again is no failure.
            memory::overgrown(&folder, &stored.bullet.file).unwrap_or_else(|error| {
                terminal::note(&format!("not looked at how long the file is: {error}"));
                None
            })
        }
        _ => None,
    };
    report(&folder, args, &fact, status, stored.as_ref(), &near, overgrown.as_ref())?;
    Ok(if stored.is_some() { Outcome::Done } else { Outcome::Nothing })
}

/// Returns the one bullet that an id names.
pub(super) fn named(folder: &MemoryFolder, id: &str) -> Result<Bullet> {
    let all = memory::all(folder)?;
    let wanted = id.to_ascii_lowercase();
    let mut found: Vec<Bullet> = if wanted.len() < memory::SHORTEST_ID {
        Vec::new()
    } else {
        all.into_iter().filter(|bullet| bullet.id.starts_with(&wanted)).collect()
    };
    let hint = || "tars forget QUERY lists lines with their ids".to_owned();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Refusal { message: format!("no line of the memory folder has the id {id}"), hint: hint() }.into()),
        count => {
            Err(Refusal { message: format!("{count} lines have an id that begins with {id}"), hint: hint() }.into())
        }
    }
}

/// What is near is shown and decided upon by the person, where there is one. Else nothing that is nearly there is written,
/// while a contradiction is: what is new about it must not be lost.
fn choose(folder: &MemoryFolder, near: &[Like], json: bool) -> Result<Choice> {
    let Some(nearest) = near.first().filter(|like| like.relation != Relation::Equal) else {
        return Ok(Choice::Add { force: false });
    };
    if json || !prompt::is_possible() {
        let add = near.iter().all(|like| like.relation == Relation::Conflict);
        return Ok(if add { Choice::Add { force: false } } else { Choice::Leave });
    }
    say_near(folder, near);
    Ok(match prompt::choose("[a]dd it, [r]eplace the first of them, or [l]eave it?", &['a', 'r', 'l'])? {
        'a' => Choice::Add { force: true },
        'r' => Choice::Replace(Box::new(nearest.bullet.clone())),
        _ => Choice::Leave,
    })
}

fn say_near(folder: &MemoryFolder, near: &[Like]) {
    for like in near.iter().filter(|like| like.relation != Relation::Equal).take(3) {
        let word = match like.relation {
            Relation::Close => "nearly the same",
            _ => "says otherwise",
        };
        terminal::note(&format!("{word}: {}", one_line(folder, &like.bullet)));
    }
}

fn report(
    folder: &MemoryFolder,
    args: &Remember,
    fact: &Fact,
    status: &'static str,
    stored: Option<&Stored>,
    near: &[Like],
    overgrown: Option<&Overgrown>,
) -> Result<()> {
    let mut out = anstream::stdout().lock();
    if args.json {
        let report = Report {
            status,
            bullet: stored.map(|stored| BulletJson::new(folder, &stored.bullet)),
            removed: fact.removed.clone(),
            near: near.iter().map(|like| LikeJson::new(folder, like)).collect(),
            overgrown: overgrown.map(|overgrown| OvergrownJson::new(folder, overgrown)),
        };
        return json::line(&mut out, &report);
    }
    if !fact.removed.is_empty() {
        terminal::note(&format!("taken out before writing: {}", fact.removed.join(", ")));
    }
    match stored {
        Some(stored) => {
            let (place, id) = (place(folder, &stored.bullet), &stored.bullet.id);
            writeln!(out, "{status}  {place}  {id}  {}", beginning(&stored.bullet.text))?;
            if !prompt::is_possible() && status == "added" {
                say_near(folder, near);
            }
        }
        None if !prompt::is_possible() => {
            say_near(folder, near);
            terminal::note("nothing was written: add it with --force, or replace a line with --replace ID");
        }
        None => terminal::note("nothing was written"),
    }
    if let Some(overgrown) = overgrown {
        say_overgrown(folder, overgrown);
    }
    Ok(())
}

/// Says that a file is too long to be read at a glance, and what is oldest in it.
pub(super) fn say_overgrown(folder: &MemoryFolder, overgrown: &Overgrown) {
    let Overgrown { file, lines, tokens, oldest } = overgrown;
    let size = format!("{}, about {tokens} tokens", human::count(*lines, "line"));
    terminal::note(&format!("{} has grown long ({size}): tars tidy", folder.shown(file)));
    for bullet in oldest {
        terminal::note(&format!("oldest: {}", one_line(folder, bullet)));
    }
}
