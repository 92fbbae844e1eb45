//! Gives a subagent the context that is relevant to its task.

use std::path::Path;
use std::time::Duration;

use super::{answer_request, call_and_log, prompt, recall};
use tars_agent::client::{AgentClient, HookAnswer, HookInput};
use tars_agent::transcript;
use tars_service::{ContextRequest, Result, Service};

/// Retry limit and pause while waiting for a subagent's task to appear in the transcript.
const MAX_TRIES: u32 = 5;
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// Returns the task of a subagent: the event's prompt, else the one in the transcript; `None` if neither contains it. The client writes the
/// transcript a moment later, and the first one may not even exist yet.
fn task(input: &HookInput) -> Result<Option<String>> {
    // Codex names the subagent's own transcript, and sends the task as a prompt.
    if !input.prompt.is_empty() || input.client == AgentClient::Codex {
        return Ok(Some(input.prompt.clone()).filter(|task| !task.is_empty()));
    }
    let path = Path::new(&input.transcript);
    for _ in 0..MAX_TRIES {
        let tasks = if path.is_file() { transcript::last_helper_tasks(path, &input.agent_type)? } else { Vec::new() };
        if !tasks.is_empty() {
            return Ok(Some(tasks.join("\n\n")));
        }
        std::thread::sleep(RETRY_PAUSE);
    }
    if !path.is_file() {
        return Ok(None);
    }
    Ok(transcript::last_turn(path)?.map(|turn| turn.request))
}

/// Gives a subagent the context that is relevant to its task. Most clients' event does not carry the task, but by then the transcript
/// contains the message that starts the subagent; otherwise the agent's current request serves as the query. A subagent starts without the
/// conversation, so the lines that the session has already seen are new to it.
pub(super) fn started(service: &Service<'_>, input: &HookInput) -> Result<HookAnswer> {
    let app = service.app();
    if app.settings.config.vault.path.is_none() || (input.transcript.is_empty() && input.prompt.is_empty()) {
        return Ok(HookAnswer::default());
    }
    let Some(task) = task(input)? else { return Ok(HookAnswer::default()) };
    let Some(question) = prompt::question(input.client, &task) else { return Ok(HookAnswer::default()) };
    let request = ContextRequest { session: None, ..answer_request(app, input, question) };
    let answer = call_and_log(service, &request)?;
    recall::record(app, input, &task, &request, &answer);
    Ok(HookAnswer { context: answer.block, ..HookAnswer::default() })
}
