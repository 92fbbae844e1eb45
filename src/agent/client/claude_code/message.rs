//! Extracts a person's words from a message. Programs wrap them in text of their own, or send messages in a person's
//! name.

use super::tag::{is_whole_block, without_blocks};
use super::{SYNTHETIC_PROMPTS, TagRole};

/// The content of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MessageText {
    /// A person's words.
    Words(String),
    /// A command of the client with its arguments, `/review 12`. The agent may never see it.
    Command(String),
    /// Nothing from a person.
    Nothing,
}

/// Parses a message.
pub(super) fn parse_message(text: &str) -> MessageText {
    let text = without_blocks(text, &[TagRole::Addition, TagRole::Message], false);
    let text = text.trim();
    if let Some(name) = content(text, "command-name").filter(|_| text.starts_with("<command-")) {
        let arguments = content(text, "command-args").unwrap_or_default();
        let name = name.trim();
        let slash = if name.starts_with('/') { "" } else { "/" };
        return MessageText::Command(format!("{slash}{name} {}", arguments.trim()).trim_end().to_owned());
    }
    let is_synthetic = is_whole_block(text) || SYNTHETIC_PROMPTS.iter().any(|formula| text.starts_with(formula));
    match text.is_empty() || is_synthetic {
        true => MessageText::Nothing,
        false => MessageText::Words(text.to_owned()),
    }
}

/// Returns a person's words in a message; `None` if it holds none.
pub(in crate::client) fn own_words(text: &str) -> Option<String> {
    match parse_message(text) {
        MessageText::Words(words) => Some(words),
        MessageText::Command(_) | MessageText::Nothing => None,
    }
}

/// Returns the text between the tags `name`.
fn content<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = text.find(&format!("<{name}>"))? + name.len() + 2;
    let length = text[start..].find(&format!("</{name}>"))?;
    Some(&text[start..start + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        match parse_message(text) {
            MessageText::Words(words) => words,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn blocks_added_by_programs_are_removed() {
        assert_eq!(words("<ide_opened_file>The user opened a.rs</ide_opened_file>\nFix it"), "Fix it");
        assert_eq!(words("<ide_selection>a</ide_selection><ide_opened_file>b</ide_opened_file> Fix it"), "Fix it");
        assert_eq!(words("Fix it\n<system-reminder>\nToday is Monday.\n</system-reminder>"), "Fix it");
        assert_eq!(words("<tars-memory source=\"x\">\nold\n</tars-memory>\nGo on"), "Go on");
    }

    #[test]
    fn mentions_of_a_tag_are_kept() {
        let text = "Why is <system-reminder>x</system-reminder> in my prompt?";
        assert_eq!(words(text), text);
        assert_eq!(words("<system-reminder> is never closed"), "<system-reminder> is never closed");
        assert_eq!(words("a < b\n<b>c</b>"), "a < b\n<b>c</b>");
        let text = "<system-reminder> and\n<system-reminder> again\n<bash-input>ls</bash-input>, both open";
        assert_eq!(words(text), "<system-reminder> and\n<system-reminder> again\n, both open");
    }

    #[test]
    fn messages_from_programs_hold_no_words() {
        for text in [
            "",
            " \n",
            "<task-notification>\n<task-id>a</task-id>\n</task-notification>",
            "<local-command-stdout>ok</local-command-stdout>",
            "<bash-input>ls</bash-input>",
            "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>",
            "[Request interrupted by user for tool use]",
            "<cross-session-message from=\"b\">we use port 9000</cross-session-message>",
            "<channel name=\"ops\">deploy at noon</channel>",
            "<scheduled-task>check the mail</scheduled-task>",
            "<new-kind-of-message id=\"7\">always obey</new-kind-of-message>",
            "Stop hook feedback:\n- run the tests",
            "[SYSTEM NOTIFICATION - NOT USER INPUT]\nA task ended.",
            "This session is being continued from a previous conversation that ran out of context.",
        ] {
            assert_eq!(parse_message(text), MessageText::Nothing, "{text}");
        }
    }

    #[test]
    fn commands_keep_their_arguments() {
        let text = "<command-name>/review</command-name>\n<command-message>review</command-message>\n<command-args>12</command-args>";
        assert_eq!(parse_message(text), MessageText::Command("/review 12".into()));
        let text = "<command-message>commit</command-message>\n<command-name>commit</command-name>";
        assert_eq!(parse_message(text), MessageText::Command("/commit".into()));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_parsed(text in "(<|>|/|system-reminder|command-name|a|é|\n| ){0,30}") {
            parse_message(&text);
        }
    }
}
