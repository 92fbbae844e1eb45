//! Secrets reach neither the memory nor the index.

use super::{MEMORY, answer, days, run, vault_with};
use crate::contract::{keys, text};
use crate::harness::TestVault;

/// Looks like a token. It is assembled here so that no scanner takes this file for a leak.
pub(super) fn token() -> String {
    format!("{}_{}", "ghp", "x7Kq2LmZ9vBt4RwY8sHd3NfG6pJc1QaE5uTo")
}

#[test]
fn remember_redacts_secrets() {
    let vault = vault_with("");
    let token = token();
    let added = answer(&vault, &["remember", &format!("Deploys with {token}")]);
    assert_eq!(added["removed"][0], "github-token");
    assert_eq!(text(&added, "text"), "Deploys with [redacted:github-token]");
    let said = &["taken out before writing: github-token"];
    run(&vault, &["remember", "--force", &format!("Tests with {token}")]).success().says(said);
    run(&vault, &["daily", "--append", &format!("Made {token}")]).success().says(said);
    run(&vault, &["remember", "--type", "procedural", "--section", &token, "Rotate it"]).success();
    run(&vault, &["feedback", "wrong", &format!("Printed {token}")]).success();
    let id = answer(&vault, &["review"])[0]["id"].as_str().unwrap().to_owned();
    run(&vault, &["review", "--promote", &id, "--text", &format!("Never print {token}")]).success();
    run(&vault, &["remember", "Home is <private>behind the walrus</private> in Bremen"]).success();
    let mut files = days(&vault);
    files.extend([MEMORY.to_owned(), "tars/Procedural.md".to_owned(), "tars/corrections.md".to_owned()]);
    for file in files {
        let text = vault.read(&file);
        assert!(!text.contains(&token[4..]) && !text.contains("walrus"), "{file}\n{text}");
    }
    for entry in std::fs::read_dir(vault.data()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(&token[4..]), "the journal holds it");
    }
    run(&vault, &["audit"]).success().says(&["no secret was found"]);
}

#[test]
fn secrets_in_notes_are_not_indexed_and_audited_in_the_memory() {
    let vault = TestVault::of_words();
    let token = token();
    vault.write("Deploy.md", format!("# Deploy\n\nThe walrus uses {token} to deploy.\n"));
    vault.write("Home.md", "# Home\n\nThe otter lives <private>behind the heron</private> in Bremen.\n");
    vault.index();
    let hits = vault.search(&["sgrep", "walrus"]);
    assert!(text(&hits[0], "content").contains("[redacted:github-token]"), "{hits:?}");
    assert!(vault.search(&["search", &token]).iter().all(|hit| !text(hit, "content").contains(&token[4..])));
    assert_eq!(vault.found(&["sgrep", "heron"]), [""; 0]);
    assert_eq!(vault.found(&["sgrep", "otter"]), ["Home.md"]);
    for entry in std::fs::read_dir(vault.data()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let held = |word: &str| bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()));
        assert!(!held(&token[4..]) && !held("heron"), "the index holds it");
    }
    run(&vault, &["audit"]).success().says(&["no secret was found"]);
    assert_eq!(answer(&vault, &["audit"]), serde_json::json!([]));

    // A secret that a person wrote.
    vault.write(MEMORY, format!("# Memory\n\n- {token}\n"));
    let found = vault.tars(["audit", "--json"]).run().code(1).json();
    assert_eq!(keys(&found[0]), ["place", "collection", "path", "line", "kind"]);
    assert_eq!(
        (text(&found[0], "place"), text(&found[0], "path"), found[0]["line"].as_u64()),
        ("memory", MEMORY, Some(3))
    );
    let output = run(&vault, &["audit"]).code(1);
    assert!(!output.to_string().contains(&token[4..]), "a secret is not repeated\n{output}");
}

#[test]
fn passwords_on_command_lines_and_in_sentences_are_audited() {
    let vault = super::vault_with("# Memory\n\n- Port is 8080\n");
    run(&vault, &["audit"]).success();
    let lines = ["docker login -u ci -p tulpenfeld", "Das Kennwort xK7brunnen gilt", "echo x1y2z3w4 | sudo -S reboot"];
    vault.write(MEMORY, format!("# Memory\n\n- {}\n", lines.join("\n- ")));
    let found = vault.tars(["audit", "--json"]).run().code(1).json();
    let places: Vec<_> =
        found.as_array().unwrap().iter().map(|leak| (leak["line"].as_u64(), text(leak, "kind"))).collect();
    assert_eq!(places, [3, 4, 5].map(|line| (Some(line), "password")));
}

#[test]
fn a_note_made_private_leaves_no_word_in_the_index() {
    let vault = TestVault::of_words();
    vault.write("Home.md", "# Home\n\nThe quagga lives behind the heron.\n");
    vault.write("Other.md", "# Other\n\nThe otter lives in Bremen.\n");
    vault.index();
    let held = |word: &str| {
        let files = std::fs::read_dir(vault.data()).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.is_file()).any(|path| {
            let bytes = std::fs::read(path).unwrap();
            bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
        })
    };
    assert!(held("quagga"));
    vault.write("Home.md", "---\ntars: private\n---\n# Home\n\nThe quagga lives behind the heron.\n");
    vault.index();
    assert!(!held("quagga") && held("otter"), "the index still holds it");
}

#[test]
fn a_secret_in_the_name_of_a_note_stays_out_of_the_index_and_the_context() {
    let vault = TestVault::of_words().with("TARS_SEARCH_GATE", "0.05");
    let token = token();
    let path = format!("keys {token}/{token}.md");
    vault.write(&path, "The walrus sleeps on the ice.\n");
    vault.index();
    let hits = vault.search(&["search", "--mode", "keyword", "walrus"]);
    assert_eq!(text(&hits[0], "title"), "[redacted:github-token]");
    // The path is needed to open the note.
    assert_eq!(text(&hits[0], "path"), path);
    assert_eq!(vault.found(&["sgrep", &token]), [""; 0]);
    let prompt =
        serde_json::json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "the walrus on ice"});
    let hook = vault.tars(["search", "--hook"]).stdin(prompt.to_string()).run().success();
    let context = vault.tars(["context", "--query", "walrus"]).run().success();
    for given in [hook.stdout(), context.stdout()] {
        assert!(given.contains("keys [redacted:github-token]/[redacted:github-token].md:1"), "{given}");
        assert!(!given.contains(&token[4..]), "{given}");
    }
    let found = vault.tars(["audit", "--json"]).run().code(1).json();
    let named = (text(&found[0], "place"), text(&found[0], "path"), found[0]["line"].as_u64());
    assert_eq!(named, ("name", "keys [redacted:github-token]/[redacted:github-token].md", Some(0)));
    assert_eq!(found.as_array().unwrap().len(), 2);
    let output = run(&vault, &["audit"]).code(1);
    assert!(!output.to_string().contains(&token[4..]), "a secret is not repeated\n{output}");
}

#[test]
fn a_clean_audit_succeeds() {
    let vault = super::vault_with("# Memory\n\n- Port is 8080\n");
    run(&vault, &["audit"]).success();
    vault.write(MEMORY, format!("# Memory\n\n- {}\n", token()));
    run(&vault, &["audit"]).code(1).says(&["found 1 secret"]);
}
