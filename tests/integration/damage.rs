//! A damaged index: every command answers or reports the damage, and the next writer rebuilds the index.

use std::fs;
use std::path::PathBuf;

use crate::command::{Output, TarsCommand};
use crate::harness::TestVault;
use crate::untouched::contents;

const NOTES: usize = 120;

/// Returns a vault of `count` notes, indexed by keywords, with an empty log beside the database.
fn indexed() -> TestVault {
    let vault = TestVault::of_words();
    for n in 0..NOTES {
        let note = format!("{n}.md");
        vault
            .write(&note, format!("# Note {n}\n\nThe walrus of day {n} has tusks. [[{}]] #sea\n", n + 1))
            .settle(&note);
    }
    vault.index();
    vault
}

/// Truncates the database in the middle, and leaves the files beside it unchanged.
fn cut_off(vault: &TestVault) {
    let whole = fs::read(vault.database()).unwrap();
    fs::write(vault.database(), &whole[..whole.len() / 2]).unwrap();
}

fn set_aside(vault: &TestVault) -> Vec<PathBuf> {
    let is_aside = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("index.db.damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    fs::read_dir(vault.data()).unwrap().map(|entry| entry.unwrap().path()).filter(is_aside).collect()
}

/// The valid outcomes of a command over a damaged index: an answer, no result, or one clear error.
#[track_caller]
fn ends_well(output: &Output) {
    let said = output.stderr().to_owned();
    assert!(matches!(output.status.code(), Some(0..=2)), "{output}");
    assert!(!said.contains("panicked") && !said.contains("database disk image is malformed\n\n"), "{output}");
    if output.status.code() == Some(2) {
        assert!(said.contains("index.db") && said.contains("try: "), "an error without a remedy\n{output}");
    }
}

#[test]
fn a_damaged_index_is_answered_from_the_notes_while_it_is_locked() {
    let vault = indexed();
    cut_off(&vault);
    let before = fs::read(vault.database()).unwrap();
    let lock = fs::File::options().write(true).open(vault.data().join("index.lock")).unwrap();
    lock.lock().unwrap();
    let output = vault.tars(["sgrep", "walrus 7", "--json"]).run().success();
    let answer = output.json();
    assert_eq!(answer["results"][0]["path"], "7.md", "{output}");
    let said = answer["degraded"].as_str().unwrap();
    assert!(said.contains("damaged") && said.contains("120 notes") && said.contains("doctor --repair"), "{said}");
    assert_eq!(fs::read(vault.database()).unwrap(), before, "a process without the lock changes nothing");
    let told = vault.tars(["sgrep", "walrus 7", "--no-sync"]).run().success();
    told.says(&["damaged"]);
}

#[test]
fn a_search_sets_a_damaged_index_aside_and_rebuilds_it() {
    let vault = indexed();
    let notes = contents(&vault.root());
    cut_off(&vault);
    let output = vault.tars(["search", "walrus 7", "--json"]).run().success();
    assert!(output.json()["degraded"].as_str().unwrap().contains("set aside"), "{output}");
    assert_eq!(set_aside(&vault).len(), 1);
    let again = vault.tars(["search", "walrus 7", "--json"]).run().success().json();
    assert_eq!((&again["degraded"], &again["index"]["files"]), (&serde_json::Value::Null, &NOTES.into()));
    assert_eq!(contents(&vault.root()), notes);
}

#[test]
fn indexing_sets_a_damaged_index_aside_and_keeps_the_last_two() {
    let vault = indexed();
    for _ in 0..3 {
        cut_off(&vault);
        let output = vault.tars(["index", "--json"]).run().success().says(&["damaged", "set aside as", "rebuilt"]);
        assert_eq!(output.json()["added"], NOTES);
        assert!(output.json()["set_aside"].as_str().unwrap().contains("index.db.damaged-"));
    }
    assert_eq!(set_aside(&vault).len(), 2);
    assert_eq!(vault.found(&["sgrep", "walrus 7"])[0], "7.md");
    assert_eq!(vault.index()["set_aside"], serde_json::Value::Null);
}

#[test]
fn a_truncated_database_with_a_log_is_noticed() {
    let vault = indexed();
    // An index run that changes nothing leaves its log.
    vault.index();
    let log = fs::metadata(vault.data().join("index.db-wal")).unwrap().len();
    assert!(log > 0, "there is no log that hides the damage");
    cut_off(&vault);
    let output = vault.tars(["status"]).run().code(2);
    output.says(&["index.db", "damaged", "bytes are left", "try: tars doctor --repair"]);
}

#[test]
fn a_damaged_version_or_application_id_counts_as_damage() {
    for (name, value) in [
        ("user_version", 0),
        ("user_version", -1),
        ("user_version", i32::MIN),
        ("application_id", 0),
        ("application_id", 7),
    ] {
        let vault = indexed();
        let damage = || vault.open_database().pragma_update(None, name, value).unwrap();
        damage();
        vault.tars(["status"]).run().code(2).says(&["index.db", "damaged", "try: tars doctor --repair"]);
        assert_eq!(vault.tars(["doctor", "--json"]).run().code(1).json()["problems"][0]["kind"], "index");
        vault.tars(["doctor", "--repair"]).run().success();
        damage();
        vault.tars(["index"]).run().success().says(&["damaged", "set aside as", "rebuilt"]);
        assert_eq!(vault.found(&["sgrep", "walrus 7", "--no-sync"])[0], "7.md", "{name} {value}");
    }
}

/// Returns whether a single read of a file can fail here. That takes a tracer, which a container may forbid.
#[cfg(target_os = "linux")]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn may_trace() -> bool {
    let tried = std::process::Command::new("strace").args(["-qq", "-e", "trace=pread64", "true"]).output();
    let may = tried.is_ok_and(|output| output.status.success());
    if !may {
        eprintln!("SKIPPED: strace cannot trace here");
    }
    may
}

