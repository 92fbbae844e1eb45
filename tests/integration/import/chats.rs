//! `tars import chatgpt`, `tars import claude`

use std::fs;

use serde_json::{Value, json};
use tars_testing::zip::archive;

use crate::harness::TestVault;

/// A conversation of ChatGPT with these messages, every second one of the assistant.
pub(super) fn chatgpt(id: &str, texts: &[&str]) -> Value {
    let mut mapping = json!({"root": {"message": null, "parent": null, "children": ["m0"]}});
    for (number, text) in texts.iter().enumerate() {
        let parent = if number == 0 { "root".to_owned() } else { format!("m{}", number - 1) };
        mapping[format!("m{number}")] = json!({"parent": parent, "children": [], "message": {
            "author": {"role": if number % 2 == 0 { "user" } else { "assistant" }}, "create_time": 1741944005 + 60 * number,
            "recipient": "all", "content": {"content_type": "text", "parts": [text]}, "metadata": {}}});
    }
    let last = format!("m{}", texts.len() - 1);
    json!({"title": "Pump", "create_time": 1741944000, "conversation_id": id, "current_node": last, "mapping": mapping})
}

fn claude(id: &str, question: &str) -> Value {
    json!({"uuid": id, "name": "Valves", "created_at": "2025-03-15T08:00:00Z", "chat_messages": [
        {"uuid": "1", "sender": "human", "created_at": "2025-03-15T08:00:00Z", "text": question, "content": []},
        {"uuid": "2", "sender": "assistant", "created_at": "2025-03-15T08:01:00Z", "text": "The brass one.", "content": []}]})
}

fn pump() -> Value {
    chatgpt(
        "c-1",
        &[
            "Why does the pump stop at night?\n\nMy password is <private>swordfish</private>.",
            "The timer overflows at midnight.",
        ],
    )
}

fn tank() -> Value {
    chatgpt("c-2", &["Is the oil tank tight?", "It is."])
}

fn vault(chats: &[Value]) -> TestVault {
    let vault = TestVault::of_words().with("TZ", "UTC");
    export(&vault, chats);
    vault
}

pub(super) fn export(vault: &TestVault, chats: &[Value]) {
    fs::write(vault.home().join("conversations.json"), serde_json::to_string(chats).unwrap()).unwrap();
}

const PUMP: &str = "tars/chats/2025-03-14-why-does-the-pump-stop-at-night.md";

#[test]
fn a_chat_becomes_a_note_that_a_search_finds_by_its_type() {
    let vault = vault(&[pump(), tank()]);
    let dry = vault.tars(["import", "chatgpt", "conversations.json", "--dry-run"]).run().success();
    assert_eq!(dry.stdout().matches("would write  tars/chats/2025-03-14-").count(), 2, "{dry}");
    assert!(!vault.path("tars").exists());
    export(&vault, &[pump(), chatgpt("c-9", &["Why does the pump stop at night?"])]);
    let twins = vault.tars(["import", "chatgpt", "conversations.json", "--dry-run"]).run().success();
    assert!(twins.stdout().contains("-at-night-2.md"), "{twins}");
    export(&vault, &[pump(), tank()]);

    let json = vault.tars(["import", "chatgpt", "conversations.json", "--json"]).run().success().json();
    assert_eq!((&json["known"], &json["empty"], &json["dry_run"]), (&0.into(), &0.into(), &false.into()));
    let first = json!({"chat": "chatgpt:c-1", "path": PUMP, "title": json["chats"][0]["title"], "changed": false});
    assert_eq!(json["chats"][0], first);
    let note = vault.read(PUMP);
    assert!(
        note.contains("\n# Why does the pump stop at night?") && note.contains("\n## 2025-03-14 09:20\n\n**You:**\n\n"),
        "{note}"
    );
    assert!(
        note.contains("\n**ChatGPT:**\n\nThe timer overflows at midnight.\n") && !note.contains("swordfish"),
        "{note}"
    );

    vault.tars(["index"]).run().success();
    let hits = vault.tars(["sgrep", "type:chat midnight", "--json"]).run().success().json();
    assert_eq!((&hits["results"][0]["path"], &hits["results"][0]["memory_type"]), (&PUMP.into(), &"chat".into()));
    let hits = vault.tars(["sgrep", "midnight", "--type", "session", "--json"]).run().json();
    assert_eq!(hits["results"], json!([]));
}

#[test]
fn importing_again_adds_what_is_new_and_keeps_what_a_person_edited() {
    let vault = vault(&[pump(), tank()]);
    vault.tars(["import", "chatgpt", "conversations.json"]).run().success();
    let again = vault.tars(["import", "chatgpt", "conversations.json"]).run().success();
    assert!(again.stdout().is_empty() && again.stderr().contains("written: 0 chats, 2 known"), "{again}");

    let edited = vault.read(PUMP) + "\nmine\n";
    fs::write(vault.path(PUMP), &edited).unwrap();
    let longer = chatgpt("c-1", &["Why does the pump stop at night?", "The timer.", "Thanks"]);
    let grown = chatgpt("c-2", &["Is the oil tank tight?", "It is.", "And the valve?"]);
    export(&vault, &[chatgpt("c-3", &["Which wire is blue?"]), longer, grown]);
    let more = vault.tars(["import", "chatgpt", "conversations.json"]).run().success();
    assert!(more.stdout().contains("written  tars/chats/2025-03-14-which-wire-is-blue.md"), "{more}");
    assert!(more.stdout().contains("written again  tars/chats/2025-03-14-is-the-oil-tank-tight.md"), "{more}");
    assert!(
        more.stderr().contains("has your edits and stays as it is") && more.stderr().contains("1 edited by you"),
        "{more}"
    );
    assert_eq!(vault.read(PUMP), edited);
    assert!(vault.read("tars/chats/2025-03-14-is-the-oil-tank-tight.md").contains("And the valve?"));
}

