//! `tars daily`, `tars sessions`

use std::io::Write;

use jiff::civil::Date;

use crate::args::{Daily, Sessions, SessionsCommand, in_quotes};
use crate::format::{PATH, pluralize};
use crate::memory_lines::{beginning, one_line, report_removed};
use crate::snippet::{is_own_comment, wrap};
use crate::terminal::{sanitize, sanitize_line};
use crate::times::ago_of_local;
use crate::{Outcome, json, prompt, terminal};
use tars_service::memory::{
    DailyRequest, DailyResponse, DayFile, DayFiles, SessionLine, SessionRequest, SessionsRequest,
};
use tars_service::{App, Backend, Refusal, Result, Service};
use tars_text::markdown::{DayOrText, begins_with_day, day_or_text};

pub(crate) fn run(app: &App, args: &Daily) -> Result<Outcome> {
    let (day, append) = asked(args, app.environment.clock.today())?;
    if args.channel.is_some() && append.is_none() {
        let hint = "tars daily TEXT --channel NAME".to_owned();
        return Err(Refusal { message: "a channel belongs to a line to add, and there is none".into(), hint }.into());
    }
    let request = DailyRequest { day, append, channel: args.channel.clone() };
    match Service::new(app, Backend::Local).call(&request)? {
        DailyResponse::Day(day) => show_day(&day, args.json),
        added if args.json => {
            json::line(&mut anstream::stdout().lock(), &added)?;
            Ok(Outcome::Done)
        }
        DailyResponse::Added { line, removed } => {
            report_removed(&removed);
            let said = terminal::for_output(&format!("added  {}", one_line(&line)), 2);
            writeln!(anstream::stdout().lock(), "{said}")?;
            Ok(Outcome::Done)
        }
    }
}

/// Returns the day and the line to add that the words mean. Words that may be either are refused: a misspelt date must not be written down.
fn asked(args: &Daily, today: Date) -> Result<(Option<String>, Option<String>)> {
    let words = args.words.join(" ");
    if let Some(text) = &args.append {
        check(args, text)?;
        let text = prompt::read_text(std::slice::from_ref(text), "text")?;
        return Ok(((!args.words.is_empty()).then_some(words), Some(text)));
    }
    if args.words.is_empty() {
        return Ok((None, None));
    }
    if words == "-" {
        return Ok((None, Some(prompt::read_text(&args.words, "text")?)));
    }
    let add = format!("tars daily --append {}", in_quotes(&words));
    let (message, hint) = match day_or_text(&words, today) {
        DayOrText::Day(_) => return Ok((Some(words), None)),
        DayOrText::Unclear => (
            format!("'{words}' is no day"),
            format!("2026-11-17, 17.11.2026, yesterday, gestern or '3 days ago'; {add} adds these words"),
        ),
        DayOrText::Text => {
            let typed: Vec<&str> = args.words.iter().map(String::as_str).collect();
            if !begins_with_day(&typed, today) {
                return Ok((None, Some(words)));
            }
            let message = format!("it is not clear whether '{words}' begins with its day or is the text");
            (message, format!("{add}, or for that day: tars daily DATE --append TEXT"))
        }
    };
    Err(Refusal { message, hint }.into())
}

/// Refuses unquoted words after a text, so that none of them is parsed as a day: `--append Met yesterday`.
fn check(args: &Daily, text: &str) -> Result<()> {
    let is_whole = text == "-" || text.contains(char::is_whitespace);
    // The parsed arguments do not preserve the order.
    let typed = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let follows = typed.skip_while(|word| !word.starts_with("--append")).any(|word| args.words.contains(&word));
    if !follows || is_whole && args.words.len() == 1 {
        return Ok(());
    }
    let rest = args.words.join(" ");
    let message = format!("it is not clear whether '{rest}' is a day or belongs to the text '{text}'");
    let hint = "put the text in quotes, as in tars daily --append 'Met Ilse yesterday', and another day before it: tars daily \
                yesterday --append 'Met Ilse'";
    Err(Refusal { message, hint: hint.into() }.into())
}

/// Prints a day: the person's own notes, each under its path, then the log of tars. A log alone has no path.
fn show_day(day: &DayFiles, as_json: bool) -> Result<Outcome> {
    if day.notes.is_empty() && !as_json {
        return show(&day.log, false);
    }
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, day)?;
        let is_there = day.log.content.is_some() || !day.notes.is_empty();
        return Ok(if is_there { Outcome::Done } else { Outcome::Nothing });
    }
    for file in &day.notes {
        writeln!(out, "{PATH}{}{PATH:#}\n", sanitize_line(&file.path))?;
        content(&mut out, file.content.as_deref().unwrap_or_default())?;
        writeln!(out)?;
    }
    match &day.log.content {
        Some(log) => {
            writeln!(out, "{PATH}{}{PATH:#}\n", sanitize_line(&day.log.path))?;
            content(&mut out, log)?;
        }
        None => none_yet(&day.log),
    }
    Ok(Outcome::Done)
}

/// Prints a file of the memory folder: unchanged for a program; wrapped and without the comments of tars on a terminal.
fn show(file: &DayFile, as_json: bool) -> Result<Outcome> {
    let mut out = anstream::stdout().lock();
    match &file.content {
        _ if as_json => json::line(&mut out, file)?,
        Some(text) => content(&mut out, text)?,
        None => none_yet(file),
    }
    Ok(if file.content.is_some() { Outcome::Done } else { Outcome::Nothing })
}

fn none_yet(file: &DayFile) {
    terminal::print_note(&format!("there is no {} yet (tars daily TEXT begins one)", file.path));
}

fn content(out: &mut dyn Write, text: &str) -> Result<()> {
    let text = sanitize(text.trim_end());
    match terminal::columns_of(std::io::stdout()) {
        None => writeln!(out, "{text}")?,
        Some(columns) => {
            let lines = text.split('\n').filter(|line| !is_own_comment(line));
            for line in lines.flat_map(|line| wrap(line, columns)) {
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

pub(crate) fn sessions(app: &App, args: &Sessions) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    if let Some(SessionsCommand::Show { id }) = &args.command {
        return show(&service.call(&SessionRequest { id: id.clone() })?, false);
    }
    let request = SessionsRequest { query: args.query.join(" "), limit: Some(args.limit.into()), open: args.open };
    let found = service.call(&request)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &found)?;
    } else {
        let now = app.environment.clock.now();
        for session in &found {
            let began = session.began.map(|began| ago_of_local(began, &now)).unwrap_or_default();
            let client = session.client.map(|client| format!("{client}  ")).unwrap_or_default();
            let state = state(session);
            let line =
                format!("{began:<16}  {}  {client}{state}{}", sanitize_line(&session.id), beginning(&session.topic));
            writeln!(out, "{}", terminal::for_output(&line, 2))?;
        }
        if found.is_empty() {
            terminal::print_note(if args.open { "no unfinished session" } else { "no session log matches" });
        }
    }
    Ok(if found.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

/// Returns the project of an unfinished session and why it is unfinished; empty for other sessions.
fn state(session: &SessionLine) -> String {
    if session.unfinished.is_empty() {
        return String::new();
    }
    let reason = |reason: &&str| match *reason {
        "open_ends" => pluralize(session.open_ends.unwrap_or_default(), "open end"),
        other => other.replace('_', " "),
    };
    let reasons: Vec<String> = session.unfinished.iter().map(reason).collect();
    let project = session.project.as_deref().map(|name| format!("[{}] ", sanitize_line(name))).unwrap_or_default();
    format!("{project}({}) ", reasons.join(", "))
}
