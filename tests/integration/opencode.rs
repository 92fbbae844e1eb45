//! opencode: the hooks with the input of its plugin, the kept transcripts, and `tars import opencode`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{TestVault, eventually};

/// The first minute of the session, in milliseconds since 1970: 2026-03-15T10:00:00Z.
const BEGAN: i64 = 1_773_568_800_000;
const SESSION: &str = "ddf2f03ecffeEdQRBZbUTZphNW";

struct Client {
    vault: TestVault,
}

impl Client {
    fn new() -> Self {
        let vault = TestVault::of_words().dated().with("TZ", "UTC");
        vault.write("tars/Memory.md", "# Memory\n\n- The photo service listens on port 2283\n");
        vault.write("Bread.md", "# Country loaf\n\nSourdough rests overnight in the refrigerator before baking.\n");
        vault.index();
        Self { vault }
    }

    /// Runs a hook at a minute of the session, and returns the context for the agent.
    fn hook(&self, minute: usize, event: &str, more: Value) -> String {
        let mut input = json!({ "session_id": SESSION, "cwd": "/nowhere/photo-service" });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let hook = self.vault.tars(["hook", event, "--client", "opencode"]).stdin(input.to_string());
        let clock = format!("2026-03-15T10:{minute:02}:30Z[UTC]");
        let output = hook.env("TARS_TEST_CLOCK", clock).run().success().quiet();
        if output.stdout().is_empty() {
            return String::new();
        }
        output.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }

    /// Asks and answers at a minute, as the plugin reports it.
    fn turn(&self, minute: usize, request: &str, answer: &str) {
        let (asked, said) = messages(minute, request, answer);
        let (id, prompt) = (asked["info"]["id"].clone(), request);
        self.hook(minute, "user-prompt-submit", json!({"prompt": prompt, "prompt_id": id, "messages": [asked]}));
        let stop = json!({"prompt_id": id, "last_assistant_message": answer, "messages": [asked, said]});
        assert_eq!(self.hook(minute, "stop", stop), "");
    }

    fn transcript(&self) -> PathBuf {
        self.vault.data().join("transcripts/opencode").join(SESSION).with_extension("jsonl")
    }

    fn day(&self) -> String {
        fs::read_to_string(self.vault.path("tars/2026-03-15.md")).unwrap_or_default()
    }

    fn notes(&self, text: &str) {
        eventually(&format!("{text} is noted"), || self.day().contains(text));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.vault.tars(["watch", "--stop"]).run();
    }
}

fn messages(minute: usize, request: &str, answer: &str) -> (Value, Value) {
    let at = BEGAN + 60_000 * i64::try_from(minute).unwrap();
    let part = |text: &str| json!([{"type": "text", "text": text}]);
    let asked = json!({"id": format!("msg_{minute}a"), "role": "user", "time": {"created": at}});
    let said = json!({"id": format!("msg_{minute}b"), "role": "assistant", "time": {"created": at, "completed": at + 1000}, "finish": "stop"});
    (json!({"info": asked, "parts": part(request)}), json!({"info": said, "parts": part(answer)}))
}

#[test]
fn handed_messages_become_one_note_a_turn_and_a_transcript() {
    let client = Client::new();
    let begun = client.hook(0, "session-start", json!({"source": "startup"}));
    assert!(begun.contains("port 2283"), "{begun}");
    client.turn(1, "why does the upload stop", "The root cause was the timer, which overflowed: no 64 bit counter. key ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO");
    client.notes("64 bit counter");
    client.turn(
        2,
        "why is the download slow",
        "The root cause was the cache, which was cold because nothing warms it.",
    );
    client.notes("nothing warms it");
    let day = client.day();
    assert_eq!(
        (day.matches("<!-- tars:session ddf2f03e ").count(), day.matches("64 bit counter").count()),
        (1, 1),
        "{day}"
    );

    let kept = fs::read_to_string(client.transcript()).unwrap();
    assert!(!kept.contains("ghp_x7") && kept.lines().count() == 7, "{kept}");
    for id in ["ddf2f03e", &format!("ses_{SESSION}")] {
        let listed = client.vault.tars(["transcript", id]).run().success();
        assert!(
            listed.stdout().contains("why does the upload stop") && listed.stdout().lines().count() >= 2,
            "{listed}"
        );
    }

    client.hook(3, "post-compact", json!({"compact_summary": "They spoke of timers."}));
    let (asked, said) = messages(4, "and what of the index", "Decided: we keep the index in memory.");
    let gone = json!(["msg_2a", "msg_2b"]);
    client.hook(4, "stop", json!({"messages": [asked, said], "removed": gone, "prompt_id": "msg_4a"}));
    eventually("the turn that was taken back is gone", || !client.day().contains("nothing warms it"));
    client.hook(5, "session-end", json!({"source": "exit"}));
    let logs = || fs::read_dir(client.vault.path("tars/sessions")).into_iter().flatten().flatten().next();
    eventually("the log has the summary", || {
        logs().is_some_and(|log| fs::read_to_string(log.path()).unwrap().contains("They spoke of timers."))
    });

    // A process that resumes the session has lost the context of the earlier one.
    let question = "how long does sourdough rest in the refrigerator before baking";
    let ask = || client.hook(6, "user-prompt-submit", json!({"prompt": question, "prompt_id": "msg_6a"}));
    assert!(ask().contains("Sourdough rests") && ask().is_empty());
    assert!(client.hook(7, "session-start", json!({"source": "resume"})).contains("port 2283"));
    assert!(ask().contains("Sourdough rests"));
    let task = client.hook(8, "subagent-start", json!({"prompt": question, "agent_type": "general"}));
    assert!(task.contains("Sourdough rests"), "{task}");

    client.hook(9, "session-end", json!({"source": "deleted"}));
    assert!(!client.transcript().exists() && client.day().contains("64 bit counter"));
}

