//! A person's first commands: `tars` without arguments, completions, the manual.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::harness::TestVault;

const NOTHING: [&str; 0] = [];

#[test]
fn tars_without_arguments_shows_the_state_and_the_next_step() {
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
fn an_unquoted_line_is_not_cut_at_a_date_word() {
    let vault = TestVault::of_words();
    let hint = "put the text in quotes";
    vault
        .tars(["daily", "--append", "Met", "yesterday"])
        .run()
        .code(2)
        .says(&["'yesterday' is a day or belongs", hint]);
    vault.tars(["daily", "--append", "Met", "Ilse", "again"]).run().code(2).says(&["'Ilse again'", hint]);
    vault.tars(["daily", "yesterday", "--append", "Met Ilse"]).run().success();
    vault.tars(["daily", "1", "day", "ago"]).run().success();
    vault.tars(["daily", "--append", "Tea", "--vault"]).args([vault.root()]).run().success();
    assert!(vault.tars(["daily"]).run().success().stdout().contains("Tea"));
}

#[test]
fn a_relative_day_is_found_without_its_words() {
    let vault = TestVault::of_words().dated();
    vault.write("Diary.md", "---\ndate: 2026-11-13\n---\n# Diary\n\nMended the pump in the cellar.\n");
    vault.write("Shopping.md", "# Shopping\n\nEvery Friday: bread, milk, the last of the wood.\n");
    vault.index();
    for question in ["what did I do last Friday", "last Friday", "letzten Freitag"] {
        let found = vault.tars(["search", "--json", question]).run().success().json();
        assert_eq!(found["results"][0]["path"], "Diary.md", "{question}: {found}");
    }
}

#[test]
fn a_watcher_does_not_recreate_what_undo_removed() {
    let vault = TestVault::of_words().without("TARS_VAULT");
    vault.write("Tea.md", "# Tea\n\nGreen tea at 70 degrees.\n");
    vault.tars(["init"]).args([vault.root()]).args(["--search", "tea"]).run().success();
    vault.tars(["watch", "--detach"]).run().success();
    let said = vault.tars(["init", "--undo"]).run().success().stdout().to_owned();
    assert!(said.contains("watcher") && said.contains("stopped"), "{said}");
    vault.tars(["watch", "--status"]).run().code(1);
}

#[test]
fn a_half_embedded_index_reports_keyword_search() {
    let vault = TestVault::new();
    vault.write("Tea.md", "# Tea\n\nGreen tea at 70 degrees.\n");
    vault.tars(["index"]).env("TARS_EMBEDDING_PROVIDER", "none").run().success();
    let said = vault.tars(NOTHING).run().success().stdout().to_owned();
    assert!(said.contains("meaning  0 of 1 passage embedded; words answer already"), "{said}");
}

#[test]
fn without_a_vault_tars_offers_those_of_obsidian() {
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
    assert!(said(&vault).contains("~/vault"), "the advised step has set up the vault");
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
    vault.write("Tagged.md", "---\ntags: [shed, work]\n---\n\nA walrus in the shed.\n");
    vault.write("Private.md", "---\ntars: private\ntags: [hidden]\n---\n\nNobody's business.\n");
    vault.index();
    let tags = complete(&["search", "x", "--tag", ""]);
    assert!(tags.contains(&"shed".to_owned()) && tags.contains(&"work".to_owned()), "{tags:?}");
    assert!(!tags.contains(&"hidden".to_owned()), "{tags:?}");
    let id = vault.search(&["sgrep", "walrus"])[0]["id"].as_str().unwrap().to_owned();
    for command in ["expand", "get"] {
        assert!(complete(&[command, &id[..2]]).contains(&id[..12].to_owned()), "{command}");
    }
    assert_eq!(complete(&["expand", &id[..20]]), [id.as_str()], "a longer prefix completes to the whole id");
    assert!(complete(&["expand", "zz"]).is_empty());
}

/// A home without a setup, with two vaults that Obsidian lists.
fn with_vaults() -> TestVault {
    let vault = TestVault::of_words().without("TARS_VAULT");
    vault.write("Heating.md", "# Heating\n\n## Heat pump\n\nThe heat pump hums at night.\n");
    vault.write("Costs.md", "# Costs\n\n## Heat pump\n\nThe heat pump takes 4 kWh a day.\n");
    fs::create_dir_all(vault.home().join("Old")).unwrap();
    let list = vault.home().join(".config/obsidian/obsidian.json");
    fs::create_dir_all(list.parent().unwrap()).unwrap();
    let one = |path: &std::path::Path, opened: u8| format!(r#"{{"path":{:?},"ts":{opened}}}"#, path.to_str().unwrap());
    let vaults = [one(&vault.root(), 2), one(&vault.home().join("Old"), 1)];
    fs::write(list, format!(r#"{{"vaults":{{"a":{},"b":{}}}}}"#, vaults[0], vaults[1])).unwrap();
    vault
}

fn setting(vault: &TestVault, key: &str) -> String {
    vault.tars(["config", "get", key]).run().success().stdout().trim_end().to_owned()
}

#[test]
fn at_a_terminal_setup_asks_and_ends_with_an_answer() {
    let vault = with_vaults();
    fs::create_dir_all(vault.home().join(".cursor")).unwrap();
    let programs = vault.home().join("programs");
    fs::create_dir_all(&programs).unwrap();
    fs::write(programs.join("claude"), "").unwrap();
    fs::set_permissions(programs.join("claude"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    // The vault, the agents, the proposed question, and the author of notes.
    let answers = "7\n1\ny\n\nnobody\nclaude\n";
    let said = vault.at_terminal(["init"], answers).env("PATH", path).run().success().stdout().to_owned();
    assert!(said.contains("1  ~/vault  2 notes, English") && said.contains("2  ~/Old    0 notes"), "{said}");
    assert!(said.contains("There is no 7 in the list: type a number from 1 to 2, or the path of a folder."), "{said}");
    assert!(said.contains("Give these agents your memory: cursor?"), "{said}");
    assert!(said.contains("Who notes your sessions") && said.contains("Type one of claude, rules"), "{said}");
    assert_eq!(setting(&vault, "summary.provider"), "claude");
    assert!(said.contains("4 notes can be searched"), "{said}");
    assert!(said.contains("(Enter: Heat pump)") && said.contains("$ tars search 'Heat pump'"), "{said}");
    assert!(said.contains("hums at night") && said.contains("Answered by words in "), "{said}");
    assert_eq!(setting(&vault, "vault.path"), vault.root().canonicalize().unwrap().to_str().unwrap());
    let entry = fs::read_to_string(vault.home().join(".cursor/mcp.json")).unwrap();
    assert!(entry.contains("\"tars\"") && !entry.contains("--vault"), "{entry}");
    assert!(vault.tars(["sgrep", "hums"]).run().success().stdout().contains("Heating.md"));
}

#[test]
fn setup_asks_everything_before_its_last_line() {
    for (flags, answers) in [(&["init"][..], "1\n\n\n\n"), (&["init", "--no-search"], "1\n\n\n")] {
        let vault = with_vaults();
        let programs = vault.home().join("programs");
        fs::create_dir_all(&programs).unwrap();
        fs::write(programs.join("claude"), "").unwrap();
        fs::set_permissions(programs.join("claude"), fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        let said = vault.at_terminal(flags, answers).env("PATH", &path).run().success().stdout().to_owned();
        let next = said.rfind("next  ").unwrap();
        assert!(said.rfind("Who notes your sessions").is_some_and(|asked| asked < next), "{said}");
        assert!(!said[next..].contains('?'), "{said}");
    }
}

#[test]
fn the_first_question_is_a_title_of_a_note_with_text() {
    let vault = with_vaults();
    let german = "Die Heizung wurde im Herbst gewartet, und danach war sie leiser als vorher. ".repeat(8);
    vault.write("Heizung im Winter.md", format!("# Wie die Heizung leiser wird\n\n{german}\n"));
    vault.write(
        "Garten.md",
        format!(
            "# Was im Garten noch fehlt\n\n- [ ] Erde\n\n{}\n",
            "Wir haben das Beet mit dem Spaten umgegraben. ".repeat(2)
        ),
    );
    vault.write("Keller.md", format!("# Keller\n\n{german}\n")).write("Dach.md", format!("# Dach\n\n{german}\n"));
    vault.write(
        "English one.md",
        format!("# The boat that leaks again\n\n{}\n", "The boat was out and it has leaked since then. ".repeat(9)),
    );
    vault.write("Newest of embeds.md", "# All that is embedded\n\n![[Keller]]\n![[Dach]]\n![[Heizung im Winter]]\n");
    let said =
        vault.tars(["init", "vault", "--yes", "--no-service", "--no-agents"]).run().success().stdout().to_owned();
    assert!(said.contains("$ tars search 'Wie die Heizung leiser wird'"), "{said}");
}

#[test]
fn without_a_terminal_nothing_is_asked_and_flags_decide() {
    let vault = with_vaults();
    vault.tars(["init"]).run().code(2).says(&["no vault is named"]);
    vault.tars(["init", "--yes"]).run().code(2).says(&["several vaults", "Old", "tars init"]);
    assert!(!vault.home().join(".config/tars").exists(), "nothing is partly set up");
    fs::create_dir_all(vault.home().join(".cursor")).unwrap();
    fs::create_dir_all(vault.home().join(".gemini")).unwrap();
    let flags = ["init", "vault", "--yes", "--no-service", "--agents", "cursor", "--search", "kWh"];
    let said = vault.tars(flags).run().success().stdout().to_owned();
    assert!(said.contains("$ tars search kWh") && said.contains("4 kWh a day"), "{said}");
    assert!(vault.home().join(".cursor/mcp.json").exists() && !vault.home().join(".gemini/settings.json").exists());
    // A second run changes nothing.
    let files = || {
        ["vault/tars/Memory.md", ".config/tars/config.toml", ".cursor/mcp.json", "data/setup.json"]
            .map(|file| fs::read(vault.home().join(file)).unwrap())
    };
    let before = files();
    vault.tars(flags).run().success();
    assert_eq!(files(), before);
    vault.tars(["init", "--model", "nothing-like-it"]).run().code(2).says(&["nothing-like-it"]);
}

#[test]
fn the_author_of_notes_is_chosen_and_taken_back() {
    let vault = with_vaults();
    let flags = |author: &'static str| ["init", "vault", "--notes", author, "--no-search"];
    vault.tars(flags("gpt")).run().code(2).says(&["ollama:MODEL"]);
    let said = vault.tars(flags("ollama:qwen3:8b")).run().success().stdout().to_owned();
    assert!(said.contains("by ollama:qwen3:8b"), "{said}");
    assert_eq!(
        (setting(&vault, "summary.provider"), setting(&vault, "summary.model")),
        ("openai".into(), "qwen3:8b".into())
    );
    vault.tars(["init", "--undo"]).run().success();
    assert_eq!((setting(&vault, "summary.provider"), setting(&vault, "summary.model")), ("auto".into(), String::new()));
}

#[test]
fn a_failed_setup_leaves_no_vault_set() {
    let vault = with_vaults();
    let configuration = vault.home().join(".config/tars");
    // A file lies in place of the folder of session logs.
    vault.write("tars/sessions", "mine");
    vault.tars(["init", "vault", "--no-search"]).run().code(2).says(&["sessions"]);
    assert!(!configuration.exists() && !vault.path("tars/Memory.md").exists());
    assert_eq!(vault.read("tars/sessions"), "mine");
    vault.remove("tars/sessions");
    fs::remove_dir(vault.path("tars")).unwrap();
    vault.tars(["init", "vault", "--model", "nothing-like-it"]).run().code(2).says(&["nothing-like-it"]);
    vault.tars(["init", "--vault", "/nonexistent"]).run().code(2).says(&["/nonexistent"]);
    assert!(!configuration.exists() && !vault.path("tars").exists());
    vault.tars(["init", "--undo"]).run().code(1);
}

#[test]
fn an_undone_setup_leaves_no_configuration() {
    let vault = with_vaults();
    let cursor = vault.home().join(".cursor");
    fs::create_dir_all(&cursor).unwrap();
    vault.tars(["init", "vault", "--agents", "cursor", "--no-search"]).run().success();
    assert!(cursor.join("mcp.json").exists());
    vault.tars(["init", "--undo"]).run().success();
    assert_eq!(fs::read_dir(&cursor).unwrap().count(), 0, "the file that tars created is removed");
    assert!(!vault.home().join(".config/tars/config.toml").exists());
}

#[test]
fn a_missing_vault_is_not_called_a_different_vault() {
    let vault = TestVault::of_words();
    vault.write("Tea.md", "# Tea\n\nGreen.\n").index();
    let output = vault.tars(["search", "--vault", "/nonexistent", "tea"]).run().code(2);
    output.says(&["/nonexistent (collection 'vault') is not there"]);
}

#[test]
fn undoing_the_setup_keeps_what_people_wrote() {
    let vault = with_vaults();
    vault.tars(["init", "--undo"]).run().code(1).says(&["there is nothing to take back"]);
    fs::create_dir_all(vault.home().join(".cursor")).unwrap();
    let others = "{\n  // mine\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}}\n}\n";
    fs::write(vault.home().join(".cursor/mcp.json"), others).unwrap();
    vault.tars(["config", "set", "search.limit", "7"]).run().success();
    let set_up = || vault.tars(["init", "vault", "--agents", "cursor", "--no-search"]).run().success();
    set_up();
    assert!(vault.path("tars/Memory.md").exists());
    vault.append("tars/Procedural.md", "\n- Mine\n");
    let said = vault.tars(["init", "--undo"]).run().success().stdout().to_owned();
    assert!(
        said.contains("vault.path is restored") && said.contains("Procedural.md was edited, so it stays"),
        "{said}"
    );
    assert_eq!((setting(&vault, "vault.path"), setting(&vault, "search.limit")), (String::new(), "7".into()));
    assert!(!vault.path("tars/Memory.md").exists() && vault.read("tars/Procedural.md").ends_with("- Mine\n"));
    let left = fs::read_to_string(vault.home().join(".cursor/mcp.json")).unwrap();
    assert!(left.contains("// mine") && left.contains("other") && !left.contains("tars"), "{left}");
    vault.tars(["init", "--undo"]).run().code(1);
    // A value that the person changed since stays.
    fs::remove_dir_all(vault.path("tars")).unwrap();
    set_up();
    vault.tars(["config", "set", "vault.path", vault.home().join("Old").to_str().unwrap()]).run().success();
    assert!(vault.tars(["init", "--undo"]).run().success().stdout().contains("vault.path was changed since"));
    assert!(setting(&vault, "vault.path").ends_with("/Old") && !vault.path("tars").exists());
    assert_eq!(vault.read("Heating.md").lines().next(), Some("# Heating"));
}

#[test]
fn vectors_follow_after_the_first_answer() {
    let vault = TestVault::new();
    vault.write("Heating.md", "# Heating\n\n## Heat pump\n\nThe heat pump hums at night.\n");
    let said =
        vault.tars(["init", "vault", "--yes", "--no-service", "--no-agents"]).run().success().stdout().to_owned();
    // The memory is empty: headings do not count.
    let place = said.find("Answered by words in").unwrap();
    assert!(said.find("1 passage embedded").is_some_and(|at| at > place), "words come first: {said}");
    assert_eq!(vault.found(&["svec", "noise of the boiler after dark"])[0], "Heating.md");
}

#[test]
fn every_command_has_a_man_page() {
    let vault = TestVault::of_words();
    let folder = vault.home().join("man");
    vault.tars(["man"]).args([&folder]).run().success();
    for page in ["tars.1", "tars-search.1", "tars-mcp-servers-test.1", "tars-schedule-add.1"] {
        let text = fs::read_to_string(folder.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
}
