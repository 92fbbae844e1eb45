//! `tars daily`, `tars sessions`

use std::io::Write;

use anyhow::Result;
use jiff::civil::Date;
use serde::Serialize;

use crate::app::App;
use crate::cli::args::{Daily, Sessions, SessionsCommand};
use crate::cli::bullets::{BulletJson, beginning, place};
use crate::cli::terminal::{clean, clean_line};
use crate::cli::times::ago_of_local;
use crate::cli::{Outcome, json, prompt, terminal};
use crate::domain::{DateRange, MemoryType};
use crate::markdown::named_period;
use crate::memory::{self, Fact, Session};
use crate::service::Refusal;
use crate::vault::MemoryFolder;

#[derive(Serialize)]
struct Day {
    path: String,
    content: Option<String>,
}

#[derive(Serialize)]
struct SessionJson<'a> {
    id: &'a str,
    path: String,
    began: Option<String>,
    topic: &'a str,
}

pub(in crate::cli) fn run(app: &App, args: &Daily) -> Result<Outcome> {
    let folder = app.memory_folder()?;
    let now = app.environment.clock.now().datetime();
    let day = day(args.day.as_deref(), now.date())?;
    let Some(text) = &args.append else {
        return show(&folder, &memory::daily_file(day), args.json);
    };
    let text = prompt::text(std::slice::from_ref(text), "text")?;
    let channel = args.channel.as_deref().map(|name| format!("[{}] ", clean_line(name.trim()))).unwrap_or_default();
    let said = Fact::new(MemoryType::Daily, None, &text)?;
    let fact = Fact { text: format!("{channel}{}", said.text), ..said };
    let mut writer = app.writer(&folder, "daily")?;
    let stored = match day == now.date() {
        true => memory::remember(&mut writer, &fact, &now, None, true)?,
        false => memory::remember_on(&mut writer, &fact, day)?,
    };
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &BulletJson::new(&folder, &stored.bullet))?;
    } else {
        if !fact.removed.is_empty() {
            terminal::note(&format!("taken out before writing: {}", fact.removed.join(", ")));
        }
        let bullet = &stored.bullet;
        writeln!(out, "added  {}  {}  {}", place(&folder, bullet), bullet.id, beginning(&bullet.text))?;
    }
    Ok(Outcome::Done)
}

fn day(word: Option<&str>, today: Date) -> Result<Date> {
    let Some(word) = word else { return Ok(today) };
    match named_period(word, today) {
        Some(DateRange { first, last }) if first == last => Ok(first),
        _ => Err(Refusal {
            message: format!("'{word}' is no day"),
            hint: "2026-11-17, 17.11.2026, yesterday, gestern or '3 days ago'".into(),
        }
        .into()),
    }
}

/// Prints a file of the memory folder as it stands.
fn show(folder: &MemoryFolder, file: &str, as_json: bool) -> Result<Outcome> {
    let content = folder.read(file)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let found = content.is_some();
    let mut out = anstream::stdout().lock();
    match content {
        content if as_json => json::line(&mut out, &Day { path: folder.shown(file), content })?,
        Some(content) => writeln!(out, "{}", clean(content.trim_end()))?,
        None => terminal::note(&format!("there is no {}", folder.shown(file))),
    }
    Ok(if found { Outcome::Done } else { Outcome::Nothing })
}

pub(in crate::cli) fn sessions(app: &App, args: &Sessions) -> Result<Outcome> {
    let folder = app.memory_folder()?;
    if let Some(SessionsCommand::Show { id }) = &args.command {
        return show_session(&folder, id);
    }
    let mut found = memory::sessions(&folder, &args.query.join(" "))?;
    found.truncate(args.limit.into());
    let now = app.environment.clock.now();
    let mut out = anstream::stdout().lock();
    if args.json {
        let list: Vec<SessionJson<'_>> = found.iter().map(|session| session_json(&folder, session)).collect();
        json::line(&mut out, &list)?;
    } else {
        for Session { id, began, topic, .. } in &found {
            let began = began.map(|began| ago_of_local(began, &now)).unwrap_or_default();
            writeln!(out, "{began:<16}  {}  {}", clean_line(id), beginning(topic))?;
        }
        if found.is_empty() {
            terminal::note("no session log matches");
        }
    }
    Ok(if found.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

fn session_json<'a>(folder: &MemoryFolder, session: &'a Session) -> SessionJson<'a> {
    SessionJson {
        id: &session.id,
        path: folder.shown(&session.file),
        began: session.began.map(|time| time.to_string()),
        topic: &session.topic,
    }
}

fn show_session(folder: &MemoryFolder, id: &str) -> Result<Outcome> {
    let found = memory::session(folder, id)?;
    match found.as_slice() {
        [session] => show(folder, &session.file, false),
        [] => Err(Refusal { message: format!("no session log is called {id}"), hint: "tars sessions".into() }.into()),
        several => {
            let ids: Vec<&str> = several.iter().take(5).map(|session| session.id.as_str()).collect();
            let message = format!("{} session logs begin with {id}: {}", several.len(), ids.join(", "));
            Err(Refusal { message, hint: format!("tars sessions show {}", ids[0]) }.into())
        }
    }
}