#[test]
#[cfg(target_os = "linux")]
fn one_bad_read_does_not_set_the_index_aside() {
    if !may_trace() {
        return;
    }
    for arguments in [&["sgrep", "walrus 7"][..], &["index"], &["doctor", "--repair"]] {
        let vault = indexed();
        let mut met = 0;
        for nth in 1..=8 {
            // A search has something to index.
            vault.write("7.md", format!("# Note 7\n\nThe walrus of day 7 has {nth} tusks.\n")).settle("7.md");
            let inject = format!("inject=pread64:retval=0:when={nth}");
            let mut command = TarsCommand::of_program("strace", vault.home())
                .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=pread64", "-P"])
                .arg(vault.database())
                .args(["-e", &inject, env!("CARGO_BIN_EXE_tars")])
                .args(arguments);
            for (name, value) in [("TARS_VAULT", vault.root()), ("TARS_DATA_DIR", vault.data())] {
                command = command.env(name, value);
            }
            let output = command.env("TARS_EMBEDDING_PROVIDER", "none").run();
            met += usize::from(output.stderr().contains("damaged"));
            assert!(set_aside(&vault).is_empty(), "read {nth} of {arguments:?}\n{output}");
        }
        assert!(met > 0 || arguments[0] == "doctor", "no bad read was noticed by {arguments:?}");
        assert_eq!(vault.found(&["sgrep", "walrus 7"])[0], "7.md");
    }
}

#[test]
fn an_intact_index_that_was_set_aside_is_kept() {
    let vault = indexed();
    let sound = vault.data().join("index.db.damaged-20200101T000000000000Z");
    fs::copy(vault.database(), &sound).unwrap();
    for _ in 0..3 {
        cut_off(&vault);
        vault.tars(["index"]).run().success().says(&["set aside as"]);
    }
    assert!(sound.exists());
    assert_eq!(set_aside(&vault).len(), 3, "older damaged ones are still removed");
}

#[test]
fn a_pipe_in_place_of_the_index_or_its_lock_does_not_block() {
    let pipe = |vault: &TestVault, name: &str| {
        let _ = fs::remove_file(vault.data().join(name));
        TarsCommand::of_program("mkfifo", vault.home()).arg(vault.data().join(name)).run().success();
    };
    let vault = indexed();
    pipe(&vault, "index.lock");
    let refused = vault.tars(["index"]).run().code(2).says(&["cannot lock", "index.lock"]);
    assert_eq!(refused.stderr().matches("it is no regular file").count(), 1, "{refused}");
    let vault = indexed();
    pipe(&vault, "index.db-journal");
    vault.tars(["index"]).run().code(2).says(&["index.db-journal", "it is no regular file"]);
    let vault = indexed();
    pipe(&vault, "index.db");
    for arguments in [&["index"][..], &["doctor"], &["doctor", "--repair"], &["status"]] {
        vault.tars(arguments).run().code(2).says(&["index.db", "it is no regular file"]);
    }
    let answered = vault.tars(["sgrep", "walrus 7", "--json"]).run().success().json();
    assert_eq!(answered["results"][0]["path"], "7.md");
}

#[test]
fn flipped_bytes_cause_no_panic_and_doctor_repairs_them() {
    let vault = indexed();
    let whole = fs::read(vault.database()).unwrap();
    let (mut seed, mut found) = (17u64, 0);
    for case in 0..24 {
        for file in ["index.db-wal", "index.db-shm"] {
            let _ = fs::remove_file(vault.data().join(file));
        }
        let mut bytes = whole.clone();
        for _ in 0..(1 << (case % 6)) {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (seed >> 33) as usize % bytes.len();
            bytes[at] ^= 1 << (seed >> 29 & 7);
        }
        fs::write(vault.database(), &bytes).unwrap();
        let found_so_far = vault.tars(["doctor", "--json"]).run();
        ends_well(&found_so_far);
        found += usize::from(found_so_far.status.code() == Some(1));
        for arguments in [&["sgrep", "walrus 7", "--no-sync"][..], &["expand", "abcdef"], &["status"]] {
            let output = vault.tars(arguments).run();
            // No chunk has that id.
            if arguments[0] != "expand" || !output.stderr().contains("no chunk") {
                ends_well(&output);
            }
        }
        if found_so_far.status.code() == Some(1) {
            vault.tars(["doctor", "--repair"]).run().success();
            assert_eq!(vault.found(&["sgrep", "walrus 7", "--no-sync"])[0], "7.md", "case {case}");
        }
    }
    // Most of such a small index is free space in its pages.
    assert!(found >= 8, "doctor found {found} of 24");
}

