//! The database's size on disk.

use rusqlite::Connection;

use crate::store::StoreError;

/// So many pages are left alone: notes that come will use them.
const SPARE: i64 = 256;

/// Gives the disk back what is free in the file, if that is more than a third of it; returns whether it was. Otherwise free
/// pages wait to be used again. All that is not free is written anew, and for that time the index cannot be written.
///
/// # Errors
/// The disk is full, or another process writes or has not finished reading.
pub(super) fn reclaim(connection: &Connection) -> Result<bool, StoreError> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (free, all) = (number("freelist_count")?, number("page_count")?);
    if free <= SPARE || free <= all / 3 {
        return Ok(false);
    }
    // The copy would be made in memory, where a small machine has no room for it.
    connection.pragma_update(None, "temp_store", "FILE")?;
    let done = connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    done?;
    tracing::info!(pages = free, "the index takes less room on disk");
    Ok(true)
}
