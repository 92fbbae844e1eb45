//! Tests of reading exports.

use std::fs;

use serde_json::json;
use tars_testing::zip::archive;

use super::*;

/// Two branches of a question: the person edited it, and the current node is on the second one.
fn chatgpt() -> Value {
    let message = |role: &str, at: f64, text: &str| {
        json!({"author": {"role": role}, "create_time": at, "recipient": "all", "metadata": {},
               "content": {"content_type": "text", "parts": [text]}})
    };
    let node = |message: Value, parent: Value, children: Value| json!({"message": message, "parent": parent, "children": children});
    let mut hidden = message("user", 1.0, "custom instructions");
    hidden["metadata"]["is_visually_hidden_from_conversation"] = true.into();
    let mut call = message("assistant", 5.0, "search()");
    call["recipient"] = "python".into();
    let mut picture = message("user", 7.0, "");
    picture["content"] = json!({"content_type": "multimodal_text", "parts": [
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}, "And this one?",
        {"content_type": "audio_transcription", "text": "as I said"}]});
    picture["metadata"]["attachments"] = json!([{"name": "pump.png"}, {"id": 3}]);
    let mut thoughts = message("assistant", 8.0, "");
    thoughts["content"] = json!({"content_type": "thoughts", "thoughts": []});
    json!({
        "title": "Pump trouble", "create_time": 1.0, "conversation_id": "c-1", "current_node": "n8",
        "mapping": {
            "root": node(Value::Null, Value::Null, json!(["n0"])),
            "n0": node(message("system", 0.0, ""), "root".into(), json!(["n1"])),
            "n1": node(hidden, "n0".into(), json!(["n2", "n3"])),
            "n2": node(message("user", 2.0, "Why does the pomp stop?"), "n1".into(), json!([])),
            "n3": node(message("user", 4.0, "Why does the pump stop?"), "n1".into(), json!(["n4"])),
            "n4": node(call, "n3".into(), json!(["n5"])),
            "n5": node(message("tool", 5.5, "result"), "n4".into(), json!(["n6"])),
            "n6": node(message("assistant", 6.0, "The timer overflows【1†log】."), "n5".into(), json!(["n7"])),
            "n7": node(picture, "n6".into(), json!(["n8"])),
            "n8": node(thoughts, "n7".into(), json!([])),
        }
    })
}

fn claude() -> Value {
    json!({
        "uuid": "u-1", "name": "", "created_at": "2025-03-14T09:20:05.123456Z", "account": {"uuid": "a"},
        "chat_messages": [
            {"uuid": "1", "sender": "human", "created_at": "2025-03-14T09:20:06Z", "text": "Which valve?", "content": [],
             "attachments": [{"file_name": "plan.pdf", "extracted_content": "secret"}], "files": [{"file_name": "a.png"}]},
            {"uuid": "2", "sender": "assistant", "created_at": "2025-03-14T09:20:09Z", "text": "one ``` block ``` two", "content": [
                {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "one"},
                {"type": "tool_use", "name": "web", "input": {}}, {"type": "tool_result", "content": []},
                {"type": "text", "text": "two"}]},
            {"uuid": "3", "sender": "system", "text": "x"},
        ]
    })
}

struct Export(tempfile::TempDir);

impl Export {
    fn of(chats: &[Value]) -> Self {
        Self::with(serde_json::to_string(chats).unwrap())
    }

    fn with(text: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("conversations.json"), text).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("conversations.json")
    }
}

fn read(place: &Path, client: ChatClient) -> Result<Vec<Result<SavedChat, String>>, ChatExportError> {
    let export = ChatExport::open(place, client)?;
    let mut found = Vec::new();
    export.chats::<ChatExportError>(&mut |number, chat| {
        assert_eq!(number, found.len() + 1);
        found.push(chat.map_err(|error| error.to_string()));
        Ok(ControlFlow::Continue(()))
    })?;
    assert_eq!(export.count(), found.len());
    Ok(found)
}

fn one(chat: Value, client: ChatClient) -> Result<SavedChat, String> {
    read(&Export::of(&[chat]).path(), client).unwrap().remove(0)
}

fn said(chat: &SavedChat) -> Vec<(bool, &str)> {
    chat.messages.iter().map(|message| (message.is_of_person, message.text.as_str())).collect()
}

#[test]
fn a_chat_of_chatgpt_is_its_current_branch_without_tools_and_thoughts() {
    let chat = one(chatgpt(), ChatClient::ChatGpt).unwrap();
    assert_eq!((chat.id.as_str(), chat.name.as_deref()), ("c-1", Some("Pump trouble")));
    let expected = [
        (true, "Why does the pump stop?"),
        (false, "The timer overflows."),
        (true, "[picture]\n\nAnd this one?\n\nas I said"),
    ];
    assert_eq!(said(&chat), expected);
    assert_eq!(chat.messages[2].files, ["pump.png"]);
    assert_eq!(chat.messages[0].at.unwrap().as_second(), 4);
}

#[test]
fn a_chat_without_a_current_message_ends_with_the_newest() {
    let mut chat = chatgpt();
    chat.as_object_mut().unwrap().remove("current_node");
    assert_eq!(said(&one(chat, ChatClient::ChatGpt).unwrap())[0].1, "Why does the pump stop?");
}

