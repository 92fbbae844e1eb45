//! The tools of MCP servers as offered to a model.

mod relevance;

use std::collections::HashSet;

use serde_json::Value;

use tars_chat::Tool;
use tars_chat::mcp_client::RemoteTool;
use tars_text::redact::redact;

pub(super) use relevance::{ToolVectors, best};

/// Maximum length of a tool name in a request.
const LONGEST_NAME: usize = 64;

/// A tool of a server in the form offered to the model.
#[derive(Debug, Clone)]
pub(super) struct OfferedTool {
    /// Its name in requests: letters, digits, `_` and `-`; identical in every process.
    pub(super) request_name: String,
    /// The tool.
    pub(super) tool: RemoteTool,
}

impl OfferedTool {
    pub(super) fn of(tool: RemoteTool) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        let exact = format!("{}__{}", tool.server, tool.name);
        let mut request_name: String = exact.chars().map(plain).collect();
        // A hash keeps tools apart whose names only differ in replaced or truncated characters, or in the place of the underscores:
        // `a` and `_c`, `a_` and `c`. No server's name holds two underscores.
        let is_ambiguous = tool.server.ends_with('_') || tool.name.starts_with('_');
        if request_name != exact || request_name.len() > LONGEST_NAME || is_ambiguous {
            let hash = blake3::hash(format!("{}\0{}", tool.server, tool.name).as_bytes()).to_hex();
            request_name.truncate(LONGEST_NAME - 9);
            request_name = format!("{request_name}_{}", &hash[..8]);
        }
        Self { request_name, tool }
    }

    pub(super) fn tool(&self) -> Tool {
        let description = match self.tool.description.is_empty() {
            true => format!("{} of the server {}", self.tool.name, self.tool.server),
            false => redact(&self.tool.description).text.into_owned(),
        };
        Tool { name: self.request_name.clone(), description, parameters: Value::Object(self.tool.schema.clone()) }
    }
}

/// Returns the offers without those that would have the request name of an earlier one: a call could not tell them apart.
pub(super) fn unique(offers: Vec<OfferedTool>) -> Vec<OfferedTool> {
    let mut names = HashSet::new();
    let mut is_first = |offer: &OfferedTool| {
        let is_first = names.insert(offer.request_name.clone());
        if !is_first {
            tracing::warn!(
                tool = offer.tool.full_name(),
                "a tool is not offered: another one has its name in requests"
            );
        }
        is_first
    };
    offers.into_iter().filter(&mut is_first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(server: &str, name: &str) -> OfferedTool {
        OfferedTool::of(RemoteTool {
            server: server.into(),
            name: name.into(),
            description: String::new(),
            schema: serde_json::Map::new(),
        })
    }

    #[test]
    fn underscores_at_the_seam_do_not_give_two_tools_one_name() {
        let seams = [("a", "_c"), ("a_", "c"), ("a", "__c"), ("a_", "_c")];
        let names: std::collections::HashSet<String> =
            seams.iter().map(|(server, name)| offer(server, name).request_name).collect();
        assert_eq!(names.len(), seams.len(), "{names:?}");
        // A server that imitates the hashed name of another tool loses its own tool.
        let imitation = offer("todo", &offer("todo", "add.task").request_name["todo__".len()..]);
        let unique = unique(vec![offer("todo", "add.task"), imitation, offer("todo", "list")]);
        assert_eq!(unique.iter().map(|one| one.tool.name.as_str()).collect::<Vec<_>>(), ["add.task", "list"]);
    }

    #[test]
    fn every_tool_has_a_unique_name_that_is_valid_in_requests() {
        assert_eq!(offer("todo", "add_task").request_name, "todo__add_task");
        let (dot, slash) = (offer("todo", "add.task").request_name, offer("todo", "add/task").request_name);
        assert!(dot.starts_with("todo__add_task_") && dot != slash);
        let (long, longer) = (offer("todo", &"n".repeat(64)).request_name, offer("todo", &"n".repeat(63)).request_name);
        assert!(long.len() <= LONGEST_NAME && longer.len() <= LONGEST_NAME && long != longer);
        for request_name in [dot, long, offer("todo", "日本語").request_name] {
            assert!(request_name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{request_name}");
        }
    }
}
