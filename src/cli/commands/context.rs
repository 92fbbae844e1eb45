//! `tars context`

use std::io::Write;

use anyhow::Result;

use crate::app::{App, CatchUp, ContextRequest};
use crate::cli::answers::Either;
use crate::cli::args::Context;
use crate::cli::json::{self, ContextJson};
use crate::cli::{Outcome, terminal};
use crate::injection::Budget;

pub(in crate::cli) fn run(app: &App, args: &Context) -> Result<Outcome> {
    let tokens = args.budget.map_or(app.settings.config.context.budget_tokens, |budget| budget as usize);
    let question = args.query.clone().or_else(|| (!args.words.is_empty()).then(|| args.words.join(" ")));
    let request = ContextRequest {
        query: question.as_deref(),
        memory: true,
        budget: Budget::of_tokens(tokens),
        today: jiff::Zoned::now().date(),
        project: None,
        skip: None,
    };
    let answer = app.context(&request, &Either::new(app, CatchUp::WordsAndVectors))?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &ContextJson::new(&answer))?;
    } else {
        answer.warnings.iter().chain(&answer.degraded).for_each(|said| terminal::note(said));
        match &answer.block {
            Some(block) => writeln!(out, "{block}")?,
            None if question.is_some() => terminal::note("nothing relevant found"),
            None => terminal::note("nothing is remembered yet"),
        }
    }
    Ok(if answer.block.is_some() { Outcome::Done } else { Outcome::Nothing })
}
