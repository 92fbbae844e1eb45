use super::*;
use tars_base::disk::FileStat;
use tars_base::domain::{Link, LinkKind};

pub(super) fn a_replaced_file_has_its_new_state(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple", "banana", "cherry"]));
    let before = fixture.file("a.md");
    fixture.put(&Draft { mtime_ns: MTIME + 5, ..draft("a.md", &["banana", "dates"]) });
    let after = fixture.file("a.md");
    assert_eq!(after.id, before.id, "a file keeps its row");
    assert_ne!(after.content_hash, before.content_hash);
    assert_eq!((after.stat.mtime_ns, after.stat.inode, after.chunker.as_str()), (MTIME + 5, 7, "chunker"));
    let contents: Vec<String> = fixture.chunks_of("a.md").into_iter().map(|chunk| chunk.content).collect();
    assert_eq!(contents, ["banana", "dates"]);
    assert!(fixture.find("apple").is_empty());
    assert_eq!(fixture.find("banana"), [place("a.md", 0)]);
    fixture.check();
}

pub(super) fn removing_a_file_removes_all_its_data(new: New) {
    let mut fixture = new();
    let mut tagged = draft("a.md", &["apple", "banana"]);
    tagged.tags = vec!["fruit".into()];
    tagged.dates = vec![jiff::civil::date(2024, 5, 6)];
    fixture.put(&tagged);
    fixture.put(&draft("b.md", &["apple"]));
    fixture.embed();
    fixture.store.remove_files(&[fixture.file("a.md").id, FileId(999)]).unwrap();
    assert_eq!(fixture.find("apple"), [place("b.md", 0)]);
    assert!(fixture.reader().file(FileId(999)).unwrap().is_none());
    assert!(
        fixture
            .reader()
            .scope(&Filter { tags: vec!["fruit".into()], ..Filter::default() })
            .unwrap()
            .unwrap()
            .files
            .is_empty()
    );
    fixture.check();
    let statistics = fixture.reader().statistics().unwrap();
    assert_eq!((statistics.files, statistics.chunks, statistics.passages, statistics.embedded), (1, 1, 1, 1));
}

pub(super) fn a_touched_file_keeps_its_content(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple"]));
    let before = fixture.file("a.md");
    let stat = FileStat { mtime_ns: -3, size: u64::MAX, inode: u64::MAX - 1, ctime_ns: 9 };
    fixture.store.touch_file(before.id, stat).unwrap();
    let after = fixture.file("a.md");
    assert_eq!(after.stat, stat);
    assert_eq!((after.id, after.content_hash, after.chunker), (before.id, before.content_hash, before.chunker));
    assert_eq!(fixture.find("apple"), [place("a.md", 0)]);
}

pub(super) fn a_moved_file_keeps_its_row_and_vacates_its_old_path(new: New) {
    let mut fixture = new();
    fixture.put(&draft("old.md", &["apple"]));
    let id = fixture.file("old.md").id;
    fixture.put(&Draft { moved_from: Some(id), ..draft("new.md", &["apple"]) });
    assert_eq!(fixture.file("new.md").id, id);
    assert_eq!(fixture.reader().files(fixture.collection).unwrap().len(), 1);
    // When moved onto a known path, that path's row stays and the other is removed.
    fixture.put(&draft("third.md", &["cherry"]));
    let third = fixture.file("third.md").id;
    fixture.put(&Draft { moved_from: Some(id), ..draft("third.md", &["apple"]) });
    assert_eq!(fixture.file("third.md").id, third);
    assert_eq!(fixture.find("apple"), [place("third.md", 0)]);
    assert_eq!(fixture.reader().files(fixture.collection).unwrap().len(), 1);
    fixture.check();
}

pub(super) fn together_is_atomic(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["apple"]));
    let (collection, first) = (fixture.collection, fixture.file("a.md").id);
    let failed = fixture.store.transaction(&mut |store| {
        store.remove_files(&[first])?;
        store.touch_file(FileId(0), FileStat::default())?;
        store.exclude_file(
            CollectionId(99),
            &ExcludedFile {
                path: "b.md".into(),
                stat: FileStat { ctime_ns: 9, ..FileStat::default() },
                rule: "private".into(),
                noticed_at_ns: 0,
            },
        )
    });
    assert!(failed.is_err(), "there is no such collection");
    assert_eq!(fixture.find("apple"), [place("a.md", 0)]);
    let reader = fixture.home.open();
    fixture
        .store
        .transaction(&mut |store| {
            store.remove_files(&[first])?;
            assert_eq!(reader.snapshot().unwrap().files(collection).unwrap().len(), 1, "others see nothing of it yet");
            Ok(())
        })
        .unwrap();
    assert!(reader.snapshot().unwrap().files(collection).unwrap().is_empty());
    fixture.check();
}

pub(super) fn links_and_tags_follow_the_note(new: New) {
    let mut fixture = new();
    let link = |target: &str, line| Link { target: target.into(), kind: LinkKind::Wiki, line };
    let mut put = |tags: &[String], links: &[Link]| {
        let file = NewFile { tags, links, ..fixture::new_file(fixture.collection, "a.md") };
        fixture.store.replace_file(&file, &[], None).unwrap();
    };
    put(&["old".to_owned()], &[link("Gone", 1)]);
    put(&["area/topic".to_owned(), "area/topic".to_owned()], &[link("Other", 3), link("Other", 4), link("Third", 4)]);
    let file = fixture.file("a.md").id;
    let mut targets = fixture.reader().link_targets(file).unwrap();
    targets.sort();
    assert_eq!(targets, ["Other", "Third"], "each once");
    let links = [link("Third", 1)];
    let file_b = NewFile { links: &links, ..fixture::new_file(fixture.collection, "b.md") };
    fixture.store.replace_file(&file_b, &[], None).unwrap();
    let mut counts = fixture.reader().link_counts().unwrap();
    counts.sort();
    assert_eq!(counts, [("Other".to_owned(), 1), ("Third".to_owned(), 2)], "each file once");
    let tagged = |tag: &str| {
        let filter = Filter { tags: vec![tag.into()], ..Filter::default() };
        fixture.reader().scope(&filter).unwrap().unwrap().files.to_vec()
    };
    assert_eq!((tagged("area"), tagged("old")), (vec![file], vec![]));
    fixture.check();
}

