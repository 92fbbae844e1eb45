//! A model behind a program, for example `claude -p`: it reads the conversation from standard input and prints the answer.
//!
//! The program runs without a shell, in an empty directory of its own. When it exits, times out or is cancelled, every
//! process that it started ends too (`tars_base::process`). Only the total time limit applies, and there are no retries.

use std::io::Write;
use std::ops::ControlFlow;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use super::answer::AnswerBuilder;
use super::error::{ReadError, empty_reason, excerpt};
use super::{ChatError, ChatModel, ChatRequest, Completion, Message, OnEvent, history};
use tars_base::process::{OutputReader, POLL_INTERVAL, ProcessGroup};

/// Maximum number of bytes kept of the program's standard output.
const OUTPUT: usize = 64 << 10;
const ERROR_OUTPUT: usize = 4 << 10;
/// Environment variable of Claude Code that marks the programs it runs. A client that finds it may refuse to start.
const NESTED_VARIABLE: &str = "CLAUDECODE";

/// A model behind a program.
#[derive(Debug, Clone)]
pub struct Program {
    name: &'static str,
    program: String,
    arguments: Vec<String>,
}

impl Program {
    /// Returns a model that runs `words` (a program and its arguments) for each call.
    ///
    /// # Errors
    /// [`ChatError::NoProgram`] if `words` is empty.
    pub fn new(words: &[String]) -> Result<Self, ChatError> {
        match words.split_first() {
            Some((program, arguments)) if !program.is_empty() => {
                Ok(Self { name: "command", program: program.clone(), arguments: arguments.to_vec() })
            }
            _ => Err(ChatError::NoProgram),
        }
    }

    /// Sets the model's name; the default is `command`.
    #[must_use]
    pub fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Runs the program and returns its output. `give` receives the output in pieces.
    fn run(
        &self,
        input: String,
        request: &ChatRequest,
        give: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<String, ChatError> {
        let failed = |reason| ChatError::Run { program: self.program.clone(), reason };
        let directory = tempfile::tempdir().map_err(failed)?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(directory.path())
            .env_remove(NESTED_VARIABLE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut group = ProcessGroup::spawn(&mut command).map_err(failed)?;
        let child = group.child();
        if let Some(mut stdin) = child.stdin.take() {
            // A program may ignore its input or stop reading early; neither is a failure.
            thread::spawn(move || stdin.write_all(input.as_bytes()));
        }
        let mut output = Output { stream: OutputReader::of(child.stdout.take(), OUTPUT), text: String::new(), read: 0 };
        let errors = OutputReader::of(child.stderr.take(), ERROR_OUTPUT);
        let started = Instant::now();
        // The loop does not reap the process: until `ProcessGroup::end`, no other process can get its number.
        while !group.has_ended().map_err(failed)? {
            let is_unwanted = request.stream && give(output.more(false)).is_break();
            if is_unwanted || request.cancel.is_cancelled() {
                return Err(ChatError::Cancelled);
            }
            let after = request.limits.total_timeout;
            if started.elapsed() >= after {
                return Err(ChatError::TimedOut { program: self.program.clone(), after });
            }
            thread::sleep(POLL_INTERVAL);
        }
        let status = group.end().map_err(failed)?;
        errors.drain();
        output.stream.drain();
        if !status.success() {
            let said = [&errors.bytes()[..], &output.stream.bytes()[..]].concat();
            let (program, excerpt) = (self.program.clone(), excerpt(&said, None));
            return Err(ChatError::Failed { program, status: status.to_string(), excerpt });
        }
        match give(output.more(true)) {
            ControlFlow::Continue(()) => Ok(output.text),
            ControlFlow::Break(()) => Err(ChatError::Cancelled),
        }
    }
}

impl ChatModel for Program {
    fn name(&self) -> &str {
        self.name
    }

    fn supports_tools(&self) -> bool {
        false
    }

    fn send(&self, request: &ChatRequest, on_event: &mut OnEvent<'_>) -> Result<Completion, ChatError> {
        if !request.tools.is_empty() {
            return Err(ChatError::NoTools { name: self.program.clone() });
        }
        let messages = history::fit_to_budget(request);
        let mut answer = AnswerBuilder::new(request, on_event);
        self.run(input(&request.system, messages), request, &mut |piece| match answer.add_text(piece) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })?;
        let completion = answer.finish(&self.program).map_err(|error| match error {
            ReadError::Empty { stop, has_thought, usage } => {
                ChatError::Empty { name: self.program.clone(), reason: empty_reason(&stop, has_thought), usage }
            }
            // The callback is all else that ends an answer here.
            _ => ChatError::Cancelled,
        })?;
        Ok(Completion { omitted_messages: request.messages.len() - messages.len(), ..completion })
    }
}

/// Returns a conversation as one text. A single message stands alone; several are labelled with their speakers.
fn input(system: &str, messages: &[Message]) -> String {
    let mut parts: Vec<String> = Some(system.to_owned()).into_iter().filter(|system| !system.is_empty()).collect();
    match messages {
        [Message::User(text)] => parts.push(text.clone()),
        messages => parts.extend(messages.iter().map(|message| match message {
            Message::User(text) => format!("User: {text}"),
            Message::Assistant { text, calls, .. } => {
                let calls = calls.iter().map(|call| format!("\n{}", call.as_text()));
                format!("Assistant: {text}{}", calls.collect::<String>())
            }
            Message::ToolResult { text, .. } => format!("Tool result: {text}"),
        })),
    }
    parts.join("\n\n") + "\n"
}

/// The program's output so far, as text.
struct Output {
    stream: OutputReader,
    text: String,
    /// Number of bytes of the stream that are in the text.
    read: usize,
}

impl Output {
    /// Returns the output since the last call. An incomplete character at the end is held back unless `is_over`.
    fn more(&mut self, is_over: bool) -> &str {
        let start = self.text.len();
        let bytes = self.stream.bytes();
        let new = &bytes[self.read..];
        let end = match new.utf8_chunks().last() {
            Some(last) if !is_over && is_cut_off(last.invalid()) => new.len() - last.invalid().len(),
            _ => new.len(),
        };
        self.text.push_str(&String::from_utf8_lossy(&new[..end]));
        self.read += end;
        &self.text[start..]
    }
}

/// Whether these bytes are an incomplete character.
fn is_cut_off(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Arguments, CancelToken, ChatEvent, Limits, Tool, ToolCall};

