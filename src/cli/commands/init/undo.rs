//! `tars init --undo`

use super::line;
use crate::commands::watch;
use crate::terminal::{print_note, sanitize_line};
use crate::{Outcome, interrupt};
use tars_agent::client::McpClient;
use tars_serve::daemon::RemovedService;
use tars_service::setup::{SetupRecord, UndoInitRequest, remove_mcp_server};
use tars_service::{App, Backend, Result, Service};

/// Reverts the set-up, the last step first. A failed step stays recorded, so that it can be retried.
pub(super) fn run(app: &App) -> Result<Outcome> {
    interrupt::listen();
    let record = SetupRecord::read(app)?;
    if record == SetupRecord::default() {
        print_note("there is nothing to take back: tars init changed nothing, or its changes are already undone");
        return Ok(Outcome::Nothing);
    }
    let mut failed = false;
    for name in record.agents {
        let taken_out = McpClient::named(&name).map(|client| remove_mcp_server(app, client)).transpose();
        match taken_out {
            Ok(written) => {
                if let Some(written) = written.filter(|written| written.changed) {
                    line(&name, &format!("tars was removed from {}", written.file.display()))?;
                }
                SetupRecord::change(app, |record| record.agents.retain(|known| *known != name))?;
            }
            Err(error) => {
                print_note(&format!("{error:#}"));
                failed = true;
            }
        }
    }
    if record.service {
        let removed = watch::uninstall_service(app)?;
        SetupRecord::change(app, |record| record.service = false)?;
        if removed != RemovedService::Nothing {
            line("watcher", "the service is removed")?;
        }
    }
    // A running watcher would rebuild the index that is deleted below.
    if watch::stop_and_wait(app)? {
        line("watcher", "stopped")?;
    }
    let undone = Service::new(app, Backend::Local).call(&UndoInitRequest {})?;
    for key in &undone.settings {
        line("configuration", &format!("{key} is restored"))?;
    }
    for key in &undone.kept_settings {
        line("configuration", &format!("{key} was changed since, and stays"))?;
    }
    for path in &undone.removed {
        line("memory folder", &format!("{} is removed", sanitize_line(&path.display().to_string())))?;
    }
    for path in &undone.kept {
        line("memory folder", &format!("{} was edited, so it stays", sanitize_line(&path.display().to_string())))?;
    }
    if undone.index {
        line("index", "the index of the first question is deleted")?;
    }
    Ok(if failed { Outcome::Partial } else { Outcome::Done })
}
