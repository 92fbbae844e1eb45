//! The commands of a conversation: lines that begin with `/`. [`COMMANDS`] is the only list of them, for dispatch, `/help`,
//! completion and the lists of other front ends. Their output is markdown.

mod conversation;
mod export;
mod mcp;
mod memory;
mod schedule;
mod search;

use super::tools::one_line;
use super::{Assistant, Channel, ChatFrontend};
use tars_service::{Refusal, Result, bail};
use tars_text::analysis::distance_within;

/// Follow-up action of a front end after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// The conversation was replaced by a new one.
    Cleared,
    /// The person wants to leave.
    Quit,
}

/// The output of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Markdown without control characters.
    pub text: String,
    /// The follow-up action.
    pub effect: Effect,
}

/// A command.
pub struct Command {
    /// Its name, without the slash.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Its arguments: `QUERY`, `[TEXT]`, or nothing.
    pub usage: &'static str,
    /// Its description, in one line.
    pub about: &'static str,
    /// The lowest channel that may use it.
    pub min_channel: Channel,
    run: fn(&mut Assistant<'_, '_>, &str, &mut dyn ChatFrontend) -> Result<Reply>,
}

macro_rules! commands {
    ($($name:literal $aliases:tt $usage:literal $from:ident $run:path: $about:literal;)*) => {
        /// All commands, in the order of `/help`.
        pub const COMMANDS: &[Command] = &[$(Command {
            name: $name, aliases: &$aliases, usage: $usage, about: $about, min_channel: Channel::$from, run: $run,
        }),*];
    };
}

commands! {
    "search" ["s"] "QUESTION" Program search::hybrid: "search by words and by meaning";
    "sgrep" [] "WORDS" Program search::keyword: "search by words";
    "svec" [] "QUESTION" Program search::vector: "search by meaning";
    "expand" ["e"] "ID" Program search::expand: "show the text around a hit";
    "find" [] "NAME" Program search::find: "find notes by their names";
    "read" ["get"] "NOTE" Program search::read: "show a note";
    "remember" [] "TEXT" Program memory::remember: "remember a fact";
    "memory" [] "" Program memory::memory: "show the long-term memory";
    "daily" ["today"] "[DAY]" Program memory::daily: "show the log of a day";
    "note" ["n"] "TEXT" Program memory::note: "add a line to today's log";
    "capture" ["c"] "TEXT" Program memory::capture: "add a line to the inbox of the memory folder";
    "brief" [] "" Program memory::brief: "today: the log, open ends, due tasks, schedules";
    "sessions" [] "[QUERY]" Program memory::sessions: "list the logs of sessions";
    "session" [] "QUERY" Program memory::session: "show the newest session that matches";
    "review" [] "[accept|refuse ID]" Program memory::review: "propose facts to remember, and decide on proposals";
    "tidy" [] "" Program memory::tidy: "propose cleanups of the memory";
    "undo" [] "" Program memory::undo: "take back the last write";
    "w" ["wrong"] "WHAT" Interactive conversation::wrong: "the last answer was wrong: note it for a review";
    "r" ["right"] "[WHAT]" Interactive conversation::right: "the last answer was good: note it for a review";
    "compact" [] "[months]" Program conversation::compact: "sum up this conversation, or the logs of past months";
    "context" [] "" Interactive conversation::context: "show the context of the model";
    "stats" [] "" Program conversation::stats: "show the use of language models";
    "schedule" [] "[add NAME HH:MM ACTION]" Program schedule::run: "list schedules, or add one";
    "model" [] "[PROVIDER] [NAME]" Interactive conversation::model: "show or change the model";
    "mcp" [] "[SERVER]" Program mcp::run: "list the MCP servers, or the tools of one";
    "export" [] "[--to FILE]" Interactive export::run: "show this conversation as markdown, or write it into a file";
    "clear" ["new"] "" Interactive conversation::clear: "end this conversation and begin a new one";
    "help" ["h", "?"] "[COMMAND]" Program conversation::help: "show the commands";
    "quit" ["exit", "q"] "" Terminal conversation::quit: "end the conversation and leave";
}

