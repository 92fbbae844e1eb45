//! `tars tidy`, `tars audit`

use std::io::Write;

use anyhow::Result;
use serde::Serialize;

use super::forget::removed_note;
use super::remember::{OvergrownJson, say_overgrown};
use crate::app::App;
use crate::cli::args::{Audit, Tidy};
use crate::cli::bullets::{BulletJson, one_line};
use crate::cli::terminal::clean_line;
use crate::cli::{Outcome, human, json, prompt, terminal};
use crate::memory::{self, Bullet, Finding};
use crate::vault::MemoryFolder;

#[derive(Serialize)]
struct FindingJson {
    kind: &'static str,
    /// The line that could go.
    #[serde(skip_serializing_if = "Option::is_none")]
    remove: Option<BulletJson>,
    /// The line that stays, or both lines of a conflict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<BulletJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<LinkJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overgrown: Option<OvergrownJson>,
}

#[derive(Serialize)]
struct LinkJson {
    path: String,
    line: usize,
    target: String,
}

#[derive(Serialize)]
struct Report {
    findings: Vec<FindingJson>,
    removed: Vec<BulletJson>,
}

pub(in crate::cli) fn run(app: &App, args: &Tidy) -> Result<Outcome> {
    let folder = app.memory_folder()?;
    let findings = memory::tidy(&folder, &app.note_paths(&folder)?)?;
    let mut unwanted: Vec<Bullet> = Vec::new();
    for finding in &findings {
        if !args.json {
            show(&folder, finding)?;
        }
        if let Some(bullet) = finding.removal()
            && (args.yes
                || (!args.json
                    && prompt::is_possible()
                    && prompt::choose("remove the line marked with '-'? [y/N]", &['y', 'n'])? == 'y'))
        {
            unwanted.push(bullet.clone());
        }
    }
    let removed = match unwanted.is_empty() {
        true => Vec::new(),
        false => memory::remove(&mut app.writer(&folder, "tidy")?, &unwanted)?,
    };
    if args.json {
        let report = Report {
            findings: findings.iter().map(|finding| finding_json(&folder, finding)).collect(),
            removed: removed.iter().map(|bullet| BulletJson::new(&folder, bullet)).collect(),
        };
        json::line(&mut anstream::stdout().lock(), &report)?;
    } else if findings.is_empty() {
        terminal::note("the memory folder is tidy");
    } else if !removed.is_empty() {
        terminal::note(&removed_note(removed.len()));
    } else if !prompt::is_possible() && findings.iter().any(|finding| finding.removal().is_some()) {
        terminal::note("nothing was removed: --yes removes every line marked with '-'");
    }
    Ok(Outcome::Done)
}

fn show(folder: &MemoryFolder, finding: &Finding) -> Result<()> {
    let mut out = anstream::stdout().lock();
    match finding {
        Finding::Duplicate { kept, removed } => pair(&mut out, folder, "says the same", kept, removed)?,
        Finding::Close { kept, removed } => pair(&mut out, folder, "says nearly the same", kept, removed)?,
        Finding::Superseded { kept, removed } => pair(&mut out, folder, "is older than", kept, removed)?,
        Finding::Conflict { one, other } => {
            writeln!(out, "contradict each other:")?;
            writeln!(out, "  {}", one_line(folder, one))?;
            writeln!(out, "  {}", one_line(folder, other))?;
        }
        Finding::BrokenLink { file, line, target } => {
            let place = clean_line(&format!("{}:{line}", folder.shown(file)));
            writeln!(out, "leads nowhere:\n  {place}  [[{}]]", clean_line(target))?;
        }
        Finding::Overgrown(overgrown) => say_overgrown(folder, overgrown),
    }
    Ok(())
}

fn pair(out: &mut dyn Write, folder: &MemoryFolder, word: &str, kept: &Bullet, removed: &Bullet) -> Result<()> {
    writeln!(out, "{word}:")?;
    writeln!(out, "- {}", one_line(folder, removed))?;
    writeln!(out, "  {}", one_line(folder, kept))?;
    Ok(())
}

fn finding_json(folder: &MemoryFolder, finding: &Finding) -> FindingJson {
    let bullet = |bullet: &Bullet| BulletJson::new(folder, bullet);
    let mut told = FindingJson {
        kind: finding.as_str(),
        remove: finding.removal().map(bullet),
        lines: Vec::new(),
        link: None,
        overgrown: None,
    };
    match finding {
        Finding::Duplicate { kept, .. } | Finding::Close { kept, .. } | Finding::Superseded { kept, .. } => {
            told.lines.push(bullet(kept));
        }
        Finding::Conflict { one, other } => told.lines.extend([bullet(one), bullet(other)]),
        Finding::BrokenLink { file, line, target } => {
            told.link = Some(LinkJson { path: folder.shown(file), line: *line, target: target.clone() });
        }
        Finding::Overgrown(overgrown) => told.overgrown = Some(OvergrownJson::new(folder, overgrown)),
    }
    told
}

pub(in crate::cli) fn audit(app: &App, args: &Audit) -> Result<Outcome> {
    let found = app.audit()?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &found)?;
    } else {
        for leak in &found {
            let line = if leak.line > 0 { format!(":{}", leak.line) } else { String::new() };
            let place = clean_line(&format!("{}{line}", leak.path));
            writeln!(out, "{}  {place}  {}", leak.place.as_str(), leak.kind)?;
        }
        match found.is_empty() {
            true => terminal::note("no secret was found in the memory folder, the index or the names of notes"),
            false => terminal::note(&format!(
                "found {}: take them out of the files and their names, then run tars index",
                human::count(found.len(), "secret")
            )),
        }
    }
    // As with `tars doctor`: what was looked for are faults, and having none is the good end.
    Ok(if found.is_empty() { Outcome::Done } else { Outcome::Nothing })
}
