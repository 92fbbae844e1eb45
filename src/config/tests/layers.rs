use std::path::Path;
use std::time::Duration;

use super::TestHome;
use crate::{
    Color, ConfigError, Environment, Provider, SummaryProvider, data_dir_without_files, keys, load, variable_of,
};
use tars_base::domain::Mode;
use tars_rank::Fusion;

#[test]
fn defaults_form_a_complete_configuration() {
    let home = TestHome::new();
    let settings = home.settings();
    let config = &settings.config;
    assert_eq!(config.vault.path, None);
    assert_eq!(config.vault.memory_folder, "tars");
    assert!(config.collections.is_empty());
    assert_eq!(config.data.dir, home.path("home/.local/share/tars"));
    assert_eq!(config.models.dir, home.path("home/.local/share/tars/models"));
    assert_eq!(config.models.hub_token_env.as_deref(), Some("HF_TOKEN"));
    assert_eq!(config.index.max_file_size, 5 << 20);
    assert_eq!(config.index.extensions, ["md", "markdown", "canvas", "excalidraw"]);
    assert!(config.index.exclude.is_empty() && config.index.gitignore);
    assert_eq!((config.chunk.target_tokens, config.chunk.passage_tokens), (400, 200));
    assert_eq!(config.embedding.provider, Provider::Onnx);
    assert_eq!((config.embedding.threads, config.embedding.dimensions), (None, None));
    assert_eq!((&config.embedding.base_url, &config.embedding.runtime), (&None, &None));
    assert_eq!(config.embedding.timeout, Duration::from_secs(60));
    assert_eq!((config.search.mode, config.search.fusion), (Mode::Hybrid, Fusion::Adaptive));
    assert_eq!((config.search.limit, config.search.gate), (10, 0.35));
    assert_eq!(config.output.color, Color::Auto);
    assert!(settings.warnings.is_empty());
    assert_eq!(settings.get("search.limit").unwrap().origin.to_string(), "default");
}

#[test]
fn each_layer_wins_over_the_ones_below() {
    let home = TestHome::new();
    let limit = |home: &TestHome, flags: &[(&str, &str)]| {
        let settings = home.load(flags).unwrap();
        let origin = settings.origins["search.limit"].to_string();
        (settings.config.search.limit, origin.split(' ').next().unwrap().to_owned())
    };
    assert_eq!(limit(&home, &[]), (10, "default".into()));
    let home = home.user("[search]\nlimit = 9\n");
    assert_eq!(limit(&home, &[]), (9, "user".into()));
    let home = home.project("search.limit = 8");
    assert_eq!(limit(&home, &[]), (8, "project".into()));
    let home = home.with("TARS_SEARCH_LIMIT", "70");
    assert_eq!(limit(&home, &[]), (70, "environment".into()));
    assert_eq!(limit(&home, &[("search.limit", "5"), ("search.limit", "60")]), (60, "flag".into()));
}

#[test]
fn a_small_machine_has_defaults_of_its_own() {
    let threads = |home: &TestHome, key: &str| {
        let setting = home.settings().get(key).unwrap();
        (setting.toml(), setting.origin.to_string())
    };
    let mut home = TestHome::new();
    assert_eq!(threads(&home, "watch.threads"), ("0".into(), "default".into()));
    home.environment.memory = Some(2 << 30);
    assert_eq!(threads(&home, "watch.threads"), ("1".into(), "profile small".into()));
    assert_eq!(home.settings().config.embedding.threads, Some(1));
    let home = home.user("watch.threads = 3\n");
    assert_eq!(threads(&home, "watch.threads").0, "3", "explicit settings win");
    assert_eq!(threads(&home, "embedding.threads").0, "1");
    let home = home.with("TARS_PROFILE", "standard");
    assert_eq!(threads(&home, "embedding.threads"), ("0".into(), "default".into()));
    let named = home.load(&[("profile", "small")]).unwrap();
    assert_eq!(named.get("embedding.threads").unwrap().origin.to_string(), "profile small");
    let error = TestHome::new().user("profile = 'tiny'\n").load(&[]).unwrap_err().to_string();
    assert!(error.contains("profile") && error.contains("small"), "{error}");
}

