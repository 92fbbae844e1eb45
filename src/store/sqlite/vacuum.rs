//! Manages the size of the database on disk, and replaces its whole content.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use super::connection::{BUSY_TIMEOUT, MAX_LOG_BYTES};
use crate::StoreError;

/// Free pages (half a megabyte) that are not worth a vacuum: new notes will use them.
const MIN_FREE_PAGES: i64 = 64;
/// A larger database (256 MiB) is not vacuumed for a fiftieth of its size.
const MAX_PAGES: i64 = 32 * 1024;
/// Largest log, in bytes, that stays beside a closed database.
const MAX_KEPT_LOG_BYTES: u64 = 256 * 1024;

/// Merges the segments of the full text into one. Deleted rows leave their words in the segments until then.
const OPTIMIZE: &str =
    "INSERT INTO chunks_fts(chunks_fts) VALUES('optimize'); INSERT INTO word_ends(word_ends) VALUES('optimize')";

/// See [`Maintenance::purge_deleted`](crate::Maintenance::purge_deleted). A log that somebody reads is emptied later.
pub(super) fn purge_deleted(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(OPTIMIZE)?;
    empty_log(connection)
}

/// See [`Maintenance::keep_log`](crate::Maintenance::keep_log): waiting for the disk takes longer than comparing an unchanged vault. A larger
/// log is checkpointed.
pub(super) fn keep_log(connection: &Connection) -> Result<(), StoreError> {
    let log = connection.path().and_then(|path| std::fs::metadata(format!("{path}-wal")).ok());
    let little = log.is_none_or(|log| log.len() <= MAX_KEPT_LOG_BYTES);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, little)?;
    Ok(())
}

/// See [`Maintenance::truncate_log`](crate::Maintenance::truncate_log). Does not wait for anyone.
pub(super) fn truncate_log(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(log).map_or(0, |log| log.len()) <= MAX_LOG_BYTES {
        return Ok(());
    }
    empty_log(connection)
}

fn empty_log(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(Duration::ZERO)?;
    let done = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    match done {
        Err(error) if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Vacuums the database if more than a third of it is free; returns whether it did. Otherwise free pages wait for reuse. A vacuum
/// rewrites all used pages, and the index cannot be written meanwhile.
///
/// If the whole index was just `made`, table beside table, it is vacuumed too unless it is large: sorted pages take a fiftieth less
/// and keep related data together. The segments of the full text are then merged as well.
///
/// # Errors
/// The disk is full, or another process is writing or still reading.
pub(super) fn vacuum(connection: &Connection, made: bool) -> Result<bool, StoreError> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (free, all) = (number("freelist_count")?, number("page_count")?);
    let much_is_free = free > MIN_FREE_PAGES && free > all / 3;
    let worth_it = much_is_free || made && (MIN_FREE_PAGES..MAX_PAGES).contains(&all);
    if !worth_it {
        return Ok(false);
    }
    if made {
        // One segment of the full text is smaller than several with the same words, and a query reads only that one.
        connection.execute_batch(OPTIMIZE)?;
    }
    // Otherwise the copy would be made in memory, where a small machine has no room for it.
    connection.pragma_update(None, "temp_store", "FILE")?;
    let done = connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    done?;
    tracing::debug!(pages = free, "the index was vacuumed");
    Ok(true)
}

/// Copies all pages of the database `other` over this one, `own`, in one transaction. The connection's cached state of the full
/// text is then outdated, so the connection must not be used again.
///
/// # Errors
/// The other database cannot be read, the disk is full, or another process writes.
pub(super) fn replace_content(connection: &mut Connection, own: &Path, other: &Path) -> Result<(), StoreError> {
    let other =
        Connection::open_with_flags(other, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    other.busy_timeout(BUSY_TIMEOUT)?;
    match Backup::new(&other, connection)?.step(-1)? {
        StepResult::Done => {}
        _ => return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None).into()),
    }
    truncate_log(connection, own)
}
