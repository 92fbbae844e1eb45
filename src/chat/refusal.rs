//! Tells from a server's refusal which part of a request it refuses. Each form below was recorded from the server that is named.

use serde_json::Value;

/// The part of a request that a server refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The conversation is longer than the model's context window.
    Overflow {
        /// The window in tokens, if the server names it.
        window: Option<usize>,
    },
    /// Tools.
    Tools,
    /// The older field for the length limit.
    Limit,
    /// The field that asks for figures at the end of a stream.
    StreamOptions,
}

/// Codes and types of an error for a conversation that is too long: OpenAI, DeepSeek, Groq and vLLM; llama.cpp.
const OVERFLOW_CODES: [&str; 2] = ["context_length_exceeded", "exceed_context_size_error"];
/// Words of such an error, and the words after which it names the window.
const OVERFLOW: [(&str, &str); 17] = [
    // OpenAI, OpenRouter, DeepSeek, vLLM.
    ("maximum context length is", "maximum context length is"),
    // vLLM, other versions.
    ("longer than the maximum model length", "maximum model length of"),
    ("exceeds model's maximum context length", "maximum context length ("),
    // llama.cpp, also within Ollama and LM Studio.
    ("exceeds the available context size", "available context size ("),
    // Ollama.
    ("input length exceeds the context length", "context length of"),
    ("prompt too long; exceeded max context length", "context length of"),
    // LM Studio.
    ("greater than the context length", "context length ("),
    ("with context length of only", "context length of only"),
    ("reached context length of", "context length of"),
    // Gemini.
    ("exceeds the maximum number of tokens allowed", "tokens allowed ("),
    // Mistral.
    ("too large for model with", "too large for model with"),
    // Anthropic.
    ("prompt is too long", "tokens >"),
    ("exceed context limit", "> "),
    // xAI, Bedrock, Cohere, Together.
    ("maximum prompt length is", "maximum prompt length is"),
    ("input is too long for requested model", "at most"),
    ("tokens in the prompt cannot exceed", "cannot exceed"),
    ("`inputs` tokens + `max_new_tokens` must be", "must be <="),
];
/// Words of an error for tools: Ollama, OpenRouter, vLLM, llama.cpp, Mistral and Gemini, Groq, DeepSeek, OpenAI.
const TOOLS: [&str; 12] = [
    "does not support tools",
    "no endpoints found that support tool use",
    "tool choice requires --enable-auto-tool-choice",
    "tools param requires --jinja",
    "function calling is not enabled",
    "does not support function calling",
    "does not support tool",
    "tool calling is not supported",
    "`tool calling` is not supported",
    "tools is not supported",
    "unsupported parameter: 'tools'",
    "tool use is not supported",
];
/// Plausible windows in tokens; any other number is an error or no window.
pub(super) const WINDOWS: std::ops::RangeInclusive<usize> = 256..=100_000_000;

impl Refusal {
    /// Returns what the body of an error refuses, if its form is known.
    pub(super) fn of(body: &str) -> Option<Self> {
        // Some servers escape characters such as `>`.
        let json = serde_json::from_str::<Value>(body);
        let said = json.map_or_else(|_| body.to_lowercase(), |json| json.to_string().to_lowercase());
        let overflow = OVERFLOW.iter().find(|(words, _)| said.contains(words));
        if overflow.is_some() || OVERFLOW_CODES.iter().any(|code| said.contains(code)) {
            let named = overflow.and_then(|(_, before)| number_after(&said, before));
            return Some(Self::Overflow { window: field(body).or(named).filter(|window| WINDOWS.contains(window)) });
        }
        if TOOLS.iter().any(|words| said.contains(words)) {
            return Some(Self::Tools);
        }
        if said.contains("max_completion_tokens") {
            return Some(Self::Limit);
        }
        (said.contains("stream_options") || said.contains("include_usage")).then_some(Self::StreamOptions)
    }
}

/// Returns the window that llama.cpp names in a field of its own.
fn field(body: &str) -> Option<usize> {
    let body: Value = serde_json::from_str(body).ok()?;
    let error = body.get("error").unwrap_or(&body);
    usize::try_from(error.get("n_ctx")?.as_u64()?).ok()
}

fn number_after(said: &str, before: &str) -> Option<usize> {
    let rest = said[said.find(before)? + before.len()..].trim_start();
    let number: String = rest.chars().filter(|c| *c != ',').take_while(char::is_ascii_digit).collect();
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_read_from_the_words_of_each_server() {
        let window = |said: &str| match Refusal::of(said) {
            Some(Refusal::Overflow { window }) => window,
            other => panic!("{said}: {other:?}"),
        };
        for (said, expected) in [
            (
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
                Some(8192),
            ),
            (
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                Some(1_048_576),
            ),
            ("prompt is too long: 210000 tokens > 200000 maximum", Some(200_000)),
            (
                "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
                Some(32_768),
            ),
            ("the input length exceeds the context length", None),
            (
                r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#,
                Some(4096),
            ),
            ("the request exceeds the available context size (4,096 tokens), try increasing it", Some(4096)),
            ("This model's maximum context length is 3 tokens", None),
            (r#"{"error":{"message":"Please reduce the length","code":"context_length_exceeded"}}"#, None),
        ] {
            assert_eq!(window(said), expected, "{said}");
        }
    }

    #[test]
    fn other_refusals_name_their_part_or_none() {
        assert_eq!(Refusal::of("registry.ollama.ai/library/gemma:2b does not support tools"), Some(Refusal::Tools));
        assert_eq!(Refusal::of("Use 'max_completion_tokens' instead."), Some(Refusal::Limit));
        let extra = r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}"#;
        assert_eq!(Refusal::of(extra), Some(Refusal::StreamOptions));
        for other in ["", "bad request", "rate limit reached for tokens per minute", "model not found"] {
            assert_eq!(Refusal::of(other), None, "{other}");
        }
    }
}
