//! `tars ask`: a search; with `--json-lines` requests of the service on standard input, responses on standard output, one JSON object per
//! line.

use std::io::{self, BufRead, Read, Write};

use serde::Serialize;

use super::search;
use crate::args::{Ask, ReachArg};
use crate::progress::Bar;
use crate::{Outcome, json, terminal};
use tars_service::{App, Backend, Context, Problem, Refusal, Request, Response, Result, Service};

/// Longest request, in bytes.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Response(Box<Response>),
    Failed { error: Problem },
}

pub(crate) fn run(app: &App, args: &Ask) -> Result<Outcome> {
    if !args.json_lines {
        let hint =
            "tars ask QUESTION searches; tars ask --json-lines answers the requests of programs on standard input";
        return search::run(app, &args.search, search::SearchCommand { mode: None, without_question: hint });
    }
    let reach = match args.reach {
        ReachArg::Fallback => Backend::Fallback,
        ReachArg::Local => Backend::Local,
        ReachArg::Daemon => Backend::Daemon,
    };
    // Only warnings, on standard error: a program needs no progress bar.
    let warnings = Bar::new(true);
    let service = Service::new(app, reach).with_observer(&warnings);
    let (mut input, mut outcome) = (io::stdin().lock(), Outcome::Done);
    let mut out = io::BufWriter::new(io::stdout().lock());
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_BYTES + 1).read_until(b'\n', &mut line).context("cannot read standard input")? == 0 {
            return Ok(outcome);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let is_whole = line.len() as u64 <= MAX_BYTES;
        if !is_whole && line.last() != Some(&b'\n') {
            input.skip_until(b'\n').context("cannot read standard input")?;
        }
        let answered = read(&line, is_whole).and_then(|request| service.call(&request));
        let answer = answered.map_or_else(
            |error| {
                outcome = Outcome::Partial;
                Answer::Failed { error: Problem::from(&error) }
            },
            |response| {
                // The JSON response does not contain the warnings.
                if let Response::Remember(remembered) = &response {
                    remembered.warnings.iter().for_each(|warning| terminal::print_note(warning));
                }
                Answer::Response(Box::new(response))
            },
        );
        json::line(&mut out, &answer)?;
        // A program that works line by line waits for each answer.
        out.flush()?;
        service.mark_stale();
    }
}

fn read(line: &[u8], is_whole: bool) -> Result<Request> {
    let hint = "one object a line, such as {\"search\":{\"query\":\"sourdough\"}}: see docs/json.md".to_owned();
    if !is_whole {
        return Err(Refusal { message: format!("a request is longer than {MAX_BYTES} bytes"), hint }.into());
    }
    serde_json::from_slice(line)
        .map_err(|error| Refusal { message: format!("not a request: {}", json::reason(&error)), hint }.into())
}
