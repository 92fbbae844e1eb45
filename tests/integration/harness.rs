//! A temporary vault and the commands of tests on it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use jiff::Zoned;
use jiff::civil::Date;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) use crate::command::{Output, Running, TarsCommand};

/// The time limit of anything in a test, far above what anything takes.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);

/// Runs a program on a terminal without echo, and types its standard input.
const TERMINAL: &str = "
import os, pty, sys, termios
keys = sys.stdin.buffer.read()
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
modes = termios.tcgetattr(terminal)
modes[3] &= ~termios.ECHO
termios.tcsetattr(terminal, termios.TCSANOW, modes)
os.write(terminal, keys + b'\\x04')
while True:
    try:
        shown = os.read(terminal, 4096)
    except OSError:
        break
    sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
";

/// The present of dated commands (see [`TestVault::dated`]).
const NOW: &str = "2026-11-17T12:00:00+00:00[UTC]";

/// Returns the day of dated commands: a fixed one with the feature `test-clock`, else the real one.
pub(crate) fn today() -> Date {
    if cfg!(feature = "test-clock") { NOW.parse::<Zoned>().unwrap().date() } else { Zoned::now().date() }
}

/// A home with its own vault, index and configuration.
pub(crate) struct TestVault {
    home: Home,
    variables: Vec<(String, OsString)>,
}

enum Home {
    Temporary(TempDir),
    Kept(PathBuf),
}

impl TestVault {
    /// Returns an empty vault that is indexed with the real model.
    pub(crate) fn new() -> Self {
        Self::at(Home::Temporary(tempfile::tempdir().unwrap()))
    }

    /// Returns an empty vault that is indexed by keywords only.
    pub(crate) fn of_words() -> Self {
        Self::new().with("TARS_EMBEDDING_PROVIDER", "none")
    }

    /// Returns the vault with this home, which stays after the test.
    pub(crate) fn kept_in(home: &Path) -> Self {
        Self::at(Home::Kept(home.to_owned()))
    }

    fn at(home: Home) -> Self {
        let vault = Self { home, variables: Vec::new() };
        fs::create_dir_all(vault.root()).unwrap();
        let (root, data) = (vault.root(), vault.data());
        vault.with("TARS_VAULT", root).with("TARS_DATA_DIR", data).with("TARS_MODELS_DIR", models())
    }

    /// Sets a variable for every command of this vault.
    pub(crate) fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Makes [`today`] the day of every command of this vault.
    pub(crate) fn dated(self) -> Self {
        let dated = self.with("TARS_TEST_CLOCK", NOW);
        match std::env::var_os("TZ") {
            // The commands' environment holds only what the harness sets.
            Some(zone) => dated.with("TZ", zone),
            None => dated,
        }
    }

