//! Fits a conversation into the context window of its model.
//!
//! The settings bound what is sent; a smaller window bounds it further. Servers that tell their window are asked, others refuse a request
//! that is too long: then the older part is summed up, long results of tools are cut, and the request is sent once more. Estimates of
//! tokens are rough, so a quarter of the window stays free for the difference and for the answer.

use super::conversation::Entry;
use super::tools::one_line;
use super::{Assistant, AssistantError, ChatFrontend, TurnEvent};
use tars_base::domain::{ApproximateTokens, CountTokens};
use tars_chat::{ChatModel, ChatRequest, Message};

/// Percentage of a window that a request may take by estimate.
const SHARE: usize = 75;
/// Percentage of a refused request that the next one may have.
const SMALLER: usize = 66;
/// Denominator of the share of a small window for the memory in the system prompt.
const PROMPT: usize = 4;
/// Minimum number of tokens that a cut tool result keeps.
const SMALLEST_RESULT: usize = 100;

impl Assistant<'_, '_> {
    /// Returns the tokens that a request may have: system text, tools and messages.
    pub(super) fn request_tokens(&self) -> usize {
        let usual = self.settings.history_tokens + self.settings.prompt_tokens;
        self.fits.map_or(usual, |fits| fits.min(usual))
    }

    /// Returns the tokens that the conversation may have in a request.
    pub(super) fn history_tokens(&self) -> usize {
        self.fits.map_or(self.settings.history_tokens, |fits| self.settings.history_tokens.min(fits / 2))
    }

    /// Returns the tokens that the memory may have in the system prompt.
    pub(super) fn prompt_tokens(&self) -> usize {
        self.fits.map_or(self.settings.prompt_tokens, |fits| self.settings.prompt_tokens.min(fits / PROMPT))
    }

    /// Asks a server for its window if it answers that quickly and nothing is known of it.
    pub(super) fn learn_window(&mut self) {
        if self.fits.is_none()
            && let Some(window) = self.model.as_ref().and_then(|model| model.model.window(false))
        {
            self.set_fits(window * SHARE / 100);
        }
    }

    fn set_fits(&mut self, fits: usize) {
        if self.fits != Some(fits) {
            // The system prompt depends on it.
            (self.fits, self.prompt) = (Some(fits), None);
        }
    }

    /// Makes a request smaller that the server has refused as too long. `window` is what the server said.
    pub(super) fn make_room(&mut self, refused: &ChatRequest, window: Option<usize>, frontend: &mut dyn ChatFrontend) {
        let window = window.or_else(|| self.model.as_ref()?.model.window(true));
        // The server counts more tokens than the estimate, so the estimate must shrink even below the window.
        let smaller = estimate(refused).min(self.request_tokens()) * SMALLER / 100;
        self.set_fits(window.map_or(smaller, |window| smaller.min(window * SHARE / 100)));
        frontend.show(TurnEvent::Notice(&match window {
            Some(window) => {
                format!("the conversation is too long for the model's window of {window} tokens; making room")
            }
            None => "the conversation is too long for the model's window; making room".to_owned(),
        }));
        if let Err(error) = self.sum_up_for_room(frontend) {
            let line = one_line(&format!("the older part of the conversation could not be summed up: {error}"), 200);
            frontend.show(TurnEvent::Notice(&line));
        }
    }

    /// Makes a request fit into a small window.
    pub(super) fn fit(&self, request: &mut ChatRequest) {
        if let Some(fits) = self.fits {
            fit_into(request, fits);
        }
    }

    /// Says once that a request has no tools, because the window has no room for them.
    pub(super) fn report_lack_of_room(&mut self, request: &ChatRequest, frontend: &mut dyn ChatFrontend) {
        const LINE: &str = "the model's window has no room for tools: this answer comes without them";
        if request.tools.is_empty() && self.supports_tools() && self.reported_errors.insert(LINE.to_owned()) {
            frontend.show(TurnEvent::Notice(LINE));
        }
    }

    /// Goes on without tools, because the server refuses them for this model, and remembers that for this conversation.
    pub(super) fn go_on_without_tools(&mut self, frontend: &mut dyn ChatFrontend) -> Result<(), AssistantError> {
        let Some(name) = self.model_name().map(str::to_owned) else { return Err(AssistantError::NoModel) };
        let line = format!("{name} can call no tools: this conversation goes on without them, as with --no-tools");
        frontend.show(TurnEvent::Notice(&one_line(&line, 200)));
        self.add(Entry::WithoutTools { model: name })
    }

