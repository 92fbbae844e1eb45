//! Commands about the memory.

use std::collections::BTreeSet;

use jiff::ToSpan;
use jiff::civil::Date;

use super::super::tools::one_line;
use super::super::{Assistant, ChatFrontend};
use super::Reply;
use tars_base::domain::{Mode, pluralize, sanitize_line};
use tars_memory::{MEMORY, PROCEDURAL};
use tars_service::memory::{
    CaptureRequest, CompactRequest, DailyRequest, DailyResponse, DayFile, DayFiles, DecideRequest, ProposalsRequest,
    ProposeJob, ProposeRequest, RememberRequest, RememberStatus, SessionRequest, SessionsRequest, UndoRequest,
    WeekRequest,
};
use tars_service::{Refusal, Result, SearchRequest, Service};
use tars_text::redact::redact;

/// Maximum number of lines in each part of a brief.
const BRIEF: usize = 10;
/// Number of past days whose tasks count as overdue.
const OVERDUE: i32 = 7;
/// Number of sessions in a list.
const SESSIONS: usize = 10;
/// Days after the end of a month from which it is summed up.
const MONTH_OVER: u32 = 30;
/// Maximum number of characters of a line.
const LINE: usize = 160;

type Ran = Result<Reply>;

pub(super) fn remember(assistant: &mut Assistant<'_, '_>, text: &str, _: &mut dyn ChatFrontend) -> Ran {
    let request = RememberRequest { text: text.to_owned(), nearest: 0, ..RememberRequest::default() };
    let done = assistant.service.call(&request)?;
    let line = done.line.as_ref().or_else(|| done.near.first().map(|near| &near.line));
    let place = line.map_or_else(String::new, |line| one_line(&line.place(), 200));
    let said = match done.status {
        RememberStatus::Added => match done.near.first() {
            None => format!("Remembered: {place}"),
            Some(near) => {
                let (said, near) = (one_line(&near.line.text, LINE), one_line(&near.line.place(), 200));
                format!("Remembered: {place}\n\nThis line is near it, and may no longer be true:\n\n> {said}\n\n{near}")
            }
        },
        RememberStatus::Replaced => format!("Remembered, replacing the old line: {place}"),
        RememberStatus::Known => format!("Already remembered: {place}"),
        RememberStatus::Proposed => "Proposed: `tars review --proposals` lists it".to_owned(),
        RememberStatus::Close => {
            let near = line.map(|line| one_line(&line.text, LINE)).unwrap_or_default();
            format!("Nothing was written, because a nearly identical line exists:\n\n> {near}\n\n{place}")
        }
    };
    let removed = done.removed.iter().map(|kind| format!("\n\n*taken out before writing: {kind}*"));
    Reply::markdown(said + &removed.collect::<String>())
}

pub(super) fn memory(assistant: &mut Assistant<'_, '_>, _: &str, _: &mut dyn ChatFrontend) -> Ran {
    let folder = assistant.service.app().memory_folder()?;
    let mut said = Vec::new();
    for file in [MEMORY, PROCEDURAL] {
        if let Some(bytes) = folder.read(file)? {
            said.push(redact(String::from_utf8_lossy(&bytes).trim()).text.into_owned());
        }
    }
    if said.is_empty() {
        said.push("Nothing is remembered yet: /remember TEXT".into());
    }
    Reply::markdown(said.join("\n\n"))
}

pub(super) fn daily(assistant: &mut Assistant<'_, '_>, day: &str, _: &mut dyn ChatFrontend) -> Ran {
    let day = Some(day.to_owned()).filter(|day| !day.is_empty());
    let request = DailyRequest { day, ..DailyRequest::default() };
    match assistant.service.call(&request)? {
        DailyResponse::Day(DayFiles { log, notes }) if notes.is_empty() => {
            shown(&log, "Nothing was noted on that day.")
        }
        DailyResponse::Day(DayFiles { log, notes }) => {
            let files = notes.iter().chain(log.content.is_some().then_some(&log));
            let said =
                files.filter_map(|file| Some(format!("{}\n\n{}", one_line(&file.path, 200), content(file)?.trim())));
            Reply::markdown(said.collect::<Vec<_>>().join("\n\n"))
        }
        DailyResponse::Added { line, .. } => Reply::markdown(one_line(&line.text, LINE)),
    }
}

