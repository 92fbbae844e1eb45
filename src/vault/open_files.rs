//! Checks whether another process may still write to a file.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use rustix::io::Errno;

/// Whether another process of this user has the file at `path` open for writing. An editor that opened a file before its
/// replacement writes into the old one, which must therefore not be removed yet. A mere reader (`tail -f`) loses nothing. `path` is
/// the file's real path.
///
/// Always false on systems without `/proc`.
pub(super) fn is_open_for_writing(path: &Path) -> bool {
    let own = std::process::id().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|process| {
            let name = process.file_name();
            name.to_str().is_some_and(|name| name != own && name.bytes().all(|byte| byte.is_ascii_digit()))
        })
        .any(|process| match fs::read_dir(process.path().join("fd")) {
            // The links are read but not followed: their targets may hang.
            Ok(descriptors) => descriptors.flatten().any(|one| {
                fs::read_link(one.path()).is_ok_and(|open| open == path)
                    && writes(&process.path().join("fdinfo").join(one.file_name()))
            }),
            Err(error) => is_unknown(&error),
        })
}

/// Whether the descriptor that `info` describes was opened for writing (`flags` in proc_pid_fdinfo(5), octal; its last two bits are
/// zero for read-only).
fn writes(info: &Path) -> bool {
    match fs::read_to_string(info) {
        Ok(info) => {
            let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
            flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).is_none_or(|flags| flags & 0o3 != 0)
        }
        // The process has just closed it.
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(_) => true,
    }
}

/// Whether the failure leaves the answer open: then the file is kept. Other failures mean that the process has ended or belongs to
/// another user.
fn is_unknown(error: &io::Error) -> bool {
    [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::IO].map(Some).contains(&Errno::from_io_error(error))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_file_that_another_process_only_reads_is_not_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("note.md");
        fs::write(&path, "text").unwrap();
        let mut reader = Command::new("tail").args(["-f"]).arg(&path).stdout(Stdio::piped()).spawn().unwrap();
        // Once `tail` has printed the text, it has the file open.
        let mut printed = [0; 4];
        std::io::Read::read_exact(reader.stdout.as_mut().unwrap(), &mut printed).unwrap();
        let in_use = is_open_for_writing(&path);
        reader.kill().unwrap();
        reader.wait().unwrap();
        assert!(!in_use);
    }

    #[test]
    fn a_file_that_another_process_has_open_for_writing_is_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("note.md");
        fs::write(&path, "text").unwrap();
        let _own = fs::File::open(&path).unwrap();
        assert!(!is_open_for_writing(&path), "this very process does not count");
        let file = fs::File::options().append(true).open(&path).unwrap();
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::from(file)).spawn().unwrap();
        assert!(is_open_for_writing(&path));
        let renamed = path.with_file_name(".tars-note.md.tmp");
        fs::rename(&path, &renamed).unwrap();
        assert!(is_open_for_writing(&renamed), "the name that it has by now counts");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_open_for_writing(&renamed));
    }
}
