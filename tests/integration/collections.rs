//! Collections: further folders of notes, each with settings of its own.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::contract::text;
use crate::harness::{Output, TestVault};
use crate::untouched::contents;

/// A vault beside a folder of recipes, which the configuration may name.
fn kitchen() -> TestVault {
    let vault = TestVault::of_words();
    vault.write("Bread.md", "# Bread\n\nThe sourdough walrus rests overnight.\n");
    for (note, words) in
        [("Soup.md", "# Soup\n\nThe walrus soup simmers slowly.\n"), ("drafts/Stew.md", "walrus stew\n")]
    {
        let path = vault.home().join("Recipes").join(note);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, words).unwrap();
    }
    vault
}

fn configuration(vault: &TestVault) -> PathBuf {
    vault.home().join(".config/tars/config.toml")
}

fn places(hits: &[Value]) -> Vec<(&str, &str)> {
    hits.iter().map(|hit| (text(hit, "collection"), text(hit, "path"))).collect()
}

#[track_caller]
fn prints(output: &Output, texts: &[&str]) {
    for text in texts {
        assert!(output.stdout().contains(text), "'{text}' is not printed by\n{output}");
    }
}

#[test]
fn a_collection_is_added_listed_renamed_and_removed() {
    let vault = kitchen();
    let add = ["collection", "add", "recipes", "Recipes", "--ignore", "drafts/", "--describe", "What we cook"];
    prints(&vault.tars(add).run().success().says(&["tars index reads its notes"]), &["added recipes: "]);
    vault.tars(add).run().code(2).says(&["'recipes' is in your configuration already", "tars collection list"]);
    vault.index();
    for (folder, reason) in [
        ("vault", "is the folder of vault.path"),
        ("Recipes/drafts", "lies in the folder of collections.recipes"),
        ("absent", "is not a folder"),
        ("data", "the data directory"),
    ] {
        vault.tars(["collection", "add", "more", folder]).run().code(2).says(&[reason]);
    }
    vault.index();
    let listed = vault.tars(["collection", "list", "--json"]).run().success().json();
    let [own, recipes] = listed["collections"].as_array().unwrap().as_slice() else { panic!("{listed}") };
    assert_eq!((&own["name"], &own["notes"]), (&json!("vault"), &json!(1)));
    assert_eq!(
        (&recipes["name"], &recipes["notes"], &recipes["ignore"]),
        (&json!("recipes"), &json!(1), &json!(["drafts/"]))
    );
    assert!(recipes["text_bytes"].as_u64().unwrap() > 10 && recipes["description"] == "What we cook", "{listed}");
    prints(
        &vault.tars(["collection", "list"]).run().success(),
        &["recipes  ", "1 note", "without drafts/", "What we cook"],
    );

    let hits = vault.search(&["sgrep", "walrus"]);
    let id = hits.iter().find(|hit| hit["collection"] == "recipes").map(|hit| text(hit, "id").to_owned()).unwrap();
    let renamed = vault.tars(["collection", "rename", "recipes", "kitchen"]).run().success();
    prints(&renamed, &["renamed recipes to kitchen: 1 note"]);
    let hits = vault.search(&["sgrep", "walrus"]);
    assert!(places(&hits).contains(&("kitchen", "Soup.md")), "{hits:?}");
    assert_eq!(
        vault.tars(["expand", &id, "--json"]).run().success().json()["collection"],
        "kitchen",
        "the former id leads on"
    );
    let report = vault.index();
    assert_eq!(
        (&report["added"], &report["removed"], &report["unchanged"]),
        (&json!(0), &json!(0), &json!(2)),
        "{report}"
    );
    vault.tars(["doctor"]).run().success();
    vault.tars(["collection", "describe", "kitchen", "Soups", "and", "more"]).run().success();
    prints(&vault.tars(["collection", "list"]).run().success(), &["Soups and more"]);

    let before = contents(&vault.home().join("Recipes"));
    vault.tars(["collection", "remove", "kitchen"]).run().code(1).says(&["nothing was written", "--yes"]);
    vault.tars(["collection", "remove", "kitchen", "--yes"]).run().success().says(&["the next tars index drops them"]);
    assert_eq!(places(&vault.search(&["sgrep", "walrus"])), [("vault", "Bread.md")]);
    vault.index();
    assert_eq!(vault.count("SELECT count(*) FROM collections"), 1);
    assert_eq!(contents(&vault.home().join("Recipes")), before);
    vault.tars(["collection", "remove", "kitchen", "--yes"]).run().code(1).says(&["there is no collection 'kitchen'"]);
}

