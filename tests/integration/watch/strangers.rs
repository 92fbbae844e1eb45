//! Other users of the machine, and clients that never finish.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Watcher, mode};
use crate::harness::{TarsCommand, TestVault, eventually};
use crate::permissions::{as_ordinary_person, set_mode};

const NOBODY: u32 = 65_534;

fn user(path: &Path) -> u32 {
    fs::metadata(path).unwrap().uid()
}

/// Returns a vault whose data directory has a name that is too long for a socket, and the folder of its socket.
fn deep() -> (TestVault, PathBuf) {
    let vault = TestVault::of_words();
    let temporary = vault.home().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let folder = temporary.join(format!("tars-{}", user(&temporary)));
    let data = vault.home().join("deep/".repeat(30));
    (vault.with("TMPDIR", temporary).with("TARS_DATA_DIR", data), folder)
}

#[test]
fn no_question_goes_to_another_users_watcher() {
    let (vault, folder) = deep();
    vault.write("a.md", "walrus\n");
    vault.index();
    let watcher = Watcher::start(&vault);
    let mut paths = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let socket = paths.find(|path| path.extension().is_some_and(|extension| extension == "sock")).unwrap();
    watcher.stop().success();
    let listener = UnixListener::bind(&socket).unwrap();
    set_mode(&socket, 0o666);
    set_mode(&folder, 0o777);
    listener.set_nonblocking(true).unwrap();
    for socket_mode in [0o666, 0o600] {
        set_mode(&socket, socket_mode);
        let output = vault.tars(["sgrep", "walrus"]).run().success().says(&["not using the watcher at", "try: "]);
        assert!(output.stdout().contains("a.md"), "{output}");
        assert_eq!(output.stderr().lines().count(), 1, "{output}");
        vault.tars(["watch", "--status"]).run().code(1).says(&["not using the watcher at"]);
    }
    let prompt =
        serde_json::json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "is there a walrus"});
    vault.tars(["search", "--hook"]).stdin(prompt.to_string()).run().success().quiet();
    let log = fs::read_to_string(vault.home().join("deep/".repeat(30)).join("hook.log")).unwrap();
    assert!(log.contains("not using the watcher at"), "{log}");
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "the question was sent");
    // The new watcher does not take what belongs to another user.
    vault.tars(["watch"]).run().code(2).says(&["other users may write to it", "try: "]);
    vault.tars(["watch", "--detach"]).run().code(2).says(&["the watcher did not start"]);
    let log = fs::read_to_string(vault.home().join("deep/".repeat(30)).join("watch.log")).unwrap();
    assert!(log.contains("other users may write to it"), "{log}");
    if user(&folder) == 0 {
        set_mode(&folder, 0o700);
        chown(&folder, Some(NOBODY), None).unwrap();
        vault.tars(["sgrep", "walrus"]).run().success().says(&["it belongs to another user"]);
        vault.tars(["watch"]).run().code(2).says(&["it belongs to another user", "XDG_RUNTIME_DIR"]);
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "the question was sent");
    }
}

#[test]
fn no_question_goes_to_another_users_process_behind_our_socket() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    vault.index();
    if user(&vault.data()) != 0 {
        // A test that does not run as root cannot become another user.
        return;
    }
    let process = as_ordinary_person(&vault, &["watch"]).start();
    process.wait_for("watching");
    for path in [vault.data(), vault.data().join("watch.sock")] {
        chown(&path, Some(0), Some(0)).unwrap();
    }
    // It holds the lock too; nothing else is known about it.
    vault.tars(["watch", "--status"]).run().code(2).says(&["another user answers there", "holds the lock"]);
    let output = vault.tars(["sgrep", "walrus"]).run().success().says(&["another user answers there"]);
    assert!(output.stdout().contains("a.md"), "{output}");
    process.kill();
}

