//! Conversions of column values.

use rusqlite::Row;
use rusqlite::types::{Type, ValueRef};

use super::text;
use tars_base::domain::TextHash;

/// Reads a text hash.
pub(super) fn text_hash(row: &Row<'_>, column: usize) -> rusqlite::Result<TextHash> {
    row.get(column).map(TextHash::from_number)
}

/// Reads the text of a chunk, plain or compressed.
pub(super) fn content(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    match row.get_ref(column)? {
        ValueRef::Blob(packed) => {
            text::decompress(packed).ok_or_else(|| damaged_blob(column, "a text that cannot be unpacked"))
        }
        other => Ok(other.as_str()?.to_owned()),
    }
}

/// Returns the error for a damaged value.
pub(super) fn damaged_blob(column: usize, what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, what.into())
}
