use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Words with distinct stems.
const WORDS: [&str; 8] = ["zebra", "quartz", "violin", "harbor", "copper", "meadow", "lantern", "orchid"];
const PATHS: [&str; 4] = ["a.md", "b.md", "dir/c.md", "dir/d.md"];

#[derive(Debug, Clone)]
enum Operation {
    Put(&'static str, Vec<String>, bool),
    Move(&'static str, &'static str),
    Remove(Vec<&'static str>),
    Embed,
    Adopt(u8),
    Reopen,
}

fn operation() -> impl Strategy<Value = Operation> {
    let line = vec(select(&WORDS[..]), 1..4).prop_map(|words| words.join(" "));
    let chunk = vec(line, 0..3).prop_map(|lines| lines.join("\n"));
    prop_oneof![
        6 => (select(&PATHS[..]), vec(chunk, 0..5), prop::bool::weighted(0.1))
            .prop_map(|(path, chunks, again)| Operation::Put(path, chunks, again)),
        2 => (select(&PATHS[..]), select(&PATHS[..])).prop_map(|(from, to)| Operation::Move(from, to)),
        2 => vec(select(&PATHS[..]), 0..3).prop_map(Operation::Remove),
        3 => Just(Operation::Embed),
        1 => (0..2u8).prop_map(Operation::Adopt),
        1 => Just(Operation::Reopen),
    ]
}

/// The expected index: the chunks of each file.
type Expected = BTreeMap<&'static str, Vec<String>>;

fn apply(fixture: &mut Fixture, expected: &mut Expected, operation: Operation) {
    match operation {
        Operation::Put(path, chunks, embed_again) => {
            fixture.put(&Draft { chunks: chunks.clone(), embed_again, ..draft(path, &[]) });
            expected.insert(path, chunks);
        }
        Operation::Move(from, to) => {
            if from == to || !expected.contains_key(from) {
                return;
            }
            let chunks = expected.remove(from).unwrap();
            let moved_from = Some(fixture.file(from).id);
            fixture.put(&Draft { chunks: chunks.clone(), moved_from, title: format!("At {to}"), ..draft(to, &[]) });
            expected.insert(to, chunks);
        }
        Operation::Remove(paths) => {
            let known = paths.iter().filter(|path| expected.contains_key(*path));
            let ids: Vec<FileId> = known.map(|path| fixture.file(path).id).collect();
            fixture.store.remove_files(&ids).unwrap();
            expected.retain(|path, _| !paths.contains(path));
        }
        Operation::Embed => {
            fixture.embed();
            let statistics = fixture.reader().statistics().unwrap();
            assert_eq!((statistics.embedded, fixture.reader().pending_file_count().unwrap()), (statistics.passages, 0));
        }
        Operation::Adopt(number) => {
            fixture.store.adopt_model(&ModelId::new(format!("model:{number}"))).unwrap();
        }
        Operation::Reopen => *fixture.store = SqliteStore::open(&fixture.path()).unwrap(),
    }
}

fn compare(fixture: &Fixture, expected: &Expected) -> Result<(), TestCaseError> {
    for word in WORDS {
        let mut found = fixture.find(word);
        found.sort();
        let mut wanted = Vec::new();
        for (path, chunks) in expected {
            let holding = chunks.iter().zip(0..).filter(|(chunk, _)| chunk.contains(word));
            wanted.extend(holding.map(|(_, sequence)| place(path, sequence)));
        }
        prop_assert_eq!(found, wanted, "{}", word);
    }
    let statistics = fixture.reader().statistics().unwrap();
    prop_assert_eq!(statistics.files, expected.len());
    prop_assert_eq!(statistics.chunks, expected.values().map(Vec::len).sum::<usize>());
    // Every stored vector belongs to a text of its passages, under one title or another.
    let nearest = fixture.reader().nearest(&vector(WORDS[0]), &model(), None, 1000).unwrap();
    prop_assert!(nearest.len() <= statistics.chunks);
    let adopted = fixture.reader().meta("model").unwrap();
    prop_assert!(nearest.is_empty() || adopted.as_deref() == Some(model().as_str()));
    prop_assert!(statistics.embedded == 0 || adopted.is_some());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn tables_stay_consistent_after_any_operations(operations in vec(operation(), 1..16)) {
        let mut fixture = Fixture::new();
        let mut expected = Expected::new();
        for operation in operations {
            apply(&mut fixture, &mut expected, operation);
            fixture.check();
        }
        compare(&fixture, &expected)?;
    }

    #[test]
    fn any_question_can_be_answered(question in "\\PC{0,60}", text in "\\PC{0,60}") {
        let mut fixture = Fixture::new();
        fixture.put(&draft("a.md", &[&text]));
        let list = fixture.reader().lexical(&words(&question), None, 5).unwrap();
        let ceiling = fixture.reader().weights(&words(&question)).unwrap().ceiling();
        prop_assert!(list.iter().all(|one| one.score > 0.0 && one.score <= ceiling + 1e-9));
        fixture.check();
    }
}

#[test]
fn a_copy_gives_the_same_answers_and_changes_independently() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("a.md", &["zebra here", "zebra there"]));
    fixture.embed();
    let path = fixture.folder().join("it's a copy.db");
    fixture.store.copy_to(&path).unwrap();
    let mut copy = SqliteStore::open_existing(&path).unwrap();
    assert_eq!(copy.snapshot().unwrap().statistics().unwrap(), fixture.reader().statistics().unwrap());
    let found = |store: &SqliteStore| store.snapshot().unwrap().lexical(&words("zebra"), None, 10).unwrap();
    assert_eq!(found(&copy), found(&fixture.store));
    let near =
        |store: &SqliteStore| store.snapshot().unwrap().nearest(&vector("zebra there"), &model(), None, 10).unwrap();
    assert_eq!((near(&copy).len(), near(&copy)), (2, near(&fixture.store)));
    let file = copy.snapshot().unwrap().files(fixture.collection).unwrap().remove(0);
    copy.remove_files(&[file.id]).unwrap();
    assert_eq!((found(&copy).len(), found(&fixture.store).len()), (0, 2));
    fixture.check();
    // An existing file is not overwritten.
    assert!(matches!(fixture.store.copy_to(&path), Err(StoreError::Open { .. })));
    assert_eq!(copy.snapshot().unwrap().statistics().unwrap().files, 0);
}

