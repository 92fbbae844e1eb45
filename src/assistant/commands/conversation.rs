//! Commands about the conversation itself.

use super::super::conversation::{Conversations, Entry};
use super::super::tools::one_line;
use super::super::{Assistant, Channel, ChatFrontend, PromptPart};
use super::{COMMANDS, Command, Effect, Reply};
use tars_agent::context_block::unescape_line;
use tars_base::domain::pluralize;
use tars_config::ChatProvider;
use tars_service::memory::{DailyRequest, FeedbackRequest};
use tars_service::{ChatChoice, Refusal, Result, StatsRequest};

/// Characters of an answer that a feedback note quotes.
const ANSWER: usize = 200;
/// Number of days in the statistics.
const DAYS: usize = 14;

type Ran = Result<Reply>;

pub(super) fn wrong(assistant: &mut Assistant<'_, '_>, what: &str, _: &mut dyn ChatFrontend) -> Ran {
    feed_back(assistant, false, what)
}

pub(super) fn right(assistant: &mut Assistant<'_, '_>, what: &str, _: &mut dyn ChatFrontend) -> Ran {
    feed_back(assistant, true, what)
}

/// Notes the person's feedback on the last answer, for a review and in the daily log.
fn feed_back(assistant: &mut Assistant<'_, '_>, good: bool, what: &str) -> Ran {
    let last = assistant.conversation.entries().iter().rev().find_map(|stamped| match &stamped.entry {
        Entry::Assistant { text, .. } if !text.trim().is_empty() => Some(one_line(text, ANSWER)),
        _ => None,
    });
    let Some(answer) = last else {
        let message = "there is no answer yet to rate".to_owned();
        return Err(Refusal { message, hint: "ask something first".into() }.into());
    };
    let note = if what.is_empty() { format!("Good answer: {answer}") } else { format!("{what} (about: {answer})") };
    let line = assistant.service.call(&FeedbackRequest { good, note })?.line;
    let word = if good { "right" } else { "wrong" };
    let said = if what.is_empty() { String::new() } else { format!(": {what}") };
    let daily = DailyRequest { append: Some(format!("Feedback, {word}{said}")), ..DailyRequest::default() };
    assistant.service.call(&daily)?;
    Reply::markdown(format!("Noted: {}:{}", one_line(&line.path, 200), line.line))
}

pub(super) fn context(assistant: &mut Assistant<'_, '_>, _: &str, _: &mut dyn ChatFrontend) -> Ran {
    let mut private = assistant.settings.private_collections.clone();
    let collections = &assistant.service.app().settings.config.collections;
    private.extend(collections.iter().filter(|(_, one)| one.private).map(|(name, _)| name.clone()));
    private.sort();
    private.dedup();
    let private = private.join(", ");
    let prompt = assistant.prompt();
    let mut said = vec![format!("{} tokens are sent before the conversation:", prompt.tokens())];
    // The person reads the text as it stands in the notes; the model gets its marks escaped.
    let shown =
        |part: &PromptPart| format!("## {} ({} tokens)\n\n{}", part.name, part.tokens, unescape_line(&part.text));
    said.extend(prompt.parts.iter().map(shown));
    said.extend(prompt.problems.iter().map(|problem| format!("*{problem}*")));
    if !private.is_empty() {
        said.push(format!("*never sent: {private}*"));
    }
    let (summary, messages) = assistant.conversation.context();
    said.extend(summary.map(|summary| format!("## Summary of earlier messages\n\n{summary}")));
    said.push(format!("{} of the conversation follow.", pluralize(messages.len(), "message")));
    Reply::markdown(said.join("\n\n"))
}

