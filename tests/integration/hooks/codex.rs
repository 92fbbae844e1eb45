//! The plugin for Codex: its hook, with the input that Codex 0.171.0 sends (tests/client/README.md), its manifests, and the rollouts and
//! memories of Codex.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Plugin, SHELLS, find};
use crate::harness::{Output, TarsCommand, TestVault, eventually};

const SESSION: &str = "01a220ce-90ca-7b62-af21-bbfbaac8cb44";
const LATER: &str = "01a220cf-881c-7552-8bfa-5f050f1a7051";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn sample(name: &str) -> String {
    fs::read_to_string(root().join("tests/client/samples-codex").join(name)).unwrap()
}

/// Returns a recorded event with other fields.
fn event(name: &str, more: Value) -> Value {
    let mut event: Value = serde_json::from_str(&sample(&format!("{name}.json"))).unwrap();
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

/// Writes the recorded rollout into the client's folder, and returns its path.
fn rollout(vault: &TestVault, ids: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let folder = vault.home().join(".codex/sessions/2026/11/28");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("rollout-2026-11-28T06-18-58-{ids}"));
    fs::write(&path, text).unwrap();
    path
}

impl Plugin {
    fn codex(&self, shell: &str, name: &str, input: &Value) -> Output {
        let mut command = TarsCommand::of_program(&find(shell), self.vault.home());
        for name in ["TARS_VAULT", "TARS_DATA_DIR", "TARS_EMBEDDING_PROVIDER", "TARS_TEST_CLOCK", "TZ"] {
            if let Some(value) = self.vault.variable(name) {
                command = command.env(name, value);
            }
        }
        let command = command.env("PATH", self.path()).arg(root().join("plugins/codex/hooks/hook.sh")).arg(name);
        command.stdin(input.to_string()).run().success().quiet()
    }
}

