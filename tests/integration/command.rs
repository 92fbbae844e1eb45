//! One run of `tars`: it starts in an empty environment and has a deadline; a failed assertion prints all of it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use serde_json::Value;

use crate::harness::DEADLINE;

/// One run of `tars`. Its environment is empty except for the variables that the test sets.
pub(crate) struct TarsCommand {
    command: Command,
    stdin: Option<Vec<u8>>,
    directory: PathBuf,
}

impl TarsCommand {
    /// Returns a command with this home, which is also its current directory.
    pub(crate) fn new(home: &Path) -> Self {
        Self::of_program(env!("CARGO_BIN_EXE_tars"), home)
    }

    /// Returns another program in the same empty environment.
    pub(crate) fn of_program(program: &str, home: &Path) -> Self {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", home).current_dir(home);
        // Some tests run programs of the system.
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        Self { command, stdin: None, directory: home.to_owned() }
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs in this directory.
    pub(crate) fn within(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self.directory = directory.to_owned();
        self
    }

    pub(crate) fn stdin(mut self, text: impl AsRef<[u8]>) -> Self {
        self.stdin = Some(text.as_ref().to_vec());
        self
    }

    /// Changes the command in any other way.
    pub(crate) fn adjust(mut self, change: impl FnOnce(&mut Command)) -> Self {
        change(&mut self.command);
        self
    }

    /// Runs to the end.
    pub(crate) fn run(self) -> Output {
        self.start().finish()
    }

    /// Runs to the end; nobody reads standard output.
    pub(crate) fn run_into_closed_pipe(mut self) -> Output {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        self.command.stdout(writer);
        self.start_with(false).finish()
    }

    /// Sends `text`, keeps the input open until `wanted` lines contain `part`, then closes it; returns all lines of standard output.
    #[cfg(feature = "serve")]
    pub(crate) fn converse(mut self, text: String, part: &str, wanted: usize) -> Vec<String> {
        let shown = format!("{:?}", self.command);
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = self.command.spawn().unwrap_or_else(|error| panic!("{shown}\n  cannot be started: {error}"));
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let writer = thread::spawn(move || {
            stdin.write_all(text.as_bytes()).unwrap();
            stdin
        });
        let (mut said, mut found) = (Vec::new(), 0);
        while found < wanted {
            let line = lines.recv_timeout(DEADLINE).unwrap_or_else(|error| {
                let _ = child.kill();
                panic!("{shown}\n  {found} of {wanted} answers came: {error}")
            });
            found += usize::from(line.contains(part));
            said.push(line);
        }
        drop(writer.join().unwrap());
        said.extend(lines.iter());
        assert!(child.wait().unwrap().success(), "{shown}");
        said
    }

    /// Starts it and returns at once.
    pub(crate) fn start(self) -> Running {
        self.start_with(true)
    }

    fn start_with(mut self, reads: bool) -> Running {
        if reads {
            self.command.stdout(Stdio::piped());
        }
        self.command.stderr(Stdio::piped());
        self.command.stdin(if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        let shown = format!("{:?}\n  in {}", self.command, self.directory.display());
        let mut child = self.command.spawn().unwrap_or_else(|error| panic!("{shown}\n  cannot be started: {error}"));
        // Closes this copy of the pipe's end, so that the reader sees the pipe close.
        drop(self.command);
        if let Some(text) = self.stdin {
            let mut stdin = child.stdin.take().unwrap();
            // A command that reads no input closes it.
            thread::spawn(move || {
                let _ = stdin.write_all(&text);
            });
        }
        let stdout = child.stdout.take().map(collect);
        let (lines, stderr) = follow(child.stderr.take().unwrap());
        Running { child, shown, stdout, lines, stderr }
    }
}

fn collect(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// Returns the lines of standard error as they come, and the whole of it at the end.
fn follow(stream: ChildStderr) -> (Receiver<String>, Receiver<Vec<u8>>) {
    let (line_sender, lines) = channel();
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut all = Vec::new();
        loop {
            let mut line = Vec::new();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    let _ = line_sender.send(String::from_utf8_lossy(&line).trim_end().to_owned());
                    all.extend(line);
                }
            }
        }
        let _ = sender.send(all);
    });
    (lines, receiver)
}

/// A running command.
pub(crate) struct Running {
    child: Child,
    shown: String,
    stdout: Option<Receiver<Vec<u8>>>,
    lines: Receiver<String>,
    stderr: Receiver<Vec<u8>>,
}

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Kills it as `kill -9` does.
    pub(crate) fn kill(self) {
        drop(self);
    }

    /// Waits for a line of standard error that contains `text`.
    pub(crate) fn wait_for(&self, text: &str) {
        let started = Instant::now();
        loop {
            match self.lines.recv_timeout(DEADLINE.saturating_sub(started.elapsed())) {
                Ok(line) if line.contains(text) => return,
                Ok(_) => {}
                Err(error) => panic!("{}\n  never said '{text}': {error}", self.shown),
            }
        }
    }

    /// Waits for its end.
    pub(crate) fn finish(mut self) -> Output {
        let started = Instant::now();
        let mut take =
            |stream: &Receiver<Vec<u8>>| match stream.recv_timeout(DEADLINE.saturating_sub(started.elapsed())) {
                Ok(bytes) => bytes,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    let _ = self.child.kill();
                    panic!("{}\n  did not end within {DEADLINE:?}", self.shown);
                }
            };
        let stdout = self.stdout.as_ref().map(&mut take).unwrap_or_default();
        let stderr = take(&self.stderr);
        let status = self.child.wait().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Output { status, stdout: text(stdout), stderr: text(stderr), shown: self.shown.clone() }
    }
}

impl Drop for Running {
    /// A failing test leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The output of a command. Its `Display` shows everything, for assertions.
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    stdout: String,
    stderr: String,
    shown: String,
}

impl std::fmt::Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}\n  ended with {}\n--- standard output\n{}\n--- standard error\n{}\n---",
            self.shown, self.status, self.stdout, self.stderr
        )
    }
}

impl Output {
    #[track_caller]
    pub(crate) fn success(self) -> Self {
        self.code(0)
    }

    /// Returns the exit code; `None` if a signal ended the process.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        self.status.code()
    }

    #[track_caller]
    pub(crate) fn code(self, expected: i32) -> Self {
        assert_eq!(self.status.code(), Some(expected), "{self}");
        self
    }

    /// Asserts that standard error contains each of these texts.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.stderr.contains(text), "'{text}' is not said by\n{self}");
        }
        self
    }

    /// Asserts that standard error is empty.
    #[track_caller]
    pub(crate) fn quiet(self) -> Self {
        assert!(self.stderr.is_empty(), "{self}");
        self
    }

    pub(crate) fn stdout(&self) -> &str {
        &self.stdout
    }

    pub(crate) fn stderr(&self) -> &str {
        &self.stderr
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let mut lines = self.json_lines();
        assert_eq!(lines.len(), 1, "one line was expected\n{self}");
        lines.remove(0)
    }

    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}\n{self}"));
        self.stdout.lines().map(parse).collect()
    }
}
