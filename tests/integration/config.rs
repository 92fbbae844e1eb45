//! Settings through the binary: their sources, and who may change them.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{TarsCommand, TestVault};
use crate::untouched::contents;

/// Returns a vault that no variable names.
fn bare() -> TestVault {
    TestVault::of_words().without("TARS_VAULT").without("TARS_DATA_DIR")
}

fn get(vault: &TestVault, key: &str) -> String {
    vault.tars(["config", "get", key]).run().success().stdout().trim_end().to_owned()
}

#[test]
fn init_writes_the_configuration_and_the_memory_folder() {
    let vault = bare();
    vault.write("a.md", "walrus\n");
    let output = vault.tars(["init", "vault"]).run().success().quiet();
    let root = vault.root().canonicalize().unwrap();
    assert!(output.stdout().contains(root.to_str().unwrap()) && output.stdout().contains("tars index"), "{output}");
    assert_eq!(get(&vault, "vault.path"), root.to_str().unwrap());
    assert!(vault.read("tars/Memory.md").starts_with("# Memory\n"));
    assert!(vault.read("tars/Procedural.md").starts_with("# Procedural\n"));
    assert!(vault.path("tars/sessions").is_dir());
    assert_eq!(vault.read("a.md"), "walrus\n");
    // From now on, everything works without a variable.
    vault.tars(["index"]).run().success();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
    assert!(vault.home().join(".local/share/tars/index.db").is_file());
}

#[test]
fn init_offers_the_clients_memory_as_a_collection() {
    let vault = bare();
    let offer = "tars config set index.client_memory true";
    assert!(!vault.tars(["init", "vault"]).run().success().stdout().contains(offer));
    let project = vault.home().join(".claude/projects/-work-pump");
    fs::create_dir_all(project.join("memory")).unwrap();
    let token = format!("glpat-{}", "x7Kq2LmZ9vBt4RwY8sHd");
    let (memory, note) = (project.join("memory/MEMORY.md"), "# Pump\n\n- The walrus valve needs a key: ");
    fs::write(&memory, format!("{note}{token}\n")).unwrap();
    fs::write(project.join("notes.md"), "walrus\n").unwrap();
    assert!(vault.tars(["init"]).run().success().stdout().contains(offer));
    vault.tars(["index"]).run().success();
    vault.tars(["sgrep", "walrus"]).run().code(1);

    vault.tars(["config", "set", "index.client_memory", "true"]).run().success();
    assert!(!vault.tars(["init"]).run().success().stdout().contains(offer));
    vault.tars(["index"]).run().success();
    let hits = vault.search(&["sgrep", "walrus"]);
    assert_eq!(hits.len(), 1, "{hits:?}");
    assert_eq!(
        (&hits[0]["collection"], &hits[0]["path"]),
        (&"claude-memory".into(), &"-work-pump/memory/MEMORY.md".into())
    );
    assert!(!hits[0]["content"].as_str().unwrap().contains(&token), "{hits:?}");
    assert_eq!(fs::read_to_string(&memory).unwrap(), format!("{note}{token}\n"), "tars only reads it");
    vault.tars(["config", "set", "index.client_memory", "false"]).run().success();
    vault.tars(["sgrep", "walrus"]).run().code(1);
}

#[test]
fn init_again_changes_nothing() {
    let vault = bare();
    vault.tars(["init", "vault"]).run().success();
    vault.write("tars/Memory.md", "# Memory\n\n- mine\n");
    let (notes, settings) = (contents(&vault.root()), contents(&vault.home().join(".config")));
    vault.tars(["init", "vault"]).run().success();
    vault.tars(["init"]).run().success();
    assert_eq!((contents(&vault.root()), contents(&vault.home().join(".config"))), (notes, settings));
}

#[test]
fn init_refuses_to_change_the_vault() {
    let vault = bare();
    vault.tars(["init", "vault"]).run().success();
    fs::create_dir(vault.home().join("other")).unwrap();
    vault.tars(["init", "other"]).run().code(2).says(&["the vault is", "already", "tars config set vault.path"]);
    assert_eq!(get(&vault, "vault.path"), vault.root().canonicalize().unwrap().to_str().unwrap());
    assert!(contents(&vault.home().join("other")).is_empty());
}

#[test]
fn init_refuses_anything_but_a_folder() {
    let vault = bare();
    fs::write(vault.home().join("file"), "").unwrap();
    vault.tars(["init", "file"]).run().code(2).says(&["is no folder", "try:"]);
    vault.tars(["init", "nowhere"]).run().code(2).says(&["cannot use nowhere"]);
    assert!(!vault.home().join(".config").exists());
}

