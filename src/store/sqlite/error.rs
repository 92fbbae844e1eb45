//! What SQLite's errors mean.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::store::{BackendError, BackendErrorKind, StoreError};

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Backend(BackendError::new(kind(&error), error))
    }
}

/// Says what an error of SQLite means for the index at `path`: that it is damaged, that the disk does not let it be used, or
/// neither.
pub(super) fn of_index(error: rusqlite::Error, path: &Path) -> StoreError {
    StoreError::from(error).at(path)
}

fn kind(error: &rusqlite::Error) -> BackendErrorKind {
    if is_damage(error) {
        return BackendErrorKind::Damage;
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => BackendErrorKind::DiskFull,
        Some(ErrorCode::ReadOnly) => BackendErrorKind::ReadOnly,
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure) => {
            BackendErrorKind::Unavailable
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => BackendErrorKind::Busy,
        _ => BackendErrorKind::Other,
    }
}

/// Whether an error can only come of a damaged database: SQLite says so, or a row or a table is not what tars has written.
/// Every statement is tars' own, so a table that is missing was not left out by mistake.
fn is_damage(error: &rusqlite::Error) -> bool {
    const NOT_OURS: [&str; 4] =
        ["no such table", "no such column", "vtable constructor failed", "invalid fts5 file format"];
    match error {
        rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => true,
            ErrorCode::Unknown => {
                message.as_ref().is_some_and(|text| NOT_OURS.iter().any(|start| text.starts_with(start)))
            }
            _ => false,
        },
        rusqlite::Error::SqlInputError { msg, .. } => NOT_OURS.iter().any(|start| msg.starts_with(start)),
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None)
    }

    #[test]
    fn an_error_says_what_it_means_and_nothing_twice() {
        use rusqlite::ffi;
        let told = |code| match StoreError::from(failure(code)) {
            StoreError::Backend(error) => error.kind,
            other => panic!("{other}"),
        };
        assert_eq!(told(ffi::SQLITE_CORRUPT), BackendErrorKind::Damage);
        assert_eq!(told(ffi::SQLITE_FULL), BackendErrorKind::DiskFull);
        assert_eq!(told(ffi::SQLITE_READONLY), BackendErrorKind::ReadOnly);
        assert_eq!(told(ffi::SQLITE_BUSY), BackendErrorKind::Busy);
        assert_eq!(told(ffi::SQLITE_CANTOPEN), BackendErrorKind::Unavailable);
        assert_eq!(told(ffi::SQLITE_MISUSE), BackendErrorKind::Other);
        let path = Path::new("index.db");
        assert!(of_index(failure(ffi::SQLITE_NOTADB), path).is_damage());
        assert!(matches!(of_index(failure(ffi::SQLITE_IOERR), path), StoreError::Open { .. }));
        let busy = of_index(failure(ffi::SQLITE_BUSY), path);
        let said = failure(ffi::SQLITE_BUSY).to_string();
        assert_eq!(busy.to_string(), format!("index database: {said}"));
        assert_eq!(std::error::Error::source(&busy).map(ToString::to_string), Some(said), "as rusqlite's error was");
    }
}
