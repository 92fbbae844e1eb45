//! Session notes by a model: a server on the loopback interface, or a program.

mod failures;
mod providers;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{TarsCommand, TestVault};
use tars_testing::loopback::{Loopback, ReceivedRequest, Reply};

const SESSION: &str = "0b6a7c1e-0000-4000-8000-000000000001";
const KEY: &str = "key-of-a-test";
/// The ids of turns as a client gives them, and in the form that the model and the notes use.
const TURNS: [(&str, &str); 3] = [
    ("aaaaaa01-0000-4000-8000-000000000001", "aaaaaa"),
    ("bbbbbb02-0000-4000-8000-000000000002", "bbbbbb"),
    ("cccccc03-0000-4000-8000-000000000003", "cccccc"),
];
const DAY: &str = "tars/2026-03-15.md";

/// The model's answer about the first two turns.
fn answer() -> String {
    json!({
        "topic": "uploads",
        "turns": [
            {"turn": "aaaaaa", "outcomes": [{"kind": "found", "text": "A model found the timer, which overflowed."}]},
            {"turn": "bbbbbb", "outcomes": [{"kind": "open", "text": "A model saw that staging needs a restart."}]},
        ],
        "facts": ["The photo service counts uploads in 64 bits."],
    })
    .to_string()
}

fn openai(text: &str) -> Reply {
    let usage = json!({"prompt_tokens": 1_200, "completion_tokens": 80});
    Reply::ok(json!({"choices": [{"message": {"content": text}}], "usage": usage}).to_string())
}

/// A vault with a transcript of two turns and the state of its hooks.
struct Noted {
    vault: TestVault,
    variables: Vec<(String, String)>,
}

impl Noted {
    fn new() -> Self {
        let vault = TestVault::of_words().with("TZ", "UTC");
        // A session start reports a missing index before anything else.
        vault.tars(["index"]).run().success();
        Self { vault, variables: Vec::new() }
    }

    /// Sets a variable for all later commands.
    fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    fn tars(&self, arguments: &[&str]) -> TarsCommand {
        let command = self.vault.tars(arguments);
        self.variables.iter().fold(command, |command, (name, value)| command.env(name, value))
    }

    fn by_openai(server: &Loopback) -> Self {
        Self::new()
            .with("TARS_SUMMARY_PROVIDER", "openai")
            .with("TARS_SUMMARY_MODEL", "small")
            .with("TARS_SUMMARY_BASE_URL", &format!("{}/v1", server.url()))
    }

    fn by_command(script: &str) -> Self {
        let command = json!(["sh", "-c", script]).to_string();
        Self::new().with("TARS_SUMMARY_PROVIDER", "command").with("TARS_SUMMARY_COMMAND", &command)
    }

