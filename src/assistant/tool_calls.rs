//! Runs the tools that an answer calls, within their permissions, and keeps each result for the model.

use super::conversation::{Entry, Stamped};
use super::model_call::ModelCall;
use super::tools::{self, Arguments, ToolContext, one_line};
use super::{Assistant, AssistantError, ChatFrontend, Decision, PermissionRequest, TurnEvent};
use tars_base::domain::Reading;
use tars_chat::{Arguments as Given, CancelToken, ToolCall};
use tars_config::Permission;
use tars_service::{Result, agent_text};
use tars_text::redact::redact;

/// Maximum number of tool calls per answer.
const MAX_CALLS: usize = 16;
/// Maximum size of a kept result, in bytes.
const LONGEST_RESULT: usize = 16 << 10;
/// Characters of a result in the notice to the person.
const SHOWN: usize = 200;

impl Assistant<'_, '_> {
    /// Runs the tool calls of an answer and keeps each result.
    pub(super) fn use_tools(
        &mut self,
        round: &ModelCall,
        frontend: &mut dyn ChatFrontend,
        cancel: &CancelToken,
    ) -> Result<(), AssistantError> {
        for (place, call) in round.calls.iter().enumerate() {
            let (text, failed) = if place >= MAX_CALLS {
                (format!("{MAX_CALLS} tools are used at once at most: nothing was done"), true)
            } else if cancel.is_cancelled() {
                ("the user stopped this turn: nothing was done".to_owned(), true)
            } else if round.refused.contains(&call.id) {
                (format!("there is no tool '{}'", one_line(&call.name, 64)), true)
            } else {
                match self.use_tool(call, frontend, cancel) {
                    Ok(result) => result,
                    Err(error) => (format!("failed: {}", said(&error)), true),
                }
            };
            self.service.set_reading(None);
            let text = bounded(&redact(&text).text);
            let offer = self.offers.iter().find(|offer| offer.request_name == call.name);
            let name = offer.map_or_else(|| one_line(&call.name, 64), |offer| offer.tool.full_name());
            frontend.show(TurnEvent::ToolDone { name: &name, result: &in_short(&text), failed });
            self.add(Entry::Tool { call: call.id.clone(), text, failed })?;
        }
        Ok(())
    }

    /// Returns the result of a tool, and whether it failed.
    fn use_tool(
        &mut self,
        call: &ToolCall,
        frontend: &mut dyn ChatFrontend,
        cancel: &CancelToken,
    ) -> Result<(String, bool)> {
        let given = Arguments::of(call.arguments.object())?;
        let is_whole = matches!(call.arguments, Given::Complete(_));
        if let Some(offer) = self.offers.iter().find(|offer| offer.request_name == call.name) {
            frontend.show(TurnEvent::Tool { name: &offer.tool.full_name(), about: &given.summary() });
            tars_service::ensure!(is_whole, "the arguments were cut off: nothing was done. Call it again with less");
            return self.use_remote(offer, &given, frontend, cancel);
        }
        let tool = tools::named(&call.name).ok_or_else(|| tars_service::failure!("there is no such tool"))?;
        frontend.show(TurnEvent::Tool { name: tool.name, about: &given.summary() });
        let writes = (tool.effect)(&given) != tools::ToolEffect::Nothing;
        if writes && !is_whole {
            tars_service::bail!("the arguments were cut off: nothing was written. Call it again with a shorter text");
        }
        let context =
            ToolContext { service: self.service, collections: &self.collections, read_files: &self.read_files };
        tool.check(&context, &given)?;
        let reading = reading(self.conversation.entries());
        self.service.set_reading(Some(reading));
        let _group = if writes { Some(self.writes.begin(self.service)?) } else { None };
        let result = match tool.permission(&self.settings, &given) {
            Permission::Allow if !writes || reading == Reading::Local => tool.run(&context, &given),
            Permission::Deny => tars_service::bail!("the settings do not allow this: nothing was written"),
            // Text that strangers may have worded is written only with the person's consent.
            Permission::Allow | Permission::Ask => {
                match frontend.request_permission(PermissionRequest { tool: tool.name, what: &given.full_text()? }) {
                    Decision::Yes => {
                        self.service.set_reading(None);
                        tool.run(&context, &given)
                    }
                    Decision::No => tars_service::bail!("the user was asked and said no: nothing was written"),
                    Decision::Unavailable => tool.propose(&context, &given),
                }
            }
        };
        Ok((result?, false))
    }
}

/// Returns what the model of a conversation has read.
fn reading(entries: &[Stamped]) -> Reading {
    entries.iter().map(|stamped| reading_of(&stamped.entry)).max().unwrap_or_default()
}

/// Returns what an entry of a conversation lets the model read: the results of servers' tools come from strangers.
pub(super) fn reading_of(entry: &Entry) -> Reading {
    match entry {
        Entry::Assistant { calls, .. } if calls.iter().any(|call| tools::named(&call.name).is_none()) => {
            Reading::Foreign
        }
        _ => Reading::Local,
    }
}

/// Returns the error, with the service's hint if there is one.
fn said(error: &tars_service::Error) -> String {
    match error.cause::<tars_service::Refusal>() {
        Some(refusal) => format!("{}: {}", refusal.message, refusal.hint),
        None => format!("{error:#}"),
    }
}

/// Returns a summary of a result for the person: the places of excerpts, or the beginning of the text.
fn in_short(result: &str) -> String {
    let places = agent_text::places(result);
    one_line(if places.is_empty() { result } else { &places }, SHOWN)
}

fn bounded(text: &str) -> String {
    match text.len() <= LONGEST_RESULT {
        true => text.to_owned(),
        false => format!("{}\n… cut", &text[..text.floor_char_boundary(LONGEST_RESULT)]),
    }
}
