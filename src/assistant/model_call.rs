//! One call of the model within a turn: its request, its answer, and what is tried when its server refuses.

use std::ops::ControlFlow;

use super::conversation::Entry;
use super::offers::OfferedTool;
use super::tools::{self, BuiltIn, one_line};
use super::{Assistant, AssistantError, ChatFrontend, TurnEvent};
use tars_agent::context_block::Keep;
use tars_chat::{CancelToken, ChatError, ChatEvent, ChatModel, ChatRequest, Completion, Limits, ToolCall, Usage};
use tars_service::agent_text;
use tars_text::redact::redact;

/// Maximum number of tokens of the summary of older messages.
const LONGEST_SUMMARY: usize = 2_500;

/// The result of one model call.
#[derive(Default)]
pub(super) struct ModelCall {
    pub(super) text: String,
    pub(super) calls: Vec<ToolCall>,
    /// Ids of calls of tools that were not offered.
    pub(super) refused: Vec<String>,
    pub(super) usage: Usage,
    pub(super) stopped: bool,
}

impl Assistant<'_, '_> {
    /// Calls the model once and saves its answer.
    pub(super) fn call_model(
        &mut self,
        is_last: bool,
        frontend: &mut dyn ChatFrontend,
        cancel: &CancelToken,
    ) -> Result<ModelCall, AssistantError> {
        let (answer, said) = self.send_fitting(is_last, frontend, cancel)?;
        match answer {
            Ok(Completion { text, mut calls, refused_calls, usage, carried, .. }) => {
                // Calls of tools that were not offered get an error result, so that the model can continue without them.
                let refused = refused_calls.iter().map(|call| call.id.clone()).collect();
                calls.extend(refused_calls);
                if is_last {
                    calls.clear();
                }
                let entry = Entry::answer(redact(&text).text.into_owned(), &calls, usage, false);
                self.add(entry.carrying(carried))?;
                Ok(ModelCall { text, calls, refused, usage, stopped: false })
            }
            Err(ChatError::Cancelled) => {
                self.add(Entry::answer(redact(&said).text.into_owned(), &[], Usage::default(), true))?;
                Ok(ModelCall { text: said, stopped: true, ..ModelCall::default() })
            }
            Err(error) => {
                if !said.is_empty() {
                    self.add(Entry::answer(redact(&said).text.into_owned(), &[], Usage::default(), true))?;
                } else if matches!(error, ChatError::TooLong { .. }) {
                    // The next message would be refused because of this one.
                    self.add(Entry::TooLong)?;
                }
                Err(error.into())
            }
        }
    }

    /// Sends the conversation, if need be once more in a form that the server accepts. Returns the answer, and the text that came.
    fn send_fitting(
        &mut self,
        is_last: bool,
        frontend: &mut dyn ChatFrontend,
        cancel: &CancelToken,
    ) -> Result<(Result<Completion, ChatError>, String), AssistantError> {
        let mut has_made_room = false;
        loop {
            let request = self.request(is_last, cancel);
            if !is_last {
                self.report_lack_of_room(&request, frontend);
            }
            let (answer, said) = self.send(&request, frontend, cancel)?;
            match answer {
                Err(ChatError::TooLong { window, .. })
                    if said.is_empty() && !has_made_room && !cancel.is_cancelled() =>
                {
                    has_made_room = true;
                    self.make_room(&request, window, frontend);
                }
                Err(ChatError::ToolsRefused { .. }) if !request.tools.is_empty() => {
                    self.go_on_without_tools(frontend)?
                }
                answer => return Ok((answer, said)),
            }
        }
    }

    /// Sends a request and shows the answer. Returns it, and the text that came.
    fn send(
        &self,
        request: &ChatRequest,
        frontend: &mut dyn ChatFrontend,
        cancel: &CancelToken,
    ) -> Result<(Result<Completion, ChatError>, String), AssistantError> {
        let Some(model) = &self.model else { return Err(AssistantError::NoModel) };
        let mut said = String::new();
        let answer = model.model.send(request, &mut |event| {
            match event {
                ChatEvent::Text(text) => {
                    said.push_str(text);
                    frontend.show(TurnEvent::Text(text));
                }
                ChatEvent::Withdrawn => {
                    said.clear();
                    frontend.show(TurnEvent::Withdrawn);
                }
                ChatEvent::Retrying { wait, error, .. } => {
                    let line = one_line(&format!("{error}; asking again in {} s", wait.as_secs().max(1)), 200);
                    frontend.show(TurnEvent::Notice(&line));
                }
                ChatEvent::Reasoning(_) | ChatEvent::ToolCallStarted { .. } => {}
            }
            if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        Ok((answer, said))
    }

    fn request(&mut self, is_last: bool, cancel: &CancelToken) -> ChatRequest {
        let mut system = self.prompt().text();
        let (summary, messages) = self.conversation.context();
        let place = ("this conversation", 1);
        if let Some(block) = summary.and_then(|text| agent_text::excerpt(place, text, Keep::Start, LONGEST_SUMMARY)) {
            system.push_str(&format!("\n\nWhat was said earlier in this conversation, summed up:\n{block}"));
        }
        let tools = if self.supports_tools() && !is_last { self.offered() } else { Vec::new() };
        let timeout = self.settings.timeout;
        let limits = Limits {
            history_tokens: Some(self.request_tokens()),
            first_byte_timeout: timeout,
            idle_timeout: timeout,
            total_timeout: timeout,
            ..Limits::default()
        };
        let mut request = ChatRequest { system, messages, tools, stream: true, limits, cancel: cancel.clone() };
        self.fit(&mut request);
        request
    }

    /// Whether the model gets tools.
    pub(super) fn supports_tools(&self) -> bool {
        self.options.tools
            && self.model.as_ref().is_some_and(|model| model.model.supports_tools())
            && !self.refuses_tools()
    }

    fn offered(&self) -> Vec<tars_chat::Tool> {
        tools::built_in().map(BuiltIn::tool).chain(self.offers.iter().map(OfferedTool::tool)).collect()
    }
}
