//! The plugin's scripts with the input of the client.

mod codex;
mod events;
mod gemini;
mod handoff;
mod holding;
mod learning;
mod ledger;
mod notes;
mod pauses;
mod program;
mod projects;
mod skills;
mod superseded;
mod trouble;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::harness::{Output, TarsCommand, TestVault};

const SHELLS: [&str; 2] = ["dash", "bash"];
const SCRIPTS: [(&str, &str); 8] = [
    ("session-start", "SessionStart"),
    ("user-prompt-submit", "UserPromptSubmit"),
    ("stop", "Stop"),
    ("stop-failure", "StopFailure"),
    ("subagent-start", "SubagentStart"),
    ("pre-compact", "PreCompact"),
    ("post-compact", "PostCompact"),
    ("session-end", "SessionEnd"),
];

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks").join(format!("{name}.sh"))
}

/// A vault with a memory, and the plugin's scripts next to it.
struct Plugin {
    vault: TestVault,
    bin: PathBuf,
}

impl Plugin {
    fn new() -> Self {
        let vault = TestVault::of_words().dated();
        vault.write("tars/Memory.md", "# Memory\n\n- The photo service listens on port 2283\n");
        vault.write("tars/Procedural.md", "# Procedural\n\n- Deploy on Tuesdays, after the tests\n");
        vault.write("Bread.md", "# Country loaf\n\nSourdough rests overnight in the refrigerator before baking.\n");
        vault.index();
        let bin = vault.home().join("bin");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tars"), bin.join("tars")).unwrap();
        Self { vault, bin }
    }

