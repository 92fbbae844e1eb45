//! A data directory that cannot be written: the disk is full or read-only.

use std::process::Command;

use crate::command::{Output, TarsCommand};
use crate::harness::{TestVault, models};

/// Returns whether this process can mount file systems for the commands that it starts. Permissions do not stop root from
/// writing, so that only a mount makes a directory unwritable in a test.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn may_mount() -> bool {
    let tried = Command::new("unshare").args([own_mounts(), "sh", "-c", "mount -t tmpfs none /mnt"]).output();
    let may = tried.is_ok_and(|output| output.status.success());
    if !may {
        eprintln!("SKIPPED: no file system can be mounted here (unshare {})", own_mounts());
    }
    may
}

fn own_mounts() -> &'static str {
    if rustix::process::geteuid().is_root() { "-m" } else { "-rm" }
}

/// Runs a command in its own mount namespace, after `prepare` has mounted something there.
fn run_with(vault: &TestVault, prepare: &str, arguments: &str) -> Output {
    let script = format!("{prepare} && exec \"$TARS\" {arguments}");
    let mut command = TarsCommand::of_program("unshare", vault.home()).args([own_mounts(), "sh", "-c", &script]);
    for (name, value) in [("TARS_VAULT", vault.root()), ("TARS_DATA_DIR", vault.data()), ("TARS_MODELS_DIR", models())]
    {
        command = command.env(name, value);
    }
    command
        .env("TARS_EMBEDDING_PROVIDER", "none")
        .env("DATA", vault.data())
        .env("TARS", env!("CARGO_BIN_EXE_tars"))
        .run()
}

const READ_ONLY: &str = "mount --bind \"$DATA\" \"$DATA\" && mount -o remount,ro,bind \"$DATA\"";
/// Mounts a small disk with a copy of the data directory and fills it up.
const FULL: &str = "cp -a \"$DATA\" \"$DATA.copy\" && mount -t tmpfs -o size=2m none \"$DATA\" \
                    && cp -a \"$DATA.copy/.\" \"$DATA\" && { cat /dev/zero > \"$DATA/filled\" 2>/dev/null; true; }";

fn indexed() -> TestVault {
    let vault = TestVault::of_words();
    vault.write("a.md", "The walrus has tusks.\n").settle("a.md").write("b.md", "otter\n").settle("b.md");
    vault.index();
    vault
}

#[test]
fn a_search_on_a_read_only_disk_answers_and_says_what_it_cannot_do() {
    if !may_mount() {
        return;
    }
    let vault = indexed();
    run_with(&vault, READ_ONLY, "sgrep tusks --json").success();
    vault.append("b.md", "dugong\n");
    let answer = run_with(&vault, READ_ONLY, "sgrep tusks --json").success().json();
    assert_eq!((&answer["results"][0]["path"], &answer["index"]["pending"]), (&"a.md".into(), &1.into()));
    let said = answer["degraded"].as_str().unwrap();
    assert!(said.contains("without changed notes") && said.contains(vault.data().to_str().unwrap()), "{said}");
}

#[test]
fn a_search_on_a_read_only_disk_answers_where_a_log_was_left() {
    if !may_mount() {
        return;
    }
    let vault = indexed();
    // A run that changes nothing leaves its log; SQLite cannot read that log without the file beside it.
    vault.index();
    for removed in ["nothing", "index.db-shm"] {
        let _ = std::fs::remove_file(vault.data().join(removed));
        let answer = run_with(&vault, READ_ONLY, "sgrep tusks --json").success().json();
        assert_eq!(answer["results"][0]["path"], "a.md", "without {removed}: {answer}");
    }
}

#[test]
fn a_search_on_a_full_disk_answers_and_says_what_it_cannot_do() {
    if !may_mount() {
        return;
    }
    let vault = indexed();
    vault.append("b.md", "dugong\n");
    let answer = run_with(&vault, FULL, "sgrep tusks --json").success().json();
    assert_eq!(answer["results"][0]["path"], "a.md", "{answer}");
    let said = answer["degraded"].as_str().unwrap();
    assert!(said.contains("without changed notes") && said.contains(vault.data().to_str().unwrap()), "{said}");
}

#[test]
fn indexing_on_an_unwritable_disk_names_it() {
    if !may_mount() {
        return;
    }
    let vault = indexed();
    vault.append("b.md", "dugong\n");
    for mount in [READ_ONLY, FULL] {
        let output = run_with(&vault, mount, "index").code(2);
        assert!(output.stderr().contains(vault.data().to_str().unwrap()), "{output}");
        let _ = std::fs::remove_dir_all(format!("{}.copy", vault.data().display()));
    }
    assert_eq!(vault.index()["changed"], 1, "indexing works again once there is room");
}

#[test]
fn a_recall_ledger_that_cannot_be_written_fails_no_command_and_no_hook() {
    if !may_mount() {
        return;
    }
    let vault = indexed();
    let asked = |session: &str| {
        let prompt = "which tusks does the walrus have?";
        serde_json::json!({"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": prompt}).to_string()
    };
    assert!(vault.tars(["hook", "user-prompt-submit"]).stdin(asked("s-1")).run().success().stdout().contains("tusks"));
    let before = vault.tars(["why", "--json"]).run().success().json();
    let id = vault.search(&["sgrep", "tusks"])[0]["id"].as_str().unwrap().to_owned();
    for (session, prepare) in [("s-2", READ_ONLY), ("s-3", FULL)] {
        std::fs::write(vault.home().join("event.json"), asked(session)).unwrap();
        let told = run_with(&vault, prepare, "hook user-prompt-submit < event.json").success();
        assert!(told.stdout().contains("tars cannot write to"), "{told}");
        assert_eq!(run_with(&vault, prepare, "why --json").success().json(), before);
    }
    let ledger = READ_ONLY.replace("$DATA", "$DATA/recall");
    run_with(&vault, &ledger, &format!("expand {id} --json")).success().quiet();
    run_with(&vault, &ledger, "why --helpful 1").code(2).says(&["cannot write the recall ledger"]);
    assert_eq!(vault.tars(["why", "--json"]).run().success().json(), before);
}
