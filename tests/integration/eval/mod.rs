//! `tars eval`.

mod self_questions;

use serde_json::{Value, json};

use crate::contract::{keys, text};
use crate::fixture::library;
use crate::harness::{Output, TestVault};

/// Five questions about the library: of two categories, one without a category, one without an answer.
const QUESTIONS: &str = r#"{"id": "leg", "query": "what a doctor said about a sore leg", "relevant": [{"path": "Travel/Lisbon.md"}], "category": "meaning"}
{"id": "storage", "query": "why one SQLite file", "relevant": [{"path": "Projects/Lighthouse.md", "start_line": 8, "end_line": 10}], "category": "words"}
{"id": 3, "query": "战国无双", "relevant": [{"path": "语言/战国.md"}], "category": "words"}

{"query": "how often are tomatoes watered", "relevant": [{"path": "Garden/Tomatoes.md", "collection": "vault"}]}
{"id": "gone", "query": "tomatoes", "relevant": [{"path": "Garden/Potatoes.md"}], "category": "words"}
"#;

/// The names of the metrics, in order.
const FIGURES: [&str; 7] = ["recall@1", "recall@3", "recall@5", "recall@10", "mrr@10", "ndcg@10", "cover@8000"];

/// Writes a file that no other test writes and returns its path.
fn file(name: &str, text: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("eval");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn eval(arguments: &[&str]) -> Output {
    library().tars(["eval"]).args(arguments).run()
}

fn mode<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let modes = answer["modes"].as_array().unwrap();
    modes.iter().find(|mode| mode["mode"] == name).unwrap_or_else(|| panic!("no {name} in {answer}"))
}

#[test]
fn the_language_sets_name_existing_notes() {
    for language in ["english", "german"] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages").join(language);
        let vault = TestVault::of_words().with("TARS_VAULT", folder.join("vault"));
        assert_eq!(vault.index()["files"], 12);
        let answer = vault.tars(["eval", "--json"]).arg(folder.join("questions.jsonl")).run().success().json();
        assert_eq!((&answer["absent"], &answer["questions"]), (&json!([]), &json!(24)), "{answer}");
    }
}

