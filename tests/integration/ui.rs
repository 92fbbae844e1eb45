//! The picker: on a terminal, in lines, and what `tars` alone prints without a terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::harness::{Output, TestVault};

/// Types keys on a terminal of 80x24 once the text before them was drawn. A text must be one word, because blanks are not drawn again.
const TYPIST: &str = r#"
import fcntl, json, os, pty, struct, sys, termios
steps, program = json.loads(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execv(program[0], program)
shown, since = b"", 0
while True:
    while steps and steps[0][0].encode() in shown[since:]:
        since = len(shown)
        keys = steps.pop(0)[1]
        if keys == "hang up":
            os.close(terminal)
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        os.write(terminal, keys.encode())
    try:
        shown += os.read(terminal, 65536)
    except OSError:
        break
sys.stdout.buffer.write(shown)
if steps:
    sys.stderr.write("never drawn: " + steps[0][0])
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"#;

/// A vault with an editor that notes its arguments.
fn desk() -> TestVault {
    let vault = TestVault::of_words();
    vault.write("Tea.md", "# Tea\n\nSteep it for three minutes.\n");
    vault.write("Cellar/Pump.md", "# Pump\n\nThe pump in the cellar drains behind the boiler.\n");
    let editor = vault.home().join("nvim");
    fs::write(&editor, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/opened\"\n").unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    vault.index();
    vault
}

fn typed(vault: &TestVault, arguments: &[&str], steps: &[(&str, &str)]) -> Output {
    let command = vault.program("python3").args(["-c", TYPIST, &json!(steps).to_string(), env!("CARGO_BIN_EXE_tars")]);
    let output = command.args(arguments).env("TERM", "xterm").env("EDITOR", vault.home().join("nvim")).run();
    assert!(!output.stderr().contains("never drawn"), "{output}");
    output
}

#[test]
fn tars_alone_finds_as_one_types_and_opens_at_the_line() {
    let vault = desk();
    let steps = [("search", "pump boiler"), ("Cellar/Pump.md:3", "\r"), ("opened", "\u{1b}q")];
    let output = typed(&vault, &[], &steps).success();
    let opened = fs::read_to_string(vault.home().join("opened")).unwrap();
    assert_eq!(opened, format!("+3\n{}\n", vault.path("Cellar/Pump.md").canonicalize().unwrap().display()));
    // It leaves the alternate screen and the mouse for the editor, and again at its end.
    for sequence in ["\u{1b}[?1049h", "\u{1b}[?1049l", "\u{1b}[?1000l", "\u{1b}[?2004l"] {
        assert_eq!(output.stdout().matches(sequence).count(), 2, "{sequence:?} {output}");
    }
    assert!(output.stdout().trim_end().ends_with("\u{1b}[?25h"), "the cursor is back: {output}");
}

#[test]
fn the_picker_ends_with_its_terminal() {
    let vault = desk();
    let output = typed(&vault, &["ui"], &[("search", "pump boiler"), ("Cellar/Pump.md:3", "hang up")]);
    assert!(!output.status.success(), "{output}");
}

#[test]
fn a_line_is_remembered_forgotten_and_brought_back_by_keys() {
    let vault = desk();
    let memory = || fs::read_to_string(vault.path("tars/Memory.md")).unwrap_or_default();
    let remember = [("search", "\u{1b}3"), ("remembered", "m"), ("remember:", "The boiler is red.\r"), ("boiler", "q")];
    typed(&vault, &["ui"], &remember).success();
    assert!(memory().contains("- The boiler is red."), "{}", memory());
    let forget =
        [("search", "\u{1b}3"), ("boiler", "f"), ("forget", "y"), ("removed", "u"), ("back?", "y"), ("taken", "q")];
    typed(&vault, &["ui"], &forget).success();
    assert!(memory().contains("- The boiler is red."), "{}", memory());
    let log = vault.tars(["log", "-n", "2"]).run().success().stdout().to_owned();
    assert!(log.contains("forget") && log.contains("taken back"), "{log}");
}

#[test]
fn without_a_terminal_tars_prints_its_summary_and_the_picker_reads_lines() {
    let vault = desk();
    let nothing: [&str; 0] = [];
    let summary = vault.tars(nothing).run().success().stdout().to_owned();
    assert!(summary.contains("2 notes, all in the index") && !summary.contains('\u{1b}'), "{summary}");
    assert_eq!(summary, vault.tars(["next"]).run().success().stdout());
    vault.tars(["ui"]).run().code(2).says(&["needs a terminal", "tars ui --plain"]);
    let talk = "pump boiler\n:expand 1\n:remember The boiler is red.\n:memory\n:forget 1\ny\n:memory\n:quit\n";
    let said = vault.tars(["ui", "--plain"]).stdin(talk).run().success().stdout().to_owned();
    for text in [
        "1. Cellar/Pump.md:3, Pump",
        "added in tars/Memory.md:",
        "1. The boiler is red.",
        "removed the line",
        "nothing is remembered",
    ] {
        assert!(said.contains(text), "{text}: {said}");
    }
    assert!(!said.contains('\u{1b}'), "{said}");
}
