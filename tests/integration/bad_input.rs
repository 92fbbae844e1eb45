//! Every error names its cause and a remedy, and does no harm.

use std::fs;

use crate::harness::{Output, TarsCommand, TestVault, models};
use crate::models::link;
use crate::untouched::contents;

/// Asserts that a command fails with one message and one hint, and prints no data.
#[track_caller]
pub(crate) fn refused(output: Output, texts: &[&str]) {
    let output = output.code(2).says(texts);
    assert!(output.stdout().is_empty(), "{output}");
    assert!(output.stderr().lines().all(|line| line.starts_with("tars: ")), "{output}");
    assert!(!output.stderr().contains("panicked"), "{output}");
}

#[test]
fn no_vault() {
    let vault = TestVault::of_words().without("TARS_VAULT");
    for arguments in [&["index"][..], &["status"]] {
        refused(vault.tars(arguments).run(), &["no vault is set", "try: tars init FOLDER"]);
    }
    refused(vault.tars(["init"]).run(), &["no vault is named", "try: tars init FOLDER"]);
    assert!(!vault.data().exists());
}

#[test]
fn a_question_before_any_vault_is_set_names_init() {
    let vault = TestVault::of_words().without("TARS_VAULT");
    for arguments in [
        &["search", "words"][..],
        &["sgrep", "words"],
        &["svec", "words"],
        &["search", "--no-sync", "words"],
        &["context", "--query", "words"],
        &["expand", "abcd"],
    ] {
        refused(vault.tars(arguments).run(), &["no vault is set", "try: tars init FOLDER"]);
    }
}

#[test]
fn a_missing_vault() {
    let vault = TestVault::of_words();
    let vault = vault.with("TARS_VAULT", "nowhere");
    refused(vault.tars(["index"]).run(), &["nowhere", "is not there", "try: mount it"]);
}

#[test]
fn a_vault_that_is_a_file() {
    let vault = TestVault::of_words();
    fs::write(vault.home().join("file"), "text").unwrap();
    let vault = vault.with("TARS_VAULT", "file");
    refused(vault.tars(["index"]).run(), &["file"]);
    assert_eq!(fs::read_to_string(vault.home().join("file")).unwrap(), "text");
}

#[test]
fn an_empty_vault() {
    let vault = TestVault::of_words();
    let output = vault.tars(["index"]).run().success().says(&["there are no notes to index"]);
    assert!(output.stdout().starts_with("indexed 0 notes"), "{output}");
    vault.tars(["search", "walrus"]).run().code(1).says(&["the index is empty"]);
    vault.tars(["status"]).run().success();
}

#[test]
fn no_index_yet() {
    let vault = TestVault::of_words();
    for arguments in [&["search", "walrus"][..], &["expand", "abcdef"], &["search", "--batch", "-"]] {
        refused(vault.tars(arguments).run(), &["no index at", "index.db", "try: tars index"]);
    }
    vault.tars(["status"]).run().success();
    assert!(!vault.data().exists(), "a search creates no index");
}

#[test]
fn a_path_outside_the_vault() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    let outside = vault.home().join("outside.md");
    fs::write(&outside, "otter\n").unwrap();
    refused(
        vault.tars(["index"]).arg(&outside).run(),
        &["outside.md", "lies outside every indexed folder", "try: add its folder"],
    );
    refused(vault.tars(["index"]).arg(vault.path("../outside.md")).run(), &["lies outside"]);
    refused(vault.tars(["index"]).arg(vault.path("nowhere.md")).run(), &["nowhere.md", "cannot index"]);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}

/// Runs every command that opens the index, and asserts that each refuses it and leaves the folder unchanged.
#[track_caller]
fn index_is_refused(vault: &TestVault, texts: &[&str]) {
    let notes = contents(&vault.root());
    let before = fs::read(vault.database()).unwrap();
    for arguments in [&["index"][..], &["index", "--full"], &["search", "walrus"], &["expand", "abcdef"], &["status"]] {
        let output = vault.tars(arguments).run();
        assert!(fs::read(vault.database()).unwrap() == before, "the database was changed by\n{output}");
        refused(output, texts);
    }
    assert_eq!(contents(&vault.root()), notes);
}

fn indexed() -> TestVault {
    let vault = TestVault::of_words();
    for n in 0..200 {
        vault.write(&format!("{n}.md"), format!("# Note {n}\n\nThe walrus of day {n} has tusks.\n"));
    }
    vault.index();
    vault
}

