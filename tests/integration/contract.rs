//! The stable interfaces: JSON, exit codes, and printed output.

use serde_json::{Value, json};

use crate::fixture::library;
use crate::harness::{Output, TarsCommand, TestVault};

pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} is no string in {value}"))
}

pub(crate) fn lines(note: &str, first: u64, last: u64) -> String {
    note.lines().skip(first as usize - 1).take((last + 1 - first) as usize).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_search_answers_as_documented() {
    let vault = library();
    for mode in ["hybrid", "keyword", "vector"] {
        let answer = vault.tars(["search", "--mode", mode, "--json", "storage", "in", "SQLite"]).run().success().json();
        assert_eq!(keys(&answer), ["query", "mode", "degraded", "remarks", "index", "results"]);
        assert_eq!((text(&answer, "query"), text(&answer, "mode")), ("storage in SQLite", mode));
        assert_eq!(answer["degraded"], Value::Null);
        assert_eq!(keys(&answer["index"]), ["files", "chunks", "pending", "lag_ms"]);
        assert!(answer["index"]["files"].as_u64().unwrap() > 10);
        assert_eq!(answer["index"]["pending"], 0);
        let results = answer["results"].as_array().unwrap();
        assert!(!results.is_empty());
        let mut before = 1.0;
        for hit in results {
            assert_eq!(
                keys(hit),
                [
                    "id",
                    "path",
                    "title",
                    "heading",
                    "collection",
                    "memory_type",
                    "start_line",
                    "end_line",
                    "line",
                    "date",
                    "score",
                    "relevance",
                    "content",
                    "matched_by"
                ]
            );
            assert!(text(hit, "id").len() == 32 && text(hit, "id").bytes().all(|byte| byte.is_ascii_hexdigit()));
            let path = text(hit, "path");
            assert!(!path.starts_with('/') && vault.path(path).is_file(), "{path}");
            assert_eq!(text(hit, "collection"), "vault");
            assert!(
                ["semantic", "procedural", "daily", "episodic", "chat", "note"].contains(&text(hit, "memory_type"))
            );
            let (first, last) = (hit["start_line"].as_u64().unwrap(), hit["end_line"].as_u64().unwrap());
            assert!(1 <= first && first <= last);
            // A note of front matter alone has no text to show.
            let is_bare = path.ends_with("Card.md") && text(hit, "content").is_empty();
            assert!(is_bare || text(hit, "content") == lines(&vault.read(path), first, last), "{hit}");
            assert!((first..=last).contains(&hit["line"].as_u64().unwrap()), "{hit}");
            assert!(hit["date"].is_null() || text(hit, "date").parse::<jiff::civil::Date>().is_ok(), "{hit}");
            let score = hit["score"].as_f64().unwrap();
            assert!((0.0..=before).contains(&score), "{score} after {before}");
            before = score;
            let word = match score {
                score if score >= 0.75 => "relevant",
                score if score >= 0.5 => "kinda relevant",
                score if score >= 0.25 => "maybe relevant",
                _ => "not relevant",
            };
            assert_eq!(text(hit, "relevance"), word);
            let matched: Vec<&str> =
                hit["matched_by"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
            match mode {
                "keyword" => assert_eq!(matched, ["keyword"]),
                "vector" => assert_eq!(matched, ["vector"]),
                _ => assert!([vec!["keyword"], vec!["vector"], vec!["keyword", "vector"]].contains(&matched)),
            }
        }
    }
}

#[test]
fn no_result_is_an_empty_list_and_exit_code_1() {
    let output = library().tars(["sgrep", "--json", "xylophone"]).run().code(1);
    assert_eq!(output.json()["results"], json!([]));
    let output = library().tars(["sgrep", "xylophone"]).run().code(1).says(&["nothing found in"]);
    assert_eq!(output.stdout(), "");
}

#[test]
fn a_file_with_windows_line_ends_counts_the_same_lines() {
    let vault = TestVault::of_words();
    vault.write("a.md", "# One\r\n\r\nfirst\r\n\r\n# Two\r\n\r\nsecond walrus\r\n");
    vault.index();
    let hit = vault.search(&["sgrep", "walrus"]).remove(0);
    let last = hit["end_line"].as_u64().unwrap();
    assert!(hit["start_line"].as_u64().unwrap() <= 7 && (7..=8).contains(&last), "{hit}");
    assert!(text(&hit, "content").contains("second walrus"));
}

#[test]
fn status_answers_as_documented() {
    let vault = TestVault::new();
    let status = vault.tars(["status", "--json"]).run().success().json();
    assert_eq!((&status["last_index"], &status["files"]), (&Value::Null, &json!(0)));
    vault.write("a.md", "# A\n\nwalrus\n").settle("a.md").index();
    let status = vault.tars(["status", "--json"]).run().success().quiet().json();
    assert_eq!(
        keys(&status),
        [
            "collections",
            "files",
            "chunks",
            "passages",
            "embedded",
            "opaque_files",
            "opaque_bytes",
            "pending",
            "last_index",
            "model",
            "model_change",
            "database",
            "watcher",
            "unapplied_settings",
            "indexing",
            "notes",
            "paused",
            "languages",
            "advice"
        ]
    );
    assert_eq!((&status["watcher"], &status["paused"]), (&json!(false), &json!([])));
    assert_eq!(status["languages"], json!([{"code": "en", "name": "English", "share": 1.0}]));
    assert_eq!(status["advice"], Value::Null);
    assert_eq!(status["notes"], json!({"waiting": 0, "given_up": 0}));
    assert_eq!(
        keys(&status["collections"][0]),
        [
            "name",
            "root",
            "files",
            "pending",
            "unreadable",
            "unindexed",
            "links",
            "evicted",
            "conflict_copies",
            "problem"
        ]
    );
    assert_eq!(text(&status["collections"][0], "root"), vault.root().canonicalize().unwrap().to_str().unwrap());
    assert_eq!(keys(&status["model"]), ["provider", "id", "indexed_with", "kernel", "problem"]);
    assert_eq!(text(&status["model"], "id"), "all-minilm-l6-v2-int8");
    assert!(text(&status["model"], "indexed_with").starts_with("all-minilm-l6-v2-int8@"));
    assert_eq!(keys(&status["database"]), ["path", "bytes"]);
    assert!(status["database"]["bytes"].as_u64().unwrap() > 0);
    for (key, expected) in [("files", 1), ("chunks", 1), ("passages", 1), ("embedded", 1), ("pending", 0)] {
        assert_eq!(status[key], expected, "{key}");
    }
    assert!(text(&status, "last_index").parse::<jiff::Timestamp>().is_ok());

    vault.write("b.md", "new\n").append("a.md", "\nmore\n");
    let status = vault.tars(["status", "--json"]).run().success().json();
    assert_eq!((&status["pending"], &status["collections"][0]["pending"]), (&json!(2), &json!(2)));
}

#[test]
fn the_report_of_an_index_run_answers_as_documented() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "---\ntars: private\n---\notter\n");
    let report = vault.index();
    assert_eq!(
        keys(&report),
        [
            "files",
            "added",
            "changed",
            "moved",
            "removed",
            "unchanged",
            "private",
            "skipped",
            "conflict_copies",
            "evicted",
            "failed",
            "roots_missing",
            "embedded",
            "pending",
            "set_aside",
            "interrupted",
            "warnings",
            "degraded",
            "seconds"
        ]
    );
    assert_eq!((&report["files"], &report["added"], &report["private"]), (&json!(2), &json!(1), &json!(1)));
    assert_eq!((&report["interrupted"], &report["warnings"]), (&json!(false), &json!([])));
    let output = vault.tars(["index"]).run().success().quiet();
    assert!(output.stdout().starts_with("indexed 2 notes (1 unchanged, 1 private), 0 passages embedded"), "{output}");
}

