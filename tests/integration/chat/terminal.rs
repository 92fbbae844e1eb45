//! `tars chat` at a terminal: typing, interrupts, completion and questions.

use serde_json::{Value, json};

use super::{DIALECTS, Dialect, Talk};
use crate::harness::{Output, TestVault};
use tars_testing::loopback::Reply;

/// Runs a command on a terminal of 80 columns. Each step is a text to wait for and keys to press then: at the next prompt, which begins
/// with its own escape sequence, or at once after a leading `!`.
const STEPS: &str = r#"
import fcntl, json, os, pty, select, struct, sys, termios, time
steps, command = json.loads(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execv(command[0], command)
said, seen, end = b"", 0, time.monotonic() + 40
def more():
    global said
    ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
    try:
        piece = os.read(terminal, 65536) if ready else b""
    except OSError:
        piece = b""
    said += piece
    return piece != b""
missing = None
def wait(wanted):
    global seen
    while (at := said.find(wanted, seen)) < 0 and more():
        pass
    seen = at + len(wanted) if at >= 0 else seen
    return at >= 0
for wanted, keys in steps:
    if not wait(wanted.encode()) or not (keys[0] == "!" or wait(b"\x1b[?2004h")):
        missing = wanted
        break
    os.write(terminal, keys.lstrip("!").encode())
while missing is None and more():
    pass
sys.stdout.buffer.write(said)
if missing is not None:
    os.kill(child, 9)
    sys.exit(f"waited in vain for {missing!r}")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"#;

/// Returns a text without its styles.
pub(super) fn without_styles(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |said, part| {
        said + part.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).get(1..).unwrap_or_default()
    })
}

/// The keys that leave the program.
pub(super) const LEAVE: &str = "\u{4}";

impl Talk {
    /// Holds a conversation at a terminal.
    pub(super) fn typed(&self, arguments: &[&str], steps: &[(&str, &str)]) -> Output {
        self.told(typing(&self.vault, arguments, steps)).run()
    }
}

pub(super) fn typing(vault: &TestVault, arguments: &[&str], steps: &[(&str, &str)]) -> crate::command::TarsCommand {
    vault
        .program("python3")
        .args(["-c", STEPS, &json!(steps).to_string(), env!("CARGO_BIN_EXE_tars")])
        .args(arguments)
        .env("TERM", "xterm")
}

/// A conversation whose streams come from a script; other answers are empty.
fn talk(dialect: Dialect, replies: Vec<Reply>) -> Talk {
    Talk::with(dialect, super::ending::server(dialect, replies, |_| "{}".to_owned()))
}

#[test]
fn ctrl_c_stops_the_answer_and_not_the_program() {
    for dialect in DIALECTS {
        let talk = talk(dialect, vec![dialect.begins("It is a long st"), dialect.says("In short: SE-4471.")]);
        let steps =
            [("", "tell me everything\r"), ("It is a long", "!\u{3}"), ("stopped", "in short\r"), ("SE-4471", LEAVE)];
        let said = talk.typed(&["chat"], &steps).success();
        assert!(said.stdout().contains("stopped"), "{said}");
        assert!(talk.conversation().contains("\"stopped\":true"), "{}", talk.conversation());
        let second = talk.asked()[1]["messages"].to_string();
        assert!(second.contains("tell me everything") && second.contains("It is a long st"), "{second}");
    }
}

#[test]
fn ctrl_c_at_the_prompt_drops_the_line_and_stays() {
    let talk = talk(Dialect::OpenAi, vec![Dialect::OpenAi.says("Good morning.")]);
    let said = talk.typed(&["chat"], &[("", "half a thou\u{3}"), ("", "hello\r"), ("Good morning.", LEAVE)]);
    said.success();
    assert!(!talk.asked()[0].to_string().contains("half a thou"));
}

#[test]
fn the_terminal_asks_for_permission() {
    const FACT: &str = "The boat Linnea is moored in Kappeln.";
    for (key, is_kept) in [("!n\n", false), ("!y\n", true)] {
        let dialect = Dialect::OpenAi;
        let calls = dialect.calls("memory_remember", &json!({"text": FACT}));
        let talk = talk(dialect, vec![calls, dialect.says("As you wish.")]);
        let steps = [("", "remember the mooring\r"), ("Allow it?", key), ("As you wish.", LEAVE)];
        let said = talk.typed(&["chat"], &steps).success();
        assert!(said.stdout().contains(FACT), "the question shows the text: {said}");
        let memory = std::fs::read_to_string(talk.vault.path("tars/Memory.md")).unwrap_or_default();
        assert_eq!(memory.contains(FACT), is_kept, "{said}");
        assert_eq!(talk.asked()[1].to_string().contains("the user was asked and said no"), !is_kept);
    }
}

