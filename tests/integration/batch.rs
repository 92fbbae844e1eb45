//! `tars search --batch`: one query a line.

use serde_json::json;

use crate::contract::{keys, text};
use crate::fixture::library;
use crate::harness::{Output, TestVault};

fn batch(input: &str) -> Output {
    library().tars(["search", "--mode", "keyword", "--batch", "-"]).stdin(input).run()
}

#[test]
fn a_batch_is_answered_line_by_line_in_order() {
    let input = "\"tomatoes\"\n\n{\"id\": 7, \"query\": \"compost\"}\n{\"query\": \"lisbon\"}\n{\"id\": \"x\", \"query\": \"xylophone\"}\n";
    let answers = batch(input).success().quiet().json_lines();
    let asked: Vec<&str> = answers.iter().map(|answer| text(answer, "query")).collect();
    assert_eq!(asked, ["tomatoes", "compost", "lisbon", "xylophone"]);
    assert_eq!(keys(&answers[0]), ["ms", "query", "mode", "degraded", "remarks", "index", "results"]);
    assert_eq!(keys(&answers[1])[0], "id");
    assert!(answers.iter().all(|answer| answer["ms"].is_number() && answer["results"].is_array()));
    assert_eq!(answers[0]["results"][0]["path"], "Garden/Tomatoes.md");
    assert_eq!(answers[3]["results"], json!([]));
}

#[test]
fn a_batch_gives_every_id_back_as_it_came() {
    for id in [json!(7), json!(-1.5), json!("seven"), json!(true), json!([1, "two"]), json!({"of": {"any": 1}})] {
        let line = json!({"id": id, "query": "tomatoes"}).to_string();
        assert_eq!(batch(&line).success().json()["id"], id);
    }
}

#[test]
fn a_batch_continues_after_invalid_lines() {
    let input: Vec<u8> = [
        b"{broken\n".as_slice(),
        b"42\n",
        b"{\"id\": 1}\n",
        b"\"\"\n",
        b"{\"id\": 5, \"query\": \"?!\"}\n",
        b"\"tomatoes\"",
    ]
    .concat();
    let output = library().tars(["sgrep", "--batch", "-"]).stdin(input).run().code(2);
    let answers = output.json_lines();
    assert_eq!(answers.len(), 6, "{output}");
    for answer in &answers[..5] {
        assert!(answer["error"].is_string() && answer.get("results").is_none(), "{answer}");
    }
    assert_eq!(answers[4]["id"], 5);
    assert_eq!(answers[5]["results"][0]["path"], "Garden/Tomatoes.md");
}

#[test]
fn errors_of_a_batch_name_the_line() {
    let input = "\"tomatoes\"\n\n{broken\n\"?!\"\n";
    let answers = library().tars(["sgrep", "--batch", "-"]).stdin(input).run().code(2).json_lines();
    let errors: Vec<&str> = answers[1..].iter().map(|answer| text(answer, "error")).collect();
    assert!(errors[0].starts_with("line 3: not a query: ") && errors[0].ends_with(" at column 2"), "{errors:?}");
    assert!(errors[1].starts_with("line 4: "), "{errors:?}");
}

#[test]
fn a_batch_continues_after_a_line_that_is_not_utf8() {
    let output = library().tars(["sgrep", "--batch", "-"]).stdin(b"\"caf\xe9\"\n\"tomatoes\"\n").run().code(2);
    let answers = output.json_lines();
    assert!(answers[0]["error"].is_string(), "{output}");
    assert_eq!(answers[1]["results"][0]["path"], "Garden/Tomatoes.md");
}

#[test]
fn a_batch_comes_from_a_file_too() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    std::fs::write(vault.home().join("queries"), "\"walrus\"\n").unwrap();
    assert_eq!(vault.tars(["search", "--batch", "queries"]).run().success().json()["results"][0]["path"], "a.md");
    vault.tars(["search", "--batch", "nowhere"]).run().code(2).says(&["nowhere"]);
    vault.tars(["search", "--batch", "queries", "walrus"]).run().code(2);
}
