//! Reads the messages of clients before the SDK does: what the SDK would drop in silence gets an answer, and `arguments` that a client
//! sends as text become the object that they are.

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use serde_json::{Value, json};

use tars_service::tool_arguments;

/// UTF-8 byte order mark, which RFC 8259 allows parsers to ignore.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Error codes of JSON-RPC.
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const INVALID_PARAMS: i64 = -32602;

/// Methods with parameters that the SDK knows. It takes one with wrong parameters for an unknown method.
const KNOWN_METHODS: [&str; 6] =
    ["initialize", "tools/call", "resources/read", "prompts/get", "completion/complete", "logging/setLevel"];

/// Why a message is not passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The id of the request, as far as it can be read; otherwise null.
    id: Value,
    code: i64,
    message: String,
    /// Whether it is a notification or a response, which JSON-RPC leaves unanswered.
    pub(crate) wants_no_answer: bool,
}

impl Refused {
    fn new(id: Value, code: i64, message: impl Into<String>) -> Self {
        Self { id, code, message: message.into(), wants_no_answer: false }
    }

    /// Returns the refusal of a message that is longer than `most` bytes, of which `beginning` was read.
    pub(crate) fn too_long(beginning: &[u8], most: usize) -> Self {
        let message = format!("the message is longer than {most} bytes");
        Self::new(id_in(&String::from_utf8_lossy(beginning)), INVALID_REQUEST, message)
    }

    /// Returns the error response.
    pub(crate) fn response(&self) -> Value {
        json!({"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.message}})
    }
}

/// Reads a message. `arguments` of a call that are text, `null` or an empty list become an object.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, Refused> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        let id = id_in(&String::from_utf8_lossy(bytes));
        return Err(Refused::new(id, PARSE_ERROR, "the message is not UTF-8: send one JSON-RPC message as UTF-8"));
    };
    let mut message: Value = serde_json::from_str(text).map_err(|error| {
        let message = format!("the message is not JSON: {error}: send one JSON-RPC message in one line");
        Refused::new(id_in(text), PARSE_ERROR, message)
    })?;
    let id = id_of(&message);
    if message.is_array() {
        return Err(Refused::new(id, INVALID_REQUEST, "batches are not supported: send one message at a time"));
    }
    if !message.is_object() {
        return Err(Refused::new(id, INVALID_REQUEST, "the message is no JSON-RPC object"));
    }
    if message.get("method").is_some_and(|method| method == "tools/call")
        && let Some(Value::Object(params)) = message.get_mut("params")
        && let Some(arguments) = params.get_mut("arguments")
    {
        match tool_arguments::object(Some(arguments)) {
            Some(fields) => *arguments = Value::Object(fields),
            None => return Err(Refused::new(id, INVALID_PARAMS, "'arguments' is no JSON object")),
        }
    }
    Ok(message)
}

/// Reads a message in the form of the SDK.
pub(crate) fn typed(message: Value) -> Result<ClientJsonRpcMessage, Refused> {
    let id = id_of(&message);
    let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
    let is_request = message.get("id").is_some();
    // A message without any of these is a broken request rather than a broken response.
    let is_response = method.is_none() && (message.get("result").is_some() || message.get("error").is_some());
    match serde_json::from_value(message) {
        Ok(JsonRpcMessage::Request(request)) => match &request.request {
            ClientRequest::CustomRequest(custom) if KNOWN_METHODS.contains(&custom.method.as_str()) => {
                Err(Refused::new(id, INVALID_PARAMS, format!("'params' of {} are missing or malformed", custom.method)))
            }
            _ => Ok(JsonRpcMessage::Request(request)),
        },
        Ok(message) => Ok(message),
        Err(_) => {
            let message = "the message is no JSON-RPC request: it needs \"jsonrpc\": \"2.0\", a whole number or a text as its id, \
                           and a method";
            let wants_no_answer = is_response || (method.is_some() && !is_request);
            Err(Refused { wants_no_answer, ..Refused::new(id, INVALID_REQUEST, message) })
        }
    }
}

/// Returns the id of a parsed message if it is one: a number or a text.
fn id_of(message: &Value) -> Value {
    message.get("id").filter(|id| id.is_number() || id.is_string()).cloned().unwrap_or_default()
}

