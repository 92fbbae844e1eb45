//! Search results.

use std::fs;

use serde_json::Value;

use crate::fixture::library;
use crate::harness::TestVault;

fn words(query: &str) -> Vec<String> {
    library().found(&["sgrep", query])
}

#[track_caller]
fn finds(query: &str, path: &str) {
    assert_eq!(words(query).first().map(String::as_str), Some(path), "'{query}'");
}

/// Returns the notes that pass filters, sorted: by vectors alone, each of them is near enough.
fn admitted(filters: &[&str]) -> Vec<String> {
    let mut paths = library().found(&[&["svec", "anything", "-n", "100"], filters].concat());
    paths.sort();
    paths
}

#[test]
fn keywords_match_inflected_forms() {
    finds("eroding cliffs", "Projects/Lighthouse.md");
    finds("ERODES", "Projects/Lighthouse.md");
    finds("orphanage", "Projects/Archive/Windmill.md");
}

#[test]
fn vector_search_finds_notes_without_a_common_word() {
    let question = "what a doctor said about a sore leg";
    assert_eq!(library().found(&["svec", question])[0], "Travel/Lisbon.md");
    assert_eq!(library().found(&["search", question])[0], "Travel/Lisbon.md");
    library().tars(["sgrep", "doctor sore leg"]).run().code(1);
}

#[test]
fn hybrid_search_reports_which_side_matched() {
    let hits = library().search(&["search", "why did we choose SQLite for storage"]);
    assert_eq!(hits[0]["path"], "Projects/Lighthouse.md");
    assert_eq!(hits[0]["matched_by"], serde_json::json!(["keyword", "vector"]));
    assert!(hits.iter().any(|hit| hit["matched_by"] == serde_json::json!(["vector"])));
}

#[test]
fn every_fusion_answers() {
    for fusion in ["adaptive", "convex", "rrf"] {
        assert_eq!(library().found(&["search", "sqlite backups", "--fusion", fusion])[0], "Projects/Lighthouse.md");
    }
}

#[test]
fn chinese_and_japanese_are_found() {
    for query in ["战国无双", "续作", "光荣", "水", "无", "生命之源", "开发的战国", "ω-force"] {
        finds(query, "语言/战国.md");
    }
    for query in ["東京タワー", "タワー", "港区", "カタカナ", "ひらがな", "勉強", "京"] {
        finds(query, "语言/日本語.md");
    }
    finds("日本語", "语言/日本語.md");
    library().tars(["sgrep", "火"]).run().code(1);
}

#[test]
fn compound_words_are_found_whole_and_in_parts() {
    for query in [
        "foo-bar_baz",
        "foo",
        "bar",
        "baz",
        "foo bar baz",
        "src/main.rs",
        "main.rs",
        "main",
        "parseHttpHeader",
        "parsehttpheader",
        "header",
        "http",
        "v1.24.3",
        "1.24",
    ] {
        finds(query, "Code/Snippets.md");
    }
}

#[test]
fn diacritics_and_case_make_no_difference() {
    for query in ["creme brulee", "Crème Brûlée", "CREME", "cre\u{300}me"] {
        finds(query, "Recipes/Crème brûlée.md");
    }
}

#[test]
fn a_query_of_stop_words_searches_for_them() {
    for query in ["what is the", "to be or not to be", "the"] {
        let output = library().tars(["search", query]).run().success();
        assert!(!output.stdout().is_empty());
    }
}

#[test]
fn fts_syntax_in_a_query_has_no_effect() {
    for query in [
        "\"tomatoes",
        "tomatoes\"",
        "tomatoes*",
        "title:tomatoes",
        "tomatoes AND",
        "NOT tomatoes",
        "(tomatoes",
        "NEAR(tomatoes, 2)",
        "tomatoes; DROP TABLE files",
        "^tomatoes",
        "tomatoes + {x}",
        "'tomatoes'",
    ] {
        let output = library().tars(["sgrep", "--json", "--", query]).run().success().quiet();
        assert_eq!(output.json()["results"][0]["path"], "Garden/Tomatoes.md", "{output}");
    }
}