#[test]
fn an_index_that_is_no_database_is_rebuilt() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    fs::write(vault.database(), "this is no database, however long it may be\n".repeat(300)).unwrap();
    refused(
        vault.tars(["status"]).run(),
        &["index.db", "is damaged or not a database", "try:", "tars doctor --repair"],
    );
    vault.tars(["doctor", "--repair"]).run().success();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}

#[test]
fn an_index_with_overwritten_pages_is_rebuilt() {
    let vault = indexed();
    let mut bytes = fs::read(vault.database()).unwrap();
    let length = bytes.len();
    bytes[4096..length - 4096].fill(0xA5);
    fs::write(vault.database(), bytes).unwrap();
    refused(vault.tars(["status"]).run(), &["index.db", "damaged", "try:", "tars doctor --repair"]);
    assert_eq!(vault.index()["added"], 200);
    assert_eq!(vault.found(&["sgrep", "walrus 7"])[0], "7.md");
}

#[test]
fn a_database_of_another_program() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    fs::create_dir(vault.data()).unwrap();
    for journal in ["DELETE", "WAL"] {
        let database = rusqlite::Connection::open(vault.database()).unwrap();
        database.pragma_update_and_check(None, "journal_mode", journal, |_| Ok(())).unwrap();
        let sql = "CREATE TABLE recipes(name TEXT); INSERT INTO recipes VALUES('soup');";
        database.execute_batch(sql).unwrap();
        database.close().unwrap();
        index_is_refused(&vault, &["index.db", "is a database of another program", "try: point TARS_DATA_DIR"]);
        fs::remove_file(vault.database()).unwrap();
    }
}

#[test]
fn an_index_of_a_newer_version() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    let database = vault.open_database();
    database.pragma_update(None, "user_version", 4711).unwrap();
    database.close().unwrap();
    index_is_refused(&vault, &["index.db", "made by a newer tars (schema 4711", "try: update tars"]);
}

#[test]
fn a_model_whose_hash_is_wrong() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus\n");
    let (id, own) = ("all-minilm-l6-v2-int8", vault.home().join("models"));
    fs::create_dir_all(own.join(id)).unwrap();
    link(models().join("onnxruntime"), own.join("onnxruntime"));
    link(models().join(id).join("model.onnx"), own.join(id).join("model.onnx"));
    fs::copy(models().join(id).join("manifest.toml"), own.join(id).join("manifest.toml")).unwrap();
    let mut tokenizer = fs::read(models().join(id).join("tokenizer.json")).unwrap();
    let middle = tokenizer.len() / 2;
    tokenizer[middle] ^= 1;
    fs::write(own.join(id).join("tokenizer.json"), tokenizer).unwrap();
    let vault = vault.with("TARS_MODELS_DIR", &own);

    let wrong = ["tokenizer.json", "is not the file its manifest names"];
    let output = vault.tars(["index", "--json"]).run().success().says(&wrong).says(&["tars models verify"]);
    assert_eq!((output.json()["added"].as_u64(), output.json()["embedded"].as_u64()), (Some(1), Some(0)));
    let answer = vault.tars(["search", "walrus", "--json"]).run().success().json();
    assert!(answer["degraded"].as_str().unwrap().contains(wrong[1]), "{answer}");
    refused(vault.tars(["svec", "walrus"]).run(), &wrong);
    refused(vault.tars(["models", "use", id]).run(), &wrong);
    vault.tars(["models", "verify"]).run().code(2).says(&wrong).says(&["try: ./scripts/install-models"]);
}

#[test]
fn a_runtime_that_is_no_library() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus\n");
    fs::write(vault.home().join("lib.so"), "no library").unwrap();
    let vault = vault.with("TARS_EMBEDDING_RUNTIME", "lib.so").with("TARS_EMBEDDING_KERNEL", "off");
    vault.tars(["index"]).run().success().says(&["indexing by words only", "no usable ONNX Runtime library"]);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}

#[test]
fn a_note_whose_name_is_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    // Some file systems have no such names.
    if fs::write(vault.root().join(OsStr::from_bytes(b"caf\xe9.md")), "otter\n").is_err() {
        return;
    }
    vault.tars(["index"]).run().code(2).says(&["not valid UTF-8"]);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}

