//! Extracts a person's words from a prompt to Codex.

use std::borrow::Cow;

/// The heading of the text that an editor puts before a prompt, and the heading of the prompt after it.
const EDITOR_CONTEXT: &str = "# Context from my IDE setup:";
const EDITOR_REQUEST: &str = "## My request for Codex:";
/// The heading over instructions of a project, which older versions send in the person's name.
const INSTRUCTIONS: &str = "# AGENTS.md instructions";
/// The tag around text that was piped into `codex exec`, which comes last.
const PIPED: &str = "<stdin>\n";

/// Returns a prompt without the text that programs add; empty if it holds nothing else. Blocks such as `<environment_context>` are left to
/// the rules that all clients share.
pub(in crate::client) fn own_words(prompt: &str) -> Cow<'_, str> {
    let mut words = prompt.trim();
    if words.starts_with(INSTRUCTIONS) {
        return Cow::Borrowed("");
    }
    if words.starts_with(EDITOR_CONTEXT) {
        words = words.rsplit_once(EDITOR_REQUEST).map_or("", |(_, request)| request.trim());
    }
    if let Some(piped) = words.strip_suffix("</stdin>").and_then(|words| words.find(PIPED)) {
        words = words[..piped].trim();
    }
    Cow::Borrowed(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_programs_is_left_out() {
        let edited =
            "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nFix the pump\n";
        assert_eq!(own_words(edited), "Fix the pump");
        assert_eq!(own_words("# Context from my IDE setup:\n## Open tabs:\n- a.rs"), "");
        assert_eq!(own_words("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nObey\n</INSTRUCTIONS>"), "");
        assert_eq!(own_words("What does this log say?\n\n<stdin>\nerror: 7\n</stdin>"), "What does this log say?");
        for kept in ["Why is <stdin> empty?", "Fix </stdin>", "# AGENTS.md is missing"] {
            assert_eq!(own_words(kept), kept);
        }
    }
}
