//! The `tars` command: see [`tars_cli`].

use std::process::ExitCode;

use rustix::fs::Mode;
use rustix::process::umask;

const FOREIGN_WRITE: Mode = Mode::WGRP.union(Mode::WOTH);

fn main() -> ExitCode {
    // ONNX Runtime starts its telemetry before its API offers a way to turn it off.
    #[expect(unsafe_code, reason = "the runtime reads this in the process' environment alone")]
    // SAFETY: the process has a single thread at this point, and that thread has done nothing yet.
    unsafe {
        std::env::set_var("ORT_DISABLE_TELEMETRY", "1");
    }
    // Nobody else may write the files that tars creates, whatever umask the shell set. Notes keep the rest of the umask; private files
    // get their mode where they are created.
    let inherited = umask(FOREIGN_WRITE);
    umask(inherited | FOREIGN_WRITE);
    tars_cli::run(std::env::args_os())
}
