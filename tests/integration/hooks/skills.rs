//! The commands that the skills show.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{Plugin, find};
use crate::harness::TarsCommand;

/// Returns the shell blocks of a skill.
fn blocks(skill: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills").join(skill).join("SKILL.md");
    let text = fs::read_to_string(path).unwrap();
    let mut blocks: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim_start) {
        match (open, line) {
            (false, "```sh") => {
                open = true;
                blocks.push(String::new());
            }
            (true, "```") => open = false,
            (true, line) => *blocks.last_mut().unwrap() += &format!("{line}\n"),
            _ => {}
        }
    }
    blocks
}

#[test]
fn the_commands_that_the_skills_show_work() {
    let plugin = Plugin::new();
    let transcript = plugin.vault.home().join("session.jsonl");
    let turn = json!({"type":"user","uuid":"u1","promptId":"p1","sessionId":"s","message":{"role":"user","content":"which port"}});
    fs::write(&transcript, format!("{turn}\n")).unwrap();
    let id = plugin.vault.search(&["search", "sourdough"])[0]["id"].as_str().unwrap().to_owned();
    let all: Vec<String> = ["memory-recall", "memory-save"].iter().flat_map(|skill| blocks(skill)).collect();
    assert_eq!(all.len(), 4, "{all:?}");
    for block in all {
        let block = block
            .replace("3f9c21ab04de", &id[..12])
            .replace("/path/from/the/note.jsonl", transcript.to_str().unwrap())
            .replace("id-from-the-note", "p1");
        let run = TarsCommand::of_program(&find("sh"), plugin.vault.home())
            .args(["-c", &block])
            .env("PATH", plugin.path())
            .env("TARS_VAULT", plugin.vault.root())
            .env("TARS_DATA_DIR", plugin.vault.data())
            .env("TARS_EMBEDDING_PROVIDER", "none")
            .run();
        assert!(!run.success().stdout().is_empty(), "{block}");
    }
    assert!(plugin.vault.read("tars/Memory.md").matches("2283").count() >= 1);
}
