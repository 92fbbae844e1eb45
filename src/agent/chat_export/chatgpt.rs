//! Conversations of ChatGPT.
//!
//! ```text
//! {"title": …, "create_time": seconds, "conversation_id" or "id": …, "current_node": ID,
//!  "mapping": {ID: {"message": MESSAGE or null, "parent": ID or null, "children": [ID, …]}}}
//! MESSAGE: {"author": {"role": "user" | "assistant" | "system" | "tool"}, "create_time": seconds, "recipient": "all" or a tool,
//!  "content": {"content_type": "text" | "multimodal_text" | …, "parts": [text or object, …]},
//!  "metadata": {"is_visually_hidden_from_conversation": bool, "attachments": [{"name": …}]}}
//! ```

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::message_path::{check_count, message_path};
use super::{BadChat, ChatClient, ChatMessage, SavedChat};

/// Longest mark of a citation, in characters.
const MAX_CITATION: usize = 300;

/// Reads a conversation.
pub(super) fn chat<'c>(conversation: &'c Value) -> Result<SavedChat, BadChat> {
    let mapping = conversation["mapping"].as_object().ok_or(BadChat::Lacks("mapping"))?;
    check_count(mapping.len())?;
    let current = conversation["current_node"].as_str().filter(|id| mapping.contains_key(*id));
    let last = current.or_else(|| newest_leaf(mapping));
    let nodes = message_path(last, |id| mapping.get(id), |node: &'c Value| node["parent"].as_str())?;
    let id = ["conversation_id", "id"].into_iter().find_map(|name| conversation[name].as_str());
    Ok(SavedChat {
        client: ChatClient::ChatGpt,
        id: id.unwrap_or_default().to_owned(),
        name: conversation["title"].as_str().map(str::to_owned),
        created: time(&conversation["create_time"]),
        messages: nodes.into_iter().filter_map(|node| message(&node["message"])).collect(),
    })
}

/// Returns the newest message that no other one follows. Old exports name no current one.
fn newest_leaf(mapping: &Map<String, Value>) -> Option<&str> {
    let is_leaf = |node: &Value| node["children"].as_array().is_none_or(Vec::is_empty);
    let leaves = mapping.iter().filter(|(_, node)| is_leaf(node));
    leaves.max_by_key(|(_, node)| time(&node["message"]["create_time"])).map(|(id, _)| id.as_str())
}

/// Returns a message that the person sees; `None` for those of tools and of the system, and for thoughts.
fn message(message: &Value) -> Option<ChatMessage> {
    let is_of_person = match message["author"]["role"].as_str()? {
        "user" => true,
        "assistant" => false,
        _ => return None,
    };
    let metadata = &message["metadata"];
    let is_hidden = ["is_visually_hidden_from_conversation", "is_user_system_message"]
        .into_iter()
        .any(|name| metadata[name].as_bool() == Some(true));
    let is_for_tool = message["recipient"].as_str().is_some_and(|recipient| recipient != "all");
    if is_hidden || is_for_tool || message["channel"].as_str() == Some("analysis") {
        return None;
    }
    let content = &message["content"];
    let text = match content["content_type"].as_str()? {
        "text" | "multimodal_text" => {
            let parts = content["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
            parts.iter().filter_map(part).collect::<Vec<_>>().join("\n\n")
        }
        _ => return None,
    };
    let attachments = metadata["attachments"].as_array().map(Vec::as_slice).unwrap_or_default();
    let files = attachments.iter().filter_map(|file| file["name"].as_str()).map(str::to_owned).collect::<Vec<_>>();
    let text = if is_of_person { text } else { without_citations(&text) };
    let says_something = !text.trim().is_empty() || !files.is_empty();
    says_something.then(|| ChatMessage { is_of_person, at: time(&message["create_time"]), text, files })
}

fn part(part: &Value) -> Option<&str> {
    let text = part.as_str().or_else(|| match part["content_type"].as_str()? {
        "audio_transcription" => part["text"].as_str(),
        "image_asset_pointer" => Some("[picture]"),
        _ => None,
    });
    text.filter(|text| !text.trim().is_empty())
}

/// Removes the marks that the program shows as links to sources: `【11†source】`, and words between characters for private use.
fn without_citations(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{e200}', '【']) {
        let (before, mark) = rest.split_at(at);
        out.push_str(before);
        let closing = if mark.starts_with('【') { '】' } else { '\u{e201}' };
        let end = mark.char_indices().take(MAX_CITATION).find(|(_, character)| *character == closing);
        let end =
            end.map(|(end, _)| end + closing.len_utf8()).filter(|end| closing != '】' || mark[..*end].contains('†'));
        rest = match end {
            Some(end) => &mark[end..],
            None => {
                let first = mark.chars().next().map_or(0, char::len_utf8);
                out.push_str(&mark[..first]);
                &mark[first..]
            }
        };
    }
    out.push_str(rest);
    out
}

/// Returns a time in seconds since 1970.
fn time(seconds: &Value) -> Option<Timestamp> {
    let milliseconds = (seconds.as_f64()? * 1000.0).round();
    // The conversion saturates, and the timestamp refuses what is beyond its range.
    Timestamp::from_millisecond(milliseconds as i64).ok().filter(|_| milliseconds.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_sources_are_removed_and_other_brackets_stay() {
        for (said, kept) in [
            ("It is so【11†source】.", "It is so."),
            ("It is so\u{e200}cite\u{e202}turn0search1\u{e201}.", "It is so."),
            ("【note】 \u{e200}open", "【note】 \u{e200}open"),
        ] {
            assert_eq!(without_citations(said), kept);
        }
        assert_eq!(without_citations(&"【".repeat(50_000)).chars().count(), 50_000);
    }

    #[test]
    fn times_are_seconds_with_fractions() {
        assert_eq!(time(&1700000000.5.into()).unwrap().to_string(), "2023-11-14T22:13:20.5Z");
        for wrong in [Value::Null, "1700000000".into(), 1e300.into(), (-1e300).into()] {
            assert_eq!(time(&wrong), None, "{wrong}");
        }
    }
}