#[test]
fn long_requests_answer_as_documented() {
    let vault = TestVault::of_words();
    vault.write("a.md", "# Sea\n\nwalrus\n").write("b.md", "# Land\n\notter\n").index();
    let question = json!({"query": "walrus", "relevant": [{"path": "a.md"}], "category": "animals"});
    std::fs::write(vault.home().join("questions.jsonl"), question.to_string()).unwrap();
    std::fs::write(vault.home().join("5e55.jsonl"), crate::transcript::SESSION).unwrap();
    let requests = [
        json!({"doctor": {}}),
        json!({"models": {}}),
        json!({"verify_models": {}}),
        json!({"eval": {"queries": "questions.jsonl", "modes": ["keyword"]}}),
        json!({"import": {"folder": "5e55.jsonl"}}),
        json!({"turns": {"file": "5e55.jsonl"}}),
        json!({"turn": {"file": "5e55.jsonl", "id": "aaaa-1111"}}),
    ];
    let requests: Vec<String> = requests.iter().map(Value::to_string).collect();
    let answers = vault.tars(["ask", "--json-lines"]).stdin(requests.join("\n")).run().success().json_lines();
    let answer = |place: usize, name: &str| answers[place][name].clone();
    let doctor = answer(0, "doctor");
    assert_eq!(keys(&doctor), ["healthy", "database", "problems", "repaired", "set_aside", "conflicts", "unindexed"]);
    let model = ["id", "kind", "dimensions", "licence", "bytes", "in_use", "kernel", "problem", "shipped"];
    assert_eq!(keys(&answer(1, "models")[0]), model);
    let verified = answer(2, "verify_models");
    assert_eq!(keys(&verified), ["models", "runtime"]);
    assert_eq!(keys(&verified["models"][0]), ["id", "problem"]);
    let eval = answer(3, "eval");
    let all = ["questions", "files", "chunks", "left_out", "astray", "absent", "empty", "degraded", "modes", "against"];
    assert_eq!(keys(&eval), all);
    assert_eq!(keys(&eval["modes"][0]), ["mode", "ms", "overall", "reliability", "categories"]);
    let figures = ["recall@1", "recall@3", "recall@5", "recall@10", "mrr@10", "ndcg@10", "cover@8000"];
    assert_eq!(keys(&eval["modes"][0]["overall"]), figures);
    let category = [&["category", "questions"], &figures[..]].concat();
    assert_eq!(keys(&eval["modes"][0]["categories"][0]), category);
    let import = answer(4, "import");
    assert_eq!(keys(&import), ["logs", "known", "forgotten", "empty", "failed", "interrupted", "dry_run"]);
    assert_eq!(keys(&import["logs"][0]), ["session", "path", "topic", "transcript"]);
    assert_eq!(keys(&answer(5, "turns")[0]), ["id", "at", "request"]);
    assert_eq!(keys(&answer(6, "turn")[0])[..4], ["session", "id", "at", "ended"]);
}

