//! Selects the messages to send: all of them, or whole turns from the newest backwards until a token budget is used up.
//!
//! A turn is a user's message and everything up to the next one. A tool call and its result are in one turn, so they
//! stay together, as servers require. The system text is not a message and is always sent.

use super::{ChatRequest, Message};
use tars_base::domain::{ApproximateTokens, CountTokens};

/// Tokens of a message besides its text: its role and the markers around it, as chat templates write them.
const PER_MESSAGE: usize = 4;

/// Returns the messages that fit into the request's budget together with its system text and tools. The newest turn is
/// always included, even if it alone exceeds the budget, because the server may count differently.
pub(super) fn fit_to_budget(request: &ChatRequest) -> &[Message] {
    let messages = &request.messages;
    let Some(budget) = request.limits.history_tokens else { return messages };
    let mut used = ApproximateTokens.count(&request.system) + request.tools.iter().map(tool_tokens).sum::<usize>();
    let mut kept = messages.len();
    for (index, message) in messages.iter().enumerate().rev() {
        used += tokens(message);
        if used > budget && kept < messages.len() {
            break;
        }
        if matches!(message, Message::User(_)) || index == 0 {
            kept = index;
        }
    }
    &messages[kept..]
}

fn tokens(message: &Message) -> usize {
    let text = |text: &str| ApproximateTokens.count(text) + PER_MESSAGE;
    match message {
        Message::User(said) | Message::ToolResult { text: said, .. } => text(said),
        Message::Assistant { text: said, calls, carried } => {
            let call = |call: &super::ToolCall| text(&call.name) + text(&call.arguments.for_history().to_string());
            // Reasoning and signatures are mostly Latin characters.
            let carried = carried.as_ref().map_or(0, |carried| carried.len() / 4);
            text(said) + calls.iter().map(call).sum::<usize>() + carried
        }
    }
}

fn tool_tokens(tool: &super::Tool) -> usize {
    let texts = [tool.name.as_str(), &tool.description, &tool.parameters.to_string()];
    texts.iter().map(|text| ApproximateTokens.count(text)).sum::<usize>() + PER_MESSAGE
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Arguments, Limits, ToolCall};

    fn conversation() -> Vec<Message> {
        let call =
            ToolCall { id: "1".into(), name: "search".into(), arguments: Arguments::Complete(json!({"q": "pump"})) };
        vec![
            Message::User("first ".repeat(20)),
            Message::Assistant { text: "an answer".into(), calls: Vec::new(), carried: None },
            Message::User("second".into()),
            Message::Assistant { text: String::new(), calls: vec![call], carried: None },
            Message::ToolResult { call_id: "1".into(), text: "found ".repeat(20), is_error: false },
            Message::Assistant { text: "there".into(), calls: Vec::new(), carried: None },
            Message::User("third".into()),
        ]
    }

    fn kept(messages: Vec<Message>, budget: usize) -> usize {
        let limits = Limits { history_tokens: Some(budget), ..Limits::default() };
        fit_to_budget(&ChatRequest { messages, limits, system: "Be terse.".into(), ..ChatRequest::default() }).len()
    }

    #[test]
    fn only_whole_turns_are_left_out_and_never_the_newest() {
        let counts: Vec<usize> = (0..200).map(|budget| kept(conversation(), budget)).collect();
        assert_eq!((counts[0], counts[199]), (1, 7));
        assert!(counts.iter().all(|count| [1, 5, 7].contains(count)), "{counts:?}");
        assert!(counts.is_sorted() && counts.contains(&5), "{counts:?}");
    }

    #[test]
    fn without_a_budget_everything_is_sent() {
        let request = ChatRequest { messages: conversation(), ..ChatRequest::default() };
        assert_eq!(fit_to_budget(&request).len(), 7);
        assert_eq!(kept(Vec::new(), 10), 0);
    }

    #[test]
    fn a_long_newest_turn_stays_whole() {
        let mut messages = conversation();
        messages.pop();
        assert_eq!(kept(messages, 1), 4, "a result would stand without its call");
    }
}
