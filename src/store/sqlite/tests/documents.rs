use super::*;
use crate::domain::{Link, LinkKind, Property};

#[test]
fn a_replaced_file_is_what_its_new_state_says() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("a.md", &["apple", "banana", "cherry"]));
    let before = fixture.file("a.md");
    fixture.put(&Draft { mtime_ns: MTIME + 5, ..draft("a.md", &["banana", "dates"]) });
    let after = fixture.file("a.md");
    assert_eq!(after.id, before.id, "a file keeps its row");
    assert_ne!(after.content_hash, before.content_hash);
    assert_eq!((after.mtime_ns, after.inode, after.chunker.as_str()), (MTIME + 5, 7, "chunker"));
    let contents: Vec<String> = fixture.chunks_of("a.md").into_iter().map(|chunk| chunk.content).collect();
    assert_eq!(contents, ["banana", "dates"]);
    assert!(fixture.find("apple").is_empty());
    assert_eq!(fixture.find("banana"), [place("a.md", 0)]);
    fixture.check();
}

#[test]
fn a_removed_file_takes_everything_with_it() {
    let mut fixture = Fixture::new();
    let mut tagged = draft("a.md", &["apple", "banana"]);
    tagged.tags = vec!["fruit".into()];
    tagged.dates = vec![jiff::civil::date(2024, 5, 6)];
    fixture.put(&tagged);
    fixture.put(&draft("b.md", &["apple"]));
    fixture.embed();
    fixture.store.remove_files(&[fixture.file("a.md").id, FileId(999)]).unwrap();
    assert_eq!(fixture.find("apple"), [place("b.md", 0)]);
    assert!(fixture.reader().file(FileId(999)).unwrap().is_none());
    for table in ["tags", "dates", "links", "properties"] {
        assert_eq!(fixture.count(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    fixture.check();
    let statistics = fixture.reader().statistics().unwrap();
    assert_eq!((statistics.files, statistics.chunks, statistics.passages, statistics.embedded), (1, 1, 1, 1));
}

#[test]
fn a_touched_file_keeps_its_content() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("a.md", &["apple"]));
    let before = fixture.file("a.md");
    fixture
        .store
        .touch_file(before.id, Stamp { mtime_ns: -3, size: u64::MAX, inode: u64::MAX - 1, ctime_ns: 9 })
        .unwrap();
    let after = fixture.file("a.md");
    assert_eq!((after.mtime_ns, after.size, after.inode), (-3, u64::MAX, u64::MAX - 1));
    assert_eq!((after.id, after.content_hash, after.chunker), (before.id, before.content_hash, before.chunker));
    assert_eq!(fixture.find("apple"), [place("a.md", 0)]);
}

#[test]
fn a_moved_file_keeps_its_row_and_leaves_no_trace_under_its_old_path() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("old.md", &["apple"]));
    let id = fixture.file("old.md").id;
    fixture.put(&Draft { moved_from: Some(id), ..draft("new.md", &["apple"]) });
    assert_eq!(fixture.file("new.md").id, id);
    assert_eq!(fixture.reader().files(fixture.collection).unwrap().len(), 1);
    // Onto a path that is known already: that row stays, the other goes.
    fixture.put(&draft("third.md", &["cherry"]));
    let third = fixture.file("third.md").id;
    fixture.put(&Draft { moved_from: Some(id), ..draft("third.md", &["apple"]) });
    assert_eq!(fixture.file("third.md").id, third);
    assert_eq!(fixture.find("apple"), [place("third.md", 0)]);
    assert_eq!(fixture.reader().files(fixture.collection).unwrap().len(), 1);
    fixture.check();
}

#[test]
fn what_is_done_together_is_done_whole_or_not_at_all() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("a.md", &["apple"]));
    let (collection, first) = (fixture.collection, fixture.file("a.md").id);
    let failed = fixture.store.together(&mut |store| {
        store.remove_files(&[first])?;
        store.touch_file(FileId(0), Stamp::default())?;
        store.leave_out(
            CollectionId(99),
            &LeftOut {
                path: "b.md".into(),
                mtime_ns: 0,
                size: 0,
                inode: 0,
                ctime_ns: 9,
                rule: "private".into(),
                noticed_at_ns: 0,
            },
        )
    });
    assert!(failed.is_err(), "there is no such collection");
    assert_eq!(fixture.find("apple"), [place("a.md", 0)]);
    let reader = SqliteStore::open_existing(&fixture.path()).unwrap();
    fixture
        .store
        .together(&mut |store| {
            store.remove_files(&[first])?;
            assert_eq!(reader.snapshot().unwrap().files(collection).unwrap().len(), 1, "others see nothing of it yet");
            Ok(())
        })
        .unwrap();
    assert!(reader.snapshot().unwrap().files(collection).unwrap().is_empty());
    fixture.check();
}

