use std::fs;

use super::TestHome;
use tars_base::domain::Mode;

#[test]
fn a_project_narrows() {
    let home = TestHome::new().project("[search]\nlimit = 3\nmin_score = 0.5\ngate = 0.9\nmode = 'keyword'\n");
    let settings = home.settings();
    let search = &settings.config.search;
    assert_eq!((search.limit, search.min_score, search.gate, search.mode), (3, 0.5, 0.9, Mode::Keyword));
    assert!(settings.warnings.is_empty());
    assert!(settings.origins["search.gate"].to_string().starts_with("project "));
}

#[test]
fn a_project_does_not_widen() {
    let home = TestHome::new().user("[search]\nlimit = 5\nmin_score = 0.6\ngate = 0.6\nmode = 'keyword'\n");
    let settings = home.project("[search]\nlimit = 50\nmin_score = 0\ngate = 0.1\nmode = 'hybrid'\n").settings();
    let search = &settings.config.search;
    assert_eq!((search.limit, search.min_score, search.gate, search.mode), (5, 0.6, 0.6, Mode::Keyword));
    assert!(settings.origins["search.limit"].to_string().starts_with("user file "));
    assert_eq!(settings.warnings.len(), 1, "only the mode is worth a word: {:?}", settings.warnings);
}

#[test]
fn a_hostile_project_has_no_effect() {
    let plain = TestHome::new();
    for (key, value) in [
        ("vault.path", "'/etc'"),
        ("vault.memory_folder", "'src'"),
        ("collections.loot", "'/home'"),
        ("data.dir", "'/tmp/x'"),
        ("models.dir", "'./models'"),
        ("models.hub", "'https://evil.example'"),
        ("models.hub_token_env", "'AWS_SECRET_ACCESS_KEY'"),
        ("index.extensions", "['env']"),
        ("index.gitignore", "false"),
        ("embedding.provider", "'openai'"),
        ("embedding.runtime", "'./libevil.so'"),
        ("embedding.base_url", "'https://evil.example/v1'"),
        ("embedding.api_key_env", "'AWS_SECRET_ACCESS_KEY'"),
        ("embedding.model", "'../../evil'"),
        ("summary.provider", "'command'"),
        ("summary.command", "['./evil.sh']"),
        ("summary.base_url", "'https://evil.example'"),
        ("summary.model", "'evil'"),
        ("summary.api_key_env", "'AWS_SECRET_ACCESS_KEY'"),
        ("summary.timeout_seconds", "3600"),
        ("search.candidates", "10000"),
        ("output.color", "'always'"),
        ("search.limit", "'many'"),
        ("search.limit", "-1"),
        ("search.gate", "nan"),
    ] {
        let settings = TestHome::new().project(&format!("{key} = {value}\n")).settings();
        let paths_aside = |mut config: crate::Config| {
            (config.data.dir, config.models.dir) = Default::default();
            config
        };
        assert_eq!(paths_aside(settings.config), paths_aside(plain.settings().config), "{key} = {value}");
        assert!(settings.warnings[0].contains(key), "{:?}", settings.warnings);
        assert!(!settings.warnings[0].contains("evil.example"));
        assert!(settings.origins.values().all(|origin| origin.to_string() == "default"), "{key}");
    }
}

#[test]
fn ignored_entries_do_not_affect_the_rest() {
    let settings = TestHome::new().project("search.limit = 2\nvault.path = '/etc'\nsearch.colour = 1\n").settings();
    assert_eq!(settings.config.search.limit, 2);
    assert_eq!(settings.warnings.len(), 1);
    assert!(settings.warnings[0].contains("line 2: vault.path (not allowed in a project)"));
    assert!(settings.warnings[0].contains("line 3: search.colour (unknown key)"));
}

#[test]
fn warnings_do_not_repeat_foreign_text() {
    let keys =
        "\"\\u001b[2J. Now run this\" = 1\n".to_owned() + &(0..99).map(|n| format!("k{n} = 1\n")).collect::<String>();
    let settings = TestHome::new().project(&keys).settings();
    assert_eq!(settings.warnings.len(), 1);
    assert!(settings.warnings[0].contains("??2J.?Now?run?this") && settings.warnings[0].ends_with("; and 95 more"));
    assert!(settings.warnings[0].len() < 500);
    let settings = TestHome::new().project("search.limit = 2\nobey me = \n").settings();
    assert_eq!(settings.config.search.limit, 10, "a broken file is ignored");
    assert!(settings.warnings[0].ends_with("ignored: not TOML at line 2"));
}

#[test]
fn odd_files_are_warnings() {
    let reason = |home: TestHome| home.settings().warnings.pop().unwrap();
    let large = "#".repeat(64 * 1024 + 1);
    assert!(reason(TestHome::new().project(&large)).ends_with("larger than 65536 bytes"));
    let home = TestHome::new();
    fs::create_dir(home.path("home/project/.tars.toml")).unwrap();
    assert!(reason(home).ends_with("not a file"));
    let home = TestHome::new();
    fs::write(home.path("home/project/.tars.toml"), b"\n\xff").unwrap();
    assert!(reason(home).ends_with("not UTF-8 at line 2"));
}

#[test]
fn links_out_of_the_project_are_refused() {
    use std::os::unix::fs::symlink;
    let home = TestHome::new().write("home/secret.toml", "search.limit = 2\n");
    symlink(home.path("home/secret.toml"), home.path("home/project/.tars.toml")).unwrap();
    let settings = home.settings();
    assert_eq!(settings.config.search.limit, 10);
    assert!(settings.warnings[0].ends_with("a symbolic link that leads out of the project"));
    let home = TestHome::new().write("home/project/conf/tars.toml", "search.limit = 2\n");
    symlink("conf/tars.toml", home.path("home/project/.tars.toml")).unwrap();
    assert_eq!(home.settings().config.search.limit, 2);
}

#[test]
fn the_nearest_file_up_to_the_repository_counts() {
    let from = |mut home: TestHome, below: &str| {
        fs::create_dir_all(home.path(below)).unwrap();
        home.environment.directory = Some(home.path(below));
        home.settings().config.search.limit
    };
    let file = "search.limit = 2\n";
    assert_eq!(from(TestHome::new().project(file), "home/project/a/b"), 2);
    assert_eq!(
        from(TestHome::new().project(file).write("home/project/a/.tars.toml", "search.limit = 3"), "home/project/a/b"),
        3
    );
    assert_eq!(from(TestHome::new().write("home/.tars.toml", file), "home/project/a"), 10, "above the repository");
    assert_eq!(from(TestHome::new().write("home/.tars.toml", file), "home/plain"), 10, "the home is no project");
    assert_eq!(from(TestHome::new().write("home/.tars.toml", file), "home"), 10);
    assert_eq!(from(TestHome::new().write("home/plain/.tars.toml", file), "home/plain/a"), 2, "without a repository");
}
