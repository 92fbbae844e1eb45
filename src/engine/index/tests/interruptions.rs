use super::*;

/// Cancels from the n-th call of any observer method on.
struct StopAt {
    left: AtomicUsize,
}

impl StopAt {
    fn new(calls: usize) -> Self {
        Self { left: AtomicUsize::new(calls) }
    }

    fn step(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

impl Progress for StopAt {
    fn start(&self, _stage: Stage, _total: usize) {
        self.step();
    }

    fn advance(&self, _count: usize) {
        self.step();
    }

    fn finish(&self) {
        self.step();
    }

    fn cancelled(&self) -> bool {
        self.step()
    }
}

fn vault() -> Vault {
    Vault::new(&[
        ("garden.md", "# Garden\n\nApples and pears grow in the garden.\n"),
        ("walk.md", "# Walk\n\nA morning walk.\n"),
        ("gone.md", "# Gone\n\nThis one is deleted later.\n"),
        ("long.md", &long_note("zebra", 5)),
    ])
}

/// Interrupts a run at its n-th observer call, for every n, and resumes it. Returns the number of calls of a whole run.
fn interrupt_everywhere(vault: &Vault, prepare: impl Fn(&mut SqliteStore), change: impl Fn()) -> usize {
    let embedder = Counting { batch_size: 2, ..Counting::new() };
    // All indexes are created before the change, because the vault can only be changed once.
    let names: Vec<String> = (0..60).map(|number| format!("{number}.db")).collect();
    for name in &names {
        prepare(&mut vault.store(name));
    }
    change();
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &embedder);
    let expected = snapshot(&fresh, &embedder);
    for (calls, name) in names.iter().enumerate() {
        let mut store = vault.store(name);
        let report = run(&mut store, Some(&embedder), &[vault.root()], &options(), &StopAt::new(calls)).unwrap();
        let resumed = vault.index(&mut store, &embedder);
        assert!(!resumed.interrupted && resumed.pending == 0);
        assert_eq!(snapshot(&store, &embedder), expected, "interrupted at call {calls}");
        if !report.interrupted {
            assert_eq!(resumed.embedded, 0, "a completed run leaves nothing to do");
            return calls;
        }
    }
    panic!("the run is longer than this test expects");
}

#[test]
fn a_first_run_can_be_interrupted_anywhere() {
    let calls = interrupt_everywhere(&vault(), |_| {}, || {});
    assert!(calls > 10);
}

#[test]
fn a_later_run_can_be_interrupted_anywhere() {
    let vault = vault();
    let embedder = Counting::new();
    let calls = interrupt_everywhere(
        &vault,
        |store| {
            vault.index(store, &embedder);
        },
        || {
            vault.write("garden.md", "# Garden\n\nPlums, since apples were not good this year.\n\nNo pears.\n");
            vault.rename("walk.md", "deep/stroll.md");
            vault.remove("gone.md");
            vault.write("new.md", "# New\n\nA storage engine.\n");
        },
    );
    assert!(calls > 8);
}

#[test]
fn an_interrupted_run_removes_nothing() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    vault.index(&mut store, &embedder);
    vault.remove("gone.md");
    let report = run(&mut store, Some(&embedder), &[vault.root()], &options(), &StopAt::new(0)).unwrap();
    assert!(report.interrupted);
    assert_eq!((report.removed, statistics(&store).files), (0, 4));
}

/// Runs a function when a stage begins.
struct Meanwhile<F: Fn() + Sync>(Stage, F);

impl<F: Fn() + Sync> Progress for Meanwhile<F> {
    fn start(&self, stage: Stage, _total: usize) {
        if stage == self.0 {
            (self.1)();
        }
    }
}

#[test]
fn a_note_changed_before_its_embedding_waits_for_the_next_run() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting::new();
    let edit = Meanwhile(Stage::Embedding, || vault.write("garden.md", "# Garden\n\nOnly plums now.\n"));
    let report = run(&mut store, Some(&embedder), &[vault.root()], &options(), &edit).unwrap();
    assert_eq!(report.pending, 1, "the text that was read is no longer there");
    assert_eq!(find(&store, "apples"), ["garden.md"]);
    vault.index(&mut store, &embedder);
    assert_eq!(find(&store, "plums"), ["garden.md"]);
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &embedder);
    assert_eq!(snapshot(&store, &embedder), snapshot(&fresh, &embedder));
}

#[test]
fn a_note_removed_during_a_run_is_no_failure() {
    for stage in [Stage::Reading, Stage::Embedding] {
        let vault = vault();
        let mut store = vault.store("index.db");
        let embedder = Counting::new();
        let vanish = Meanwhile(stage, || vault.remove("gone.md"));
        let report = run(&mut store, Some(&embedder), &[vault.root()], &options(), &vanish).unwrap();
        assert_eq!((report.failed, report.warnings.len()), (0, 0), "{stage:?}");
        vault.index(&mut store, &embedder);
        assert_eq!(statistics(&store).files, 3);
        snapshot(&store, &embedder);
    }
}