#[test]
fn another_users_lock_is_ignored() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    vault.index();
    if user(&vault.data()) != 0 {
        return;
    }
    let index = || as_ordinary_person(&vault, &["index"]);
    index().run().success();
    // A lock file that another user created to hold it.
    let command = index();
    chown(vault.data().join("index.lock"), Some(0), Some(0)).unwrap();
    set_mode(&vault.data().join("index.lock"), 0o666);
    command.run().code(2).says(&["index.lock", "it belongs to another user"]);
}

#[test]
fn unfinished_questions_do_not_fill_the_memory() {
    const TOO_MUCH: usize = 4 << 20;
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    let block = vec![b'x'; 64 << 10];
    let talk = |_| {
        let mut stream = UnixStream::connect(vault.data().join("watch.sock")).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut greeting = String::new();
        BufReader::new(stream.try_clone().unwrap()).read_line(&mut greeting).unwrap();
        let mut sent = 0;
        while sent < TOO_MUCH {
            match stream.write(&block) {
                Ok(written) => sent += written,
                Err(_) => break,
            }
        }
        (stream, sent)
    };
    let talks: Vec<_> = (0..30).map(talk).collect();
    assert!(talks.iter().all(|(_, sent)| *sent < TOO_MUCH), "the watcher accepted a line of this length");
    watcher.finds("walrus", &["a.md"]);
    // The watcher refuses a longer question, and the command answers it by itself.
    let output = vault.tars(["sgrep", "-"]).stdin("walrus ".repeat(60_000)).run().success();
    assert!(output.stdout().contains("a.md"), "{output}");
}

/// Returns all files and folders below `folder`.
fn all(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { [all(&path), vec![path]].concat() } else { vec![path] }).collect()
}

#[test]
fn files_are_not_writable_by_others_even_without_a_umask() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let files = all(&vault.root());
    let shell = |arguments: &str| {
        let script = format!("umask 000; exec '{}' {arguments}", env!("CARGO_BIN_EXE_tars"));
        let mut command = TarsCommand::of_program("sh", vault.home()).args(["-c", &script]);
        for (name, value) in [("TARS_VAULT", vault.root()), ("TARS_DATA_DIR", vault.data())] {
            command = command.env(name, value);
        }
        command.env("TARS_EMBEDDING_PROVIDER", "none")
    };
    shell("init \"$TARS_VAULT\"").run().success();
    shell("index").run().success();
    // The permissions of an earlier version.
    set_mode(&vault.database(), 0o644);
    shell("index").run().success();
    shell("remember --force The fuse is in the cellar").run().success();
    let event = |name: &str| {
        serde_json::json!({"hook_event_name": name, "session_id": "s", "prompt": "where is the fuse", "source": "startup",
                           "last_assistant_message": "In the cellar."})
    };
    for (arguments, name) in
        [("search --hook", "SessionStart"), ("search --hook", "UserPromptSubmit"), ("remember --hook", "Stop")]
    {
        shell(arguments).stdin(event(name).to_string()).run().success();
    }
    eventually("the watcher runs", || vault.tars(["watch", "--status"]).run().status.success());
    eventually("the note is made", || all(&vault.root()).iter().any(|path| path.to_string_lossy().contains("/20")));
    let private = all(&vault.data());
    assert!(private.len() > 6, "{private:?}");
    for path in &private {
        // A file that has disappeared meanwhile has no owner.
        let Ok(metadata) = fs::symlink_metadata(path) else { continue };
        assert_eq!(metadata.mode() & 0o077, 0, "{} {:o}", path.display(), metadata.mode());
    }
    for path in all(&vault.root()).iter().filter(|path| !files.contains(path)) {
        assert_eq!(mode(path) & 0o022, 0, "{} {:o}", path.display(), mode(path));
        if path.ends_with(".tars-folder") {
            // The lock of the memory folder is private as well.
            assert_eq!(mode(path) & 0o077, 0);
            continue;
        }
        assert_ne!(mode(path) & 0o044, 0, "{}: notes keep the rest of the umask", path.display());
    }
    vault.tars(["watch", "--stop"]).run().success();
}
