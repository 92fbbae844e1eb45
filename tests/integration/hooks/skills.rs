//! The commands in the skills.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{Plugin, find};
use crate::harness::{Output, TarsCommand};

fn text(skill: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills").join(skill).join("SKILL.md");
    fs::read_to_string(path).unwrap()
}

/// Returns the blocks of a skill that begin with the line `mark`.
fn blocks(skill: &str, mark: &str) -> Vec<String> {
    let text = text(skill);
    let mut blocks: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim_start) {
        match (open, line) {
            (false, line) if line == mark => {
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

impl Plugin {
    /// Runs commands as the client's agent does in a session.
    fn shell(&self, commands: &str) -> Output {
        TarsCommand::of_program(&find("sh"), self.vault.home())
            .args(["-c", commands])
            .env("PATH", self.path())
            .env("TARS_VAULT", self.vault.root())
            .env("TARS_DATA_DIR", self.vault.data())
            .env("TARS_EMBEDDING_PROVIDER", "none")
            .env("CLAUDE_PID", std::process::id().to_string())
            .env("CLAUDE_CODE_SESSION_ID", "s-1")
            .run()
    }
}

#[test]
fn the_commands_that_the_skills_show_work() {
    let plugin = Plugin::new();
    let transcript = plugin.vault.home().join("session.jsonl");
    let turn = json!({"type":"user","uuid":"u1","promptId":"p1","sessionId":"s","message":{"role":"user","content":"which port"}});
    fs::write(&transcript, format!("{turn}\n")).unwrap();
    let id = plugin.vault.search(&["search", "sourdough"])[0]["id"].as_str().unwrap().to_owned();
    let all: Vec<String> = ["memory-recall", "memory-save"].iter().flat_map(|skill| blocks(skill, "```sh")).collect();
    assert_eq!(all.len(), 4, "{all:?}");
    for block in all {
        let block = block
            .replace("3f9c21ab04de", &id[..12])
            .replace("session-from-the-note", transcript.to_str().unwrap())
            .replace("turn-from-the-note", "p1");
        assert!(!plugin.shell(&block).success().stdout().is_empty(), "{block}");
    }
    assert!(plugin.vault.read("tars/Memory.md").matches("2283").count() >= 1);
}

#[test]
fn the_forget_skill_shows_lines_before_it_removes_them() {
    let plugin = Plugin::new();
    let [look, remove] = &blocks("forget", "```sh")[..] else { panic!("two commands") };
    let hostile = look.replace("photo service", "$(touch \"$HOME/touched\") `touch touched` photo service'");
    assert_eq!(plugin.shell(&hostile).code(1).json()["found"], json!([]));
    assert!(!plugin.vault.home().join("touched").exists());
    let found = plugin.shell(look).code(1).json();
    assert!(plugin.vault.read("tars/Memory.md").contains("2283"), "listing removes nothing");
    let id = found["found"][0]["id"].as_str().unwrap();
    plugin.shell(&remove.replace("8384dabe", id)).success();
    assert!(!plugin.vault.read("tars/Memory.md").contains("2283"));
}

/// The client runs these before the agent reads the skill. One that fails would hide the skill's text.
#[test]
fn commands_that_a_skill_preloads_work_and_contain_no_text_of_the_person() {
    let plugin = Plugin::new();
    for (skill, said) in [
        ("status", "watcher "),
        ("why", ""),
        ("pause", "paused in this session"),
        ("resume", "resumed in this session"),
        ("undo", "nothing has been written yet"),
        ("handoff", "no other session of this project was noted"),
    ] {
        let [block] = &blocks(skill, "```!")[..] else { panic!("{skill} has one command") };
        assert!(!block.contains("ARGUMENTS") && !text(skill).contains("!`"), "{skill}");
        let run = plugin.shell(block).success();
        assert!(run.stdout().contains(said), "{run}");
    }
}

#[test]
fn only_the_person_starts_skills_that_change_the_memory() {
    for skill in ["forget", "undo", "pause", "resume"] {
        let text = text(skill);
        assert!(text.contains("\ndisable-model-invocation: true\n"), "{skill}");
        let allowed = text.lines().find_map(|line| line.strip_prefix("allowed-tools: ")).unwrap();
        assert!(!allowed.contains("--yes") && !allowed.contains("undo") && !allowed.contains(":*"), "{allowed}");
    }
}
