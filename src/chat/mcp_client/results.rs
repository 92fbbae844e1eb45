//! Converts tools and results of servers into plain types of limited size.

use rmcp::model::{ContentBlock, ResourceContents, ServerResult};
use serde_json::Value;

use super::{CallResult, RemoteTool, schema};
use tars_base::domain::sanitize;

/// Maximum length of a tool's name, in characters.
const MAX_NAME: usize = 64;
/// Maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 1_000;
/// Maximum size of a schema, in bytes: a larger one would fill a model's context.
const MAX_SCHEMA: usize = 16 << 10;
/// Maximum size of a result, in bytes.
const MAX_RESULT: usize = 64 << 10;
/// Placeholder for content kinds of later protocol versions.
const UNKNOWN: &str = "[content of an unknown kind]";

/// A page of a server's tool list.
pub(super) struct Page {
    pub(super) tools: Vec<RemoteTool>,
    /// The cursor of the next page.
    pub(super) next: Option<String>,
}

/// Reads a page of a tool list; `None` if the answer is no such list. The SDK reads a list as a whole, so that it recognises none with
/// one malformed tool: this function reads such a list tool by tool, and leaves out what cannot be used.
pub(super) fn page(server: &str, result: ServerResult) -> Option<Page> {
    let list = match result {
        ServerResult::ListToolsResult(list) => serde_json::to_value(list).ok()?,
        ServerResult::CustomResult(other) => other.0,
        _ => return None,
    };
    let tools = list.get("tools")?.as_array()?.iter().filter_map(|one| tool(server, one)).collect();
    let next = list.get("nextCursor").and_then(Value::as_str).filter(|cursor| !cursor.is_empty());
    Some(Page { tools, next: next.map(str::to_owned) })
}

/// Reads a tool; `None` if it cannot be used.
fn tool(server: &str, tool: &Value) -> Option<RemoteTool> {
    let refuse = |name: &str, reason: &str| tracing::warn!(server, name = %name.escape_debug(), "a tool cannot be used: {reason}");
    let text = |name: &str| tool.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let Some(name) = text("name") else {
        refuse("", "it has no name");
        return None;
    };
    if name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        refuse(name, "its name is too long or has control characters");
        return None;
    }
    let Some(schema) = schema::completed(tool.get("inputSchema")) else {
        refuse(name, "its schema describes no object");
        return None;
    };
    if serde_json::to_vec(&schema).map_or(usize::MAX, |bytes| bytes.len()) > MAX_SCHEMA {
        refuse(name, "its schema is too long");
        return None;
    }
    let said = text("description").or_else(|| text("title")).unwrap_or_default();
    let description: String = sanitize(said).trim().chars().take(MAX_DESCRIPTION).collect();
    Some(RemoteTool { server: server.to_owned(), name: name.to_owned(), description, schema })
}

/// Converts the answer to a call to text; `None` if it is no result of a tool. As [`page`], it reads block by block what the SDK does
/// not recognise.
pub(super) fn answer(result: ServerResult) -> Option<CallResult> {
    let (content, structured, failed) = match result {
        ServerResult::CallToolResult(result) => {
            let content = result.content.into_iter().map(block).collect();
            (content, result.structured_content, result.is_error == Some(true))
        }
        ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_) => (Vec::new(), None, false),
        ServerResult::CustomResult(other) => {
            let fields = other.0.as_object()?;
            let content = match fields.get("content") {
                Some(Value::Array(blocks)) => blocks.iter().map(unread_block).collect(),
                Some(Value::Null) | None => Vec::new(),
                Some(one) => vec![unread_block(one)],
            };
            let structured = fields.get("structuredContent").cloned();
            if content.is_empty() && structured.is_none() && fields.keys().any(|name| !name.starts_with('_')) {
                return None;
            }
            (content, structured, fields.get("isError") == Some(&Value::Bool(true)))
        }
        _ => return None,
    };
    Some(CallResult { text: text(content, structured), failed })
}

fn text(content: Vec<String>, structured: Option<Value>) -> String {
    let mut parts: Vec<String> = content.into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        parts.extend(structured.filter(|content| *content != Value::Null).map(|json| json.to_string()));
    }
    let mut text = parts.join("\n");
    if text.len() > MAX_RESULT {
        text.truncate(text.floor_char_boundary(MAX_RESULT));
        text.push_str("\n… cut");
    }
    text
}

