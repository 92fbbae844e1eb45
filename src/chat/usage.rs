//! Why a model stopped, and the tokens that it took.

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The answer is complete.
    Finished,
    /// The model waits for the results of its calls.
    ToolCalls,
    /// The answer reached the length limit and is cut off.
    MaxTokens,
    /// The model or a filter of the server refused to answer.
    Refused,
    /// Another reason, in the server's words.
    Other(String),
}

/// Token counts of the server; `None` where it reports none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: Option<u64>,
}

impl Usage {
    /// Returns the counts of two calls together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let add = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or_default().saturating_add(other.unwrap_or_default())),
        };
        Self {
            input_tokens: add(self.input_tokens, other.input_tokens),
            output_tokens: add(self.output_tokens, other.output_tokens),
        }
    }
}
