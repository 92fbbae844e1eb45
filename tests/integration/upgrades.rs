//! Indexes of every earlier schema, and of a later one.

use std::fs;

use crate::harness::TestVault;

/// A schema's name, and the statements that create its database.
const SCHEMAS: &[(&str, &str)] = &[
    ("1-first", include_str!("schemas/1-first.sql")),
    ("1-left-out", include_str!("schemas/1-left-out.sql")),
    ("2-pending", include_str!("schemas/2-pending.sql")),
    ("3-version", include_str!("schemas/3-version.sql")),
    ("4-changes", include_str!("schemas/4-changes.sql")),
    ("5-bytes", include_str!("schemas/5-bytes.sql")),
    ("6-whole-hashes", include_str!("schemas/6-whole-hashes.sql")),
    ("6-small-rows", include_str!("schemas/6-small-rows.sql")),
    ("8-one-form", include_str!("schemas/8-one-form.sql")),
];

/// Returns a vault whose index an earlier version made.
fn made_by_an_earlier_version(schema: &str) -> TestVault {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").settle("a.md").write("b.md", "# Sea\n\n## Deep\n\ndugong\n").settle("b.md");
    tars_base::private::create_folder(&vault.data()).unwrap();
    let root = fs::canonicalize(vault.root()).unwrap();
    let database = vault.open_database();
    let _: String = database.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).unwrap();
    database.execute_batch(&schema.replace("@ROOT@", root.to_str().unwrap())).unwrap();
    vault
}

#[test]
fn an_index_of_any_earlier_schema_answers_and_is_migrated() {
    for (name, schema) in SCHEMAS {
        let vault = made_by_an_earlier_version(schema);
        let output = vault.tars(["sgrep", "walrus", "--no-sync", "--json"]).run().success();
        assert_eq!(output.json()["results"][0]["path"], "a.md", "{name}\n{output}");
        let report = vault.index();
        assert!(report["set_aside"].is_null(), "{name} is converted, not rebuilt: {report}");
        assert_eq!(
            (vault.found(&["sgrep", "dugong"]), vault.found(&["sgrep", "otter"]).len()),
            (vec!["b.md".into()], 0)
        );
        vault.tars(["doctor"]).run().success();
        let hits = vault.search(&["sgrep", "dugong"]);
        assert_eq!((&hits[0]["heading"], &hits[0]["line"]), (&"Sea > Deep".into(), &5.into()), "{name}");
        let columns = "SELECT count(*) FROM pragma_table_info('left_out') WHERE name = 'ctime_ns'";
        assert_eq!(vault.count(columns), 1, "{name}");
        assert_eq!(vault.count("SELECT count(*) FROM pragma_table_info('former_vectors')"), 3, "{name}");
    }
}

#[test]
fn vectors_of_an_earlier_schema_are_reused_or_dropped() {
    for (name, schema) in SCHEMAS {
        let vault = made_by_an_earlier_version(schema);
        vault.tars(["status"]).run().success();
        let wrong = "SELECT count(*) FROM vectors WHERE typeof(content_hash) <> 'integer' OR length(rest) <> 10";
        assert_eq!(vault.count(wrong), 0, "{name}");
    }
}

#[test]
fn an_index_of_a_later_schema_stays_unchanged() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    vault.open_database().execute_batch("CREATE TABLE later(x); PRAGMA user_version = 999;").unwrap();
    let before = fs::read(vault.database()).unwrap();
    for arguments in
        [&["index"][..], &["index", "--full"], &["sgrep", "walrus"], &["status"], &["doctor"], &["doctor", "--repair"]]
    {
        vault.tars(arguments).run().code(2).says(&["was made by a newer tars", "try: update tars"]);
    }
    assert!(fs::read(vault.database()).unwrap() == before, "the index was changed");
    let log = vault.data().join("index.db-wal");
    assert!(fs::metadata(log).map_or(0, |log| log.len()) == 0, "the log holds a write");
}