#[test]
fn ctrl_c_at_a_question_means_no_and_stops() {
    let dialect = Dialect::OpenAi;
    let calls = dialect.calls("memory_remember", &json!({"text": "The boat Linnea is moored in Kappeln."}));
    let talk = talk(dialect, vec![calls, dialect.says("Good evening.")]);
    let steps = [("", "remember it\r"), ("Allow it?", "!\u{3}"), ("stopped", "hello\r"), ("Good evening.", LEAVE)];
    talk.typed(&["chat"], &steps).success();
    assert!(!talk.vault.path("tars/Memory.md").exists());
}

#[test]
fn commands_and_notes_are_completed() {
    let talk = talk(Dialect::OpenAi, vec![Dialect::OpenAi.says("never")]);
    let steps =
        [("", "/sea\thull\r"), ("Kappeln", "/rea\tBoa\t\r"), ("lies in Kappeln", "/hel\t\r"), ("/undo", "/quit\r")];
    let said = talk.typed(&["chat"], &steps).success();
    assert!(said.stdout().contains("Boat.md"), "{said}");
    assert!(talk.asked().is_empty());
}

#[test]
fn lines_continue_and_the_history_has_no_secrets() {
    let dialect = Dialect::OpenAi;
    let talk = talk(dialect, vec![dialect.says("One."), dialect.says("Two."), dialect.says("Three.")]);
    let steps = [
        ("", "first line\\\rsecond line\r"),
        ("One.", "```\rlet a = 1;\r```\r"),
        ("Two.", "the key is sk-proj-w9Xq2LmZ4tR7vB1nK8yH3cJ6pD5sF0gA\r"),
        ("Three.", LEAVE),
    ];
    talk.typed(&["chat"], &steps).success();
    let said: Vec<Value> =
        talk.asked().iter().filter_map(|asked| asked["messages"].as_array()?.last().cloned()).collect();
    assert_eq!(said[0]["content"], "first line\nsecond line");
    assert_eq!(said[1]["content"], "```\nlet a = 1;\n```");
    let history = std::fs::read_to_string(talk.vault.data().join("chat-history.txt")).unwrap();
    assert!(history.contains("second line") && !history.contains("w9Xq2LmZ"), "{history}");
    let again = talk.typed(&["chat"], &[("", "\u{1b}[A\u{1b}[A\r"), ("Three.", LEAVE)]);
    again.success();
    let asked = talk.asked().iter().rev().find(|asked| asked.get("tools").is_some()).unwrap()["messages"].clone();
    assert_eq!(asked.as_array().unwrap().last().unwrap()["content"], "```\nlet a = 1;\n```");
}

#[test]
fn markdown_is_rendered_and_plain_is_plain() {
    let dialect = Dialect::OpenAi;
    for (arguments, is_plain) in [(["chat", "--tokens"].as_slice(), false), (["chat", "--plain"].as_slice(), true)] {
        let talk = talk(dialect, vec![dialect.says("The **hull** is `SE-4471`.\n")]);
        let said = talk.typed(arguments, &[("", "the number\r"), ("SE-4471", LEAVE)]).success();
        assert_eq!(said.stdout().contains("**hull**"), is_plain, "{said}");
        assert_eq!(said.stdout().contains("7 tokens sent, 3 received"), !is_plain, "{said}");
    }
}

#[test]
fn without_a_model_commands_work_and_the_first_run_greets() {
    let vault = TestVault::of_words().dated();
    vault.write("Boat.md", super::BOAT);
    vault.tars(["index"]).run().success();
    let steps = [("", "hello\r"), ("there is no model to answer", "/search hull number\r"), ("Kappeln", LEAVE)];
    let said = typing(&vault, &["chat"], &steps).run().success();
    assert!(said.stdout().contains("Hello, I am tars."), "{said}");
    vault.tars(["remember", "The boat is blue."]).run().success();
    let later = typing(&vault, &["chat"], &[("", LEAVE)]).run().success();
    assert!(!later.stdout().contains("Hello, I am tars."), "{later}");
}