#[test]
fn doctor_accepts_an_intact_index_and_repairs_a_damaged_one() {
    let vault = indexed();
    assert!(vault.tars(["doctor"]).run().success().stdout().contains("healthy"), "it finds something");
    cut_off(&vault);
    let found = vault.tars(["doctor", "--json"]).run().code(1).json();
    assert_eq!((&found["healthy"], &found["problems"][0]["kind"]), (&false.into(), &"index".into()));
    vault.tars(["doctor"]).run().code(1).says(&["1 problem", "tars doctor --repair"]);
    let mended = vault.tars(["doctor", "--repair", "--json"]).run().success().json();
    assert_eq!((&mended["healthy"], mended["set_aside"].as_array().unwrap().len()), (&true.into(), 1));
    assert_eq!(vault.found(&["sgrep", "walrus 7", "--no-sync"])[0], "7.md");
}

#[test]
fn doctor_finds_a_changed_text_that_sqlite_accepts() {
    let vault = TestVault::of_words();
    vault.write("a.md", "# A\n\nThe walrus has tusks.\n").index();
    vault.open_database().execute("UPDATE chunks SET content = replace(content, 'tusks', 'trunk')", []).unwrap();
    let found = vault.tars(["doctor"]).run().code(1);
    assert!(found.stdout().contains("a text of a.md does not match its id"), "{found}");
    vault.tars(["doctor", "--repair"]).run().success();
    assert!(vault.search(&["sgrep", "walrus"])[0]["content"].as_str().unwrap().contains("tusks"));
}

#[test]
fn doctor_finds_loose_permissions_and_leftovers() {
    use crate::permissions::set_mode;
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    set_mode(&vault.data(), 0o755);
    set_mode(&vault.database(), 0o644);
    let left = vault.data().join(".index.codes.Ab12");
    fs::write(&left, "half").unwrap();
    let hours = std::time::Duration::from_secs(7200);
    let long_ago = std::time::SystemTime::now() - hours;
    fs::File::options().append(true).open(&left).unwrap().set_modified(long_ago).unwrap();
    let found = vault.tars(["doctor", "--json"]).run().code(1).json();
    let kinds: Vec<&str> =
        found["problems"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"permissions") && kinds.contains(&"leftover") && !kinds.contains(&"index"), "{found}");
    vault.tars(["doctor", "--repair"]).run().success();
    vault.tars(["doctor"]).run().success();
    assert!(!left.exists());
}

#[test]
fn doctor_leaves_foreign_files_alone() {
    use crate::permissions::set_mode;
    use std::os::unix::fs::PermissionsExt;
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    let home = vault.home().join("shared");
    fs::create_dir_all(home.join("spool")).unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    let put = |name: &str| {
        fs::write(home.join(name), "text").unwrap();
        set_mode(&home.join(name), 0o644);
        fs::File::options().append(true).open(home.join(name)).unwrap().set_modified(long_ago).unwrap();
    };
    let theirs = [
        ".tmp-thesis.md",
        ".tmpAb12Cd",
        ".notes.part",
        ".journal-of-mine.jsonl.part",
        "page.html",
        "journal-of-mine.jsonl",
        "index.database",
        "spool/.notes.part",
        "spool/.tmp-thesis.md",
        "spool/print.job",
    ];
    let left = [
        ".index.codes.part",
        ".index.codes.Ab12Cd",
        ".journal-0123456789abcdef.jsonl.part",
        "spool/.00001760000000000000-77.json.part",
        "spool/.tmpAb12Cd",
    ];
    theirs.iter().chain(&left).for_each(|name| put(name));
    fs::copy(vault.database(), home.join("index.db")).unwrap();
    set_mode(&home.join("index.db"), 0o644);
    [&home, &home.join("spool")].into_iter().for_each(|folder| set_mode(folder, 0o755));
    let doctor = |arguments: &[&str]| vault.tars(arguments).env("TARS_DATA_DIR", &home).run().code(1);
    let found = doctor(&["doctor", "--json"]).json();
    let told: Vec<&str> =
        found["problems"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert!(theirs.iter().all(|name| !told.contains(&home.join(name).to_str().unwrap())), "{found}");
    let mended = doctor(&["doctor", "--repair", "--json"]).json();
    assert!(mended["problems"][0]["detail"].as_str().unwrap().contains("TARS_DATA_DIR"), "{mended}");
    let mode = |name: &str| fs::metadata(home.join(name)).unwrap().permissions().mode() & 0o777;
    for name in theirs {
        assert_eq!(mode(name), 0o644, "{name}");
    }
    for name in left {
        assert!(!home.join(name).exists(), "{name}");
    }
    assert_eq!((mode(""), mode("spool"), mode("index.db")), (0o755, 0o755, 0o600));
}
