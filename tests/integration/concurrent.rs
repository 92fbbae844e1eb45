//! Simultaneous and interrupted runs: the index stays intact and the next run completes it.

use std::fs::{self, File};

use crate::harness::{Running, TarsCommand, TestVault, eventually};

const QUESTIONS: &[&str] =
    &["walrus", "otter seen in the north", "note 7", "which day was the puffin seen", "tusks", "fish near the shore"];

/// Writes `count` different notes; `edition` distinguishes one writing from the next.
fn fill(vault: &TestVault, count: usize, edition: usize) {
    let subjects = ["walrus", "otter", "puffin", "whale", "lynx"];
    for n in 0..count {
        let (subject, other) = (subjects[n % 5], subjects[(n + edition + 1) % 5]);
        let text = format!(
            "# Note {n}\n\nOn day {n} the {subject} was seen in the north, edition {edition}.\n\n## Later\n\n\
             Then the {other} came for fish near the shore, {n} times.\n"
        );
        vault.write(&format!("folder-{}/{n}.md", n % 3), text);
    }
}

/// Numbers that are the same in every run (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

/// Asserts that the index has no dangling rows.
#[track_caller]
fn is_sound(vault: &TestVault) {
    let database = vault.open_database();
    let text = |sql: &str| -> String { database.query_row(sql, [], |row| row.get(0)).unwrap() };
    let number = |sql: &str| -> i64 { database.query_row(sql, [], |row| row.get(0)).unwrap() };
    assert_eq!(text("PRAGMA integrity_check"), "ok");
    assert_eq!(number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    database.execute("INSERT INTO chunks_fts(chunks_fts) VALUES('integrity-check')", []).unwrap();
    for (what, sql) in [
        ("chunks without a file", "SELECT count(*) FROM chunks WHERE file_id NOT IN (SELECT id FROM files)"),
        ("passages without a chunk", "SELECT count(*) FROM passages WHERE chunk_id NOT IN (SELECT id FROM chunks)"),
        ("chunks without a passage", "SELECT count(*) FROM chunks WHERE id NOT IN (SELECT chunk_id FROM passages)"),
        (
            "vectors that nobody uses",
            "SELECT count(*) FROM vectors WHERE id NOT IN (SELECT vector_id FROM passages WHERE vector_id IS NOT NULL)",
        ),
        (
            "full text without a chunk",
            "SELECT count(*) FROM chunks_fts_docsize WHERE id NOT IN (SELECT id FROM chunks)",
        ),
        ("chunks without full text", "SELECT count(*) FROM chunks WHERE id NOT IN (SELECT id FROM chunks_fts_docsize)"),
        ("tags without a file", "SELECT count(*) FROM tags WHERE file_id NOT IN (SELECT id FROM files)"),
        ("retired ids that live", "SELECT count(*) FROM retired WHERE chunk_key IN (SELECT chunk_key FROM chunks)"),
    ] {
        assert_eq!(number(sql), 0, "{what}");
    }
}

/// Returns every result of every query, best first. The order of results with equal scores depends on how the
/// index grew; here it depends on their paths.
fn answers(vault: &TestVault, data: &str) -> Vec<String> {
    let input: String = QUESTIONS.iter().map(|question| format!("\"{question}\"\n")).collect();
    let batch = vault.tars(["search", "--batch", "-", "-n", "1000"]).env("TARS_DATA_DIR", vault.home().join(data));
    let mut lines = Vec::new();
    for answer in batch.stdin(input).run().success().json_lines() {
        assert_eq!(answer["degraded"], serde_json::Value::Null);
        let mut hits = answer["results"].as_array().unwrap().clone();
        let key = |hit: &serde_json::Value| (hit["score"].to_string(), hit["path"].to_string(), hit["id"].to_string());
        hits.sort_by(|left, right| {
            right["score"].as_f64().partial_cmp(&left["score"].as_f64()).unwrap().then(key(left).cmp(&key(right)))
        });
        lines.extend(hits.iter().map(|hit| {
            format!(
                "{}: {} {}:{}-{} {} {}",
                answer["query"],
                hit["score"],
                hit["path"],
                hit["start_line"],
                hit["end_line"],
                hit["id"],
                hit["matched_by"]
            )
        }));
    }
    lines
}

/// Asserts that the index is intact and answers like one that was made in one run.
#[track_caller]
fn equals_a_fresh_one(vault: &TestVault) {
    is_sound(vault);
    vault.tars(["index"]).env("TARS_DATA_DIR", vault.home().join("fresh")).run().success();
    let (grown, fresh) = (answers(vault, "data"), answers(vault, "fresh"));
    assert!(!fresh.is_empty());
    assert_eq!(grown, fresh);
    fs::remove_dir_all(vault.home().join("fresh")).unwrap();
}

#[test]
fn a_second_indexer_waits_and_says_so() {
    let vault = TestVault::of_words();
    fill(&vault, 5, 0);
    vault.index();
    let lock = File::options().write(true).open(vault.data().join("index.lock")).unwrap();
    lock.lock().unwrap();
    vault.write("new.md", "narwhal\n");
    let mut waiting = vault.tars(["index"]).start();
    waiting.wait_for("another tars is indexing: waiting for it to finish");
    assert!(!waiting.has_ended());
    // A search need not wait.
    assert_eq!(vault.found(&["sgrep", "whale", "-n", "1"]).len(), 1);
    vault.tars(["sgrep", "narwhal"]).run().code(1);
    lock.unlock().unwrap();
    waiting.finish().success();
    assert_eq!(vault.found(&["sgrep", "narwhal"]), ["new.md"]);
}

#[test]
fn two_indexers_at_once_both_succeed() {
    let vault = TestVault::new();
    fill(&vault, 12, 0);
    for edition in 1..3 {
        let both: Vec<Running> = (0..2).map(|_| vault.tars(["index", "--json"]).start()).collect();
        let reports: Vec<_> = both.into_iter().map(|run| run.finish().success().json()).collect();
        let embedded: u64 = reports.iter().map(|report| report["embedded"].as_u64().unwrap()).sum();
        assert!(embedded <= 24, "{embedded} passages embedded by two runs over 24");
        is_sound(&vault);
        assert_eq!(vault.count("SELECT count(*) FROM files"), 12);
        assert_eq!(vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL"), 0);
        fill(&vault, 12, edition);
    }
    vault.index();
    equals_a_fresh_one(&vault);
}

#[test]
fn searches_during_indexing_never_fail() {
    let vault = TestVault::of_words();
    fill(&vault, 300, 0);
    let mut indexing = vault.tars(["index"]).start();
    eventually("the index is there", || vault.database().exists());
    let mut asked = 0;
    while !indexing.has_ended() || asked < 3 {
        let output = vault.tars(["sgrep", "walrus", "--json"]).run();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output}");
        assert!(output.stderr().is_empty(), "{output}");
        asked += 1;
    }
    indexing.finish().success();
    // The same during a full rewrite.
    fill(&vault, 300, 1);
    let mut indexing = vault.tars(["index"]).start();
    while !indexing.has_ended() {
        let hits = vault.search(&["sgrep", "walrus", "-n", "100"]);
        // A search sees one state of the index, never half of two.
        let told = |hit: &serde_json::Value| hit["content"].as_str().unwrap().contains("walrus");
        assert!(!hits.is_empty() && hits.iter().all(told), "{hits:?}");
    }
    indexing.finish().success();
    is_sound(&vault);
}

/// Kills a run once the index has reached the state `reached`, or lets it end.
fn kill_when(vault: &TestVault, arguments: &[&str], dice: &mut Dice, mut reached: impl FnMut() -> bool) {
    let mut run = vault.tars(arguments).start();
    eventually("the run got somewhere", || reached() || run.has_ended());
    for _ in 0..dice.below(2_000_000) {
        std::hint::spin_loop();
    }
    run.kill();
}

#[test]
fn an_indexer_killed_while_reading_resumes() {
    let vault = TestVault::of_words();
    let mut dice = Dice(1);
    fill(&vault, 150, 0);
    // Killed while it creates the database.
    kill_when(&vault, &["index"], &mut dice, || vault.data().exists());
    kill_when(&vault, &["index"], &mut dice, || vault.database().exists());
    for round in 1..=6 {
        let goal = vault.count("SELECT coalesce(max(id), 0) FROM chunks") + dice.below(150) as i64;
        kill_when(&vault, &["index"], &mut dice, || vault.count("SELECT coalesce(max(id), 0) FROM chunks") >= goal);
        is_sound(&vault);
        fill(&vault, 150 - 10 * round, round);
        vault.rename(&format!("folder-0/{}.md", 3 * round), &format!("moved/{round}.md"));
        vault.remove(&format!("folder-1/{}.md", 150 - 3 * round + 1 - 3));
    }
    vault.index();
    equals_a_fresh_one(&vault);
}

#[test]
#[ignore = "nightly: embeds many notes, 10 s"]
fn an_indexer_killed_while_embedding_resumes() {
    let vault = TestVault::new();
    let mut dice = Dice(2);
    fill(&vault, 30, 0);
    let embedded = || vault.count("SELECT count(*) FROM passages WHERE vector_id IS NOT NULL");
    for (round, arguments) in [&["index"][..], &["index"], &["index", "--full"], &["index"]].into_iter().enumerate() {
        // A run with --full remakes the vectors in place.
        let waiting = || vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL OR again = 1");
        let goal = 1 + dice.below(30) as i64;
        let mut most = 0;
        kill_when(&vault, arguments, &mut dice, || {
            most = waiting().max(most);
            most - waiting() >= goal
        });
        is_sound(&vault);
        fill(&vault, 10, round + 1);
    }
    let report = vault.index();
    assert_eq!(report["pending"], 0);
    assert_eq!(embedded(), vault.count("SELECT count(*) FROM passages"));
    equals_a_fresh_one(&vault);
}

#[test]
fn an_interrupt_stops_at_a_safe_point_and_the_next_run_completes() {
    let vault = TestVault::new();
    fill(&vault, 40, 0);
    let run = vault.tars(["index", "--json"]).start();
    eventually("the words are in", || vault.count("SELECT count(*) FROM files") == 40);
    TarsCommand::of_program("kill", vault.home()).args(["-INT", &run.id().to_string()]).run().success();
    let output = run.finish().code(130);
    assert_eq!(output.json()["interrupted"], true);
    is_sound(&vault);
    assert_eq!(vault.tars(["status", "--json"]).run().success().json()["last_index"], serde_json::Value::Null);
    let shown = vault.tars(["status"]).run().success();
    assert!(shown.stdout().contains("last index   not finished: the words of 40 notes are in"), "{shown}");
    assert!(!vault.search(&["sgrep", "walrus"]).is_empty());
    let report = vault.index();
    assert_eq!((report["interrupted"].as_bool(), report["pending"].as_u64()), (Some(false), Some(0)));
    equals_a_fresh_one(&vault);
}
