//! A turn to a few bullets, by a model or by rules.

use std::time::Duration;

use super::{TaskError, complete, prompt};
use crate::chat::ChatModel;
use crate::digest;
use crate::domain::Turn;
use crate::redact::redact_turn;

/// The name of the rules, as [`Notes::by`] has it.
pub const EXTRACTIVE: &str = "extractive";

/// A turn's bullets, and whose they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notes {
    /// At most [`MOST_BULLETS`](digest::MOST_BULLETS), without markers, free of secrets and comments.
    pub bullets: Vec<String>,
    /// Who made them.
    pub by: String,
    /// Who should have made them but failed.
    pub instead_of: Option<String>,
    /// Why that one failed.
    pub failure: Option<String>,
}

/// Has a model summarize a turn, without its secrets. Where the model fails or has nothing to say, the rules take its place.
pub fn summarize(model: &dyn ChatModel, turn: &Turn, timeout: Duration) -> Notes {
    let turn = redact_turn(turn);
    match bullets(model, &turn, timeout) {
        Ok(bullets) if bullets.is_empty() => extract_instead(&turn, model.name(), "it had nothing to say".into()),
        Ok(bullets) => Notes { bullets, by: model.name().into(), instead_of: None, failure: None },
        Err(error) => extract_instead(&turn, model.name(), error.to_string()),
    }
}

fn bullets(model: &dyn ChatModel, turn: &Turn, timeout: Duration) -> Result<Vec<String>, TaskError> {
    let said = complete(model, prompt::prompt(turn), timeout)?;
    Ok(digest::cleaned([said.as_str()]))
}

/// Returns the notes of a turn that the rules make, without its secrets.
pub fn extract(turn: &Turn) -> Notes {
    let bullets = digest::extract(&redact_turn(turn)).iter().map(digest::Outcome::line).collect();
    Notes { bullets, by: EXTRACTIVE.into(), instead_of: None, failure: None }
}

/// Returns the notes that the rules make in the place of those that `name` could not make.
pub fn extract_instead(turn: &Turn, name: &str, failure: String) -> Notes {
    Notes { instead_of: Some(name.to_owned()), failure: Some(failure), ..extract(turn) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Arguments, ChatError, ChatRequest, Completion, Message, OnEvent, StopReason, ToolCall, Usage};

    struct Says(Option<Completion>);

    impl ChatModel for Says {
        fn name(&self) -> &str {
            "says"
        }

        fn takes_tools(&self) -> bool {
            true
        }

        fn send(&self, request: &ChatRequest, _: &mut OnEvent<'_>) -> Result<Completion, ChatError> {
            let [Message::User(data)] = &request.messages[..] else { panic!("{request:?}") };
            assert!(data.contains("[redacted:private]") && !data.contains("house key"));
            assert!(request.tools.is_empty() && !request.stream && request.limits.tries == 1);
            self.0.clone().ok_or(ChatError::NoModelName)
        }
    }

    fn completion(text: &str) -> Completion {
        let (stop, usage) = (StopReason::Finished, Usage::default());
        Completion { text: text.into(), calls: vec![], refused_calls: vec![], stop, usage, omitted_messages: 0 }
    }

    fn notes(answer: Option<Completion>) -> Notes {
        let turn = Turn { request: "Where is <private>the house key</private>?".into(), ..Turn::default() };
        summarize(&Says(answer), &turn, Duration::from_secs(1))
    }

    #[test]
    fn where_a_model_fails_the_turn_speaks_for_itself() {
        let by_model = notes(Some(completion("<think>\n- hm</think>\n- # Fixed\u{1b}[31m it <!--")));
        assert_eq!((by_model.by.as_str(), by_model.instead_of), ("says", None));
        assert_eq!(by_model.bullets, ["Fixed[31m it <! --"]);
        for silent in [None, Some(completion(" \n"))] {
            let notes = notes(silent);
            assert_eq!(notes.bullets, ["Asked: Where is [redacted:private]?"]);
            assert_eq!((notes.by.as_str(), notes.instead_of.as_deref()), (EXTRACTIVE, Some("says")));
            assert!(notes.failure.is_some());
        }
    }

    #[test]
    fn a_tool_that_a_model_calls_uninvited_is_a_failure_with_a_reason() {
        let call = ToolCall { id: "1".into(), name: "rm\n".into(), arguments: Arguments::Unreadable(String::new()) };
        let answer = Completion { refused_calls: vec![call], ..completion("") };
        assert_eq!(notes(Some(answer.clone())).failure.unwrap(), "says called the tool rm\\n, and was given none");
        let beside = Completion { text: "- Fixed".into(), ..answer };
        assert_eq!(notes(Some(beside)).bullets, ["Fixed"]);
    }
}
