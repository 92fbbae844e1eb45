//! The command line arguments. This module checks them; the commands act on them.

mod agents;
mod browse;
mod chat;
mod collection;
mod completions;
mod dashes;
#[cfg(test)]
mod documented;
mod eval;
mod help;
mod interfaces;
mod machine;
mod memory;
mod obsidian;
#[cfg(all(test, feature = "serve"))]
mod page;
mod recall;
mod schedule;
mod search;
mod serve;
mod setup;
mod transcript;
mod unknown_command;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;

pub(super) use agents::{AgentChange, Agents, AgentsCommand};
pub(super) use browse::{Conflicts, Links, List, ListFormat, Open, OpenWith, Random, Related, Shape, Tags, Tasks, Ui};
pub(super) use chat::{Chat, Conversations};
use clap::error::ErrorKind;
use clap::{FromArgMatches, Parser, Subcommand};
pub(super) use collection::{AddCollection, Collection};
pub(super) use completions::{COMPLETE, answer as complete};
pub(super) use eval::Eval;
pub(super) use help::command;
pub(super) use interfaces::{
    AddMcpServer, Ask, Handoff, Hook, Mcp, McpCommand, McpServerArgs, McpServers, Pause, ReachArg, Resume,
};
pub(super) use machine::{Doctor, Models, Service, Status, Watch};
pub(super) use memory::{
    Audit, Compact, Daily, Done, Extract, FeedbackArgs, Forget, History, Log, Project, ProjectCommand, Promote,
    Remember, Review, Sessions, SessionsCommand, Tidy, Undo, Week,
};
pub(super) use obsidian::{Obsidian, ObsidianVault};
pub(super) use recall::{Stats, Why};
pub(super) use schedule::{AddSchedule, Schedule};
pub(super) use search::{Context, Expand, Get, Search, SearchFormat};
pub(super) use serve::Serve;
#[cfg(feature = "serve")]
pub(super) use serve::{ServeCommand, Token};
pub(super) use setup::{Completions, Config, Index, Init, Manual};
pub(super) use transcript::{Import, ImportChats, ImportSessions, Transcript};
pub(super) use unknown_command::{in_quotes, shell_word};
pub(super) use values::MinScore;

/// Heading of the global options.
const EVERYWHERE: &str = "Options of every command";

/// Local memory over vaults of markdown: index them, ask, open what it finds.
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
    /// Whether the command line is `tars` alone.
    #[arg(skip)]
    pub(super) is_alone: bool,
    /// Show long output without the pager of $TARS_PAGER or $PAGER.
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    no_pager: bool,
    #[command(subcommand)]
    pub(super) command: Command,
}