impl Command {
    /// Returns the command with that name or alias.
    pub fn named(name: &str) -> Option<&'static Self> {
        COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name))
    }

    /// Whether it needs a conversation for what was said there. Other commands of a conversation change how it goes on, which a single call
    /// does not see.
    fn is_about_what_was_said(&self) -> bool {
        self.min_channel == Channel::Interactive && !["model", "clear"].contains(&self.name)
    }

    /// Returns the name with its arguments.
    pub fn shown(&self) -> String {
        format!("/{} {}", self.name, self.usage).trim_end().to_owned()
    }
}

impl Reply {
    fn markdown(text: impl Into<String>) -> Result<Self> {
        let text = tars_base::domain::sanitize(text.into().trim_end());
        Ok(Self { text, effect: Effect::None })
    }
}

/// Whether a line is a command, known or not. A path such as `/home/a` is not.
pub fn is_command(line: &str) -> bool {
    word(line).is_some()
}

/// Splits a line into the command name and its arguments.
fn word(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim().strip_prefix('/')?;
    let (name, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_name = name == "?" || (!name.is_empty() && name.chars().all(|c| c.is_alphabetic() || c == '-'));
    is_name.then_some((name, behind.trim()))
}

/// Returns the most similar name or alias.
fn nearest(wrong: &str) -> Option<&'static str> {
    let letters = |word: &str| word.chars().collect::<Vec<char>>();
    let names =
        COMMANDS.iter().flat_map(|command| std::iter::once(command.name).chain(command.aliases.iter().copied()));
    let near = names.filter(|name| name.len() > 1).filter_map(|name| {
        let slips = distance_within(&letters(name), &letters(wrong), 2)?;
        let begins = name.starts_with(wrong) || wrong.starts_with(name);
        Some((slips.saturating_sub(usize::from(begins)), name))
    });
    let by_beginning = || {
        COMMANDS.iter().map(|command| command.name).find(|name| wrong.chars().count() > 1 && name.starts_with(wrong))
    };
    near.min().map(|(_, name)| name).or_else(by_beginning)
}

impl Assistant<'_, '_> {
    /// Runs a line that begins with `/`. None of it goes to a model.
    ///
    /// # Errors
    /// The command does not exist, is not allowed here, or fails.
    pub fn command(&mut self, line: &str, channel: Channel, frontend: &mut dyn ChatFrontend) -> Result<Reply> {
        let Some((name, behind)) = word(line) else { bail!("not a command") };
        let Some(command) = Command::named(&name.to_lowercase()) else {
            let message = format!("there is no command /{}", one_line(name, 40));
            let hint = nearest(&name.to_lowercase()).map_or_else(|| "/help".to_owned(), |name| format!("/{name}"));
            return Err(Refusal { message, hint }.into());
        };
        // `tars chat --continue /export` is a call in a conversation.
        let is_continued = command.is_about_what_was_said() && !self.conversation.entries().is_empty();
        if channel < command.min_channel && !is_continued {
            let place = if command.min_channel == Channel::Terminal { "at a terminal" } else { "in a conversation" };
            let hint = match command.is_about_what_was_said() {
                true => format!("tars chat --continue /{}", command.name),
                false => "tars chat".to_owned(),
            };
            return Err(Refusal { message: format!("/{} works {place} only", command.name), hint }.into());
        }
        let is_needed = !command.usage.is_empty() && !command.usage.starts_with('[');
        if is_needed && behind.is_empty() {
            let message = format!("/{} needs {}", command.name, command.usage);
            return Err(Refusal { message, hint: format!("{} ({})", command.shown(), command.about) }.into());
        }
        self.channel = channel;
        self.service.mark_stale();
        (command.run)(self, behind, frontend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_are_unique() {
        let mut names: Vec<&str> = COMMANDS
            .iter()
            .flat_map(|command| std::iter::once(command.name).chain(command.aliases.iter().copied()))
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a_path_is_no_command_and_a_typo_suggests_a_command() {
        for line in ["/help", " /search x", "/?", "/serach x"] {
            assert!(is_command(line), "{line}");
        }
        for line in ["/home/a is full", "/", "// x", "a /help", "/1"] {
            assert!(!is_command(line), "{line}");
        }
        assert_eq!(nearest("serach"), Some("search"));
        assert_eq!(nearest("hlep"), Some("help"));
        assert_eq!(nearest("sess"), Some("sessions"));
        assert_eq!(nearest("completely"), None);
    }
}
