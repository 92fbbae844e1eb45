//! `/mcp`: the MCP servers and their tools.

use super::super::tools::one_line;
use super::super::{Assistant, ChatFrontend};
use super::Reply;
use tars_base::domain::pluralize;
use tars_chat::mcp_client::ServerState;
use tars_config::{McpServerSettings, McpTransport};
use tars_service::{Refusal, Result};

pub(super) fn run(assistant: &mut Assistant<'_, '_>, what: &str, _: &mut dyn ChatFrontend) -> Result<Reply> {
    let app = assistant.service.app();
    let servers = &app.settings.mcp_servers;
    if servers.is_empty() {
        return Reply::markdown(
            "No MCP server is configured. Add one as `[mcp.servers.NAME]` to the configuration: docs/assistant.md",
        );
    }
    let states = app.mcp_servers().states();
    let state = |server: &McpServerSettings| states.iter().find(|state| state.name == server.name);
    if what.is_empty() {
        return Reply::markdown(
            servers.iter().map(|server| line(server, state(server))).collect::<Vec<_>>().join("\n"),
        );
    }
    let Some(server) = servers.iter().find(|server| server.name == what) else {
        let message = format!("there is no server '{}'", one_line(what, 40));
        return Err(Refusal { message, hint: "/mcp".into() }.into());
    };
    let tools = state(server).and_then(|state| state.tools.clone());
    let Some(tools) = tools else {
        return Reply::markdown(format!("{}\n\nIts tools are known after its first use.", line(server, state(server))));
    };
    let of =
        |name: &String| format!("- `{}`: {}", one_line(name, 64).replace('`', "'"), server.permission(name).as_str());
    Reply::markdown(tools.iter().map(of).collect::<Vec<_>>().join("\n"))
}

fn line(server: &McpServerSettings, state: Option<&ServerState>) -> String {
    let place = match &server.transport {
        McpTransport::Program { command, .. } => one_line(command, 60),
        McpTransport::Address { url, .. } => one_line(url, 80),
    };
    let tools =
        state.and_then(|state| state.tools.as_ref()).map(|tools| format!(", {}", pluralize(tools.len(), "tool")));
    let how = match state {
        None => "switched off".to_owned(),
        Some(ServerState { paused: Some(reason), .. }) => format!("rests: {}", one_line(reason, 120)),
        Some(ServerState { is_running: true, .. }) => "running".into(),
        Some(_) => "started on demand".into(),
    };
    format!("- **{}** ({place}): {how}{}, {}", server.name, tools.unwrap_or_default(), server.permission.as_str())
}
