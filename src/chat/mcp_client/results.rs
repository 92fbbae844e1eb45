//! Converts tools and results of servers into plain types of limited size.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents, Tool};
use serde_json::Value;

use super::{CallResult, RemoteTool};
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

/// Converts a tool; `None` if its name or schema is too long.
pub(super) fn tool(server: &str, tool: Tool) -> Option<RemoteTool> {
    let name = tool.name.into_owned();
    let is_plain = !name.is_empty() && name.chars().count() <= MAX_NAME && !name.chars().any(char::is_control);
    let schema = (*tool.input_schema).clone();
    let size = serde_json::to_vec(&schema).map_or(usize::MAX, |bytes| bytes.len());
    if !is_plain || size > MAX_SCHEMA {
        tracing::warn!(server, name = %name.escape_debug(), size, "a tool cannot be used: its name or its schema is too long");
        return None;
    }
    let said = tool.description.or(tool.title.map(Into::into)).unwrap_or_default();
    let description: String = sanitize(&said).trim().chars().take(MAX_DESCRIPTION).collect();
    Some(RemoteTool { server: server.to_owned(), name, description, schema })
}

/// Converts a result to text.
pub(super) fn text(result: CallToolResult) -> CallResult {
    let failed = result.is_error == Some(true);
    let mut parts: Vec<String> = result.content.into_iter().map(block).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        parts.extend(result.structured_content.filter(|content| *content != Value::Null).map(|json| json.to_string()));
    }
    let mut text = parts.join("\n");
    if text.len() > MAX_RESULT {
        text.truncate(text.floor_char_boundary(MAX_RESULT));
        text.push_str("\n… cut");
    }
    CallResult { text, failed }
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
        text(serde_json::from_value(value).unwrap())
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
            tool("s", serde_json::from_value(value).unwrap())
        };
        let plain = of("read", "reads\u{1b}[31m\u{202e} a file".into()).unwrap();
        assert_eq!(plain.full_name(), "s.read");
        assert!(!plain.description.contains(['\u{1b}', '\u{202e}']), "{}", plain.description);
        assert_eq!(of("t", "x".repeat(5_000)).unwrap().description.len(), MAX_DESCRIPTION);
        assert_eq!(of(&"n".repeat(65), String::new()), None);
        assert_eq!(of("a\nb", String::new()), None);
    }
}
