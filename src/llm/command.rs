//! Words from a program: it reads its task from standard input and prints them.
//!
//! No shell takes part. The program runs in an empty directory of its own and in a process group of its own, which is
//! ended as a whole when the time is over or the program is, together with what has left it ([`descendants`]). `TARS_DISABLE=1` in its environment keeps hooks of a nested
//! agent from making notes about the making of notes.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command as Process, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{LanguageModel, LlmError, descendants};
use crate::client::claude_code::NESTED_VARIABLE;
use crate::endpoint::excerpt;

/// The most that is kept of what the program prints, in bytes.
const OUTPUT: usize = 64 << 10;
const COMPLAINT: usize = 4 << 10;
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// How long its output is waited for after its end: a descendant may hold it open.
const DRAIN: Duration = Duration::from_secs(1);

/// Asks a program.
#[derive(Debug, Clone)]
pub struct Command {
    program: String,
    arguments: Vec<String>,
    timeout: Duration,
}

impl Command {
    /// Returns a language model that runs `words`, a program and its arguments, for at most `timeout`.
    ///
    /// # Errors
    /// There is no program.
    pub fn new(words: &[String], timeout: Duration) -> Result<Self, LlmError> {
        match words.split_first() {
            Some((program, arguments)) if !program.is_empty() => {
                Ok(Self { program: program.clone(), arguments: arguments.to_vec(), timeout })
            }
            _ => Err(LlmError::Unset { what: "summary.command" }),
        }
    }

    fn run(&self, input: String) -> Result<Vec<u8>, LlmError> {
        let failed = |reason| LlmError::Run { program: self.program.clone(), reason };
        let directory = tempfile::tempdir().map_err(failed)?;
        let mark = descendants::mark();
        let mut process = Process::new(&self.program);
        process
            .args(&self.arguments)
            .current_dir(directory.path())
            .env("TARS_DISABLE", "1")
            .env(descendants::VARIABLE, &mark)
            // A client that is told it runs inside of another one may refuse to start.
            .env_remove(NESTED_VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        process.process_group(0);
        let mut group = Group { child: process.spawn().map_err(failed)?, mark, is_over: false };
        let child = &mut group.child;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read its input to the end is no failure, nor is one that never reads it.
            thread::spawn(move || stdin.write_all(input.as_bytes()));
        }
        let output = Collected::of(child.stdout.take(), OUTPUT);
        let complaint = Collected::of(child.stderr.take(), COMPLAINT);
        self.wait(&group)?;
        let status = group.end().map_err(failed)?;
        if status.success() {
            return Ok(output.take());
        }
        let said = excerpt(&[complaint.take(), output.take()].concat(), None);
        Err(LlmError::Failed { program: self.program.clone(), status: status.to_string(), excerpt: said })
    }

    /// Waits for the program's end, but leaves it to be taken note of: until then no other process gets its number.
    fn wait(&self, group: &Group) -> Result<(), LlmError> {
        let started = Instant::now();
        loop {
            let ended = group.has_ended();
            match ended.map_err(|reason| LlmError::Run { program: self.program.clone(), reason })? {
                true => return Ok(()),
                false if started.elapsed() >= self.timeout => {
                    return Err(LlmError::TimedOut { program: self.program.clone(), after: self.timeout });
                }
                false => thread::sleep(LOOK),
            }
        }
    }
}

impl LanguageModel for Command {
    fn name(&self) -> &str {
        "command"
    }

    fn complete(&self, task: &str, data: &str) -> Result<String, LlmError> {
        let output = self.run(format!("{task}\n\n{data}\n"))?;
        Ok(String::from_utf8_lossy(&output).into_owned())
    }
}

/// A process whose group ends with this value: whatever it has started goes with it.
struct Group {
    child: Child,
    /// What tells those of its descendants that have left the group.
    mark: String,
    is_over: bool,
}

impl Group {
    fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(Pid::from_child(&self.child)), options)?.is_some())
    }

    /// Ends the program, its group and what has left it.
    fn end(&mut self) -> io::Result<ExitStatus> {
        if !self.is_over {
            self.is_over = true;
            // Nobody has waited for the program yet, so the number is its group's. An empty group is gone already.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            // It may have gone over to another group.
            let _ = self.child.kill();
            let _ = self.child.wait();
            descendants::end(&self.mark);
        }
        self.child.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// What a stream has given so far, read beside the process so that it never waits for a reader.
struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<thread::JoinHandle<()>>,
}

impl Collected {
    fn of(stream: Option<impl Read + Send + 'static>, most: usize) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let kept = bytes.clone();
        let reader = stream.map(|mut stream| {
            thread::spawn(move || {
                let mut block = [0; 8 << 10];
                while let Ok(read @ 1..) = stream.read(&mut block) {
                    let mut kept = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    let room = most - kept.len();
                    kept.extend_from_slice(&block[..read.min(room)]);
                }
            })
        });
        Self { bytes, reader }
    }

