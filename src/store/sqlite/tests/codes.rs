//! The file of vector codes: answers are those of a store without one, whatever happens to it.

use std::fs;

use proptest::prelude::*;

use super::*;

/// The same database, asked without codes.
fn plain(fixture: &Fixture) -> SqliteStore {
    let mut store = SqliteStore::open(&fixture.path()).unwrap();
    store.codes = Codes::beside(&fixture.folder().join("none.db"));
    store
}

fn nearest(store: &SqliteStore, text: &str, limit: usize) -> Vec<Candidate> {
    store.snapshot().unwrap().nearest(&vector(text), &model(), None, limit).unwrap()
}

/// How near they are: which of several that are equally near are found is not said.
fn scores(list: &[Candidate]) -> Vec<f64> {
    list.iter().map(|one| one.score).collect()
}

/// Fails where the answers differ from those without codes; returns how many changes the file lags behind, if it is
/// believed.
fn compare(fixture: &Fixture, what: &str) -> Option<usize> {
    let plain = plain(fixture);
    let scope = fixture.reader().scope(&Filter { paths: vec!["1*.md".into()], ..Filter::default() }).unwrap();
    for text in ["apple", "cherry", "note 7 line 3"] {
        for limit in [1, 3, 50] {
            let [with, without] = [&fixture.store, &plain].map(|store| scores(&nearest(store, text, limit)));
            assert_eq!(with, without, "{what}: {text}");
            let scoped = |store: &SqliteStore| {
                store.snapshot().unwrap().nearest(&vector(text), &model(), scope.as_ref(), limit).unwrap()
            };
            let [with, without] = [&fixture.store, &plain].map(|store| scores(&scoped(store)));
            assert_eq!(with, without, "{what}, in a scope: {text}");
        }
    }
    fixture.store.codes_state().unwrap().map(|state| state.changed)
}

fn refresh(fixture: &Fixture) {
    super::super::codes::refresh(&fixture.store.connection, &fixture.store.codes, |_| 0).unwrap();
}

fn codes_path(fixture: &Fixture) -> PathBuf {
    fixture.folder().join("index.codes")
}

/// Forty notes of six lines, with vectors and a file of codes.
fn library() -> Fixture {
    let mut fixture = Fixture::new();
    for note in 0..40 {
        let lines: Vec<String> = (0..6).map(|line| format!("note {note} line {line}")).collect();
        let chunks: Vec<&str> = lines.iter().map(String::as_str).collect();
        fixture.put(&draft(&format!("{note}.md"), &chunks));
    }
    assert_eq!(compare(&fixture, "before anything is embedded"), None);
    fixture.embed();
    refresh(&fixture);
    fixture
}

#[test]
fn codes_find_what_the_database_finds_through_every_change() {
    let mut fixture = library();
    assert_eq!(compare(&fixture, "embedded"), Some(0));
    fixture.put(&draft("3.md", &["apple", "cherry"]));
    let gone = [fixture.file("15.md").id, fixture.file("39.md").id];
    fixture.store.remove_files(&gone).unwrap();
    assert_eq!(compare(&fixture, "removed"), Some(18));
    fixture.embed();
    // SQLite uses the rows of the last vectors again.
    assert_eq!(compare(&fixture, "embedded again"), Some(18));
    let before = fs::read(codes_path(&fixture)).unwrap();
    refresh(&fixture);
    assert_eq!(compare(&fixture, "brought up to date"), Some(0));
    let merged = fs::read(codes_path(&fixture)).unwrap();
    assert_ne!(merged, before);
    assert_eq!(centre(&merged), centre(&before), "the old file's codes are kept, and so their centre");
    fs::remove_file(codes_path(&fixture)).unwrap();
    assert_eq!(compare(&fixture, "without a file"), None);
    refresh(&fixture);
    let anew = fs::read(codes_path(&fixture)).unwrap();
    assert_eq!(compare(&fixture, "made anew"), Some(0));
    assert_eq!(anew.len(), merged.len());
    assert_ne!(centre(&anew), centre(&merged));
    fixture.store.adopt_model(&ModelId::new("model:2")).unwrap();
    assert_eq!(compare(&fixture, "of another model"), None);
}

