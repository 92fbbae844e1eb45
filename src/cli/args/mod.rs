//! What can be typed. Arguments are checked here and decided upon by the commands.

mod chat;
mod completing;
mod dashes;
#[cfg(test)]
mod documented;
mod doors;
mod eval;
mod help;
mod memory;
#[cfg(all(test, feature = "serve"))]
mod page;
mod recall;
mod schedule;
mod search;
mod serve;
mod setup;
mod transcript;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub(super) use chat::{Chat, Conversations};
use clap::error::ErrorKind;
use clap::{FromArgMatches, Parser, Subcommand};
pub(super) use completing::{COMPLETE, answer as complete};
pub(super) use doors::{Ask, Hook, HookName, Mcp, McpCommand, McpOffer, McpServers, Pause, Resume, Where};
pub(super) use eval::Eval;
pub(super) use help::command;
pub(super) use memory::{
    Audit, Compact, Daily, Extract, FeedbackArgs, Forget, History, Log, Project, ProjectCommand, Promote, Remember,
    Review, Sessions, SessionsCommand, Tidy, Undo, Week,
};
pub(super) use recall::{Stats, Why};
pub(super) use schedule::{AddSchedule, Schedule};
pub(super) use search::{Context, Expand, Get, Search};
pub(super) use serve::{Open, Serve};
#[cfg(feature = "serve")]
pub(super) use serve::{ServeCommand, Token};
pub(super) use setup::{Completions, Index, Init, Manual};
pub(super) use transcript::{Import, ImportClaudeCode, Transcript};
pub(super) use values::MinScore;
use values::duration;

/// The heading of the options that every command takes.
const EVERYWHERE: &str = "Options of every command";

/// Local memory over a vault of markdown: index it, ask it, read what stands around an answer.
#[derive(Debug, Parser)]
#[command(name = "tars", version, max_term_width = 100)]
pub(super) struct Args {
    /// The vault, instead of the configured one.
    #[arg(long, global = true, value_name = "FOLDER", help_heading = EVERYWHERE)]
    vault: Option<PathBuf>,
    /// The folder of the index, instead of the configured one.
    #[arg(long, global = true, value_name = "FOLDER", help_heading = EVERYWHERE)]
    data_dir: Option<PathBuf>,
    /// The folder of the models, instead of the configured one.
    #[arg(long, global = true, value_name = "FOLDER", help_heading = EVERYWHERE)]
    models_dir: Option<PathBuf>,
    /// Colours: auto, always or never.
    #[arg(long, global = true, value_name = "WHEN", help_heading = EVERYWHERE)]
    color: Option<String>,
    #[command(subcommand)]
    pub(super) command: Command,
}