impl Args {
    /// Parses the arguments; without any, `tars next` runs, or `tars ui` on a terminal.
    ///
    /// # Errors
    /// The arguments are invalid, or request help: the error prints itself.
    pub(super) fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut arguments: Vec<OsString> = arguments.into_iter().collect();
        let mut command = match &arguments[..] {
            [_, word] if word == "help" => help::in_full(),
            _ => help::command(),
        };
        let is_alone = arguments.len() <= 1;
        if is_alone {
            arguments.push("next".into());
        }
        let read = command.try_get_matches_from_mut(&arguments);
        let is_refused = |error: &clap::Error| {
            matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::ValueValidation | ErrorKind::InvalidValue)
        };
        let matches = match (read, dashes::marked(&arguments)) {
            (Err(error), Some(marked)) if is_refused(&error) => match command.try_get_matches_from_mut(marked) {
                // Some commands without words share a name with one that takes them: `tars models list -x`.
                Err(other) if other.to_string().contains('\0') => return Err(error),
                again => again?,
            },
            (read, _) => {
                read.map_err(|error| unknown_command::explained(&error, &command, &arguments).unwrap_or(error))?
            }
        };
        let args = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        Ok(Self { is_alone, ..args })
    }

    /// Returns the flags that name folders, as typed, for a command line that is stored.
    pub(super) fn folders(&self) -> Vec<(&'static str, PathBuf)> {
        let flags = [("--vault", &self.vault), ("--data-dir", &self.data_dir), ("--models-dir", &self.models_dir)];
        flags.into_iter().filter_map(|(flag, path)| Some((flag, path.clone()?))).collect()
    }

    /// Returns whether the person wants no pager.
    pub(super) fn is_unpaged(&self) -> bool {
        self.no_pager
    }

    /// Returns whether this command writes its own log.
    pub(super) fn keeps_log(&self) -> bool {
        match &self.command {
            Command::Watch(watch) => !watch.status && !watch.stop && !watch.detach,
            Command::Serve(serve) => serve.command.is_none(),
            _ => false,
        }
    }

    /// Returns whether this command serves an agent's hook, whose session must not suffer from errors.
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
    /// Search the notes, by words and by meaning.
    Search(Search),
    /// Search the notes by words only (search --mode keyword).
    Sgrep(Search),
    /// Search the notes by meaning only (search --mode vector).
    Svec(Search),
    /// Show the text around a result.
    Expand(Expand),
    /// Show the text of notes: whole, by lines or by section.
    Get(Get),
    /// Show an agent's context for a question, its memory included.
    Context(Context),
    /// Show the context that an agent got, with scores.
    ///
    /// Exit codes: 0 there was some, 1 there was none, 2 an error.
    Why(Why),
    /// Talk to a model that has your memory.
    Chat(Chat),
    /// List conversations, the newest first.
    Conversations(Conversations),
    /// The same as search; with --json-lines, answer programs.
    ///
    /// Programs write one JSON object per line, and read one per line: docs/json.md.
    Ask(Box<Ask>),
    /// Give agents this memory through the Model Context Protocol.
    Mcp(Mcp),
    /// Write down a fact, a rule or a line of the day, once.
    Remember(Remember),
    /// Add a line to a day's log, or show it with your own daily note.
    Daily(Daily),
    /// List session logs, newest first, or show one.
    Sessions(Sessions),
    /// Show the work of a project's last session, to go on with it.
    ///
    /// Exit codes: 0 there is one, 1 the project has no other session, 2 an error.
    Handoff(Handoff),
    /// Show the turns of an agent's session from its transcript.
    Transcript(Transcript),
    /// Extract facts from a session or a text, for a review.
    ///
    /// Exit codes: 0 facts were found, 1 the memory contains all facts, 2 an error.
    Extract(Extract),
    /// Make notes from saved chats and an agent's transcripts, once each.
    #[command(subcommand)]
    Import(Import),
    /// Answer an agent's hook: JSON in, JSON or nothing out.
    ///
    /// Always exits with success: errors go to hook.log in the data directory.
    Hook(Hook),
    /// Pause tars in this session with an agent, or in all sessions.
    Pause(Pause),
    /// End a pause.
    ///
    /// Exit codes: 0 it is ended, 1 there was none, 2 an error.
    Resume(Resume),
    /// Remove a line, or take back what an agent or an import wrote.
    ///
    /// Exit codes: 0 something was removed, 1 nothing was, 2 an error.
    Forget(Forget),
    /// Tick an open end, or list all of them.
    ///
    /// Exit codes: 0 it was ticked or listed, 1 nothing matches, 2 an error.
    Done(Done),
    /// Undo the last writes of tars.
    Undo(Undo),
    /// Show the writes of tars, newest first.
    Log(Log),
    /// Record that an agent's work was wrong or good, for a later review.
    Feedback(FeedbackArgs),
    /// Review feedback and extracted lines one by one.
    Review(Review),
    /// Show how a fact changed: its former and current texts.
    ///
    /// Exit codes: 0 found, 1 nothing found, 2 error.
    History(History),
    /// Show a project's page, or propose updates.
    ///
    /// Exit codes: 0 found or done, 1 there is none, 2 error.
    Project(Project),
    /// Find duplicates, superseded facts and broken links in the memory.
    Tidy(Tidy),
    /// Summarize past months of logs in the archive of the memory.
    ///
    /// Exit codes: 0 done, also if the daily token budget was spent, 1 there was no such month, 2 an error.
    Compact(Compact),
    /// Look back on seven days: decisions, open ends, contradictions.
    Week(Week),
    /// List secrets in the memory folder or in the index.
    ///
    /// Exit codes: 0 there are none, 1 some were found, 2 an error.
    Audit(Audit),
    /// Measure the search with questions whose answers are known.
    Eval(Eval),
    /// Show the state and the next steps, like tars alone in a pipe.
    Next,
    /// Show the state of the index.
    Status(Status),
    /// Show charts of your notes, recalled memory and language models.
    Stats(Stats),
    /// List the conflict copies of sync programs, and how they differ.
    ///
    /// Exit codes: 0 there are some (with --resolve: one was merged), 1 there are none, 2 error.
    Conflicts(Conflicts),
    /// Check the data directory, and repair it.
    ///
    /// Exit codes: 0 everything is sound (with --repair: now), 1 something is wrong, 2 the check or the repair failed.
    Doctor(Doctor),
    /// Keep the index up to date and answer quickly, in one process.
    Watch(Watch),
    /// Watch, and serve programs and the page over HTTP.
    Serve(Serve),
    /// Search as you type, on one screen with the memory and its review.
    Ui(Ui),
    /// Open a result or a note in the editor; alone: sign a browser in.
    Open(Open),
    /// List notes by filters: tags, folders, dates, links.
    List(List),
    /// Show the tags of the notes as a tree, with counts.
    Tags(Tags),
    /// List the links in a note, or the links to it.
    Links(Links),
    /// List notes about the same subject, and linked ones.
    Related(Related),
    /// List the tasks in all notes.
    Tasks(Tasks),
    /// Pick a note at random.
    Random(Random),
    /// Show, add and remove scheduled actions.
    #[command(subcommand)]
    Schedule(Schedule),
    /// Make the system run the watcher at every login.
    #[command(subcommand)]
    Service(Service),
    /// List, fetch, choose and check models.
    #[command(subcommand)]
    Models(Models),
    /// Add, list, rename and remove further vaults and folders of notes.
    #[command(subcommand)]
    Collection(Collection),
    /// Show and change settings.
    #[command(subcommand)]
    Config(Config),
    /// Show the agents of this machine, and join tars to them.
    Agents(Agents),
    /// Install and remove the plugin for Obsidian.
    #[command(subcommand)]
    Obsidian(Obsidian),
    /// Print the script for shell completions.
    Completions(Completions),
    /// Write the manual pages into a folder.
    Man(Manual),
}
