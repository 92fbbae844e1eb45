//! Profiles: defaults that suit the machine.

use std::sync::LazyLock;

use toml::Value;

use super::file;

/// The key that names a profile.
pub(super) const KEY: &str = "profile";

/// Machines with at most this much memory, in bytes, are small. A board sold with 4 GB reports slightly less.
const SMALL_MEMORY: u64 = 4 << 30;

/// The values of the profile `small`. The `expect`s cannot fail, because the file is built in and tests parse it.
static SMALL_VALUES: LazyLock<Vec<(String, Value)>> = LazyLock::new(|| {
    let entries = file::entries(include_str!("small.toml")).expect("the built-in profile is TOML");
    entries.into_iter().map(|entry| (entry.key, entry.value.expect("a plain value"))).collect()
});

/// Returns the profile for `wanted` on a machine with this much memory. `auto` chooses by the memory; if it is unknown, the profile is
/// `standard`.
pub(super) fn named(wanted: &str, memory: Option<u64>) -> &'static str {
    match wanted {
        "small" => "small",
        "auto" if memory.is_some_and(|bytes| bytes <= SMALL_MEMORY) => "small",
        _ => "standard",
    }
}

/// Returns the values that a profile sets instead of the defaults.
pub(super) fn values(name: &str) -> &'static [(String, Value)] {
    if name == "small" { &SMALL_VALUES } else { &[] }
}

/// Returns the memory available to the process, in bytes: the machine's memory, or the limit of its control group if that is lower. Known
/// on Linux only.
pub(super) fn memory() -> Option<u64> {
    let total = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| memory_total(&text));
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    total.into_iter().chain(group).min()
}

fn memory_total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::super::key::rule_of;
    use super::*;

    #[test]
    fn boards_are_small_and_laptops_are_not() {
        assert_eq!(named("auto", Some(3_906_000 * 1024)), "small");
        assert_eq!(named("auto", Some(8 << 30)), "standard");
        assert_eq!(named("auto", None), "standard");
        assert_eq!(named("small", Some(64 << 30)), "small");
        assert_eq!(named("standard", Some(1 << 30)), "standard");
    }

    #[test]
    fn every_value_of_the_profile_satisfies_its_rule() {
        for (key, value) in values("small") {
            assert_eq!(rule_of(key, None).unwrap().accept(value).unwrap().as_ref(), Some(value), "{key}");
        }
        assert!(values("small").iter().any(|(key, _)| key == "embedding.threads"));
        assert!(values("standard").is_empty());
    }

    #[test]
    fn meminfo_is_parsed() {
        assert_eq!(memory_total("MemTotal:        3884400 kB\nMemFree: 1 kB\n"), Some(3_884_400 * 1024));
        assert_eq!(memory_total("MemFree: 1 kB\n"), None);
    }
}