#[test]
fn every_mode_is_measured() {
    let questions = file("every_mode.jsonl", QUESTIONS);
    let output = eval(&[&questions, "--json"]).success();
    let answer = output.json();
    assert_eq!(
        keys(&answer),
        ["questions", "files", "chunks", "left_out", "astray", "absent", "empty", "degraded", "modes", "against"]
    );
    assert_eq!(
        (&answer["questions"], &answer["left_out"], &answer["against"]),
        (&json!(5), &json!(null), &json!(null))
    );
    assert_eq!((&answer["astray"], &answer["absent"]), (&json!(1), &json!(["Garden/Potatoes.md"])));
    let names: Vec<&str> = answer["modes"].as_array().unwrap().iter().map(|mode| text(mode, "mode")).collect();
    assert_eq!(names, ["hybrid", "keyword", "vector", "grep"]);
    for one in answer["modes"].as_array().unwrap() {
        assert_eq!(keys(one), ["mode", "ms", "overall", "reliability", "categories"]);
        assert_eq!(keys(&one["overall"]), FIGURES);
        let called = one["reliability"].as_array().unwrap();
        let words: Vec<&str> = called.iter().map(|band| text(band, "relevance")).collect();
        match text(one, "mode") {
            "grep" => assert!(words.is_empty(), "counts are no scores"),
            _ => assert_eq!(words, ["relevant", "kinda relevant", "maybe relevant", "not relevant"]),
        }
        assert!(called.iter().all(|band| band["right"].as_u64() <= band["questions"].as_u64()), "{one}");
        assert_eq!(keys(&one["categories"][0]), [&["category", "questions"], &FIGURES[..]].concat());
        let kinds: Vec<(&str, u64)> = one["categories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|kind| (text(kind, "category"), kind["questions"].as_u64().unwrap()))
            .collect();
        assert_eq!(kinds, [("meaning", 1), ("words", 3)]);
        match text(one, "mode") {
            "grep" => assert_eq!(one["ms"], Value::Null),
            _ => assert!(one["ms"]["median"].as_f64().unwrap() <= one["ms"]["p95"].as_f64().unwrap()),
        }
    }
    // The question without an answer counts as missed; the others are answered first.
    assert_eq!(mode(&answer, "hybrid")["overall"]["recall@5"], 0.8);
    // Only vectors answer a question that has no word in common with its answer.
    let meaning = |name: &str| mode(&answer, name)["categories"][0]["recall@10"].clone();
    assert_eq!([meaning("hybrid"), meaning("keyword"), meaning("vector"), meaning("grep")], [1.0, 0.0, 1.0, 0.0]);
    output.says(&["1 of 5 questions names a file that is not indexed: Garden/Potatoes.md"]);
}

#[test]
fn a_person_sees_the_modes_side_by_side() {
    let questions = file("side_by_side.jsonl", QUESTIONS);
    let brief = eval(&[&questions]).success();
    let rows = |output: &Output| -> Vec<Vec<String>> {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        output.stdout().lines().filter(|line| !line.is_empty()).map(words).collect()
    };
    let firsts: Vec<String> = rows(&brief).into_iter().map(|row| row[0].clone()).collect();
    let overall = [&["all"], &FIGURES[..], &["ms", "ms"]].concat();
    let called = ["first", "relevant", "kinda", "maybe", "not"];
    assert_eq!(firsts, [&overall[..], &["ndcg@10", "meaning", "words"], &called].concat(), "{brief}");
    assert_eq!(rows(&brief)[0], ["all", "5", "hybrid", "keyword", "vector", "grep"]);
    let whole = eval(&[&questions, "--categories", "--mode", "grep", "--mode", "keyword", "--mode", "grep"]).success();
    let firsts: Vec<String> = rows(&whole).into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(
        firsts,
        [&overall[..], &["meaning"], &FIGURES[..], &["words"], &FIGURES[..], &called].concat(),
        "{whole}"
    );
    assert_eq!(rows(&whole)[0], ["all", "5", "keyword", "grep"]);
}

#[test]
fn settings_apply_to_the_run() {
    let questions = file("settings.jsonl", QUESTIONS);
    let figures = |arguments: &[&str]| {
        let answer = eval(&[&[questions.as_str(), "--json"], arguments].concat()).success().json();
        mode(&answer, "hybrid")["overall"].clone()
    };
    assert_eq!(figures(&[])["recall@5"], 0.8);
    assert_eq!(
        figures(&["--set", "search.limit=1"])["recall@10"],
        0.8,
        "ten results are measured however many are shown"
    );
    assert_eq!(figures(&["--set", "search.limit=3", "--set", "search.min_score=1"])["recall@10"], 0.0);
    let refused = |setting: &str, says: &str| {
        eval(&[questions.as_str(), "--set", setting]).code(2).says(&[says]);
    };
    refused("search.nonsense=1", "search.nonsense");
    refused("search.vector_weight=2", "search.vector_weight");
    refused("search.vector_weight", "a key and a value");
    refused("chunk.target_tokens=100", "--data-dir");
}

#[test]
fn a_second_stage_of_the_settings_is_measured() {
    let vault = crate::second_stage::shelf();
    let questions = vault.home().join("questions.jsonl");
    std::fs::write(&questions, "{\"query\": \"walrus tusk ice\", \"relevant\": [{\"path\": \"a.md\"}]}\n").unwrap();
    let eval = || vault.tars(["eval", "--json", "--mode", "keyword"]).arg(&questions);
    let first = |output: &Output| mode(&output.json(), "keyword")["overall"]["recall@1"].clone();
    assert_eq!(first(&eval().run().success().quiet()), 0.0);
    let rerank = || eval().args(["--set", "search.rerank=true"]).run().success();
    assert_eq!(first(&rerank().quiet()), 1.0);
    std::fs::remove_dir_all(vault.home().join("models/tiny")).unwrap();
    assert_eq!(first(&rerank().says(&["1 answer: not reranked: no reranker is installed in"])), 0.0);
}

#[test]
fn operators_work_in_a_file_and_are_literal_in_names() {
    let vault = TestVault::of_words();
    let text = "The walrus hauls out on the ice in spring and goes north when summer comes.";
    vault.write("a.md", format!("# Ice -walrus\n\n{text} Ice.\n")).write("b.md", "# Other\n\nNo ice.\n").index();
    let questions = vault.home().join("questions.jsonl");
    std::fs::write(&questions, "{\"query\": \"ice -walrus\", \"relevant\": [{\"path\": \"b.md\"}]}\n").unwrap();
    let recall = |arguments: &[&str]| {
        let answer = vault.tars(["eval", "--json", "--mode", "keyword"]).args(arguments).run().success().json();
        (answer["questions"].clone(), mode(&answer, "keyword")["overall"]["recall@1"].clone())
    };
    assert_eq!(recall(&[questions.to_str().unwrap()]), (json!(1), json!(1.0)));
    assert_eq!(recall(&["--self"]), (json!(1), json!(1.0)), "the title is literal and excludes nothing");
}

#[test]
fn a_run_is_saved_and_compared() {
    let questions = file("kept.jsonl", QUESTIONS);
    let kept = file("kept_run.jsonl", "");
    eval(&[&questions, "--out", &kept, "--set", "search.min_score=1"]).success();
    let records: Vec<Value> =
        std::fs::read_to_string(&kept).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 4 * 5);
    assert_eq!(keys(&records[0]), [&["id", "category", "mode", "ms"], &FIGURES[..]].concat());
    let ids: Vec<&str> = records[..5].iter().map(|record| text(record, "id")).collect();
    assert_eq!(ids, ["leg", "storage", "3", "5", "gone"], "a question without an id is identified by its line");

    let answer = eval(&[&questions, "--against", &kept, "--out", &kept, "--json"]).success().json();
    let compared = answer["against"].as_array().unwrap();
    assert_eq!(compared.len(), 4 * FIGURES.len());
    let of = |mode: &str, metric: &str| {
        compared.iter().find(|one| one["mode"] == mode && one["metric"] == metric).unwrap().clone()
    };
    let hybrid = of("hybrid", "recall@5");
    assert_eq!(keys(&hybrid), ["mode", "metric", "questions", "before", "now", "difference", "low", "high", "p"]);
    assert_eq!([&hybrid["before"], &hybrid["now"], &hybrid["questions"]], [&json!(0.0), &json!(0.8), &json!(5)]);
    assert!(hybrid["difference"] == 0.8 && hybrid["high"] == 1.0, "{hybrid}");
    let grep = of("grep", "ndcg@10");
    assert_eq!([&grep["difference"], &grep["low"], &grep["high"], &grep["p"]], [0.0, 0.0, 0.0, 1.0], "{grep}");

    let shown = eval(&[&questions, "--against", &kept, "--mode", "hybrid"]).success();
    let table = shown.stdout().split_once("\nagainst").unwrap_or_else(|| panic!("{shown}")).1.to_owned();
    assert_eq!(table.lines().filter(|line| line.starts_with("hybrid")).count(), FIGURES.len(), "{shown}");
    let others = file("others.jsonl", &QUESTIONS.replace("\"id\"", "\"name\"").replace("\n\n", "\n"));
    let other_kept = file("other_run.jsonl", "");
    eval(&[&others, "--mode", "grep", "--out", &other_kept]).success();
    eval(&[&questions, "--mode", "hybrid", "--against", &other_kept])
        .code(2)
        .says(&["contains no question of this run"]);
}

