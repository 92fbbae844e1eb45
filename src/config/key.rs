//! The known keys, in the order of `defaults.toml` and `tuning.toml`, and suggestions for misspelled ones.

use std::sync::LazyLock;

use toml::Value;

use super::collections::COLLECTIONS;
use super::rule::Rule;
use super::{ConfigError, DEFAULTS, Origin, TUNING, file, profile};
use tars_text::analysis::distance_within;

/// A key with its default and its rule.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) default: Value,
    pub(super) rule: Rule,
    /// Whether the key tunes the ranking: only `tars eval --set` accepts it.
    pub(super) is_tuning: bool,
}

/// The keys of `defaults.toml` and `tuning.toml`. The `expect`s cannot fail, because the files are built in and tests parse them.
static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let keys_of = |text, is_tuning| {
        let entries = file::entries(text).expect("the built-in defaults are TOML");
        entries.into_iter().map(move |entry| Key {
            rule: rule_in_table(&entry.key).expect("every built-in key has a rule"),
            default: entry.value.expect("every built-in key has a plain value"),
            name: entry.key,
            is_tuning,
        })
    };
    keys_of(DEFAULTS, false).chain(keys_of(TUNING, true)).collect()
});

pub(super) fn all() -> &'static [Key] {
    &KEYS
}

/// Returns the names of all keys, first those of [`DEFAULTS`], then those of [`TUNING`]. Collections are left out, because users name them.
pub fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.name.as_str())
}

/// Returns the environment variable of a key: `TARS_SEARCH_MIN_SCORE` for `search.min_score`.
pub fn variable_of(key: &str) -> String {
    format!("TARS_{}", key.replace('.', "_").to_uppercase())
}

/// Whether `key` tunes the ranking and is not a setting: only `tars eval --set` accepts it.
pub(super) fn is_tuning(key: &str) -> bool {
    KEYS.iter().any(|known| known.is_tuning && known.name == key)
}

/// Returns the rule of `key`. The error for an unknown key suggests the nearest one.
pub(super) fn rule_of(key: &str, origin: Option<&Origin>) -> Result<Rule, ConfigError> {
    if let Some((name, setting)) = collection_key(key) {
        let rule = is_collection_name(name).then_some(setting).and_then(rule_of_collection);
        return rule.ok_or_else(|| bad_collection(key, origin));
    }
    let known = KEYS.iter().find(|known| known.name == key).map(|known| known.rule);
    known.ok_or_else(|| match key {
        COLLECTIONS => bad_collection(key, origin),
        _ => ConfigError::UnknownKey { origin: origin.cloned(), key: key.to_owned(), nearest: nearest(key) },
    })
}

/// Splits the key of a collection into its name and its setting; its folder has none: `collections.work`, `collections.work.weight`.
pub(super) fn collection_key(key: &str) -> Option<(&str, Option<&str>)> {
    let rest = key.strip_prefix(COLLECTIONS)?.strip_prefix('.')?;
    Some(rest.split_once('.').map_or((rest, None), |(name, setting)| (name, Some(setting))))
}

/// Returns the rule of a setting of a collection; without a setting, of its folder.
fn rule_of_collection(setting: Option<&str>) -> Option<Rule> {
    Some(match setting {
        None => Rule::Path,
        Some("ignore") => Rule::Globs,
        Some("weight") => Rule::Number(0.1, 10.0),
        Some("private" | "read_only") => Rule::Bool,
        Some("description") => Rule::Text,
        Some(_) => return None,
    })
}

pub(super) fn is_collection_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (1..=64).contains(&name.len()) && name.chars().all(plain) && name != "vault"
}

fn bad_collection(key: &str, origin: Option<&Origin>) -> ConfigError {
    let expected = "collections.NAME with a name of ASCII letters, digits, '-' and '_' other than 'vault', or one \
                    of its settings .ignore, .weight, .private, .read_only and .description"
        .into();
    ConfigError::Invalid { origin: origin.cloned(), key: key.to_owned(), expected, found: None }
}