#[test]
fn a_path_filters() {
    assert_eq!(admitted(&["--path", "Garden/*"]), ["Garden/Compost.md", "Garden/Tomatoes.md"]);
    assert_eq!(admitted(&["--path", "Garden"]), ["Garden/Compost.md", "Garden/Tomatoes.md"]);
    assert_eq!(admitted(&["--path", "Projects/*"]), ["Projects/Lighthouse.md"]);
    assert_eq!(admitted(&["--path", "Projects/**"]), ["Projects/Archive/Windmill.md", "Projects/Lighthouse.md"]);
    assert_eq!(
        admitted(&["--path", "**/Lisbon.md", "--path", "Garden/T*"]),
        ["Garden/Tomatoes.md", "Travel/Lisbon.md"]
    );
    assert_eq!(admitted(&["--path", "语言"]), ["语言/战国.md", "语言/日本語.md"]);
    assert!(admitted(&["--path", "nowhere/**"]).is_empty());
}

#[test]
fn a_tag_filter_includes_nested_tags() {
    assert_eq!(admitted(&["--tag", "garden"]), ["Garden/Compost.md", "Garden/Tomatoes.md"]);
    assert_eq!(admitted(&["--tag", "#Garden/Soil"]), ["Garden/Compost.md"]);
    assert_eq!(admitted(&["--tag", "project"]), ["Projects/Archive/Windmill.md", "Projects/Lighthouse.md"]);
    assert_eq!(admitted(&["--tag", "project", "--tag", "archived"]), ["Projects/Archive/Windmill.md"]);
    assert!(admitted(&["--tag", "gard"]).is_empty());
}

#[test]
fn a_memory_type_filters() {
    for (kind, path) in [
        ("semantic", "tars/Memory.md"),
        ("procedural", "tars/Procedural.md"),
        ("daily", "tars/2024-02-03.md"),
        ("episodic", "tars/sessions/first.md"),
    ] {
        assert_eq!(admitted(&["--type", kind]), [path]);
    }
    let notes = admitted(&["--type", "note"]);
    assert!(notes.iter().all(|path| !path.starts_with("tars/")) && notes.contains(&"Travel/Lisbon.md".to_owned()));
    assert_eq!(admitted(&["--type", "semantic", "--type", "daily"]), ["tars/2024-02-03.md", "tars/Memory.md"]);
}

#[test]
fn dates_filter() {
    assert_eq!(
        admitted(&["--until", "2023-12-31"]),
        ["Journal/2023-05-08.md", "Journal/2023-06-11.md", "Projects/Archive/Windmill.md"]
    );
    assert_eq!(admitted(&["--since", "2023-05-08", "--until", "2023-05-08"]), ["Journal/2023-05-08.md"]);
    assert_eq!(
        admitted(&["--since", "2023-06-12", "--until", "2024-12-31"]),
        ["Projects/Lighthouse.md", "tars/2024-02-03.md"]
    );
    // A note without a date has the date of its last change.
    assert!(admitted(&["--since", "2025-01-01"]).contains(&"Travel/Lisbon.md".to_owned()));
}

#[test]
fn questions_about_dates_find_the_day() {
    for query in ["8 May 2023", "2023-05-08", "in May 2023", "what happened on May 8th, 2023?"] {
        finds(query, "Journal/2023-05-08.md");
        assert_eq!(library().found(&["search", query])[0], "Journal/2023-05-08.md", "'{query}'");
    }
    finds("June 2023", "Journal/2023-06-11.md");
}

#[test]
fn a_collection_filters() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let other = vault.home().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("a.md"), "walrus at work\n").unwrap();
    vault.tars(["config", "set", "collections.work", "other"]).run().success();
    vault.index();
    let collections = |filters: &[&str]| -> Vec<Value> {
        vault.search(&[&["sgrep", "walrus"], filters].concat()).iter().map(|hit| hit["collection"].clone()).collect()
    };
    assert_eq!(collections(&[]).len(), 2);
    assert_eq!(collections(&["--collection", "work"]), ["work"]);
    assert_eq!(collections(&["--collection", "vault"]), ["vault"]);
    assert_eq!(collections(&["--collection", "vault", "--collection", "work"]).len(), 2);
}

