use std::sync::Barrier;
use std::thread;

use super::*;

#[test]
fn concurrent_writers_wait_for_each_other() {
    let fixture = Fixture::new();
    let path = fixture.path();
    let together = Barrier::new(2);
    thread::scope(|scope| {
        for writer in 0..2 {
            let (path, together) = (&path, &together);
            scope.spawn(move || {
                let mut store = SqliteStore::open(path).unwrap();
                let collection = store.ensure_collection("vault", "/vault").unwrap();
                together.wait();
                for number in 0..25 {
                    let draft = draft(&format!("{writer}/{number}.md"), &["zebra", "writes\nlines"]);
                    draft.store(&mut store, collection, "vault");
                    draft.store(&mut store, collection, "vault");
                    store.set_meta("last", &number.to_string()).unwrap();
                }
            });
        }
    });
    assert_eq!(fixture.find("zebra").len(), 50);
    fixture.check();
}

#[test]
fn many_processes_may_open_a_new_database_at_once() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        let together = Barrier::new(6);
        thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    together.wait();
                    let mut store = SqliteStore::open(&path).unwrap();
                    store.ensure_collection("vault", "/vault").unwrap();
                });
            }
        });
        assert_eq!(SqliteStore::open(&path).unwrap().snapshot().unwrap().collections().unwrap().len(), 1);
    }
}

#[test]
fn readers_do_not_wait_for_a_writer() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("a.md", &["zebra"]));
    let reader = SqliteStore::open_existing(&fixture.path()).unwrap();
    let path = fixture.path();
    let transaction =
        fixture.store.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    transaction.execute("DELETE FROM files", []).unwrap();
    assert_eq!(reader.snapshot().unwrap().statistics().unwrap().files, 1);
    assert_eq!(reader.snapshot().unwrap().lexical(&words("zebra"), None, 9).unwrap().len(), 1);
    let opened = SqliteStore::open_existing(&path).unwrap();
    assert_eq!(opened.snapshot().unwrap().statistics().unwrap().files, 1, "a new reader does not wait either");
    transaction.rollback().unwrap();
}

#[test]
fn only_a_small_log_stays_beside_a_closed_database() {
    let folder = tempfile::tempdir().unwrap();
    let (path, log) = (folder.path().join("index.db"), folder.path().join("index.db-wal"));
    drop(SqliteStore::open(&path).unwrap());
    let mut store = SqliteStore::open(&path).unwrap();
    store.set_meta("key", "value").unwrap();
    store.keep_log().unwrap();
    drop(store);
    assert!(log.exists(), "a small log is kept for the next writer");
    let mut store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.snapshot().unwrap().meta("key").unwrap().as_deref(), Some("value"));
    store.set_meta("key", &"long ".repeat(100_000)).unwrap();
    store.keep_log().unwrap();
    drop(store);
    assert!(!log.exists());
}

#[test]
fn a_log_grown_during_a_long_read_is_truncated() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("a.md", &["zebra"]));
    let log = fixture.folder().join("index.db-wal");
    let length = || std::fs::metadata(&log).unwrap().len();
    let grow = |fixture: &mut Fixture| {
        for number in 0..8 {
            fixture.store.set_meta("large", &number.to_string().repeat(1 << 20)).unwrap();
        }
    };
    let reader = SqliteStore::open(&fixture.path()).unwrap();
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(reader.snapshot().unwrap().statistics().unwrap().files, 1);
    grow(&mut fixture);
    assert!(length() > 8 << 20, "the reader holds it");
    fixture.store.truncate_log().unwrap();
    assert!(length() > 8 << 20, "the log is kept without waiting for the reader");
    drop(snapshot);
    fixture.store.truncate_log().unwrap();
    assert_eq!(length(), 0);
    // Without `truncate_log`, the next writers truncate it.
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(reader.snapshot().unwrap().statistics().unwrap().files, 1);
    grow(&mut fixture);
    drop(snapshot);
    fixture.store.set_meta("large", &"x".repeat(1 << 20)).unwrap();
    fixture.store.set_meta("large", "little").unwrap();
    assert!(length() <= 5 << 20, "{} bytes", length());
}
