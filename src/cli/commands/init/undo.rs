//! `tars init --undo`

use std::io::Write;

use anyhow::Result;

use crate::app::App;
use crate::cli::commands::{mcp_install, watch};
use crate::cli::terminal::{clean_line, note};
use crate::cli::{Outcome, interrupt};
use crate::client::McpClient;
use crate::service::setup::{SetupRecord, UndoInitRequest};
use crate::service::{Reach, Service};

/// Takes back what was set up, the last step first. What fails stays written down, so that it can be tried again.
pub(super) fn run(app: &App) -> Result<Outcome> {
    interrupt::listen();
    let record = SetupRecord::read(app)?;
    if record == SetupRecord::default() {
        note("there is nothing to take back: tars init has set nothing up, or it was taken back already");
        return Ok(Outcome::Nothing);
    }
    let mut out = anstream::stdout().lock();
    let mut failed = false;
    for name in record.agents {
        let taken_out = McpClient::named(&name).map(|client| mcp_install::take_out(app, client)).transpose();
        match taken_out {
            Ok(written) => {
                if let Some(written) = written.filter(|written| written.changed) {
                    writeln!(out, "{name:<15}tars is gone from {}", written.file.display())?;
                }
                SetupRecord::change(app, |record| record.agents.retain(|known| *known != name))?;
            }
            Err(error) => {
                note(&format!("{error:#}"));
                failed = true;
            }
        }
    }
    if record.service {
        let was_there = watch::uninstall_service(app)?;
        SetupRecord::change(app, |record| record.service = false)?;
        if was_there {
            writeln!(out, "{:<15}the service is removed", "watcher")?;
        }
    }
    let undone = Service::new(app, Reach::Local).call(&UndoInitRequest {})?;
    for key in &undone.settings {
        writeln!(out, "{:<15}{key} is as it was before", "configuration")?;
    }
    for key in &undone.kept_settings {
        writeln!(out, "{:<15}{key} was changed since, and stays", "configuration")?;
    }
    for path in &undone.removed {
        writeln!(out, "{:<15}{} is removed", "memory folder", clean_line(&path.display().to_string()))?;
    }
    for path in &undone.kept {
        writeln!(out, "{:<15}{} was written to, and stays", "memory folder", clean_line(&path.display().to_string()))?;
    }
    let data = &app.settings.config.data.dir;
    if app.database().exists() {
        writeln!(out, "{:<15}the index stays in {}; it can be deleted", "data", data.display())?;
    }
    Ok(if failed { Outcome::Partial } else { Outcome::Done })
}