#[test]
fn recorded_events_are_answered_in_the_form_of_codex_or_with_nothing() {
    let plugin = Plugin::new();
    let prompt = json!({ "prompt": "how long does sourdough rest in the refrigerator before baking" });
    for shell in SHELLS {
        let begun =
            plugin.codex(shell, "session-start", &event("session-start", json!({ "source": "startup" }))).json();
        assert_eq!(begun["hookSpecificOutput"]["hookEventName"], "SessionStart");
        assert!(begun["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("port 2283"), "{begun}");
    }
    let asked = plugin.codex("dash", "user-prompt-submit", &event("user-prompt-submit", prompt.clone())).json();
    assert!(asked["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("Sourdough rests"), "{asked}");
    let again = plugin.codex("dash", "user-prompt-submit", &event("user-prompt-submit", prompt.clone()));
    assert_eq!(again.stdout(), "", "it was shown before");

    // A helper's task comes as a prompt; the helper has not seen the conversation.
    let helper = event("user-prompt-submit-helper", json!({ "prompt": prompt["prompt"] }));
    let helped = plugin.codex("dash", "user-prompt-submit", &helper).json();
    assert_eq!(helped["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    assert!(
        helped["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("Sourdough rests"),
        "{helped}"
    );

    for name in ["subagent-start", "pre-compact", "post-compact", "stop", "session-end"] {
        assert_eq!(plugin.codex("dash", name, &event(name, json!({}))).stdout(), "", "{name}");
    }
}

#[test]
fn a_turn_in_codex_becomes_one_note_and_the_end_a_log() {
    let plugin = Plugin::new();
    let path = rollout(&plugin.vault, &format!("{SESSION}.jsonl"), sample("rollout.jsonl"));
    let of = |more: Value| {
        let mut all = json!({ "session_id": SESSION, "transcript_path": path, "cwd": "/home/anna/harbour" });
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let turn = "01a220cf-695d-72a2-a64d-e1241ca48be6";
    let said = json!({ "turn_id": turn, "last_assistant_message": "The red buoy is the nearest." });
    plugin.codex("dash", "stop", &event("stop", of(said)));
    plugin.codex("dash", "post-compact", &event("post-compact", of(json!({}))));
    plugin.codex("dash", "session-end", &event("session-end", of(json!({}))));
    plugin.vault.tars(["remember", "--finish"]).run().success();
    let log = || {
        let logs = fs::read_dir(plugin.vault.path("tars/sessions")).into_iter().flatten();
        logs.map(|log| fs::read_to_string(log.unwrap().path()).unwrap()).collect::<String>()
    };
    eventually("the log is written", || log().contains("## Summary"));
    let (day, log) = (plugin.vault.read("tars/2026-11-28.md"), log());
    assert_eq!((day.matches("## Session").count(), day.matches("(interrupted)").count()), (1, 1), "{day}");
    assert!(day.contains("Unfinished: Please count the boats"), "{day}");
    assert!(log.contains("# Which mooring do we use?") && log.contains("They spoke of the script."), "{log}");
    assert!(!log.contains("Another language model"), "{log}");
}

#[test]
fn rollouts_are_imported_once_for_each_session() {
    let vault = TestVault::of_words().with("TZ", "UTC");
    rollout(&vault, &format!("{SESSION}.jsonl"), sample("rollout.jsonl"));
    rollout(&vault, &format!("{SESSION}_{LATER}.jsonl"), sample("rollout-segment.jsonl"));
    let (other, helper) = ("01a220c9-10d8-77e0-908f-8ec3f39584aa", "01a220c9-253b-7f11-a627-f0fcc7bc8045");
    let archived = vault.home().join(".codex/archived_sessions");
    let plain = rollout(&vault, &format!("{other}.jsonl"), sample("rollout-tools.jsonl"));
    fs::create_dir(&archived).unwrap();
    fs::rename(&plain, archived.join(plain.file_name().unwrap())).unwrap();
    rollout(&vault, &format!("{helper}.jsonl"), sample("rollout-helper.jsonl"));
    let imported = vault.tars(["import", "codex", "--json"]).run().success().json();
    assert_eq!(imported["logs"].as_array().unwrap().len(), 2, "{imported}");
    assert_eq!((&imported["empty"], &imported["failed"]), (&1.into(), &json!([])), "a helper's session has no turns");
    let log = |session: &str| {
        let logs = imported["logs"].as_array().unwrap();
        let path = logs.iter().find(|log| log["session"] == session).unwrap()["path"].as_str().unwrap();
        vault.read(path)
    };
    let (harbour, tools) = (log(SESSION), log(other));
    assert!(harbour.contains("# Which mooring do we use?") && harbour.contains("the morning tide"), "{harbour}");
    assert!(!harbour.contains("Sorry for that"), "the person went back behind it: {harbour}");
    assert!(tools.contains("list.txt"), "{tools}");
    let again = vault.tars(["import", "codex"]).run().success();
    assert!(again.stderr().contains("0 session logs, 2 known, 1 without a turn"), "{again}");

    let turns = vault.tars(["transcript", &SESSION[..13]]).run().success();
    assert!(turns.stdout().contains("Who keeps the lighthouse?"), "{turns}");
    assert!(turns.stdout().contains("Which mooring do we use?"), "{turns}");
}

#[test]
fn the_example_of_the_import_in_the_docs_runs() {
    let vault = TestVault::of_words().with("TZ", "UTC");
    rollout(&vault, &format!("{SESSION}.jsonl"), sample("rollout.jsonl"));
    let page = fs::read_to_string(root().join("docs/codex.md")).unwrap();
    let (_, example) = page.split_once("$ tars import codex --dry-run\n").unwrap();
    let (shown, _) = example.split_once("```").unwrap();
    let output = vault.tars(["import", "codex", "--dry-run"]).run().success();
    assert_eq!(format!("{}{}", output.stdout(), output.stderr()), shown);
}

#[test]
fn memories_of_codex_are_a_collection_on_request() {
    let vault = TestVault::of_words().without("TARS_VAULT");
    fs::create_dir_all(vault.root()).unwrap();
    let memories = vault.home().join("codex/memories");
    fs::create_dir_all(memories.join("rollout_summaries")).unwrap();
    fs::write(memories.join("MEMORY.md"), "# Harbour\n\n- The walrus crane needs a key\n").unwrap();
    fs::write(memories.join("raw_memories.md"), "The walrus crane needs a raw key\n").unwrap();
    fs::write(memories.join("rollout_summaries/a.md"), "# Crane\n\nThe walrus was oiled in May\n").unwrap();
    let vault = vault.with("CODEX_HOME", memories.parent().unwrap().as_os_str().to_owned());
    let offer = vault.tars(["init", "vault"]).run().success();
    assert!(offer.stdout().contains("index.client_memory true (searches what Codex noted too)"), "{offer}");
    vault.tars(["config", "set", "index.client_memory", "true"]).run().success();
    vault.tars(["index"]).run().success();
    let mut found: Vec<Value> = vault.search(&["sgrep", "walrus"]).iter().map(|hit| hit["path"].clone()).collect();
    found.sort_by_key(ToString::to_string);
    assert_eq!(found, ["MEMORY.md", "rollout_summaries/a.md"]);
}

#[test]
fn doctor_says_which_hooks_codex_skips() {
    let vault = TestVault::of_words();
    vault.index();
    assert!(!vault.tars(["doctor"]).run().success().stdout().contains("Codex"));
    fs::create_dir(vault.home().join(".codex")).unwrap();
    let settings = vault.home().join(".codex/config.toml");
    fs::write(&settings, "[plugins.\"tars@tars\"]\nenabled = true\n").unwrap();
    let said = vault.tars(["doctor"]).run().success();
    assert!(said.stdout().contains("Codex runs 0 of the 7 hooks") && said.stdout().contains("/hooks"), "{said}");
    let json = vault.tars(["doctor", "--json"]).run().success().json();
    assert_eq!(json["clients"][0]["client"], "codex");
    let events =
        ["session_start", "user_prompt_submit", "stop", "subagent_start", "pre_compact", "post_compact", "session_end"];
    let approved = events.map(|event| {
        format!("[hooks.state.\"tars@tars:hooks/hooks.json:{event}:0:0\"]\ntrusted_hash = \"sha256:0\"\n")
    });
    fs::write(&settings, format!("[plugins.\"tars@tars\"]\nenabled = true\n{}", approved.concat())).unwrap();
    assert!(!vault.tars(["doctor"]).run().success().stdout().contains("Codex"));
}

/// A person approves each command, and Codex asks again for a changed one.
#[test]
fn the_commands_of_the_hooks_stay_as_a_person_approved_them() {
    let read = |path: &str| -> Value { serde_json::from_str(&fs::read_to_string(root().join(path)).unwrap()).unwrap() };
    let hooks = read("plugins/codex/hooks/hooks.json");
    let approved = [
        ("SessionStart", "session-start", 10),
        ("UserPromptSubmit", "user-prompt-submit", 5),
        ("Stop", "stop", 5),
        ("SubagentStart", "subagent-start", 5),
        ("PreCompact", "pre-compact", 5),
        ("PostCompact", "post-compact", 5),
        ("SessionEnd", "session-end", 3),
    ];
    assert_eq!(hooks["hooks"].as_object().unwrap().len(), approved.len());
    for (event, name, timeout) in approved {
        let command = format!("sh \"$PLUGIN_ROOT/hooks/hook.sh\" {name}");
        let hook = json!([{ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] }]);
        assert_eq!(hooks["hooks"][event], hook, "{event}");
    }
    let (market, plugin) = (read(".agents/plugins/marketplace.json"), read("plugins/codex/.codex-plugin/plugin.json"));
    let listed = &market["plugins"][0];
    assert_eq!((&listed["name"], &listed["source"]["path"]), (&plugin["name"], &"./plugins/codex".into()));
    for path in ["skills", "hooks", "mcpServers"] {
        let path = plugin[path].as_str().unwrap();
        assert!(root().join("plugins/codex").join(path).exists(), "{path}");
    }
    // Codex copies files alone into its own folder: a link would be missing there.
    let mut waiting = vec![root().join("plugins/codex")];
    while let Some(path) = waiting.pop() {
        assert!(!path.symlink_metadata().unwrap().is_symlink(), "{}", path.display());
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
}
