//! A session of one client is offered and handed over in another one.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{Plugin, event, find};
use crate::harness::{Output, TarsCommand, eventually};

const ID: &str = "5e55b0a2-0000-4000-8000-000000000001";

impl Plugin {
    /// Returns a command in a folder of the project, in a session of Claude Code.
    fn in_project(&self, project: &Path, line: &str) -> Output {
        let mut command = TarsCommand::of_program(&find("sh"), self.vault.home())
            .args(["-c", &format!("cd {} && {line}", project.display())]);
        for name in ["TARS_VAULT", "TARS_DATA_DIR", "TARS_EMBEDDING_PROVIDER", "TARS_TEST_CLOCK", "TZ"] {
            if let Some(value) = self.vault.variable(name) {
                command = command.env(name, value);
            }
        }
        command
            .env("PATH", self.path())
            .env("CLAUDE_PID", std::process::id().to_string())
            .env("CLAUDE_CODE_SESSION_ID", "s-2")
            .run()
    }

    /// Has Codex end a session of the project whose last turn it cut off.
    fn cut_off_in_codex(&self, project: &Path) {
        let path = self.vault.home().join(format!("{ID}.jsonl"));
        let common = json!({"sessionId": ID, "cwd": project, "timestamp": "2026-11-17T11:00:00.000Z"});
        let line = |more: Value| {
            let mut line = common.clone();
            line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            format!("{line}\n")
        };
        let asked = |id: &str, words: &str| {
            line(
                json!({"type": "user", "uuid": format!("u-{id}"), "promptId": id, "message": {"role": "user", "content": words}}),
            )
        };
        let did =
            |content: Value| line(json!({"type": "assistant", "message": {"role": "assistant", "content": content}}));
        let file = project.join("upload.rs");
        let edit = json!([{"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": file}}]);
        let text = asked("p1", "deploy the upload")
            + &did(json!([{"type": "text", "text": "Production has the upload. Staging still needs a restart."}]))
            + &asked("p2", "Let the upload retry three times")
            + &did(edit);
        fs::write(&path, text).unwrap();
        let input = |name: &str| {
            event(name, json!({"session_id": ID, "transcript_path": path, "cwd": project, "prompt_id": ""}))
        };
        let hook = |name: &str| {
            let hook = self.vault.tars(["hook", name, "--client", "codex"]).stdin(input("SessionEnd").to_string());
            hook.env("CLAUDE_PID", std::process::id().to_string()).run().success().quiet();
        };
        hook("session-end");
        let finish = || self.vault.tars(["remember", "--finish"]).run().success();
        finish();
        eventually("the log is made", || self.vault.path("tars/sessions").exists());
    }
}

#[test]
fn an_unfinished_session_is_offered_in_one_line_and_handed_over() {
    let plugin = Plugin::new();
    let project = plugin.vault.home().join("photo-service");
    let shop = plugin.vault.home().join("shop");
    fs::create_dir_all(&project).unwrap();
    fs::create_dir_all(&shop).unwrap();
    plugin.cut_off_in_codex(&project);
    let start = |source: &str, folder: &Path| {
        plugin.context(
            "session-start",
            &event("SessionStart", json!({"source": source, "cwd": folder, "session_id": "s-2"})),
        )
    };
    let offers =
        |text: &str| text.lines().filter(|line| line.contains("tars handoff")).map(str::to_owned).collect::<Vec<_>>();
    let begun = offers(&start("startup", &project));
    assert_eq!(begun.len(), 1, "{begun:?}");
    let why = "in codex until 2026-11-17 11:00 is unfinished (1 open end, in mid-task)";
    assert!(begun[0].contains(why) && begun[0].contains("`tars handoff 5e55b0a2`"), "{begun:?}");
    assert_eq!((offers(&start("resume", &project)), offers(&start("compact", &project))), (vec![], vec![]));
    assert_eq!(offers(&start("startup", &shop)), Vec::<String>::new(), "another project");
    let own = event("SessionStart", json!({"source": "startup", "cwd": project, "session_id": ID}));
    assert_eq!(offers(&plugin.context("session-start", &own)), Vec::<String>::new(), "the same session");
    let handed = plugin.in_project(&project, "tars handoff").success();
    for part in
        ["in codex", "Staging still needs a restart", "Let the upload retry three times (in mid-task)", "upload.rs"]
    {
        assert!(handed.stdout().contains(part), "{part}: {handed}");
    }
    assert!(
        plugin
            .in_project(&shop, "tars handoff 5e55b0a2")
            .code(2)
            .stderr()
            .contains("belongs to the project photo-service")
    );
    let listed = plugin.in_project(&shop, "tars sessions --open").success();
    assert!(listed.stdout().contains("codex  [photo-service] (1 open end, cut off)"), "{listed}");
    // The examples of docs/handoff.md run, and settle the session at last.
    let docs = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/handoff.md")).unwrap();
    let blocks = docs.split("```sh\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let examples: Vec<&str> = blocks.flat_map(str::lines).collect();
    assert!(examples.len() >= 5, "{examples:?}");
    for line in examples {
        plugin.in_project(&project, line).success();
    }
    plugin.in_project(&project, "tars sessions --open").code(1);
    assert_eq!(offers(&start("startup", &project)), Vec::<String>::new());
    assert!(plugin.vault.read("tars/2026-11-17.md").contains("- [x] 11:00 Open: Staging still needs a restart."));
}
