//! Hybrid search while passages lack vectors: it is no worse than keyword search, whichever are missing.
//! `scripts/quality/missing-vectors` measures the same on any notes and questions.

use std::path::{Path, PathBuf};

use crate::ranking::{folder, notes};

/// The tolerated loss against keyword search.
const TOLERATED: f64 = 0.01;

/// Returns a data directory with the index of tests/quality, without the first `percent` of its vectors in that order.
fn without(beside: &Path, percent: i64, order: &str) -> PathBuf {
    let data = beside.join(format!("{percent}-{}", order.len()));
    std::fs::create_dir(&data).unwrap();
    let copy = data.join("index.db");
    notes().open_database().execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    let copy = rusqlite::Connection::open(copy).unwrap();
    copy.pragma_update(None, "foreign_keys", true).unwrap();
    let all: i64 = copy.query_row("SELECT count(*) FROM vectors", [], |row| row.get(0)).unwrap();
    let wanted = (all * percent + 50) / 100;
    let sql = format!("SELECT id FROM vectors ORDER BY {order} LIMIT ?1");
    let mut gone = copy.prepare(&sql).unwrap();
    let gone: Vec<i64> = gone.query_map([wanted], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(gone.len() as i64, wanted);
    gone.into_iter().for_each(|id| remove(&copy, id));
    data
}

/// Removes a vector of 384 values: its passages get their input hash back, and its slot in its block holds NaN.
fn remove(index: &rusqlite::Connection, id: i64) {
    let sql = "UPDATE passages SET vector_id = NULL,
                      input_hash = coalesce(input_hash, (SELECT content_hash FROM vectors WHERE id = ?1))
               WHERE vector_id = ?1";
    index.execute(sql, [id]).unwrap();
    index.execute("DELETE FROM vectors WHERE id = ?1", [id]).unwrap();
    let (group, place) = ((id % 480 / 32) as usize, (id % 32) as usize);
    let offset = 2 + 384 + group * 32 * (384 / 4 + 5) + 32 * 384 / 4 + 2 * place;
    let mut block = index.blob_open("main", "vector_blocks", "codes", id / 480, false).unwrap();
    block.write_all_at(&0x7FC0_u16.to_le_bytes(), offset).unwrap();
}

/// Returns nDCG@10 over the questions of tests/quality.
fn ndcg(data: &Path, mode: &str) -> f64 {
    let questions = folder().join("queries.jsonl");
    let command = notes().tars(["eval", questions.to_str().unwrap(), "--json", "--mode", mode]);
    let report = command.env("TARS_DATA_DIR", data).run().success().json();
    report["modes"][0]["overall"]["ndcg@10"].as_f64().unwrap()
}

#[test]
#[ignore = "nightly: ten evaluations of a set, 2 minutes"]
fn hybrid_search_is_not_worse_than_keywords_while_vectors_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let words = ndcg(&notes().data(), "keyword");
    // Rows are in the order of embedding; the last order is pseudo-random.
    for order in ["id", "id DESC", "id * 7919 % 1009"] {
        for percent in [10, 50, 90] {
            let hybrid = ndcg(&without(folder.path(), percent, order), "hybrid");
            assert!(hybrid > words - TOLERATED, "{percent} % by {order}: {hybrid} against {words} by words");
        }
    }
    let none = ndcg(&without(folder.path(), 100, "id"), "hybrid");
    assert!((none - words).abs() < 1e-9, "without vectors it equals keyword search: {none} against {words}");
}
