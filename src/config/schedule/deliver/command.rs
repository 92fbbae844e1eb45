//! Delivers a result to a program's standard input.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::DeliveryContext;
use tars_base::endpoint::excerpt;
use tars_base::process::{OutputReader, POLL_INTERVAL, ProcessGroup};

/// Maximum bytes to read of a program's error output.
const MAX_ERROR_BYTES: usize = 4 << 10;
/// Environment variable that holds the schedule's name for the program.
const NAME_VARIABLE: &str = "TARS_SCHEDULE_NAME";

/// Runs a program with a result on its standard input, in the person's home, and waits for it to end. Its standard output is discarded.
/// The processes that it started end with it.
///
/// # Errors
/// The program cannot be started, fails, or exceeds the timeout of the schedule.
pub(super) fn send_to_program(words: &[String], context: &DeliveryContext<'_>) -> Result<()> {
    let (program, arguments) = words.split_first().context("no program is configured")?;
    let mut command = Command::new(program);
    command.args(arguments).env(NAME_VARIABLE, &context.schedule.name);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    if let Some(home) = &context.environment.home {
        command.current_dir(home);
    }
    if let Some(path) = context.environment.variable("PATH") {
        command.env("PATH", path);
    }
    let mut group = ProcessGroup::spawn(&mut command).with_context(|| format!("cannot run {program}"))?;
    if let Some(mut stdin) = group.child().stdin.take() {
        let text = format!("{}\n", context.text);
        // A program may close its input early; that is no failure.
        thread::spawn(move || stdin.write_all(text.as_bytes()));
    }
    let error_output = OutputReader::of(group.child().stderr.take(), MAX_ERROR_BYTES);
    let started = Instant::now();
    while !group.has_ended()? {
        if started.elapsed() >= context.schedule.timeout {
            bail!("{program} took longer than {} s and was ended", context.schedule.timeout.as_secs());
        }
        thread::sleep(POLL_INTERVAL);
    }
    let status = group.end()?;
    error_output.drain();
    if !status.success() {
        bail!("{program} ended with {status}: {}", excerpt(&error_output.bytes(), None));
    }
    Ok(())
}
