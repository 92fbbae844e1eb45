use super::*;

fn vault() -> Vault {
    Vault::new(&[
        ("garden.md", "# Garden\n\nApples and pears grow in the garden.\n"),
        ("work/storage.md", "---\ntags: [work]\n---\n# Storage engine\n\nWe decided on SQLite.\n"),
        ("walk.md", "A morning walk without any heading.\n"),
        ("long.md", &long_note("zebra", 12)),
    ])
}

#[test]
fn a_second_run_embeds_nothing() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    let report = vault.index(&mut store, &embedder);
    assert_eq!((report.files, report.added, report.unchanged), (4, 4, 0));
    assert_eq!((report.embedded, report.pending), (embedder.taken(), 0));
    assert!(report.warnings.is_empty() && !report.interrupted);
    let before = snapshot(&store, &embedder);
    embedder.taken();
    let report = vault.index(&mut store, &embedder);
    assert_eq!((report.unchanged, report.added, report.changed, report.embedded), (4, 0, 0, 0));
    assert_eq!(embedder.taken(), 0);
    assert_eq!(snapshot(&store, &embedder), before);
}

#[test]
fn an_edit_embeds_what_it_touches() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    assert!(embedder.taken() > 10);
    vault.write("long.md", long_note("zebra", 12).replace("zebra6word3", "giraffe"));
    let report = vault.index(&mut store, &embedder);
    assert_eq!((report.changed, report.unchanged), (1, 3));
    assert!((1..=3).contains(&embedder.taken()));
    assert_eq!(find(&store, "giraffe"), ["long.md"]);
    assert!(find(&store, "zebra6word3").is_empty());
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &embedder);
    assert_eq!(snapshot(&store, &embedder), snapshot(&fresh, &embedder));
}

#[test]
fn a_rename_embeds_nothing() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    embedder.taken();
    for (from, to) in [("garden.md", "plants/beds.md"), ("walk.md", "stroll.md"), ("work/storage.md", "storage.md")] {
        vault.rename(from, to);
    }
    let report = vault.index(&mut store, &embedder);
    assert_eq!((report.moved, report.added, report.removed, report.unchanged), (3, 0, 0, 1));
    assert_eq!((embedder.taken(), report.pending), (0, 0));
    assert_eq!(find(&store, "stroll"), ["stroll.md"], "the new name is a word of the note");
    assert_eq!(find(&store, "apples"), ["plants/beds.md"]);
    let statistics = statistics(&store);
    assert_eq!((statistics.files, statistics.embedded), (4, statistics.passages));
}

#[test]
fn a_copied_note_is_found_without_new_embeddings() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    embedder.taken();
    vault.write("copy.md", fs::read(vault.path().join("garden.md")).unwrap());
    assert_eq!(vault.index(&mut store, &embedder).added, 1);
    assert_eq!(embedder.taken(), 0);
    assert_eq!(find(&store, "apples"), ["copy.md", "garden.md"]);
}

#[test]
fn a_deleted_note_is_removed() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    embedder.taken();
    vault.remove("long.md");
    let report = vault.index(&mut store, &embedder);
    assert_eq!((report.removed, report.files, embedder.taken()), (1, 3, 0));
    assert!(find(&store, "zebra").is_empty());
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &embedder);
    assert_eq!(snapshot(&store, &embedder), snapshot(&fresh, &embedder));
}

#[test]
fn an_empty_root_removes_nothing_without_full() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    for path in ["garden.md", "work/storage.md", "walk.md", "long.md"] {
        vault.remove(path);
    }
    let report = run(&mut store, Some(&embedder), &[vault.root()], &options(), &NoProgress).unwrap();
    assert_eq!((report.failed, report.roots_missing, report.removed), (1, 1, 0));
    assert!(report.warnings[0].contains("the index knows 4") && report.warnings[0].contains("--full"));
    assert_eq!(statistics(&store).files, 4);
    let full = IndexOptions { full: true, ..options() };
    assert_eq!(run(&mut store, Some(&embedder), &[vault.root()], &full, &NoProgress).unwrap().removed, 4);
    assert_eq!(statistics(&store).files, 0);
    vault.index(&mut store, &embedder);
}

#[test]
fn a_missing_root_removes_nothing() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    fs::rename(vault.path(), vault.folder.path().join("unmounted")).unwrap();
    let report = run(&mut store, Some(&embedder), &[vault.root()], &options(), &NoProgress).unwrap();
    assert_eq!((report.failed, report.roots_missing), (1, 1));
    assert!(report.warnings[0].contains("is not there"), "{:?}", report.warnings);
    assert!(report.warnings[0].contains("set vault.path FOLDER"), "{:?}", report.warnings);
    assert_eq!(statistics(&store).files, 4);
    let work = Root { name: "work".into(), ..vault.root() };
    let report = run(&mut store, Some(&embedder), &[work], &options(), &NoProgress).unwrap();
    assert!(report.warnings[0].contains("set collections.work FOLDER"), "{:?}", report.warnings);
}

