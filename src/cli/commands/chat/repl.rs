//! The interactive conversation at a terminal.

use std::sync::{Arc, Mutex, PoisonError};

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Context, Editor, ExternalPrinter, Helper, Highlighter, Hinter};

use super::aside::Aside;
use super::screen::Screen;
use crate::terminal::sanitize_line;
use crate::{Outcome, errors, terminal};
use tars_assistant::commands::{COMMANDS, Effect, is_command};
use tars_assistant::{Assistant, Channel, with_schedules_running};
use tars_base::domain::pluralize;
use tars_base::private;
use tars_chat::CancelToken;
use tars_service::{Error, NotesRequest, Refusal, Result, Service};
use tars_text::redact::redact;

const PROMPT: &str = "you> ";
/// File of the input history, in the data directory.
const HISTORY: &str = "chat-history.txt";
const MAX_HISTORY: usize = 1_000;
/// Most names of notes in a completion.
const MAX_NAMES: usize = 30;
/// Commands whose argument is a note.
const OF_NOTES: [&str; 4] = ["/read ", "/get ", "/find ", "/session "];

type LineEditor<'s, 'a> = Editor<Lines<'s, 'a>, FileHistory>;

/// The helper of the line editor: completions, and detection of incomplete input.
#[derive(Helper, Hinter, Highlighter)]
struct Lines<'s, 'a> {
    service: &'s Service<'a>,
}

impl Completer for Lines<'_, '_> {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..at).unwrap_or_default();
        if let Some(begin) = OF_NOTES.iter().find(|begin| typed.starts_with(**begin)) {
            let request = NotesRequest {
                name: typed[begin.len()..].to_owned(),
                limit: Some(MAX_NAMES),
                ..NotesRequest::default()
            };
            let notes = self.service.call(&request).map(|found| found.notes).unwrap_or_default();
            let pair = |path: String| Pair { display: path.clone(), replacement: path };
            return Ok((begin.len(), notes.into_iter().map(|note| pair(sanitize_line(&note.path))).collect()));
        }
        if !typed.starts_with('/') || typed.contains(' ') {
            return Ok((at, Vec::new()));
        }
        let names = COMMANDS.iter().filter(|command| command.name.starts_with(&typed[1..]));
        let pair = |name: &str| Pair { display: format!("/{name}"), replacement: format!("/{name} ") };
        Ok((0, names.map(|command| pair(command.name)).collect()))
    }
}

impl Validator for Lines<'_, '_> {
    /// Input continues after a line that ends with `\`, and within an open fence.
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let typed = context.input();
        let fences = typed.lines().filter(|line| line.trim_start().starts_with("```")).count();
        let goes_on = typed.ends_with('\\') || fences % 2 == 1;
        Ok(if goes_on { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

/// Runs the conversation, and the schedules at the same time.
pub(super) fn run(assistant: Assistant<'_, '_>, screen: Screen) -> Result<Outcome> {
    let service = assistant.service();
    let config = Config::builder().max_history_size(MAX_HISTORY).map_err(Error::without_hint)?.build();
    let mut editor: LineEditor<'_, '_> = Editor::with_config(config).map_err(Error::without_hint)?;
    editor.set_helper(Some(Lines { service }));
    let printer = editor.create_external_printer().ok();
    let aside = Aside::new(printer.map(|printer| Box::new(printer) as Box<dyn ExternalPrinter + Send>));
    with_schedules_running(service.app(), &|text: &str| aside.show(text), || hold(assistant, screen, editor, &aside))
}

fn hold(
    mut assistant: Assistant<'_, '_>,
    mut screen: Screen,
    mut editor: LineEditor<'_, '_>,
    aside: &Aside,
) -> Result<Outcome> {
    let history = assistant.service().app().data_dir()?.join(HISTORY);
    // A missing history does not stop the conversation.
    let _ = editor.load_history(&history);
    let current = Arc::default();
    stop_answers_on_signals(&current);
    if assistant.is_first_contact() {
        screen.markdown(
            "Hello, I am tars. I know nothing of you yet, and remember what you tell me. What is on your mind?",
        );
    }
    if let Some(name) = assistant.model_name() {
        terminal::print_note(&format!(
            "{name} answers; /help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves"
        ));
    }
    loop {
        let line = match editor.readline(PROMPT) {
            Ok(line) => line.replace("\\\n", "\n"),
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(Error::without_hint(error)),
        };
        if line.trim().is_empty() {
            continue;
        }
        // The stored history contains no secrets.
        if editor.add_history_entry(redact(&line).text).map_err(Error::without_hint)? {
            let _ = editor.append_history(&history);
            private::restrict_to_owner(&history);
        }
        let token = CancelToken::default();
        *current.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        screen.stops_with(&token);
        let answered = aside.after(|| answer(&mut assistant, &mut screen, line.trim(), &token));
        *current.lock().unwrap_or_else(PoisonError::into_inner) = None;
        match answered {
            Ok(Effect::Quit) => break,
            Ok(Effect::None | Effect::Cleared) => {}
            Err(error) => {
                screen.end_line();
                errors::print(&error);
            }
        }
    }
    let ending = assistant.end(&mut screen);
    if let Some(log) = ending.log {
        terminal::print_note(&format!("noted in {log}"));
    }
    if ending.applied > 0 {
        terminal::print_note(&format!("{} kept (tars undo takes that back)", pluralize(ending.applied, "line")));
    }
    if ending.proposed > 0 {
        terminal::print_note(&format!(
            "{} to decide about: tars review --proposals",
            pluralize(ending.proposed, "proposal")
        ));
    }
    Ok(Outcome::Done)
}

fn answer(assistant: &mut Assistant<'_, '_>, screen: &mut Screen, line: &str, token: &CancelToken) -> Result<Effect> {
    if is_command(line) {
        let reply = assistant.command(line, Channel::Terminal, screen)?;
        screen.markdown(&reply.text);
        return Ok(reply.effect);
    }
    if assistant.model_name().is_none() {
        let message = "there is no model to answer; commands work without one (/help)".to_owned();
        let hint = "/model PROVIDER NAME, or tars config set chat.provider and chat.model".to_owned();
        return Err(Refusal { message, hint }.into());
    }
    let end = assistant.run_turn(line, screen, token)?;
    screen.end_of_answer(&end);
    Ok(Effect::None)
}

/// Makes a signal stop the current answer. A second signal, or one at the prompt, exits the program; everything said is on disk by then.
/// Ctrl-C at the prompt is not a signal, because the line editor handles it.
fn stop_answers_on_signals(current: &Arc<Mutex<Option<CancelToken>>>) {
    let current = Arc::clone(current);
    let set = ctrlc::set_handler(move || match &*current.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(token) if !token.is_cancelled() => token.cancel(),
        _ => std::process::exit(130),
    });
    if let Err(error) = set {
        tracing::warn!(%error, "signals end the command at once");
    }
}