/// Produces other vectors than the embedder whose name it has.
struct Turned(Counting);

impl Embedder for Turned {
    fn model(&self) -> &ModelId {
        self.0.model()
    }

    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    fn window(&self) -> usize {
        self.0.window()
    }

    fn tokens(&self) -> &dyn CountTokens {
        self.0.tokens()
    }

    fn batch_size(&self) -> usize {
        self.0.batch_size
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = self.0.embed(kind, texts)?;
        if kind == TextKind::Passage {
            vectors.iter_mut().flatten().for_each(|value| *value = -*value);
        }
        Ok(vectors)
    }
}

#[test]
fn an_interrupted_full_run_keeps_all_vectors() {
    let vault = vault();
    let (old, new) = (Counting::new(), Turned(Counting { batch_size: 2, ..Counting::new() }));
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &new);
    let expected = snapshot(&fresh, &new);
    let full = IndexOptions { full: true, ..options() };
    for calls in 0..60 {
        let mut store = vault.store(&format!("{calls}.db"));
        vault.index(&mut store, &old);
        let before = statistics(&store);
        let report = run(&mut store, Some(&new), &[vault.root()], &full, &StopAt::new(calls)).unwrap();
        let after = statistics(&store);
        assert_eq!((after.passages, after.embedded), (before.passages, before.passages), "call {calls}");
        assert_eq!(report.pending, after.pending);
        if !report.interrupted {
            assert_eq!((after.pending, snapshot(&store, &new)), (0, expected), "all vectors are new");
            return;
        }
        if after.pending > 0 {
            let resumed = vault.index(&mut store, &new);
            assert!(!resumed.interrupted && resumed.pending == 0 && resumed.embedded > 0, "{resumed:?}");
        }
    }
    panic!("the run is longer than this test expects");
}

#[test]
fn an_interrupted_change_of_model_can_be_reverted() {
    let vault = vault();
    let (old, new) = (Counting::new(), Counting { batch_size: 2, ..Counting::with_dimensions(32) });
    let mut fresh = vault.store("fresh.db");
    vault.index(&mut fresh, &new);
    let expected = snapshot(&fresh, &new);
    for calls in 0..60 {
        let mut store = vault.store(&format!("{calls}.db"));
        vault.index(&mut store, &old);
        let before = snapshot(&store, &old);
        old.taken();
        run(&mut store, Some(&new), &[vault.root()], &options(), &StopAt::new(calls)).unwrap();
        if statistics(&store).pending == 0 {
            assert_eq!(snapshot(&store, &new), expected);
            vault.index(&mut store, &old);
            assert!(old.taken() > 0, "once the change is complete, no vector of the first model remains");
            return;
        }
        vault.index(&mut store, &old);
        assert_eq!(old.taken(), 0, "call {calls}");
        assert_eq!(snapshot(&store, &old), before, "call {calls}");
        // Then forward again, with the vectors that the second model had already made.
        vault.index(&mut store, &new);
        assert_eq!(snapshot(&store, &new), expected, "call {calls}");
    }
    panic!("the run is longer than this test expects");
}

/// Cancels once the embedder was called.
struct OneBatch<'a>(&'a Counting);

impl Progress for OneBatch<'_> {
    fn cancelled(&self) -> bool {
        self.0.calls.load(Ordering::Relaxed) > 0
    }
}

#[test]
fn a_question_embeds_only_missing_vectors_in_small_batches() {
    let vault = vault();
    let mut store = vault.store("index.db");
    let embedder = Counting { batch_size: 100, ..Counting::new() };
    vault.index(&mut store, &embedder);
    let (full, missing) = (
        IndexOptions { full: true, part: RunPart::Words, ..options() },
        IndexOptions { part: RunPart::Missing, ..options() },
    );
    run(&mut store, Some(&embedder), &[vault.root()], &full, &NoProgress).unwrap();
    let again = statistics(&store).pending;
    vault.write("new.md", long_note("yak", 8));
    vault.write("huge.md", format!("# Huge\n\n{}", "A line of a note that takes a while to cut.\n".repeat(8000)));
    let words = IndexOptions { part: RunPart::Words, ..options() };
    run(&mut store, Some(&embedder), &[vault.root()], &words, &NoProgress).unwrap();
    embedder.taken();
    embedder.calls.store(0, Ordering::Relaxed);
    let report = run(&mut store, Some(&embedder), &[vault.root()], &missing, &OneBatch(&embedder)).unwrap();
    assert!(report.interrupted && (1..=4).contains(&embedder.taken()), "{report:?}");
    run(&mut store, Some(&embedder), &[vault.root()], &missing, &NoProgress).unwrap();
    let new = all_chunks(&store).into_iter().filter(|chunk| chunk.path == "new.md").count();
    assert!(embedder.taken() + 4 >= new, "the rest of the new note is embedded");
    let after = statistics(&store);
    assert!(after.embedded < after.passages, "the huge note is left for the next run");
    assert_eq!(after.pending, after.passages - after.embedded + again, "passages with an outdated vector keep waiting");
}