#[test]
fn a_chat_of_claude_has_the_text_around_tools() {
    let chat = one(claude(), ChatClient::Claude).unwrap();
    assert_eq!(said(&chat), [(true, "Which valve?"), (false, "one\n\ntwo")]);
    assert_eq!(chat.messages[0].files, ["plan.pdf", "a.png"]);
    assert_eq!(chat.created.unwrap().to_string(), "2025-03-14T09:20:05.123456Z");
}

#[test]
fn a_chat_of_claude_with_parents_is_its_last_branch() {
    let mut chat = claude();
    let message = |id: &str, parent: &str, sender: &str| json!({"uuid": id, "parent_message_uuid": parent, "sender": sender, "text": id});
    chat["chat_messages"] = json!([
        message("1", "0", "human"),
        message("2", "1", "assistant"),
        message("3", "1", "assistant"),
        message("4", "3", "human")
    ]);
    let texts = |chat: &Value| {
        let chat = one(chat.clone(), ChatClient::Claude).unwrap();
        chat.messages.into_iter().map(|message| message.text).collect::<Vec<_>>()
    };
    assert_eq!(texts(&chat), ["1", "3", "4"]);
    chat["current_leaf_message_uuid"] = "2".into();
    assert_eq!(texts(&chat), ["1", "2"]);
}

#[test]
fn an_export_is_a_file_a_folder_or_an_archive() {
    let export = Export::of(&[chatgpt()]);
    let folder = export.0.path();
    let list = fs::read(export.path()).unwrap();
    fs::write(folder.join("export.zip"), archive(&[("chat.html", b"x"), ("x/conversations.json", &list)], None))
        .unwrap();
    fs::write(folder.join("conversations-001.json"), b"\xef\xbb\xbf[ ]").unwrap();
    for (place, count) in [(export.path(), 1), (folder.to_owned(), 1), (folder.join("export.zip"), 1)] {
        assert_eq!(read(&place, ChatClient::ChatGpt).unwrap().len(), count, "{}", place.display());
    }
}

#[test]
fn another_file_is_refused_by_name_before_anything_is_read_from_it() {
    let export = Export::of(&[claude()]);
    let error = read(&export.path(), ChatClient::ChatGpt).unwrap_err();
    assert!(error.to_string().ends_with("conversations.json holds no conversations of ChatGPT"), "{error}");
    assert_eq!(error.hint().as_deref(), Some("tars import claude FILE"));
    let whole = serde_json::to_string(&[chatgpt(), chatgpt()]).unwrap();
    for (text, reason) in [
        ("{}", "does not begin with ["),
        ("[1]", "entry 1 of the list is no object"),
        (&whole[..whole.len() - 9], "ends in the middle"),
        ("[{\"a\": 1}]", "holds no conversations of ChatGPT"),
        ("PK\x03\x04", "the archive is damaged"),
    ] {
        let export = Export::with(text);
        let error = ChatExport::open(&export.path(), ChatClient::ChatGpt).unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains("conversations.json"), "{error}");
    }
    let empty = tempfile::tempdir().unwrap();
    for place in [empty.path().to_owned(), empty.path().join("gone")] {
        let error = ChatExport::open(&place, ChatClient::Claude).unwrap_err().to_string();
        assert!(error.contains(&*place.to_string_lossy()), "{error}");
    }
}

#[test]
fn a_conversation_that_cannot_be_read_is_named_and_hides_no_other() {
    let mut circle = chatgpt();
    circle["mapping"]["n0"]["parent"] = "n8".into();
    let mut nameless = chatgpt();
    nameless["conversation_id"] = Value::Null;
    let deep = format!("{{\"mapping\": {{}}, \"x\": {}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let text = format!("[{},{circle},{nameless},{deep},{{\"id\":\"x\"}},{{\"mapping\": 00}}]", chatgpt());
    let found = read(&Export::with(text).path(), ChatClient::ChatGpt).unwrap();
    assert!(found[0].is_ok());
    let reasons = ["in a circle", "has no 'id'", "no readable JSON", "has no 'mapping'", "no readable JSON"];
    for (found, reason) in found[1..].iter().zip(reasons) {
        assert!(found.as_ref().is_err_and(|error| error.contains(reason)), "{reason}: {found:?}");
    }
}

#[test]
fn half_an_emoji_and_fields_of_other_kinds_are_no_reason_to_refuse_a_chat() {
    let text = serde_json::to_string(&[chatgpt()]).unwrap().replace("And this one?", "And \\ud83d?");
    let found = read(&Export::with(text).path(), ChatClient::ChatGpt).unwrap().remove(0).unwrap();
    assert!(found.messages[2].text.contains("And \u{fffd}?"));
    let mut odd = chatgpt();
    odd["title"] = json!(3);
    odd["create_time"] = json!("yesterday");
    odd["mapping"]["n6"]["message"]["content"]["parts"] = json!({"a": 1});
    odd["mapping"]["n7"]["message"]["metadata"] = json!([]);
    let chat = one(odd, ChatClient::ChatGpt).unwrap();
    assert_eq!((chat.name, chat.created, chat.messages.len()), (None, None, 2));
}