#[test]
fn take_over_replaces_the_whole_content_at_once() {
    let mut fixture = Fixture::new();
    fixture.put(&draft("a.md", &["zebra here", "zebra there"]));
    fixture.embed();
    let path = fixture.folder().join("other.db");
    fixture.store.copy_to(&path).unwrap();
    let mut other = SqliteStore::open_existing(&path).unwrap();
    let file = other.snapshot().unwrap().files(fixture.collection).unwrap().remove(0);
    other.remove_files(&[file.id]).unwrap();
    let next = ModelId::new("model:2");
    other.adopt_model(&next).unwrap();
    drop(other);

    let own = fixture.store.path.clone();
    let found = |reader: &dyn Reader| reader.lexical(&words("zebra"), None, 10).unwrap().len();
    let near = |reader: &dyn Reader| reader.nearest(&vector("zebra there"), &model(), None, 10).unwrap().len();
    let asked = SqliteStore::open_existing(&own).unwrap();
    let held = asked.snapshot().unwrap();
    assert_eq!((found(&*held), near(&*held)), (2, 2));
    let taking: Box<dyn Maintenance> = Box::new(SqliteStore::open_existing(&own).unwrap());
    taking.replace_content(&path).unwrap();
    assert_eq!((found(&*held), near(&*held)), (2, 2), "an open snapshot keeps its state");
    drop(held);
    let now = asked.snapshot().unwrap();
    assert_eq!((found(&*now), near(&*now)), (0, 0));
    assert_eq!(now.meta("model").unwrap().as_deref(), Some("model:2"));
    drop(now);
    drop(asked);
    // Connections opened earlier continue with the new content.
    fixture.put(&draft("b.md", &["quartz"]));
    assert_eq!(found(&*SqliteStore::open_existing(&own).unwrap().snapshot().unwrap()), 0);
    fixture.check();
    let missing: Box<dyn Maintenance> = Box::new(SqliteStore::open_existing(&own).unwrap());
    assert!(missing.replace_content(&fixture.folder().join("none.db")).is_err());
    fixture.check();
}