    /// Whether the server of this model has refused tools in this conversation.
    pub(super) fn refuses_tools(&self) -> bool {
        let is_refusal =
            |entry: &Entry| matches!(entry, Entry::WithoutTools { model } if Some(model.as_str()) == self.model_name());
        self.conversation.entries().iter().any(|stamped| is_refusal(&stamped.entry))
    }
}

/// Leaves out tools that take more than half of a request, and cuts results of tools if the newest turn alone is too long.
fn fit_into(request: &mut ChatRequest, fits: usize) {
    if tool_tokens(request) > fits / 2 {
        request.tools.clear();
    }
    let newest = request.messages.iter().rposition(|message| matches!(message, Message::User(_))).unwrap_or(0);
    let used = estimate(request) - tokens(&request.messages[..newest]);
    let Some(excess) = used.checked_sub(fits) else { return };
    let mut results: Vec<&mut String> = Vec::new();
    for message in &mut request.messages[newest..] {
        if let Message::ToolResult { text, .. } = message {
            results.push(text);
        }
    }
    let all: usize = results.iter().map(|text| count(text)).sum();
    let share = (all.saturating_sub(excess) / results.len().max(1)).max(SMALLEST_RESULT);
    for text in results {
        let tokens = count(text);
        if tokens > share {
            let most = text.chars().count() * share / tokens;
            *text = text.chars().take(most).chain("\n… cut: the model's window is full".chars()).collect();
        }
    }
}

fn count(text: &str) -> usize {
    ApproximateTokens.count(text)
}

fn tokens(messages: &[Message]) -> usize {
    let of_message = |message: &Message| match message {
        Message::User(text) | Message::ToolResult { text, .. } => count(text),
        Message::Assistant { text, calls, .. } => {
            let arguments =
                |call: &tars_chat::ToolCall| call.arguments.object().map_or(0, |object| count(&object.to_string()));
            count(text) + calls.iter().map(arguments).sum::<usize>()
        }
    };
    messages.iter().map(of_message).sum()
}

fn tool_tokens(request: &ChatRequest) -> usize {
    request.tools.iter().map(|tool| count(&tool.description) + count(&tool.parameters.to_string())).sum()
}

fn estimate(request: &ChatRequest) -> usize {
    count(&request.system) + tool_tokens(request) + tokens(&request.messages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_chat::Tool;

    fn request() -> ChatRequest {
        let tool = Tool { name: "search".into(), description: "x".repeat(400), parameters: serde_json::json!({}) };
        let result = |words| Message::ToolResult { call_id: "1".into(), text: "word ".repeat(words), is_error: false };
        let messages = vec![Message::User("Why?".into()), result(4000), result(10), result(2000)];
        ChatRequest { system: "Be terse.".into(), messages, tools: vec![tool], ..ChatRequest::default() }
    }

    fn lengths(request: &ChatRequest) -> Vec<usize> {
        request.messages.iter().map(|message| tokens(std::slice::from_ref(message))).collect()
    }

    #[test]
    fn long_results_of_the_newest_turn_are_cut_until_it_fits() {
        let mut fitted = request();
        fit_into(&mut fitted, 3000);
        assert!(estimate(&fitted) <= 3000 + 30, "{}", estimate(&fitted));
        assert_eq!(lengths(&fitted)[2], lengths(&request())[2], "a short result stays whole");
        let Message::ToolResult { text, .. } = &fitted.messages[1] else { panic!("a result") };
        assert!(text.ends_with("the model's window is full"));
        assert_eq!(fitted.tools.len(), 1);
    }

    #[test]
    fn a_fitting_request_is_unchanged_and_tools_without_room_are_left_out() {
        let mut fitted = request();
        fit_into(&mut fitted, 100_000);
        assert_eq!(fitted.messages, request().messages);
        fit_into(&mut fitted, 150);
        assert!(fitted.tools.is_empty());
        assert!(lengths(&fitted)[1] <= SMALLEST_RESULT + 30);
    }

    #[test]
    fn older_turns_are_no_reason_to_cut_the_newest() {
        let mut asked = request();
        asked.messages.push(Message::User("And why?".into()));
        let mut fitted = asked.clone();
        fit_into(&mut fitted, 3000);
        assert_eq!(fitted.messages, asked.messages, "the history is shortened by whole turns");
    }
}