impl Args {
    /// Reads what was typed; nothing at all is `tars next`.
    ///
    /// # Errors
    /// It is no command, or help was asked for: the error prints itself.
    pub(super) fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut arguments: Vec<OsString> = arguments.into_iter().collect();
        let mut command = match &arguments[..] {
            [_, word] if word == "help" => help::in_full(),
            _ => help::command(),
        };
        if arguments.len() <= 1 {
            arguments.push("next".into());
        }
        let read = command.try_get_matches_from_mut(&arguments);
        let is_refused = |error: &clap::Error| {
            matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::ValueValidation | ErrorKind::InvalidValue)
        };
        let matches = match (read, dashes::marked(&arguments)) {
            (Err(error), Some(marked)) if is_refused(&error) => command.try_get_matches_from_mut(marked)?,
            (read, _) => read?,
        };
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }

    /// Returns the flags that name folders, as they were typed, for a command line that is written down.
    pub(super) fn folders(&self) -> Vec<(&'static str, PathBuf)> {
        let flags = [("--vault", &self.vault), ("--data-dir", &self.data_dir), ("--models-dir", &self.models_dir)];
        flags.into_iter().filter_map(|(flag, path)| Some((flag, path.clone()?))).collect()
    }

    /// Whether this command writes a log of its own.
    pub(super) fn keeps_log(&self) -> bool {
        match &self.command {
            Command::Watch(watch) => !watch.status && !watch.stop && !watch.detach,
            Command::Serve(serve) => serve.command.is_none(),
            _ => false,
        }
    }

    /// Whether this command serves an agent's hook, whose session must not suffer from what goes wrong.
    pub(super) fn is_hook(&self) -> bool {
        match &self.command {
            Command::Hook(_) => true,
            Command::Search(search) => search.hook,
            Command::Remember(remember) => remember.hook || remember.finish,
            Command::Status(status) => status.line,
            _ => false,
        }
    }

    /// Returns the flags that are settings, by key.
    pub(super) fn flags(&self) -> Vec<(String, String)> {
        let paths = [("vault.path", &self.vault), ("data.dir", &self.data_dir), ("models.dir", &self.models_dir)];
        let mut flags: Vec<(String, String)> = paths
            .into_iter()
            .filter_map(|(key, path)| Some((key.to_owned(), path.as_ref()?.to_string_lossy().into_owned())))
            .collect();
        if let Command::Eval(eval) = &self.command {
            flags.extend(eval.settings.iter().cloned());
        }
        if let Command::Serve(Serve { listen: Some(listen), .. }) = &self.command {
            flags.push(("http.listen".to_owned(), listen.clone()));
        }
        flags.extend(self.color.iter().map(|color| ("output.color".to_owned(), color.clone())));
        flags
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Set tars up: vault, model, watcher, agents, and a first question.
    Init(Box<Init>),
    /// Bring the index up to date with the notes.
    Index(Index),
    /// Ask the notes, by words and by meaning.
    Search(Search),
    /// Ask the notes by words alone (search --mode keyword).
    Sgrep(Search),
    /// Ask the notes by meaning alone (search --mode vector).
    Svec(Search),
    /// Show what stands around a result.
    Expand(Expand),
    /// Show the text of notes: whole, by lines or by section.
    Get(Get),
    /// Show what an agent is given for a question, its memory included.
    Context(Context),
    /// Show what was put before an agent, and by which score.
    ///
    /// Exit codes: 0 something was, 1 nothing was, 2 an error.
    Why(Why),
    /// Talk to a model that has your memory.
    Chat(Chat),
    /// List conversations, the newest first.
    Conversations(Conversations),
    /// Answer requests of programs, a line of JSON each (docs/json.md).
    Ask(Ask),
    /// Give agents this memory by the Model Context Protocol.
    Mcp(Mcp),
    /// Write a fact, a rule or a line of the day down, once.
    Remember(Remember),
    /// Show a day's log with your own daily note, or add a line to it.
    Daily(Daily),
    /// List session logs, newest first, or show one.
    Sessions(Sessions),
    /// Show the turns of an agent's session from its transcript.
    Transcript(Transcript),
    /// Draw facts out of a session or a text, to be reviewed.
    ///
    /// Exit codes: 0 something was found, 1 nothing that the memory does not hold, 2 an error.
    Extract(Extract),
    /// Make session logs of an agent's existing transcripts, once each.
    #[command(subcommand)]
    Import(Import),
    /// Answer an agent's hook: JSON in, JSON or nothing out.
    ///
    /// Always ends with success: what goes wrong stands in hook.log in the data directory.
    Hook(Hook),
    /// Pause tars in this session with an agent, or in all sessions.
    Pause(Pause),
    /// End a pause.
    ///
    /// Exit codes: 0 it is ended, 1 there was none, 2 an error.
    Resume(Resume),
    /// Take a line out of the memory folder again.
    ///
    /// Exit codes: 0 something was removed, 1 nothing was, 2 an error.
    Forget(Forget),
    /// Take back what tars wrote last.
    Undo(Undo),
    /// Show what tars wrote, newest first.
    Log(Log),
    /// Say that an agent's work was wrong or good, for a later review.
    Feedback(FeedbackArgs),
    /// Go through feedback and extracted lines, and settle each.
    Review(Review),
    /// Show how a fact changed: what was so before, and what is so now.
    ///
    /// Exit codes: 0 found, 1 nothing found, 2 error.
    History(History),
    /// Show a project's page, or propose changes of it.
    ///
    /// Exit codes: 0 found or done, 1 there is none, 2 error.
    Project(Project),
    /// Find duplicates, superseded facts and broken links in the memory.
    Tidy(Tidy),
    /// Sum up past months of logs in the archive of the memory.
    ///
    /// Exit codes: 0 done, also where the tokens of the day were spent, 1 there was no such month, 2 an error.
    Compact(Compact),
    /// Look back on seven days: decisions, open ends, contradictions.
    Week(Week),
    /// List secrets that stand in the memory folder or in the index.
    ///
    /// Exit codes: 0 there are none, 1 some were found, 2 it could not be looked.
    Audit(Audit),
    /// Measure how well questions with known answers are answered.
    Eval(Eval),
    /// Say what is there and what to do next, as tars alone does.
    Next,
    /// Show what is indexed, and whether it is up to date.
    Status(Status),
    /// Show what language models were given, or what of memory was used.
    Stats(Stats),
    /// Check all that is kept in the data directory, and mend it.
    ///
    /// Exit codes: 0 everything is sound (with --repair: now), 1 something is wrong, 2 it could not be checked or mended.
    Doctor(Doctor),
    /// Keep the index up to date and answer quickly, in one process.
    Watch(Watch),
    /// Watch, and answer other programs and the page over HTTP.
    Serve(Serve),
    /// Print a link that signs a browser in.
    Open(Open),
    /// Show, add and remove what runs at set times.
    #[command(subcommand)]
    Schedule(Schedule),
    /// Have the system run the watcher at every login.
    #[command(subcommand)]
    Service(Service),
    /// List, fetch, choose and check models.
    #[command(subcommand)]
    Models(Models),
    /// Show and change settings.
    #[command(subcommand)]
    Config(Config),
    /// Print the script by which a shell completes what is typed.
    Completions(Completions),
    /// Write the pages of the manual into a folder.
    Man(Manual),
}

