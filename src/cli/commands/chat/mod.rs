//! `tars chat`, `tars conversations`

mod aside;
mod inline;
mod markdown;
mod repl;
mod screen;
mod table;

use std::io::{self, IsTerminal, Write};

use crate::args::{Chat, Conversations as ConversationsArgs};
use crate::terminal::sanitize_line;
use crate::times::ago;
use crate::{Outcome, interrupt, json, prompt, terminal};
use screen::Screen;
use tars_assistant::commands::is_command;
use tars_assistant::conversation::{Conversation, Conversations};
use tars_assistant::{Assistant, Channel, Options};
use tars_chat::CancelToken;
use tars_config::ChatProvider;
use tars_service::memory::{ResetMemoryRequest, ResetSoulRequest};
use tars_service::{App, Backend, ChatChoice, ChatModelError, ConversationModel, Refusal, Result, Service};

pub(crate) fn run(app: App, args: &Chat) -> Result<Outcome> {
    if args.reset_memory || args.reset_soul {
        return reset(&app, args.reset_soul);
    }
    // A model must not see private notes.
    let app = app.without_private_files();
    let service = Service::new(&app, Backend::Fallback);
    service.set_client(Some("chat"));
    let message = message(args)?;
    let model = match model(&app, args) {
        Err(error) if message.as_ref().is_some_and(|text| !is_command(text)) => return Err(error.into()),
        model => model,
    };
    let conversation = conversation(&app, args)?;
    let told = model.as_ref().err().map(|error| (error.to_string(), error.hint()));
    let assistant = Assistant::new(&service, conversation, model.ok(), Options { tools: !args.no_tools });
    let screen = Screen::new(args.plain, args.tokens);
    match message {
        Some(message) => once(assistant, screen, &message),
        None => {
            if let Some((error, hint)) = told {
                let message = format!("{error}; search, context and the other commands work without one (/help)");
                terminal::print_problem(&message, hint.as_deref());
            }
            repl::run(assistant, screen)
        }
    }
}

/// Lists the files that would move, asks for confirmation, and moves them.
fn reset(app: &App, is_soul: bool) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let ask = |dry_run| match is_soul {
        true => service.call(&ResetSoulRequest { dry_run }),
        false => service.call(&ResetMemoryRequest { dry_run }),
    };
    let found = ask(true)?;
    if found.moved.is_empty() {
        terminal::print_note("there is nothing to reset");
        return Ok(Outcome::Nothing);
    }
    for file in &found.moved {
        writeln!(anstream::stdout().lock(), "{} -> {}", sanitize_line(&file.from), sanitize_line(&file.to))?;
    }
    if !prompt::can_ask() {
        terminal::print_note("nothing was moved: there is no terminal to ask at");
        return Ok(Outcome::Nothing);
    }
    if prompt::choose("Move these files? [y]es, or [n]o?", &['y', 'n'])? != 'y' {
        return Ok(Outcome::Nothing);
    }
    let done = ask(false)?;
    terminal::print_note(&format!(
        "{} moved (tars undo brings them back)",
        tars_base::domain::pluralize(done.moved.len(), "file")
    ));
    Ok(Outcome::Done)
}

/// Sends one message and prints the answer.
fn once(mut assistant: Assistant<'_, '_>, mut screen: Screen, message: &str) -> Result<Outcome> {
    if is_command(message) {
        let reply = assistant.command(message, Channel::Program, &mut screen)?;
        screen.markdown(&reply.text);
        return Ok(Outcome::Done);
    }
    let cancel = CancelToken::default();
    let token = cancel.clone();
    interrupt::on_signal(move || token.cancel());
    screen.stops_with(&cancel);
    let end = assistant.run_turn(message, &mut screen, &cancel);
    // The beginning of an answer that broke off is shown before the error.
    screen.end_line();
    let end = end?;
    screen.end_of_answer(&end);
    assistant.note_without_model(&mut screen);
    Ok(if end.is_stopped { Outcome::Interrupted } else { Outcome::Done })
}

/// Returns the message: the words, followed by piped standard input.
fn message(args: &Chat) -> Result<Option<String>> {
    let words = args.message.join(" ");
    if io::stdin().is_terminal() {
        return Ok(Some(words).filter(|words| !words.trim().is_empty()));
    }
    let piped = prompt::read_text(&["-".to_owned()], "message")?;
    Ok(match (words.trim().is_empty(), piped.trim().is_empty()) {
        (true, true) => {
            let message = "there is no message".to_owned();
            return Err(Refusal { message, hint: "tars chat \"QUESTION\", or tars chat at a terminal".into() }.into());
        }
        (true, false) => Some(piped),
        (false, true) => Some(words),
        (false, false) if is_command(&words) => Some(format!("{words} {}", piped.trim_end())),
        (false, false) => Some(format!("{words}\n\n<input>\n{}\n</input>", piped.trim_end())),
    })
}

fn model(app: &App, args: &Chat) -> Result<ConversationModel, ChatModelError> {
    let provider = match args.provider.as_deref() {
        None => None,
        Some(word) => match serde_json::from_value::<ChatProvider>(serde_json::Value::String(word.to_lowercase())) {
            Ok(provider) => Some(provider),
            Err(_) => return Err(ChatModelError::UnknownProvider(sanitize_line(word))),
        },
    };
    app.conversation_model(&ChatChoice { provider, model: args.model.clone() })
}

fn conversation(app: &App, args: &Chat) -> Result<Conversation> {
    let conversations = Conversations::new(app.data_dir()?);
    if let Some(id) = &args.conversation {
        return Ok(conversations.open(id)?);
    }
    if args.r#continue {
        let Some(last) = conversations.list()?.into_iter().next() else {
            let message = "there is no conversation to go on with".to_owned();
            return Err(Refusal { message, hint: "tars chat".into() }.into());
        };
        return Ok(conversations.open_existing(&last.id)?);
    }
    Ok(conversations.begin(&app.environment.clock.now(), None)?)
}

pub(crate) fn conversations(app: &App, args: &ConversationsArgs) -> Result<Outcome> {
    let found = Conversations::new(app.data_dir()?).list()?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &found)?;
    } else {
        let now = app.environment.clock.now();
        for one in &found {
            let line = format!("{:<16}  {}  {}", ago(one.at, &now), one.id, sanitize_line(&one.title));
            writeln!(out, "{}", terminal::for_output(&line, 2))?;
        }
        if found.is_empty() {
            terminal::print_note("there is no conversation yet (tars chat)");
        }
    }
    Ok(if found.is_empty() { Outcome::Nothing } else { Outcome::Done })
}
