//! Extracts a person's words from a prompt or from a message of a transcript.

/// The tag around the context that hooks add.
const HOOK_CONTEXT: (&str, &str) = ("<hook_context>", "</hook_context>");
/// The lines around the content of files that the person named with `@`.
const FILES: (&str, &str) = ("\n--- Content from referenced files ---", "\n--- End of content ---");
/// Beginnings of messages that the client generates.
const SYNTHETIC: [&str; 10] = [
    "<session_context>",
    "<state_snapshot>",
    "<scratchpad>",
    "I ran the following shell command:\n",
    "Here is the user's editor context as a JSON object",
    "Here is a summary of changes in the user's editor context",
    "System: Please continue.",
    "System: Potential loop detected.",
    "[System: ",
    "This is the Gemini CLI. We are setting up the context",
];
/// The message with which the client lets the model go on.
const CONTINUATION: &str = "Please continue.";

/// Returns the words that a person typed, or an empty text if the client generated the message.
pub(in crate::client) fn person_words(message: &str) -> &str {
    let mut text = message.trim();
    // Without a terminal, the client puts the context of the session's start in front of the prompt.
    while let Some((_, after)) = text.strip_prefix(HOOK_CONTEXT.0).and_then(|inside| inside.split_once(HOOK_CONTEXT.1))
    {
        text = after.trim_start();
    }
    // The client replaces the brackets in a context, so the last tag opens it.
    while let Some((before, _)) =
        text.strip_suffix(HOOK_CONTEXT.1).and_then(|inside| inside.rsplit_once(HOOK_CONTEXT.0))
    {
        text = before.trim_end();
    }
    if let Some((before, _)) = text.split_once(FILES.0).filter(|(_, files)| files.contains(FILES.1)) {
        text = before.trim_end();
    }
    let is_synthetic = text == CONTINUATION || SYNTHETIC.iter().any(|start| text.starts_with(start));
    if is_synthetic { "" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_of_hooks_and_the_content_of_files_are_removed() {
        let start = "<hook_context>&lt;tars-memory&gt;\nold\n&lt;/tars-memory&gt;</hook_context>\n\nWhich port?";
        assert_eq!(person_words(start), "Which port?");
        assert_eq!(
            person_words(&format!("{start}<hook_context>a</hook_context><hook_context>b</hook_context>")),
            "Which port?"
        );
        let file =
            "Read @a.txt\n--- Content from referenced files ---\nContent from @a.txt:\npears\n--- End of content ---";
        assert_eq!(person_words(file), "Read @a.txt");
        assert_eq!(person_words(&format!("{file}<hook_context>a</hook_context>")), "Read @a.txt");
        for kept in
            ["Why is <hook_context> in my prompt?", "a\n--- Content from referenced files ---", "/compress", "<b>c</b>"]
        {
            assert_eq!(person_words(kept), kept);
        }
    }

    #[test]
    fn messages_of_the_client_hold_no_words() {
        for text in [
            "",
            "<hook_context>a</hook_context>",
            "<session_context>\nThis is the Gemini CLI.\n</session_context>",
            "<state_snapshot>They spoke.</state_snapshot>",
            "I ran the following shell command:\n```sh\nls\n```",
            "Please continue.",
        ] {
            assert_eq!(person_words(text), "", "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(<hook_context>|</hook_context>|\n--- End of content ---|a|é|\n| ){0,30}") {
            proptest::prop_assert!(text.contains(person_words(&text)));
        }
    }
}
