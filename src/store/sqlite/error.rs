//! Classifies SQLite's errors.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::{BackendError, BackendErrorKind, StoreError};

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Backend(BackendError::new(kind(&error), error))
    }
}

/// Classifies an error of SQLite for the index at `path`: damage, an unusable disk, or neither.
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

/// Whether the error can only come from a damaged database: SQLite reports damage, or a row or table is not as tars writes it. All
/// statements belong to tars, so a missing table indicates damage.
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
    fn errors_are_classified_and_print_their_message_once() {
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
        assert_eq!(std::error::Error::source(&busy).map(ToString::to_string), Some(said), "like rusqlite's error");
    }
}
