//! What a person said in imported chats and what holds on becomes proposals.

use serde_json::json;

use super::chats::{chatgpt, export};
use crate::harness::TestVault;

fn vault() -> TestVault {
    let vault = TestVault::of_words().with("TZ", "UTC");
    let pasted = "Proofread this letter:\n\nI prefer tea over coffee. Always send the invoices to my sister. I live in Paris and I work as a \
                  painter. I have written this for years, and I hope that you will find the time to read it before the summer ends. Yours.";
    export(
        &vault,
        &[
            chatgpt("c-1", &["Always answer in tables. How tall is the tower?", "300 m."]),
            chatgpt("c-2", &["Always answer in tables.\n\n```\nnever use tabs in this file\n```", "Yes."]),
            chatgpt("c-3", &["I prefer short answers, how do I bleed a radiator?", "Open the valve."]),
            chatgpt("c-4", &[pasted, "Done."]),
            chatgpt("c-5", &["Is the oil tank tight?", "Always check the seal. I prefer brass valves."]),
        ],
    );
    vault
}

#[test]
fn what_a_person_said_in_chats_waits_for_the_review_with_its_source() {
    let vault = vault();
    let dry = vault.tars(["import", "chatgpt", "conversations.json", "--dry-run"]).run().success();
    assert!(dry.stdout().contains("would propose  tars/Procedural.md#Rules  Always answer in tables."), "{dry}");
    assert!(!vault.path("tars").exists());
    let json = vault.tars(["import", "chatgpt", "conversations.json", "--json"]).run().success().json();
    let said: Vec<&str> =
        json["proposals"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["Always answer in tables.", "I prefer short answers"]);
    assert_eq!(json["proposals"][0]["said"].as_array().unwrap().len(), 2, "two chats, one proposal: {json}");
    let list = vault.read("tars/proposals.md");
    let source = "  - since: 2025-03-14 Always answer in tables. (chats/2025-03-14-";
    assert!(list.contains("## From chats imported on ") && list.contains(source), "{list}");
    assert!(!vault.path("tars/Memory.md").exists() && !vault.path("tars/Procedural.md").exists());

    let proposals = vault.tars(["review", "--proposals", "--json"]).run().success().json();
    let id = proposals[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(proposals[0]["job"], "import");
    vault.tars(["review", "--accept", &id]).run().success();
    assert!(vault.read("tars/Procedural.md").contains("## Rules\n- Always answer in tables.\n"));
    let refused = proposals[1]["id"].as_str().unwrap().to_owned();
    vault.tars(["review", "--refuse", &refused]).run().success();
    let again = vault.tars(["import", "chatgpt", "conversations.json", "--proposals", "9", "--json"]).run().success();
    assert_eq!(again.json()["proposals"], json!([]), "neither what was accepted nor what was refused comes again");
}

#[test]
fn a_chat_whose_note_was_made_private_gives_no_proposal() {
    let vault = vault();
    let import = |more: &[&str]| {
        let arguments = [&["import", "chatgpt", "conversations.json", "--json"][..], more].concat();
        vault.tars(arguments).run().success().json()
    };
    let first = import(&["--proposals", "0"]);
    for chat in first["chats"].as_array().unwrap() {
        let path = chat["path"].as_str().unwrap();
        vault.write(path, vault.read(path).replacen("tars: \"chat\"", "tars: private", 1));
    }
    assert_eq!(import(&["--proposals", "9"])["proposals"], json!([]));
}

#[test]
fn one_undo_takes_the_proposals_of_an_import_back_with_its_notes() {
    let vault = vault();
    vault.tars(["import", "chatgpt", "conversations.json"]).run().success();
    assert!(vault.path("tars/proposals.md").exists());
    vault.tars(["undo"]).run().success();
    assert!(!vault.path("tars/proposals.md").exists() && !vault.path("tars/chats").exists());
}

#[test]
fn an_import_proposes_a_bounded_number_and_says_how_to_see_the_rest() {
    let vault = vault();
    let some = vault.tars(["import", "chatgpt", "conversations.json", "--proposals", "1"]).run().success();
    assert_eq!(some.stdout().matches("proposed  ").count(), 1, "{some}");
    assert!(some.stdout().contains("Always answer in tables."), "the one that two chats say: {some}");
    let how = "tars import chatgpt FILE --proposals 2 --dry-run";
    assert!(some.stderr().contains("1 more, less sure or said less often") && some.stderr().contains(how), "{some}");
    let none = self::vault().with("TARS_AUTO_EXTRACT", "false");
    let none = none.tars(["import", "chatgpt", "conversations.json", "--json"]).run().success().json();
    assert_eq!((&none["proposals"], none["chats"].as_array().unwrap().len()), (&json!([]), 5));
}
