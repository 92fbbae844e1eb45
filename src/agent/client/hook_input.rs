//! The JSON object that a client writes to the standard input of a hook.
//!
//! The clients use the same field names with few exceptions; fields that a client does not send are empty.

use serde_json::Value;

use super::opencode::{KeptLine, handed_lines};
use super::{AgentClient, HookEvent, cursor, gemini, repair_json_text};

/// Why the input of a hook cannot be parsed.
#[derive(Debug, thiserror::Error)]
pub enum HookInputError {
    /// It is not JSON.
    #[error("the hook's input is not JSON")]
    Json(#[source] serde_json::Error),
    /// It is JSON, but not an object.
    #[error("the hook's input is not a JSON object")]
    NotAnObject,
}

/// The input of a hook call. A missing field, or one of an unexpected type, is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookInput {
    /// The client.
    pub client: AgentClient,
    /// The event.
    pub event: HookEvent,
    /// The session's id.
    pub session: String,
    /// Path of the session's transcript.
    pub transcript: String,
    /// The client's working directory.
    pub directory: String,
    /// The reason for the start of a session: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub source: String,
    /// The prompt.
    pub prompt: String,
    /// The id of the prompt that the turn answers, if the client gives it.
    pub prompt_id: String,
    /// The agent's last message, which may still be missing in the transcript. If the model's server failed, the
    /// client's message about it.
    pub last_message: String,
    /// A model's summary of the conversation, if the client compacted it.
    pub compact_summary: String,
    /// The id of the helper that the event is about. Empty for events of the session itself.
    pub agent_id: String,
    /// The kind of that helper.
    pub agent_type: String,
    /// Messages that the client's plugin hands over, as lines of the transcript that tars keeps.
    pub lines: Vec<KeptLine>,
}

impl HookInput {
    /// Parses the JSON of `client`. Invalid UTF-8, NUL and lone surrogates are replaced.
    ///
    /// # Errors
    /// It is not a JSON object.
    pub fn parse(client: AgentClient, bytes: &[u8]) -> Result<Self, HookInputError> {
        let text = repair_json_text(bytes);
        let value: Value = serde_json::from_str(&text).map_err(HookInputError::Json)?;
        if !value.is_object() {
            return Err(HookInputError::NotAnObject);
        }
        let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().replace('\0', "\u{fffd}");
        let input = Self {
            client,
            event: client.event(&field("hook_event_name")),
            session: field("session_id"),
            transcript: field("transcript_path"),
            directory: field("cwd"),
            source: field("source"),
            prompt: field("prompt"),
            prompt_id: field(match client {
                AgentClient::Codex => "turn_id",
                _ => "prompt_id",
            }),
            last_message: field("last_assistant_message"),
            compact_summary: field("compact_summary"),
            agent_id: field("agent_id"),
            agent_type: field("agent_type"),
            lines: if client.hands_over_messages() { handed_lines(&value) } else { Vec::new() },
        };
        if client == AgentClient::Cursor {
            let plain = |text: &str| text.replace('\0', "\u{fffd}");
            let (session, directory) = (plain(cursor::session(&value)), plain(cursor::directory(&value)));
            let lines = handed_lines(&cursor::messages(input.event, &value));
            // Its transcript has a format of its own.
            let transcript = String::new();
            let source = if input.event == HookEvent::SessionStart { "startup".to_owned() } else { input.source };
            return Ok(Self { session, directory, lines, transcript, source, ..input });
        }
        if client != AgentClient::Gemini {
            return Ok(input);
        }
        // The client reports all that the agent said in the turn, which its transcript already holds.
        let said =
            Some(field("prompt_response")).filter(|said| input.transcript.is_empty() && said != gemini::NO_ANSWER);
        let prompt = gemini::person_words(&input.prompt).to_owned();
        Ok(Self { prompt, last_message: said.unwrap_or_default(), ..input })
    }