/// Returns the key nearest to `wrong`: the first key of a section with that name, else the key within a small edit distance (a third of
/// its length, at least 2), else the first key with the same last part.
fn nearest(wrong: &str) -> Option<String> {
    let of_section = || keys().find(|key| key.split('.').next() == Some(wrong));
    let by_leaf = || keys().find(|key| key.split('.').next_back() == wrong.split('.').next_back());
    let letters = |word: &str| word.chars().collect::<Vec<char>>();
    let by_edits = || {
        // The closest key of all is taken, even if another one is within the limit for its own length.
        let longest = keys().map(str::len).max()?;
        let slips = |key: &str| distance_within(&letters(key), &letters(wrong), longest);
        let close = keys().filter_map(|key| Some((slips(key)?, key))).min()?;
        (close.0 <= (close.1.len() / 3).max(2)).then_some(close.1)
    };
    of_section().or_else(by_edits).or_else(by_leaf).map(str::to_owned)
}

/// Ranges, as documented in `defaults.toml` and `tuning.toml`.
fn rule_in_table(key: &str) -> Option<Rule> {
    Some(match key {
        profile::KEY => Rule::Choice(&["auto", "standard", "small"]),
        "vault.path" | "data.dir" | "models.dir" | "embedding.runtime" => Rule::Path,
        "vault.memory_folder" => Rule::Folder,
        "models.hub" | "embedding.base_url" | "summary.base_url" | "chat.base_url" | "http.url" => Rule::Address,
        "http.listen" => Rule::Socket,
        "http.hosts" => Rule::Hosts,
        "http.origins" => Rule::Origins,
        "models.hub_token_env" | "embedding.api_key_env" | "summary.api_key_env" | "chat.api_key_env" => {
            Rule::VariableName
        }
        "index.max_file_size" => Rule::Size,
        "index.extensions" => Rule::Extensions,
        "index.exclude" => Rule::Globs,
        "index.follow_links" => Rule::Links,
        "index.pdf"
        | "index.gitignore"
        | "index.obsidian"
        | "index.conflict_copies"
        | "index.client_memory"
        | "chunk.context_prefix" => Rule::Bool,
        "chunk.target_tokens" => Rule::Integer(50, 8000),
        "chunk.passage_tokens" => Rule::Integer(16, 8192),
        "chunk.overlap" => Rule::Number(0.0, 0.5),
        "embedding.provider" => Rule::Choice(&["onnx", "openai", "none"]),
        "embedding.model" | "embedding.query_prefix" | "embedding.passage_prefix" => Rule::Text,
        "embedding.kernel" => Rule::Choice(&["auto", "off"]),
        "embedding.instructions" => Rule::Choice(&[
            "auto",
            "avx-512-vnni",
            "avx-vnni",
            "avx2",
            "sse4.1",
            "neon-with-i8mm",
            "neon-with-dot-products",
            "neon",
            "portable",
        ]),
        "embedding.keep_former" => Rule::Bool,
        "embedding.threads" => Rule::Integer(0, 1024),
        "embedding.dimensions" => Rule::Integer(0, 65_536),
        "embedding.window" => Rule::Integer(32, 131_072),
        "embedding.batch_size" => Rule::Integer(1, 2048),
        "embedding.timeout_seconds" => Rule::Integer(1, 3600),
        "search.limit" => Rule::Integer(1, 1000),
        "search.candidates" => Rule::Integer(1, 10_000),
        "search.part_places" | "search.part_hits" => Rule::Integer(0, 50),
        "search.title_weight" | "search.meta_weight" | "search.pair_credit" | "fusion.least_unit" => {
            Rule::Number(0.0, 10.0)
        }
        "search.mode" => Rule::Choice(&["hybrid", "keyword", "vector"]),
        "search.fusion" => Rule::Choice(&["adaptive", "convex", "rrf"]),
        "search.rerank" | "search.expand" => Rule::Bool,
        "search.rerank_model" => Rule::Text,
        "search.rerank_hits" => Rule::Integer(1, 200),
        "search.expand_timeout_seconds" => Rule::Integer(1, 600),
        "search.min_score"
        | "search.gate"
        | "search.vector_weight"
        | "search.neighbour_credit"
        | "search.link_credit"
        | "search.repeat_penalty"
        | "search.recency"
        | "search.use_credit"
        | "search.project_credit"
        | "search.part_cover"
        | "search.part_score"
        | "context.recency"
        | "fusion.least_known"
        | "fusion.name_share"
        | "fusion.date_share"
        | "fusion.one_name_share"
        | "fusion.best_share" => Rule::Number(0.0, 1.0),
        "fusion.few_texts" => Rule::Number(0.0, 1000.0),
        "context.budget_tokens" => Rule::Integer(100, 100_000),
        "mcp.budget_tokens" => Rule::Integer(200, 100_000),
        "mcp.daily_writes" => Rule::Integer(0, 10_000),
        "hooks.session_characters" | "hooks.prompt_characters" => Rule::Integer(200, 9_500),
        "hooks.deadline_ms" => Rule::Integer(50, 10_000),
        "hooks.notes" => Rule::Bool,
        "hooks.scope" => Rule::Choice(&["all", "project"]),
        "summary.provider" => Rule::Choice(&["auto", "extractive", "claude", "command", "openai", "anthropic"]),
        "summary.command" => Rule::Command,
        "summary.model" => Rule::Text,
        "summary.timeout_seconds" => Rule::Integer(1, 3600),
        "chat.provider" => Rule::Choice(&["auto", "none", "ollama", "openai", "openrouter", "anthropic", "command"]),
        "chat.model" => Rule::Text,
        "chat.command" => Rule::Command,
        "chat.timeout_seconds" => Rule::Integer(1, 3600),
        "chat.prompt_tokens" => Rule::Integer(500, 100_000),
        "chat.history_tokens" => Rule::Integer(1000, 2_000_000),
        "chat.compact_messages" => Rule::Integer(6, 10_000),
        "chat.core_writes" | "chat.layer_writes" => Rule::Choice(&["allow", "ask", "deny"]),
        "chat.consolidate" => Rule::Choice(&["propose", "off"]),
        "chat.apply" => Rule::Words(&["context", "timelines"]),
        "chat.private_collections" => Rule::Names,
        "auto.extract" => Rule::Bool,
        "model.daily_tokens" => Rule::Integer(0, 1_000_000_000),
        "watch.debounce_ms" => Rule::Integer(10, 60_000),
        "watch.reconcile_seconds" => Rule::Integer(10, 86_400),
        "watch.unload_seconds" => Rule::Integer(1, 86_400),
        "watch.threads" => Rule::Integer(0, 1024),
        "watch.polling" => Rule::Choice(&["auto", "always"]),
        "watch.poll_seconds" => Rule::Integer(1, 3600),
        "watch.max_load" => Rule::Number(0.0, 1000.0),
        "watch.pause_on_battery" => Rule::Bool,
        "output.color" => Rule::Choice(&["auto", "always", "never"]),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_satisfies_its_own_rule() {
        for key in all() {
            let accepted = key.rule.accept(&key.default).unwrap();
            assert!(accepted.is_none_or(|value| value == key.default), "{}", key.name);
        }
        assert_eq!(all().len(), 111);
        assert_eq!(all().iter().filter(|key| key.is_tuning).count(), 21);
    }

    #[test]
    fn every_key_has_a_comment() {
        let mut commented = false;
        for line in DEFAULTS.lines().chain(TUNING.lines()) {
            assert!(commented || !line.contains(" = ") || line.starts_with('#'), "{line}");
            commented = line.starts_with("# ");
        }
    }

    #[test]
    fn choices_parse_as_their_types() {
        let Ok(Rule::Choice(modes)) = rule_of("search.mode", None) else { panic!("not a choice") };
        for mode in modes {
            assert_eq!(mode.parse::<tars_base::domain::Mode>().unwrap().as_str(), *mode);
        }
    }

    #[test]
    fn misspelled_keys_get_a_suggestion() {
        assert_eq!(nearest("search.limt").unwrap(), "search.limit");
        assert_eq!(nearest("serch.limit").unwrap(), "search.limit");
        assert_eq!(nearest("limit").unwrap(), "search.limit");
        assert_eq!(nearest("vault").unwrap(), "vault.path");
        assert_eq!(nearest("embeddings.model").unwrap(), "embedding.model");
        assert_eq!(nearest("something.else_entirely"), None);
    }

    #[test]
    fn collections_have_plain_names_other_than_vault() {
        assert_eq!(rule_of("collections.work-2", None).unwrap(), Rule::Path);
        assert_eq!(rule_of("collections.work.private", None).unwrap(), Rule::Bool);
        for wrong in [
            "collections.vault",
            "collections.",
            "collections.a.b",
            "collections.a.b.c",
            "collections.a b",
            "collections.vault.weight",
            "collections",
        ] {
            assert!(matches!(rule_of(wrong, None), Err(ConfigError::Invalid { .. })), "{wrong}");
        }
    }
}
