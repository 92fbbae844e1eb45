//! A vault of one's own, and what tests ask of it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use jiff::Zoned;
use jiff::civil::Date;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) use crate::command::{Output, Running, TarsCommand};

/// How long anything may take before a test fails; far more than anything takes.
pub(crate) const DEADLINE: Duration = Duration::from_secs(120);

/// Runs a program on a terminal that does not show what is typed, and types its standard input.
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

/// The moment that dated commands take for the present (see [`TestVault::dated`]).
const NOW: &str = "2026-11-17T12:00:00+00:00[UTC]";

/// Returns the day of dated commands: a fixed one where they can be told which (feature `test-clock`), else the real one.
pub(crate) fn today() -> Date {
    if cfg!(feature = "test-clock") { NOW.parse::<Zoned>().unwrap().date() } else { Zoned::now().date() }
}

/// A home with a vault, an index and a configuration of its own.
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

    /// Returns an empty vault that is indexed by words alone.
    pub(crate) fn of_words() -> Self {
        Self::new().with("TARS_EMBEDDING_PROVIDER", "none")
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
            // The commands' environment is empty but for what is said here.
            Some(zone) => dated.with("TZ", zone),
            None => dated,
        }
    }

    /// Unsets a variable for every command of this vault.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self
    }

    /// Returns what a variable is set to for every command of this vault.
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

    /// Returns tars in this home on a terminal of its own, where `keys` are typed and not shown. What both of its streams say is on
    /// standard output. The terminal is made by the standard library of the Python that the set-up needs anyway.
    pub(crate) fn at_terminal<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
        keys: &str,
    ) -> TarsCommand {
        let python = TarsCommand::of_program("python3", self.home()).args(["-c", TERMINAL, env!("CARGO_BIN_EXE_tars")]);
        self.with_variables(python).args(arguments).env("TERM", "xterm").stdin(keys)
    }

    /// Returns another program in this home, with what tars would be told.
    pub(crate) fn program(&self, name: &str) -> TarsCommand {
        self.with_variables(TarsCommand::of_program(name, self.home()))
    }

    /// Returns a command in this home that another build of tars runs.
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

    /// Returns the index, opened beside tars.
    pub(crate) fn open_database(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.database()).unwrap();
        connection.busy_timeout(DEADLINE).unwrap();
        connection
    }

    /// Returns one number of the index; 0 while there is none.
    pub(crate) fn count(&self, sql: &str) -> i64 {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let Ok(connection) = rusqlite::Connection::open_with_flags(self.database(), flags) else { return 0 };
        connection.query_row(sql, [], |row| row.get(0)).unwrap_or(0)
    }
}

/// Returns a vault that many tests ask and none changes, indexed with the real model.
pub(crate) fn library() -> &'static TestVault {
    static LIBRARY: OnceLock<TestVault> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        kept("library", |vault| {
            for (path, text) in crate::library::NOTES {
                vault.write(path, text).settle(path);
            }
        })
    })
}

/// Returns a vault of these notes for a static, indexed with the real model.
pub(crate) fn kept(name: &str, fill: impl FnOnce(&TestVault)) -> TestVault {
    let shelf = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(shelf).unwrap();
    // A static is never dropped: each run clears away what an earlier one has left.
    for entry in fs::read_dir(shelf).unwrap().flatten() {
        let old = |time: SystemTime| time.elapsed().is_ok_and(|age| age > Duration::from_secs(3600));
        if entry.metadata().and_then(|metadata| metadata.modified()).is_ok_and(old) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    let home = shelf.join(format!("{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&home);
    let vault = TestVault::at(Home::Kept(home));
    fill(&vault);
    vault.index();
    vault
}

/// Returns the folder of the installed models.
pub(crate) fn models() -> PathBuf {
    let Some(folder) = std::env::var_os("TARS_MODELS_DIR") else {
        panic!("TARS_MODELS_DIR is not set: these tests use the real model, run ./scripts/test");
    };
    PathBuf::from(folder)
}

/// Asks again and again until the answer is yes.
#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < DEADLINE, "never: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
