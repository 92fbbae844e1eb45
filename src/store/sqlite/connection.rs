//! Opens database connections: settings, migrations, write-ahead log.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error;
use super::migrate;
use super::schema;
use super::scoring;
use crate::StoreError;

/// The busy timeout of a statement. Every transaction of tars writes one file or one batch.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The page size only affects a new database. Mapped memory counts as memory of this process, although the system can reclaim it at
/// any time. In a database of 314 MB, a query took two hundredths longer with 64 MiB mapped than with 256 MiB. Deleted rows are
/// overwritten, because they may hold what an author has made private.
const SETTINGS: &str = "
PRAGMA page_size = 8192;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
PRAGMA mmap_size = 67108864;
PRAGMA cache_size = -16384;
PRAGMA synchronous = NORMAL;
PRAGMA secure_delete = ON;
PRAGMA journal_size_limit = 4194304;
";

/// Largest log that remains after a checkpoint (`journal_size_limit`). During a long read it grows beyond that.
pub(super) const MAX_LOG_BYTES: u64 = 4 << 20;

/// Opens the database at `path` and migrates it to the newest schema.
///
/// # Errors
/// As `SqliteStore::open`.
pub(super) fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    check_file(path)?;
    let failed = |error| error::of_index(error, path);
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.execute_batch(SETTINGS).map_err(failed)?;
    scoring::register(&connection).map_err(failed)?;
    migrate::migrate(&mut connection, path, schema::MIGRATIONS)?;
    // After the migration check, so that another program's database keeps its journal mode.
    write_ahead(&connection).map_err(failed)?;
    Ok(connection)
}

/// Opens the database at `path` read-only, without migrating an older schema.
///
/// # Errors
/// As [`open`], and [`StoreError::Older`].
pub(super) fn open_read_only(path: &Path) -> Result<Connection, StoreError> {
    open_address_read_only(path, path)
}

/// Like [`open_read_only`], on a medium where no file can be created beside the database either. SQLite then treats the file as
/// immutable, and needs neither a log nor locks.
///
/// # Errors
/// As for [`open_read_only`], or there is a log, without which the database is incomplete.
pub(super) fn open_immutable(path: &Path) -> Result<Connection, StoreError> {
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
    open_address_read_only(Path::new(&address), path)
}

fn open_address_read_only(address: &Path, path: &Path) -> Result<Connection, StoreError> {
    check_file(path)?;
    let failed = |error| error::of_index(error, path);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let mut connection = Connection::open_with_flags(address, flags).map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    scoring::register(&connection).map_err(failed)?;
    let (version, known) = (migrate::version(&mut connection, path, schema::MIGRATIONS)?, schema::MIGRATIONS.len());
    if (version as usize) < known {
        return Err(StoreError::Older { path: path.to_owned(), found: version });
    }
    Ok(connection)
}

/// Refuses a pipe or device at the path of the database: SQLite would wait for a process that writes to it. The function does not
/// open the file, because closing it would release the locks of this process's other connections.
fn check_file(path: &Path) -> Result<(), StoreError> {
    // SQLite also opens the journal of a database, if there is one.
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

/// Switches the database to a write-ahead log. The switch needs exclusive access for a moment, to which SQLite's busy timeout does
/// not apply: two processes that open a new database at once would get errors.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && started.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}
