//! The command line: arguments in, text out, an exit code.
//!
//! Data goes to standard output, everything else to standard error. Exit codes: 0 found or done, 1 found nothing (`audit` and
//! `doctor`: found something), 2 error (also when some files failed), 130 interrupted. A closed pipe ends a command quietly.

mod args;
mod chart;
mod commands;
mod errors;
mod eval_tables;
mod explain;
mod format;
mod hyperlink;
mod interrupt;
mod json;
mod last_answer;
mod listing;
mod memory_lines;
mod pager;
mod progress;
mod prompt;
mod terminal;
mod watch_log;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Args, Command};
use commands::search::SearchCommand;
use tars_base::domain::Mode;
use tars_config::Environment;
use tars_service::{App, Interrupted, PDF_COMMAND, run_pdf_child};
use tars_ui::{snippet, times};

/// How a command ended without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Found or done.
    Done,
    /// Nothing was found.
    Nothing,
    /// Done, but some parts failed and were reported.
    Partial,
    /// The person interrupted it at a safe point.
    Interrupted,
}

/// Runs one command and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if args::complete(&arguments) {
        return ExitCode::SUCCESS;
    }
    if arguments.len() == 2 && arguments[1] == PDF_COMMAND {
        return run_pdf_child();
    }
    let args = match Args::read(arguments) {
        Ok(args) => args,
        Err(error) => {
            // A pipe that is closed while help is printed is no error.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    if !args.keeps_log() && !args.is_hook() {
        terminal::start_log();
    }
    if args.is_hook() {
        commands::hook::run(&args);
        return ExitCode::SUCCESS;
    }
    if !args.keeps_log() {
        terminal::start_notices();
    }
    match execute(&args) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Nothing) => ExitCode::from(1),
        Ok(Outcome::Partial) => ExitCode::from(2),
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(error) if errors::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<Interrupted>() => ExitCode::from(130),
        Err(error) => {
            errors::print(&error);
            ExitCode::from(2)
        }
    }
}

fn execute(args: &Args) -> tars_service::Result<Outcome> {
    let environment = Environment::of_process();
    // Commands that repair the configuration must run even if it does not load.
    if let Command::Config(config) = &args.command
        && let Some(outcome) = commands::config::without_settings(config, &environment)?
    {
        return Ok(outcome);
    }
    let app = App::new(environment, &args.flags())?.with_caller(tars_hook::current_caller);
    if args.is_unpaged() {
        pager::forbid();
    }
    terminal::choose_color(app.settings.config.output.color);
    for warning in &app.settings.warnings {
        terminal::print_note(warning);
    }
    match &args.command {
        Command::Init(init) => commands::init::run(&app, args, init),
        Command::Index(index) => commands::index::run(&app, index),
        Command::Search(search) => commands::search::run(&app, search, SearchCommand::default()),
        Command::Sgrep(search) => commands::search::run(&app, search, SearchCommand::of(Mode::Keyword)),
        Command::Svec(search) => commands::search::run(&app, search, SearchCommand::of(Mode::Vector)),
        Command::Expand(expand) => commands::expand::run(&app, expand),
        Command::Get(get) => commands::get::run(&app, get),
        Command::Context(context) => commands::context::run(&app, context),
        Command::Chat(chat) => commands::chat::run(app, chat),
        Command::Conversations(list) => commands::chat::conversations(&app, list),
        Command::Ask(ask) => commands::ask::run(&app, ask),
        Command::Mcp(mcp) => commands::mcp::run(app, mcp, args),
        // Hooks run before the settings are read.
        Command::Hook(_) => Ok(Outcome::Done),
        Command::Remember(remember) => commands::remember::run(&app, remember),
        Command::Daily(daily) => commands::daily::run(&app, daily),
        Command::Sessions(sessions) => commands::daily::sessions(&app, sessions),
        Command::Handoff(handoff) => commands::handoff::run(&app, handoff),
        Command::Transcript(transcript) => commands::transcript::run(&app, transcript),
        Command::Extract(extract) => commands::extract::run(&app, extract),
        Command::Import(import) => commands::import::run(&app, import),
        Command::Pause(pause) => commands::pause::run(&app, pause),
        Command::Resume(resume) => commands::pause::resume(&app, resume),
        Command::Forget(forget) => commands::forget::run(&app, forget),
        Command::Done(done) => commands::done::run(&app, done),
        Command::Undo(undo) => commands::undo::run(&app, undo),
        Command::Log(log) => commands::undo::log(&app, log),
        Command::Feedback(feedback) => commands::review::feedback(&app, feedback),
        Command::Review(review) => commands::review::run(&app, review),
        Command::History(history) => commands::history::run(&app, history),
        Command::Project(project) => commands::project::run(&app, project),
        Command::Tidy(tidy) => commands::tidy::run(&app, tidy),
        Command::Compact(compact) => commands::compact::run(&app, compact),
        Command::Week(week) => commands::week::run(&app, week),
        Command::Audit(audit) => commands::tidy::audit(&app, audit),
        Command::Eval(eval) => commands::eval::run(&app, eval),
        Command::Next if args.is_alone && commands::ui::is_shown_alone(&app) => commands::ui::alone(&app),
        Command::Next => commands::next::run(&app),
        Command::Ui(ui) => commands::ui::run(&app, ui),
        Command::Completions(completions) => commands::completions::run(completions),
        Command::Man(manual) => commands::completions::manual(manual),
        Command::Status(status) => commands::status::run(&app, status),
        Command::Why(why) => commands::why::run(&app, why),
        Command::Stats(stats) => commands::stats::run(&app, stats),
        Command::Conflicts(conflicts) => commands::conflicts::run(&app, conflicts),
        Command::Doctor(doctor) => commands::doctor::run(&app, doctor),
        Command::Watch(watch) => commands::watch::run(app, watch),
        Command::Serve(serve) => commands::serve::run(app, serve),
        Command::Open(open) => commands::open::run(&app, open),
        Command::List(list) => commands::list::run(&app, list),
        Command::Tags(tags) => commands::list::tags(&app, tags),
        Command::Links(links) => commands::links::run(&app, links),
        Command::Related(related) => commands::links::related(&app, related),
        Command::Tasks(tasks) => commands::tasks::run(&app, tasks),
        Command::Random(random) => commands::list::random(&app, random),
        Command::Schedule(schedule) => commands::schedule::run(&app, schedule),
        Command::Service(service) => commands::watch::service(&app, service),
        Command::Models(models) => commands::models::run(&app, models),
        Command::Collection(collection) => commands::collection::run(&app, collection),
        Command::Config(config) => commands::config::run(&app, config),
        Command::Agents(agents) => commands::agents::run(&app, agents, args),
        Command::Obsidian(obsidian) => commands::obsidian::run(&app, obsidian),
    }
}
