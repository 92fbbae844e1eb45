//! Imports an index from another machine: checks it, and replaces the local one with it.
//!
//! The file may come from anywhere. First only its list of tables is read and compared with the schema of tars, so that no foreign
//! trigger or view runs. Then the whole index is examined, and paths that lead out of their folder are refused.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};

use super::damage::{PARTS, with_suffix};
use super::{SqliteStore, error, schema};
use crate::StoreError;

/// Returns the schema version of this tars.
pub(super) fn version() -> u32 {
    schema::MIGRATIONS.len() as u32
}

/// See [`Engine::check_import`](crate::Engine::check_import). Resets when the files were read, so the next run reads each file and compares
/// its hash once.
pub(super) fn check_import(path: &Path, roots: &[(String, String)]) -> Result<(), StoreError> {
    let refused = |detail: String| StoreError::Corrupt { path: path.to_owned(), detail };
    let failed = |error| error::of_index(error, path);
    let unverified = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
    unverified.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;").map_err(failed)?;
    let expected = tables(&SqliteStore::in_memory()?.connection)?;
    let found = tables(&unverified).map_err(|error| error.at(path))?;
    if let Some((name, _)) = found.iter().find(|table| !expected.contains(table)) {
        return Err(refused(format!("its '{name}' does not match the schema of tars")));
    }
    if found.len() != expected.len() {
        return Err(refused("tables are missing".into()));
    }
    drop(unverified);
    if let Some(flaw) = SqliteStore::examine(path)?.into_iter().next() {
        return Err(refused(flaw.detail));
    }
    let mut store = SqliteStore::open_existing(path)?;
    let adapted = (|| -> Result<Option<String>, StoreError> {
        let change = store.connection.transaction()?;
        for sql in ["SELECT path FROM files", "SELECT path FROM left_out"] {
            let mut statement = change.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let path: String = row.get(0)?;
                if !is_inside(&path) {
                    return Ok(Some(format!("the path '{}' leads out of its folder", path.escape_debug())));
                }
            }
        }
        for (name, root) in roots {
            change.execute("UPDATE collections SET root = ?2 WHERE name = ?1", (name, root))?;
        }
        change.execute_batch("UPDATE files SET indexed_at_ns = 0; UPDATE left_out SET noticed_at_ns = 0;")?;
        change.commit()?;
        Ok(None)
    })();
    match adapted.map_err(|error| error.at(path))? {
        Some(wrong) => Err(refused(wrong)),
        // Closing moves the log into the database.
        None => store.connection.close().map_err(|(_, error)| failed(error)),
    }
}

/// See [`Engine::replace`](crate::Engine::replace). The index at `from` is closed.
pub(super) fn replace(path: &Path, from: &Path, now: Timestamp) -> Result<Option<PathBuf>, StoreError> {
    let failed = |error: std::io::Error| StoreError::Open { path: path.to_owned(), detail: error.to_string() };
    if !path.exists() {
        // Remove a log without its database.
        remove(path, &PARTS[..2]).map_err(failed)?;
        fs::rename(from, path).map_err(failed)?;
        return Ok(None);
    }
    let is_ours = SqliteStore::open_existing(path).is_ok();
    let aside = SqliteStore::set_aside(path, now)?;
    if let Err(error) = fs::rename(from, path) {
        for part in PARTS {
            let _ = fs::rename(with_suffix(&aside, part), with_suffix(path, part));
        }
        return Err(failed(error));
    }
    if !is_ours {
        return Ok(Some(aside));
    }
    remove(&aside, &PARTS).map_err(failed)?;
    Ok(None)
}

fn remove(path: &Path, parts: &[&str]) -> std::io::Result<()> {
    for part in parts {
        match fs::remove_file(with_suffix(path, part)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Returns tables, indexes, triggers and views by name, each with its SQL statement. SQLite's internal objects have none.
fn tables(connection: &Connection) -> Result<Vec<(String, String)>, StoreError> {
    let sql = "SELECT name, type || ' ' || tbl_name || ' ' || sql FROM sqlite_master
               WHERE sql IS NOT NULL AND NOT (type IN ('table', 'index') AND name GLOB 'sqlite_stat[14]') ORDER BY 1, 2";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whether a note's path stays below its root.
fn is_inside(path: &str) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    !path.is_empty() && !path.contains('\0') && Path::new(path).components().all(plain)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::conformance::fixture::draft;

    /// Returns the path of a copied index with one note, after running `sql` on it.
    fn copy(folder: &Path, sql: &str) -> PathBuf {
        let mut fixture = fixture();
        fixture.put(&draft("a.md", &["walrus"]));
        let path = folder.join("copy.db");
        let _ = fs::remove_file(&path);
        fixture.store.copy_to(&path).unwrap();
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(sql).unwrap();
        connection.close().unwrap();
        path
    }

    #[test]
    fn an_imported_index_gets_local_roots() {
        let folder = tempfile::tempdir().unwrap();
        let path = copy(folder.path(), "");
        let roots = [("vault".to_owned(), "/here".to_owned())];
        check_import(&path, &roots).unwrap();
        assert!(!with_suffix(&path, "-wal").exists(), "the log was merged into it");
        let connection = Connection::open(&path).unwrap();
        let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
        assert_eq!(one("SELECT root FROM collections WHERE name = 'vault'"), "/here");
        assert_eq!(one("SELECT CAST(sum(indexed_at_ns) AS TEXT) FROM files"), "0");
    }

    #[test]
    fn content_that_tars_would_not_have_written_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (sql, said) in [
            ("CREATE TRIGGER evil AFTER UPDATE ON files BEGIN DELETE FROM files; END", "'evil'"),
            ("CREATE VIEW more AS SELECT 1", "'more'"),
            ("DROP INDEX passages_again", "missing"),
            ("DROP TABLE meta; CREATE TABLE meta(key TEXT, value TEXT)", "'meta'"),
            ("INSERT INTO left_out VALUES(1, '../../etc/passwd', 1, 1, 1, 'x', 1, 1)", "leads out"),
            ("INSERT INTO left_out VALUES(1, '/etc/passwd', 1, 1, 1, 'x', 1, 1)", "leads out"),
            ("UPDATE chunks SET heading = 'another'", "does not match its id"),
            ("PRAGMA user_version = 99", "newer"),
        ] {
            let path = copy(folder.path(), sql);
            let error = check_import(&path, &[]).unwrap_err().to_string();
            assert!(error.contains(said), "{sql}: {error}");
        }
    }

    #[test]
    fn replacing_an_index_leaves_no_files_of_the_former_one() {
        let folder = tempfile::tempdir().unwrap();
        let now = Timestamp::UNIX_EPOCH;
        let (old, place) = (copy(folder.path(), ""), folder.path().join("index.db"));
        assert_eq!(replace(&place, &old, now).unwrap(), None);
        let new = copy(folder.path(), "UPDATE files SET indexed_at_ns = 7");
        assert_eq!(replace(&place, &new, now).unwrap(), None);
        assert_eq!(SqliteStore::set_aside_indexes(&place).unwrap(), Vec::<PathBuf>::new());
        fs::write(&place, "somebody else's").unwrap();
        let aside = replace(&place, &copy(folder.path(), ""), now).unwrap().unwrap();
        assert_eq!(fs::read(aside).unwrap(), b"somebody else's");
        SqliteStore::open_existing(&place).unwrap();
    }
}
