//! The server on the Unix socket.

use std::fs;
use std::io::{self, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::Engine;
use tars_base::ipc::{MAX_REQUEST, check_folder, is_same_user, receive, send};
use tars_base::private;
use tars_service::InProcessDaemon;
use tars_service::protocol::{Request, Response};

/// Concurrent connections. Further ones are closed, and their commands answer by themselves.
const MAX_CONNECTIONS: usize = 32;
/// Read and write timeout of a connection.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A listening socket. Dropping it removes the socket file.
pub(super) struct Server {
    path: PathBuf,
    /// Distinguishes this socket file from one that another daemon created later at the same path.
    inode: u64,
}

impl Server {
    /// Binds the socket and answers from now on, on its own threads. The caller holds the daemon's lock, so a file at this path belongs
    /// to a daemon that is gone.
    ///
    /// # Errors
    /// The folder or the socket cannot be made, or the folder belongs to another user ([`tars_base::ipc::ForeignSocketError`]).
    pub(super) fn start(path: &Path, engine: &Arc<Engine>) -> tars_service::Result<Self> {
        if let Some(folder) = path.parent() {
            private::create_folder(folder)?;
        }
        check_folder(path)?;
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let listener = UnixListener::bind(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        let inode = fs::symlink_metadata(path)?.ino();
        let engine = Arc::clone(engine);
        thread::Builder::new().name("socket".into()).spawn(move || accept(&listener, &engine))?;
        Ok(Self { path: path.to_owned(), inode })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|metadata| metadata.ino() == self.inode) {
            // The next daemon replaces a file that stays behind.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn accept(listener: &UnixListener, engine: &Arc<Engine>) {
    // Its reference count is the number of open connections, plus one.
    let open = Arc::new(());
    for stream in listener.incoming() {
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) => {
                // For example out of file descriptors: other connections need a moment to close theirs.
                tracing::warn!(%error, "a connection could not be accepted");
                thread::sleep(Duration::from_millis(50));
                continue;
            }
        };
        if Arc::strong_count(&open) > MAX_CONNECTIONS || !is_same_user(&stream) {
            continue;
        }
        let guard = Arc::clone(&open);
        let engine = Arc::clone(engine);
        let spawned = thread::Builder::new().name("answer".into()).spawn(move || {
            let _guard = guard;
            if let Err(error) = converse(&stream, &engine) {
                tracing::debug!(%error, "a connection ended early");
            }
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "no thread for a connection");
        }
    }
}

fn converse(stream: &UnixStream, engine: &Engine) -> io::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let mut out = stream;
    send(&mut out, &engine.greeting())?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = receive::<Request>(&mut reader, MAX_REQUEST)? {
        let response = engine.respond(&request).unwrap_or_else(|error| Response::Failed(format!("{error:#}")));
        send(&mut out, &response)?;
    }
    Ok(())
}
