//! The picker as a conversation in lines, for screen readers: no alternate screen, no colours, no cursor movement.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use crate::input::Input;
use crate::item::{Item, Kind};
use crate::names::Names;
use crate::request::{Reply, Request, Tab};
use crate::state::{Action, Bar, State};
use crate::worker::{Worker, message};
use crate::{CommandLine, Options};
use tars_service::{App, Result};

const HELP: &str = "\
Type a question, or one of these. N is the number of a result.
  N         open it at the line          :text N     its text
  :expand N the section around it        :related N  related notes
  :forget N forget a line of the memory  :remember TEXT
  :good TEXT, :wrong TEXT                an agent did well, or wrong
  :more     further hits                 :all     irrelevant hits too
  :undo, :redo  the last write
  :yes N, :rule N, :no N                 decide in :review
  :today :memory :sessions :review :recalled :status
  :help, :quit
";

/// Reads questions and commands from standard input until it ends.
pub(crate) fn run(app: &App, line: &dyn CommandLine, options: &Options) -> Result<()> {
    let worker = Worker::new(app, line, Names::Commands);
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let answer = |request: &Request| worker.answer(request);
    let mut talk = Talk::new(&answer, line);
    talk.is_typed = input.is_terminal();
    if !options.query.trim().is_empty() {
        talk.take(&mut out, &mut input, &options.query)?;
    } else if talk.is_typed {
        writeln!(out, "Type a question; :help lists the commands, :quit leaves.")?;
    }
    talk.run(&mut input, &mut out)
}

/// A conversation. Its state is that of the screen, so that both act alike.
struct Talk<'t> {
    state: State,
    answer: &'t dyn Fn(&Request) -> Reply,
    line: &'t dyn CommandLine,
    /// Whether a person types at a terminal, so that prompts are no part of what another program reads.
    is_typed: bool,
}

impl<'t> Talk<'t> {
    fn new(answer: &'t dyn Fn(&Request) -> Reply, line: &'t dyn CommandLine) -> Self {
        Self { state: State { names: Names::Commands, ..State::default() }, answer, line, is_typed: false }
    }

