//! Origins of lines on the command line, and taking back a source.

use super::{answer, run};
use crate::harness::TestVault;

const SESSION: &str = "5e55b0a2-9b84-4a23-a108-12d634afd973";

/// Writes a transcript of one turn in which the agent reads a page.
fn transcript(vault: &TestVault) -> String {
    let at = "2026-11-16T09:00:00Z";
    let assistant = |content: serde_json::Value, stop: &str| {
        serde_json::json!({"type": "assistant", "timestamp": at, "sessionId": SESSION,
            "message": {"model": "model-1", "stop_reason": stop, "content": [content]}})
    };
    let page = serde_json::json!({"type": "tool_use", "name": "WebFetch", "input": {"url": "https://pump.example"}});
    let text =
        serde_json::json!({"type": "text", "text": "The root cause was the timer, which overflowed at midnight."});
    let lines = [
        serde_json::json!({"type": "user", "uuid": "t-1", "sessionId": SESSION, "timestamp": at, "cwd": "/srv/pump",
            "message": {"role": "user", "content": "ok, we decided to keep sqlite for the store of the pump"}}),
        assistant(page, "tool_use"),
        assistant(text, "end_turn"),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = vault.home().join(format!("{SESSION}.jsonl"));
    std::fs::write(&path, lines).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_examples_of_provenance_in_the_docs_run() {
    let vault = TestVault::of_words().dated();
    vault.tars(["import", "claude-code", &transcript(&vault)]).run().success();
    vault.tars(["remember", "The relay sticks at night"]).env("CODEX_SANDBOX", "seatbelt").run().success();
    vault.tars(["remember", "Bread rests overnight"]).env("GEMINI_CLI", "1").run().success();
    vault.tars(["remember", "The port is 8080"]).run().success();
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/provenance.md")).unwrap();
    let blocks = docs.split("```sh\n").skip(1).flat_map(|block| block.split("\n```").next().unwrap().lines());
    let mut said = Vec::new();
    for line in blocks {
        let arguments: Vec<&str> = line.split_whitespace().skip(1).collect();
        // The last example asks, so it runs on a terminal; nothing was shown to an agent yet.
        said.push(match arguments.as_slice() {
            ["why", ..] => run(&vault, &arguments).code(1).stderr().to_owned(),
            [.., "--since", _] => vault.at_terminal(&arguments, "y\n").run().success().stdout().to_owned(),
            _ => run(&vault, &arguments).success().stdout().to_owned(),
        });
    }
    assert!(said[0].contains("[unknown (codex)]") && said[0].contains("claude-code"), "{}", said[0]);
    assert!(said[2].contains("(whole note)") && said[3].contains("The relay sticks"), "{said:#?}");
    assert!(said[4].contains("Bread rests") && said[4].contains("taken back: 1 line"), "{}", said[4]);
    assert!(vault.read("tars/Memory.md").contains("8080"));
}

#[test]
fn a_source_is_listed_taken_back_and_never_imported_again() {
    let vault = TestVault::of_words().dated();
    let path = transcript(&vault);
    let imported = vault.tars(["import", "claude-code", "--json", &path]).run().success().json();
    let log = imported["logs"][0]["path"].as_str().unwrap().to_owned();
    vault.index();
    let listed = vault.tars(["forget", "--session", "5e55", "--json"]).run().code(1).json();
    assert_eq!(listed["found"][0]["path"].as_str(), Some(log.as_str()), "{listed}");
    assert_eq!(listed["found"][0]["origin"]["session"], SESSION, "{listed}");
    assert!(listed["taken"].as_array().unwrap().is_empty() && vault.path(&log).exists());
    let refused = vault.tars(["forget", "--client", "claude-code"]).run().code(2);
    assert!(refused.stderr().contains("nobody can be asked") && refused.stderr().contains("--yes"), "{refused}");

    let taken = vault.tars(["forget", "--client", "Claude-Code", "--yes", "--json"]).run().success().json();
    assert_eq!(taken["sessions"], serde_json::json!([SESSION]), "{taken}");
    assert!(!vault.path(&log).exists() && vault.found(&["search", "timer overflowed"]).is_empty());
    let again = vault.tars(["import", "claude-code", "--json", &path]).run().code(1).json();
    assert_eq!((again["forgotten"].as_u64(), again["logs"].as_array().map(Vec::len)), (Some(1), Some(0)), "{again}");
    assert!(vault.tars(["doctor", "--json"]).run().success().json()["healthy"].as_bool().unwrap());

    run(&vault, &["undo"]).success();
    assert!(vault.path(&log).exists());
    let known = vault.tars(["import", "claude-code", "--json", &path]).run().success().json();
    assert_eq!((known["known"].as_u64(), known["forgotten"].as_u64()), (Some(1), Some(0)), "{known}");
    let writes = answer(&vault, &["log"]);
    assert!(writes.as_array().unwrap().iter().any(|write| write["by"][0]["by"] == "untrusted"), "{writes}");
}
