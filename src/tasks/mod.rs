//! What tars itself gives a language model to do: what came of a session's turns, a question in other words, what follows from
//! lines of memory.
//!
//! These are single questions whose answers only tars reads: no tools are handed over, so none can be called, nothing is
//! streamed, and nothing is tried twice, since each task has a way to do without. A model sees turns or a question without
//! their secrets and marked as data; what it answers is cleaned like any foreign text. Where it fails, the notes that the rules
//! made ([`digest`](crate::digest)) stay, and the question stands alone.

mod answer;
mod claims;
mod error;
mod lenient;
mod notes;
mod prompt;
mod reword;
mod summary;
mod task;

use std::ops::ControlFlow;
use std::time::Duration;

pub use answer::{MOST_FACTS, SessionNotes, TurnNotes};
pub use claims::{Claim, Claims, SourceLine, TaskModel};
pub use error::TaskError;
pub use notes::{SessionTurn, session_notes};
pub use prompt::{Instructions, InstructionsError, LONGEST_PROMPT};
pub use reword::{MOST_REWRITES, reword};
pub use summary::sum_up;
pub use task::Task;

use crate::chat::{ChatModel, ChatRequest, Limits, Message};
use prompt::Prompt;

/// Whether a request is a task of ours: a transcript may hold what a program was told to do for another one.
pub fn is_own_task(request: &str) -> bool {
    [notes::OPENING, reword::OPENING, claims::OPENING, summary::OPENING]
        .iter()
        .any(|opening| request.starts_with(opening))
}

/// Has a model do a task. What comes back is foreign text.
fn complete(model: &dyn ChatModel, prompt: Prompt, timeout: Duration) -> Result<String, TaskError> {
    let request = ChatRequest {
        system: prompt.task,
        messages: vec![Message::User(prompt.data)],
        limits: Limits::single_try(timeout),
        ..ChatRequest::default()
    };
    let completion = model.send(&request, &mut |_| ControlFlow::Continue(()))?;
    if let Some(call) = completion.refused_calls.first() {
        let (name, tool) = (model.name().to_owned(), call.name.escape_debug().collect());
        if completion.text.trim().is_empty() {
            return Err(TaskError::CalledTool { name, tool });
        }
        tracing::debug!(name, tool, "the model called a tool, and was given none");
    }
    Ok(without_thoughts(&completion.text).to_owned())
}

/// Returns what stands after the reasoning of a model whose template opens the reasoning itself, so that only the closing
/// mark is in the answer.
fn without_thoughts(text: &str) -> &str {
    text.rsplit_once("</think>").map_or(text, |(_, answer)| answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_no_bullets() {
        assert_eq!(without_thoughts("- hm\n</think>\n- Fixed it"), "\n- Fixed it");
    }
}
