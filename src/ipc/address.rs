//! Where the socket lies, and whether it is this user's.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use crate::private;

/// The longest path that every system takes as the address of a socket (104 bytes on macOS, with its final zero).
const LONGEST: usize = 103;

/// Returns the path of the socket of the daemon of the data directory `data`: below the runtime directory of the session,
/// else in the data directory itself; in a private folder of the temporary directory where that path is too long.
pub fn socket_path(data: &Path, runtime_dir: Option<&Path>) -> PathBuf {
    let data = std::fs::canonicalize(data).unwrap_or_else(|_| data.to_owned());
    let name = format!("{}.sock", private::key(data.as_os_str().as_encoded_bytes()));
    let fits = |path: &PathBuf| path.as_os_str().len() <= LONGEST;
    let candidates = [runtime_dir.map(|dir| private::runtime_folder(dir).join(&name)), Some(data.join("watch.sock"))];
    candidates.into_iter().flatten().find(fits).unwrap_or_else(|| private::temporary_folder().join(name))
}

/// The daemon's place is in the hands of another user, who could read questions and forge answers: nobody is asked there.
#[derive(Debug, thiserror::Error)]
#[error("no watcher is asked at {path}: {reason}")]
pub struct Foreign {
    pub(super) path: PathBuf,
    pub(super) reason: String,
}

impl Foreign {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> String {
        format!("make {} yours alone, or let XDG_RUNTIME_DIR name a folder that is", self.path.display())
    }
}

/// Fails unless the folder of a socket is this user's.
pub fn check_folder(socket: &Path) -> Result<(), Foreign> {
    socket.parent().map_or(Ok(()), |folder| told(folder, private::check_folder(folder)))
}

/// Fails if the socket at `path` or its folder is another user's; what is not there is nobody's.
pub(super) fn check(path: &Path) -> Result<(), Foreign> {
    check_folder(path)?;
    told(path, private::check_socket(path))
}

/// Whether the process at the other end runs for the same user.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn is_own(stream: &UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

/// Elsewhere the owners and permissions of the socket and its folder decide.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn is_own(_stream: &UnixStream) -> bool {
    true
}

fn told(path: &Path, checked: io::Result<()>) -> Result<(), Foreign> {
    match checked {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(Foreign { path: path.to_owned(), reason: error.to_string() })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_data_directory_has_a_socket_of_its_own_that_fits() {
        let runtime = Path::new("/run/user/1000");
        let (one, two) = (socket_path(Path::new("/a"), Some(runtime)), socket_path(Path::new("/b"), Some(runtime)));
        assert!(one != two && one.starts_with("/run/user/1000/tars"));
        assert_eq!(socket_path(Path::new("/a"), None), Path::new("/a/watch.sock"));
        let deep = PathBuf::from(format!("/{}", "deep/".repeat(40)));
        assert!(socket_path(&deep, None).as_os_str().len() <= LONGEST);
    }
}