/// `tars status`
#[derive(Debug, clap::Args)]
pub(super) struct Status {
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Print the one line that an agent's client shows; standard input may hold the client's JSON.
    #[arg(long, conflicts_with = "json")]
    pub(super) line: bool,
}

/// `tars doctor`
#[derive(Debug, clap::Args)]
pub(super) struct Doctor {
    /// Set a damaged index aside and make it anew, delete leftovers, and shut others out.
    #[arg(long)]
    pub(super) repair: bool,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// `tars watch`
#[derive(Debug, clap::Args)]
pub(super) struct Watch {
    /// Start in the background and return when it answers.
    #[arg(long, group = "what")]
    pub(super) detach: bool,
    /// Show how the watcher is.
    #[arg(long, group = "what")]
    pub(super) status: bool,
    /// End the watcher.
    #[arg(long, group = "what")]
    pub(super) stop: bool,
    /// End after so long without a question or a change (90s, 30m, 2h).
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) idle_exit: Option<Duration>,
    /// Live while this process does, and end shortly after the last one; may be repeated, and by later starts.
    #[arg(long, value_name = "PID")]
    pub(super) with_client: Vec<u32>,
    /// Print the status as JSON.
    #[arg(long, requires = "status")]
    pub(super) json: bool,
    /// What `--detach` starts.
    #[arg(long, hide = true, group = "what")]
    pub(super) detached: bool,
}

/// `tars service`
#[derive(Debug, Subcommand)]
pub(super) enum Service {
    /// Install and start it: a systemd user unit, or a launchd agent.
    Install {
        /// Have it answer HTTP as well, as `tars serve` does.
        #[arg(long)]
        serve: bool,
    },
    /// Stop and remove it.
    Uninstall,
    /// Show whether it is installed and runs.
    Status,
}

/// `tars models`
#[derive(Debug, Subcommand)]
pub(super) enum Models {
    /// Show the installed models.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model from the hub.
    Pull {
        /// hf:OWNER/NAME, optionally @REVISION and #path/of/a.onnx or #model.safetensors.
        spec: String,
    },
    /// Embed, or rerank if that is its kind, with this model from now on.
    Use {
        /// Id of an installed model.
        #[arg(add = completing::models())]
        id: String,
    },
    /// Prepare a model so that tars can run it itself, many times faster to start; done by the way when it is first used.
    Prepare {
        /// Id of an installed model. Default: the one in use.
        id: Option<String>,
    },
    /// Compare the files of a model, and the runtime library, with their hashes.
    Verify {
        /// Id of an installed model. Default: all of them.
        id: Option<String>,
    },
}

/// `tars config`
#[derive(Debug, Subcommand)]
pub(super) enum Config {
    /// Show one setting.
    Get {
        /// Its key, e.g. search.limit.
        key: String,
    },
    /// Change a setting in your configuration file.
    Set {
        /// Its key, e.g. search.limit.
        key: String,
        /// Its value.
        value: String,
    },
    /// Take a setting out of your configuration file.
    Unset {
        /// Its key.
        key: String,
    },
    /// Show every setting and where it comes from.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show where your configuration file is.
    Path,
}
