//! `tars pause`, `tars resume`

use std::io::Write;

use jiff::Zoned;

use crate::terminal::{self, sanitize_line};
use crate::{Outcome, args, json};
use tars_service::{App, Backend, Pause, PauseRequest, Result, ResumeRequest, Service};

/// Shown bytes of a session's id.
const SHORT: usize = 8;

pub(crate) fn run(app: &App, args: &args::Pause) -> Result<Outcome> {
    let here = tars_hook::current_session(app);
    let session = named(args.session.as_ref(), args.all, here.as_ref());
    let request = PauseRequest { session, seconds: args.length.map(|length| length.as_secs()) };
    let pause = Service::new(app, Backend::Local).call(&request)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &pause)?;
    } else {
        let (place, command) = described(&pause, here.as_deref(), &app.environment.clock.now());
        writeln!(out, "paused {place}")?;
        writeln!(out, "tars shows and notes nothing meanwhile; {command} ends that")?;
    }
    Ok(Outcome::Done)
}

pub(crate) fn resume(app: &App, args: &args::Resume) -> Result<Outcome> {
    let here = tars_hook::current_session(app);
    let session = named(args.session.as_ref(), args.all, here.as_ref());
    let response = Service::new(app, Backend::Local).call(&ResumeRequest { session: session.clone() })?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &response)?;
    } else {
        let name = name(session.as_deref(), here.as_deref());
        match response.resumed {
            true => writeln!(out, "resumed in {name}")?,
            false => terminal::print_note(&format!("there is no pause of {name}")),
        }
        // Pauses of other sessions do not concern this one.
        for pause in response.paused.iter().filter(|pause| pause.session.is_none() || session.is_none()) {
            let (place, command) = described(pause, here.as_deref(), &app.environment.clock.now());
            writeln!(out, "still paused {place}: {command} ends that")?;
        }
    }
    Ok(if response.resumed { Outcome::Done } else { Outcome::Nothing })
}

/// Returns the session to act on; `None` stands for all.
fn named(session: Option<&String>, all: bool, here: Option<&String>) -> Option<String> {
    session.or(here).filter(|_| !all).cloned()
}

/// Returns the place and the end of a pause, and the command that ends it. `here` is the session that this process runs in.
pub(super) fn described(pause: &Pause, here: Option<&str>, now: &Zoned) -> (String, String) {
    let session = pause.session.as_deref();
    let command = match session {
        _ if session == here => "tars resume".to_owned(),
        None => "tars resume --all".to_owned(),
        // A client's session id may be unsafe in a shell.
        Some(id) if is_plain(id) => format!("tars resume --session {}", short(id)),
        Some(_) => "tars resume --session ID".to_owned(),
    };
    (format!("in {}{}", name(session, here), pause.end(now)), command)
}

fn name(session: Option<&str>, here: Option<&str>) -> String {
    match session {
        None => "all sessions".to_owned(),
        Some(_) if session == here => "this session".to_owned(),
        Some(id) => format!("the session {}", sanitize_line(short(id))),
    }
}

/// Returns the beginning of a session's id, as in notes.
fn short(id: &str) -> &str {
    &id[..id.floor_char_boundary(SHORT)]
}

fn is_plain(id: &str) -> bool {
    !id.is_empty() && !id.starts_with('-') && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_described_with_the_command_that_ends_it() {
        let now: Zoned = "2026-11-22T18:00:00+01:00[+01:00]".parse().unwrap();
        let said = |session: Option<&str>, until: Option<&str>, here: Option<&str>| {
            let until = until.map(|until| until.parse().unwrap());
            let (place, command) =
                described(&Pause { session: session.map(str::to_owned), since: now.timestamp(), until }, here, &now);
            format!("{place}: {command}")
        };
        assert_eq!(said(None, None, None), "in all sessions: tars resume");
        assert_eq!(said(None, None, Some("a")), "in all sessions: tars resume --all");
        assert_eq!(
            said(Some("a"), Some("2026-11-22T19:30:00Z"), Some("a")),
            "in this session until 20:30: tars resume"
        );
        assert_eq!(
            said(Some("b"), Some("2026-11-23T19:30:00Z"), Some("a")),
            "in the session b until 2026-11-23 20:30: tars resume --session b"
        );
        assert!(said(Some("5e55b0a2-0c4e"), None, None).ends_with("tars resume --session 5e55b0a2"));
        let hostile = said(Some("$(x)\u{1b}[31m"), None, None);
        assert_eq!(hostile, "in the session $(x)\u{fffd}[31: tars resume --session ID");
        assert!(said(Some("--all"), None, None).ends_with("--session ID"));
    }
}
