//! Identifies a database and migrates it to the newest schema.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};

use super::error;
use super::schema::{Migration, Step};
use crate::StoreError;

/// `TARS` in the header's application id marks a database of tars.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"TARS");

/// Migrates the database to the newest schema. Several processes may call this at once: one does the work.
///
/// # Errors
/// A database of another program or a newer tars, or a damaged one, is refused and left unchanged.
pub(super) fn migrate(connection: &mut Connection, path: &Path, migrations: &[Migration]) -> Result<(), StoreError> {
    let failed = |error| error::of_index(error, path);
    if version(connection, path, migrations)? as usize == migrations.len() {
        return Ok(());
    }
    // With foreign keys on, replacing a table would delete the rows that refer to it. The setting only works outside transactions.
    connection.pragma_update(None, "foreign_keys", false)?;
    let taken = take(connection, migrations);
    connection.pragma_update(None, "foreign_keys", true)?;
    if taken.is_ok() {
        // Former versions stored data derived from the vectors in a file beside the index.
        let _ = std::fs::remove_file(path.with_extension("codes"));
    }
    taken.map_err(|error| match error.sqlite_error_code() {
        // Migration steps never change, so a step that fails means the tables do not match the recorded schema version.
        Some(ErrorCode::Unknown | ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch) => {
            StoreError::Corrupt { path: path.to_owned(), detail: error.to_string() }
        }
        _ => failed(error),
    })
}