#[test]
fn a_weight_moves_relevant_results_and_is_explained() {
    let vault = kitchen();
    vault.write("Bread.md", "# Walrus soup\n\nThe walrus soup simmers slowly, says the walrus soup book.\n");
    vault.tars(["collection", "add", "recipes", "Recipes"]).run().success();
    vault.index();
    let first = |hits: &[Value]| text(&hits[0], "collection").to_owned();
    let question = ["sgrep", "walrus", "soup", "simmers", "--explain"];
    let usual = vault.search(&question);
    assert_eq!(first(&usual), "vault");
    assert!(!usual[0].to_string().contains("collection_weight"));
    vault.tars(["config", "set", "collections.recipes.weight", "10"]).run().success();
    let weighed = vault.search(&question);
    assert_eq!(first(&weighed), "recipes", "{weighed:?}");
    let explained: Vec<f64> =
        weighed.iter().filter_map(|hit| hit["explanation"]["collection_weight"].as_f64()).collect();
    assert_eq!(explained.len(), weighed.iter().filter(|hit| hit["collection"] == "recipes").count());
    let scores = |hits: &[Value]| {
        let mut all: Vec<String> = hits.iter().map(|hit| hit["score"].to_string()).collect();
        all.sort();
        all
    };
    assert_eq!(scores(&usual), scores(&weighed), "scores stay");
    vault.tars(["config", "set", "collections.recipes.weight", "11"]).run().code(2).says(&["a number from 0.1 to 10"]);
    vault.tars(["config", "set", "collections.absent.weight", "2"]).run().code(2).says(&["'absent' is not in your"]);
}

#[test]
fn agents_and_programs_get_nothing_of_a_private_collection() {
    let vault = kitchen();
    vault.tars(["collection", "add", "diary", "Recipes", "--private"]).run().success();
    vault.index();
    let hits = vault.search(&["sgrep", "walrus"]);
    assert_eq!(places(&hits).len(), 3, "the person's own search finds it: {hits:?}");
    let id = hits.iter().find(|hit| hit["path"] == "Soup.md").map(|hit| text(hit, "id").to_owned()).unwrap();
    let block = vault.tars(["context", "how", "does", "the", "walrus", "soup", "simmer"]).run();
    assert!(!block.stdout().contains("Soup.md") && !block.stdout().contains("simmers"), "{block}");
    for (tool, arguments) in [
        ("memory_search", json!({"query": "walrus soup"})),
        ("memory_search", json!({"query": "walrus soup", "collections": ["diary"]})),
        ("memory_expand", json!({"id": id})),
        ("memory_get", json!({"path": "Soup.md"})),
        ("memory_status", json!({})),
    ] {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
        let said = crate::mcp_lines::answers(&vault, &[call.to_string()]);
        assert!(!json!(said).to_string().contains("simmers"), "{tool}: {said:?}");
    }
}

#[test]
fn nothing_is_written_into_a_read_only_collection() {
    let vault = kitchen();
    vault.tars(["collection", "add", "recipes", "Recipes", "--read-only"]).run().success();
    fs::create_dir_all(vault.home().join("Recipes/.obsidian")).unwrap();
    let before = contents(&vault.home().join("Recipes"));
    let refused = ["lies in the collection 'recipes', which is read-only", "collections.recipes.read_only false"];
    vault.tars(["obsidian", "install", "Recipes"]).run().code(2).says(&refused);
    vault.tars(["stats", "--svg", "Recipes/notes.svg"]).run().code(2).says(&refused);
    let other = vault.without("TARS_VAULT");
    other.tars(["init", "Recipes/drafts"]).run().code(2).says(&refused);
    assert_eq!(contents(&other.home().join("Recipes")), before);
}

/// Returns an editor that replaces the text by its input, and notes the file that it got.
fn editor(vault: &TestVault, text: &str) -> String {
    let script = vault.home().join("editor");
    fs::write(vault.home().join("typed"), text).unwrap();
    fs::write(&script, "#!/bin/sh\ncat \"$(dirname \"$0\")/typed\" >\"$1\"\n").unwrap();
    format!("sh '{}'", script.display())
}

