//! `tars schedule`

use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use jiff::Zoned;
use serde::Serialize;

use crate::args::{AddSchedule, Schedule};
use crate::snippet::cut;
use crate::terminal::{self, sanitize_line};
use crate::times::ago;
use crate::{Outcome, format, json, prompt};
use tars_base::private;
use tars_config::schedule::{LastRun, ScheduleStatus, in_words, read_import, schedule_statuses};
use tars_config::{Delivery, ScheduleSettings, UserFile};
use tars_service::{App, Context, Result, failure};

/// Width of the output without a terminal.
const WIDTH: usize = 80;
/// Largest file of schedules that is read, in bytes.
const MAX_IMPORT_BYTES: u64 = 1 << 20;

pub(crate) fn run(app: &App, args: &Schedule) -> Result<Outcome> {
    let file = || UserFile::locate(&app.environment);
    match args {
        Schedule::List { json } => list(app, *json),
        Schedule::Add(add) => {
            let schedule = added(add);
            file()?.add_schedule(&schedule)?;
            writeln!(anstream::stdout(), "added {}: {}", schedule.name, in_words(&schedule.when))?;
            Ok(Outcome::Done)
        }
        Schedule::Import { file: from, yes } => import(app, from, *yes),
        Schedule::Remove { name } => found(file()?.remove_schedule(name)?, name, "removed"),
        Schedule::Enable { name } => found(file()?.enable_schedule(name, true)?, name, "switched on"),
        Schedule::Disable { name } => found(file()?.enable_schedule(name, false)?, name, "switched off"),
    }
}

fn found(is_there: bool, name: &str, done: &str) -> Result<Outcome> {
    if !is_there {
        terminal::print_note(&format!("there is no schedule '{}': tars schedule list shows all", sanitize_line(name)));
        return Ok(Outcome::Nothing);
    }
    writeln!(anstream::stdout(), "{done} {name}")?;
    Ok(Outcome::Done)
}

fn added(args: &AddSchedule) -> ScheduleSettings {
    let mut deliver: Vec<Delivery> = Vec::new();
    for one in &args.deliver {
        if !deliver.contains(one) {
            deliver.push(*one);
        }
    }
    ScheduleSettings {
        name: args.name.clone(),
        when: args.at.clone().or_else(|| args.cron.clone()).expect("clap asks for one of them"),
        action: args.action.clone(),
        deliver,
        command: args.command.clone(),
        url: args.url.clone(),
        token_env: args.token_env.clone(),
        enabled: true,
        timeout: Duration::from_secs(args.timeout),
    }
}

#[derive(Serialize)]
struct ScheduleJson {
    name: String,
    at: Option<String>,
    cron: Option<String>,
    when: String,
    action: String,
    deliver: Vec<&'static str>,
    enabled: bool,
    next: Option<String>,
    last: Option<LastJson>,
}

#[derive(Serialize)]
struct LastJson {
    started: String,
    ended: Option<String>,
    ok: Option<bool>,
    result: Option<String>,
}