#[test]
fn every_key_has_a_variable() {
    for (variable, value, key, shown) in [
        ("TARS_INDEX_EXCLUDE", "drafts/, *.tmp.md", "index.exclude", r#"["drafts/", "*.tmp.md"]"#),
        ("TARS_INDEX_GITIGNORE", "0", "index.gitignore", "false"),
        ("TARS_INDEX_MAX_FILE_SIZE", "1 MB", "index.max_file_size", "\"1 MB\""),
        ("TARS_CHUNK_OVERLAP", "0", "chunk.overlap", "0.0"),
        ("TARS_EMBEDDING_QUERY_PREFIX", "query: ", "embedding.query_prefix", "\"query: \""),
        ("TARS_SEARCH_MODE", "keyword", "search.mode", "\"keyword\""),
    ] {
        let setting = TestHome::new().with(variable, value).settings().get(key).unwrap();
        assert_eq!((setting.toml().as_str(), setting.origin.to_string()), (shown, format!("environment {variable}")));
    }
    let mut variables: Vec<_> = keys().map(variable_of).collect();
    variables.sort();
    variables.dedup();
    assert_eq!(variables.len(), keys().count());
}

#[test]
fn folders_have_their_own_variables() {
    let home = TestHome::new().with("TARS_VAULT_PATH", "/long").with("TARS_VAULT", "notes");
    let home = home.with("TARS_DATA_DIR", "/data").with("XDG_DATA_HOME", "/xdg");
    let config = home.settings().config;
    assert_eq!(config.vault.path.unwrap(), home.path("home/project/notes"));
    assert_eq!(config.data.dir, Path::new("/data"));
    assert_eq!(config.models.dir, Path::new("/xdg/tars/models"), "data.dir does not move the models");
    let config = home.with("TARS_MODELS_DIR", "~/models").settings().config;
    assert!(config.models.dir.ends_with("home/models"));
}

#[test]
fn relative_paths_start_at_their_origin() {
    let home =
        TestHome::new().user("vault.path = '../notes'\n[collections]\nwork = '~/work'\nlog = '/log'\nnone = ''\n");
    let config = home.settings().config;
    assert_eq!(config.vault.path.unwrap(), home.path("home/.config/tars/../notes"));
    assert_eq!(config.collections["work"].path, home.path("home/work"));
    assert_eq!(config.collections["log"].path, Path::new("/log"));
    assert_eq!(config.collections.len(), 2);
    let settings = home.load(&[("vault.path", "here"), ("collections.more", ".")]).unwrap();
    assert_eq!(settings.config.vault.path.clone().unwrap(), home.path("home/project/here"));
    assert_eq!(settings.config.collections["more"].path, home.path("home/project"));
    assert_eq!(settings.list().last().unwrap().key, "collections.work");
}

#[test]
fn empty_is_unset_in_every_layer() {
    let home = TestHome::new().user("[vault]\npath = '/v'\nmemory_folder = ''\n").with("TARS_VAULT", "");
    let settings = home.with("TARS_SEARCH_LIMIT", "").load(&[("vault.path", "")]).unwrap();
    assert_eq!(settings.config.vault.path.unwrap(), Path::new("/v"));
    assert_eq!(settings.config.vault.memory_folder, "tars");
    assert_eq!(settings.config.search.limit, 10);
    let none = TestHome::new().user("[embedding]\napi_key_env = ''\n").settings();
    assert_eq!(none.config.embedding.api_key_env, None, "an empty name sends no key");
}

#[test]
fn the_user_file_is_found_by_variable_then_by_base_directory() {
    let home = TestHome::new().write("xdg/tars/config.toml", "search.limit = 3").write("own.toml", "search.limit = 4");
    let (xdg, own) = (home.path("xdg"), home.path("own.toml"));
    let home = home.user("search.limit = 2");
    assert_eq!(home.settings().config.search.limit, 2);
    let home = home.with("XDG_CONFIG_HOME", xdg);
    assert_eq!(home.settings().config.search.limit, 3);
    let home = home.with("TARS_CONFIG", &own);
    let settings = home.settings();
    assert_eq!((settings.config.search.limit, settings.path().unwrap()), (4, own.as_path()));
    let settings = home.with("TARS_CONFIG", "missing.toml").settings();
    assert_eq!((settings.config.search.limit, settings.warnings.len()), (10, 1));
}

#[test]
fn invalid_values_name_their_place_and_the_rule() {
    let file = |text: &str| TestHome::new().user(text).error();
    assert!(
        file("[search]\n\nlimit = 0")
            .ends_with("config.toml:3: search.limit: expected a whole number from 1 to 1000, found 0")
    );
    assert!(file("search.limit = '5'").contains("search.limit: expected a whole number"));
    assert!(file("search.mode = 'fast'").ends_with("expected one of hybrid, keyword, vector, found \"fast\""));
    assert!(file("index.extensions = 'md'").contains("expected a list of extensions"));
    assert!(file("[search.limit]\nx = 1").contains("found a table"));
    assert!(file("collections.vault = '/v'").contains("other than 'vault'"));
    assert!(file("vault = '/v'").contains("unknown key 'vault', did you mean 'vault.path'?"));
    assert!(
        file("[search]\nlimt = 5").contains("config.toml:2: unknown key 'search.limt', did you mean 'search.limit'?")
    );
    assert!(file("[search]\nlimit = = 5").contains("config.toml:2: "));
    let variable = TestHome::new().with("TARS_SEARCH_GATE", "high").error();
    assert_eq!(variable, "TARS_SEARCH_GATE: search.gate: expected a number from 0 to 1, found \"high\"");
    let flag = TestHome::new().load(&[("search.limit", "many")]).unwrap_err();
    assert!(flag.to_string().starts_with("--set search.limit: search.limit: expected"));
    assert!(matches!(TestHome::new().load(&[("nope", "1")]), Err(ConfigError::UnknownKey { .. })));
    assert!(TestHome::new().settings().get("search.limt").unwrap_err().to_string().contains("search.limit"));
}

#[test]
fn secrets_are_refused_and_not_repeated() {
    for text in [
        "embedding.api_key_env = 'sk-secret'",
        "models.hub_token_env = 'hf_secret'",
        "embedding.base_url = 'https://me:secret@host/v1'",
        "embedding.api_key = 'sk-secret'",
    ] {
        let error = TestHome::new().user(text).error();
        assert!(!error.contains("secret'") && !error.contains("_secret") && !error.contains(":secret"), "{error}");
    }
}

#[test]
fn unknown_variables_are_ignored() {
    let home = TestHome::new().with("TARS_LOG", "debug").with("TARS_DISABLE", "1").with("TARS_SEARCH_LIMT", "x");
    assert!(home.settings().warnings.is_empty());
}

#[test]
fn a_variable_that_is_not_utf8_is_an_error() {
    use std::os::unix::ffi::OsStrExt;
    let home = TestHome::new().with("TARS_VAULT", std::ffi::OsStr::from_bytes(b"/\xff"));
    assert!(home.error().starts_with("TARS_VAULT: vault.path: expected a path"));
}

#[test]
fn a_process_without_a_home_works_with_explicit_paths() {
    let bare = Environment::default();
    assert!(matches!(load(&bare, &[]), Err(ConfigError::NoHome { .. })));
    let told = bare.with("TARS_DATA_DIR", "/d").with("TARS_MODELS_DIR", "/m");
    let settings = load(&told, &[]).unwrap();
    assert_eq!((settings.path(), settings.config.data.dir.as_path()), (None, Path::new("/d")));
    assert!(matches!(load(&told.with("TARS_VAULT", "v"), &[]), Err(ConfigError::NoDirectory { .. })));
}

#[test]
fn the_data_directory_is_known_despite_invalid_settings() {
    let bare = || Environment { home: Some("/home/ada".into()), directory: Some("/work".into()), ..Default::default() };
    let flags = [("data.dir".to_owned(), "here".to_owned())];
    let wrong = || bare().with("TARS_SEARCH_LIMIT", "many");
    assert!(load(&wrong(), &[]).is_err());
    assert_eq!(data_dir_without_files(&wrong(), &[]).unwrap(), Path::new("/home/ada/.local/share/tars"));
    assert_eq!(data_dir_without_files(&wrong().with("TARS_DATA_DIR", "~/d"), &[]).unwrap(), Path::new("/home/ada/d"));
    assert_eq!(data_dir_without_files(&wrong().with("TARS_DATA_DIR", "/d"), &flags).unwrap(), Path::new("/work/here"));
    assert_eq!(data_dir_without_files(&Environment::default(), &[]), None);
}

#[test]
fn the_plugins_author_of_notes_counts_if_no_layer_names_one() {
    let told = |word: &str| TestHome::new().with("CLAUDE_PLUGIN_OPTION_NOTES", word);
    let summary = |home: TestHome| home.load(&[]).unwrap().config.summary;
    assert_eq!(summary(told("claude")).provider, SummaryProvider::Claude);
    assert_eq!(summary(told("rules")).provider, SummaryProvider::Extractive);
    let local = summary(told("ollama:qwen3:8b"));
    assert_eq!((local.provider, local.model.as_deref()), (SummaryProvider::OpenAi, Some("qwen3:8b")));
    assert_eq!(local.base_url.as_deref(), Some("http://localhost:11434/v1"));
    let own = told("ollama:x").user("[summary]\nprovider = 'claude'\n");
    assert_eq!((summary(own).model, summary(told("")).provider), (None, SummaryProvider::Auto));
    let wrong = told("gpt\u{1b}").load(&[]).unwrap();
    assert!(wrong.warnings.iter().any(|warning| warning.contains("'notes'") && !warning.contains('\u{1b}')));
}

#[test]
fn the_plugins_vault_is_used_if_nothing_else_names_one() {
    let told = || TestHome::new().with("CLAUDE_PLUGIN_OPTION_VAULT", "/plugin");
    let path = |home: &TestHome| home.load(&[]).unwrap().config.vault.path;
    assert_eq!(path(&told()), Some("/plugin".into()));
    assert_eq!(path(&told().user("[vault]\npath = '/file'\n")), Some("/file".into()));
    assert_eq!(path(&told().with("TARS_VAULT", "/variable")), Some("/variable".into()));
    assert_eq!(path(&TestHome::new().with("CLAUDE_PLUGIN_OPTION_VAULT", "")), None);
}
