//! Whether another process has a file open.

use std::fs;
use std::path::Path;

use rustix::io::Errno;

/// Whether another process of this user has the file at `path` open. An editor that opened a file before it was replaced
/// writes into the old one: that must not be removed meanwhile. `path` is the file's real path.
///
/// On systems without `/proc` the answer is no.
pub(super) fn by_another(path: &Path) -> bool {
    let own = std::process::id().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|process| {
            let name = process.file_name();
            name.to_str().is_some_and(|name| name != own && name.bytes().all(|byte| byte.is_ascii_digit()))
        })
        .any(|process| match fs::read_dir(process.path().join("fd")) {
            // The links are read and not followed: what they lead to may hang.
            Ok(descriptors) => {
                descriptors.flatten().any(|one| fs::read_link(one.path()).is_ok_and(|open| open == path))
            }
            // What is not known to be free is kept. Other failures tell of a process that has ended, or is another user's.
            Err(error) => {
                [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::IO].map(Some).contains(&Errno::from_io_error(&error))
            }
        })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_file_that_another_process_holds_is_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("note.md");
        fs::write(&path, "text").unwrap();
        let _own = fs::File::open(&path).unwrap();
        assert!(!by_another(&path), "this very process does not count");
        let file = fs::File::open(&path).unwrap();
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::from(file)).spawn().unwrap();
        assert!(by_another(&path));
        let renamed = path.with_file_name(".tars-note.md.tmp");
        fs::rename(&path, &renamed).unwrap();
        assert!(by_another(&renamed), "the name that it has by now counts");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!by_another(&renamed));
    }
}
