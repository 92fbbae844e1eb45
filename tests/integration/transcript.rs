//! `tars transcript`

use crate::harness::TestVault;

/// Two turns as Claude Code writes them, an invalid line, and a last line that is incomplete.
pub(crate) const SESSION: &str = r##"{"type":"queue-operation","operation":"enqueue","sessionId":"5e55","content":"Why"}
{"type":"user","uuid":"u-1","promptId":"aaaa-1111","timestamp":"2026-03-15T09:20:05.100Z","cwd":"/gone/pump","gitBranch":"main","sessionId":"5e55","isSidechain":false,"message":{"role":"user","content":"<ide_opened_file>x</ide_opened_file>\nWhy does the pump stop at night? The password is <private>swordfish</private>."}}
{"type":"assistant","timestamp":"2026-03-15T09:20:09Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Looking at the timer \u001b[31mnow\ud83d."}]}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","name":"Bash","input":{"command":"cargo test timer"}},{"type":"tool_use","name":"Edit","input":{"file_path":"/gone/pump/src/timer.rs"}}]}}
{"type":"user","uuid":"u-2","promptId":"aaaa-1111","message":{"role":"user","content":[{"type":"tool_result","content":"ok"}]},"toolUseResult":{"stdout":"ok"}}
{"type":"assistant","timestamp":"2026-03-15T09:21:40Z","message":{"role":"assistant","content":[{"type":"text","text":"The root cause was the timer, which overflowed at midnight. Shall I release it?"}]}}
this line is none
{"type":"user","uuid":"u-3","promptId":"aaaa-2222","timestamp":"2026-03-15T09:30:00Z","cwd":"/gone/pump","sessionId":"5e55","message":{"role":"user","content":"Yes, release it."}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Released."}]}}
{"type":"assistant","message":{"role":"assi"##;

fn vault() -> TestVault {
    let vault = TestVault::of_words().with("TZ", "UTC");
    std::fs::create_dir_all(vault.home().join("logs of mine")).unwrap();
    std::fs::write(vault.home().join("logs of mine/5e55.jsonl"), SESSION).unwrap();
    vault
}

const FILE: &str = "logs of mine/5e55.jsonl";

#[test]
fn turns_are_listed() {
    let vault = vault();
    let output = vault.tars(["transcript", FILE]).run().success();
    assert_eq!(
        output.stdout(),
        "aaaa-1111  2026-03-15 09:20  Why does the pump stop at night? The password is [redacted:private].\n\
         aaaa-2222  2026-03-15 09:30  Yes, release it.\n"
    );
    assert!(output.stderr().contains("1 line skipped"), "{output}");
    let json = vault.tars(["transcript", FILE, "--json"]).run().success().json();
    assert_eq!(json[1]["id"], "aaaa-2222");
    assert_eq!(json[1]["at"], "2026-03-15T09:30:00Z");
}

#[test]
fn a_turn_is_shown_with_those_around_it() {
    let vault = vault();
    let output = vault.tars(["transcript", FILE, "--turn", "aaaa-1"]).run().success();
    assert_eq!(
        output.stdout(),
        "turn aaaa-1111  2026-03-15 09:20:05  /gone/pump  main\n\
         > Why does the pump stop at night? The password is [redacted:private].\n\n\
         Looking at the timer \u{fffd}[31mnow\u{fffd}.\n\n\
         The root cause was the timer, which overflowed at midnight. Shall I release it?\n\n\
         tools: Bash, Edit\nchanged: /gone/pump/src/timer.rs\nran: cargo test timer\n"
    );
    for (turn, context, expected) in [("aaaa-2222", "0", 1), ("aaaa-2222", "1", 2), ("aaaa-1111", "5", 2)] {
        let arguments = ["transcript", FILE, "--turn", turn, "--context", context, "--json"];
        let json = vault.tars(arguments).run().success().json();
        assert_eq!(json.as_array().unwrap().len(), expected, "{turn} {context}");
        assert!(!json.to_string().contains("swordfish"));
    }
}

#[test]
fn the_path_of_an_anchor_resolves() {
    let vault = vault();
    let anchored = vault.home().join(FILE).display().to_string().replace(' ', "%20");
    vault.tars(["transcript", &anchored]).run().success();
}

#[test]
fn missing_turns_are_reported() {
    let vault = vault();
    for (arguments, said) in [
        (vec!["transcript", FILE, "--turn", "aaaa"], "2 turns begin with aaaa"),
        (vec!["transcript", FILE, "--turn", "aaa"], "no turn is called aaa"),
        (vec!["transcript", "gone.jsonl"], "cannot read gone.jsonl"),
        (vec!["transcript", "."], "is not a file"),
    ] {
        let output = vault.tars(&arguments).run();
        assert_eq!(output.status.code(), Some(2), "{output}");
        assert!(output.stderr().contains(said), "{output}");
    }
    vault.write("empty.jsonl", "{\"type\":\"summary\"}\n");
    let output = vault.tars(["transcript", "vault/empty.jsonl"]).run();
    assert_eq!(output.status.code(), Some(1), "{output}");
}
