//! The socket's path, and whether it belongs to this user.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use crate::private;

/// The longest socket path that every system accepts (104 bytes on macOS, including the final zero).
const MAX_SOCKET_PATH: usize = 103;

/// Returns the socket path of the daemon for the data directory `data`: below the session's runtime directory,
/// otherwise in the data directory itself. If that path is too long, the socket lies in a private folder of the
/// temporary directory.
pub fn socket_path(data: &Path, runtime_dir: Option<&Path>) -> PathBuf {
    let data = std::fs::canonicalize(data).unwrap_or_else(|_| data.to_owned());
    let name = format!("{}.sock", private::short_hash(data.as_os_str().as_encoded_bytes()));
    let fits = |path: &PathBuf| path.as_os_str().len() <= MAX_SOCKET_PATH;
    let candidates = [runtime_dir.map(|dir| private::runtime_folder(dir).join(&name)), Some(data.join("watch.sock"))];
    candidates.into_iter().flatten().find(fits).unwrap_or_else(|| private::temporary_folder().join(name))
}

/// The daemon's socket is under the control of another user, who could read questions and forge answers. No request is
/// sent.
#[derive(Debug, thiserror::Error)]
#[error("not using the watcher at {path}: {reason}")]
pub struct ForeignSocketError {
    pub(super) path: PathBuf,
    pub(super) reason: String,
}

impl ForeignSocketError {
    /// Returns a hint for the person.
    pub fn hint(&self) -> String {
        format!("make {} accessible to you alone, or point XDG_RUNTIME_DIR to a folder that is", self.path.display())
    }
}

/// Fails unless the folder of a socket belongs to this user.
pub fn check_folder(socket: &Path) -> Result<(), ForeignSocketError> {
    socket.parent().map_or(Ok(()), |folder| refuse_foreign(folder, private::check_folder(folder)))
}

/// Fails if the socket at `path` or its folder belongs to another user. A missing one is fine.
pub(super) fn check(path: &Path) -> Result<(), ForeignSocketError> {
    check_folder(path)?;
    refuse_foreign(path, private::check_socket(path))
}

/// Whether the process at the other end runs for the same user.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn is_same_user(stream: &UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

/// On other systems the owners and permissions of the socket and its folder decide.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn is_same_user(_stream: &UnixStream) -> bool {
    true
}

fn refuse_foreign(path: &Path, checked: io::Result<()>) -> Result<(), ForeignSocketError> {
    match checked {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(ForeignSocketError { path: path.to_owned(), reason: error.to_string() })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_data_directory_has_its_own_socket_path() {
        let runtime = Path::new("/run/user/1000");
        let (one, two) = (socket_path(Path::new("/a"), Some(runtime)), socket_path(Path::new("/b"), Some(runtime)));
        assert!(one != two && one.starts_with("/run/user/1000/tars"));
        assert_eq!(socket_path(Path::new("/a"), None), Path::new("/a/watch.sock"));
        let deep = PathBuf::from(format!("/{}", "deep/".repeat(40)));
        assert!(socket_path(&deep, None).as_os_str().len() <= MAX_SOCKET_PATH);
    }
}