#[test]
fn a_malformed_configuration() {
    let vault = TestVault::of_words();
    let config = vault.home().join("config.toml");
    let vault = vault.with("TARS_CONFIG", &config);
    for (text, texts) in [
        ("[search]\nlimit = \n", &["config.toml:2", "try:"][..]),
        (
            "[search]\nlimt = 3\n",
            &["config.toml:2", "unknown key 'search.limt'", "did you mean 'search.limit'", "try: tars config unset"],
        ),
        (
            "[search]\nlimit = \"many\"\n",
            &["config.toml:2", "search.limit: expected", "try: tars config unset search.limit"],
        ),
        ("[embedding]\nprovider = \"magic\"\n", &["config.toml:2", "embedding.provider: expected"]),
    ] {
        fs::write(&config, text).unwrap();
        for arguments in [&["search", "walrus"][..], &["index"], &["status"], &["config", "list"]] {
            refused(vault.tars(arguments).run(), texts);
        }
        assert_eq!(fs::read_to_string(&config).unwrap(), text);
    }
    // The hint fixes it.
    fs::write(&config, "[search]\nlimt = 3\n").unwrap();
    vault.tars(["config", "unset", "search.limt"]).run().success();
    vault.tars(["status"]).run().success();
    let output = vault.tars(["status"]).env("TARS_SEARCH_LIMIT", "none").run();
    refused(output, &["TARS_SEARCH_LIMIT", "expected", "try: unset TARS_SEARCH_LIMIT"]);
}

#[test]
fn a_data_directory_inside_the_vault() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let before = contents(&vault.root());
    let link = vault.home().join("link");
    crate::models::link(vault.root(), link.clone());
    for data in
        [vault.root(), vault.path("index"), vault.path("deep/er/index"), link.join("index"), link.join("deep/er")]
    {
        let output = vault.tars(["index"]).env("TARS_DATA_DIR", &data).run();
        refused(output, &["the data directory", "lies inside"]);
        assert_eq!(contents(&vault.root()), before, "{}", data.display());
    }
}

#[test]
fn a_data_directory_that_cannot_be_created() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    fs::write(vault.home().join("file"), "").unwrap();
    let vault = vault.with("TARS_DATA_DIR", "file/data");
    refused(vault.tars(["index"]).run(), &["cannot create the data directory", "file/data"]);
}

#[test]
fn an_invalid_exclude_pattern() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    let output = vault.tars(["index"]).env("TARS_INDEX_EXCLUDE", "{a").run();
    refused(output, &["index.exclude"]);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}

#[test]
fn front_matter_that_is_not_yaml() {
    let vault = TestVault::of_words();
    vault.write("a.md", "---\ntags: [unclosed\n---\nwalrus\n").write("b.md", "---\nnever: closed\notter\n");
    let report = vault.tars(["index", "--json"]).run().success().json();
    assert!(report["warnings"][0].as_str().unwrap().contains("a.md: front matter that is no YAML: "), "{report}");
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
    assert_eq!(vault.found(&["sgrep", "otter"]), ["b.md"]);
}

#[test]
fn a_note_of_one_endless_line() {
    let vault = TestVault::new();
    vault.write("a.md", format!("{} walrus", "word ".repeat(3_000)));
    vault.index();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
    assert_eq!(vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL"), 0);
}

#[test]
fn no_home() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let bare = |arguments: &[&str]| TarsCommand::new(vault.home()).args(arguments).env("HOME", "");
    // Without HOME, the system's own record of the home counts; nothing may panic.
    let output = bare(&["status"]).run().code(2);
    assert!(!output.stderr().contains("panicked"), "{output}");
    vault.tars(["index"]).env("HOME", "").run().success();
}

#[test]
fn json_contains_no_terminal_escapes() {
    let vault = TestVault::of_words().with("TARS_SEARCH_GATE", "0.05");
    vault.write("Wal\u{202e}rus.md", "The walrus \u{202e}reads\u{2066} backwards \u{9b}31m.\n");
    vault.index();
    let prompt = serde_json::json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "the walrus \u{202e}reads backwards again?"});
    let asked = vault.search(&["search", "walrus"]);
    assert!(asked[0]["content"].as_str().unwrap().contains("\u{202e}reads\u{2066}"), "the value is the same");
    for (arguments, input) in [
        (&["search", "walrus", "--json"][..], String::new()),
        (&["search", "--batch", "-"], "{\"query\": \"walrus\", \"id\": \"\u{202e}\"}\n".into()),
        (&["context", "--query", "walrus", "--json"], String::new()),
        (&["expand", asked[0]["id"].as_str().unwrap(), "--json"], String::new()),
        (&["search", "--hook"], prompt.to_string()),
    ] {
        let output = vault.tars(arguments).stdin(input).run().success();
        let acts =
            |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(!output.stdout().is_empty() && !output.stdout().contains(acts), "{output}");
    }
}