pub(super) fn files_are_described_for_a_list(new: New) {
    let mut fixture = new();
    let link = |target: &str, kind, line| Link { target: target.into(), kind, line };
    let links = [link("B", LinkKind::Wiki, 4), link("a.png", LinkKind::Embed, 2), link("A", LinkKind::Markdown, 4)];
    let (tags, day) = (["work".to_owned(), "home".to_owned()], jiff::civil::date(2026, 3, 1));
    let file = NewFile { links: &links, tags: &tags, day: Some(day), ..fixture::new_file(fixture.collection, "b.md") };
    fixture.store.replace_file(&file, &[], None).unwrap();
    fixture.put(&draft("a.md", &["apple"]));
    let (reader, id) = (fixture.reader(), fixture.file("b.md").id);
    let described = reader.described_files(None).unwrap();
    assert_eq!(described.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["a.md", "b.md"]);
    let of_b = reader.described_files(Some(&Scope { files: [id].into() })).unwrap();
    assert_eq!(of_b, described[1..]);
    assert_eq!((of_b[0].collection.as_str(), of_b[0].day), ("vault", Some(day)));
    assert_eq!(
        (of_b[0].tags.clone(), of_b[0].mtime_ns),
        (vec!["home".to_owned(), "work".to_owned()], file.stat.mtime_ns)
    );
    assert!(reader.described_files(Some(&Scope { files: [].into() })).unwrap().is_empty());
    let targets: Vec<(usize, String)> =
        reader.links(id).unwrap().into_iter().map(|link| (link.line, link.target)).collect();
    assert_eq!(targets, [(2, "a.png".into()), (4, "A".into()), (4, "B".to_owned())]);
}

pub(super) fn collections_are_separate_and_removed_with_their_files(new: New) {
    let mut fixture = new();
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

pub(super) fn a_renamed_collection_keeps_its_rows_and_vectors(new: New) {
    let mut fixture = new();
    let work = fixture.store.ensure_collection("work", "/work").unwrap();
    fixture.put(&draft("a.md", &["apple"]));
    fixture.put_in(work, "work", &draft("b.md", &["same", "same", "gone"]));
    fixture.put_in(work, "work", &draft("b.md", &["same", "same"]));
    fixture.embed();
    let ids = |fixture: &super::Fixture| {
        let chunks: Vec<ChunkRow> = (fixture.reader().files(work).unwrap().iter())
            .flat_map(|file| fixture.reader().chunk_range(file.id, 0, u32::MAX).unwrap())
            .collect();
        chunks.into_iter().map(|chunk| chunk.id).collect::<Vec<_>>()
    };
    let (before, size) = (ids(&fixture), fixture.reader().collection_size(work).unwrap());
    assert_eq!((size.files, size.passages), (1, 2));
    fixture.store.rename_collection(work, "office").unwrap();
    fixture.check();
    let after = ids(&fixture);
    assert!(before.iter().all(|id| !after.contains(id)));
    for (former, now) in before.iter().zip(&after) {
        let IdLookup::Retired { collection, successor, .. } = fixture.reader().locate(former.as_str()).unwrap() else {
            panic!("{former} is lost")
        };
        let successor = successor.unwrap();
        assert_eq!((collection.as_str(), successor.collection.as_str()), ("office", "office"));
        assert_eq!(successor.id, *now);
    }
    assert_eq!(fixture.reader().collection_size(work).unwrap(), size);
    assert_eq!(fixture.embed(), 0, "every passage has kept its vector");
    fixture.store.rename_collection(work, "work").unwrap();
    fixture.check();
    assert_eq!(ids(&fixture), before, "the former name brings the former ids back");
}

pub(super) fn files_are_listed_by_path(new: New) {
    let mut fixture = new();
    for path in ["b.md", "a/z.md", "a.md"] {
        fixture.put(&draft(path, &[]));
    }
    let files = fixture.reader().files(fixture.collection).unwrap();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a.md", "a/z.md", "b.md"]);
    assert_eq!(fixture.reader().file(files[0].id).unwrap().as_ref(), Some(&files[0]));
    let reader = fixture.reader();
    let known = |chunker| {
        let mut known = reader.known_files(fixture.collection, chunker).unwrap();
        known.sort_by(|one, other| one.path.cmp(&other.path));
        known
    };
    for (known, file) in known(None).iter().zip(&files) {
        assert_eq!((known.id, &known.path, known.is_chunked), (file.id, &file.path, !file.chunker.is_empty()));
        assert_eq!((known.stat, known.indexed_at_ns), (file.stat, file.indexed_at_ns));
    }
    assert!(known(Some(&files[0].chunker)).iter().all(|file| file.is_chunked));
    assert!(known(Some("another")).iter().all(|file| !file.is_chunked));
    assert_eq!(known(None).len(), 3);
}
