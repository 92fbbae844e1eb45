//! Fault injection for tests. Outside tests every function here does nothing.

use std::io;

/// The kind of a call, for tests that count or fail calls of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Opens or creates a file or folder.
    Open,
    /// Reads or changes the metadata of a file or folder.
    Metadata,
    /// Reads from a file or lists a folder.
    Read,
    /// Writes to or truncates a file.
    Write,
    /// Syncs a file or folder to the disk.
    Sync,
    /// Renames or exchanges files.
    Rename,
    /// Removes a file.
    Remove,
}

/// Fails where a test injects a fault. Calls outside this module use it too.
#[cfg(not(any(test, feature = "testing")))]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "in tests a call may fail here")]
pub fn fault_point(_call: Call) -> io::Result<()> {
    Ok(())
}

/// Like [`fault_point`], and returns how many of `length` bytes the call may process.
#[cfg(not(any(test, feature = "testing")))]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "in tests a call may fail here")]
pub(super) fn check_length(_call: Call, length: usize) -> io::Result<usize> {
    Ok(length)
}

#[cfg(any(test, feature = "testing"))]
pub(super) use testing::check_length;
#[cfg(any(test, feature = "testing"))]
pub use testing::{Fault, FaultKind, fault_point, with_fault};

#[cfg(any(test, feature = "testing"))]
mod testing {
    use std::cell::RefCell;

    use super::{Call, io};

    /// How a call fails.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FaultKind {
        /// One call fails with EIO.
        Broken,
        /// Writing calls fail with ENOSPC from the chosen one on, which first takes half of its bytes.
        Full,
        /// Opening calls fail with EMFILE from the chosen one on.
        NoDescriptors,
        /// One call is interrupted.
        Interrupted,
    }

    /// Which call fails, and how.
    #[derive(Debug, Clone, Copy)]
    pub struct Fault {
        /// Number of calls that succeed first.
        pub after: usize,
        /// How it fails.
        pub kind: FaultKind,
    }

    struct Plan {
        fault: Fault,
        calls: usize,
        struck: bool,
    }

    thread_local! {
        static PLAN: RefCell<Option<Plan>> = const { RefCell::new(None) };
    }

    /// Runs `work` in this thread with `fault`. Returns its result and whether the fault occurred.
    pub fn with_fault<T>(fault: Fault, work: impl FnOnce() -> T) -> (T, bool) {
        struct Reset;
        impl Drop for Reset {
            fn drop(&mut self) {
                PLAN.with(|plan| plan.borrow_mut().take());
            }
        }
        PLAN.with(|plan| *plan.borrow_mut() = Some(Plan { fault, calls: 0, struck: false }));
        let _reset = Reset;
        let result = work();
        let struck = PLAN.with(|plan| plan.borrow().as_ref().is_some_and(|plan| plan.struck));
        (result, struck)
    }

    /// Fails where a test wants the call to fail.
    ///
    /// # Errors
    /// The failure that the test chose.
    pub fn fault_point(call: Call) -> io::Result<()> {
        check_length(call, 0).map(drop)
    }

    pub(in super::super) fn check_length(call: Call, length: usize) -> io::Result<usize> {
        let error = |code: rustix::io::Errno| Err(io::Error::from(code));
        PLAN.with(|plan| {
            let mut plan = plan.borrow_mut();
            let Some(plan) = plan.as_mut() else { return Ok(length) };
            let counts = match plan.fault.kind {
                FaultKind::Full => matches!(call, Call::Write | Call::Sync),
                FaultKind::NoDescriptors => call == Call::Open,
                FaultKind::Broken => true,
                FaultKind::Interrupted => matches!(call, Call::Open | Call::Read | Call::Write),
            };
            if !counts {
                return Ok(length);
            }
            plan.calls += 1;
            let first = plan.calls == plan.fault.after + 1;
            let later = plan.calls > plan.fault.after + 1;
            plan.struck |= first;
            match plan.fault.kind {
                FaultKind::Broken if first => error(rustix::io::Errno::IO),
                FaultKind::Interrupted if first => error(rustix::io::Errno::INTR),
                FaultKind::NoDescriptors if first || later => error(rustix::io::Errno::MFILE),
                FaultKind::Full if first && length > 1 => Ok(length / 2),
                FaultKind::Full if first || later => error(rustix::io::Errno::NOSPC),
                _ => Ok(length),
            }
        })
    }
}