    fn run(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> Result<()> {
        loop {
            if self.is_typed {
                write!(out, "tars> ")?;
                out.flush()?;
            }
            let Some(typed) = read(input)? else { break };
            if self.line.is_interrupted() || !self.take(out, input, &typed)? {
                break;
            }
        }
        Ok(())
    }

    /// Takes what the person typed. Returns whether the conversation goes on.
    fn take(&mut self, out: &mut dyn Write, input: &mut dyn BufRead, typed: &str) -> Result<bool> {
        let typed = typed.trim();
        let (word, rest) = typed.split_once(' ').map_or((typed, ""), |(word, rest)| (word, rest.trim()));
        let tab = Tab::ALL.into_iter().find(|tab| *tab != Tab::Search && word.strip_prefix(':') == Some(tab.name()));
        if let Some(tab) = tab {
            self.state.show(tab);
            return self.ask(out, input, Request::Tab(tab)).map(|()| true);
        }
        let key = match word {
            "" => return Ok(true),
            ":quit" | ":q" => return Ok(false),
            ":help" | ":h" => {
                write!(out, "{HELP}")?;
                return Ok(true);
            }
            ":remember" | ":good" | ":wrong" if rest.is_empty() => {
                writeln!(out, "{word} needs a text")?;
                return Ok(true);
            }
            ":remember" => {
                let request = Request::Remember { text: rest.to_owned(), replace: None, force: false };
                return self.ask(out, input, request).map(|()| true);
            }
            ":good" | ":wrong" => {
                let request = Request::Feedback { good: word == ":good", note: rest.to_owned() };
                return self.ask(out, input, request).map(|()| true);
            }
            ":undo" => return self.ask(out, input, Request::FindWrite).map(|()| true),
            ":redo" => return self.ask(out, input, Request::Undo { redo: true }).map(|()| true),
            ":more" => {
                let listed = self.state.page().items.len();
                if let Some(Action::Ask(request)) = self.state.more(true) {
                    return self.ask_from(out, input, (request, listed)).map(|()| true);
                }
                if self.state.message.is_empty() {
                    self.state.message = "there are no more entries".into();
                }
                return self.settle(out, input).map(|()| true);
            }
            ":all" => {
                self.state.command('a');
                self.list(out, 0)?;
                return self.settle(out, input).map(|()| true);
            }
            ":open" | ":o" => 'o',
            ":text" => 't',
            ":expand" => 'e',
            ":related" => 'r',
            ":forget" => 'f',
            ":yes" => 'y',
            ":rule" => 'P',
            ":no" => 'n',
            number if is_number(number) && rest.is_empty() => 'o',
            command if command.starts_with(':') => {
                writeln!(out, "there is no command {command}; :help lists them")?;
                return Ok(true);
            }
            _ => {
                self.state.show(Tab::Search);
                self.state.query = Input::new(typed);
                return match self.state.ask() {
                    Some(Action::Ask(request)) => self.ask(out, input, request).map(|()| true),
                    _ => Ok(true),
                };
            }
        };
        self.act(out, input, key, if rest.is_empty() { word } else { rest })?;
        Ok(true)
    }

    /// Applies a key of the list to the entry with a number.
    fn act(&mut self, out: &mut dyn Write, input: &mut dyn BufRead, key: char, number: &str) -> Result<()> {
        let count = self.state.page().items.len();
        let Some(at) = number.parse().ok().filter(|number| (1..=count).contains(number)) else {
            let known =
                if count == 0 { "there are no results".into() } else { format!("the results are 1 to {count}") };
            return Ok(writeln!(out, "{number} is no result: {known}")?);
        };
        self.state.page_mut().select(at - 1);
        if key == 't' {
            if let Some(request) = self.state.missing_text() {
                let reply = (self.answer)(&request);
                self.state.apply(reply);
            }
            let item = self.state.item().cloned().unwrap_or_default();
            return Ok(writeln!(out, "{}\n{}", item.heading, item.shown())?);
        }
        if let Some(item) = self.state.page_mut().items.get_mut(at - 1) {
            item.expanded = None;
        }
        match self.state.command(key) {
            Some(Action::Open(place)) => match self.line.open(&place) {
                Ok(()) => writeln!(out, "opened {}", place.shown())?,
                Err(error) => writeln!(out, "{}", message(&error))?,
            },
            Some(Action::Ask(request)) => self.ask(out, input, request)?,
            _ => self.settle(out, input)?,
        }
        Ok(())
    }

    /// Asks, applies the reply, and prints it.
    fn ask(&mut self, out: &mut dyn Write, input: &mut dyn BufRead, request: Request) -> Result<()> {
        self.ask_from(out, input, (request, 0))
    }

    /// Like `ask`, but leaves out the first entries of a list, which were printed before.
    fn ask_from(
        &mut self,
        out: &mut dyn Write,
        input: &mut dyn BufRead,
        (request, listed): (Request, usize),
    ) -> Result<()> {
        let reply = (self.answer)(&request);
        let shows_list = matches!(reply, Reply::Hits { .. } | Reply::Tab(..) | Reply::Related { .. });
        let text = match &reply {
            Reply::Text { text, .. } => Some(text.clone()),
            _ => None,
        };
        // The list stays as it is after a write, so that its numbers mean what they did.
        self.state.apply(reply);
        self.state.is_waiting = false;
        if let Some(text) = text {
            writeln!(out, "{text}")?;
        }
        if shows_list {
            self.list(out, listed)?;
            let state = &self.state;
            let more = if state.shows_hits() && state.has_more && state.irrelevant.is_empty() {
                ":more looks for further hits"
            } else if listed > 0 && listed == state.page().items.len() {
                "there are no more hits"
            } else {
                ""
            };
            let said = self.state.said();
            let parts = [said.as_str(), more].into_iter().filter(|part| !part.is_empty());
            self.state.message = parts.collect::<Vec<_>>().join("; ");
            self.state.leave_reason();
        }
        self.settle(out, input)
    }

    /// Prints the message, and asks what the bar asks.
    fn settle(&mut self, out: &mut dyn Write, input: &mut dyn BufRead) -> Result<()> {
        self.line.notices().iter().try_for_each(|notice| writeln!(out, "{notice}"))?;
        if !self.state.message.is_empty() {
            writeln!(out, "{}", std::mem::take(&mut self.state.message))?;
        }
        let request = match self.state.bar.take() {
            Some(Bar::Confirm { question, line, then }) => {
                writeln!(out, "{line}")?;
                let is_yes = self.decision(out, input, &format!("{question} y or n:"))?.as_deref() == Some("y");
                is_yes.then_some(then)
            }
            Some(Bar::Near { text, id, line }) => {
                writeln!(out, "nearly the same: {line}")?;
                match self.decision(out, input, "a adds it, r replaces that line, l leaves it:")?.as_deref() {
                    Some("a") => Some(Request::Remember { text, replace: None, force: true }),
                    Some("r") => Some(Request::Remember { text, replace: Some(id), force: false }),
                    _ => None,
                }
            }
            Some(Bar::Text { .. }) | None => return Ok(()),
        };
        match request {
            Some(request) => self.ask(out, input, request),
            None => Ok(writeln!(out, "nothing was changed")?),
        }
    }

    /// Prints a question, and reads what the person decides; `None` at the end of the input.
    fn decision(&self, out: &mut dyn Write, input: &mut dyn BufRead, question: &str) -> Result<Option<String>> {
        // A program reads whole lines.
        write!(out, "{question}{}", if self.is_typed { ' ' } else { '\n' })?;
        out.flush()?;
        Ok(read(input)?.map(|typed| typed.trim().to_owned()))
    }

    /// Prints the entries behind those that were printed before.
    fn list(&self, out: &mut dyn Write, listed: usize) -> Result<()> {
        let page = self.state.page();
        if page.items.is_empty() && self.state.said().is_empty() {
            writeln!(out, "{}", self.state.tab.nothing(self.state.names))?;
        }
        for (number, item) in (1..).zip(&page.items).skip(listed) {
            let Item { name, heading, remark, text, kind, .. } = item;
            let parts = [name, heading, remark].map(String::as_str).into_iter().filter(|part| !part.is_empty());
            let said = parts.collect::<Vec<_>>().join(", ");
            if !said.is_empty() {
                writeln!(out, "{number}. {said}")?;
            }
            match kind {
                Kind::Hit(_) => {
                    let first = text.lines().find(|line| !line.trim().is_empty());
                    first.map_or(Ok(()), |line| writeln!(out, "   {}", line.trim()))?;
                }
                _ if said.is_empty() => writeln!(out, "{text}")?,
                _ => {}
            }
        }
        Ok(())
    }
}

fn is_number(text: &str) -> bool {
    (1..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a line; `None` at the end of the input.
fn read(input: &mut dyn BufRead) -> Result<Option<String>> {
    let mut line = Vec::new();
    let read = Read::take(input, 1 << 16).read_until(b'\n', &mut line)?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests;