/// Finds the id in a text that is no JSON: the value of the first `"id"` outside of any inner object or list.
fn id_in(text: &str) -> Value {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                let value = || text.get(end..)?.trim_start().strip_prefix(':');
                if depth == 1
                    && text.get(at..end) == Some("\"id\"")
                    && let Some(value) = value()
                {
                    // Reads one value, whatever follows it.
                    let first = serde_json::Deserializer::from_str(value).into_iter::<Value>().next();
                    let id = first.and_then(Result::ok).unwrap_or_default();
                    return if id.is_number() || id.is_string() { id } else { Value::Null };
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    Value::Null
}

/// Returns the place after the string that begins at `start`; the end of the text if it is not closed.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8]) -> (Value, i64) {
        let refused = read(bytes).and_then(typed).unwrap_err();
        assert!(!refused.wants_no_answer, "{}", refused.message);
        (refused.id, refused.code)
    }

    #[test]
    fn a_line_that_is_no_message_is_refused_with_its_id() {
        let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":{}", "[".repeat(100_000));
        for (line, id, code) in [
            (&b"{\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\\ud800\"}}"[..], json!(1), PARSE_ERROR),
            (b"{\"params\":{\"id\":9,\"a\":\"\\udc00 }\"},\"id\":\"x\"}", json!("x"), PARSE_ERROR),
            (b"{\"id\":2,\"a\":\"\xff\"}", json!(2), PARSE_ERROR),
            (deep.as_bytes(), json!(5), PARSE_ERROR),
            (b"{\"id\" : 3, ", json!(3), PARSE_ERROR),
            (b"{\"id\":{\"id\":4}", Value::Null, PARSE_ERROR),
            (b"{\"method\":\"id\",\"params\":{\"id\":4}", Value::Null, PARSE_ERROR),
            (b"hello", Value::Null, PARSE_ERROR),
            (b"3", Value::Null, INVALID_REQUEST),
            (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", Value::Null, INVALID_REQUEST),
            (b"{\"id\":6,\"method\":\"ping\"}", json!(6), INVALID_REQUEST),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", json!(1.5), INVALID_REQUEST),
            (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", Value::Null, INVALID_REQUEST),
            (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{}}", json!(7), INVALID_PARAMS),
            (b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"arguments\":\"x\"}}", json!(8), INVALID_PARAMS),
        ] {
            assert_eq!(refused(line), (id, code), "{}", String::from_utf8_lossy(&line[..line.len().min(200)]));
        }
        let long = Refused::too_long(b"{\"id\":9,\"method\":\"ping\",\"params\":{\"a\":\"xxx", 10);
        assert_eq!(long.response()["id"], 9);
    }

    #[test]
    fn arguments_as_text_become_an_object() {
        let call = |arguments: Value| {
            let params = json!({"name": "memory_search", "arguments": arguments});
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
        };
        for (arguments, expected) in [
            (json!("{\"query\": \"boiler\"}"), json!({"query": "boiler"})),
            (json!({"query": "boiler"}), json!({"query": "boiler"})),
            (json!(null), json!({})),
            (json!("null"), json!({})),
            (json!([]), json!({})),
        ] {
            let message = read(call(arguments.clone()).as_bytes()).unwrap();
            assert_eq!(message["params"]["arguments"], expected, "{arguments}");
            assert!(matches!(typed(message), Ok(JsonRpcMessage::Request(_))));
        }
    }

    #[test]
    fn whole_messages_are_passed_on() {
        for line in [
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\",\"params\":{}}",
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"nothing/known\"}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\",\"params\":{}}",
        ] {
            assert!(read(line.as_bytes()).and_then(typed).is_ok(), "{line}");
        }
        let notification = read(b"{\"method\":\"notifications/x\"}").and_then(typed).unwrap_err();
        assert!(notification.wants_no_answer, "nobody waits for an answer to a notification");
    }

    proptest::proptest! {
        #[test]
        fn no_line_panics(line in "[{}\\[\\]\":,\\\\id0-9éa ]{0,60}", cut in 0..60_usize) {
            let bytes = line.as_bytes();
            let _ = read(bytes).and_then(typed);
            let _ = read(&bytes[cut.min(bytes.len())..]).and_then(typed);
        }
    }
}
