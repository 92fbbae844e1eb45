use std::collections::BTreeMap;

use super::*;
use crate::sqlite::quantized;

#[test]
fn pending_passages_are_counted_by_an_index_alone() {
    let fixture = Fixture::new();
    let plan = "EXPLAIN QUERY PLAN SELECT count(*) FROM passages WHERE vector_id IS NULL";
    let step: String = fixture.store.connection.query_row(plan, [], |row| row.get(3)).unwrap();
    assert!(step.contains("COVERING INDEX passages_pending"), "{step}");
}

/// A hundred notes of ten passages each, which take three blocks.
fn hundred_notes() -> Fixture {
    let mut fixture = Fixture::new();
    for note in 0..100 {
        put(&mut fixture, note, 0);
    }
    fixture.embed();
    fixture
}

fn put(fixture: &mut Fixture, note: usize, edition: usize) {
    let lines: Vec<String> = (0..10).map(|line| format!("note {note} line {line} edition {edition}")).collect();
    let chunks: Vec<&str> = lines.iter().map(String::as_str).collect();
    fixture.put(&draft(&format!("{note}.md"), &chunks));
}

/// Returns the similarities of the chunks nearest to a text, best first.
fn scores(fixture: &Fixture, text: &str, limit: usize) -> Vec<f64> {
    let found = fixture.reader().nearest(&vector(text), &model(), None, limit).unwrap();
    found.into_iter().map(|one| one.score).collect()
}

/// Checks `nearest` against a comparison with all rows.
fn check_answers(fixture: &Fixture, what: &str) {
    fixture.check();
    assert_eq!(SqliteStore::examine(&fixture.path()).unwrap(), [], "{what}");
    let all: Vec<_> = fixture.reader().files(fixture.collection).unwrap();
    let all: Vec<ChunkRef> = all.iter().flat_map(|file| fixture.chunks_of(&file.path)).map(|chunk| chunk.row).collect();
    for text in ["note 7 line 3 edition 0", "note 50 line 5 edition 1", "edition 2", "nothing of the kind"] {
        let mut near = fixture.reader().similarities(&vector(text), &model(), &all).unwrap();
        near.sort_by(|one, other| other.score.total_cmp(&one.score));
        for limit in [1, 10, 60] {
            let wanted: Vec<f64> = near.iter().take(limit).map(|one| one.score).collect();
            // Each chunk here has a single passage, so its mean equals its nearest.
            let found = scores(fixture, text, limit);
            assert_eq!(found.len(), wanted.len(), "{what}: {text}");
            let is_found = |wanted: &&f64| found.iter().any(|found| (found - **wanted).abs() < 1e-12);
            let missed = wanted.iter().filter(|wanted| !is_found(wanted)).count();
            // Levels of 64 values are less precise than those of a real model.
            assert!(missed <= limit / 10, "{what}: {text}: {missed} of {limit} missed");
        }
    }
}

fn blocks(fixture: &Fixture) -> BTreeMap<i64, i64> {
    let mut blocks = BTreeMap::new();
    for id in quantized::examine(&fixture.store.connection).unwrap().occupied {
        *blocks.entry(id / 480).or_default() += 1;
    }
    blocks
}

#[test]
fn answers_match_a_comparison_with_all_rows() {
    let mut fixture = hundred_notes();
    check_answers(&fixture, "new");
    assert_eq!(blocks(&fixture), BTreeMap::from([(0, 480), (1, 480), (2, 40)]));
    for note in (0..100).step_by(3) {
        put(&mut fixture, note, 1);
    }
    check_answers(&fixture, "some wait");
    fixture.embed();
    check_answers(&fixture, "edited");
    for note in (0..100).step_by(2) {
        put(&mut fixture, note, 2);
    }
    fixture.embed();
    check_answers(&fixture, "edited again");
    let gone = fixture.reader().files(fixture.collection).unwrap().into_iter().step_by(4).map(|file| file.id);
    let gone: Vec<FileId> = gone.collect();
    fixture.store.remove_files(&gone).unwrap();
    check_answers(&fixture, "some removed");
}