    /// Returns what there is when the stream ends, or shortly after.
    fn take(self) -> Vec<u8> {
        let started = Instant::now();
        while self.reader.as_ref().is_some_and(|reader| !reader.is_finished()) && started.elapsed() < DRAIN {
            thread::sleep(LOOK);
        }
        std::mem::take(&mut *self.bytes.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Summarizer;
    use super::*;
    use crate::domain::Turn;

    fn shell(script: &str, seconds: u64) -> Command {
        let words = ["sh", "-c", script].map(str::to_owned);
        Command::new(&words, Duration::from_secs(seconds)).unwrap()
    }

    fn turn() -> Turn {
        Turn { request: "Why does it stop?".into(), answer: "x".repeat(300_000), ..Turn::default() }
    }

    #[test]
    fn a_program_gets_its_task_and_gives_bullets() {
        let script = "echo '# Notes'; echo \"- disabled $TARS_DISABLE\"; ls -A | wc -l | sed 's/^ */- files /'; grep -c '^Why does' | sed 's/^/- asked /'";
        assert_eq!(shell(script, 60).summarize(&turn()).unwrap(), ["disabled 1", "files 0", "asked 1"]);
    }

    #[test]
    fn input_that_nobody_reads_and_output_without_end_do_no_harm() {
        assert_eq!(shell("echo '- done'", 60).summarize(&turn()).unwrap(), ["done"]);
        let bullets = shell("yes again | head -c 1000000", 60).summarize(&turn()).unwrap();
        assert_eq!(bullets.len(), super::super::MOST_BULLETS);
    }

    /// Whether a process runs; a zombie that nobody has waited for is dead too.
    fn lives(pid: &std::path::Path) -> bool {
        let pid: i32 = std::fs::read_to_string(pid).unwrap().trim().parse().unwrap();
        match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) => !stat.contains(") Z"),
            Err(_) => {
                let pid = rustix::process::Pid::from_raw(pid).unwrap();
                cfg!(not(target_os = "linux")) && rustix::process::test_kill_process(pid).is_ok()
            }
        }
    }

    #[track_caller]
    fn assert_ends(pid: &std::path::Path) {
        let started = Instant::now();
        // The system takes it away in its own time.
        while lives(pid) {
            assert!(started.elapsed() < Duration::from_secs(60), "it lives on");
        }
    }

    #[test]
    fn what_a_program_started_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("pid");
        let script = format!("sleep 600 & echo $! > '{}'; sleep 600", mark.display());
        let error = shell(&script, 1).summarize(&turn()).unwrap_err();
        assert!(matches!(error, LlmError::TimedOut { .. }), "{error}");
        assert_ends(&mark);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_began_a_session_of_its_own_ends_with_its_program() {
        let folder = tempfile::tempdir().unwrap();
        let [left, cleared] = ["left", "cleared"].map(|name| folder.path().join(name));
        let written =
            format!("while [ ! -s '{}' ] || [ ! -s '{}' ]; do sleep 0.01; done", left.display(), cleared.display());
        // The second has cleared its environment too; its parent has not.
        let scripts = [
            format!("echo $$ > '{}'; exec sleep 600", left.display()),
            format!("env -i sh -c 'echo $$ > \"$0\"; exec sleep 600' '{}' & wait", cleared.display()),
        ];
        std::fs::write(folder.path().join("a"), &scripts[0]).unwrap();
        std::fs::write(folder.path().join("b"), &scripts[1]).unwrap();
        let begin = |name: &str| format!("setsid sh '{}' > /dev/null 2>&1 &", folder.path().join(name).display());
        let script = |end: &str| format!("{}\n{}\n{written}\n{end}", begin("a"), begin("b"));
        assert_eq!(shell(&script("echo '- done'"), 60).summarize(&turn()).unwrap(), ["done"]);
        [&left, &cleared].into_iter().for_each(|pid| assert_ends(pid));
        [&left, &cleared].into_iter().for_each(|pid| std::fs::remove_file(pid).unwrap());
        let error = shell(&script("sleep 600"), 2).summarize(&turn()).unwrap_err();
        assert!(matches!(error, LlmError::TimedOut { .. }), "{error}");
        [&left, &cleared].into_iter().for_each(|pid| assert_ends(pid));
    }

    #[test]
    fn failures_say_what_happened() {
        let error = shell("echo no key >&2; exit 3", 60).summarize(&turn()).unwrap_err().to_string();
        assert!(error.contains("sh ended with") && error.contains("no key"), "{error}");
        let gone = Command::new(&["/gone/away".to_owned()], Duration::from_secs(1)).unwrap();
        assert!(matches!(gone.summarize(&turn()), Err(LlmError::Run { .. })));
        assert!(matches!(Command::new(&[], Duration::from_secs(1)), Err(LlmError::Unset { .. })));
    }
}