pub(super) fn stats(assistant: &mut Assistant<'_, '_>, _: &str, _: &mut dyn ChatFrontend) -> Ran {
    let stats = assistant.service.call(&StatsRequest::default())?.model;
    if stats.days.is_empty() {
        return Reply::markdown("No language model was used in the last 30 days.");
    }
    let mut said = vec!["| day | task | calls | failed | sent | received |\n|---|---|---|---|---|---|".to_owned()];
    said.extend(stats.days.iter().take(DAYS).map(|day| {
        let about = if day.estimated { "~" } else { "" };
        format!(
            "| {} | {} | {} | {} | {about}{} | {about}{} |",
            day.day, day.task, day.calls, day.failures, day.input_tokens, day.output_tokens
        )
    }));
    Reply::markdown(said.join("\n"))
}

pub(super) fn model(assistant: &mut Assistant<'_, '_>, what: &str, _: &mut dyn ChatFrontend) -> Ran {
    let words: Vec<&str> = what.split_whitespace().collect();
    if words.is_empty() {
        return Reply::markdown(match assistant.model_name() {
            Some(name) => format!("{name} answers."),
            None => "No model answers: /model PROVIDER NAME, or the settings chat.provider and chat.model.".to_owned(),
        });
    }
    let provider = serde_json::from_value::<ChatProvider>(serde_json::json!(words[0])).ok();
    let name = words.get(usize::from(provider.is_some())).map(|name| (*name).to_owned());
    let model = assistant.choose_model(ChatChoice { provider, model: name })?;
    let said = match &model.remote_destination {
        Some(place) => format!("{} answers from now on. Your messages and search results go to {place}.", model.name),
        None => format!("{} answers from now on.", model.name),
    };
    Reply::markdown(said)
}

/// Sums up this conversation, or the logs of past months. A schedule's action has no conversation of its own.
pub(super) fn compact(assistant: &mut Assistant<'_, '_>, what: &str, frontend: &mut dyn ChatFrontend) -> Ran {
    let is_empty = assistant.conversation.entries().is_empty();
    match what {
        "months" => super::memory::compact(assistant, what, frontend),
        "" if is_empty && assistant.channel == Channel::Program => super::memory::compact(assistant, what, frontend),
        "" => Reply::markdown(match assistant.compact_now(frontend)? {
            true => "The model goes on with a summary and the last message; /export shows all of it.",
            false => "There is nothing to sum up before the last message.",
        }),
        other => {
            let message = format!("there is no /compact {}", one_line(other, 40));
            Err(Refusal { message, hint: "/compact for this conversation, /compact months for past months".into() }
                .into())
        }
    }
}

pub(super) fn clear(assistant: &mut Assistant<'_, '_>, _: &str, frontend: &mut dyn ChatFrontend) -> Ran {
    let ending = assistant.end(frontend);
    let app = assistant.service.app();
    let new = Conversations::new(app.data_dir()?).begin(&app.environment.clock.now(), None)?;
    assistant.replace_conversation(new);
    let log = ending.log.map(|log| format!(" The last one is noted in {log}.")).unwrap_or_default();
    Ok(Reply { text: format!("A new conversation begins.{log}"), effect: Effect::Cleared })
}

pub(super) fn help(assistant: &mut Assistant<'_, '_>, name: &str, _: &mut dyn ChatFrontend) -> Ran {
    if let Some(command) = Command::named(name.trim_start_matches('/')) {
        let others: Vec<String> = command.aliases.iter().map(|alias| format!("/{alias}")).collect();
        let others = if others.is_empty() { String::new() } else { format!(" (also {})", others.join(", ")) };
        return Reply::markdown(format!("`{}`{others}: {}", command.shown(), command.about));
    }
    // A single command call lists all commands, because the person may continue in a conversation.
    let is_here =
        |command: &&Command| assistant.channel == Channel::Program || command.min_channel <= assistant.channel;
    let line = |command: &Command| format!("- `{}` {}", command.shown(), command.about);
    Reply::markdown(COMMANDS.iter().filter(is_here).map(line).collect::<Vec<_>>().join("\n"))
}

pub(super) fn quit(_: &mut Assistant<'_, '_>, _: &str, _: &mut dyn ChatFrontend) -> Ran {
    Ok(Reply { text: String::new(), effect: Effect::Quit })
}
