//! `tars search`, `tars sgrep`, `tars svec`

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use serde_json::Value;

use crate::args::{MinScore, Search, SearchFormat};
use crate::json::BatchLine;
use crate::last_answer::{self, Place};
use crate::{Outcome, explain, format, json, pager, terminal};
use tars_agent::project::Project;
use tars_base::domain::{Hit, Mode, QuerySyntax, Relevance};
use tars_config::Origin;
use tars_engine::search::SearchError;
use tars_service::{App, Backend, Context, Refusal, Result, SearchRequest, SearchResponse, Service, budget_hits};
use tars_ui::is_of_one_word;

/// Longest question on standard input, in bytes.
const MAX_QUERY: u64 = 1 << 20;

/// The command that searches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchCommand {
    /// The mode that it stands for, whatever the options say.
    pub(crate) mode: Option<Mode>,
    /// How to use it, for a person who typed no question.
    pub(crate) without_question: &'static str,
}

impl Default for SearchCommand {
    fn default() -> Self {
        let hint =
            "tars search QUESTION, tars search '#TAG' in quotes, or a filter alone: tars search --since yesterday";
        Self { mode: None, without_question: hint }
    }
}

impl SearchCommand {
    /// Returns the command that searches in one mode only.
    pub(crate) fn of(mode: Mode) -> Self {
        Self { mode: Some(mode), ..Self::default() }
    }
}

pub(crate) fn run(app: &App, args: &Search, asked: SearchCommand) -> Result<Outcome> {
    let template = template(app, args, asked.mode);
    if let Some(file) = &args.batch {
        // The index and the model are opened once for all questions.
        return batch(&Service::new(app, Backend::Local), args, &template, file);
    }
    let query = text(args)?;
    if query.trim().is_empty() && args.words.is_empty() && !narrows(args) {
        let hint = asked.without_question.to_owned();
        return Err(Refusal { message: "there is no question".into(), hint }.into());
    }
    let request = SearchRequest { query, ..template };
    let service = Service::new(app, Backend::Fallback);
    let limit = limit(app, args, &request.query);
    let request = SearchRequest { limit: Some(limit), ..request };
    show(app, &service.call(&request)?, args, Shown { all: lists_all(app, args), limit })
}

/// Returns the request of the arguments, with an empty query.
fn template(app: &App, args: &Search, mode: Option<Mode>) -> SearchRequest {
    SearchRequest {
        query: String::new(),
        mode: mode.or(args.mode),
        // The service chooses it for each question of a batch.
        limit: args.limit.map(Into::into),
        min_score: args.min_score.map(|score| match score {
            MinScore::At(score) => score,
            MinScore::Gate => app.settings.config.search.gate,
        }),
        paths: args.paths.clone(),
        tags: args.tags.clone(),
        memory_types: args.memory_types.clone(),
        collections: args.collections.clone(),
        since: args.since.as_ref().map(|days| days.as_str().to_owned()),
        until: args.until.as_ref().map(|days| days.as_str().to_owned()),
        as_of: args.as_of.as_ref().map(|days| days.as_str().to_owned()),
        language: QuerySyntax::Query,
        project: std::env::current_dir().ok().map(|here| Project::of(&here).name),
        explain: args.explain,
        fusion: args.fusion,
        window: args.window,
        budget: args.budget.map(|budget| budget as usize),
        requests: false,
        sync: !args.no_sync,
        expand: args.expand,
        rerank: args.rerank,
        preview: !args.is_json() && args.batch.is_none() && !shows_whole_hits(args),
    }
}

/// Returns the largest number of results. On a terminal the default is five, which fit on one screen; programs get the setting. A budget
/// bounds an answer by itself.
fn limit(app: &App, args: &Search, query: &str) -> usize {
    const ON_TERMINAL: usize = 5;
    let setting = app.settings.config.search.limit;
    match args.limit {
        Some(limit) => limit.into(),
        None if args.budget.is_some() => setting.max(budget_hits(query)),
        None if is_unset(app, "search.limit") && is_for_person(args) => setting.min(ON_TERMINAL),
        None => setting,
    }
}

/// Returns whether the whole text of hits is shown: the caller asked for more than the snippet.
fn shows_whole_hits(args: &Search) -> bool {
    args.window > 0 || args.budget.is_some()
}

fn is_unset(app: &App, key: &str) -> bool {
    app.settings.origins.get(key).is_none_or(|origin| *origin == Origin::Default)
}

fn is_for_person(args: &Search) -> bool {
    !args.is_json() && args.format != Some(SearchFormat::Fzf) && args.batch.is_none() && io::stdout().is_terminal()
}

/// Returns whether irrelevant results are listed too. A terminal omits them, unless a minimum score is set; programs get all of them.
fn lists_all(app: &App, args: &Search) -> bool {
    args.all || args.min_score.is_some() || !is_unset(app, "search.min_score") || !is_for_person(args)
}

/// Returns whether an option says which notes to list without a question.
fn narrows(args: &Search) -> bool {
    let lists = [&args.paths, &args.tags, &args.collections];
    let is_dated = args.since.is_some() || args.until.is_some();
    is_dated || !args.memory_types.is_empty() || lists.iter().any(|list| !list.is_empty())
}

