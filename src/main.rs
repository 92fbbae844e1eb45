//! The `tars` command: see [`tars::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    // ONNX Runtime begins to collect facts about the machine before it can be told not to by its interface.
    #[expect(unsafe_code, reason = "the runtime reads this in the process' environment alone")]
    // SAFETY: there is one thread, and it has not begun to do anything.
    unsafe {
        std::env::set_var("ORT_DISABLE_TELEMETRY", "1");
    }
    tars::cli::run(std::env::args_os())
}