#[test]
fn init_writes_nothing_outside_the_vault() {
    let vault = bare();
    let outside = vault.home().join("outside");
    fs::create_dir(&outside).unwrap();
    crate::models::link(outside.clone(), vault.path("tars"));
    vault.tars(["init", "vault"]).run().code(2).says(&["is a link", "tars config set vault.memory_folder"]);
    assert!(!vault.home().join(".config").exists(), "nothing is partly set up");
    assert!(contents(&outside).is_empty(), "{:?}", contents(&outside).keys());

    fs::remove_file(vault.path("tars")).unwrap();
    fs::create_dir(vault.path("tars")).unwrap();
    crate::models::link(outside.clone(), vault.path("tars/sessions"));
    crate::models::link(outside.join("memory"), vault.path("tars/Memory.md"));
    let _ = vault.tars(["init", "vault"]).run();
    assert!(contents(&outside).is_empty(), "{:?}", contents(&outside).keys());
}

#[test]
fn a_vault_that_a_variable_names_is_initialised_and_remembered() {
    let vault = TestVault::of_words();
    vault.tars(["init"]).run().success();
    let bare = vault.without("TARS_VAULT");
    assert_eq!(get(&bare, "vault.path"), bare.root().canonicalize().unwrap().to_str().unwrap());
}

#[test]
fn settings_are_set_shown_and_unset() {
    let vault = bare();
    assert_eq!(get(&vault, "search.limit"), "10");
    let output = vault.tars(["config", "set", "search.limit", "3"]).run().success();
    assert_eq!(output.stdout(), "search.limit = 3\n");
    assert_eq!(get(&vault, "search.limit"), "3");
    vault.tars(["config", "unset", "search.limit"]).run().success();
    assert_eq!(get(&vault, "search.limit"), "10");
    vault.tars(["config", "unset", "search.limit"]).run().code(1);
    vault.tars(["config", "get", "search.limt"]).run().code(2).says(&["unknown key 'search.limt'", "search.limit"]);
    vault.tars(["config", "set", "search.limit", "0"]).run().code(2).says(&["search.limit: expected", "try:"]);
    vault.tars(["config", "set", "no.such", "0"]).run().code(2).says(&["unknown key 'no.such'"]);
}

#[test]
fn the_path_of_the_configuration_is_shown() {
    let vault = bare();
    let shown = |command: TarsCommand| command.args(["config", "path"]).run().success().stdout().trim_end().to_owned();
    let no_arguments: [&str; 0] = [];
    assert_eq!(shown(vault.tars(no_arguments)), vault.home().join(".config/tars/config.toml").to_str().unwrap());
    assert_eq!(shown(vault.tars(no_arguments).env("XDG_CONFIG_HOME", "/x")), "/x/tars/config.toml");
    assert_eq!(shown(vault.tars(no_arguments).env("TARS_CONFIG", "/y.toml")), "/y.toml");
}

fn setting(vault: &TestVault, key: &str, variables: &[(&str, &str)], arguments: &[&str]) -> (Value, String) {
    let mut command = vault.tars(["config", "list", "--json"]).args(arguments);
    for (name, value) in variables {
        command = command.env(name, value);
    }
    let list = command.run().success().json();
    let found = list.as_array().unwrap().iter().find(|setting| setting["key"] == key).unwrap().clone();
    (found["value"].clone(), found["origin"].as_str().unwrap().to_owned())
}

#[test]
fn each_value_is_shown_with_its_layer() {
    let vault = bare();
    assert_eq!(setting(&vault, "search.limit", &[], &[]), (json!(10), "default".into()));
    vault.tars(["config", "set", "search.limit", "7"]).run().success();
    let (value, origin) = setting(&vault, "search.limit", &[], &[]);
    assert!(value == 7 && origin.starts_with("user file") && origin.ends_with("config.toml"), "{origin}");
    let variable = [("TARS_SEARCH_LIMIT", "5")];
    assert_eq!(setting(&vault, "search.limit", &variable, &[]), (json!(5), "environment TARS_SEARCH_LIMIT".into()));
    let (value, origin) = setting(&vault, "vault.path", &[("TARS_VAULT", "/a")], &["--vault", "/b"]);
    assert_eq!((value, origin.as_str()), (json!("/b"), "flag --vault"));
    assert_eq!(setting(&vault, "vault.path", &[("TARS_VAULT", "/a")], &[]).1, "environment TARS_VAULT");
    let output = vault.tars(["config", "list"]).run().success();
    assert!(output.stdout().lines().any(|line| line.starts_with("search.limit = 7  # user file")), "{output}");
}

