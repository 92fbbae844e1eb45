//! `tars agents`: the agents of a machine, joined to tars and taken apart again.

use std::fs;

use serde_json::Value;

use crate::harness::TestVault;

#[test]
fn an_agent_is_joined_after_its_changes_were_shown() {
    let vault = TestVault::of_words();
    vault.tars(["agents"]).run().code(1).says(&["none of the agents", "Cursor"]);
    let folder = vault.home().join(".cursor");
    fs::create_dir(&folder).unwrap();
    let hooks = folder.join("hooks.json");
    fs::write(&hooks, "{\n  \"version\": 1,\n  \"hooks\": { \"stop\": [{ \"command\": \"./audit.sh\" }] }\n}\n")
        .unwrap();
    let before = fs::read_to_string(&hooks).unwrap();
    let prints = |arguments: &[&str], texts: &[&str]| {
        let output = vault.tars(arguments).run();
        assert!(texts.iter().all(|text| output.stdout().contains(text)), "{output}");
        output
    };
    prints(&["agents"], &["cursor", "no hooks", "no MCP server"]).success();

    // Nobody can be asked here.
    let shown = prints(&["agents", "install", "cursor"], &["hooks.json", "+ ", "sessionStart", "mcp.json"]).code(1);
    shown.says(&["nothing was written", "install cursor --yes"]);
    assert_eq!(fs::read_to_string(&hooks).unwrap(), before);
    vault
        .tars(["agents", "install", "cursor", "--yes"])
        .run()
        .success()
        .says(&["former content is in", "restart Cursor"]);
    let with = fs::read_to_string(&hooks).unwrap();
    assert!(with.contains("./audit.sh") && with.contains("hook session-start --client cursor"), "{with}");
    assert_eq!(fs::read_to_string(folder.join("hooks.json.before-tars")).unwrap(), before);
    vault.tars(["agents", "install", "cursor"]).run().success().says(&["up to date"]);
    vault.tars(["agents", "update", "cursor"]).run().success().says(&["up to date"]);

    // The installed command works as a shell runs it, and the list knows when it ran.
    let list: Value = serde_json::from_str(&with).unwrap();
    let command = list["hooks"]["beforeSubmitPrompt"][0]["command"].as_str().unwrap().to_owned();
    let input = r#"{"hook_event_name": "beforeSubmitPrompt", "conversation_id": "c1", "prompt": "anything at all?"}"#;
    vault.program("sh").args(["-c", &command]).stdin(input).run().success();
    prints(&["agents"], &["hooks installed", "MCP server listed", "last hook", "user-prompt-submit"]).success();
    let listed = vault.tars(["agents", "--json"]).run().success().json();
    let cursor = listed["agents"].as_array().unwrap().iter().find(|agent| agent["client"] == "cursor").unwrap();
    assert_eq!(
        (&cursor["hooks"], &cursor["mcp"], &cursor["costs"]["calls"]),
        (&"current".into(), &true.into(), &1.into())
    );

    vault.index();
    fs::write(&hooks, with.replace("hook stop --client", "hook  stop --client")).unwrap();
    prints(&["doctor"], &["Cursor: hooks of another version", "try: tars agents install cursor"]);
    vault.tars(["agents", "remove", "cursor", "--yes"]).run().success();
    let left = fs::read_to_string(&hooks).unwrap();
    assert!(left.contains("./audit.sh") && !left.contains("tars"), "{left}");
    vault.tars(["agents", "remove", "cursor", "--yes"]).run().code(1).says(&["wrote nothing"]);
    fs::write(&hooks, "{ \"hooks\": 7").unwrap();
    vault.tars(["agents", "install", "cursor", "--yes"]).run().code(2).says(&["hooks.json was not changed"]);
    assert_eq!(fs::read_to_string(&hooks).unwrap(), "{ \"hooks\": 7");
    prints(&["agents", "lines"], &["## Memory", "tars remember --json -"]).success();
}

#[test]
fn opencode_gets_the_plugin_of_this_version() {
    let vault = TestVault::of_words();
    let folder = vault.home().join(".config/opencode");
    fs::create_dir_all(&folder).unwrap();
    let plugin = folder.join("plugins/tars.js");
    let install = || vault.tars(["agents", "install", "opencode", "--yes"]).run();
    install().success().says(&["restart opencode"]);
    let own = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/plugins/opencode/tars.js")).unwrap();
    assert_eq!(fs::read_to_string(&plugin).unwrap(), own);
    let listed = || vault.tars(["agents"]).run().success().stdout().to_owned();
    assert!(listed().contains("hooks installed, MCP server listed"), "{}", listed());

    let edited = format!("{own}// mine\n");
    fs::write(&plugin, &edited).unwrap();
    assert!(listed().contains("hooks of another version, or edited"), "{}", listed());
    for change in ["install", "remove"] {
        fs::write(&plugin, &edited).unwrap();
        vault.tars(["agents", change, "opencode", "--yes"]).run().success().says(&["former content is in"]);
        let kept = folder.join("plugins/tars.js.before-tars");
        assert_eq!(fs::read_to_string(&kept).unwrap(), edited, "{change}");
        fs::remove_file(kept).unwrap();
    }
    assert!(!plugin.exists());
    install().success();
    vault.tars(["agents", "remove", "opencode", "--yes"]).run().success();
    assert_eq!(fs::read_dir(folder.join("plugins")).unwrap().count(), 0);
}

#[test]
fn lines_of_the_agents_own_instructions_are_not_injected_again() {
    let vault = TestVault::of_words();
    vault.write("tars/Memory.md", "# Memory\n\n- Always use ruff, never black\n- The relay listens on port 8080\n");
    let project = vault.home().join("relay");
    fs::create_dir_all(project.join("src")).unwrap();
    fs::write(project.join("CLAUDE.md"), "# Rules\n\n* **Always** use ruff, never black.\n").unwrap();
    let start = |client: &str, event: &str| {
        let input = serde_json::json!({
            "hook_event_name": event, "session_id": client, "cwd": project.join("src"), "source": "startup"
        });
        vault.tars(["hook", "session-start", "--client", client]).stdin(input.to_string()).run().success()
    };
    let output = start("claude-code", "SessionStart");
    assert!(output.stdout().contains("port 8080") && !output.stdout().contains("ruff"), "{output}");
    // Codex reads another file.
    let output = start("codex", "SessionStart");
    assert!(output.stdout().contains("port 8080") && output.stdout().contains("ruff"), "{output}");
}