#[test]
fn an_edited_configuration_replaces_the_file_once_it_is_valid() {
    let vault = TestVault::of_words();
    vault.tars(["config", "set", "search.limit", "7"]).run().success();
    let before = fs::read_to_string(configuration(&vault)).unwrap();
    let edit = |text: &str| vault.tars(["config", "edit"]).env("EDITOR", editor(&vault, text)).run();
    edit("[search]\nlimit = \"many\"\n").code(2).says(&[":2: search.limit", "as it was", "tars config edit"]);
    assert_eq!(fs::read_to_string(configuration(&vault)).unwrap(), before);
    let left = configuration(&vault).with_file_name("edited-config.toml");
    assert!(fs::read_to_string(&left).unwrap().contains("many"), "the person's text stays");
    let changed = edit("# Mine.\n[search]\nlimit = 9\n").success().says(&["goes on with the text of an earlier edit"]);
    prints(&changed, &["changed "]);
    assert_eq!(fs::read_to_string(configuration(&vault)).unwrap(), "# Mine.\n[search]\nlimit = 9\n");
    assert!(!left.exists());
    edit("# Mine.\n[search]\nlimit = 9\n").success().says(&["nothing was changed"]);
    vault.tars(["config", "edit"]).run().code(2).says(&["no editor is set"]);
    assert!(!left.exists(), "an editor that does not start leaves nothing");
    // A configuration that does not load can be edited too.
    fs::write(configuration(&vault), "[search\n").unwrap();
    edit("[search]\nlimit = 3\n").success();

    let differing = vault.tars(["config", "diff"]).run().success();
    prints(&differing, &["search.limit = 3  # user file", "; default 10", "data.dir = ", "environment TARS_DATA_DIR"]);
    let listed = vault.tars(["config", "diff", "--json"]).run().success().json();
    let limit = listed.as_array().unwrap().iter().find(|one| one["key"] == "search.limit").unwrap();
    assert_eq!((&limit["value"], &limit["default"]), (&json!(3), &json!(10)));
}

#[test]
fn a_tool_server_is_added_and_removed_in_the_persons_file() {
    let vault = TestVault::of_words();
    let add = ["mcp", "servers", "add", "files", "--env", "PASSED", "--yes", "npx", "-y", "server $(reboot)"];
    let without_yes: Vec<&str> = add.iter().copied().filter(|word| *word != "--yes").collect();
    let project = vault.home().join("project");
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join(".tars.toml"), "").unwrap();
    vault.tars(&without_yes).within(&project).run().code(1).says(&[
        "run: npx -y 'server $(reboot)'",
        "PASSED",
        "nothing was written",
    ]);
    assert!(!configuration(&vault).exists());
    let added = vault.tars(add).within(&project).run().success().says(&["tars mcp servers test files"]);
    prints(&added, &["added files"]);
    assert_eq!(fs::read_to_string(project.join(".tars.toml")).unwrap(), "");
    vault.tars(add).run().code(2).says(&["server 'files' is in your configuration already"]);
    vault
        .tars(["mcp", "servers", "add", "w", "--url", "https://host/mcp", "--token-env", "TOKEN", "-y"])
        .run()
        .success();
    vault
        .tars(["mcp", "servers", "add", "x", "--url", "ftp://host", "--yes"])
        .run()
        .code(2)
        .says(&["expected an http://"]);
    prints(&vault.tars(["mcp", "servers", "list"]).run().success(), &["files  ", "npx -y", "https://host/mcp"]);
    vault.tars(["mcp", "servers", "remove", "files"]).run().success();
    vault.tars(["mcp", "servers", "remove", "files"]).run().code(1).says(&["there is no server 'files'"]);
    assert!(!fs::read_to_string(configuration(&vault)).unwrap().contains("npx"));
}

#[test]
fn the_examples_of_collections_in_the_docs_run() {
    let vault = kitchen();
    vault.index();
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md")).unwrap();
    let (_, section) = page.split_once("\n### `[collections]`\n").expect("the page has the section");
    let block = section.split("```sh\n").nth(1).and_then(|block| block.split("\n```").next()).unwrap();
    let folder = Path::new(env!("CARGO_BIN_EXE_tars")).parent().unwrap().to_owned();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    for line in block.lines() {
        vault.program("sh").args(["-c", line]).env("PATH", &path).run().success();
    }
    assert!(block.lines().count() >= 5);
}