fn list(app: &App, is_json: bool) -> Result<Outcome> {
    let now = app.environment.clock.now();
    let schedules = schedule_statuses(&app.settings.config.data.dir, &app.settings.schedules, &now)?;
    let mut out = anstream::stdout().lock();
    if is_json {
        json::line(&mut out, &schedules.iter().map(schedule_json).collect::<Vec<_>>())?;
    } else {
        let width = terminal::columns_of(std::io::stdout()).unwrap_or(WIDTH);
        for line in schedules.iter().flat_map(|one| lines(one, &now)) {
            writeln!(out, "{}", cut(&sanitize_line(&line), width))?;
        }
        if schedules.is_empty() {
            terminal::print_note(
                "there are no schedules; to add one: tars schedule add brief --at 07:30 --action /brief",
            );
        }
    }
    Ok(if schedules.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

fn schedule_json(status: &ScheduleStatus) -> ScheduleJson {
    let schedule = &status.schedule;
    let (key, value) = schedule.when.setting();
    let setting = |wanted: &str| (key == wanted).then(|| value.clone());
    ScheduleJson {
        name: schedule.name.clone(),
        at: setting("at"),
        cron: setting("cron"),
        when: in_words(&schedule.when),
        action: schedule.action.clone(),
        deliver: schedule.deliver.iter().map(|one| one.as_str()).collect(),
        enabled: schedule.enabled,
        next: status.next.as_ref().map(|next| next.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()),
        last: status.last.as_ref().map(|last| LastJson {
            started: last.started.to_string(),
            ended: last.ended.map(|ended| ended.to_string()),
            ok: last.result.as_ref().map(|result| result.ok),
            result: last.result.as_ref().map(|result| result.line.clone()),
        }),
    }
}

/// Formats a schedule for people: name and times, action, next run, last run.
fn lines(status: &ScheduleStatus, now: &Zoned) -> Vec<String> {
    let schedule = &status.schedule;
    let next = match &status.next {
        None => "switched off".to_owned(),
        Some(next) if next <= now => "due now".to_owned(),
        Some(next) => next.strftime("%a %Y-%m-%d %H:%M").to_string(),
    };
    let mut lines = vec![
        format!("{}  {}", schedule.name, in_words(&schedule.when)),
        format!("  does  {}", schedule.action),
        format!("  next  {next}"),
    ];
    lines.extend(status.last.as_ref().map(|last| format!("  last  {}", last_run_text(last, now))));
    lines
}

fn last_run_text(last: &LastRun, now: &Zoned) -> String {
    let when = ago(last.started, now);
    match &last.result {
        None => format!("{when}: running"),
        Some(result) if result.ok && result.line.is_empty() => format!("{when}: ok, nothing to tell"),
        Some(result) if result.ok => format!("{when}: ok: {}", result.line),
        Some(result) => format!("{when}: failed: {}", result.line),
    }
}

fn import(app: &App, path: &Path, yes: bool) -> Result<Outcome> {
    let shown = path.display();
    let mut bytes = Vec::new();
    let file = private::open_untrusted_path(path).with_context(|| format!("cannot read {shown}"))?;
    file.take(MAX_IMPORT_BYTES + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() as u64 > MAX_IMPORT_BYTES {
        return Err(failure!("{shown} is longer than {MAX_IMPORT_BYTES} bytes, so it is not a list of schedules"));
    }
    let taken: Vec<&str> = app.settings.schedules.iter().map(|schedule| schedule.name.as_str()).collect();
    let import = read_import(&String::from_utf8_lossy(&bytes), &taken)
        .map_err(|reason| failure!("{shown} is not a list of schedules: {reason}"))?;
    let mut out = anstream::stdout().lock();
    for schedule in &import.schedules {
        let deliver: Vec<&str> = schedule.deliver.iter().map(|one| one.as_str()).collect();
        let off = if schedule.enabled { "" } else { ", switched off" };
        writeln!(out, "{}  {}{off}", schedule.name, in_words(&schedule.when))?;
        writeln!(out, "  does  {}", terminal::for_output(&sanitize_line(&schedule.action), 8))?;
        writeln!(out, "  to    {}", deliver.join(", "))?;
    }
    import.notes.iter().for_each(|note| terminal::print_note(note));
    let count = format::pluralize(import.schedules.len(), "schedule");
    if import.schedules.is_empty() {
        terminal::print_note("there is nothing to add");
        return Ok(Outcome::Nothing);
    }
    let is_asked = !yes && prompt::can_ask();
    let is_wanted = yes || is_asked && prompt::choose(&format!("add {count}? [y/N]"), &['y', 'n'])? == 'y';
    if !is_wanted {
        let how = if is_asked { "" } else { ": --yes adds what is shown" };
        terminal::print_note(&format!("nothing was written{how}"));
        return Ok(Outcome::Nothing);
    }
    UserFile::locate(&app.environment)?.add_schedules(&import.schedules)?;
    terminal::print_note(&format!("added {count}: tars schedule list shows when they run"));
    Ok(Outcome::Done)
}