#[test]
fn a_file_that_is_no_run_is_not_overwritten() {
    let questions = file("written_over.jsonl", QUESTIONS);
    let text = "# A note\n";
    let note = file("note.md", text);
    eval(&[&questions, "--mode", "grep", "--out", &note]).code(2).says(&["note.md exists and is not an earlier run"]);
    assert_eq!(std::fs::read_to_string(&note).unwrap(), text);
    eval(&[&questions, "--mode", "grep", "--out", "nowhere/run.jsonl"]).code(2).says(&["nowhere/run.jsonl"]);
    eval(&[&questions, "--mode", "grep", "--against", &note])
        .code(2)
        .says(&["note.md:1: not a line of an earlier run"]);
}

#[test]
fn an_invalid_line_is_named() {
    let wrong = file("wrong.jsonl", &format!("{QUESTIONS}{{\"query\": \"tomatoes\"}}\n"));
    let output = eval(&[&wrong]).code(2);
    assert_eq!(output.stdout(), "");
    output.says(&["wrong.jsonl:7: not a question: missing field `relevant`", "try: one question a line: {\"query\""]);
    eval(&["nowhere.jsonl"]).code(2).says(&["cannot read nowhere.jsonl"]);
    eval(&[&file("blank.jsonl", "\n")]).code(2).says(&["blank.jsonl holds no question"]);
}

