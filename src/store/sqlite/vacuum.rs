//! The database's size on disk, and another database in the place of all that it holds.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use super::connection::{BUSY, LOG};
use crate::store::StoreError;

/// So many pages (half a megabyte) are left alone: notes that come will use them.
const SPARE: i64 = 64;
/// A database with more pages than these (256 MiB) is not written anew for a fiftieth of its size.
const LARGE: i64 = 32 * 1024;
/// The largest log, in bytes, that is left beside a closed database.
const LITTLE_LOG: u64 = 256 * 1024;

/// Leaves what little was written in the log when the store is closed, where the next writer finds it. To move it into the
/// database the disk must be waited for, which takes longer than comparing a vault in which nothing has changed. A log that
/// has grown is no such little thing, and is not left.
///
/// # Errors
/// SQLite does not know that setting.
pub(super) fn leave_log(connection: &Connection) -> Result<(), StoreError> {
    let log = connection.path().and_then(|path| std::fs::metadata(format!("{path}-wal")).ok());
    let little = log.is_none_or(|log| log.len() <= LITTLE_LOG);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, little)?;
    Ok(())
}

/// Moves a log that has grown beside a long reader into the database, and gives its room back, unless somebody still reads what
/// stands in it. Nobody is waited for.
///
/// # Errors
/// The disk is full or cannot be written.
pub(super) fn shorten_log(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(log).map_or(0, |log| log.len()) <= LOG {
        return Ok(());
    }
    connection.busy_timeout(Duration::ZERO)?;
    let done = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    connection.busy_timeout(BUSY)?;
    match done {
        Err(error) if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Gives the disk back what is free in the file, if that is more than a third of it; returns whether it was. Otherwise free
/// pages wait to be used again. All that is not free is written anew, and for that time the index cannot be written.
///
/// Where all of the index was just `made`, table beside table, that is done as well unless it is large: in order they take a
/// fiftieth less, and what is read together stands together; and the parts of the full text are joined.
///
/// # Errors
/// The disk is full, or another process writes or has not finished reading.
pub(super) fn reclaim(connection: &Connection, made: bool) -> Result<bool, StoreError> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (free, all) = (number("freelist_count")?, number("page_count")?);
    let much_is_free = free > SPARE && free > all / 3;
    let worth_it = much_is_free || made && (SPARE..LARGE).contains(&all);
    if !worth_it {
        return Ok(false);
    }
    if made {
        // One part of the full text takes less than several that hold the same words, and a question looks into one alone.
        connection.execute_batch(
            "INSERT INTO chunks_fts(chunks_fts) VALUES('optimize'); INSERT INTO word_ends(word_ends) VALUES('optimize')",
        )?;
    }
    // The copy would be made in memory, where a small machine has no room for it.
    connection.pragma_update(None, "temp_store", "FILE")?;
    let done = connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    done?;
    tracing::debug!(pages = free, "the index is written in order");
    Ok(true)
}

/// Writes all pages of the database `other` over those of this one, `own`, in one transaction. What the connection knows of the full text
/// is out of date afterwards, so that it must not be used again.
///
/// # Errors
/// The other one cannot be read, the disk is full, or another process writes.
pub(super) fn take_over(connection: &mut Connection, own: &Path, other: &Path) -> Result<(), StoreError> {
    let other =
        Connection::open_with_flags(other, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    other.busy_timeout(BUSY)?;
    match Backup::new(&other, connection)?.step(-1)? {
        StepResult::Done => {}
        _ => return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None).into()),
    }
    shorten_log(connection, own)
}
