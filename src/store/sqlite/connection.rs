//! A connection as tars wants it: its settings, the newest schema, a write-ahead log.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error;
use super::migrate;
use super::schema;
use super::scoring;
use crate::store::StoreError;

/// How long a statement waits for another process' transaction; every transaction of tars is one file or one batch.
pub(super) const BUSY: Duration = Duration::from_secs(10);

/// The size of pages counts for a new database alone. What is mapped of the database counts as this process' memory, though the system takes it back at will: 64 MiB of it
/// cost a question in a database of 314 MB two hundredths more time than 256 MiB.
const SETTINGS: &str = "
PRAGMA page_size = 8192;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
PRAGMA mmap_size = 67108864;
PRAGMA cache_size = -16384;
PRAGMA synchronous = NORMAL;
PRAGMA journal_size_limit = 4194304;
";

/// The largest log that is left once it has been moved into the database (`journal_size_limit`). Beside a long reader it grows.
pub(super) const LOG: u64 = 4 << 20;

/// Opens the database at `path` and brings it to the newest schema.
///
/// # Errors
/// As `SqliteStore::open`.
pub(super) fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    check_file(path)?;
    let failed = |error| error::of_index(error, path);
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(SETTINGS).map_err(failed)?;
    scoring::register(&connection).map_err(failed)?;
    migrate::migrate(&mut connection, path, schema::MIGRATIONS)?;
    // After the check above, so that another program's database keeps its journal mode.
    write_ahead(&connection).map_err(failed)?;
    Ok(connection)
}

/// Opens the database at `path` to look at it: nothing is changed, not even an older schema.
///
/// # Errors
/// As [`open`], and [`StoreError::Older`].
pub(super) fn open_to_look(path: &Path) -> Result<Connection, StoreError> {
    opened_to_read(path, path)
}

/// As [`open_to_look`], where nothing can be written beside the database either. SQLite then takes it to be a file that nobody
/// changes, so that it needs neither log nor locks.
///
/// # Errors
/// As there; and there is a log, without which the database is not whole.
pub(super) fn open_still(path: &Path) -> Result<Connection, StoreError> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(log).is_ok_and(|log| log.len() > 0) {
        let detail = "its log cannot be read".into();
        return Err(StoreError::Open { path: path.to_owned(), detail });
    }
    let mut address = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => address.push(char::from(*byte)),
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address.push_str("?immutable=1");
    opened_to_read(Path::new(&address), path)
}

fn opened_to_read(address: &Path, path: &Path) -> Result<Connection, StoreError> {
    check_file(path)?;
    let failed = |error| error::of_index(error, path);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let mut connection = Connection::open_with_flags(address, flags).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    scoring::register(&connection).map_err(failed)?;
    let (version, known) = (migrate::version(&mut connection, path, schema::MIGRATIONS)?, schema::MIGRATIONS.len());
    if (version as usize) < known {
        return Err(StoreError::Older { path: path.to_owned(), found: version });
    }
    Ok(connection)
}

/// Refuses a pipe or a device in the place of the database: SQLite would wait for a process that writes to it. The file is not opened,
/// for closing it would give up the locks of other connections of this process.
fn check_file(path: &Path) -> Result<(), StoreError> {
    // SQLite opens the journal of a database too, where there is one.
    let mut journal = path.as_os_str().to_owned();
    journal.push("-journal");
    for path in [path, Path::new(&journal)] {
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            let detail = "it is no regular file".into();
            return Err(StoreError::Open { path: path.to_owned(), detail });
        }
    }
    Ok(())
}

/// Switches the database to a write-ahead log. It needs the file for itself for a moment, and SQLite does not wait for
/// that by the busy timeout: two processes that open a new database would refuse each other.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && started.elapsed() < BUSY => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}
