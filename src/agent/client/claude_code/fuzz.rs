//! Fuzzes the parser of hook input.

use serde_json::Value;

use crate::client::{AgentClient, HookInput};
use tars_testing::fuzz::fuzz;

/// Fields hold no NUL and are no longer than the input, apart from replacement characters. Input that a strict parser
/// accepts as an object is accepted, with the same texts.
#[test]
fn fuzz_hook_json() {
    fuzz("hook_json", |bytes| {
        let strict: Option<Value> = serde_json::from_slice(bytes).ok().filter(Value::is_object);
        let input = match HookInput::parse(AgentClient::ClaudeCode, bytes) {
            Ok(input) => input,
            Err(error) => {
                assert!(strict.is_none(), "{error}");
                return;
            }
        };
        let fields = [
            ("session_id", &input.session),
            ("transcript_path", &input.transcript),
            ("cwd", &input.directory),
            ("source", &input.source),
            ("prompt", &input.prompt),
            ("prompt_id", &input.prompt_id),
            ("last_assistant_message", &input.last_message),
            ("compact_summary", &input.compact_summary),
        ];
        for (name, field) in fields {
            assert!(!field.contains('\0'), "NUL in {name}");
            assert!(field.len() <= 3 * bytes.len());
            if let Some(value) = &strict {
                let said = value.get(name).and_then(Value::as_str).unwrap_or_default();
                assert_eq!(*field, said.replace('\0', "\u{fffd}"), "{name}");
            }
        }
    });
}