#[test]
fn a_question_without_words_has_no_answer() {
    let questions = file("no_words.jsonl", "{\"query\": \"?!\", \"relevant\": [{\"path\": \"Garden/Tomatoes.md\"}]}\n");
    let output = eval(&[&questions, "--json"]).success().says(&["1 question without search terms"]);
    assert_eq!(output.json()["empty"], 1);
    assert_eq!(mode(&output.json(), "hybrid")["overall"]["recall@10"], 0.0);
}

#[test]
fn without_a_model_keyword_search_is_measured_with_a_warning() {
    let vault = TestVault::of_words();
    vault.write("a.md", "# Walrus\n\nIt hauls out on the ice.\n").write("b.md", "# Otter\n\nNo ice here.\n").index();
    let questions = vault.home().join("questions.jsonl");
    std::fs::write(&questions, "{\"query\": \"walrus on ice\", \"relevant\": [{\"path\": \"a.md\"}]}\n").unwrap();
    let eval = || vault.tars(["eval", "--json"]).arg(&questions);
    let output = eval().run().success().says(&["hybrid and vector are left out: embedding.provider is 'none'"]);
    let names: Vec<Value> = output.json()["modes"].as_array().unwrap().iter().map(|one| one["mode"].clone()).collect();
    assert_eq!(names, ["keyword", "grep"]);
    assert_eq!(mode(&output.json(), "keyword")["overall"]["recall@1"], 1.0);
    eval().args(["--mode", "vector"]).run().code(2).says(&["search by meaning is not possible"]);
    eval().args(["--mode", "keyword"]).run().success().quiet();
    // A model, but an index without vectors.
    let unembedded = eval().env("TARS_EMBEDDING_PROVIDER", "onnx").run().success();
    unembedded.says(&["hybrid and vector are left out: the notes are not embedded: run 'tars index'"]);
    let missing = eval().env("TARS_EMBEDDING_PROVIDER", "onnx").env("TARS_MODELS_DIR", vault.home().join("none")).run();
    missing.success().says(&["hybrid and vector are left out:", "fix it with"]);
}

#[test]
fn eval_indexes_changed_notes_first_and_needs_an_index() {
    let vault = TestVault::of_words();
    let questions = vault.home().join("questions.jsonl");
    std::fs::write(&questions, "{\"query\": \"walrus\", \"relevant\": [{\"path\": \"new.md\"}]}\n").unwrap();
    let eval = || vault.tars(["eval", "--mode", "keyword", "--json"]).arg(&questions).run();
    eval().code(2).says(&["try: tars index"]);
    vault.write("old.md", "An otter.\n").index();
    vault.write("new.md", "A walrus.\n");
    assert_eq!(mode(&eval().success().json(), "keyword")["overall"]["recall@1"], 1.0);
}