#[test]
fn invalid_arguments_end_with_exit_code_2() {
    let vault = library();
    for arguments in [
        vec!["nosuch"],
        vec!["search"],
        vec!["search", "x", "--mode", "psychic"],
        vec!["search", "x", "--limit", "0"],
        vec!["search", "x", "--min-score", "2"],
        vec!["search", "x", "--since", "soon"],
        vec!["search", "x", "--type", "dream"],
        vec!["search", "x", "--budget", "0"],
        vec!["expand"],
    ] {
        let output = vault.tars(&arguments).run().code(2);
        assert!(output.stdout().is_empty() && !output.stderr().is_empty(), "{output}");
    }
    vault.tars(["--help"]).run().success().quiet();
    vault.tars(["--version"]).run().success().quiet();
}

#[test]
fn a_closed_pipe_is_no_error() {
    let vault = library();
    for arguments in [
        vec!["search", "tomatoes", "--mode", "keyword"],
        vec!["search", "tomatoes", "--mode", "keyword", "--json"],
        vec!["status"],
        vec!["config", "list"],
        vec!["config", "list", "--json"],
        vec!["models", "list"],
        vec!["--help"],
    ] {
        vault.tars(&arguments).run_into_closed_pipe().success().quiet();
    }
    let batch = vault.tars(["sgrep", "--batch", "-"]).stdin("\"tomatoes\"\n".repeat(50));
    batch.run_into_closed_pipe().success().quiet();
}

