//! `tars tasks`

use crate::args::Tasks;
use crate::format::pluralize;
use crate::listing::{self, Listing, Row, wikilink};
use crate::{Outcome, terminal};
use tars_service::{App, Backend, ListedTask, Result, Service, TaskSelection, TaskState, TasksRequest};

pub(crate) fn run(app: &App, args: &Tasks) -> Result<Outcome> {
    let state = match args.words.first().map(String::as_str) {
        Some("open") => Some(TaskSelection::Open),
        Some("done") => Some(TaskSelection::Done),
        Some("cancelled") => Some(TaskSelection::Cancelled),
        Some("all") => Some(TaskSelection::All),
        _ => None,
    };
    let words = &args.words[usize::from(state.is_some())..];
    let request = TasksRequest {
        query: words.join(" "),
        state: state.unwrap_or_default(),
        limit: args.limit.map(|limit| limit as usize),
        collections: args.collections.clone(),
    };
    let answer = Service::new(app, Backend::Fallback).call(&request)?;
    answer.remarks.iter().for_each(|remark| terminal::print_note(remark));
    let rows: Vec<Row> = answer.tasks.iter().map(row).collect();
    let header = [
        "collection",
        "path",
        "line",
        "state",
        "text",
        "due",
        "scheduled",
        "start",
        "created",
        "done",
        "cancelled",
        "recurrence",
        "priority",
    ];
    let items = &answer.tasks;
    listing::print(
        app,
        &args.shape,
        &Listing { answer: &answer, items, rows: &rows, header: &header, is_text_first: true },
    )?;
    if rows.is_empty() {
        let which = match request.state {
            TaskSelection::Open => "open ",
            TaskSelection::Done => "done ",
            TaskSelection::Cancelled => "cancelled ",
            TaskSelection::All => "",
        };
        terminal::print_note(&format!("there is no {which}task with these filters"));
        return Ok(Outcome::Nothing);
    }
    if answer.more > 0 {
        terminal::print_note(&format!("{} more; -n lists more", pluralize(answer.more, "task")));
    }
    Ok(Outcome::Done)
}

fn row(task: &ListedTask) -> Row {
    let ListedTask { collection, path, line, text, due, scheduled, start, created, done, cancelled, .. } = task;
    let (state, mark) = match task.state {
        TaskState::Open => ("open", ' '),
        TaskState::Done => ("done", 'x'),
        TaskState::Cancelled => ("cancelled", '-'),
    };
    let dates = [("due", due), ("scheduled", scheduled), ("starts", start), ("done", done), ("cancelled", cancelled)];
    let mut said: Vec<String> =
        dates.iter().filter_map(|(name, date)| date.map(|date| format!("{name} {date}"))).collect();
    said.extend(task.recurrence.clone());
    said.extend(task.priority.as_ref().map(|priority| format!("{priority} priority")));
    let said = said.join(", ");
    let behind = if said.is_empty() { String::new() } else { format!(" ({said})") };
    let cell = |date: &Option<jiff::civil::Date>| date.map(|date| date.to_string()).unwrap_or_default();
    Row {
        note: Some((collection.clone(), path.clone())),
        line: Some(*line),
        text: format!("[{mark}] {text}"),
        markdown: format!("[{mark}] {text}{behind} {}", wikilink(path)),
        remark: said,
        cells: vec![
            collection.clone(),
            path.clone(),
            line.to_string(),
            state.to_owned(),
            text.clone(),
            cell(due),
            cell(scheduled),
            cell(start),
            cell(created),
            cell(done),
            cell(cancelled),
            task.recurrence.clone().unwrap_or_default(),
            task.priority.clone().unwrap_or_default(),
        ],
        ..Row::default()
    }
}
