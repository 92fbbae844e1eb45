//! The line of tars in the status line of an agent's client, which requests it every few moments.
//!
//! It says whether tars works or is paused, how many lines the agent has seen, and whether something needs attention. It reads neither
//! the index nor a note.

use super::{ShownLines, spool};
use tars_base::domain::pluralize;
use tars_service::{App, Result};

/// Returns the line for a session; an empty id is an unknown session.
///
/// # Errors
/// It is unknown whether tars is paused.
pub fn status_line(app: &App, session: &str) -> Result<String> {
    let config = &app.settings.config;
    if config.vault.path.is_none() {
        return Ok("tars: no vault yet (tars init FOLDER)".into());
    }
    let now = app.environment.clock.now();
    if let Some(pause) = app.pauses().current(session, now.timestamp())? {
        let place = if pause.session.is_none() { " in all sessions" } else { "" };
        return Ok(format!("tars paused{place}{}", pause.end(&now)));
    }
    let mut parts = vec!["tars".to_owned()];
    let shown = ShownLines::open(&config.data.dir, session).lines().count();
    if shown > 0 && !session.is_empty() {
        parts.push(format!("{} shown", pluralize(shown, "line")));
    }
    if !app.database().exists() {
        parts.push("no index yet".into());
    }
    let spool = spool(app);
    let missing = spool.late_count(now.timestamp()) + spool.given_up_count();
    if missing > 0 {
        parts.push(format!("{} not noted (tars status)", pluralize(missing, "turn")));
    }
    Ok(parts.join(" · "))
}