#[test]
fn colours_are_for_terminals() {
    let vault = library();
    let search = || vault.tars(["sgrep", "tomatoes"]);
    let coloured = |output: &Output| output.stdout().contains('\u{1b}');
    assert!(!coloured(&search().run().success()));
    assert!(coloured(&search().args(["--color", "always"]).run().success()));
    assert!(coloured(&search().env("TARS_OUTPUT_COLOR", "always").run().success()));
    assert!(!coloured(&search().env("NO_COLOR", "1").run().success()));
    // A terminal from the standard library of Python, which the setup needs anyway.
    let on_terminal = |extra: &[(&str, &str)]| {
        let script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)";
        let mut command = TarsCommand::of_program("python3", vault.home())
            .args(["-c", script, env!("CARGO_BIN_EXE_tars"), "sgrep", "tomatoes"])
            .env("TERM", "xterm")
            .env("TARS_DATA_DIR", vault.data())
            .env("TARS_VAULT", vault.root());
        for (name, value) in extra {
            command = command.env(name, value);
        }
        command.stdin("").run().success()
    };
    assert!(coloured(&on_terminal(&[])));
    assert!(!coloured(&on_terminal(&[("NO_COLOR", "1")])));
    assert!(!coloured(&on_terminal(&[("TARS_OUTPUT_COLOR", "never")])));
}

#[test]
fn a_file_cannot_speak_to_the_terminal() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus \u{1b}[31mred\u{1b}]0;title\u{7} \u{202e}backwards\n").index();
    let output = vault.tars(["sgrep", "walrus"]).run().success();
    assert!(!output.stdout().contains(['\u{1b}', '\u{7}', '\u{202e}']), "{output}");
}

fn snapshot(name: &str, vault: &TestVault, output: &Output) {
    let home = vault.home().canonicalize().unwrap();
    let filters = vec![
        (r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "[TIME]"),
        (r"\(\d+ KiB\)", "([SIZE])"),
        (r"in \d+\.\d s", "in [SECONDS]"),
        // Other tests measure weights and calibration.
        (r"\d\.\d\d (not |maybe |kinda )?relevant", "[SCORE]"),
    ];
    let shown = output.stdout().replace(home.to_str().unwrap(), "[HOME]");
    // The output names the index by its configured path, without resolving links.
    let shown = shown.replace(vault.home().to_str().unwrap(), "[HOME]");
    insta::with_settings!({filters => filters, omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(name, shown);
    });
}

#[test]
fn printed_output_matches_the_snapshots() {
    let vault = TestVault::of_words();
    vault.write("Garden/Tomatoes.md", crate::library::NOTES[0].1);
    vault.write("Travel.md", "# Travel\n\nNothing grows on the ferry but tomatoes in crates.\n");
    for note in ["Garden/Tomatoes.md", "Travel.md"] {
        vault.settle(note);
    }
    snapshot("index", &vault, &vault.tars(["index"]).run().success());
    snapshot("search", &vault, &vault.tars(["search", "watering", "tomatoes"]).run().success());
    snapshot("search_window", &vault, &vault.tars(["search", "watering", "--window", "1", "-n", "1"]).run().success());
    let id = text(&vault.search(&["sgrep", "blight"])[0], "id").to_owned();
    snapshot("expand", &vault, &vault.tars(["expand", &id]).run().success());
    snapshot("status", &vault, &vault.tars(["status"]).run().success());
}