#[test]
fn an_unconfigured_collection_is_removed() {
    let vault = vault();
    let other = Vault::new(&[("other.md", "# Other\n\nApples elsewhere.\n")]);
    let other_root = Root { name: "other".into(), path: other.path() };
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    run(&mut store, Some(&embedder), &[vault.root(), other_root], &options(), &NoProgress).unwrap();
    assert_eq!(find(&store, "apples"), ["garden.md", "other.md"]);
    vault.index(&mut store, &embedder);
    assert_eq!(find(&store, "apples"), ["garden.md"]);
    assert_eq!(store.snapshot().unwrap().collections().unwrap().len(), 1);
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &embedder);
    assert_eq!(snapshot(&store, &embedder), snapshot(&fresh, &embedder));
}

#[test]
fn a_full_run_embeds_everything_again_and_changes_nothing() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    let embedded = vault.index(&mut store, &embedder).embedded;
    let before = snapshot(&store, &embedder);
    let full = IndexOptions { full: true, ..options() };
    let report = run(&mut store, Some(&embedder), &[vault.root()], &full, &NoProgress).unwrap();
    assert_eq!((report.changed, report.embedded), (4, embedded));
    assert_eq!(snapshot(&store, &embedder), before);
}

#[test]
fn private_notes_are_excluded_and_removed() {
    let vault = vault();
    vault.write("secret.md", "---\ntars: private\n---\nApples in secret.\n");
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    let report = vault.index(&mut store, &embedder);
    assert_eq!((report.private, report.added), (1, 4));
    assert_eq!(find(&store, "apples"), ["garden.md"]);
    vault.write("garden.md", "---\ntars: private\n---\n# Garden\n\nApples and pears grow in the garden.\n");
    assert_eq!(vault.index(&mut store, &embedder).private, 2);
    assert!(find(&store, "apples").is_empty());
    assert_eq!(statistics(&store).files, 3);
}

#[test]
fn binary_and_large_files_are_excluded_and_removed() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    vault.write("garden.md", b"apples\0\0\0");
    vault.write("walk.md", "word ".repeat(1 << 20));
    let report = vault.index(&mut store, &embedder);
    assert_eq!((report.skipped, report.warnings.len(), report.failed), (2, 2, 0));
    assert!(find(&store, "apples").is_empty());
    assert_eq!(statistics(&store).files, 2);
}

#[test]
fn empty_notes_are_found_by_their_names() {
    let vault = Vault::new(&[("empty.md", ""), ("blank.md", "\n\n \n"), ("front.md", "---\nstatus: zebra\n---\n")]);
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    assert_eq!(vault.index(&mut store, &embedder).added, 3);
    assert_eq!((statistics(&store).files, statistics(&store).chunks), (3, 3));
    assert_eq!(find(&store, "zebra"), ["front.md"]);
    assert_eq!(find(&store, "blank"), ["blank.md"]);
    assert_eq!(find(&store, "front"), ["front.md"]);
}

#[test]
fn only_the_given_paths_are_indexed() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    vault.write("garden.md", "# Garden\n\nNow only plums.\n");
    vault.remove("walk.md");
    vault.remove("work/storage.md");
    vault.write("work/new.md", "Something about plums.\n");
    let only = IndexOptions {
        walk: WalkOptions { only: vec![vault.path().join("work")], ..WalkOptions::default() },
        ..options()
    };
    let report = run(&mut store, Some(&embedder), &[vault.root()], &only, &NoProgress).unwrap();
    assert_eq!((report.added, report.removed, report.changed), (1, 1, 0));
    assert_eq!(find(&store, "plums"), ["work/new.md"]);
    assert_eq!(find(&store, "morning"), ["walk.md"]);
    let outside = IndexOptions {
        walk: WalkOptions { only: vec![vault.folder.path().to_owned()], ..WalkOptions::default() },
        ..options()
    };
    let error = run(&mut store, Some(&embedder), &[vault.root()], &outside, &NoProgress).unwrap_err();
    assert!(matches!(error, IndexError::OutsideRoots { .. }));
}