#[test]
fn one_undo_takes_an_import_back_and_older_writes_can_still_be_undone() {
    let vault = TestVault::of_words().with("TZ", "UTC");
    vault.tars(["remember", "The pump is in the shed"]).run().success();
    let long = "The timer overflows. ".repeat(10_000);
    let chats: Vec<Value> =
        (0..60).map(|number| chatgpt(&format!("c-{number}"), &[&format!("Question {number}?"), &long])).collect();
    export(&vault, &chats);
    vault.tars(["import", "chatgpt", "conversations.json"]).run().success();
    assert_eq!(fs::read_dir(vault.path("tars/chats")).unwrap().count(), 60);
    // More than the journal holds would have pushed the first write out of it.
    vault.tars(["remember", "The tank is in the cellar"]).run().success();
    vault.tars(["undo"]).run().success();
    vault.tars(["undo"]).run().success();
    assert!(!vault.path("tars/chats").exists());
    let redo = vault.tars(["undo", "--redo"]).run();
    assert!(redo.stderr().contains("the journal does not keep the text of imported chats"), "{redo}");
    vault.tars(["undo"]).run().success();
    assert!(!vault.path("tars/Memory.md").exists(), "the fact before the import is undone too");
}

#[test]
fn an_export_of_claude_is_read_from_its_archive_and_from_its_folder() {
    let vault = vault(&[]);
    let list = serde_json::to_vec(&[claude("u-1", "Which valve fits?")]).unwrap();
    fs::write(vault.home().join("data.zip"), archive(&[("users.json", b"[]"), ("conversations.json", &list)], None))
        .unwrap();
    let json = vault.tars(["import", "claude", "data.zip", "--json"]).run().success().json();
    assert_eq!(json["chats"][0]["path"], "tars/chats/2025-03-15-which-valve-fits.md");
    assert!(vault.read("tars/chats/2025-03-15-which-valve-fits.md").contains("\n**Claude:**\n\nThe brass one.\n"));
    fs::create_dir(vault.home().join("unpacked")).unwrap();
    fs::write(vault.home().join("unpacked/conversations.json"), list).unwrap();
    let again = vault.tars(["import", "claude", "unpacked"]).run().success();
    assert!(again.stderr().contains("0 chats, 1 known"), "{again}");
}

#[test]
fn an_export_that_cannot_be_imported_is_named_and_writes_nothing() {
    let vault = vault(&[claude("u-1", "Which valve fits?")]);
    let other = vault.tars(["import", "chatgpt", "conversations.json"]).run();
    assert_eq!(other.status.code(), Some(2), "{other}");
    assert!(other.stderr().contains("conversations.json holds no conversations of ChatGPT"), "{other}");
    assert!(other.stderr().contains("tars import claude FILE"), "{other}");
    let whole = serde_json::to_string(&[pump(), tank()]).unwrap();
    fs::write(vault.home().join("conversations.json"), &whole[..whole.len() - 20]).unwrap();
    for (place, reason) in [
        ("conversations.json", "it ends in the middle"),
        ("gone.zip", "cannot read gone.zip"),
        (".", "conversations.json"),
    ] {
        let output = vault.tars(["import", "chatgpt", place]).run();
        assert_eq!(output.status.code(), Some(2), "{output}");
        assert!(output.stderr().contains(reason), "{output}");
    }
    assert!(!vault.path("tars").exists());
}

#[test]
fn a_conversation_that_cannot_be_read_leaves_the_others() {
    let vault = vault(&[pump(), json!({"id": "x"}), chatgpt("c-1", &["Another with this id?"]), tank()]);
    let output = vault.tars(["import", "chatgpt", "conversations.json"]).run();
    assert_eq!(output.status.code(), Some(2), "{output}");
    assert!(
        output.stderr().contains("conversations.json, conversation 2: the conversation has no 'mapping'"),
        "{output}"
    );
    assert!(output.stderr().contains("conversation 3: the export has this conversation twice"), "{output}");
    assert_eq!(fs::read_dir(vault.path("tars/chats")).unwrap().count(), 2);
    let silent = json!([{"mapping": {}, "id": "y"}]);
    fs::write(vault.home().join("conversations.json"), silent.to_string()).unwrap();
    let output = vault.tars(["import", "chatgpt", "conversations.json"]).run();
    assert_eq!(output.status.code(), Some(1), "{output}");
    assert!(output.stderr().contains("0 chats, 1 without a word of yours"), "{output}");
}