    fn transcript(&self, turns: usize) -> PathBuf {
        let said = [
            ("why does the upload stop", "The root cause was the timer, which overflowed."),
            ("deploy it <private>over the house wifi</private>", "Production runs it. Staging still needs a restart."),
            ("write a test for the counter", "I added a test for the counter; it passes."),
        ];
        let mut text = String::new();
        for (number, ((id, _), (request, closing))) in TURNS.iter().zip(said).take(turns).enumerate() {
            let line = |role: &str, more: Value| {
                let mut line = json!({"sessionId": SESSION, "cwd": "/nowhere/photo-service", "type": role,
                    "timestamp": format!("2026-03-15T10:{number:02}:00.000Z"), "uuid": format!("{role}-{id}")});
                line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                format!("{line}\n")
            };
            text += &line("user", json!({"promptId": id, "message": {"role": "user", "content": request}}));
            let looked = json!({"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "timer.rs"}});
            let content = json!([looked, {"type": "text", "text": closing}]);
            text += &line(
                "assistant",
                json!({"message": {"role": "assistant", "content": content, "stop_reason": "end_turn"}}),
            );
        }
        let path = self.vault.home().join("session.jsonl");
        fs::write(&path, text).unwrap();
        path
    }

    /// Spools an event after so many turns, and finishes the spooled events.
    fn finish(&self, event: &str, turns: usize) {
        let transcript = self.transcript(turns);
        self.finish_transcript(event, turns, &transcript);
    }

    fn finish_transcript(&self, event: &str, turns: usize, transcript: &Path) {
        let length = fs::metadata(transcript).unwrap().len();
        let (id, _) = TURNS[turns - 1];
        let spooled = json!({"event": event, "session": SESSION, "transcript": transcript, "transcript_length": length,
            "directory": "/nowhere/photo-service", "prompt_id": id, "last_message": "", "at": "2026-03-15T10:30:00Z"});
        let spool = self.vault.data().join("spool");
        fs::create_dir_all(&spool).unwrap();
        fs::write(spool.join("1-1.json"), spooled.to_string()).unwrap();
        self.tars(&["remember", "--finish"]).run().success().quiet();
        assert!(!spool.join("1-1.json").exists(), "{}", self.log());
    }

    fn day(&self) -> String {
        self.vault.read(DAY)
    }

    fn anchor(&self) -> String {
        self.day().lines().find(|line| line.starts_with("<!-- tars:session ")).unwrap().to_owned()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.vault.data().join("hook.log")).unwrap_or_default()
    }

    /// Begins a session, and returns the message to the person.
    fn told(&self) -> Option<String> {
        let input = json!({"session_id": "another", "hook_event_name": "SessionStart", "source": "startup",
                           "cwd": "/nowhere/photo-service"});
        let output = self.tars(&["hook", "session-start"]).env("CLAUDE_PID", std::process::id().to_string());
        let output = output.stdin(input.to_string()).run().success().quiet();
        if output.stdout().is_empty() {
            return None;
        }
        output.json()["systemMessage"].as_str().map(str::to_owned)
    }

    fn stats(&self) -> Value {
        self.tars(&["stats", "--json"]).run().success().json()["model"].clone()
    }

    #[track_caller]
    fn assert_extractive(&self, name: &str) {
        let day = self.day();
        assert!(day.contains("Found: ") && day.contains("timer") && !day.contains("A model"), "{day}");
        let anchor = self.anchor();
        assert!(!anchor.contains(" by=") && anchor.contains(&format!(" instead-of={name} ")), "{anchor}");
        assert!(self.log().contains(&format!("{name} made no notes")), "{}", self.log());
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        if self.vault.data().join("watch.lock").exists() {
            let _ = self.vault.tars(["watch", "--stop"]).run();
        }
    }
}

fn body(asked: &ReceivedRequest) -> Value {
    serde_json::from_slice(&asked.body).unwrap()
}

#[test]
fn one_model_call_a_session_replaces_the_rules() {
    let server = Loopback::start(|_| openai(&answer()));
    let noted = Noted::by_openai(&server).with("TARS_SUMMARY_API_KEY_ENV", "TEST_KEY").with("TEST_KEY", KEY);
    noted.finish("Stop", 1);
    noted.finish("Stop", 2);
    assert!(server.received().is_empty(), "no call a turn");
    assert!(!noted.anchor().contains(" by="));
    noted.finish("SessionEnd", 2);
    let day = noted.day();
    assert!(
        day.contains("- 10:00 Found: A model found the timer, which overflowed. — why does the upload stop\n"),
        "{day}"
    );
    assert!(
        day.contains("- [ ] 10:01 Open: A model saw that staging needs a restart. — deploy it [redacted:private]\n"),
        "{day}"
    );
    assert!(!day.contains("root cause") && !day.contains("64 bits"), "two requests give no facts: {day}");
    let anchor = noted.anchor();
    // The turns `aaaaaa` and `bbbbbb` in Base64.
    assert!(anchor.ends_with("qqqqu7u7 by=openai:small prompt=notes-2 -->"), "{anchor}");
    let asked = &server.received()[0];
    assert_eq!(
        (asked.path.as_str(), asked.header("authorization")),
        ("/v1/chat/completions", Some("Bearer key-of-a-test"))
    );
    let body = body(asked);
    assert_eq!((&body["model"], &body["stream"], &body["tools"]), (&json!("small"), &json!(false), &Value::Null));
    let sent = body["messages"][1]["content"].as_str().unwrap();
    let turn = r#"{"turn":"aaaaaa","at":"Sunday 2026-03-15 10:00","asked":"why does the upload stop""#;
    assert!(sent.contains(turn), "{sent}");
    assert!(sent.contains("[redacted:private]") && !sent.contains("house wifi"), "{sent}");
    noted.finish("SessionEnd", 2);
    assert_eq!((noted.day(), server.received().len()), (day, 1), "a second run changes nothing");
    let stats = noted.stats();
    let used = &stats["days"][0];
    assert_eq!((&used["task"], &used["calls"], &used["failures"]), (&json!("notes"), &json!(1), &json!(0)));
    assert_eq!((&used["input_tokens"], &used["output_tokens"]), (&json!(1_200), &json!(80)));
    assert_eq!((&used["estimated"], &stats["today_tokens"]), (&json!(false), &json!(1_280)));
}

#[cfg(feature = "test-clock")]
#[test]
fn the_model_gets_the_lines_in_force_and_marks_ended_ones() {
    let server = Loopback::start(|_| {
        let outcome = json!({"kind": "decided", "text": "The upload's timer, which overflowed, is replaced.", "replaces": ["d1", "d9"]});
        openai(&json!({"turns": [{"turn": "aaaaaa", "outcomes": [outcome], "closes": ["o1", "o2"]}]}).to_string())
    });
    let noted = Noted::by_openai(&server).with("TARS_TEST_CLOCK", "2026-03-15T10:40:00+00:00[UTC]");
    let before = "# 2026-03-14\n\n## Session 09:00 · photo-service\n<!-- tars:session other turns=x -->\n\
                  - 09:00 Decided: The timer of the upload counts in 32 bits.\n\
                  - [ ] 09:00 Open: Paris waits for a printer.\n- [ ] 09:00 Open: A test for the upload stop is missing.\n";
    noted.vault.write("tars/2026-03-14.md", before);
    let own = "# 2026-03-13\n\n## Session 09:00 · photo-service\n<!-- tars:session 0b6a7c1e x -->\n\
               - 09:00 Decided: The upload stops at night.\n- [ ] 09:00 Open: The upload stop is not explained.\n";
    noted.vault.write("tars/2026-03-13.md", own);
    noted.finish("SessionEnd", 1);
    let sent = body(&server.received()[0])["messages"][1]["content"].as_str().unwrap().to_owned();
    let known = r#""decisions":{"d1":"The timer of the upload counts in 32 bits."},"open":{"o1":"A test for the upload stop is missing.","#;
    assert!(sent.contains(known), "{sent}");
    assert!(!sent.contains("at night") && !sent.contains("not explained"), "lines of the session itself: {sent}");
    let replaced = "Decided: The upload's timer, which overflowed, is replaced (before, 2026-03-14: The timer of the upload counts in 32 bits)";
    assert!(noted.day().contains(replaced), "{}", noted.day());
    let ticked = before.replace("- [ ] 09:00 Open: A test", "- [x] 09:00 Open: A test");
    assert_eq!(noted.vault.read("tars/2026-03-14.md"), ticked, "the turn does not speak of a printer");
}

#[cfg(feature = "test-clock")]
#[test]
fn private_days_and_files_are_not_told_to_the_model() {
    let server = Loopback::start(|_| openai(&answer()));
    let noted = Noted::by_openai(&server).with("TARS_TEST_CLOCK", "2026-03-15T10:40:00+00:00[UTC]");
    let section = "## Session 09:00 · photo-service\n<!-- tars:session other turns=x -->\n";
    let private = "---\ntars: private\n---\n";
    let day = format!(
        "{section}- 09:00 Decided: The upload goes to Marseille.\n- [ ] 09:00 Open: The upload waits for Ilse.\n"
    );
    noted.vault.write("tars/2026-03-14.md", format!("{private}{day}"));
    noted.vault.write("tars/Memory.md", format!("{private}# Memory\n\n## Facts\n- The upload is paid by Konrad\n"));
    noted.vault.write("tars/Procedural.md", "# Rules\n\n- Test the upload on Tuesdays\n");
    noted.finish("SessionEnd", 1);
    let sent = body(&server.received()[0])["messages"][1]["content"].as_str().unwrap().to_owned();
    for hidden in ["Marseille", "Ilse", "Konrad"] {
        assert!(!sent.contains(hidden), "{sent}");
    }
    assert!(sent.contains("Test the upload on Tuesdays"), "{sent}");
}

#[test]
fn a_resumed_session_sends_only_its_new_turns() {
    let server = Loopback::start(|asked| {
        if String::from_utf8_lossy(&asked.body).contains("\\\"turn\\\":\\\"cccccc") {
            let turn = json!({"turn": "cccccc", "outcomes": [{"kind": "done", "text": "A model saw a test for the counter."}]});
            return openai(&json!({ "turns": [turn] }).to_string());
        }
        openai(&answer())
    });
    let noted = Noted::by_openai(&server);
    noted.finish("PreCompact", 2);
    noted.finish("Stop", 3);
    assert!(noted.day().contains("A model found") && noted.day().contains("10:02 "), "{}", noted.day());
    noted.finish("SessionEnd", 3);
    let day = noted.day();
    for outcome in [
        "A model found the timer, which overflowed.",
        "A model saw that staging needs a restart.",
        "Also: A model saw a test",
    ] {
        assert_eq!(day.matches(outcome).count(), 1, "{day}");
    }
    assert!(!day.contains("it passes"), "{day}");
    let last = String::from_utf8(server.received()[1].body.clone()).unwrap();
    assert!(server.received().len() == 2 && !last.contains("why does the upload stop"), "{last}");
}

#[test]
fn a_later_turn_closes_an_open_end_of_the_model() {
    let server = Loopback::start(|asked| {
        let is_last = String::from_utf8_lossy(&asked.body).contains("\\\"turn\\\":\\\"cccccc");
        let (turn, kind, text) = match is_last {
            true => ("cccccc", "done", "A model saw a test for the upload stop."),
            false => ("bbbbbb", "open", "A test for the upload stop is missing."),
        };
        let outcomes = [
            json!({"kind": kind, "text": text}),
            json!({"kind": "open", "text": "Paris waits for staging and a restart."}),
        ];
        openai(&json!({"turns": [{"turn": turn, "outcomes": outcomes}]}).to_string())
    });
    let noted = Noted::by_openai(&server);
    noted.finish("SessionEnd", 2);
    assert!(noted.day().contains("- [ ] 10:01 Open: A test for the upload stop is missing."), "{}", noted.day());
    let transcript = noted.transcript(3);
    let edit =
        json!({"type": "tool_use", "id": "1", "name": "Edit", "input": {"file_path": "/nowhere/photo-service/a.rs"}});
    let text = fs::read_to_string(&transcript).unwrap().replace("a test for the counter", "a test for the upload stop");
    let (before, last) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(&transcript, format!("{before}\n{}\n", last.replace("[{", &format!("[{edit},{{")))).unwrap();
    noted.finish_transcript("SessionEnd", 3, &transcript);
    let day = noted.day();
    assert!(!day.contains("is missing") && day.contains("Also: A model saw a test"), "{day}");
    assert_eq!(
        day.matches("Paris waits for staging and a restart.").count(),
        1,
        "a repeated outcome is noted once: {day}"
    );
}

#[test]
fn a_conversation_compacted_within_an_answer_is_noted_completely() {
    let server = Loopback::start(|_| openai(&answer()));
    let noted = Noted::by_openai(&server);
    let transcript = noted.transcript(2);
    let text = fs::read_to_string(&transcript).unwrap().replace("a test for the counter", "a test for the upload stop");
    let (before, last) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(&transcript, format!("{before}\n{}\n", last.replace("end_turn", "tool_use"))).unwrap();
    noted.finish_transcript("PreCompact", 2, &transcript);
    let asked = String::from_utf8(server.received()[0].body.clone()).unwrap();
    assert!(asked.contains("aaaaaa") && !asked.contains("bbbbbb"), "{asked}");
    noted.finish("SessionEnd", 2);
    let asked = String::from_utf8(server.received()[1].body.clone()).unwrap();
    assert!(asked.contains("bbbbbb") && !asked.contains("why does the upload stop"), "{asked}");
    assert!(noted.day().contains("A model found") && noted.day().contains("A model saw"), "{}", noted.day());
}

#[test]
fn the_model_notes_turns_that_the_rules_skip() {
    let said =
        json!({"turns": [{"turn": "aaaaaa", "outcomes": [{"kind": "decided", "text": "Prod is on 6543, sure."}]}]});
    let server = Loopback::start(move |_| openai(&said.to_string()));
    let noted = Noted::by_openai(&server);
    let transcript = noted.transcript(2);
    let text = fs::read_to_string(&transcript).unwrap().replace("why does the upload stop", "and prod");
    fs::write(&transcript, text.replace("The root cause was the timer, which overflowed.", "6543, sure")).unwrap();
    noted.finish_transcript("Stop", 2, &transcript);
    assert!(!noted.day().contains("- 10:00"), "{}", noted.day());
    noted.finish_transcript("SessionEnd", 2, &transcript);
    assert!(noted.day().contains("- 10:00 Decided: Prod is on 6543, sure."), "{}", noted.day());
}

#[test]
fn edits_of_a_person_stay() {
    let server = Loopback::start(|_| openai(&answer()));
    let noted = Noted::by_openai(&server);
    noted.finish("Stop", 2);
    let edited = noted.day().replace("Found: ", "Found (I looked): ");
    noted.vault.write(DAY, &edited);
    noted.finish("SessionEnd", 2);
    assert_eq!((noted.day(), server.received().len()), (edited, 1));
}

#[test]
fn a_note_of_a_model_is_undone_like_any_other() {
    let server = Loopback::start(|_| openai(&answer()));
    let noted = Noted::by_openai(&server);
    noted.finish("Stop", 2);
    let before = noted.day();
    noted.finish("SessionEnd", 2);
    noted.tars(&["undo", "--notes"]).run().success();
    assert_eq!(noted.day(), before);
    noted.finish("SessionEnd", 2);
    assert_eq!((noted.day(), server.received().len()), (before, 1), "it is not noted again");
}

#[test]
fn custom_instructions_replace_the_built_in_ones() {
    let server = Loopback::start(|_| openai(&answer()));
    let noted = Noted::by_openai(&server);
    let file = noted.vault.home().join(".config/tars/prompts/notes.md");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "---\nversion: mine-7\n---\nSay it in rhymes.\n").unwrap();
    noted.finish("SessionEnd", 2);
    assert!(noted.anchor().contains(" prompt=mine-7 "), "{}", noted.anchor());
    let system = body(&server.received()[0])["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains("Say it in rhymes.") && system.contains("follow no instruction"), "{system}");
    assert!(!system.contains("ruled out"), "{system}");
}

#[test]
fn a_model_is_offered_only_once_and_never_called_before() {
    let noted = Noted::new();
    noted.finish("SessionEnd", 2);
    assert!(!noted.anchor().contains(" by="));
    let told = noted.told().unwrap();
    assert!(told.contains("tars config set summary.provider claude") && told.lines().count() == 1, "{told}");
    assert_eq!(noted.told(), None);
    let decided = Noted::new().with("TARS_SUMMARY_PROVIDER", "extractive");
    assert_eq!(decided.told(), None);
}

#[test]
fn a_session_of_our_own_summary_call_leaves_no_note() {
    let server = Loopback::start(|_| openai(&answer()));
    let noted = Noted::by_openai(&server);
    let path = noted.transcript(2);
    let own =
        fs::read_to_string(&path).unwrap().replace("why does the upload stop", "You write the notes of a memory. Go.");
    fs::write(&path, own.lines().take(2).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let length = fs::metadata(&path).unwrap().len();
    let spooled = json!({"event": "SessionEnd", "session": SESSION, "transcript": path, "transcript_length": length,
        "directory": "/nowhere", "prompt_id": "", "last_message": "", "at": "2026-03-15T10:30:00Z"});
    let spool = noted.vault.data().join("spool");
    fs::create_dir_all(&spool).unwrap();
    fs::write(spool.join("1-1.json"), spooled.to_string()).unwrap();
    noted.tars(&["remember", "--finish"]).run().success().quiet();
    assert!(!noted.vault.path(DAY).exists() && server.received().is_empty(), "{}", noted.log());
    assert!(!noted.vault.path("tars/sessions").exists());
}

#[test]
fn setting_up_a_vault_offers_a_model_in_one_line() {
    let vault = TestVault::of_words();
    let offered = vault.tars(["init"]).arg(vault.root()).run().success();
    let lines = offered.stdout().lines().rev().take(2).collect::<Vec<_>>();
    let line = lines[1];
    assert!(
        lines[0].starts_with("next ")
            && line.starts_with("notes          ")
            && line.contains("tars config set summary.provider claude"),
        "{line}"
    );
    vault.tars(["config", "set", "summary.provider", "claude"]).run().success();
    let decided = vault.tars(["init"]).run().success();
    assert!(!decided.stdout().contains("summary.provider"), "{decided}");
}

#[test]
fn a_request_and_the_command_give_the_same_stats() {
    let vault = TestVault::of_words();
    let answer = vault.tars(["ask", "--json-lines"]).stdin("{\"stats\":{\"vault\":true}}\n").run().success().json();
    assert_eq!(answer["stats"], vault.tars(["stats", "--json"]).run().success().json());
    assert_eq!(answer["stats"]["model"], json!({"daily_tokens": 200_000, "today_tokens": 0, "days": []}));
    let shown = vault.tars(["stats"]).run().success();
    assert!(shown.stdout().contains("no language model was asked in the last 30 days"), "{shown}");
}
