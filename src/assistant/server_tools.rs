//! Server tools in a conversation: which are offered to the model, and how they are called.

use std::collections::HashSet;

use super::conversation::Entry;
use super::offers::{OfferedTool, best, unique};
use super::tools::{Arguments, one_line, visible};
use super::{Assistant, ChatFrontend, Decision, PermissionRequest, TurnEvent};
use tars_agent::context_block::Keep;
use tars_base::endpoint;
use tars_chat::CancelToken;
use tars_chat::mcp_client::{McpClientError, RemoteTool};
use tars_config::Permission;
use tars_service::{App, Result, agent_text};
use tars_text::redact::redact;

/// Maximum number of server tools offered at once.
const MAX_OFFERED: usize = 24;
/// Maximum number of tokens of a result.
const RESULT: usize = 3_500;
/// Maximum length of a line in characters, because results are cut between lines.
const LONGEST_LINE: usize = 400;

impl Assistant<'_, '_> {
    /// Chooses the server tools for this turn.
    pub(super) fn offer_remote(&mut self, message: &str, frontend: &mut dyn ChatFrontend, cancel: &CancelToken) {
        let servers = self.service.app().mcp_servers();
        if servers.is_empty() || !self.supports_tools() {
            return;
        }
        let (tools, errors) = servers.tools(&|| cancel.is_cancelled());
        for error in errors {
            // Each error is reported once per conversation, because a paused server would report it in every turn.
            let line = one_line(&said(&error), 300);
            if !matches!(error, McpClientError::Cancelled) && self.reported_errors.insert(line.clone()) {
                frontend.show(TurnEvent::Notice(&line));
            }
        }
        self.show_notices(frontend);
        let may_be_used = |tool: &RemoteTool| permission(self.service.app(), tool) != Permission::Deny;
        let offers: Vec<OfferedTool> = unique(tools.into_iter().filter(may_be_used).map(OfferedTool::of).collect());
        self.offers = if offers.len() <= MAX_OFFERED {
            offers
        } else {
            let used = self.used_tools();
            let app = self.service.app();
            best(app, offers, &mut self.tool_vectors, (message, &used), MAX_OFFERED)
        };
    }

    /// Returns the request names of the tools that were called in this conversation, which stay offered.
    fn used_tools(&self) -> HashSet<String> {
        let calls = self.conversation.entries().iter().filter_map(|stamped| match &stamped.entry {
            Entry::Assistant { calls, .. } => Some(calls),
            _ => None,
        });
        calls.flatten().map(|call| call.name.clone()).collect()
    }

    /// Calls a server tool, if the configuration or the person allows it.
    pub(super) fn use_remote(
        &self,
        offer: &OfferedTool,
        given: &Arguments,
        frontend: &mut dyn ChatFrontend,
        cancel: &CancelToken,
    ) -> Result<(String, bool)> {
        let app = self.service.app();
        let name = offer.tool.full_name();
        let key = format!("[mcp.servers.{}]", offer.tool.server);
        match permission(app, &offer.tool) {
            Permission::Allow => {}
            Permission::Deny => tars_service::bail!("the settings do not allow {name}: nothing was done"),
            Permission::Ask => {
                let request = PermissionRequest { tool: &visible(&name), what: &given.full_text()? };
                match frontend.request_permission(request) {
                    Decision::Yes => {}
                    Decision::No => tars_service::bail!("the user was asked and said no: nothing was done"),
                    Decision::Unavailable => tars_service::bail!(
                        "nobody can be asked now: nothing was done. The user can allow {name} beforehand in {key} of the configuration"
                    ),
                }
            }
        }
        self.notify_tool_destination(offer, frontend)?;
        let result = app.mcp_servers().call(&offer.tool, given.object().clone(), &|| cancel.is_cancelled());
        self.show_notices(frontend);
        let result = result.map_err(|error| tars_service::Error::failed(said(&error)))?;
        let lines = redact(&result.text).text.lines().flat_map(pieces).collect::<Vec<_>>().join("\n");
        let text = agent_text::excerpt((&format!("tool {name}"), 1), &lines, Keep::Start, RESULT);
        let empty =
            || if result.failed { "It failed and says nothing.".into() } else { "Done; it says nothing.".into() };
        Ok((text.unwrap_or_else(empty), result.failed))
    }

    /// Tells the person once that the arguments of a tool leave this machine.
    fn notify_tool_destination(&self, offer: &OfferedTool, frontend: &mut dyn ChatFrontend) -> Result<()> {
        let server = &offer.tool.server;
        let address = self.service.app().mcp_servers().address(server).and_then(|url| endpoint::parse_url(url).ok());
        match address.filter(|uri| !endpoint::is_loopback(uri)) {
            Some(uri) => {
                let place = endpoint::without_query(&uri);
                let what = format!("tools of {server} run at {place}: the arguments of their calls are sent there");
                Ok(self.notify_once(&place, &what, frontend)?)
            }
            None => Ok(()),
        }
    }

    fn show_notices(&self, frontend: &mut dyn ChatFrontend) {
        for line in self.service.app().mcp_servers().take_notices() {
            frontend.show(TurnEvent::Notice(&one_line(&line, 300)));
        }
    }
}

/// Returns the permission of a tool in the person's configuration.
pub(super) fn permission(app: &App, tool: &RemoteTool) -> Permission {
    let server = app.settings.mcp_servers.iter().find(|server| server.name == tool.server);
    server.map_or(Permission::Deny, |server| server.permission(&tool.name))
}

fn said(error: &McpClientError) -> String {
    match error.hint() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}

/// Splits a line into pieces of at most [`LONGEST_LINE`] characters.
fn pieces(line: &str) -> Vec<String> {
    let letters: Vec<char> = line.chars().collect();
    match letters.is_empty() {
        true => vec![String::new()],
        false => letters.chunks(LONGEST_LINE).map(|piece| piece.iter().collect()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_becomes_several() {
        let text: String = "ä".repeat(1_000);
        assert_eq!(pieces(&text).iter().map(|piece| piece.chars().count()).collect::<Vec<_>>(), [400, 400, 200]);
        assert_eq!(pieces(""), [""]);
    }
}