/// Converts a block of a result that the SDK did not read as a whole.
fn unread_block(value: &Value) -> String {
    if let Ok(known) = serde_json::from_value(value.clone()) {
        return block(known);
    }
    let plain = value.as_str().or_else(|| value.get("text")?.as_str());
    plain.map_or_else(|| UNKNOWN.to_owned(), str::to_owned)
}

fn block(block: ContentBlock) -> String {
    let size = |data: &str| data.len() / 4 * 3;
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => format!("[an image, {}, {} bytes]", image.mime_type, size(&image.data)),
        ContentBlock::Audio(audio) => format!("[a sound, {}, {} bytes]", audio.mime_type, size(&audio.data)),
        ContentBlock::Resource(resource) => match resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("[{uri}]\n{text}"),
            ResourceContents::BlobResourceContents { uri, blob, .. } => format!("[{uri}, {} bytes]", size(&blob)),
            _ => UNKNOWN.to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[{} {}]", link.name, link.uri),
        _ => UNKNOWN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result(value: Value) -> CallResult {
        answer(serde_json::from_value(value).unwrap()).unwrap()
    }

    fn tools(value: Value) -> Vec<RemoteTool> {
        page("s", serde_json::from_value(value).unwrap()).unwrap().tools
    }

    #[test]
    fn every_kind_of_result_becomes_text() {
        let all = result(json!({"content": [
            {"type": "text", "text": "one"},
            {"type": "image", "data": "AAAAAAAA", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "two"}},
            {"type": "resource_link", "name": "three", "uri": "file:///b"},
        ]}));
        assert_eq!(all.text, "one\n[an image, image/png, 6 bytes]\n[file:///a]\ntwo\n[three file:///b]");
        assert!(!all.failed);
        let structured = result(json!({"content": [], "structuredContent": {"a": 1}, "isError": true}));
        assert_eq!(structured, CallResult { text: "{\"a\":1}".into(), failed: true });
        let long = result(json!({"content": [{"type": "text", "text": "ä".repeat(60_000)}]}));
        assert!(long.text.len() < MAX_RESULT + 10 && long.text.ends_with("… cut"));
    }

    #[test]
    fn tools_with_long_or_invalid_names_are_dropped() {
        let of = |name: &str, text: String| {
            let value = json!({"name": name, "description": text, "inputSchema": {"type": "object"}});
            tools(json!({"tools": [value]})).pop()
        };
        let plain = of("read", "reads\u{1b}[31m\u{202e} a file".into()).unwrap();
        assert_eq!(plain.full_name(), "s.read");
        assert!(!plain.description.contains(['\u{1b}', '\u{202e}']), "{}", plain.description);
        assert_eq!(of("t", "x".repeat(5_000)).unwrap().description.len(), MAX_DESCRIPTION);
        assert_eq!(of(&"n".repeat(65), String::new()), None);
        assert_eq!(of("a\nb", String::new()), None);
    }

    #[test]
    fn one_bad_tool_costs_itself_alone() {
        let listed = tools(json!({"tools": [
            {"name": "bare"},
            {"name": "untyped", "inputSchema": {"properties": {"a": {"type": "string"}}}},
            {"description": "has no name", "inputSchema": {}},
            {"name": 7, "inputSchema": {}},
            {"name": "text", "inputSchema": "{}"},
            {"name": "number", "description": 3, "inputSchema": {"type": "object"}, "annotations": "none"},
            "tool", null,
        ]}));
        assert_eq!(listed.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["bare", "untyped", "number"]);
        for tool in &listed {
            assert!(tool.schema["type"] == "object" && tool.schema["properties"].is_object(), "{:?}", tool.schema);
        }
        assert!(page("s", serde_json::from_value(json!({"tools": "none"})).unwrap()).is_none());
    }

    #[test]
    fn an_unknown_content_block_costs_itself_alone() {
        let all = result(json!({"content": [
            {"type": "text", "text": "one"}, {"type": "hologram", "data": "AAAA"}, {"type": "note", "text": "two"}, {"type": "image"},
        ], "isError": true}));
        assert_eq!(all, CallResult { text: format!("one\n{UNKNOWN}\ntwo\n{UNKNOWN}"), failed: true });
        assert_eq!(result(json!({"content": "plain"})).text, "plain");
        assert_eq!(result(json!({})).text, "");
        assert!(answer(serde_json::from_value(json!({"weather": "fine"})).unwrap()).is_none(), "it is no result");
    }
}
