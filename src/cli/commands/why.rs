//! `tars why`

use std::io::Write;

use jiff::tz::TimeZone;

use crate::args::Why;
use crate::terminal::sanitize_line;
use crate::{Outcome, format, json, snippet, terminal};
use tars_agent::recall::Occasion;
use tars_hook::current_session;
use tars_service::{App, Backend, MarkRequest, Result, Service, WhyEvent, WhyPiece, WhyRequest, WhyResponse};

/// Columns if the terminal's width is unknown, and the minimum.
const COLUMNS: usize = 80;
const MIN_COLUMNS: usize = 40;
/// Indent of everything but times and numbers.
const INDENT: &str = "       ";

pub(crate) fn run(app: &App, args: &Why) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let session = args.session.clone().or_else(|| current_session(app));
    let (numbers, helpful) = if args.helpful.is_empty() { (&args.not_helpful, false) } else { (&args.helpful, true) };
    if !numbers.is_empty() {
        return mark(&service, &MarkRequest { session, numbers: numbers.clone(), helpful }, args.json);
    }
    let found = service.call(&WhyRequest { session: session.clone() })?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &found)?;
    } else if let Some(known) = &found.session {
        let columns = terminal::columns_of(std::io::stdout()).unwrap_or(COLUMNS).max(MIN_COLUMNS);
        let page = Page { columns, zone: app.environment.clock.zone() };
        writeln!(out, "session {}", sanitize_line(known))?;
        page.print(&mut out, &found)?;
        if found.events.iter().any(|event| event.pieces.iter().any(|piece| !piece.always)) {
            terminal::print_note("tars why --helpful N, or --not-helpful N, says whether a line helped");
        }
    } else {
        terminal::print_note(&match (&args.session, session) {
            (Some(named), _) => format!("nothing was put before an agent in a session {}", sanitize_line(named)),
            (None, Some(_)) => "nothing was put before the agent in this session so far".to_owned(),
            (None, None) => "nothing was put before an agent so far".to_owned(),
        });
    }
    Ok(if found.session.is_some() { Outcome::Done } else { Outcome::Nothing })
}

fn mark(service: &Service<'_>, request: &MarkRequest, as_json: bool) -> Result<Outcome> {
    let marked = service.call(request)?;
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, &marked)?;
        return Ok(Outcome::Done);
    }
    for (number, line) in request.numbers.iter().zip(&marked.lines) {
        let word = if request.helpful { "helpful" } else { "not helpful" };
        writeln!(out, "{number} is marked as {word}: {}", snippet::cut(&sanitize_line(line), COLUMNS / 2))?;
    }
    Ok(Outcome::Done)
}

/// The layout of the output.
struct Page {
    columns: usize,
    zone: TimeZone,
}

impl Page {
    fn print(&self, out: &mut dyn Write, found: &WhyResponse) -> Result<()> {
        let mut day = None;
        for event in &found.events {
            let at = event.at.to_zoned(self.zone.clone());
            if day.replace(at.date()) != Some(at.date()) {
                writeln!(out, "\n{}", at.date())?;
            }
            let said = format!("{}  {}", at.strftime("%H:%M"), event_title(event));
            writeln!(out, "{}", snippet::cut(&said, self.columns))?;
            for piece in &event.pieces {
                self.piece(out, piece)?;
            }
            if event.pieces.is_empty() {
                writeln!(out, "{INDENT}nothing new was relevant")?;
            }
        }
        Ok(())
    }

    fn piece(&self, out: &mut dyn Write, piece: &WhyPiece) -> Result<()> {
        let (first, last) = (piece.start_line, piece.end_line);
        let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
        let place = format::place(&piece.path, &lines, &piece.collection);
        let used = piece.lines.iter().filter(|line| !line.used.is_empty()).count();
        let why = match piece.score {
            _ if piece.always && used > 0 => {
                format!("always shown, {} used", format::pluralize(used, "line"))
            }
            _ if piece.always => "always shown".to_owned(),
            Some(score) => format!("score {score:.2}"),
            None => "by date".to_owned(),
        };
        // The place opens the note, so the heading is shortened first.
        let room = self.columns - INDENT.len() - why.len() - 2;
        let place = snippet::cut_middle(&place, room);
        let left = room.saturating_sub(snippet::columns(&place) + 2);
        let heading = snippet::cut(&sanitize_line(&piece.heading), left);
        let between = if heading.is_empty() || left < 8 { String::new() } else { format!("  {heading}") };
        writeln!(out, "{INDENT}{place}{between}  {why}")?;
        for line in &piece.lines {
            let Some(number) = line.number else { continue };
            let used: Vec<&str> = line.used.iter().map(|used| used.as_str()).collect();
            let used = if used.is_empty() { String::new() } else { format!("[{}] ", used.join(", ")) };
            let text = snippet::cut(&format!("{used}{}", sanitize_line(&line.text)), self.columns - INDENT.len());
            writeln!(out, "{number:>5}  {text}")?;
            if let Some(origin) = &line.origin {
                let by = format!("by {}", sanitize_line(&origin.describe()));
                writeln!(out, "{INDENT}{}", snippet::cut(&by, self.columns - INDENT.len()))?;
            }
            if let Some(worth) = &line.worth {
                writeln!(out, "{INDENT}{}", snippet::cut(&worth.to_string(), self.columns - INDENT.len()))?;
            }
            if let Some(now) = &line.replaced_by {
                let now = format!("replaced since: {}", sanitize_line(now));
                writeln!(out, "{INDENT}{}", snippet::cut(&now, self.columns - INDENT.len()))?;
            }
        }
        Ok(())
    }
}

fn event_title(event: &WhyEvent) -> String {
    let question = sanitize_line(&event.question);
    match event.event {
        Occasion::SessionStart => "the session began or went on".to_owned(),
        Occasion::Helper => format!("for a subagent: {question}"),
        Occasion::Prompt if question.is_empty() => "a prompt without stored words".to_owned(),
        Occasion::Prompt => question,
    }
}