fn shown(file: &DayFile, nothing: &str) -> Ran {
    Reply::markdown(content(file).unwrap_or_else(|| nothing.to_owned()))
}

/// Returns the content of a file, without comments and secrets.
fn content(file: &DayFile) -> Option<String> {
    let lines = file.content.as_ref()?.lines().filter(|line| !line.trim_start().starts_with("<!--"));
    Some(redact(&lines.collect::<Vec<_>>().join("\n")).text.into_owned())
}

pub(super) fn note(assistant: &mut Assistant<'_, '_>, text: &str, _: &mut dyn ChatFrontend) -> Ran {
    let request = DailyRequest { append: Some(text.to_owned()), ..DailyRequest::default() };
    let said = match assistant.service.call(&request)? {
        DailyResponse::Added { line, .. } => format!("Noted: {}", one_line(&line.place(), 200)),
        DailyResponse::Day(day) => format!("Nothing was added to {}.", one_line(&day.log.path, 200)),
    };
    Reply::markdown(said)
}

pub(super) fn capture(assistant: &mut Assistant<'_, '_>, text: &str, _: &mut dyn ChatFrontend) -> Ran {
    let line = assistant.service.call(&CaptureRequest { text: text.to_owned() })?;
    Reply::markdown(format!("Captured: {}", one_line(&line.place(), 200)))
}

pub(super) fn brief(assistant: &mut Assistant<'_, '_>, _: &str, _: &mut dyn ChatFrontend) -> Ran {
    let service = assistant.service;
    let today = service.app().environment.clock.today();
    let mut said = vec![format!("# {}", today.strftime("%A, %Y-%m-%d"))];
    if let DailyResponse::Day(DayFiles { log: DayFile { content: Some(content), .. }, .. }) =
        service.call(&DailyRequest::default())?
    {
        let lines = content.lines().filter(|line| line.starts_with("- "));
        part(&mut said, "Today", lines.map(|line| line[2..].to_owned()).collect());
    }
    let week = service.call(&WeekRequest::default())?;
    part(&mut said, "Open", week.open.iter().map(|line| line.said.clone()).collect());
    part(&mut said, "Due", due(service, today)?);
    let lines = super::schedule::lines(assistant)?;
    part(&mut said, "Schedules", lines.iter().map(|line| line.trim_start_matches("- ").to_owned()).collect());
    if said.len() == 1 {
        said.push("Nothing is noted, open or due.".into());
    }
    Reply::markdown(redact(&said.join("\n\n")).text.into_owned())
}

/// Adds a heading with lines, if there are any.
fn part(said: &mut Vec<String>, heading: &str, lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    let more = lines.len().saturating_sub(BRIEF);
    let mut text = vec![format!("## {heading}")];
    text.extend(lines.iter().take(BRIEF).map(|line| format!("- {}", one_line(line, LINE))));
    if more > 0 {
        text.push(format!("- and {}", pluralize(more, "more line")));
    }
    said.push(text.join("\n"));
}

/// Returns the open tasks in notes that name today or one of the last days.
fn due(service: &Service<'_>, today: Date) -> Result<Vec<String>> {
    let mut found = BTreeSet::new();
    for back in 0..=OVERDUE {
        let day = today.saturating_sub(back.days()).to_string();
        let request = SearchRequest {
            query: format!("\"{day}\""),
            mode: Some(Mode::Keyword),
            limit: Some(30),
            min_score: Some(0.0),
            sync: back == 0,
            ..SearchRequest::default()
        };
        for hit in service.call(&request)?.results {
            let tasks = hit.content.lines().filter(|line| line.contains(&day));
            let open = tasks.filter_map(|line| line.trim_start().strip_prefix("- [ ] "));
            found.extend(open.map(|task| (day.clone(), sanitize_line(task.trim()))));
        }
    }
    Ok(found.into_iter().map(|(_, task)| task).collect())
}

pub(super) fn sessions(assistant: &mut Assistant<'_, '_>, query: &str, _: &mut dyn ChatFrontend) -> Ran {
    let request = SessionsRequest { query: query.to_owned(), limit: Some(SESSIONS), open: false };
    let found = assistant.service.call(&request)?;
    if found.is_empty() {
        return Reply::markdown("No session log matches.");
    }
    let line = |session: &tars_service::memory::SessionLine| {
        let began = session.began.map(|began| began.strftime("%Y-%m-%d %H:%M ").to_string()).unwrap_or_default();
        format!("- {began}`{}` {}", one_line(&session.id, 64), one_line(&session.topic, LINE))
    };
    Reply::markdown(found.iter().map(line).collect::<Vec<_>>().join("\n"))
}

