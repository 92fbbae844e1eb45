//! `tars context`

use std::io::Write;

use crate::args::Context;
use crate::snippet::cut;
use crate::terminal::sanitize_line;
use crate::times::ago;
use crate::{Outcome, format, json, terminal};
use tars_memory::CORE_TOKENS;
use tars_service::memory::{LayerFileView, LayersRequest};
use tars_service::{App, Backend, ContextRequest, Length, Result, Service};

pub(crate) fn run(app: &App, args: &Context) -> Result<Outcome> {
    if args.layers {
        return layers(app, args.json);
    }
    let words = || (!args.words.is_empty()).then(|| args.words.join(" "));
    let request = ContextRequest {
        query: args.query.clone().or_else(words),
        project: args.project.clone(),
        length: args.budget.map(|budget| Length::Tokens(budget as usize)),
        ..ContextRequest::default()
    };
    let answer = Service::new(app, Backend::Fallback).call(&request)?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &answer)?;
    } else {
        answer.warnings.iter().chain(&answer.degraded).for_each(|said| terminal::print_note(said));
        match &answer.block {
            Some(block) => writeln!(out, "{block}")?,
            None if request.query.is_some() => terminal::print_note("nothing relevant found"),
            None => terminal::print_note("nothing is remembered yet"),
        }
    }
    Ok(if answer.block.is_some() { Outcome::Done } else { Outcome::Nothing })
}

/// `tars context --layers`
fn layers(app: &App, as_json: bool) -> Result<Outcome> {
    let map = Service::new(app, Backend::Local).call(&LayersRequest {})?;
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, &map)?;
        return Ok(if map.layers.is_empty() { Outcome::Nothing } else { Outcome::Done });
    }
    map.warnings.iter().for_each(|said| terminal::print_note(said));
    let now = app.environment.clock.now();
    let width = terminal::columns_of(std::io::stdout()).unwrap_or(usize::MAX);
    for layer in &map.layers {
        writeln!(out, "{}", layer.layer)?;
        for LayerFileView { path, tokens, changed, holds } in &layer.files {
            let changed = changed.map_or_else(String::new, |time| ago(time, &now));
            let line =
                format!("  {}  {}  {changed}  {holds}", sanitize_line(path), format::pluralize(*tokens, "token"));
            writeln!(out, "{}", cut(line.trim_end(), width))?;
        }
        if layer.more > 0 {
            writeln!(out, "  … and {}", format::pluralize(layer.more, "more file"))?;
        }
    }
    if map.layers.is_empty() {
        terminal::print_note("nothing is remembered yet");
        return Ok(Outcome::Nothing);
    }
    warn_core_size(map.core_tokens);
    Ok(Outcome::Done)
}

/// Warns if Memory.md is too long for the start of every session.
pub(super) fn warn_core_size(tokens: usize) {
    if tokens > CORE_TOKENS {
        terminal::print_note(&format!(
            "Memory.md has {tokens} tokens, and every session begins with it; tars tidy --propose brings it below {CORE_TOKENS}"
        ));
    }
}
