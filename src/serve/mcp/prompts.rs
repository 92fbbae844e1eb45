//! Prompts that a person can start from the client: `recall`, `week` and `handoff`.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use super::ServerOptions;
use super::arguments::Arguments;
use super::failure::Failure;
use tars_service::memory::WeekRequest;
use tars_service::sessions::HandoffRequest;
use tars_service::{ContextRequest, Length, Service, agent_text};
use tars_text::redact::redact;

/// Most tokens of a handoff.
const HANDOFF_TOKENS: usize = 600;

/// Returns the prompts that `options` allow: all need the memory.
pub(super) fn list(options: &ServerOptions) -> Vec<Prompt> {
    if !options.exposes_memory() {
        return Vec::new();
    }
    let argument = |name: &str, about: &str, required: bool| {
        let mut argument = PromptArgument::new(name).with_description(about);
        argument.required = Some(required);
        vec![argument]
    };
    vec![
        Prompt::new(
            "recall",
            Some("What the notes and the memory say about a topic"),
            Some(argument("topic", "What it is about", true)),
        ),
        Prompt::new(
            "week",
            Some("Seven days: decided, open, contradicted, to review"),
            Some(argument("day", "The last of the days; today where it is left out", false)),
        ),
        Prompt::new(
            "handoff",
            Some("Go on with the last session of this project, whatever client it ran in"),
            Some(
                [
                    argument("session", "Its id; the last one where it is left out", false),
                    argument("project", "The project's name; that of the server's folder where it is left out", false),
                ]
                .concat(),
            ),
        ),
    ]
}

/// Builds a prompt of the list.
pub(super) fn get(
    service: &Service<'_>,
    options: &ServerOptions,
    name: &str,
    arguments: Option<JsonObject>,
) -> Result<GetPromptResult, Failure> {
    let mut given = Arguments::new(arguments);
    let (request, known) = if name == "recall" {
        let topic = given.text(&["topic"])?.ok_or_else(|| Failure::invalid("'topic' is missing"))?;
        given.finish(&["topic"])?;
        (recall(service, options, topic)?, "What my notes say about a topic")
    } else if name == "handoff" {
        let (session, project) = (given.text(&["session", "id"])?, given.text(&["project"])?);
        given.finish(&["session", "project"])?;
        (handoff(service, options, session, project)?, "The state of an earlier session")
    } else {
        let day = given.text(&["day"])?;
        given.finish(&["day"])?;
        let week = service.call(&WeekRequest { day, ..WeekRequest::default() })?;
        let told = agent_text::week(&week, options.budget);
        (
            format!(
                "Look back on this week with me: what was decided, what is open, what contradicts itself.\n\n{told}"
            ),
            "Seven days",
        )
    };
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, redact(&request).text)]);
    result.description = Some(known.into());
    Ok(result)
}

fn recall(service: &Service<'_>, options: &ServerOptions, topic: String) -> Result<String, Failure> {
    let asked = format!("What do my notes say about this: {topic}");
    let found = service.call(&ContextRequest {
        query: Some(topic),
        length: Some(Length::Tokens(options.budget)),
        collections: options.collections.clone(),
        ..ContextRequest::default()
    })?;
    let block = found.block.unwrap_or_else(|| "(tars found nothing relevant.)".to_owned());
    Ok(format!("{asked}\n\n{block}"))
}

fn handoff(
    service: &Service<'_>,
    options: &ServerOptions,
    session: Option<String>,
    project: Option<String>,
) -> Result<String, Failure> {
    let directory = service.app().environment.directory.as_ref().map(|path| path.to_string_lossy().into_owned());
    let directory = directory.filter(|_| project.is_none());
    let tokens = Some(HANDOFF_TOKENS.min(options.budget));
    let found = service.call(&HandoffRequest { session, project, directory, tokens, ..HandoffRequest::default() })?;
    let text = found.text.unwrap_or_else(|| "(tars noted no other session of this project.)".to_owned());
    Ok(format!(
        "Go on with this work. Take its decisions and findings as known, and look at the changed files first.\n\n{text}"
    ))
}