    fn request(seconds: u64) -> ChatRequest {
        ChatRequest {
            system: "Be terse.".into(),
            messages: vec![Message::User(format!("Why does it stop?\n{}", "x".repeat(300_000)))],
            limits: Limits::single_attempt(Duration::from_secs(seconds)),
            ..ChatRequest::default()
        }
    }

    fn shell(script: &str) -> Program {
        Program::new(&["sh", "-c", script].map(str::to_owned)).unwrap()
    }

    fn answer(script: &str, seconds: u64) -> Result<String, ChatError> {
        let completion = shell(script).send(&request(seconds), &mut |_| ControlFlow::Continue(()))?;
        Ok(completion.text)
    }

    #[test]
    fn a_program_receives_the_conversation_and_returns_an_answer() {
        let script = "echo \"disabled $TARS_DISABLE\"; ls -A | wc -l | sed 's/^ */files /'; grep -c -e '^Why does' -e '^Be terse.$'";
        assert_eq!(answer(script, 60).unwrap(), "disabled 1\nfiles 0\n2\n");
    }

    #[test]
    fn unread_input_is_ignored_and_endless_output_is_truncated() {
        assert_eq!(answer("echo done", 60).unwrap(), "done\n");
        assert_eq!(answer("yes again | head -c 1000000", 60).unwrap().len(), OUTPUT);
    }

    #[test]
    fn a_conversation_is_labelled_with_its_speakers() {
        let call = ToolCall { id: "1".into(), name: "search".into(), arguments: Arguments::Unreadable("x".into()) };
        let messages = [
            Message::User("Why?".into()),
            Message::Assistant { text: "I look.".into(), calls: vec![call], carried: None },
            Message::ToolResult { call_id: "1".into(), text: "nothing".into(), is_error: false },
        ];
        let expected = "User: Why?\n\nAssistant: I look.\n[called the tool search with {}]\n\nTool result: nothing\n";
        assert_eq!(input("", &messages), expected);
        assert_eq!(input("Be terse.", &messages[..1]), "Be terse.\n\nWhy?\n");
    }

