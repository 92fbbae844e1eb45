//! `tars context`

use std::io::Write;

use anyhow::Result;

use crate::app::App;
use crate::cli::args::Context;
use crate::cli::{Outcome, json, terminal};
use crate::service::{ContextRequest, Length, Reach, Service};

pub(in crate::cli) fn run(app: &App, args: &Context) -> Result<Outcome> {
    let words = || (!args.words.is_empty()).then(|| args.words.join(" "));
    let request = ContextRequest {
        query: args.query.clone().or_else(words),
        length: args.budget.map(|budget| Length::Tokens(budget as usize)),
        ..ContextRequest::default()
    };
    let answer = Service::new(app, Reach::Fallback).call(&request)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &answer)?;
    } else {
        answer.warnings.iter().chain(&answer.degraded).for_each(|said| terminal::note(said));
        match &answer.block {
            Some(block) => writeln!(out, "{block}")?,
            None if request.query.is_some() => terminal::note("nothing relevant found"),
            None => terminal::note("nothing is remembered yet"),
        }
    }
    Ok(if answer.block.is_some() { Outcome::Done } else { Outcome::Nothing })
}