pub(super) fn session(assistant: &mut Assistant<'_, '_>, query: &str, _: &mut dyn ChatFrontend) -> Ran {
    let request = SessionsRequest { query: query.to_owned(), limit: Some(1), open: false };
    let id =
        assistant.service.call(&request)?.into_iter().next().map_or_else(|| query.to_owned(), |session| session.id);
    shown(&assistant.service.call(&SessionRequest { id })?, "There is no such session.")
}

pub(super) fn review(assistant: &mut Assistant<'_, '_>, what: &str, _: &mut dyn ChatFrontend) -> Ran {
    let words: Vec<&str> = what.split_whitespace().collect();
    let accept = match words.as_slice() {
        [] => return propose(assistant, ProposeJob::Review),
        ["accept" | "yes", id] => Some((true, *id)),
        ["refuse" | "no", id] => Some((false, *id)),
        _ => None,
    };
    let Some((accept, id)) = accept else {
        let message = "/review takes accept ID, refuse ID, or nothing".to_owned();
        return Err(Refusal { message, hint: "/review".into() }.into());
    };
    let done = assistant.service.call(&DecideRequest { id: id.to_owned(), accept, text: None })?;
    Reply::markdown(format!("{}: {}", done.status, one_line(&done.proposal, LINE)))
}

pub(super) fn tidy(assistant: &mut Assistant<'_, '_>, _: &str, _: &mut dyn ChatFrontend) -> Ran {
    propose(assistant, ProposeJob::Tidy)
}

fn propose(assistant: &Assistant<'_, '_>, job: ProposeJob) -> Ran {
    let made = assistant.service.call(&ProposeRequest { job })?;
    let open = assistant.service.call(&ProposalsRequest {})?;
    let mut said: Vec<String> = made.problem.iter().map(|problem| format!("*{}*", one_line(problem, LINE))).collect();
    let lines: Vec<String> = open
        .iter()
        .filter(|proposal| proposal.word == "open")
        .map(|proposal| {
            format!(
                "- `{}` {} {}: {}",
                proposal.id,
                proposal.change,
                one_line(&proposal.path, 80),
                one_line(&proposal.text, LINE)
            )
        })
        .collect();
    match lines.is_empty() {
        true => said.push("Nothing is proposed.".into()),
        false => {
            said.push(lines.join("\n"));
            said.push("/review accept ID, or /review refuse ID".into());
        }
    }
    Reply::markdown(said.join("\n\n"))
}

pub(super) fn compact(assistant: &mut Assistant<'_, '_>, _: &str, _: &mut dyn ChatFrontend) -> Ran {
    let request = CompactRequest { month: None, older_than_days: Some(MONTH_OVER), is_moved: false, dry_run: false };
    let done = assistant.service.call(&request)?;
    let mut said: Vec<String> = done
        .months
        .iter()
        .map(|month| format!("- {}: summed up in {}", month.month, one_line(&month.path, 200)))
        .collect();
    said.extend(done.left.iter().map(|month| format!("- {}: {}", month.month, one_line(month.reason, LINE))));
    said.extend(done.stopped.map(|problem| format!("- stopped: {}", one_line(&problem.message, LINE))));
    if said.is_empty() {
        said.push("There is no month to sum up.".into());
    }
    Reply::markdown(said.join("\n"))
}

pub(super) fn undo(assistant: &mut Assistant<'_, '_>, _: &str, _: &mut dyn ChatFrontend) -> Ran {
    let done = assistant.service.call(&UndoRequest::default())?;
    let mut said: Vec<String> = done
        .undone
        .iter()
        .map(|write| format!("- {}: taken back in {}", write.command, one_line(&write.path, 200)))
        .collect();
    if let Some(refused) = &done.refused {
        said.push(format!("- {} was changed since, so it was left unchanged", one_line(&refused.path, 200)));
    }
    if said.is_empty() {
        said.push("There is nothing to take back.".into());
    }
    Reply::markdown(said.join("\n"))
}