    /// Returns the summary of the conversation without the analysis that the model writes before it. Empty if there is
    /// none.
    pub fn summary(&self) -> &str {
        let text = self.compact_summary.as_str();
        let inside = text.rsplit_once("<summary>").map_or(text, |(_, inside)| inside);
        let inside = inside.split_once("</summary>").map_or(inside, |(inside, _)| inside);
        inside.rsplit_once("</analysis>").map_or(inside, |(_, after)| after).trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed_input(bytes: &[u8]) -> Result<HookInput, HookInputError> {
        HookInput::parse(AgentClient::ClaudeCode, bytes)
    }

    #[test]
    fn known_fields_are_read_and_others_skipped() {
        let text =
            r#"{"hook_event_name":"Stop","session_id":"a","cwd":7,"new_field":{"x":[1]},"prompt":"\ud83d x \u0000"}"#;
        let input = parsed_input(text.as_bytes()).unwrap();
        assert_eq!((input.event, input.session.as_str(), input.directory.as_str()), (HookEvent::Stop, "a", ""));
        assert_eq!(input.prompt, "\u{fffd} x \u{fffd}");
        assert_eq!(parsed_input(br#"{"hook_event_name":"Later"}"#).unwrap().event, HookEvent::Other);
        for wrong in [&b""[..], b"[]", b"{", b"null", b"\xff"] {
            assert!(parsed_input(wrong).is_err());
        }
    }

    #[test]
    fn the_input_of_gemini_cli_is_read() {
        let prompt = include_bytes!("../../../tests/client/samples-gemini/before-agent.json");
        let input = HookInput::parse(AgentClient::Gemini, prompt).unwrap();
        assert_eq!(input.event, HookEvent::UserPromptSubmit);
        assert_eq!(input.prompt, "Which trees are there? [[say Pears and plums.]]");
        let answer = include_str!("../../../tests/client/samples-gemini/after-agent.json");
        let input = HookInput::parse(AgentClient::Gemini, answer.as_bytes()).unwrap();
        assert_eq!((input.event, input.last_message.as_str()), (HookEvent::Stop, ""), "the transcript has it");
        let without = answer.replace("transcript_path", "no_path");
        let input = HookInput::parse(AgentClient::Gemini, without.as_bytes()).unwrap();
        assert_eq!(input.last_message, "Pears and plums.");
    }

    #[test]
    fn the_summary_excludes_the_analysis_before_it() {
        let summary = |text: &str| {
            let value = serde_json::json!({ "hook_event_name": "PostCompact", "compact_summary": text });
            parsed_input(value.to_string().as_bytes()).unwrap().summary().to_owned()
        };
        let sample = include_bytes!("../../../tests/client/samples/post-compact.json");
        assert_eq!(parsed_input(sample).unwrap().summary(), "They spoke of the script.");
        assert_eq!(summary("<analysis>Short.</analysis>\nPlain words."), "Plain words.");
        assert_eq!(summary("<summary>Cut of"), "Cut of");
        assert_eq!(summary(""), "");
    }

    #[rustfmt::skip]
    const FIELDS: [&str; 10] = [
        "hook_event_name", "session_id", "transcript_path", "cwd", "source", "prompt", "prompt_id",
        "last_assistant_message", "compact_summary", "agent_type",
    ];

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(512))]

        #[test]
        fn any_bytes_are_parsed_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            let _ = parsed_input(&bytes);
        }

        #[test]
        fn text_like_json_is_parsed_or_refused(text in r#"[{}\[\]",:\\ud8tfn0-9eE+. \x00é-]{0,80}"#) {
            let _ = parsed_input(text.as_bytes());
        }

        #[test]
        fn a_field_is_its_text_or_empty(at in 0..10usize, text in "\\PC{0,40}", other in r#"(null|true|-1e9|\[1\]|\{\}|"x\\u0000")"#) {
            let parsed = |value: &str| parsed_input(format!("{{\"{}\":{value}}}", FIELDS[at]).as_bytes()).unwrap();
            let field = |input: HookInput| match FIELDS[at] {
                "hook_event_name" => input.event.as_str().to_owned(),
                "session_id" => input.session,
                "transcript_path" => input.transcript,
                "cwd" => input.directory,
                "source" => input.source,
                "prompt" => input.prompt,
                "prompt_id" => input.prompt_id,
                "compact_summary" => input.compact_summary,
                "agent_type" => input.agent_type,
                _ => input.last_message,
            };
            let read = field(parsed(&Value::from(text.as_str()).to_string()));
            proptest::prop_assert_eq!(read, if at == 0 { HookEvent::named(&text).as_str().to_owned() } else { text });
            let other = field(parsed(&other));
            proptest::prop_assert!(matches!(other.trim_start_matches('x'), "" | "�"));
        }

        #[test]
        fn truncated_or_corrupted_input_does_no_harm(cut in 0..400usize, at in 0..400usize, byte in proptest::num::u8::ANY) {
            let mut line = br#"{"session_id":"a\ud83d\ude00b","transcript_path":"/t/\ud800.jsonl","cwd":"/x","hook_event_name":"Stop",
                "stop_hook_active":false,"last_assistant_message":"It is \"done\".\n","more":{"deep":[[[{"a":1.5e300}]]]}}"#.to_vec();
            let length = line.len();
            line[at % length] = byte;
            line.truncate(cut % length + 1);
            let _ = parsed_input(&line);
        }

        #[test]
        fn deep_nesting_is_refused(depth in 200..100_000usize, opening in r#"(\[|\{"a":)"#) {
            let line = format!("{{\"prompt\":{}", opening.repeat(depth));
            proptest::prop_assert!(parsed_input(line.as_bytes()).is_err());
        }
    }
}