#[test]
fn a_project_file_can_only_restrict() {
    let vault = bare();
    let project = vault.home().join("project/deep");
    fs::create_dir_all(&project).unwrap();
    let file = vault.home().join("project/.tars.toml");
    fs::write(
        &file,
        "[embedding]\nprovider = \"openai\"\nbase_url = \"http://thief.invalid/v1\"\nruntime = \"/tmp/evil.so\"\n\
         [vault]\npath = \"/\"\n[models]\ndir = \"/tmp\"\nhub = \"http://thief.invalid\"\n[data]\ndir = \"/tmp\"\n\
         [collections]\nall = \"/\"\n[search]\nlimit = 2\n",
    )
    .unwrap();
    let output = vault.tars(["config", "list", "--json"]).within(&project).run().success();
    let list = output.json();
    for setting in list.as_array().unwrap() {
        let from_project = setting["origin"].as_str().unwrap().starts_with("project");
        assert_eq!(from_project, setting["key"] == "search.limit", "{setting}");
        assert!(!setting["value"].to_string().contains("thief"), "{setting}");
    }
    output.says(&[".tars.toml: ignored:", "embedding.provider", "not allowed in a project"]);

    // A wider limit than another layer's is ignored.
    fs::write(&file, "[search]\nlimit = 500\n").unwrap();
    let list = vault.tars(["config", "get", "search.limit"]).within(&project).run().success();
    assert_eq!(list.stdout(), "10\n");
}

#[test]
fn a_broken_project_file_gives_a_warning_and_is_ignored() {
    let vault = bare();
    let project = vault.home().join("project");
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join(".tars.toml"), "[[[\n").unwrap();
    let output = vault.tars(["config", "get", "search.limit"]).within(&project).run().success();
    assert_eq!(output.stdout(), "10\n");
    output.says(&[".tars.toml: ignored: not TOML at line 1"]);
}

#[test]
fn data_and_models_are_independent() {
    let vault = bare().without("TARS_MODELS_DIR");
    let home = vault.home().join(".local/share/tars");
    let paths = |variables: &[(&str, &str)]| {
        (setting(&vault, "data.dir", variables, &[]).0, setting(&vault, "models.dir", variables, &[]).0)
    };
    assert_eq!(paths(&[]), (json!(home), json!(home.join("models"))));
    assert_eq!(paths(&[("TARS_DATA_DIR", "/d")]), (json!("/d"), json!(home.join("models"))));
    assert_eq!(paths(&[("TARS_MODELS_DIR", "/m")]), (json!(home), json!("/m")));
    assert_eq!(paths(&[("XDG_DATA_HOME", "/x")]), (json!("/x/tars"), json!("/x/tars/models")));
}

#[test]
fn flags_choose_vault_and_index() {
    let vault = bare();
    vault.write("a.md", "walrus\n");
    let flags = ["--vault", "vault", "--data-dir", "elsewhere"];
    vault.tars(["index"]).args(flags).run().success();
    assert!(vault.home().join("elsewhere/index.db").is_file());
    vault.tars(["sgrep", "walrus"]).args(flags).run().success();
    vault.tars(["sgrep", "walrus"]).run().code(2).says(&["no vault is set"]);
}

#[test]
fn index_and_configuration_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let vault = bare();
    vault.tars(["init", "vault"]).run().success();
    vault.tars(["index"]).run().success();
    for path in [".local/share/tars", ".config/tars/config.toml"] {
        let mode = fs::metadata(vault.home().join(path)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{path} has mode {mode:o}");
    }
}

#[test]
fn a_ranking_key_gives_one_warning_and_can_be_unset() {
    let vault = bare();
    vault.write("a.md", "walrus\n");
    vault.tars(["init", "vault"]).run().success();
    vault.tars(["index"]).run().success();
    let answer = || vault.tars(["sgrep", "walrus", "--json", "--no-sync"]).run().success();
    let before = answer().quiet().json();
    let file = vault.home().join(".config/tars/config.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\n[search]\ncandidates = 150\n")).unwrap();
    let place = format!("config.toml:{}: ", text.lines().count() + 3);

    let output = answer();
    assert_eq!(output.json()["results"], before["results"]);
    let said = output.stderr();
    assert_eq!(said.matches("search.candidates tunes the ranking").count(), 1, "{said}");
    assert!(said.contains(&place) && said.contains("'tars config unset search.candidates'"), "{said}");
    assert!(vault.tars(["config", "list"]).run().success().stdout().contains("search.candidates = 150"));

    vault.tars(["config", "unset", "search.candidates"]).run().success().quiet();
    answer().quiet();
    let listed = vault.tars(["config", "list"]).run().success().quiet();
    assert!(!listed.stdout().contains("search.candidates") && !listed.stdout().contains("search.fusion"), "{listed}");
    assert_eq!(get(&vault, "search.candidates"), "200");
}

#[test]
fn a_ranking_key_cannot_be_set() {
    let vault = bare();
    let refused = vault.tars(["config", "set", "search.vector_weight", "0.5"]).run().code(2);
    refused.says(&["search.vector_weight tunes the ranking", "try: tars eval --self --set search.vector_weight=0.5"]);
    assert!(!vault.home().join(".config").exists());
}