#[test]
fn slots_of_removed_vectors_are_reused() {
    let mut fixture = hundred_notes();
    let bytes = |fixture: &Fixture| fixture.count("SELECT sum(length(codes)) FROM vector_blocks");
    let before = bytes(&fixture);
    for edition in 1..8 {
        for note in 0..40 {
            put(&mut fixture, note, edition);
        }
        fixture.embed();
    }
    assert_eq!((bytes(&fixture), fixture.count("SELECT max(id) FROM vectors")), (before, 999));
    check_answers(&fixture, "after many edits");
}

#[test]
fn an_empty_block_is_deleted() {
    let mut fixture = hundred_notes();
    let all = fixture.reader().files(fixture.collection).unwrap();
    let of = |notes: std::ops::Range<usize>| -> Vec<FileId> {
        let is_in = |path: &str| notes.contains(&path.trim_end_matches(".md").parse::<usize>().unwrap());
        all.iter().filter(|file| is_in(&file.path)).map(|file| file.id).collect()
    };
    // Files are embedded newest first; here all have the same age, so they are embedded in row order.
    fixture.store.remove_files(&of(0..48)).unwrap();
    assert_eq!(blocks(&fixture), BTreeMap::from([(1, 480), (2, 40)]));
    assert_eq!(fixture.count("SELECT count(*) FROM vector_blocks"), 2);
    assert_eq!(fixture.count("SELECT count(*) FROM vacant_places"), 0);
    check_answers(&fixture, "without the first block");
    put(&mut fixture, 200, 0);
    fixture.embed();
    check_answers(&fixture, "with new vectors");
    fixture.store.remove_files(&of(48..100)).unwrap();
    let last = fixture.file("200.md").id;
    fixture.store.remove_files(&[last]).unwrap();
    assert_eq!(fixture.count("SELECT count(*) FROM vector_blocks"), 0);
    assert!(scores(&fixture, "note", 5).is_empty());
    fixture.check();
}

#[test]
fn similarities_do_not_depend_on_the_slot() {
    let one = hundred_notes();
    let mut other = Fixture::new();
    for note in (0..100).rev() {
        put(&mut other, note, 0);
        if note % 7 == 0 {
            other.embed();
        }
    }
    other.embed();
    for text in ["note 7 line 3 edition 0", "note 50 line 5"] {
        assert_eq!(scores(&one, text, 10), scores(&other, text, 10), "{text}");
    }
}

#[test]
fn damaged_blocks_are_reported_and_questions_still_answered() {
    let fixture = hundred_notes();
    let flaws = |sql: &str| -> Vec<String> {
        let copy = fixture.folder().join("copy.db");
        let _ = std::fs::remove_file(&copy);
        fixture.store.copy_to(&copy).unwrap();
        let connection = Connection::open(&copy).unwrap();
        connection.execute_batch(sql).unwrap();
        drop(connection);
        let store = SqliteStore::open_existing(&copy).unwrap();
        store.snapshot().unwrap().nearest(&vector("note 7 line 3"), &model(), None, 10).unwrap();
        SqliteStore::examine(&copy).unwrap().into_iter().map(|flaw| flaw.detail).collect()
    };
    assert_eq!(flaws("DELETE FROM vector_blocks WHERE id = 1"), ["480 vectors are missing from the blocks"]);
    assert_eq!(
        flaws("UPDATE vector_blocks SET codes = x'00' WHERE id = 2"),
        ["40 vectors are missing from the blocks"]
    );
    assert_eq!(
        flaws("UPDATE vectors SET rest = x'00' WHERE id = 3"),
        ["1 vectors do not have 40 bytes like the others", "1 block slots belong to no vector"]
    );
    assert_eq!(
        flaws("UPDATE vectors SET rest = (SELECT rest FROM vectors WHERE id = 4) WHERE id = 3"),
        ["1 block slots do not match their vectors"]
    );
    let vacant = "UPDATE vector_blocks SET codes = CAST(substr(codes, 1, length(codes) - 500) || x'07' || substr(codes, -499) AS BLOB)
                  WHERE id = 2";
    assert_eq!(flaws(vacant), ["1 block slots do not match their vectors"]);
}