#[test]
fn nothing_is_kept_in_a_pause_or_without_notes() {
    let client = Client::new();
    client.hook(0, "session-start", json!({"source": "startup"}));
    client.turn(1, "why does the upload stop", "The root cause was the timer, which overflowed.");
    let at = |minute: &str, command: &str| {
        let command = client.vault.tars([command]).env("TARS_OPENCODE_SESSION", SESSION);
        command
            .env("CLAUDE_PID", std::process::id().to_string())
            .env("TARS_TEST_CLOCK", format!("2026-03-15T10:{minute}:00Z[UTC]"))
            .run()
            .success()
    };
    at("02", "pause");
    client.turn(3, "and the letter to the notary", "I decided to offer him the vineyard.");
    at("04", "resume");
    // A new process of the client hands over all messages.
    let (asked, said) = messages(3, "and the letter to the notary", "I decided to offer him the vineyard.");
    client.hook(5, "stop", json!({"messages": [asked, said], "prompt_id": "msg_1a"}));
    let kept = fs::read_to_string(client.transcript()).unwrap();
    assert!(kept.contains("upload") && !kept.contains("vineyard"), "{kept}");
    client.vault.tars(["config", "set", "hooks.notes", "false"]).run().success();
    client.turn(6, "why is the download slow", "The root cause was the cache.");
    assert_eq!(fs::read_to_string(client.transcript()).unwrap(), kept);
}

/// A database of opencode with one session.
fn database(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let tables =
        "CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, revert text, time_created integer);
        CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
        CREATE TABLE part (id text PRIMARY KEY, message_id text, data text);";
    let database = rusqlite::Connection::open(path).unwrap();
    database.execute_batch(tables).unwrap();
    let id = format!("ses_{SESSION}");
    database.execute("INSERT INTO session VALUES (?1, NULL, '/nowhere/pump', NULL, 1)", [&id]).unwrap();
    let (asked, said) = messages(1, "why does the upload stop", "The root cause was the timer, which overflowed.");
    for message in [asked, said] {
        let (info, name) = (message["info"].to_string(), message["info"]["id"].as_str().unwrap());
        database.execute("INSERT INTO message VALUES (?1, ?2, 1, ?3)", [name, id.as_str(), info.as_str()]).unwrap();
        let part = message["parts"][0].to_string();
        database.execute("INSERT INTO part VALUES (?1, ?1, ?2)", [name, part.as_str()]).unwrap();
    }
}

#[test]
fn sessions_from_before_tars_are_imported_once() {
    let vault = TestVault::of_words().with("TZ", "UTC");
    let store = vault.home().join(".local/share/opencode/opencode.db");
    database(&store);
    let kept = vault.data().join("transcripts");
    // The two commands of docs/opencode.md.
    let docs = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/opencode.md")).unwrap();
    let block = docs.split("```sh\n").nth(1).unwrap().split("\n```").next().unwrap();
    let commands: Vec<Vec<&str>> =
        block.lines().map(|line| line.split('#').next().unwrap().split_whitespace().skip(1).collect()).collect();
    assert_eq!(commands, [vec!["import", "opencode", "--dry-run"], vec!["import", "opencode"]]);
    let dry = vault.tars(&commands[0]).run().success();
    assert!(dry.stdout().contains("would write  tars/sessions/2026-03-15T10-01-00-pump.md"), "{dry}");
    assert!(!vault.path("tars").exists() && !kept.exists());
    vault.tars(&commands[1]).run().success();
    let log = vault.read("tars/sessions/2026-03-15T10-01-00-pump.md");
    assert!(log.contains("The root cause was the timer"), "{log}");
    let turns = vault.tars(["transcript", "ddf2f03e", "--json"]).run().success().json();
    let turn = vault.tars(["transcript", "ddf2f03e", "--turn", turns[0]["id"].as_str().unwrap()]).run().success();
    assert!(turn.stdout().contains("which overflowed"), "{turn}");
    fs::remove_dir_all(&kept).unwrap();
    let again = vault.tars(["import", "opencode"]).arg(&store).run().success();
    assert!(again.stderr().contains("0 session logs, 1 known") && !kept.exists(), "{again}");
    vault.write("broken.json", "{}");
    vault.tars(["import", "opencode"]).arg(vault.path("broken.json")).run().code(2).says(&["broken.json", "no export"]);
}
