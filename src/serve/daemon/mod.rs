//! `tars watch`: one process that keeps the index equal to the files and answers with the model already loaded.
//!
//! Three kinds of threads share an [`Engine`]: the loop that indexes (`work`), the threads that answer on the socket (`server`), and
//! those of the event source. The loop works in short slices, so that a change, a question, a signal or another `tars index` never waits
//! long. Commands reach the daemon through [`tars_service::Daemon`], whose timeout is short: if the daemon does not answer, the command
//! answers by itself. Both sides talk only to processes of the same user.

mod caught_up;
mod engine;
#[cfg(test)]
mod fuzz;
mod lifetime;
mod lock;
mod log;
mod schedule;
mod server;
mod service;
mod slice;
mod throttle;
mod work;

pub use engine::Engine;
pub use lock::{DaemonLock, LockHolder};
pub use log::RotatingFile;
pub use service::{RemovedService, ServiceError, ServiceState, install, state, uninstall};
pub use work::{WatchOptions, watch};
