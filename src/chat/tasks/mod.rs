//! Tasks that tars itself gives a language model: noting the outcomes of a session's turns, rewording a question, and
//! drawing conclusions from lines of memory.
//!
//! Each task is a single request whose answer only tars reads. It offers no tools and does not stream. It has no retries, because every
//! task has a fallback. The model sees turns or a question without their secrets and marked as data, and its answer is cleaned like any
//! untrusted text. If a task fails, the notes made by rules stay, and a search uses only the question itself.

mod answer;
mod claims;
mod error;
mod knowledge;
mod lenient;
mod notes;
mod prompt;
mod reword;
mod summary;
mod task;

use std::ops::ControlFlow;
use std::time::Duration;

pub use answer::{MAX_FACTS, SessionNotes, TurnNotes};
pub use claims::{Claim, Claims, SourceLine, TaskModel};
pub use error::TaskError;
pub use knowledge::SessionKnowledge;
pub use notes::{SessionTurn, session_notes};
pub use prompt::{Instructions, InstructionsError, MAX_PROMPT_BYTES};
pub use reword::{MAX_REWRITES, reword};
pub use summary::summarize;
pub use task::Task;

use crate::{ChatModel, ChatRequest, Limits, Message};
use prompt::Prompt;

/// Whether a request is one of tars' own tasks. A transcript may contain such a request, if the model is a program that keeps transcripts.
pub fn is_own_task(request: &str) -> bool {
    [notes::OPENING, reword::OPENING, claims::OPENING, summary::OPENING]
        .iter()
        .any(|opening| request.starts_with(opening))
}

/// Runs a task. The result is untrusted text.
fn complete(model: &dyn ChatModel, prompt: Prompt, timeout: Duration) -> Result<String, TaskError> {
    let request = ChatRequest {
        system: prompt.task,
        messages: vec![Message::User(prompt.data)],
        limits: Limits::single_attempt(timeout),
        ..ChatRequest::default()
    };
    let completion = model.send(&request, &mut |_| ControlFlow::Continue(()))?;
    if let Some(call) = completion.refused_calls.first() {
        let (name, tool) = (model.name().to_owned(), call.name.escape_debug().collect());
        if completion.text.trim().is_empty() {
            return Err(TaskError::CalledTool { name, tool });
        }
        tracing::debug!(name, tool, "the model called a tool, but was offered none");
    }
    Ok(after_reasoning(&completion.text).to_owned())
}

/// Returns the text after the reasoning of a model whose template opens the reasoning itself, so that the answer
/// contains only the closing tag.
fn after_reasoning(text: &str) -> &str {
    text.rsplit_once("</think>").map_or(text, |(_, answer)| answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_removed_from_the_answer() {
        assert_eq!(after_reasoning("- hm\n</think>\n- Fixed it"), "\n- Fixed it");
    }
}
