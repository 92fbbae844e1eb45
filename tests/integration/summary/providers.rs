//! Providers besides OpenAI's API: Anthropic's API, a program and Claude Code.

use std::fs;

use serde_json::json;
use tars_testing::loopback::{Loopback, Reply};

use super::{KEY, Noted, answer};

#[test]
fn anthropic_gets_its_own_request_format() {
    let said = answer();
    let server = Loopback::start(move |_| {
        let content = json!([{"type": "thinking", "thinking": "{"}, {"type": "text", "text": said}]);
        Reply::ok(json!({"content": content, "usage": {"input_tokens": 900, "output_tokens": 60}}).to_string())
    });
    let noted = Noted::by_openai(&server)
        .with("TARS_SUMMARY_PROVIDER", "anthropic")
        .with("TARS_SUMMARY_BASE_URL", &server.url());
    let noted = noted.with("TARS_SUMMARY_API_KEY_ENV", "TEST_KEY").with("TEST_KEY", KEY);
    noted.finish("SessionEnd", 2);
    assert!(noted.day().contains("A model found"), "{}\n{}", noted.day(), noted.log());
    assert!(noted.anchor().contains(" by=anthropic:small "), "{}", noted.anchor());
    let asked = &server.received()[0];
    assert_eq!((asked.path.as_str(), asked.header("x-api-key")), ("/v1/messages", Some(KEY)));
    assert_eq!(noted.stats()["today_tokens"], 960);
}

#[test]
fn a_program_makes_notes_and_its_tokens_are_estimated() {
    let noted = Noted::by_command(&format!("cat > \"$HOME/task\"; echo 'Here:'; echo '{}'", answer()));
    noted.finish("SessionEnd", 2);
    assert!(noted.day().contains("A model found"), "{}\n{}", noted.day(), noted.log());
    assert!(noted.anchor().contains(" by=command prompt=notes-2 "), "{}", noted.anchor());
    assert!(noted.vault.read("../task").starts_with("You write the notes of a memory.\n"));
    let used = noted.stats()["days"][0].clone();
    assert_eq!(used["estimated"], true);
    assert!(used["input_tokens"].as_u64().unwrap() > 300 && used["output_tokens"].as_u64().unwrap() > 50, "{used}");
    let shown = noted.tars(&["stats"]).run().success();
    assert!(shown.stdout().contains("notes    1 call, about "), "{shown}");
}

#[test]
fn claude_runs_with_the_expected_flags() {
    let noted = Noted::new().with("TARS_SUMMARY_PROVIDER", "claude");
    let bin = noted.vault.home().join("bin");
    fs::create_dir(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$TARS_DISABLE\" \"$@\" > \"$HOME/flags\"\ncat > /dev/null\necho '{}'\n",
        answer()
    );
    fs::write(bin.join("claude"), script).unwrap();
    let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    fs::set_permissions(bin.join("claude"), mode).unwrap();
    let noted = noted.with("PATH", &format!("{}:/usr/bin:/bin", bin.display()));
    noted.finish("SessionEnd", 2);
    assert!(noted.anchor().contains(" by=claude "), "{}\n{}", noted.anchor(), noted.log());
    let flags = noted.vault.read("../flags");
    let flags: Vec<&str> = flags.lines().collect();
    assert_eq!(flags[..7], ["1", "-p", "--safe-mode", "--tools", "", "--no-session-persistence", "--system-prompt"]);
    assert_eq!(flags[8..], ["--model", "haiku"]);
}