    #[test]
    fn output_comes_in_pieces_of_whole_characters() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("seen");
        // The program waits until the test has seen the first piece, then prints the rest of the character.
        let script =
            format!("printf 'a\\303'; while [ ! -e '{}' ]; do sleep 0.01; done; printf '\\251b\\303'", mark.display());
        let mut pieces = Vec::new();
        let asked = ChatRequest { stream: true, ..request(60) };
        let completion = shell(&script).send(&asked, &mut |event| {
            if let ChatEvent::Text(piece) = event {
                std::fs::write(&mark, "").unwrap();
                pieces.push(piece.to_owned());
            }
            ControlFlow::Continue(())
        });
        assert_eq!(completion.unwrap().text, "aéb\u{fffd}");
        assert_eq!((pieces[0].as_str(), pieces.concat().as_str()), ("a", "aéb\u{fffd}"));
    }

    #[test]
    fn a_cancelled_program_ends() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("pid");
        let script = format!("echo $$ > '{}'; echo begun; sleep 600", mark.display());
        let asked = ChatRequest { stream: true, ..request(600) };
        let broken = shell(&script).send(&asked, &mut |_| ControlFlow::Break(()));
        assert!(matches!(broken, Err(ChatError::Cancelled)));
        assert_ends(&mark);
        let cancel = CancelToken::default();
        cancel.cancel();
        let cancelled = shell("sleep 600").send(&ChatRequest { cancel, ..asked }, &mut |_| ControlFlow::Continue(()));
        assert!(matches!(cancelled, Err(ChatError::Cancelled)));
    }

    #[test]
    fn a_request_with_tools_is_refused_by_a_program() {
        let tool = Tool { name: "search".into(), description: String::new(), parameters: serde_json::json!({}) };
        let asked = ChatRequest { tools: vec![tool], ..request(60) };
        let refused = shell("echo done").send(&asked, &mut |_| ControlFlow::Continue(()));
        assert!(matches!(refused, Err(ChatError::NoTools { .. })));
    }

    /// Whether a process runs. A zombie counts as dead.
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
        // The system removes the process asynchronously.
        while lives(pid) {
            assert!(started.elapsed() < Duration::from_secs(60), "it lives on");
        }
    }

    #[test]
    fn child_processes_end_when_the_program_times_out() {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().join("pid");
        let script = format!("sleep 600 & echo $! > '{}'; sleep 600", mark.display());
        let error = answer(&script, 1).unwrap_err();
        assert!(matches!(error, ChatError::TimedOut { .. }), "{error}");
        assert_ends(&mark);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn child_processes_in_their_own_session_end_with_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let [left, cleared] = ["left", "cleared"].map(|name| folder.path().join(name));
        let written =
            format!("while [ ! -s '{}' ] || [ ! -s '{}' ]; do sleep 0.01; done", left.display(), cleared.display());
        // The second script clears its environment too; its parent does not.
        let scripts = [
            format!("echo $$ > '{}'; exec sleep 600", left.display()),
            format!("env -i sh -c 'echo $$ > \"$0\"; exec sleep 600' '{}' & wait", cleared.display()),
        ];
        std::fs::write(folder.path().join("a"), &scripts[0]).unwrap();
        std::fs::write(folder.path().join("b"), &scripts[1]).unwrap();
        let begin = |name: &str| format!("setsid sh '{}' > /dev/null 2>&1 &", folder.path().join(name).display());
        let script = |end: &str| format!("{}\n{}\n{written}\n{end}", begin("a"), begin("b"));
        assert_eq!(answer(&script("echo done"), 60).unwrap(), "done\n");
        [&left, &cleared].into_iter().for_each(|pid| assert_ends(pid));
        [&left, &cleared].into_iter().for_each(|pid| std::fs::remove_file(pid).unwrap());
        let error = answer(&script("sleep 600"), 2).unwrap_err();
        assert!(matches!(error, ChatError::TimedOut { .. }), "{error}");
        [&left, &cleared].into_iter().for_each(|pid| assert_ends(pid));
    }

    #[test]
    fn a_program_that_prints_nothing_is_said_and_its_thoughts_are_no_answer() {
        let error = answer("true", 60).unwrap_err();
        assert!(matches!(error, ChatError::Empty { .. }), "{error}");
        assert_eq!(answer("printf 'hm\\n</think>\\nYes'", 60).unwrap(), "\nYes");
    }

    #[test]
    fn failures_say_what_happened() {
        let error = answer("echo no key >&2; exit 3", 60).unwrap_err().to_string();
        assert!(error.contains("sh ended with") && error.contains("no key"), "{error}");
        let gone = Program::new(&["/gone/away".to_owned()]).unwrap();
        let error = gone.send(&request(1), &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert!(matches!(error, ChatError::Run { .. }), "{error}");
        assert!(matches!(Program::new(&[]), Err(ChatError::NoProgram)));
    }
}
