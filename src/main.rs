//! The `tars` command: see [`tars::cli`].

use std::process::ExitCode;

use rustix::fs::Mode;
use rustix::process::umask;

const FOREIGN_WRITE: Mode = Mode::WGRP.union(Mode::WOTH);

fn main() -> ExitCode {
    // ONNX Runtime begins to collect facts about the machine before it can be told not to by its interface.
    #[expect(unsafe_code, reason = "the runtime reads this in the process' environment alone")]
    // SAFETY: there is one thread, and it has not begun to do anything.
    unsafe {
        std::env::set_var("ORT_DISABLE_TELEMETRY", "1");
    }
    // No file that tars makes may be written by others, whatever the person's shell allows. Notes keep the rest of the umask;
    // what is private is made so where it is made.
    let inherited = umask(FOREIGN_WRITE);
    umask(inherited | FOREIGN_WRITE);
    tars::cli::run(std::env::args_os())
}