    /// Replaces tars by another program.
    fn with_program(self, text: &str) -> Self {
        let program = self.bin.join("tars");
        fs::remove_file(&program).unwrap();
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Returns a hook as the client starts it; `path` is its PATH.
    fn hook(&self, shell: &str, name: &str, input: &Value, path: &str) -> TarsCommand {
        let mut command = TarsCommand::of_program(&find(shell), self.vault.home());
        for name in ["TARS_VAULT", "TARS_DATA_DIR", "TARS_EMBEDDING_PROVIDER", "TARS_TEST_CLOCK", "TZ"] {
            if let Some(value) = self.vault.variable(name) {
                command = command.env(name, value);
            }
        }
        // The test is the client.
        let command = command.env("CLAUDE_PID", std::process::id().to_string()).env("PATH", path);
        command.arg(script(name)).stdin(input.to_string())
    }

    fn path(&self) -> String {
        format!("{}:/usr/bin:/bin", self.bin.display())
    }

    fn run(&self, name: &str, input: &Value) -> Output {
        self.hook("dash", name, input, &self.path()).run()
    }

    /// Returns the context for the agent; empty if there is none.
    fn context(&self, name: &str, input: &Value) -> String {
        let output = self.run(name, input).success().quiet();
        if output.stdout().is_empty() {
            return String::new();
        }
        let told = output.json();
        assert_eq!(told["hookSpecificOutput"]["hookEventName"], input["hook_event_name"], "{output}");
        told["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    }

    fn start(&self, source: &str) -> String {
        self.context("session-start", &event("SessionStart", json!({ "source": source })))
    }

    fn prompt(&self, prompt: &str) -> String {
        self.context("user-prompt-submit", &event("UserPromptSubmit", json!({ "prompt": prompt })))
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        if self.vault.data().join("watch.lock").exists() {
            let _ = self.vault.tars(["watch", "--stop"]).run();
        }
    }
}

fn find(program: &str) -> String {
    ["/bin", "/usr/bin"]
        .iter()
        .map(|folder| format!("{folder}/{program}"))
        .find(|path| Path::new(path).exists())
        .unwrap()
}

fn event(name: &str, more: Value) -> Value {
    let mut event = json!({
        "session_id": "0b6a7c1e-0000-4000-8000-000000000001",
        "transcript_path": "/nowhere/session.jsonl",
        "cwd": "/nowhere/photo-service",
        "prompt_id": "7c0d",
        "permission_mode": "default",
        "hook_event_name": name,
        "a_field_of_a_later_version": { "x": [1, null] },
    });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

/// One event of each kind with all known fields.
fn samples() -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    for source in ["startup", "resume", "clear", "compact", "fork", "something new"] {
        all.push(("session-start", event("SessionStart", json!({ "source": source, "model": "m" }))));
    }
    for prompt in
        ["which port does the photo service use", "go on", "/compact", "<task-notification>x</task-notification>"]
    {
        all.push(("user-prompt-submit", event("UserPromptSubmit", json!({ "prompt": prompt }))));
    }
    for active in [true, false] {
        let more = json!({ "stop_hook_active": active, "last_assistant_message": "Done.", "background_tasks": [] });
        all.push(("stop", event("Stop", more)));
    }
    for trigger in ["manual", "auto"] {
        all.push(("pre-compact", event("PreCompact", json!({ "trigger": trigger, "custom_instructions": null }))));
    }
    for reason in ["clear", "logout", "prompt_input_exit", "other"] {
        all.push(("session-end", event("SessionEnd", json!({ "reason": reason }))));
    }
    all
}

/// Recorded events of the real client (tests/client/README.md).
fn recorded() -> Vec<(&'static str, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/client/samples");
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let sample: Value = serde_json::from_str(&fs::read_to_string(entry.unwrap().path()).unwrap()).unwrap();
        let script = SCRIPTS.iter().find(|(_, kind)| sample["hook_event_name"] == *kind);
        all.extend(script.map(|(name, _)| (*name, sample)));
    }
    assert!(
        SCRIPTS.iter().all(|(name, _)| all.iter().any(|(known, _)| known == name)),
        "no recorded sample of an event"
    );
    all
}

#[test]
fn every_event_is_answered_by_one_object_or_nothing() {
    let plugin = Plugin::new();
    for (name, input) in samples().into_iter().chain(recorded()) {
        for shell in SHELLS {
            let output = plugin.hook(shell, name, &input, &plugin.path()).run().success().quiet();
            if !output.stdout().is_empty() {
                assert!(output.json().is_object(), "{output}");
                assert_eq!(output.stdout().lines().count(), 1, "{output}");
            }
            let silent = !matches!(name, "session-start" | "user-prompt-submit" | "subagent-start");
            assert!(!silent || output.stdout().is_empty(), "{output}");
        }
    }
}

#[test]
fn a_session_begins_with_its_memory_and_a_prompt_with_what_is_relevant() {
    let plugin = Plugin::new();
    let begun = plugin.start("startup");
    assert!(begun.contains("port 2283") && begun.contains("Deploy on Tuesdays"), "{begun}");
    let found = plugin.prompt("how long does sourdough rest in the refrigerator before baking");
    assert!(found.contains("Sourdough rests overnight"), "{found}");
    assert_eq!(
        plugin.prompt("how long does sourdough rest in the refrigerator before baking"),
        "",
        "it was shown before"
    );
    assert_eq!(plugin.prompt("which port does the photo service listen on"), "", "the memory was shown at the start");
    assert_eq!(plugin.prompt("refactor the tokenizer into smaller functions"), "", "nothing is relevant");
    assert_eq!(plugin.start("resume"), "", "a resumed session still has it");
    assert!(!plugin.start("compact").is_empty(), "a compacted one has lost it");
    assert!(!plugin.prompt("how long does sourdough rest in the refrigerator before baking").is_empty());
}

#[test]
fn hook_output_stays_small() {
    let plugin = Plugin::new();
    let facts: String = (0..2_000).map(|number| format!("- fact number {number} about the photo service\n")).collect();
    plugin.vault.write("tars/Memory.md", format!("# Memory\n\n{facts}"));
    plugin.vault.write("Long.md", "photo service port ".repeat(20_000));
    plugin.vault.index();
    let begun = plugin.start("startup");
    assert!(!begun.is_empty() && begun.encode_utf16().count() <= 4_000, "{}", begun.len());
    assert!(plugin.prompt("which port does the photo service use").encode_utf16().count() <= 3_000);
}

#[test]
fn hostile_prompts_run_no_command_and_do_no_harm() {
    let plugin = Plugin::new();
    let marker = plugin.vault.home().join("touched");
    let hostile =
        format!("$(touch {0}) `touch {0}` '; touch {0}; \" which port does the photo service use", marker.display());
    plugin.prompt(&hostile);
    assert!(!marker.exists());
    plugin.prompt(&"which port does the photo service use ".repeat(130_000));
    for raw in [
        r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"which \ud83d port \u0000 does it use"}"#,
        "",
        "[]",
        "{",
        "null",
    ] {
        let output = plugin.hook("dash", "user-prompt-submit", &Value::Null, &plugin.path()).stdin(raw).run();
        output.success().quiet();
    }
    let strange = event("UserPromptSubmit", json!({ "session_id": "../../x", "prompt": 7 }));
    assert_eq!(plugin.context("user-prompt-submit", &strange), "");
}
