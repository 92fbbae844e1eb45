//! Sends requests to a server of this user, with a short timeout.

use std::io::{self, BufReader};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::address::{self, ForeignSocketError};
use super::{Greeting, MAX_GREETING, MAX_RESPONSE, PROTOCOL, receive, send};

/// Timeout for the greeting of a running daemon.
const GREETING_TIMEOUT: Duration = Duration::from_millis(150);

/// An open connection after the greeting.
struct Connection {
    reader: BufReader<UnixStream>,
    greeting: Greeting,
}

/// Sends a request to the server behind `socket` and returns its response. Returns `None` if there is no server, if it
/// uses another protocol or other settings than `settings`, or if it does not respond within `patience`. The caller
/// then falls back to answering itself.
///
/// # Errors
/// The socket, its folder or the responding process belongs to another user.
pub fn request<Response: DeserializeOwned>(
    socket: &Path,
    settings: Option<&str>,
    request: &impl Serialize,
    patience: Duration,
) -> Result<Option<Response>, ForeignSocketError> {
    Ok(request_response(socket, settings, request, patience)?.unwrap_or_else(|error| {
        tracing::debug!(%error, "no answer from a daemon");
        None
    }))
}

/// Returns the greeting of the server behind `socket`, or `None` if none responds.
///
/// # Errors
/// Like [`request`].
pub fn read_greeting(socket: &Path) -> Result<Option<Greeting>, ForeignSocketError> {
    Ok(connect(socket, GREETING_TIMEOUT)?.ok().map(|connection| connection.greeting))
}

fn connect(socket: &Path, patience: Duration) -> Result<io::Result<Connection>, ForeignSocketError> {
    address::check(socket)?;
    let stream = match connected(socket) {
        Ok(stream) => stream,
        Err(error) => return Ok(Err(error)),
    };
    if !address::is_same_user(&stream) {
        return Err(ForeignSocketError { path: socket.to_owned(), reason: "another user answers there".into() });
    }
    Ok(greeted(stream, patience.clamp(Duration::from_millis(1), GREETING_TIMEOUT)))
}

/// Connects without blocking: a stopped daemon accepts nobody from its queue, and a full queue would block forever.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn connected(socket: &Path) -> io::Result<UnixStream> {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let descriptor = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&descriptor, &SocketAddrUnix::new(socket)?)?;
    let stream = UnixStream::from(descriptor);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Connects. Other systems refuse at once if the queue is full.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn connected(socket: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(socket)
}

fn greeted(stream: UnixStream, patience: Duration) -> io::Result<Connection> {
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    let mut reader = BufReader::new(stream);
    let greeting = receive(&mut reader, MAX_GREETING)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok(Connection { reader, greeting })
}

fn request_response<Response: DeserializeOwned>(
    socket: &Path,
    settings: Option<&str>,
    request: &impl Serialize,
    patience: Duration,
) -> Result<io::Result<Option<Response>>, ForeignSocketError> {
    let deadline = Instant::now() + patience;
    Ok(match connect(socket, patience)? {
        Err(error) => Err(error),
        Ok(Connection { greeting, .. })
            if greeting.protocol != PROTOCOL || settings.is_some_and(|settings| settings != greeting.settings) =>
        {
            Ok(None)
        }
        Ok(connection) => exchange(connection.reader, request, deadline),
    })
}

fn exchange<Response: DeserializeOwned>(
    mut reader: BufReader<UnixStream>,
    request: &impl Serialize,
    deadline: Instant,
) -> io::Result<Option<Response>> {
    send(reader.get_mut(), request)?;
    let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    reader.get_ref().set_read_timeout(Some(left))?;
    receive(&mut reader, MAX_RESPONSE)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn sockets_that_others_may_control_are_not_connected_to() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("tars-1000");
        fs::create_dir(&folder).unwrap();
        let socket = folder.join("x.sock");
        let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let listener = UnixListener::bind(&socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        for (folder_mode, socket_mode) in [(0o777, 0o600), (0o720, 0o600), (0o700, 0o666)] {
            set(&folder, folder_mode);
            set(&socket, socket_mode);
            assert!(read_greeting(&socket).is_err(), "{folder_mode:o} {socket_mode:o}");
            assert!(request::<()>(&socket, None, &"watch", Duration::ZERO).is_err());
            assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock, "nothing was said to it");
        }
        fs::remove_file(&socket).unwrap();
        assert!(read_greeting(&socket).unwrap().is_none(), "no daemon is nobody's fault");
    }

    #[test]
    fn a_stopped_daemon_with_a_full_queue_does_not_block() {
        let home = tempfile::tempdir().unwrap();
        let socket = home.path().join("x.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        fs::set_permissions(&socket, Permissions::from_mode(0o600)).unwrap();
        // A backlog of 0 admits one waiting client, which is this one.
        rustix::net::listen(&listener, 0).unwrap();
        let _waiting = UnixStream::connect(&socket).unwrap();
        assert!(read_greeting(&socket).unwrap().is_none());
    }
}
