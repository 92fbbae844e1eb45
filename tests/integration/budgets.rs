//! A budget is filled with answers: the best results whole, of the others the lines that answer.

use serde_json::Value;

use crate::contract::{lines, text};
use crate::harness::TestVault;

/// Twelve notes of several chunks, in one of which stands the answer.
fn boats() -> TestVault {
    let vault = TestVault::of_words().with("TARS_SEARCH_GATE", "0.05").dated();
    let vault = vault.with("TARS_CHUNK_TARGET_TOKENS", "200").with("TARS_CHUNK_OVERLAP", "0");
    let filler = "Nothing of note was seen on the shore that day.\n".repeat(30);
    for boat in 0..12 {
        let answer = format!("- The walrus sleeps on deck {boat}\n  of the old boat\n- The seal swims\n");
        vault.write(&format!("Boat {boat}.md"), format!("# Boat {boat}\n\n## Deck\n\n{filler}\n{answer}\n{filler}"));
    }
    vault.index();
    vault
}

/// The lines that a hit or a piece says that it shows.
fn shown(vault: &TestVault, found: &Value) -> String {
    lines(&vault.read(text(found, "path")), found["start_line"].as_u64().unwrap(), found["end_line"].as_u64().unwrap())
}

#[test]
fn a_budget_too_small_for_all_passages_shows_the_lines_that_answer() {
    let vault = boats();
    let all = vault.search(&["sgrep", "walrus", "-n", "50"]);
    assert_eq!(all.len(), 12);
    // Without a limit of its own, a budget is filled with more results than the setting names.
    let hits = vault.search(&["sgrep", "walrus", "--budget", "800"]);
    let ids = |hits: &[Value]| hits.iter().map(|hit| text(hit, "id").to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(&hits), ids(&all));
    let cut: Vec<&Value> =
        hits.iter().zip(&all).filter(|(hit, all)| hit["content"] != all["content"]).map(|(hit, _)| hit).collect();
    assert!((1..12).contains(&cut.len()), "{} of 12 are cut", cut.len());
    for hit in cut {
        let content = text(hit, "content");
        assert_eq!(content, shown(&vault, hit));
        assert!(content.starts_with("- The walrus") && content.ends_with("of the old boat"), "{hit}");
        assert_eq!((&hit["line"], text(hit, "heading").ends_with(" > Deck")), (&hit["start_line"], true), "{hit}");
    }
    let tokens: usize = hits.iter().map(|hit| text(hit, "content").chars().count().div_ceil(4)).sum();
    assert!(tokens <= 800, "{tokens}");
    assert_eq!(vault.search(&["sgrep", "walrus", "--budget", "800", "-n", "4"]).len(), 4);
}

#[test]
fn a_context_shows_the_answer_of_every_note_within_its_budget() {
    let vault = boats();
    let answer = vault.tars(["context", "walrus", "--json"]).run().success().json();
    let block = text(&answer, "block");
    assert!(block.encode_utf16().count() <= 6000 && block.ends_with("\n…\n</tars-memory>"), "{block}");
    assert_eq!(block.matches("The walrus sleeps on deck").count(), 12, "{block}");
    let pieces = answer["pieces"].as_array().unwrap();
    assert_eq!(pieces.len(), 12);
    let is_cut = |piece: &&Value| piece["line"] == piece["start_line"];
    assert!((1..12).contains(&pieces.iter().filter(is_cut).count()), "some passages come whole: {block}");
    for piece in pieces.iter().filter(is_cut) {
        assert_eq!(text(piece, "text"), shown(&vault, piece));
        assert_eq!(text(piece, "heading"), format!("{} > Deck", text(piece, "path").trim_end_matches(".md")));
    }
}

#[test]
fn an_answer_of_a_saved_chat_comes_with_what_it_answers() {
    let vault = TestVault::of_words().with("TARS_SEARCH_GATE", "0.05").dated();
    let vault = vault.with("TARS_CHUNK_TARGET_TOKENS", "200").with("TARS_CHUNK_OVERLAP", "0");
    let filler = "The ground was dug and left to rest until spring.\n\n".repeat(20);
    let asked = "How deep do I plant tulips? I live on a windy hill, and want tables only.";
    let chat =
        format!("# Bulbs\n\n**User**\n\n{asked}\n\n**Assistant**\n\n{filler}Quorum bulbs lie three fingers deep.\n");
    vault.write(
        "Bulbs.md",
        format!("{chat}\n{filler}Quorum lilies lie deeper.\n\n# Later\n\n{filler}The quorum met.\n"),
    );
    vault.index();
    let hits = vault.search(&["sgrep", "quorum", "--budget", "900"]);
    let contents: Vec<&str> = hits.iter().map(|hit| text(hit, "content")).collect();
    let place = |part: &str| contents.iter().position(|content| content.contains(part));
    assert_eq!(contents.iter().filter(|content| **content == asked).count(), 1, "{contents:?}");
    assert!(place("windy hill") < place("three fingers deep") && place("The quorum met").is_some(), "{contents:?}");
    let request = &hits[place("windy hill").unwrap()];
    assert_eq!((&request["start_line"], &request["heading"]), (&5.into(), &"Bulbs".into()));
    assert!(vault.search(&["sgrep", "quorum"]).iter().all(|hit| !text(hit, "content").contains("windy hill")));
    let context = vault.tars(["context", "quorum", "--json"]).run().success().json();
    let block = text(&context, "block");
    assert!(block.find("windy hill") < block.find("three fingers"), "{block}");
    assert_eq!(block.matches("windy hill").count(), 1, "{block}");
}