#[test]
fn links_tags_and_properties_follow_the_note() {
    let mut fixture = Fixture::new();
    let tags = ["area/topic".to_owned(), "area/topic".to_owned()];
    let links = [Link { target: "Other".into(), kind: LinkKind::Embed, line: 3 }];
    let properties = [Property { name: "status".into(), value: "done".into() }];
    let mut put = |tags: &[String], links: &[Link], properties: &[Property]| {
        let file = NewFile {
            collection: fixture.collection,
            collection_name: "vault",
            path: "a.md",
            title: "",
            memory_type: MemoryType::Daily,
            content_hash: ContentHash::of(b""),
            mtime_ns: 0,
            size: 0,
            inode: 0,
            ctime_ns: 0,
            chunker: "",
            tags,
            aliases: &["One".to_owned(), "Two".to_owned()],
            properties,
            links,
            dates: &[],
            day: None,
            moved_from: None,
            embed_again: false,
        };
        fixture.store.replace_file(&file, &[], None).unwrap();
    };
    put(&tags, &links, &properties);
    put(&tags, &links, &properties);
    assert_eq!(fixture.count("SELECT count(*) FROM tags"), 1);
    assert_eq!(fixture.count("SELECT count(*) FROM links WHERE target = 'Other' AND kind = 'embed' AND line = 3"), 1);
    assert_eq!(fixture.count("SELECT count(*) FROM properties WHERE name = 'status' AND value = 'done'"), 1);
    assert_eq!(fixture.count("SELECT count(*) FROM files WHERE aliases = 'One' || char(10) || 'Two'"), 1);
}

#[test]
fn collections_are_told_apart_and_go_with_their_files() {
    let mut fixture = Fixture::new();
    let work = fixture.store.ensure_collection("work", "/work").unwrap();
    assert_eq!(fixture.store.ensure_collection("work", "/elsewhere").unwrap(), work);
    let names: Vec<(String, String)> =
        fixture.reader().collections().unwrap().into_iter().map(|one| (one.name, one.root)).collect();
    assert_eq!(names, [("vault".into(), "/vault".into()), ("work".to_owned(), "/elsewhere".to_owned())]);
    fixture.put(&draft("a.md", &["apple"]));
    fixture.put_in(work, "work", &draft("a.md", &["apple"]));
    fixture.embed();
    assert_eq!(fixture.reader().statistics().unwrap().files, 2);
    fixture.store.remove_collection(work).unwrap();
    assert_eq!(fixture.find("apple"), [place("a.md", 0)]);
    assert_eq!(fixture.reader().collections().unwrap().len(), 1);
    fixture.check();
}

#[test]
fn files_are_listed_by_path() {
    let mut fixture = Fixture::new();
    for path in ["b.md", "a/z.md", "a.md"] {
        fixture.put(&draft(path, &[]));
    }
    let files = fixture.reader().files(fixture.collection).unwrap();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a.md", "a/z.md", "b.md"]);
    assert_eq!(fixture.reader().file(files[0].id).unwrap().as_ref(), Some(&files[0]));
}

#[test]
fn what_is_kept_beside_the_index_outlives_the_connection() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.reader().meta("key").unwrap(), None);
    fixture.store.set_meta("key", "one").unwrap();
    fixture.store.set_meta("key", "two").unwrap();
    fixture.put(&draft("a.md", &["apple"]));
    let path = fixture.path();
    fixture.store = SqliteStore::open_existing(&path).unwrap();
    assert_eq!(fixture.reader().meta("key").unwrap().as_deref(), Some("two"));
    assert_eq!(fixture.find("apple"), [place("a.md", 0)]);
}

#[test]
fn another_analysis_asks_for_every_file() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("a.md", &["apple"]));
    fixture.store.set_meta("analysis", "0").unwrap();
    let path = fixture.path();
    fixture.store = SqliteStore::open(&path).unwrap();
    assert_eq!(fixture.file("a.md").chunker, "");
    assert_eq!(fixture.reader().meta("analysis").unwrap(), Some(analysis::VERSION.to_string()));
}

#[test]
fn what_is_no_index_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    assert!(matches!(SqliteStore::open_existing(&path), Err(StoreError::Missing { .. })));
    assert!(!path.exists());
    std::fs::write(&path, "just some text, longer than the header of a database would be ".repeat(40)).unwrap();
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(SqliteStore::open(&path), Err(StoreError::Corrupt { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(matches!(SqliteStore::open(&folder.path().join("none/index.db")), Err(StoreError::Open { .. })));
}

#[test]
fn a_database_of_which_most_is_free_becomes_smaller() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("kept.md", &["apple"]));
    fixture.put(&draft("large.md", &["a line of text\n".repeat(400_000).as_str()]));
    fixture.embed();
    assert!(!fixture.store.reclaim(false).unwrap(), "nothing is free");
    assert!(fixture.store.reclaim(true).unwrap(), "all of it was just made");
    fixture.check();
    let pages = fixture.count("SELECT page_count FROM pragma_page_count");
    fixture.store.remove_files(&[fixture.file("large.md").id]).unwrap();
    assert_eq!(fixture.count("SELECT page_count FROM pragma_page_count"), pages);
    assert!(fixture.store.reclaim(false).unwrap());
    assert!(fixture.count("SELECT page_count FROM pragma_page_count") < pages / 3);
    assert!(!fixture.store.reclaim(false).unwrap(), "a second time there is nothing to do");
    assert_eq!(fixture.find("apple"), [place("kept.md", 0)]);
    assert_eq!(fixture.reader().nearest(&vector("Note\napple"), &model(), None, 1).unwrap().len(), 1);
    fixture.check();
}
