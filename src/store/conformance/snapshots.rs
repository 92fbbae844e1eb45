use super::*;
use tars_base::disk::FileStat;

/// A reader's view of the index: files, lexical matches, vector matches and a metadata value.
fn seen(reader: &dyn Reader) -> (usize, usize, usize, Option<String>) {
    let words = reader.lexical(&words("apple banana"), None, 10).unwrap().len();
    let near = reader.nearest(&vector("Note\napple"), &model(), None, 10).unwrap().len();
    (reader.statistics().unwrap().files, words, near, reader.meta("key").unwrap())
}

pub(super) fn a_snapshot_sees_no_later_writes(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple"]));
    fixture.embed();
    let other = fixture.home.open();
    let before = other.snapshot().unwrap();
    assert_eq!(seen(&*before), (1, 1, 1, None));
    fixture.put(&draft("b.md", &["banana"]));
    fixture.embed();
    fixture.store.set_meta("key", "value").unwrap();
    fixture.store.remove_files(&[fixture.file("a.md").id]).unwrap();
    fixture.put(&draft("c.md", &["apple and banana"]));
    assert_eq!(seen(&*before), (1, 1, 1, None));
    let beside = other.snapshot().unwrap();
    assert_eq!(seen(&*beside), (1, 1, 1, None), "snapshots held at the same time see the same state");
    drop(before);
    assert_eq!(seen(&*beside), (1, 1, 1, None), "until the last of them is dropped");
    drop(beside);
    assert_eq!(seen(&*other.snapshot().unwrap()), (2, 2, 1, Some("value".into())));
    assert_eq!(seen(&*fixture.home.open().snapshot().unwrap()), (2, 2, 1, Some("value".into())));
}

pub(super) fn every_write_changes_the_data_version(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple"]));
    let other = fixture.home.open();
    let version = |store: &dyn Store| store.snapshot().unwrap().data_version().unwrap();
    let before = other.snapshot().unwrap();
    let of_before = before.data_version().unwrap();
    fixture.store.set_meta("key", "value").unwrap();
    assert_eq!(before.data_version().unwrap(), of_before, "a snapshot sees nothing of it");
    drop(before);
    let after = version(&*other);
    assert_ne!(after, of_before);
    assert_eq!(version(&*other), after);
    let own = version(&*fixture.store);
    fixture.store.set_meta("key", "other").unwrap();
    assert_ne!(version(&*fixture.store), own, "a store's own writes count too");
}

pub(super) fn writes_are_visible_to_all_connections_at_once(new: New) {
    let mut fixture = new();
    let other = fixture.home.open();
    fixture.put(&draft("a.md", &["apple"]));
    assert_eq!(seen(&*other.snapshot().unwrap()), (1, 1, 0, None));
    fixture.store.set_meta("key", "first").unwrap();
    fixture.store.set_meta("key", "second").unwrap();
    assert_eq!(other.snapshot().unwrap().meta("key").unwrap().as_deref(), Some("second"));
}

pub(super) fn a_failed_transaction_changes_nothing(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple"]));
    fixture.embed();
    let (file, collection) = (fixture.file("a.md").id, fixture.collection);
    let failed = fixture.store.transaction(&mut |store| {
        store.set_meta("key", "value")?;
        store.ensure_collection("other", "/other")?;
        draft("b.md", &["banana"]).store(store, collection, "vault");
        store.remove_files(&[file])?;
        store.adopt_model(&ModelId::new("model:2"))?;
        Err(StoreError::OtherModel { model: "none".into() })
    });
    assert!(matches!(failed, Err(StoreError::OtherModel { .. })));
    let reader = fixture.reader();
    assert_eq!(seen(&*reader), (1, 1, 1, None));
    assert_eq!(reader.collections().unwrap().len(), 1);
    assert_eq!(reader.meta("model").unwrap().as_deref(), Some(model().as_str()));
    fixture.check();
}

pub(super) fn a_transaction_sees_its_own_writes(new: New) {
    let mut fixture = new();
    let collection = fixture.collection;
    fixture
        .store
        .transaction(&mut |store| {
            store.adopt_model(&model())?;
            draft("a.md", &["apple"]).store(store, collection, "vault");
            draft("a.md", &["banana", "apple"]).store(store, collection, "vault");
            let other = store.ensure_collection("other", "/other")?;
            draft("b.md", &["apple"]).store(store, other, "other");
            store.remove_collection(other)
        })
        .unwrap();
    assert_eq!(fixture.find("apple"), [place("a.md", 1)]);
    assert_eq!(fixture.reader().statistics().unwrap().pending, 2);
    fixture.check();
}

pub(super) fn excluded_files_are_remembered_until_they_are_stored(new: New) {
    let mut fixture = new();
    let out = |path: &str| ExcludedFile {
        path: path.into(),
        stat: FileStat { mtime_ns: -7, size: u64::MAX, inode: 3, ctime_ns: 4 },
        rule: "private".into(),
        noticed_at_ns: 0,
    };
    for path in ["a.md", "b.md"] {
        fixture.store.exclude_file(fixture.collection, &out(path)).unwrap();
    }
    fixture.store.exclude_file(fixture.collection, &ExcludedFile { rule: "too large".into(), ..out("b.md") }).unwrap();
    let known = || fixture.reader().excluded_files(fixture.collection).unwrap();
    let mut found: Vec<ExcludedFile> = known();
    found.sort_by(|left, right| left.path.cmp(&right.path));
    assert!(found.iter().all(|one| one.noticed_at_ns > 0), "the store records the time");
    let mut first = found[0].clone();
    first.noticed_at_ns = 0;
    assert_eq!(first, out("a.md"));
    assert_eq!((found.len(), found[1].rule.as_str()), (2, "too large"));
    fixture.put(&draft("b.md", &["apple"]));
    assert_eq!(fixture.reader().excluded_files(fixture.collection).unwrap().len(), 1);
    let other = fixture.store.ensure_collection("other", "/other").unwrap();
    assert!(fixture.reader().excluded_files(other).unwrap().is_empty());
}

pub(super) fn maintenance_changes_no_answer(new: New) {
    let mut fixture = new();
    for number in 0..20 {
        fixture.put(&draft(&format!("{number}.md"), &[&format!("apple number{number}"), "banana"]));
    }
    fixture.embed();
    let answers = |fixture: &Fixture| {
        let reader = fixture.reader();
        let near = reader.nearest(&vector("Note\napple"), &model(), None, 40).unwrap();
        (reader.lexical(&words("apple number7 banana"), None, 40).unwrap(), near, reader.statistics().unwrap())
    };
    let before = answers(&fixture);
    fixture.store.merge_full_text(Duration::from_secs(5)).unwrap();
    fixture.store.truncate_log().unwrap();
    fixture.store.vacuum(true).unwrap();
    fixture.store.keep_log().unwrap();
    assert!(fixture.store.is_intact().unwrap());
    assert_eq!(answers(&fixture), before);
    fixture.check();
}
