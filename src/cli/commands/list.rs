//! `tars list`, `tars random`, `tars tags`

use std::path::Path;

use crate::args::{List, Random, Shape, Tags};
use crate::format::{pluralize, size};
use crate::listing::{self, Listing, Row, wikilink};
use crate::{Outcome, terminal};
use tars_service::{
    App, Backend, ListRequest, ListResponse, ListedNote, NoteSort, Result, Service, TagCount, TagTreeRequest,
};

pub(crate) fn run(app: &App, args: &List) -> Result<Outcome> {
    let request = ListRequest {
        query: args.words.join(" "),
        sort: args.order(),
        limit: args.limit.map(|limit| limit as usize),
        collections: args.collections.clone(),
        columns: args.columns.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect(),
    };
    show(app, &args.shape, &request)
}

/// `tars random`
pub(crate) fn random(app: &App, args: &Random) -> Result<Outcome> {
    let request = ListRequest {
        query: args.words.join(" "),
        sort: NoteSort::Random,
        limit: Some(args.limit as usize),
        ..ListRequest::default()
    };
    show(app, &args.shape, &request)
}

fn show(app: &App, shape: &Shape, request: &ListRequest) -> Result<Outcome> {
    let answer = Service::new(app, Backend::Fallback).call(request)?;
    answer.remarks.iter().for_each(|remark| terminal::print_note(remark));
    let rows: Vec<Row> = answer.notes.iter().map(|note| row(note, request)).collect();
    let mut header = vec!["collection", "path", "title", "type", "date", "modified", "size", "tags", "recalled"];
    header.extend(request.columns.iter().map(String::as_str));
    let ListResponse { notes, more, .. } = &answer;
    listing::print(
        app,
        shape,
        &Listing { answer: &answer, items: notes, rows: &rows, header: &header, is_text_first: false },
    )?;
    if notes.is_empty() {
        terminal::print_note("no note passes these filters");
        return Ok(Outcome::Nothing);
    }
    if *more > 0 && request.sort != NoteSort::Random {
        terminal::print_note(&format!("{} more; -n lists more", pluralize(*more, "note")));
    }
    Ok(Outcome::Done)
}

fn row(note: &ListedNote, ListRequest { sort, columns, .. }: &ListRequest) -> Row {
    let ListedNote { collection, path, title, memory_type, date, modified, size: bytes, tags, recalled, properties } =
        note;
    let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let date = date.map(|date| date.to_string());
    let said = match sort {
        NoteSort::Size => Some(size(*bytes)),
        NoteSort::Recalled => recalled.map(|count| format!("recalled {}", pluralize(count, "time"))),
        NoteSort::Name | NoteSort::Date | NoteSort::Random => date.clone(),
    };
    let values = |column: &String| properties.get(column).map(|values| values.join(", ")).unwrap_or_default();
    let tags_said: Vec<String> = tags.iter().map(|tag| format!("#{tag}")).collect();
    Row {
        note: Some((collection.clone(), path.clone())),
        line: None,
        text: if title == stem { String::new() } else { title.clone() },
        remark: said.into_iter().chain(tags_said).collect::<Vec<_>>().join(" "),
        markdown: wikilink(path),
        columns: columns.iter().map(&values).collect(),
        cells: [
            collection.clone(),
            path.clone(),
            title.clone(),
            memory_type.as_str().to_owned(),
            date.unwrap_or_default(),
            modified.to_string(),
            bytes.to_string(),
            tags.join(" "),
            recalled.map(|count| count.to_string()).unwrap_or_default(),
        ]
        .into_iter()
        .chain(columns.iter().map(&values))
        .collect(),
    }
}

/// `tars tags`
pub(crate) fn tags(app: &App, args: &Tags) -> Result<Outcome> {
    let request = TagTreeRequest { query: args.words.join(" "), collections: Vec::new() };
    let answer = Service::new(app, Backend::Fallback).call(&request)?;
    answer.remarks.iter().for_each(|remark| terminal::print_note(remark));
    let rows: Vec<Row> = answer.tags.iter().map(tag_row).collect();
    let header = ["tag", "notes", "own"];
    let items = &answer.tags;
    listing::print(
        app,
        &args.shape,
        &Listing { answer: &answer, items, rows: &rows, header: &header, is_text_first: true },
    )?;
    if rows.is_empty() {
        terminal::print_note("no note has a tag");
        return Ok(Outcome::Nothing);
    }
    Ok(Outcome::Done)
}

/// Returns a tag below the tag that it belongs to.
fn tag_row(count: &TagCount) -> Row {
    let TagCount { tag, notes, own } = count;
    let (above, name) = tag.rsplit_once('/').unwrap_or(("", tag));
    let depth = if above.is_empty() { 0 } else { above.matches('/').count() + 1 };
    let mark = if depth == 0 { "#" } else { "" };
    Row {
        text: format!("{}{mark}{name}", "  ".repeat(depth)),
        remark: notes.to_string(),
        markdown: format!("#{tag} ({notes})"),
        cells: vec![tag.clone(), notes.to_string(), own.to_string()],
        ..Row::default()
    }
}
