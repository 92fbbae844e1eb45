//! `tars links`, `tars related`

use crate::args::{Links, Related};
use crate::format::note;
use crate::listing::{self, Listing, Row, wikilink};
use crate::{Outcome, last_answer, terminal};
use tars_service::{App, Backend, LinksRequest, ListedLink, RelatedNote, RelatedRequest, Result, Service};

pub(crate) fn run(app: &App, args: &Links) -> Result<Outcome> {
    let request = LinksRequest {
        name: last_answer::note_name(app, &args.note, false)?,
        back: args.back,
        collections: Vec::new(),
    };
    let answer = Service::new(app, Backend::Fallback).call(&request)?;
    let own = (answer.collection.clone(), answer.path.clone());
    let rows: Vec<Row> = answer.links.iter().map(|link| link_row(link, args.back, &own)).collect();
    let header = ["collection", "path", "line", "target", "dead", "text"];
    let items = &answer.links;
    listing::print(
        app,
        &args.shape,
        &Listing { answer: &answer, items, rows: &rows, header: &header, is_text_first: false },
    )?;
    if rows.is_empty() {
        let what = if args.back { "no other note links to" } else { "there is no link to a note in" };
        terminal::print_note(&format!("{what} {}", note(&answer.path, &answer.collection)));
        return Ok(Outcome::Nothing);
    }
    Ok(Outcome::Done)
}

/// Returns a link at the place that has it: in the named note, or in the note that links to it.
fn link_row(link: &ListedLink, back: bool, own: &(String, String)) -> Row {
    let ListedLink { collection, path, line, text, target, is_dead } = link;
    let other = collection.clone().zip(path.clone());
    let (text, remark) = match (back, &other) {
        (true, _) => (text.clone(), String::new()),
        (false, Some((_, path))) => (wikilink(path), String::new()),
        (false, None) if *is_dead => (target.clone(), "dead link".to_owned()),
        (false, None) => (target.clone(), String::new()),
    };
    Row {
        note: Some(if back { other.unwrap_or_default() } else { own.clone() }),
        line: Some(*line),
        text,
        remark,
        markdown: path.as_ref().map_or_else(|| format!("[[{target}]]"), |path| wikilink(path)),
        cells: vec![
            collection.clone().unwrap_or_default(),
            path.clone().unwrap_or_default(),
            line.to_string(),
            target.clone(),
            is_dead.to_string(),
            link.text.clone(),
        ],
        ..Row::default()
    }
}

/// `tars related`
pub(crate) fn related(app: &App, args: &Related) -> Result<Outcome> {
    let limit = args.limit.map(usize::from);
    let request =
        RelatedRequest { name: last_answer::note_name(app, &args.note, false)?, limit, collections: Vec::new() };
    let answer = Service::new(app, Backend::Fallback).call(&request)?;
    if let Some(degraded) = &answer.degraded {
        terminal::print_note(degraded);
    }
    let rows: Vec<Row> = answer.notes.iter().map(related_row).collect();
    let header = ["collection", "path", "line", "title", "score", "links_to_it", "linked_from_it"];
    let items = &answer.notes;
    listing::print(
        app,
        &args.shape,
        &Listing { answer: &answer, items, rows: &rows, header: &header, is_text_first: false },
    )?;
    if rows.is_empty() {
        terminal::print_note(&format!("no note is related to {}", note(&answer.path, &answer.collection)));
        return Ok(Outcome::Nothing);
    }
    Ok(Outcome::Done)
}

fn related_row(related: &RelatedNote) -> Row {
    let RelatedNote { collection, path, title, score, line, is_target, is_source } = related;
    let score = score.map(|score| format!("{score:.2}"));
    let said = [is_target.then_some("linked from it"), is_source.then_some("links to it"), score.as_deref()];
    Row {
        note: Some((collection.clone(), path.clone())),
        line: *line,
        text: title.clone(),
        remark: said.into_iter().flatten().collect::<Vec<_>>().join(", "),
        markdown: wikilink(path),
        cells: vec![
            collection.clone(),
            path.clone(),
            line.map(|line| line.to_string()).unwrap_or_default(),
            title.clone(),
            score.unwrap_or_default(),
            is_source.to_string(),
            is_target.to_string(),
        ],
        ..Row::default()
    }
}