/// The centre of a file of vectors of 64 values.
fn centre(file: &[u8]) -> &[u8] {
    &file[128..128 + 4 * 64]
}

#[test]
fn a_file_of_few_vectors_is_made_anew_when_many_have_joined() {
    let mut fixture = Fixture::new();
    let mut centres = Vec::new();
    for note in 0..9 {
        fixture.put(&draft(&format!("{note}.md"), &[&format!("note {note}")]));
        fixture.embed();
        refresh(&fixture);
        assert_eq!(compare(&fixture, "one more"), Some(0));
        centres.push(centre(&fs::read(codes_path(&fixture)).unwrap()).to_vec());
    }
    let changed: Vec<usize> = (1..9).filter(|at| centres[*at] != centres[at - 1]).map(|at| at + 1).collect();
    assert_eq!(changed, [3, 7], "when they are more than twice as many, and not before");
}

#[test]
fn a_file_that_is_current_enough_is_left_alone() {
    let mut fixture = library();
    let modified = |fixture: &Fixture| fs::metadata(codes_path(fixture)).unwrap().modified().unwrap();
    let first = modified(&fixture);
    fixture.put(&draft("3.md", &["apple"]));
    fixture.embed();
    fixture.store.refresh_codes(Occasion::Settled).unwrap();
    assert_eq!((modified(&fixture), compare(&fixture, "a few changes")), (first, Some(7)));
    for note in 0..30 {
        fixture.put(&draft(&format!("{note}.md"), &[&format!("other {note}")]));
    }
    fixture.embed();
    fixture.store.refresh_codes(Occasion::Filling).unwrap();
    assert_eq!(modified(&fixture), first);
    fixture.store.refresh_codes(Occasion::Settled).unwrap();
    assert_eq!(compare(&fixture, "many changes"), Some(0));
    assert_ne!(modified(&fixture), first);
    assert_eq!(fixture.count("SELECT count(*) FROM vector_changes"), 1, "what is in the file is told no more");
}

#[test]
fn a_damaged_file_is_not_believed_and_made_anew() {
    let fixture = library();
    let path = codes_path(&fixture);
    let whole = fs::read(&path).unwrap();
    let last = whole.len() - 1;
    let damaged: [(&str, Vec<u8>); 5] = [
        ("empty", Vec::new()),
        ("cut off", whole[..last].to_vec()),
        ("too long", [whole.as_slice(), b"x"].concat()),
        ("one bit in the header", flipped(&whole, 20)),
        ("one bit at the end", flipped(&whole, last)),
    ];
    for (what, bytes) in damaged {
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        assert_eq!(compare(&fixture, what), None, "{what}");
        refresh(&fixture);
        assert_eq!(compare(&fixture, what), Some(0), "{what}, made anew");
        assert_eq!(fs::read(&path).unwrap(), whole, "{what}");
    }
}

#[test]
fn a_pipe_in_its_place_is_not_waited_for() {
    let fixture = library();
    let path = codes_path(&fixture);
    fs::remove_file(&path).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert_eq!(compare(&fixture, "a pipe"), None);
    refresh(&fixture);
    assert_eq!(compare(&fixture, "a file again"), Some(0));
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 1;
    bytes
}

#[test]
fn the_file_of_another_database_is_not_believed() {
    let (fixture, other) = (library(), library());
    let before = compare(&fixture, "its own");
    fs::remove_file(codes_path(&fixture)).unwrap();
    fs::copy(codes_path(&other), codes_path(&fixture)).unwrap();
    assert_eq!((before, compare(&fixture, "another's")), (Some(0), None));
}

#[test]
fn a_reader_of_an_older_state_does_not_believe_a_newer_file() {
    let mut fixture = library();
    let reader = SqliteStore::open_existing(&fixture.path()).unwrap();
    let snapshot = reader.snapshot().unwrap();
    let before = nearest(&reader, "apple", 9);
    fixture.put(&draft("3.md", &["apple"]));
    fixture.embed();
    refresh(&fixture);
    assert_eq!(nearest(&reader, "apple", 9), before);
    assert_eq!(reader.codes_state().unwrap(), None);
    drop(snapshot);
    assert_eq!(nearest(&reader, "apple", 9), nearest(&fixture.store, "apple", 9));
    assert_ne!(nearest(&reader, "apple", 9), before);
}