#[test]
fn memory_types_apply_only_to_the_vaults_memory_folder() {
    let vault = Vault::new(&[("tars/Memory.md", "Facts.\n"), ("tars/2024-05-06.md", "Log.\n"), ("a.md", "Note.\n")]);
    let other = Root { name: "other".into(), path: vault.path() };
    let mut store = vault.store("index.db");
    run(&mut store, None, &[vault.root(), other], &options(), &NoProgress).unwrap();
    let mut kinds: Vec<(String, String, &str)> = all_chunks(&store)
        .into_iter()
        .map(|chunk| (chunk.collection, chunk.path, chunk.memory_type.as_str()))
        .collect();
    kinds.sort();
    let kinds: Vec<&str> = kinds.iter().map(|(_, _, kind)| *kind).collect();
    assert_eq!(kinds, ["note", "note", "note", "note", "daily", "semantic"]);
}

#[test]
fn facts_in_the_memory_folder_are_cut_one_by_one() {
    let facts = "# Memory\n\n## Facts\n- Apples are red\n- Plums are blue\n";
    let vault = Vault::new(&[("tars/Memory.md", facts), ("agents/Memory.md", facts)]);
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    let indexed = |store: &mut SqliteStore, memory_folder: &str| {
        let options = IndexOptions { memory_folder: memory_folder.into(), ..options() };
        run(store, Some(&embedder), &[vault.root()], &options, &NoProgress).unwrap();
        statistics(store).passages
    };
    assert_eq!(indexed(&mut store, "tars"), 3, "two facts, and a note");
    embedder.taken();
    indexed(&mut store, "tars");
    assert_eq!(embedder.taken(), 0);
    assert_eq!(indexed(&mut store, "elsewhere"), 2, "two notes");
    assert_eq!(indexed(&mut store, "agents"), 3);
    let mut kinds: Vec<(String, &str)> =
        all_chunks(&store).into_iter().map(|chunk| (chunk.path, chunk.memory_type.as_str())).collect();
    kinds.sort();
    assert_eq!(kinds, [("agents/Memory.md".into(), "semantic"), ("tars/Memory.md".into(), "note")]);
}

#[test]
fn broken_front_matter_is_indexed_as_text_with_a_warning() {
    let vault = Vault::new(&[("a.md", "---\ntags: [unclosed\n---\nApples.\n")]);
    let mut store = vault.store("index.db");
    let report = vault.index(&mut store, &Counting::new());
    assert_eq!((report.added, report.warnings.len()), (1, 1));
    assert!(report.warnings[0].starts_with("a.md: "), "{:?}", report.warnings);
    assert_eq!(find(&store, "unclosed apples"), ["a.md"]);
}

#[test]
fn notes_can_swap_their_names() {
    let vault = Vault::new(&[("a.md", "# Apples\n\nAbout apples.\n"), ("b.md", "# Zebras\n\nAbout zebras.\n")]);
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    vault.rename("a.md", "c.md");
    vault.rename("b.md", "a.md");
    vault.rename("c.md", "b.md");
    vault.index(&mut store, &embedder);
    assert_eq!((find(&store, "apples"), find(&store, "zebras")), (vec!["b.md".to_owned()], vec!["a.md".to_owned()]));
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &embedder);
    assert_eq!(snapshot(&store, &embedder), snapshot(&fresh, &embedder));
}

#[test]
fn the_newest_and_most_linked_notes_are_embedded_first() {
    let vault = Vault::new(&[("hub.md", "What everything hangs on.\n"), ("old.md", "Nobody asks for this.\n")]);
    for number in 0..100 {
        vault.write(&format!("{number}.md"), format!("Note {number} is about [[Hub]] and more.\n"));
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000 + number);
        fs::File::open(vault.path().join(format!("{number}.md"))).unwrap().set_modified(time).unwrap();
    }
    for path in ["hub.md", "old.md"] {
        fs::File::open(vault.path().join(path)).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    }
    let mut store = vault.store("index.db");
    // The second batch fails; the first four texts are embedded.
    let embedder = Counting { fails_at: Some(1), ..Counting::new() };
    assert!(run(&mut store, Some(&embedder), &[vault.root()], &options(), &NoProgress).is_err());
    let index = store.snapshot().unwrap();
    let waiting = index.pending_files(tars_store::PendingSelection::WithoutVector).unwrap();
    let path = |id| index.file(id).unwrap().unwrap().path;
    let waiting: Vec<String> = waiting.into_iter().map(path).collect();
    let has_vectors = |path: &str| !waiting.iter().any(|one| one == path);
    assert_eq!(
        ["99.md", "hub.md", "98.md", "97.md", "96.md", "old.md"].map(has_vectors),
        [true, true, true, true, false, false]
    );
}
