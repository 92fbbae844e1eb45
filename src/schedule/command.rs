//! A program that gets a result on its standard input.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::parcel::Parcel;
use crate::endpoint::excerpt;
use crate::process::{Collected, Group, POLL_INTERVAL};

/// The most that is read of what the program complains about, in bytes.
const COMPLAINT: usize = 4 << 10;
/// Holds the name of the schedule for the program.
const NAME_VARIABLE: &str = "TARS_SCHEDULE_NAME";

/// Runs a program and its arguments with the text of a result on standard input, in the person's home, and waits for its end. What
/// it prints is nobody's; all that it has started ends with it.
///
/// # Errors
/// It cannot be started, fails, or takes longer than the schedule allows.
pub(super) fn give(words: &[String], parcel: &Parcel<'_>) -> Result<()> {
    let (program, arguments) = words.split_first().context("no program is named")?;
    let mut command = Command::new(program);
    command.args(arguments).env(NAME_VARIABLE, &parcel.schedule.name);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    if let Some(home) = &parcel.environment.home {
        command.current_dir(home);
    }
    if let Some(path) = parcel.environment.variable("PATH") {
        command.env("PATH", path);
    }
    let mut group = Group::spawn(&mut command).with_context(|| format!("cannot run {program}"))?;
    if let Some(mut stdin) = group.child().stdin.take() {
        let text = format!("{}\n", parcel.text);
        // A program that does not read its input to the end is no failure.
        thread::spawn(move || stdin.write_all(text.as_bytes()));
    }
    let complaint = Collected::of(group.child().stderr.take(), COMPLAINT);
    let started = Instant::now();
    while !group.has_ended()? {
        if started.elapsed() >= parcel.schedule.timeout {
            bail!("{program} took longer than {} s and was ended", parcel.schedule.timeout.as_secs());
        }
        thread::sleep(POLL_INTERVAL);
    }
    let status = group.end()?;
    complaint.drain();
    if !status.success() {
        bail!("{program} ended with {status}: {}", excerpt(&complaint.bytes(), None));
    }
    Ok(())
}