/// Returns the schema version of the database; 0 if it is empty.
///
/// # Errors
/// As [`migrate`].
pub(super) fn version(connection: &mut Connection, path: &Path, migrations: &[Migration]) -> Result<u32, StoreError> {
    let failed = |error| error::of_index(error, path);
    let known = u32::try_from(migrations.len()).expect("migrations are few");
    // In one transaction, because another process may be creating this very database.
    let snapshot = connection.transaction().map_err(failed)?;
    let application: i32 = pragma(&snapshot, "application_id").map_err(failed)?;
    let version: i32 = pragma(&snapshot, "user_version").map_err(failed)?;
    let tables: i64 = snapshot.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(failed)?;
    let is_new = application == 0 && version == 0 && tables == 0;
    let is_ours = application == APPLICATION_ID;
    if !is_new && (!is_ours || version < 1) {
        let is_version = u32::try_from(version).is_ok_and(|version| (1..=known).contains(&version));
        if (is_ours || is_version) && has_tables(&snapshot).map_err(failed)? {
            let wrong =
                if is_ours { format!("schema version {version}") } else { format!("application id {application}") };
            let detail = format!("it has the tables of tars, but {wrong}");
            return Err(StoreError::Corrupt { path: path.to_owned(), detail });
        }
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    let version = version.cast_unsigned();
    if version > known {
        return Err(StoreError::Newer { path: path.to_owned(), found: version, known });
    }
    check_length(&snapshot, path)?;
    Ok(version)
}

/// Whether the database has a combination of tables that only tars creates.
fn has_tables(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_master
               WHERE name IN ('collections', 'files', 'chunks', 'chunks_fts', 'passages', 'vectors', 'retired', 'meta')";
    Ok(connection.query_row(sql, [], |row| row.get::<_, i64>(0))? == 8)
}

/// Runs the missing steps, all or none.
fn take(connection: &mut Connection, migrations: &[Migration]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated the database while this one waited for the lock.
    let version: u32 = pragma(&transaction, "user_version")?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    for migration in migrations.iter().skip(version as usize) {
        tracing::info!(step = migration.name, "migrating the index");
        match migration.step {
            Step::Sql(sql) => transaction.execute_batch(sql)?,
            Step::Code(code) => code(&transaction)?,
        }
        if migration.reindex {
            transaction.execute("UPDATE files SET chunker = ''", [])?;
        }
    }
    transaction.pragma_update(None, "user_version", migrations.len() as u32)?;
    transaction.commit()?;
    Ok(())
}

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> rusqlite::Result<T> {
    connection
        .pragma_query_value(None, name, |row| row.get(0))
        .optional()
        .transpose()
        .unwrap_or_else(|| Err(rusqlite::Error::QueryReturnedNoRows))
}

/// Refuses a truncated database: every page must be in the file or in the log beside it. SQLite itself checks this only if there is
/// no log. The connection holds a snapshot, so that no page leaves the log meanwhile.
fn check_length(snapshot: &Connection, path: &Path) -> Result<(), StoreError> {
    if snapshot.path().is_none_or(str::is_empty) {
        return Ok(());
    }
    let number = |name| pragma::<i64>(snapshot, name).map_err(|error| error::of_index(error, path));
    let wanted = number("page_count")?.saturating_mul(number("page_size")?).cast_unsigned();
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let there = length(path) + length(Path::new(&log));
    if there < wanted {
        let detail = format!("only {there} of {wanted} bytes are left");
        return Err(StoreError::Corrupt { path: path.to_owned(), detail });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::schema::MIGRATIONS;
    use super::*;

    fn step(sql: &'static str, reindex: bool) -> Migration {
        Migration { name: "test", step: Step::Sql(sql), reindex }
    }

    fn here() -> &'static Path {
        Path::new("index.db")
    }

    #[test]
    fn a_new_database_is_migrated_once() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, here(), MIGRATIONS).unwrap();
        migrate(&mut connection, here(), MIGRATIONS).unwrap();
        assert_eq!(pragma::<u32>(&connection, "user_version").unwrap(), MIGRATIONS.len() as u32);
    }

    #[test]
    fn an_older_database_runs_the_missing_steps_and_keeps_its_rows() {
        let mut connection = Connection::open_in_memory().unwrap();
        let one = [step("CREATE TABLE files(chunker TEXT); INSERT INTO files VALUES('old')", false)];
        migrate(&mut connection, here(), &one).unwrap();
        let two = [step("SELECT nothing", false), step("ALTER TABLE files ADD COLUMN extra TEXT", true)];
        migrate(&mut connection, here(), &two).unwrap();
        let row: (String, Option<String>) =
            connection.query_row("SELECT chunker, extra FROM files", [], |r| Ok((r.get(0)?, r.get(1)?))).unwrap();
        assert_eq!(row, (String::new(), None), "the step marks the files to be indexed again");
    }

    #[test]
    fn a_failing_step_leaves_the_database_unchanged() {
        let mut connection = Connection::open_in_memory().unwrap();
        let steps = [step("CREATE TABLE files(chunker TEXT)", false), step("CREATE nonsense", false)];
        assert!(migrate(&mut connection, here(), &steps).is_err());
        assert_eq!(pragma::<u32>(&connection, "user_version").unwrap(), 0);
        migrate(&mut connection, here(), MIGRATIONS).unwrap();
    }

    #[test]
    fn foreign_and_newer_databases_are_refused() {
        let mut foreign = Connection::open_in_memory().unwrap();
        foreign.execute_batch("CREATE TABLE recipes(name TEXT)").unwrap();
        for (application, version) in [(0, 0), (0, 1), (APPLICATION_ID, 0), (7, 7)] {
            foreign.pragma_update(None, "application_id", application).unwrap();
            foreign.pragma_update(None, "user_version", version).unwrap();
            assert!(matches!(migrate(&mut foreign, here(), MIGRATIONS), Err(StoreError::Foreign { .. })));
        }
        let mut unborn = Connection::open_in_memory().unwrap();
        migrate(&mut unborn, here(), MIGRATIONS).unwrap();
        for version in [0, -1, i32::MIN] {
            unborn.pragma_update(None, "user_version", version).unwrap();
            assert!(matches!(migrate(&mut unborn, here(), MIGRATIONS), Err(StoreError::Corrupt { .. })), "{version}");
        }
        unborn.pragma_update(None, "application_id", 0).unwrap();
        assert!(matches!(migrate(&mut unborn, here(), MIGRATIONS), Err(StoreError::Foreign { .. })), "both are wrong");
        unborn.pragma_update(None, "user_version", 1).unwrap();
        assert!(matches!(migrate(&mut unborn, here(), MIGRATIONS), Err(StoreError::Corrupt { .. })));
        let mut newer = Connection::open_in_memory().unwrap();
        migrate(&mut newer, here(), MIGRATIONS).unwrap();
        newer.pragma_update(None, "user_version", 999).unwrap();
        assert!(matches!(migrate(&mut newer, here(), MIGRATIONS), Err(StoreError::Newer { found: 999, .. })));
    }
}
