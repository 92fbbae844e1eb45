//! Tests of the keys that tune the ranking: `tars eval --set` accepts them, and one more version still reads them elsewhere.

use std::fs;

use super::TestHome;
use crate::{ConfigError, UserFile};
use tars_rank::{Balance, Fusion};

#[test]
fn a_tuning_key_takes_effect_with_a_warning() {
    let home = TestHome::new().user("[search]\nlimit = 5\ncandidates = 50\n").with("TARS_SEARCH_FUSION", "rrf");
    let settings = home.settings();
    assert_eq!((settings.config.search.candidates, settings.config.search.fusion), (50, Fusion::Rrf));
    let [file, variable] = settings.warnings.as_slice() else { panic!("{:?}", settings.warnings) };
    assert!(file.contains("config.toml:3: search.candidates") && file.contains("'tars eval --set' only"), "{file}");
    assert!(file.contains("next version") && file.ends_with("run 'tars config unset search.candidates'"), "{file}");
    assert!(variable.starts_with("TARS_SEARCH_FUSION: search.fusion tunes the ranking"), "{variable}");
    assert!(variable.ends_with("run 'unset TARS_SEARCH_FUSION'"), "{variable}");
}

#[test]
fn the_suggested_command_ends_the_warning() {
    let home = TestHome::new().user("[search]\nlink_credit = 0.2\n");
    assert_eq!(home.settings().warnings.len(), 1);
    assert!(UserFile::locate(&home.environment).unwrap().unset("search.link_credit").unwrap());
    let settings = home.settings();
    assert_eq!((settings.warnings.len(), settings.config.search.link_credit), (0, 0.0));
}

#[test]
fn an_evaluation_accepts_a_tuning_key_without_a_warning() {
    let settings = TestHome::new().load(&[("search.vector_weight", "0.25")]).unwrap();
    assert_eq!(settings.config.search.vector_weight, 0.25);
    assert!(settings.warnings.is_empty(), "{:?}", settings.warnings);
    let refused = TestHome::new().load(&[("search.vector_weight", "2")]).unwrap_err().to_string();
    assert!(refused.contains("--set search.vector_weight") && refused.contains("from 0 to 1"), "{refused}");
}

#[test]
fn a_tuning_key_cannot_be_set() {
    let home = TestHome::new();
    let file = UserFile::locate(&home.environment).unwrap();
    let error = file.set("search.fusion", "rrf").unwrap_err();
    assert!(matches!(error, ConfigError::Tuning { .. }), "{error}");
    assert_eq!(error.hint().unwrap(), "tars eval --self --set search.fusion=rrf");
    assert!(matches!(file.set("search.fusion", "fastest"), Err(ConfigError::Invalid { .. })));
    assert!(!file.path().exists());
    // An existing tuning key does not prevent other keys from being set.
    let home = home.user("[search]\nfusion = 'rrf'\n");
    UserFile::locate(&home.environment).unwrap().set("search.limit", "5").unwrap();
    let text = fs::read_to_string(home.path("home/.config/tars/config.toml")).unwrap();
    assert_eq!(text, "[search]\nfusion = 'rrf'\nlimit = 5\n");
}

#[test]
fn a_tuning_key_is_listed_only_if_it_is_set() {
    let listed = |home: &TestHome| home.settings().list().iter().any(|setting| setting.key == "search.pair_credit");
    let home = TestHome::new();
    assert!(!listed(&home));
    assert_eq!(home.settings().get("search.pair_credit").unwrap().toml(), "0.7");
    assert!(listed(&home.user("search.pair_credit = 0.7\n")), "even if it equals the default");
    assert!(listed(&TestHome::new().with("TARS_SEARCH_PAIR_CREDIT", "0.5")));
}

#[test]
fn a_project_cannot_tune_the_ranking() {
    let settings = TestHome::new().project("search.candidates = 5\n").settings();
    assert_eq!(settings.config.search.candidates, 200);
    assert_eq!(settings.warnings.len(), 1);
    assert!(settings.warnings[0].contains("search.candidates (not allowed in a project)"), "{:?}", settings.warnings);
}

#[test]
fn the_default_balance_equals_the_default_settings() {
    assert_eq!(TestHome::new().settings().config.fusion, Balance::default());
    let settings = TestHome::new().load(&[("fusion.best_share", "0.5")]).unwrap();
    assert_eq!(settings.config.fusion, Balance { best_share: 0.5, ..Balance::default() });
}