#[test]
fn the_file_is_its_owners_and_what_a_killed_writer_left_goes() {
    use std::os::unix::fs::PermissionsExt;
    let mut fixture = library();
    let left = fixture.folder().join(".index.codes.killed");
    fs::write(&left, "half").unwrap();
    fixture.put(&draft("3.md", &["apple"]));
    refresh(&fixture);
    assert!(!left.exists());
    assert_eq!(fs::metadata(codes_path(&fixture)).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_file_that_cannot_be_written_costs_only_time() {
    let mut fixture = library();
    fs::remove_file(codes_path(&fixture)).unwrap();
    fs::create_dir(codes_path(&fixture)).unwrap();
    fixture.put(&draft("3.md", &["apple"]));
    fixture.embed();
    let error = fixture.store.refresh_codes(Occasion::Settled).unwrap_err();
    assert!(error.to_string().contains("index.codes"), "{error}");
    assert_eq!(compare(&fixture, "a folder in its place"), None);
}

/// What somebody else, or a failing disk, makes of a file of codes.
#[derive(Debug, Clone)]
enum Harm {
    /// These bytes become others; with sums that are right again, if so wished.
    Bytes(Vec<(prop::sample::Index, u8)>, bool),
    /// It ends there.
    Cut(prop::sample::Index),
    /// Something follows.
    Longer(Vec<u8>),
    /// It is this.
    Other(Vec<u8>),
}

fn harm() -> impl Strategy<Value = Harm> {
    let byte = || prop_oneof![any::<u8>(), Just(0), Just(255)];
    let place = || any::<prop::sample::Index>();
    prop_oneof![
        (prop::collection::vec((place(), byte()), 1..6), any::<bool>())
            .prop_map(|(bytes, sums)| Harm::Bytes(bytes, sums)),
        (prop::collection::vec((place(), byte()), 1..6)).prop_map(|bytes| Harm::Bytes(bytes, true)),
        place().prop_map(Harm::Cut),
        prop::collection::vec(byte(), 1..200).prop_map(Harm::Longer),
        prop::collection::vec(byte(), 0..400).prop_map(Harm::Other),
    ]
}

impl Harm {
    fn done_to(&self, whole: &[u8]) -> Vec<u8> {
        let mut bytes = whole.to_vec();
        match self {
            Self::Bytes(changes, with_sums) => {
                for (place, value) in changes {
                    // The numbers of the header are where harm is done.
                    let length = if *with_sums { 128.min(bytes.len()) } else { bytes.len() };
                    bytes[place.index(length)] = *value;
                }
                if *with_sums {
                    let body = crc32fast::hash(&bytes[128..]).to_le_bytes();
                    bytes[80..84].copy_from_slice(&body);
                    let head = crc32fast::hash(&bytes[..84]).to_le_bytes();
                    bytes[84..88].copy_from_slice(&head);
                }
            }
            Self::Cut(place) => bytes.truncate(place.index(bytes.len())),
            Self::Longer(more) => bytes.extend(more),
            Self::Other(other) => bytes.clone_from(other),
        }
        bytes
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn no_file_of_codes_does_harm(harms in prop::collection::vec(harm(), 1..8)) {
        thread_local!(static LIBRARY: Fixture = library());
        LIBRARY.with(|fixture| {
            let path = codes_path(fixture);
            let whole = fs::read(&path).unwrap();
            for harm in &harms {
                let harmed = harm.done_to(&whole);
                fs::remove_file(&path).unwrap();
                fs::write(&path, &harmed).unwrap();
                let store = SqliteStore::open(&fixture.path()).unwrap();
                let believed = store.codes_state().unwrap().is_some();
                let found = nearest(&store, "apple note 3", 7);
                // A file that is not believed is made good by comparing all; one with right sums may be wrong, but no panic.
                if !believed {
                    assert_eq!(scores(&found), scores(&nearest(&plain(fixture), "apple note 3", 7)), "{harm:?}");
                }
                let untouched = matches!(harm, Harm::Bytes(_, true)) || harmed == whole;
                assert!(untouched || !believed, "{harm:?} is believed");
            }
            fs::remove_file(&path).unwrap();
            fs::write(&path, &whole).unwrap();
        });
    }
}
