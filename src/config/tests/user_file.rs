use std::fs;

use super::TestHome;
use crate::{CollectionSettings, ConfigError, EnvValue, McpServerSettings, McpTransport, UserFile};

const FILE: &str = "home/.config/tars/config.toml";

fn set(home: &TestHome, key: &str, value: &str) -> Result<String, ConfigError> {
    UserFile::locate(&home.environment)?.set(key, value)?;
    Ok(fs::read_to_string(home.path(FILE)).unwrap())
}

#[test]
fn set_values_are_loaded() {
    let home = TestHome::new();
    for (key, value, toml) in [
        ("search.limit", "7", "7"),
        ("search.gate", "1", "1.0"),
        ("search.mode", "vector", "\"vector\""),
        ("index.extensions", "md, TXT", r#"["md", "txt"]"#),
        ("index.exclude", "['{a,b}/', '!c']", r#"["{a,b}/", "!c"]"#),
        ("index.max_file_size", "2 MB", "\"2 MB\""),
        ("embedding.passage_prefix", "passage: ", "\"passage: \""),
        ("chunk.context_prefix", "false", "false"),
        ("models.hub_token_env", "", "\"\""),
        ("collections.work", "/usr", "\"/usr\""),
    ] {
        let set = UserFile::locate(&home.environment).unwrap().set(key, value).unwrap();
        let setting = home.settings().get(key).unwrap();
        assert_eq!((setting.toml().as_str(), &setting), (toml, &set), "{key}");
        assert!(setting.origin.to_string().starts_with("user file "));
    }
    assert_eq!(home.settings().config.search.limit, 7);
}

#[test]
fn collections_are_added_renamed_described_and_removed() {
    let home = TestHome::new().user("# Mine.\n[vault]\npath = '~/notes'\n");
    for folder in ["notes/in", "work", "data/tars/x"] {
        fs::create_dir_all(home.path("home").join(folder)).unwrap();
    }
    let environment = &home.environment;
    let file = UserFile::locate(environment).unwrap();
    let work = CollectionSettings {
        ignore: vec!["drafts/".into()],
        weight: 0.5,
        private: true,
        ..CollectionSettings::of("~/work")
    };
    file.add_collection("work", &work).unwrap();
    assert_eq!(home.settings().config.collections["work"].weight, 0.5);
    let refused =
        |name: &str, folder: &str| file.add_collection(name, &CollectionSettings::of(folder)).unwrap_err().to_string();
    assert!(refused("work", "~/data").contains("already"));
    assert!(refused("vault", "~/work").contains("is no name"));
    assert!(refused("x", "~/notes/in").contains("lies in the folder of vault.path"));
    assert!(refused("x", "~/absent").contains("is not a folder"));
    let heavy = CollectionSettings { weight: 99.0, ..CollectionSettings::of("~/data") };
    assert!(file.add_collection("x", &heavy).unwrap_err().to_string().contains("a number from 0.1 to 10"));

    file.describe_collection("work", "Notes of the office").unwrap();
    file.rename_collection("work", "office").unwrap();
    let settings = home.settings();
    let office = &settings.config.collections["office"];
    assert_eq!((office.path.clone(), office.private), (home.path("home/work"), true));
    assert_eq!((office.description.as_str(), office.ignore.len()), ("Notes of the office", 1));
    let weight = settings.get("collections.office.weight").unwrap();
    assert_eq!(weight.value.as_float(), Some(0.5));
    let changed: Vec<String> = settings.changed().into_iter().map(|(setting, _)| setting.key).collect();
    assert_eq!(changed[..2], ["vault.path", "collections.office"]);
    assert!(file.rename_collection("work", "play").unwrap_err().to_string().contains("is not in your configuration"));
    file.describe_collection("office", "").unwrap();
    assert!(file.remove_collection("office").unwrap() && !file.remove_collection("office").unwrap());
    assert_eq!(fs::read_to_string(file.path()).unwrap(), "# Mine.\n[vault]\npath = '~/notes'\n");
}

#[test]
fn tool_servers_are_added_and_removed_in_the_persons_file_alone() {
    let home = TestHome::new().user("[chat]\nmodel = 'm' # mine\n");
    let file = UserFile::locate(&home.environment).unwrap();
    let env = [("TOKEN".to_owned(), EnvValue::Variable("TOKEN".into()))].into();
    let transport = McpTransport::Program { command: "npx".into(), args: vec!["-y".into(), "a \"b\"".into()], env };
    let files = McpServerSettings::new("files", transport);
    file.add_mcp_server(&files).unwrap();
    assert_eq!(home.settings().mcp_servers, std::slice::from_ref(&files));
    assert!(file.add_mcp_server(&files).unwrap_err().to_string().contains("already"));
    let odd = McpServerSettings { name: "a b".into(), ..files };
    assert!(file.add_mcp_server(&odd).unwrap_err().to_string().contains("a name of at most"));
    let url = McpTransport::Address { url: "file:///etc".into(), token_env: None };
    assert!(file.add_mcp_server(&McpServerSettings::new("x", url)).is_err());
    assert!(file.remove_mcp_server("files").unwrap() && !file.remove_mcp_server("files").unwrap());
    assert_eq!(fs::read_to_string(file.path()).unwrap(), "[chat]\nmodel = 'm' # mine\n");
}

#[test]
fn a_collection_that_could_not_be_indexed_is_refused() {
    let home = TestHome::new().user("[vault]\npath = '~/notes'\n[collections]\nwork = '~/work'\n");
    for folder in ["home/notes/inner", "home/work", "home/other"] {
        fs::create_dir_all(home.path(folder)).unwrap();
    }
    for (value, reason) in [
        ("~/missing", "is not a folder"),
        ("~/.config/tars/config.toml", "is not a folder"),
        ("~/notes", "the folder of vault.path"),
        ("~/notes/inner", "lies in the folder of vault.path"),
        ("~", "holds the folder of"),
        ("~/work", "the folder of collections.work"),
    ] {
        let error = set(&home, "collections.play", value).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(error.hint().unwrap(), "tars config set collections.play FOLDER");
    }
    set(&home, "collections.play", "~/other").unwrap();
    set(&home, "collections.work", "~/work").unwrap();
    assert_eq!(home.settings().config.collections.len(), 2);
}

#[test]
fn a_new_file_is_private() {
    let home = TestHome::new();
    let text = set(&home, "search.limit", "7").unwrap();
    assert!(text.starts_with("# Settings of tars.") && text.ends_with("[search]\nlimit = 7\n"), "{text}");
    use std::os::unix::fs::PermissionsExt;
    let mode = |below| fs::metadata(home.path(below)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(FILE), mode("home/.config/tars")), (0o600, 0o700));
    fs::set_permissions(home.path(FILE), fs::Permissions::from_mode(0o640)).unwrap();
    set(&home, "search.limit", "8").unwrap();
    assert_eq!(mode(FILE), 0o640, "what the user chose stays");
    assert_eq!(fs::read_dir(home.path("home/.config/tars")).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn comments_and_order_survive() {
    let home = TestHome::new().user("# Mine.\n[search]\nlimit = 5 # few\n\n# Eyes.\n[output]\ncolor = 'never'\n");
    let text = set(&home, "search.limit", "9").unwrap();
    assert_eq!(text, "# Mine.\n[search]\nlimit = 9 # few\n\n# Eyes.\n[output]\ncolor = 'never'\n");
    assert!(UserFile::locate(&home.environment).unwrap().unset("search.limit").unwrap());
    let text = fs::read_to_string(home.path(FILE)).unwrap();
    assert_eq!(text, "# Mine.\n[search]\n\n# Eyes.\n[output]\ncolor = 'never'\n");
}

#[test]
fn paths_are_written_absolute() {
    let home = TestHome::new();
    let text = set(&home, "vault.path", "./notes").unwrap();
    assert!(text.contains(&format!("path = {:?}", home.path("home/project/notes"))), "{text}");
    assert!(set(&home, "vault.path", "~/notes").unwrap().contains("path = \"~/notes\""));
    assert_eq!(home.settings().config.vault.path.unwrap(), home.path("home/notes"));
    set(&home, "vault.path", "~odd").unwrap();
    assert_eq!(home.settings().config.vault.path.unwrap(), home.path("home/project/~odd"));
}

#[test]
fn invalid_changes_are_not_written() {
    let home = TestHome::new();
    for (key, value, message) in [
        ("search.limt", "5", "did you mean 'search.limit'?"),
        ("search.limit", "0", "expected a whole number from 1 to 1000, found \"0\""),
        ("search.limit", "", "expected a whole number"),
        ("embedding.api_key_env", "sk-abc", "not the secret itself"),
        ("collections.vault", "/v", "other than 'vault'"),
        ("vault.memory_folder", "../out", "a folder inside the vault"),
    ] {
        let error = set(&home, key, value).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert!(!error.contains("sk-abc"));
    }
    assert!(!home.path(FILE).exists());
    for broken in ["[search]\nlimt = 5\n", "[search]\nlimit = 0\n", "search = 5\n", "[search\n"] {
        let home = TestHome::new().user(broken);
        set(&home, "search.gate", "0.5").unwrap_err();
        assert_eq!(fs::read_to_string(home.path(FILE)).unwrap(), broken);
    }
}

#[test]
fn the_hint_for_a_bad_key_repairs_the_file() {
    let home = TestHome::new().user("[search]\nlimt = 5\n\"odd key\" = 1\ngate = 'high'\n");
    for key in ["search.limt", "search.odd key", "search.gate"] {
        let error = home.load(&[]).unwrap_err();
        assert!(error.hint().unwrap().starts_with("tars config unset "), "{error}");
        assert!(error.to_string().contains(key), "{error}");
        assert!(UserFile::locate(&home.environment).unwrap().unset(key).unwrap());
    }
    assert_eq!(home.settings().config.search.gate, 0.35);
}

#[test]
fn unsetting_a_missing_key_changes_nothing() {
    let home = TestHome::new();
    let file = UserFile::locate(&home.environment).unwrap();
    assert!(!file.unset("search.limit").unwrap());
    assert!(!file.unset("collections.work").unwrap());
    assert!(matches!(file.unset("search.limt"), Err(ConfigError::UnknownKey { nearest: Some(_), .. })));
    assert!(!file.path().exists());
}

#[test]
fn a_link_stays_a_link() {
    use std::os::unix::fs::symlink;
    let home = TestHome::new().write("home/dotfiles/tars.toml", "# Shared.\n").user("");
    let (link, target) = (home.path(FILE), home.path("home/dotfiles/tars.toml"));
    fs::remove_file(&link).unwrap();
    symlink("../../dotfiles/tars.toml", &link).unwrap();
    set(&home, "search.limit", "7").unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap(), "# Shared.\n\n[search]\nlimit = 7\n");
    fs::remove_file(&target).unwrap();
    set(&home, "search.limit", "8").unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink() && target.is_file(), "even where it led to nothing");
}

#[test]
fn a_device_is_read_and_never_replaced() {
    let home = TestHome::new().with("TARS_CONFIG", "/dev/null");
    assert_eq!(home.settings().config.search.limit, 10);
    let file = UserFile::locate(&home.environment).unwrap();
    assert!(matches!(file.set("search.limit", "7"), Err(ConfigError::Write { .. })));
}

#[test]
fn a_file_can_be_changed_without_a_home() {
    let mut home = TestHome::new();
    home.environment.home = None;
    let home = home.with("TARS_CONFIG", "own.toml");
    let file = UserFile::locate(&home.environment).unwrap();
    file.set("search.limit", "7").unwrap();
    assert!(matches!(file.set("vault.path", "~/notes"), Err(ConfigError::NoHome { .. })));
}
