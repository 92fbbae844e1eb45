use super::*;

fn vault() -> Vault {
    Vault::new(&[
        ("garden.md", "# Garden\n\nApples and pears grow in the garden.\n"),
        ("walk.md", "A morning walk without any heading.\n"),
        ("long.md", &long_note("zebra", 8)),
    ])
}

#[test]
fn a_changed_model_embeds_everything_without_mixing_vectors() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let (first, second) = (Counting::new(), Counting::with_dimensions(32));
    let embedded = vault.index(&mut store, &first).embedded;
    assert_eq!(vault.index(&mut store, &second).embedded, embedded);
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &second);
    assert_eq!(snapshot(&store, &second), snapshot(&fresh, &second));
    let asked = first.embed(TextKind::Query, &["garden"]).unwrap().remove(0);
    assert!(store.snapshot().unwrap().nearest(&asked, first.model(), None, 9).unwrap().is_empty());
    // Switching back: no vectors of the first model are left.
    assert_eq!(vault.index(&mut store, &first).embedded, embedded);
}

#[test]
fn an_interrupted_change_of_model_keeps_words_and_never_mixes_vectors() {
    let vault = vault();
    let mut store = vault.store("index.db");
    vault.index(&mut store, &Counting::new());
    let second = Counting { fails_at: Some(1), ..Counting::with_dimensions(32) };
    assert!(run(&mut store, Some(&second), &[vault.root()], &options(), &NoProgress).is_err());
    let counts = statistics(&store);
    assert!(counts.embedded > 0 && counts.embedded < counts.passages);
    let rows: Vec<ChunkRef> = all_chunks(&store).iter().map(|chunk| chunk.row).collect();
    let asked = second.embed(TextKind::Query, &["garden"]).unwrap().remove(0);
    // Vectors of another dimension among them would be an error.
    assert!(store.snapshot().unwrap().similarities(&asked, second.model(), &rows).unwrap().len() < rows.len());
    assert_eq!(find(&store, "apples"), ["garden.md"]);
    vault.index(&mut store, &second);
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &second);
    assert_eq!(snapshot(&store, &second), snapshot(&fresh, &second));
}

#[test]
fn a_failing_embedder_leaves_words_and_earlier_vectors() {
    let vault = vault();
    let mut fresh = vault.store("fresh.db");
    let whole = Counting::new();
    let embedded = vault.index(&mut fresh, &whole).embedded;
    for fails_at in 0..3 {
        let mut store = vault.store(&format!("{fails_at}.db"));
        let failing = Counting { fails_at: Some(fails_at), ..Counting::new() };
        let error = run(&mut store, Some(&failing), &[vault.root()], &options(), &NoProgress).unwrap_err();
        assert!(matches!(error, IndexError::Embed(_)), "{error}");
        assert_eq!(find(&store, "apples zebra0word0 morning").len(), 3);
        let done = failing.taken();
        assert_eq!(done, fails_at * failing.batch_size);
        vault.index(&mut store, &failing);
        assert_eq!(failing.taken(), embedded - done, "what was embedded before stays");
        assert_eq!(snapshot(&store, &failing), snapshot(&fresh, &failing));
    }
}

#[test]
fn a_run_without_an_embedder_keeps_vectors() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    embedder.taken();
    let before = statistics(&store);
    let words_only = |store: &mut SqliteStore| run(store, None, &[vault.root()], &options(), &NoProgress).unwrap();
    let report = words_only(&mut store);
    assert_eq!((report.unchanged, report.changed, report.pending), (3, 0, 0));
    assert_eq!(statistics(&store).embedded, before.embedded);
    vault.write("garden.md", "# Garden\n\nPlums and pears grow in the garden.\n");
    vault.rename("walk.md", "stroll.md");
    let report = words_only(&mut store);
    assert_eq!((report.changed, report.moved), (1, 1));
    assert_eq!(find(&store, "plums"), ["garden.md"]);
    assert_eq!(statistics(&store).embedded, before.embedded - 1, "all but the changed note keep their vectors");
    vault.index(&mut store, &embedder);
    assert_eq!(embedder.taken(), 1);
    assert_eq!(statistics(&store).embedded, statistics(&store).passages);
}

#[test]
fn notes_of_an_older_analysis_are_read_again_and_keep_their_vectors() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    embedder.taken();
    let before = statistics(&store);
    tars_store::Writer::set_meta(&mut store, "analysis", "4").unwrap();
    drop(store);
    let mut store = vault.store("index.db");
    let report = vault.index(&mut store, &embedder);
    assert_eq!((report.changed, embedder.taken()), (3, 0), "every note is read, none is embedded");
    assert_eq!(statistics(&store).embedded, before.embedded);
}

#[test]
fn a_vault_indexed_by_words_can_be_embedded_later() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let report = run(&mut store, None, &[vault.root()], &options(), &NoProgress).unwrap();
    assert_eq!((report.added, report.embedded, report.pending), (3, 0, 0));
    assert_eq!(find(&store, "apples"), ["garden.md"]);
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &embedder);
    assert_eq!(snapshot(&store, &embedder), snapshot(&fresh, &embedder));
}

#[test]
fn changed_chunk_options_cut_again_and_keep_equal_passages() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    embedder.taken();
    let chunk = ChunkOptions { target_tokens: 120, ..options().chunk };
    let changed = IndexOptions { chunk, ..options() };
    let report = run(&mut store, Some(&embedder), &[vault.root()], &changed, &NoProgress).unwrap();
    assert_eq!(report.changed, 3);
    let mut fresh = vault.store("fresh.db");
    let whole = Counting::new();
    run(&mut fresh, Some(&whole), &[vault.root()], &changed, &NoProgress).unwrap();
    assert!(embedder.taken() < whole.taken(), "short notes are cut as before");
    assert_eq!(snapshot(&store, &embedder), snapshot(&fresh, &embedder));
}

#[test]
fn equal_texts_are_embedded_once() {
    let vault = Vault::new(&[]);
    for number in 0..10 {
        vault.write(&format!("{number}.md"), "# Same\n\nThe same text.\n");
    }
    let mut store = vault.store("index.db");
    let embedder = Counting { batch_size: 100, ..Counting::new() };
    assert_eq!(vault.index(&mut store, &embedder).embedded, 1);
    assert_eq!(embedder.taken(), 1);
    assert_eq!(statistics(&store).embedded, 10);
}

#[test]
fn passages_fit_the_embedders_window() {
    struct Narrow(Counting);
    impl Embedder for Narrow {
        fn model(&self) -> &ModelId {
            self.0.model()
        }
        fn dimensions(&self) -> usize {
            self.0.dimensions()
        }
        fn window(&self) -> usize {
            16
        }
        fn tokens(&self) -> &dyn CountTokens {
            self.0.tokens()
        }
        fn batch_size(&self) -> usize {
            3
        }
        fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            assert!(texts.iter().all(|text| self.tokens().count(text) <= 16), "{texts:?}");
            self.0.embed(kind, texts)
        }
    }
    let vault = vault();
    let mut store = vault.store("index.db");
    let report = vault.index(&mut store, &Narrow(Counting::new()));
    assert!(report.embedded > 10 && report.pending == 0);
}