#[test]
fn the_output_names_the_collection_of_a_hit() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let other = vault.home().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("b.md"), "walrus at work\n").unwrap();
    vault.tars(["config", "set", "collections.work", "other"]).run().success();
    vault.index();
    let output = vault.tars(["sgrep", "walrus"]).run().success();
    let heads: Vec<&str> = output.stdout().lines().filter(|line| line.contains(".md:1")).collect();
    assert!(heads.iter().any(|line| line.starts_with("a.md:1  ")), "{output}");
    assert!(heads.iter().any(|line| line.starts_with("b.md:1 (work)  ")), "{output}");
    let id = vault.search(&["sgrep", "walrus", "--collection", "work"])[0]["id"].as_str().unwrap().to_owned();
    let output = vault.tars(["expand", &id]).run().success();
    assert!(output.stdout().starts_with("b.md:1-1 (work)  "), "{output}");
}

#[test]
fn front_matter_is_found() {
    finds("growing", "Garden/Tomatoes.md");
    finds("love apples", "Garden/Tomatoes.md");
    finds("vegetables", "Garden/Tomatoes.md");
    finds("loamy", "Garden/Tomatoes.md");
}

#[test]
fn a_note_with_only_front_matter_is_found() {
    finds("membership card", "Card.md");
    finds("QX-5521", "Card.md");
    assert_eq!(admitted(&["--tag", "papers"]), ["Card.md"]);
}

#[test]
fn anchors_and_pictures_are_not_text() {
    library().tars(["sgrep", "zebrafish"]).run().code(1);
    library().tars(["sgrep", "anchor"]).run().code(1);
    let compost = library().read("Garden/Compost.md");
    let picture = compost.split_once("base64,").unwrap().1.split_once(')').unwrap().0;
    for part in [picture, "base64", "png", picture.split('w').next().unwrap()] {
        library().tars(["sgrep", "--", part]).run().code(1);
    }
    // The output shows the file unchanged.
    assert!(library().search(&["sgrep", "compost"])[0]["content"].as_str().unwrap().contains("zebrafish"));
}

#[test]
fn the_limit_is_respected() {
    assert_eq!(library().search(&["svec", "anything", "-n", "3"]).len(), 3);
    assert_eq!(library().search(&["svec", "anything"]).len(), 10);
    let output = library().tars(["svec", "anything", "--json"]).env("TARS_SEARCH_LIMIT", "2").run().success();
    assert_eq!(output.json()["results"].as_array().unwrap().len(), 2);
}

#[test]
fn the_gate_passes_only_answers() {
    let gated = |query: &str| library().search(&["search", query, "--min-score", "gate"]);
    let hits = gated("how often should tomatoes be watered");
    assert_eq!(hits[0]["path"], "Garden/Tomatoes.md");
    assert!(hits.iter().all(|hit| hit["score"].as_f64().unwrap() >= 0.35));
    assert!(gated("quarterly revenue of semiconductor vendors").is_empty());
    library().tars(["search", "tomatoes", "--min-score", "1"]).run().code(1);
    assert_eq!(library().search(&["svec", "anything", "--min-score", "0"]).len(), 10);
}

/// A note of several chunks that all contain one word.
fn long() -> TestVault {
    let vault = TestVault::of_words();
    let text: String = (1..=80)
        .map(|n| format!("Line {n}: the walrus hauls out on ice floe number {n} and rests there.\n\n"))
        .collect();
    vault.write("long.md", format!("# Walrus\n\n{text}")).write("other.md", "# Other\n\nAnother walrus.\n").index();
    assert!(
        vault.count("SELECT count(*) FROM chunks WHERE file_id = (SELECT id FROM files WHERE path = 'long.md')") >= 4
    );
    vault
}

fn span(hit: &Value) -> (usize, usize) {
    let line = |key: &str| usize::try_from(hit[key].as_u64().unwrap()).unwrap();
    (line("start_line"), line("end_line"))
}

