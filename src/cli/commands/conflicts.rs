//! `tars conflicts`

use std::io::Write;

use anstyle::{AnsiColor, Style};

use crate::args::Conflicts;
use crate::format::{PATH, note, pluralize};
use crate::last_answer::{self, Place};
use crate::terminal::{self, sanitize_line};
use crate::{Outcome, json, prompt};
use tars_service::{
    App, Backend, ConflictsRequest, DiffLine, DiffSide, MergeCopyRequest, MergedNote, NoteCopy, PreviewMergeRequest,
    Refusal, Result, Service,
};

const FAINT: Style = Style::new().dimmed();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();

pub(crate) fn run(app: &App, args: &Conflicts) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let answer = service.call(&ConflictsRequest { name: args.words.join(" ") })?;
    answer.remarks.iter().for_each(|remark| terminal::print_note(remark));
    let mut out = anstream::stdout().lock();
    if args.json || args.format == "json" {
        json::line(&mut out, &answer)?;
        return Ok(if answer.copies.is_empty() { Outcome::Nothing } else { Outcome::Done });
    }
    if answer.copies.is_empty() {
        terminal::print_note("no conflict copy was found");
        return Ok(Outcome::Nothing);
    }
    if args.resolve {
        return resolve(&service, &answer.copies);
    }
    for (number, copy) in (1..).step_by(2).zip(&answer.copies) {
        print(&mut out, copy, number)?;
    }
    let places = answer.copies.iter().flat_map(|copy| [&copy.path, &copy.note].map(|path| (copy, path)));
    last_answer::keep(app, places.map(|(copy, path)| Place::of_note(copy.collection.clone(), path.clone(), Some(1))));
    if answer.more > 0 {
        terminal::print_note(&format!("{} more copies are not listed; name a note to see its copies", answer.more));
    }
    let mergeable = answer.copies.iter().filter(|copy| copy.can_merge).count();
    if mergeable > 0 {
        terminal::print_note(&format!("tars conflicts --resolve merges {mergeable} of them, in the memory folder"));
    }
    if mergeable < answer.copies.len() {
        terminal::print_note("tars open 1 opens the first copy and tars open 2 its note; tars changes neither of them");
    }
    Ok(Outcome::Done)
}

fn print(out: &mut dyn Write, copy: &NoteCopy, number: usize) -> Result<()> {
    let NoteCopy { collection, path, note: original, program, diff, more_lines, unreadable, .. } = copy;
    let (copied, noted) = (note(path, collection), note(original, collection));
    writeln!(out, "{FAINT}{number:>3}{FAINT:#}  {PATH}{copied}{PATH:#}  {FAINT}{program}{FAINT:#}")?;
    writeln!(out, "{FAINT}{:>3}{FAINT:#}  {PATH}{noted}{PATH:#}  {FAINT}its note{FAINT:#}", number + 1)?;
    match unreadable {
        Some(reason) => writeln!(out, "     {}", sanitize_line(reason))?,
        None if diff.is_empty() => writeln!(out, "     the texts are equal")?,
        None => print_diff(out, diff, *more_lines)?,
    }
    Ok(())
}

pub(super) fn print_diff(out: &mut dyn Write, diff: &[DiffLine], more: usize) -> Result<()> {
    let mut before: Option<&DiffLine> = None;
    for line in diff {
        let follows = before.is_none_or(|before| before.side != DiffSide::Both || line.line == before.line + 1);
        if line.side == DiffSide::Both && !follows {
            writeln!(out, "     {FAINT}…{FAINT:#}")?;
        }
        let (sign, style) = match line.side {
            DiffSide::Both => (' ', FAINT),
            DiffSide::Note => ('-', REMOVED),
            DiffSide::Copy => ('+', ADDED),
        };
        writeln!(out, "{FAINT}{:>6}{FAINT:#} {style}{sign} {}{style:#}", line.line, sanitize_line(&line.text))?;
        before = Some(line);
    }
    if more > 0 {
        writeln!(out, "       {FAINT}{} more{FAINT:#}", pluralize(more, "line"))?;
    }
    Ok(())
}

/// Shows each merge and carries out those that the person confirms.
fn resolve(service: &Service<'_>, copies: &[NoteCopy]) -> Result<Outcome> {
    let mergeable: Vec<&NoteCopy> = copies.iter().filter(|copy| copy.can_merge).collect();
    if mergeable.is_empty() {
        terminal::print_note(
            "none of the copies lies in the memory folder, the only place where tars writes: tars conflicts",
        );
        return Ok(Outcome::Nothing);
    }
    if !prompt::can_ask() {
        let message = "a merge needs a person who looks at it, and nobody can be asked here".to_owned();
        return Err(Refusal { message, hint: "tars conflicts --resolve in a terminal".into() }.into());
    }
    let mut merged: Vec<&str> = Vec::new();
    for copy in mergeable {
        // A merge of another copy has changed the note since.
        let again = match merged.contains(&copy.note.as_str()) {
            true => service.call(&ConflictsRequest { name: copy.path.clone() })?.copies,
            false => Vec::new(),
        };
        let found = again.iter().find(|one| (&one.collection, &one.path) == (&copy.collection, &copy.path));
        let (of, copy) = (copy.note.as_str(), found.unwrap_or(copy));
        let preview = service.call(&PreviewMergeRequest { copy: copy.clone() })?;
        prompt::show(&said(copy, &preview)?)?;
        if prompt::choose("write it so and remove the copy? [y/N]", &['y', 'n'])? != 'y' {
            continue;
        }
        match service.call(&MergeCopyRequest { copy: copy.clone() })? {
            true => merged.push(of),
            false => terminal::print_note(&format!("{} has changed meanwhile, and its copy stays", copy.note)),
        }
    }
    if merged.is_empty() {
        terminal::print_note("nothing was merged");
        return Ok(Outcome::Nothing);
    }
    terminal::print_note(&format!("merged {} of them (tars undo takes the last one back)", merged.len()));
    Ok(Outcome::Done)
}

/// Returns the question about a merge, with the lines that the note gains.
fn said(copy: &NoteCopy, preview: &MergedNote) -> Result<String> {
    let MergedNote { diff, more_lines, added, front_matter_error } = preview;
    let mut out = Vec::new();
    let (noted, copied) = (sanitize_line(&copy.note), sanitize_line(&copy.path));
    match added {
        0 => writeln!(out, "{noted} holds every line of {copied} already.")?,
        added => {
            writeln!(out, "{noted} gains {} from {copied}:", pluralize(*added, "line"))?;
            print_diff(&mut out, diff, *more_lines)?;
        }
    }
    if let Some(error) = front_matter_error {
        writeln!(out, "Its front matter would be invalid ({}): correct it afterwards.", sanitize_line(error))?;
    }
    Ok(String::from_utf8_lossy(&out).trim_end().to_owned())
}
