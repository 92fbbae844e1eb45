//! What a person meets first: `tars` alone, completions, the manual.

use std::fs;

use crate::harness::TestVault;

const NOTHING: [&str; 0] = [];

#[test]
fn tars_alone_says_what_is_there_and_what_to_do_next() {
    let vault = TestVault::of_words();
    let said = || vault.tars(NOTHING).run().success().stdout().to_owned();
    vault.write("Tea.md", "# Tea\n\nGreen tea at 70 degrees.\n");
    let first = said();
    assert!(first.contains("0 notes in the index, 1 note to bring in"), "{first}");
    assert!(first.contains("next     tars index "), "{first}");
    vault.index();
    let indexed = said();
    assert!(
        indexed.contains("1 note, all in the index") && indexed.contains("next     tars search QUESTION"),
        "{indexed}"
    );
    assert!(indexed.contains("watcher  not running") && indexed.contains("tars watch --detach"), "{indexed}");
    vault.write("Coffee.md", "# Coffee\n\nGround fresh.\n");
    let changed = said();
    assert!(changed.contains("1 note in the index, 1 note to bring in"), "{changed}");
    assert_eq!(said(), vault.tars(["next"]).run().success().stdout());
    for line in changed.lines() {
        assert!(line.chars().count() <= 80 || line.contains('/'), "{line}");
    }
}

#[test]
fn a_half_embedded_index_says_that_words_answer() {
    let vault = TestVault::new();
    vault.write("Tea.md", "# Tea\n\nGreen tea at 70 degrees.\n");
    vault.tars(["index"]).env("TARS_EMBEDDING_PROVIDER", "none").run().success();
    let said = vault.tars(NOTHING).run().success().stdout().to_owned();
    assert!(said.contains("meaning  0 of 1 passage embedded; words answer already"), "{said}");
}

#[test]
fn without_a_vault_those_of_obsidian_are_offered() {
    let vault = TestVault::of_words().without("TARS_VAULT");
    let said = |vault: &TestVault| vault.tars(NOTHING).run().success().stdout().to_owned();
    let none = said(&vault);
    assert!(none.contains("vault    none is set yet") && none.contains("next     tars init FOLDER"), "{none}");
    vault.write("Tea.md", "# Tea\n");
    let list = vault.home().join(".config/obsidian/obsidian.json");
    fs::create_dir_all(list.parent().unwrap()).unwrap();
    fs::write(list, format!(r#"{{"vaults":{{"a":{{"path":"{}","ts":1}}}}}}"#, vault.root().display())).unwrap();
    let found = said(&vault);
    assert!(found.contains("Obsidian has ~/vault (1 note)"), "{found}");
    let step = format!("tars init {}", vault.root().display());
    assert!(found.contains(&step), "{found}");
    vault.tars(["init"]).args([vault.root()]).run().success();
    assert!(said(&vault).contains("~/vault"), "the step that was advised set the vault up");
}

#[test]
fn a_shell_completes_commands_and_names_of_notes() {
    let vault = TestVault::of_words();
    vault.write("Home/Green tea.md", "# Tea\n").write("Home/Garden.md", "# Garden\n");
    vault.index();
    for (shell, mark) in [("bash", "complete "), ("zsh", "compdef"), ("fish", "complete "), ("powershell", "Register")]
    {
        let script = vault.tars(["completions", shell]).run().success();
        assert!(script.stdout().contains(mark) && script.stdout().contains("TARS_COMPLETE"), "{}", script.stdout());
    }
    let complete = |words: &[&str]| {
        let command = vault.tars(["--", "tars"]).args(words).env("TARS_COMPLETE", "bash");
        let last = words.len().to_string();
        let done = command.env("_CLAP_COMPLETE_INDEX", last).env("_CLAP_IFS", "\n").run().success();
        done.stdout().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(complete(&["sea"]).contains(&"search".to_owned()));
    assert_eq!(complete(&["get", "Home/G"]), ["Home/Garden.md", "Home/Green tea.md"]);
    assert!(complete(&["search", "x", "--collection", ""]).contains(&"vault".to_owned()));
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let vault = TestVault::of_words();
    let folder = vault.home().join("man");
    vault.tars(["man"]).args([&folder]).run().success();
    for page in ["tars.1", "tars-search.1", "tars-mcp-servers-test.1", "tars-schedule-add.1"] {
        let text = fs::read_to_string(folder.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
}