    /// Unsets a variable for every command of this vault.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self
    }

    /// Returns the value of a variable in every command of this vault.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
    }

    pub(crate) fn home(&self) -> &Path {
        match &self.home {
            Home::Temporary(folder) => folder.path(),
            Home::Kept(path) => path,
        }
    }

    /// Returns the folder of the notes.
    pub(crate) fn root(&self) -> PathBuf {
        self.home().join("vault")
    }

    /// Returns the folder of the index.
    pub(crate) fn data(&self) -> PathBuf {
        self.home().join("data")
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.data().join("index.db")
    }

    pub(crate) fn path(&self, note: &str) -> PathBuf {
        self.root().join(note)
    }

    /// Writes a note, making its folders.
    pub(crate) fn write(&self, note: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(note);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn read(&self, note: &str) -> String {
        fs::read_to_string(self.path(note)).unwrap()
    }

    pub(crate) fn append(&self, note: &str, text: &str) -> &Self {
        let longer = self.read(note) + text;
        self.write(note, longer)
    }

    pub(crate) fn remove(&self, note: &str) -> &Self {
        fs::remove_file(self.path(note)).unwrap();
        self
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> &Self {
        let to = self.path(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::rename(self.path(from), to).unwrap();
        self
    }

    /// Sets a note's modification time to an hour ago, so that it counts as settled when it is indexed.
    pub(crate) fn settle(&self, note: &str) -> &Self {
        self.touch(note, SystemTime::now() - Duration::from_secs(3600))
    }

    pub(crate) fn touch(&self, note: &str, time: SystemTime) -> &Self {
        fs::File::options().append(true).open(self.path(note)).unwrap().set_modified(time).unwrap();
        self
    }

    /// Returns a command in this home.
    pub(crate) fn tars<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> TarsCommand {
        self.with_variables(TarsCommand::new(self.home())).args(arguments)
    }

    /// Returns tars in this home on its own terminal, where `keys` are typed without echo. Standard output holds both of its
    /// streams. The standard library of Python provides the terminal; the setup needs Python anyway.
    pub(crate) fn at_terminal<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
        keys: &str,
    ) -> TarsCommand {
        let python = TarsCommand::of_program("python3", self.home()).args(["-c", TERMINAL, env!("CARGO_BIN_EXE_tars")]);
        self.with_variables(python).args(arguments).env("TERM", "xterm").stdin(keys)
    }

    /// Returns a shell in this home on its own terminal, in which several commands share one terminal; `$TARS` is the program.
    pub(crate) fn shell_at_terminal(&self, script: &str) -> TarsCommand {
        let python = TarsCommand::of_program("python3", self.home()).args(["-c", TERMINAL, "/bin/sh", "-c", script]);
        self.with_variables(python).env("TERM", "xterm").env("TARS", env!("CARGO_BIN_EXE_tars")).stdin("")
    }

    /// Returns another program in this home with the variables of tars.
    pub(crate) fn program(&self, name: &str) -> TarsCommand {
        self.with_variables(TarsCommand::of_program(name, self.home()))
    }

    /// Returns a command of another build of tars in this home.
    #[cfg(feature = "onnx")]
    pub(crate) fn other_build(&self, binary: &str, arguments: &[&str]) -> TarsCommand {
        self.with_variables(TarsCommand::of_program(binary, self.home())).args(arguments)
    }

    fn with_variables(&self, mut command: TarsCommand) -> TarsCommand {
        for (name, value) in &self.variables {
            command = command.env(name, value);
        }
        command
    }

    /// Indexes and returns the report.
    pub(crate) fn index(&self) -> Value {
        self.tars(["index", "--json"]).run().success().json()
    }

    /// Returns the results of a search.
    pub(crate) fn search(&self, arguments: &[&str]) -> Vec<Value> {
        let output = self.tars(arguments).arg("--json").run();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output}");
        output.json()["results"].as_array().unwrap().clone()
    }

    /// Returns the paths of the results of a search, best first, each once.
    pub(crate) fn found(&self, arguments: &[&str]) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for hit in self.search(arguments) {
            let path = hit["path"].as_str().unwrap().to_owned();
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// Opens the index beside tars.
    pub(crate) fn open_database(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.database()).unwrap();
        connection.busy_timeout(DEADLINE).unwrap();
        connection
    }

    /// Returns one number of the index; 0 without an index.
    pub(crate) fn count(&self, sql: &str) -> i64 {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let Ok(connection) = rusqlite::Connection::open_with_flags(self.database(), flags) else { return 0 };
        connection.query_row(sql, [], |row| row.get(0)).unwrap_or(0)
    }
}

/// Returns the folder of the installed models.
pub(crate) fn models() -> PathBuf {
    let Some(folder) = std::env::var_os("TARS_MODELS_DIR") else {
        panic!("TARS_MODELS_DIR is not set: these tests use the real model, run ./scripts/test");
    };
    PathBuf::from(folder)
}

/// Repeats a check until it holds.
#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < DEADLINE, "never: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
