use crate::key;
use crate::variable_of;

const PAGE: &str = include_str!("../../../docs/configuration.md");
const TUNING_PAGE: &str = include_str!("../../../docs/eval.md");
const FIT: &str = include_str!("../../../scripts/quality/fit-fusion");

#[test]
fn every_setting_is_documented_with_its_default_and_variable() {
    for key in key::all().iter().filter(|key| !key.is_tuning) {
        let row = format!("| `{}` | `{}` | `{}` |", key.name, key.default, variable_of(&key.name));
        assert!(PAGE.contains(&row), "docs/configuration.md lacks the row\n{row}");
    }
}

#[test]
fn no_setting_is_documented_that_does_not_exist() {
    for row in PAGE.lines().filter(|line| line.starts_with("| `") && line.contains("| `TARS_")) {
        let name = row.split('`').nth(1).unwrap();
        assert!(key::rule_of(name, None).is_ok() && !key::is_tuning(name), "{name}");
    }
}

#[test]
fn every_tuning_key_is_documented_with_its_default_and_range() {
    let rows: Vec<&str> = TUNING_PAGE.lines().filter(|line| line.starts_with("| `")).collect();
    let keys: Vec<_> = key::all().iter().filter(|key| key.is_tuning).collect();
    assert_eq!(rows.len(), keys.len());
    for (row, key) in rows.into_iter().zip(keys) {
        let start = format!("| `{}` | `{}` | {} |", key.name, key.default, key.rule.expected());
        assert!(row.starts_with(&start), "docs/eval.md lacks the row\n{start}\n{row}");
    }
}

#[test]
fn no_page_names_the_variable_of_a_tuning_key() {
    for key in key::all().iter().filter(|key| key.is_tuning) {
        for page in [PAGE, TUNING_PAGE] {
            assert!(!page.contains(&variable_of(&key.name)), "{}", key.name);
        }
    }
}

#[test]
fn the_fitting_script_varies_only_tuning_keys() {
    let varied: Vec<&str> =
        FIT.lines().filter_map(|line| line.strip_prefix("    \"")?.split_once("\": (")).map(|entry| entry.0).collect();
    assert!(varied.iter().all(|key| key::is_tuning(key)), "{varied:?}");
    for key in key::keys().filter(|key| key.starts_with("fusion.")) {
        assert!(varied.contains(&key), "scripts/quality/fit-fusion does not vary {key}");
    }
}
