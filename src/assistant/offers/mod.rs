//! The tools of MCP servers as offered to a model.

mod relevance;

use serde_json::Value;

use tars_chat::Tool;
use tars_chat::mcp_client::RemoteTool;
use tars_text::redact::redact;

pub(super) use relevance::{ToolVectors, best};

/// Maximum length of a tool name in a request.
const LONGEST_NAME: usize = 64;

/// A tool of a server in the form offered to the model.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    /// Its name in requests: letters, digits, `_` and `-`; identical in every process.
    pub(super) wire: String,
    /// The tool.
    pub(super) tool: RemoteTool,
}

impl Offer {
    pub(super) fn of(tool: RemoteTool) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        let exact = format!("{}__{}", tool.server, tool.name);
        let mut wire: String = exact.chars().map(plain).collect();
        // A hash keeps tools apart whose names only differ in replaced or truncated characters.
        if wire != exact || wire.len() > LONGEST_NAME {
            let hash = blake3::hash(exact.as_bytes()).to_hex();
            wire.truncate(LONGEST_NAME - 9);
            wire = format!("{wire}_{}", &hash[..8]);
        }
        Self { wire, tool }
    }

    pub(super) fn tool(&self) -> Tool {
        let description = match self.tool.description.is_empty() {
            true => format!("{} of the server {}", self.tool.name, self.tool.server),
            false => redact(&self.tool.description).text.into_owned(),
        };
        Tool { name: self.wire.clone(), description, parameters: Value::Object(self.tool.schema.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(server: &str, name: &str) -> Offer {
        Offer::of(RemoteTool {
            server: server.into(),
            name: name.into(),
            description: String::new(),
            schema: serde_json::Map::new(),
        })
    }

    #[test]
    fn every_tool_has_a_unique_name_that_is_valid_in_requests() {
        assert_eq!(offer("todo", "add_task").wire, "todo__add_task");
        let (dot, slash) = (offer("todo", "add.task").wire, offer("todo", "add/task").wire);
        assert!(dot.starts_with("todo__add_task_") && dot != slash);
        let (long, longer) = (offer("todo", &"n".repeat(64)).wire, offer("todo", &"n".repeat(63)).wire);
        assert!(long.len() <= LONGEST_NAME && longer.len() <= LONGEST_NAME && long != longer);
        for wire in [dot, long, offer("todo", "日本語").wire] {
            assert!(wire.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{wire}");
        }
    }
}
