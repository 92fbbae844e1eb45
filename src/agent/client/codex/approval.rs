//! Which hooks of the plugin of tars a person has approved in Codex.
//!
//! `config.toml` has a table for each plugin, `[plugins."tars@MARKETPLACE"]`, and for each approved hook
//! `[hooks.state."tars@MARKETPLACE:FILE:EVENT:GROUP:HOOK"]` with its `trusted_hash`.

use toml_edit::{DocumentMut, Item, TableLike};

/// The file with the settings in the client's folder.
pub const SETTINGS: &str = "config.toml";
/// The number of hooks in the plugin of tars (plugins/codex/hooks/hooks.json).
pub const PLUGIN_HOOKS: usize = 7;
/// The beginning of the plugin's id.
const PLUGIN: &str = "tars@";

/// Returns how many hooks of the plugin of tars are approved and not switched off; `None` if the plugin is not installed, or if the
/// settings cannot be parsed.
pub fn approved_hooks(settings: &str) -> Option<usize> {
    let settings: DocumentMut = settings.parse().ok()?;
    let is_on = |table: &Item| table.get("enabled").and_then(Item::as_bool) != Some(false);
    let plugins = settings.get("plugins").and_then(Item::as_table_like)?;
    let (plugin, _) = plugins.iter().find(|(name, table)| name.starts_with(PLUGIN) && is_on(table))?;
    let hooks = settings.get("hooks").and_then(|hooks| hooks.get("state")).and_then(Item::as_table_like);
    let is_its = |name: &str| name.strip_prefix(plugin).is_some_and(|rest| rest.starts_with(':'));
    let is_approved = |hook: &Item| is_on(hook) && hook.get("trusted_hash").is_some();
    Some(hooks.map_or(0, |hooks: &dyn TableLike| {
        hooks.iter().filter(|(name, hook)| is_its(name) && is_approved(hook)).count()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approved_hooks_of_the_plugin_are_counted() {
        let plugin = "[plugins.\"tars@tars\"]\nenabled = true\n";
        let hook = |id: &str, rest: &str| format!("[hooks.state.\"{id}:hooks/hooks.json:stop:0:0\"]\n{rest}\n");
        let trusted = "trusted_hash = \"sha256:0\"";
        assert_eq!(approved_hooks(""), None);
        assert_eq!(approved_hooks("= no TOML"), None);
        assert_eq!(approved_hooks("plugins = 7"), None);
        assert_eq!(approved_hooks("[plugins.\"tars@tars\"]\nenabled = false"), None);
        assert_eq!(approved_hooks(plugin), Some(0));
        assert_eq!(approved_hooks(&format!("{plugin}{}", hook("tars@tars", trusted))), Some(1));
        for other in [hook("tars@tarsier", trusted), hook("tars@tars", "enabled = true")] {
            assert_eq!(approved_hooks(&format!("{plugin}{other}")), Some(0), "{other}");
        }
        assert_eq!(
            approved_hooks(&format!("{plugin}{}", hook("tars@tars", &format!("{trusted}\nenabled = false")))),
            Some(0)
        );
    }
}
