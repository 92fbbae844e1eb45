//! The warning at the start of a session while something is wrong: one line, with the command that helps.
//!
//! An unwritable data directory is not covered here: the hook reports it at every event.

use jiff::Timestamp;

use super::spool::Spool;
use tars_agent::client::{AgentClient, HookInput};
use tars_base::domain::sanitize_line;
use tars_service::{App, Result};
use tars_store::StoreError;

/// A problem to report.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HealthProblem {
    /// The message for the person.
    pub(super) message: String,
    /// The key under which it is remembered as reported.
    pub(super) key: String,
}

/// The environment variable with the version of the plugin whose hook runs.
const PLUGIN_VERSION: &str = "TARS_PLUGIN_VERSION";

/// Returns the most important problem when a session begins: a program that does not fit its plugin, because the others may follow from
/// it; then the index; then notes that have waited long; then notes that were given up. Given-up notes are reported once, in any session,
/// because nothing can be done about them.
pub(super) fn problem(app: &App, spool: &Spool, input: &HookInput) -> Option<HealthProblem> {
    let in_session = |kind: &str, message: String| HealthProblem { message, key: format!("{kind} {}", input.session) };
    let now = app.environment.clock.timestamp();
    plugin_mismatch(app, input.client, env!("CARGO_PKG_VERSION"))
        .map(|said| in_session("version", said))
        .or_else(|| index_problem(app).map(|said| in_session("index", said)))
        .or_else(|| late_notes(spool, now).map(|said| in_session("waiting", said)))
        .or_else(|| given_up_notes(spool).map(|message| HealthProblem { key: message.clone(), message }))
}

/// Compares the version of the plugin, if a plugin runs this hook, with the version of the program.
fn plugin_mismatch(app: &App, client: AgentClient, own: &str) -> Option<String> {
    let plugin = app.environment.variable(PLUGIN_VERSION)?.to_str()?;
    let parts = |version: &str| version.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>();
    if plugin == own || plugin.len() > 40 {
        return None;
    }
    let plugin = sanitize_line(plugin);
    let is_newer = parts(own).zip(parts(&plugin)).is_some_and(|(own, plugin)| own > plugin);
    Some(match (is_newer, client) {
        (true, AgentClient::Gemini) => format!(
            "tars {own} is newer than its extension ({plugin}): `gemini extensions update tars` installs the matching one"
        ),
        (true, _) => format!(
            "tars {own} is newer than its plugin ({plugin}): `claude plugin update tars@tars` installs the matching one"
        ),
        (false, AgentClient::Gemini) => {
            format!("tars {own} does not fit its extension ({plugin}): install the program of that version")
        }
        (false, _) => {
            format!("tars {own} does not fit its plugin ({plugin}): /tars:install fetches the matching program")
        }
    })
}

/// Reports a missing or damaged index. The watcher, which the session starts, repairs what it can in the background.
fn index_problem(app: &App) -> Option<String> {
    let read = || -> Result<()> {
        app.open_index()?.snapshot()?.statistics()?;
        Ok(())
    };
    let error = read().err()?;
    match error.cause::<StoreError>() {
        Some(StoreError::Missing { .. }) => app.roots_hold_something().then(|| {
            "tars has no index, so prompts get no notes until the watcher has built it; `tars index` builds it now"
                .to_owned()
        }),
        Some(damage) if damage.is_damage() => Some(format!(
            "tars: {damage}; the watcher rebuilds the index from the notes; `tars doctor --repair` does it now"
        )),
        _ => Some(format!("tars cannot use its index: {error:#}; `tars doctor` finds the cause")),
    }
}

fn late_notes(spool: &Spool, now: Timestamp) -> Option<String> {
    let late = match spool.late_count(now) {
        0 => return None,
        1 => "tars has a note that has waited for more than an hour".to_owned(),
        late => format!("tars has {late} notes that have waited for more than an hour"),
    };
    Some(format!("{late}: hook.log in the data directory says why, and `tars remember --finish` tries again"))
}

fn given_up_notes(spool: &Spool) -> Option<String> {
    let given_up = match spool.given_up_count() {
        0 => return None,
        1 => "tars gave up a note".to_owned(),
        given_up => format!("tars gave up {given_up} notes"),
    };
    let folder = spool.folder().display();
    Some(format!("{given_up}: hook.log in the data directory says why, and its source is in {folder}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_config::Environment;

    #[test]
    fn a_version_mismatch_with_the_plugin_is_reported_with_the_fix() {
        let home = Some("/home/nobody".into());
        let environment = Environment { home: home.clone(), directory: home, ..Environment::default() };
        let said = |plugin: &str| {
            let app = App::new(environment.clone().with(PLUGIN_VERSION, plugin), &[]).unwrap();
            plugin_mismatch(&app, AgentClient::ClaudeCode, "0.10.1").unwrap_or_default()
        };
        assert_eq!((said("0.10.1"), said("")), (String::new(), String::new()));
        for older in ["0.9.9", "0.10.0"] {
            assert!(said(older).contains("newer than its plugin") && said(older).contains("plugin update"), "{older}");
        }
        for newer in ["0.11.0", "1.0.0", "next"] {
            assert!(said(newer).contains(newer) && said(newer).contains("/tars:install"), "{newer}");
        }
    }
}
