//! Queries without words, without end or without valid text.

use crate::bad_input::refused;
use crate::fixture::library;

#[test]
fn an_empty_query() {
    for query in ["", "   ", "\t\n"] {
        for command in ["search", "sgrep", "svec"] {
            refused(library().tars([command, query]).run(), &["the query is empty", "try: tars search WORDS"]);
        }
    }
    refused(library().tars(["search", "-"]).stdin("\n").run(), &["the query is empty"]);
}

#[test]
fn a_query_of_punctuation() {
    for query in ["?!", "\"\"", "* OR *", "()", "🎉", "…"] {
        let output = library().tars(["search", "--", query]).run();
        if query.contains("OR") {
            assert!(matches!(output.status.code(), Some(0 | 1)), "{output}");
        } else {
            refused(output, &["the query holds no letter and no digit", "try: tars search WORDS"]);
        }
    }
}

#[test]
fn a_query_of_stop_words() {
    library().tars(["search", "the", "of", "and"]).run().success();
}

#[test]
#[ignore = "nightly: embeds long queries, 20 s"]
fn a_query_of_a_hundred_kilobytes() {
    let page = "The tomatoes want water and the lighthouse stands. ".repeat(2_000);
    for mode in ["hybrid", "keyword", "vector"] {
        let answer = library().tars(["search", "--json", "--mode", mode, &page]).run().success().json();
        assert!(!answer["results"].as_array().unwrap().is_empty());
        if mode != "keyword" {
            assert!(answer["degraded"].as_str().unwrap().contains("longer than the model reads"));
        }
    }
    // One word, and a page of Chinese without a space.
    for word in ["x".repeat(100_000), "战国无双".repeat(8_000)] {
        let output = library().tars(["search", "--json", &word]).run();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{output}");
    }
    library().tars(["search", "-", "--json"]).stdin(page.repeat(5)).run().success();
}

#[test]
fn a_query_that_is_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let latin = OsStr::from_bytes(b"caf\xe9");
    let texts = ["the query is not valid UTF-8", "try:"];
    refused(library().tars([OsStr::new("search"), latin]).run(), &texts);
    refused(library().tars([OsStr::new("search"), OsStr::new("the"), latin]).run(), &texts);
    refused(library().tars(["search", "-"]).stdin(b"caf\xe9").run(), &texts);
}

#[test]
fn filters_that_match_nothing() {
    let vault = library();
    refused(
        vault.tars(["search", "tomatoes", "--collection", "nosuch"]).run(),
        &["no collection 'nosuch': there is vault"],
    );
    refused(vault.tars(["search", "tomatoes", "--path", "[a"]).run(), &["'[a' is not a path pattern"]);
    refused(
        vault.tars(["search", "tomatoes", "--since", "2024-02-01", "--until", "2024-01-01"]).run(),
        &["--since 2024-02-01 lies after --until 2024-01-01", "try: exchange the two dates"],
    );
    vault.tars(["search", "tomatoes", "--tag", "nosuch"]).run().code(1).says(&["nothing found"]);
}
