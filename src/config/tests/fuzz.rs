//! Fuzz tests with hostile configuration files.

use super::*;
use crate::variable_of;
use tars_testing::fuzz::{fuzz, text};

/// A user's file is either accepted or refused as a whole, with its path and in one line. Accepted settings read the same through
/// variables. A project's file never fails a run, and only narrows.
#[test]
fn fuzz_config() {
    fuzz("config", |bytes| {
        let home = TestHome::new().user("").project("");
        fs::write(home.path("home/.config/tars/config.toml"), bytes).unwrap();
        match home.load(&[]) {
            Ok(settings) => reads_again(&settings),
            Err(error) => {
                let message = error.to_string();
                assert!(message.contains("config.toml"), "{message}");
                assert!(!message.chars().any(char::is_control), "{message:?}");
                assert!(error.hint().is_none_or(|hint| !hint.chars().any(char::is_control)));
            }
        }
        fs::write(home.path("home/.config/tars/config.toml"), "").unwrap();
        fs::write(home.path("home/project/.tars.toml"), bytes).unwrap();
        only_narrows(&home.settings());
        assert_eq!(crate::file::entries(&text(bytes)).is_ok(), toml_edit::Document::parse(text(bytes)).is_ok());
    });
}

fn reads_again(settings: &Settings) {
    let mut home = TestHome::new();
    let changed = || settings.list().into_iter().filter(|setting| !setting.key.starts_with("collections."));
    for setting in changed().filter(|setting| matches!(setting.origin, crate::Origin::UserFile { .. })) {
        home = home.with(&variable_of(&setting.key), setting.plain());
    }
    let again = home.settings();
    for setting in changed() {
        let absolute = setting.value.as_str().is_some_and(|path| path.starts_with('/'));
        let read = again.get(&setting.key).unwrap();
        assert!(absolute || read.value == setting.value, "{}: {} or {}", setting.key, setting.value, read.value);
    }
}

fn only_narrows(settings: &Settings) {
    let plain = TestHome::new().settings();
    let number = |settings: &Settings, key: &str| settings.get(key).unwrap().toml().parse::<f64>().unwrap();
    assert!(number(settings, "search.limit") <= number(&plain, "search.limit"));
    for key in ["search.min_score", "search.gate"] {
        assert!(number(settings, key) >= number(&plain, key), "{key}");
    }
    for setting in settings.list() {
        let own = matches!(setting.key.as_str(), "search.limit" | "search.min_score" | "search.gate" | "search.mode");
        let is_path = setting.value.as_str().is_some_and(|path| path.starts_with('/'));
        assert!(own || is_path || setting.value == plain.get(&setting.key).unwrap().value, "{}", setting.key);
        let is_project = matches!(setting.origin, crate::Origin::Project { .. });
        assert!(own || !is_project, "{} is not allowed in a project", setting.key);
    }
    for warning in &settings.warnings {
        assert!(warning.contains(".tars.toml") && !warning.chars().any(char::is_control), "{warning:?}");
        assert!(warning.len() < 1000, "{warning}");
    }
}
