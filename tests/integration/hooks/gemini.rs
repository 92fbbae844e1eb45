//! The extension for Gemini CLI: its scripts with the recorded input of the client, its manifest, and its sessions.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Plugin, SHELLS, find};
use crate::harness::{Output, TarsCommand};

/// A session of Gemini CLI 0.61.0.
const SESSION: &str = include_str!("../../../src/agent/client/gemini/transcript/session.jsonl");
const ID: &str = "02f058c2-e8d2-4ea8-8fdb-b8fde4dc76c0";

fn extension(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins/gemini").join(path)
}

/// Returns what the client recorded of an event (tests/client/README.md).
fn sample(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/client/samples-gemini/{name}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

impl Plugin {
    /// Runs a hook of the extension as its `hooks.json` says.
    fn gemini_in(&self, shell: &str, path: &str, event: &str, input: &Value) -> Output {
        let mut command = TarsCommand::of_program(&find(shell), self.vault.home());
        for name in ["TARS_VAULT", "TARS_DATA_DIR", "TARS_EMBEDDING_PROVIDER", "TARS_TEST_CLOCK", "TZ"] {
            if let Some(value) = self.vault.variable(name) {
                command = command.env(name, value);
            }
        }
        let hooks: Value = serde_json::from_str(&fs::read_to_string(extension("hooks/hooks.json")).unwrap()).unwrap();
        let line = hooks["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        let line = line.replace("${extensionPath}", extension("").to_str().unwrap().trim_end_matches('/'));
        command.env("PATH", path).arg("-c").arg(line).stdin(input.to_string()).run().success().quiet()
    }

    fn gemini(&self, input: &Value) -> Output {
        self.gemini_in("dash", &self.path(), input["hook_event_name"].as_str().unwrap(), input)
    }

    /// Returns the context for a prompt; empty if there is none.
    fn gemini_prompt(&self, transcript: &Path, prompt: &str) -> String {
        let input = json!({"session_id": ID, "transcript_path": transcript, "cwd": "/nowhere/photo-service",
            "hook_event_name": "BeforeAgent", "prompt": prompt});
        let output = self.gemini(&input);
        if output.stdout().is_empty() {
            return String::new();
        }
        let told = output.json();
        assert_eq!(told["hookSpecificOutput"]["hookEventName"], "BeforeAgent", "{output}");
        told["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    }
}

#[test]
fn the_extension_has_the_version_of_the_program_and_the_scripts_of_the_plugin() {
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(extension("gemini-extension.json")).unwrap()).unwrap();
    assert_eq!((&manifest["name"], &manifest["version"]), (&json!("tars"), &json!(env!("CARGO_PKG_VERSION"))));
    let shared = |path: &Path| fs::read_to_string(path).unwrap();
    let own = shared(&Path::new(env!("CARGO_MANIFEST_DIR")).join("hooks/tars.sh"));
    assert_eq!(shared(&extension("hooks/tars.sh")), own, "copy hooks/tars.sh to plugins/gemini/hooks");
    // The client looks for a command's words in its first line, so that no note is made about its turn.
    for command in fs::read_dir(extension("commands/tars")).unwrap() {
        let path = command.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(shared(&path).contains(&format!("prompt = \"\"\"\n/tars:{name}\n")), "{name}");
    }
}

#[test]
fn every_recorded_event_is_answered_by_one_object_or_nothing() {
    let plugin = Plugin::new();
    for name in [
        "session-start-startup",
        "session-start-resume",
        "session-start-clear",
        "before-agent",
        "after-agent",
        "pre-compress-manual",
        "session-end-clear",
        "session-end-exit",
    ] {
        for shell in SHELLS {
            let input = sample(name);
            let event = input["hook_event_name"].as_str().unwrap();
            let output = plugin.gemini_in(shell, &plugin.path(), event, &input);
            assert!(output.stdout().is_empty() || output.json().is_object(), "{output}");
            assert!(event == "BeforeAgent" || !output.stdout().contains("additionalContext"), "{output}");
            let without = plugin.gemini_in(shell, "/usr/bin:/bin", event, &input);
            assert_eq!(without.stdout().contains("tars is not installed"), event == "SessionStart", "{without}");
        }
    }
}

#[test]
fn the_first_prompt_brings_the_memory_and_so_does_the_one_after_a_compression() {
    let plugin = Plugin::new();
    // Otherwise the first session offers a model.
    plugin.vault.tars(["config", "set", "summary.provider", "extractive"]).run().success();
    let path = plugin.vault.home().join("session-2026-11-28T06-06-02f058c2.jsonl");
    let before: Vec<&str> = SESSION.lines().take_while(|line| !line.contains("<state_snapshot>")).collect();
    fs::write(&path, before.join("\n") + "\n").unwrap();
    let start = |source: &str| {
        let input = json!({"session_id": ID, "transcript_path": path, "cwd": "/nowhere/photo-service",
            "hook_event_name": "SessionStart", "source": source});
        assert_eq!(plugin.gemini(&input).stdout(), "");
    };
    start("startup");
    let sourdough = "how long does sourdough rest in the refrigerator before baking";
    let first = plugin.gemini_prompt(&path, sourdough);
    assert_eq!((first.matches("port 2283").count(), first.matches("rests overnight").count()), (1, 1), "{first}");
    assert_eq!(plugin.gemini_prompt(&path, sourdough), "", "it was shown before");
    start("resume");
    assert_eq!(plugin.gemini_prompt(&path, "go on"), "", "a resumed session still has it");
    fs::write(&path, SESSION).unwrap();
    let again = plugin.gemini_prompt(&path, sourdough);
    assert_eq!((again.matches("port 2283").count(), again.matches("rests overnight").count()), (1, 1), "{again}");
    assert_eq!(plugin.gemini_prompt(&path, sourdough), "");
    start("clear");
    assert!(
        plugin.gemini_prompt(&path, "/tars:status\n\nThe output").contains("port 2283"),
        "a command may come first"
    );
}

#[test]
fn a_session_becomes_notes_and_is_not_imported_again() {
    let plugin = Plugin::new();
    let project = plugin.vault.home().join(".gemini/tmp/orchard");
    let path = project.join("chats/session-2026-11-28T06-06-02f058c2.jsonl");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(project.join(".project_root"), "/nowhere/orchard").unwrap();
    let dated = SESSION.replace("2026-11-28T06", "2026-03-15T10");
    let later = r#"{"id":"later","timestamp":"2026-03-15T10:20:00.000Z","type":"user","content":[{"text":"Which trees are ill now"}]}"#;
    fs::write(&path, format!("{dated}{later}\n")).unwrap();
    let listed = plugin.vault.tars(["transcript", path.to_str().unwrap(), "--json"]).run().success().json();
    assert_eq!(listed.as_array().unwrap().len(), 8);
    let turn = |id: &str| {
        let arguments = ["transcript", path.to_str().unwrap(), "--turn", id, "--json"];
        plugin.vault.tars(arguments).run().success().json()[0].clone()
    };
    let first = turn("f6da381a");
    assert_eq!((&first["session"], &first["directory"]), (&json!(ID), &json!("/nowhere/orchard")));
    assert_eq!(first["files"], json!(["/home/user/orchard/list.txt"]));
    assert_eq!(turn("1d8e74c6")["end"], "failed");
    let end = json!({"session_id": ID, "transcript_path": path, "cwd": "/nowhere/orchard",
        "hook_event_name": "SessionEnd", "reason": "exit"});
    assert_eq!(plugin.gemini(&end).stdout(), "");
    plugin.await_notes();
    let (log, day) = (plugin.log(), plugin.vault.read("tars/2026-03-15.md"));
    assert!(log.contains(&format!("session: \"{ID}\"")), "{log}");
    assert!(day.contains("This fails too (the model's server failed)"), "{day}");
    assert!(day.contains("This takes long (interrupted)"), "{day}");
    assert!(
        !log.contains("young in spring") && !day.contains("young in spring"),
        "the person went back behind it: {log}"
    );
    let again = plugin.vault.tars(["import", "gemini", "--json"]).run().success().json();
    assert_eq!((&again["known"], &again["logs"]), (&json!(1), &json!([])));
}