#[test]
fn a_window_shows_every_line_once() {
    let vault = long();
    let note: Vec<String> = vault.read("long.md").lines().map(str::to_owned).collect();
    for window in ["1", "2", "100"] {
        let hits = vault.search(&["sgrep", "walrus", "--window", window]);
        let mut seen = std::collections::HashSet::new();
        for hit in hits.iter().filter(|hit| hit["path"] == "long.md") {
            let (first, last) = span(hit);
            assert_eq!(hit["content"], note[first - 1..last].join("\n"), "{window}");
            for line in first..=last {
                assert!(seen.insert(line), "line {line} is shown twice");
            }
        }
    }
    let alone = vault.search(&["sgrep", "\"number 40\"", "-n", "1"]).remove(0);
    let wide = vault.search(&["sgrep", "\"number 40\"", "-n", "1", "--window", "1"]).remove(0);
    assert!(span(&wide).0 < span(&alone).0 && span(&wide).1 > span(&alone).1);
    assert_eq!(wide["id"], alone["id"]);
    assert_eq!(vault.search(&["sgrep", "walrus", "--window", "100"]).len(), 2);
}

#[test]
fn a_budget_is_respected() {
    let vault = long();
    let tokens =
        |hits: &[Value]| -> usize { hits.iter().map(|hit| hit["content"].as_str().unwrap().chars().count() / 4).sum() };
    let all = vault.search(&["sgrep", "walrus"]);
    for budget in ["50", "500", "1000"] {
        let hits = vault.search(&["sgrep", "walrus", "--budget", budget]);
        assert!(!hits.is_empty() && tokens(&hits) <= budget.parse().unwrap(), "{budget}");
        let is_cut = hits.iter().any(|hit| all.iter().all(|whole| whole["content"] != hit["content"]));
        assert!(is_cut || hits.len() < all.len(), "{budget}");
    }
    // A single result that is too long is cut at the end of a line.
    let note: Vec<String> = vault.read("long.md").lines().map(str::to_owned).collect();
    let cut = vault.search(&["sgrep", "number 40", "--path", "long.md", "--budget", "30"]).remove(0);
    let (first, last) = span(&cut);
    assert_eq!(cut["content"], note[first - 1..last].join("\n"));
    assert_eq!(vault.search(&["sgrep", "walrus", "--budget", "100000"]), all);
}

#[test]
fn a_question_comes_from_standard_input_too() {
    let output = library().tars(["sgrep", "-", "--json"]).stdin("tomatoes\n").run().success();
    assert_eq!(output.json()["results"][0]["path"], "Garden/Tomatoes.md");
}

#[test]
fn words_of_several_arguments_are_one_question() {
    let answer = library().tars(["sgrep", "--json", "deep", "drink"]).run().success().json();
    assert_eq!(
        (answer["query"].as_str(), &answer["results"][0]["path"]),
        (Some("deep drink"), &Value::from("Garden/Tomatoes.md"))
    );
}

#[test]
fn a_question_about_a_day_ranks_its_log_first() {
    let vault = TestVault::of_words();
    vault.write("Decide.md", "# Decide\n\nWhat did we decide: we decide on Monday what we decide.\n");
    let section = "## Session 10:00 · garden\n<!-- tars:session s-1 turns=p1 by=extractive -->\n";
    for (day, line) in [("2023-03-11", "Decided: the panel moves south"), ("2023-03-10", "Decided: it moves north")] {
        vault.write(&format!("tars/{day}.md"), format!("# {day}\n\n{section}- 10:00 Found: rain\n- 10:01 {line}\n"));
    }
    vault.index();
    for question in [
        "what did we decide on 11 March 2023",
        "was haben wir am 11. März 2023 entschieden",
        "qu'avons-nous décidé le 11 mars 2023",
        "qué decidimos el 11 de marzo de 2023",
    ] {
        let hits = vault.search(&["sgrep", question]);
        assert_eq!(
            (hits[0]["path"].as_str(), hits[0]["line"].as_u64()),
            (Some("tars/2023-03-11.md"), Some(6)),
            "{question}"
        );
    }
    // A filter excludes the log of the day as well, and a day without a log changes nothing.
    assert_eq!(
        vault.search(&["sgrep", "--path", "Decide.md", "what did we decide on 11 March 2023"])[0]["path"],
        "Decide.md"
    );
    assert_eq!(vault.search(&["sgrep", "what did we decide on 9 March 2023"])[0]["path"], "Decide.md");
}