fn text(args: &Search) -> Result<String> {
    let not_utf8 = || Refusal {
        message: "the query is not valid UTF-8".into(),
        hint: "type it in a UTF-8 terminal (echo $LANG), or give it on standard input: tars search -".into(),
    };
    if args.words.len() == 1 && args.words[0] == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().take(MAX_QUERY + 1).read_to_end(&mut bytes).context("cannot read standard input")?;
        if bytes.len() as u64 > MAX_QUERY {
            let message = format!("the query is longer than {MAX_QUERY} bytes");
            return Err(Refusal { message, hint: "ask a shorter question".into() }.into());
        }
        return Ok(String::from_utf8(bytes).map_err(|_| not_utf8())?);
    }
    let words: Option<Vec<&str>> = args.words.iter().map(|word| word.to_str()).collect();
    Ok(words.ok_or_else(not_utf8)?.join(" "))
}

/// How many of the results are shown.
struct Shown {
    /// Irrelevant ones too.
    all: bool,
    /// The most that were asked for.
    limit: usize,
}

fn show(app: &App, answer: &SearchResponse, args: &Search, Shown { all, limit }: Shown) -> Result<Outcome> {
    let all = all || is_of_one_word(answer);
    let is_listed = |hit: &&Hit| all || hit.relevance() != Relevance::Not;
    let listed: Vec<Hit> = answer.results.iter().filter(is_listed).cloned().collect();
    if args.is_json() {
        json::line(&mut anstream::stdout().lock(), answer)?;
    } else {
        if let Some(degraded) = &answer.degraded {
            terminal::print_note(degraded);
        }
        answer.remarks.iter().for_each(|remark| terminal::print_note(remark));
        if args.format == Some(SearchFormat::Fzf) {
            format::fzf(&mut anstream::stdout().lock(), &listed, &answer.query)?;
        } else {
            let mut out = pager::output();
            if let Some(explanation) = &answer.explanation {
                explain::question(&mut out, explanation)?;
            }
            let shown = format::HitDisplay { query: &answer.query, whole: shows_whole_hits(args) };
            format::hits(&mut out, &listed, shown)?;
            out.finish()?;
            // fzf asks at each key, and a number must not change its meaning under the person's hands.
            last_answer::keep(app, listed.iter().map(Place::of_hit));
        }
        match answer.results.first() {
            Some(nearest) if listed.is_empty() => format::nothing_relevant(nearest),
            // Without a question every note that passes the filters is a result, and a list may be long.
            Some(_) if listed.len() == limit && listed.iter().all(|hit| hit.matched_by.is_empty()) => {
                terminal::print_note(&format!("the newest {limit} are listed; -n lists more"));
            }
            Some(_) => {}
            None => terminal::print_note(&nothing(answer)),
        }
    }
    Ok(if listed.is_empty() { Outcome::Nothing } else { Outcome::Done })
}

fn batch(service: &Service<'_>, args: &Search, template: &SearchRequest, file: &Path) -> Result<Outcome> {
    if !args.json && io::stdout().is_terminal() {
        terminal::print_note("--batch answers in JSON, one line per query");
    }
    let reader: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?))
    };
    service.prepare(template)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut outcome = Outcome::Done;
    for (number, line) in (1..).zip(reader.split(b'\n')) {
        let line = line.with_context(|| format!("cannot read {}", file.display()))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let started = Instant::now();
        let (id, text) = match parse(&line) {
            Ok(parsed) => parsed,
            Err(error) => {
                outcome = Outcome::Partial;
                let error = Some(format!("line {number}: not a query: {}", json::reason(&error)));
                let value: Option<Value> = serde_json::from_slice(&line).ok();
                let id = value.and_then(|value| value.get("id").cloned());
                json::line(&mut out, &BatchLine { id, ms: 0.0, answer: None, error })?;
                continue;
            }
        };
        let answer = service.call(&SearchRequest { query: text, ..template.clone() });
        let ms = (started.elapsed().as_secs_f64() * 100_000.0).round() / 100.0;
        match answer {
            Ok(answer) => {
                json::line(&mut out, &BatchLine { id, ms, answer: Some(answer), error: None })?;
            }
            // An error in one question does not affect the next one.
            Err(error) if error.cause().is_some_and(SearchError::is_question_fault) => {
                outcome = Outcome::Partial;
                json::line(
                    &mut out,
                    &BatchLine { id, ms, answer: None, error: Some(format!("line {number}: {error}")) },
                )?;
            }
            Err(error) => return Err(error),
        }
        // A program that works line by line waits for each answer.
        out.flush()?;
    }
    Ok(outcome)
}

#[derive(Deserialize)]
#[serde(untagged)]
enum BatchQuery {
    Text(String),
    Named { id: Option<Value>, query: String },
}

fn parse(line: &[u8]) -> Result<(Option<Value>, String), serde_json::Error> {
    Ok(match serde_json::from_slice(line)? {
        BatchQuery::Text(query) => (None, query),
        BatchQuery::Named { id, query } => (id, query),
    })
}

fn nothing(answer: &SearchResponse) -> String {
    if answer.index.files == 0 && answer.index.pending > 0 {
        format!("nothing found yet: {} waiting to be indexed", format::pluralize(answer.index.pending, "note"))
    } else if answer.index.files == 0 {
        "nothing found: the index is empty (tars index)".into()
    } else {
        format!("nothing found in {}", format::pluralize(answer.index.files, "note"))
    }
}
