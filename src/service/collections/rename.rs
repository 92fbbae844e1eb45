//! Gives a collection another name in the configuration and in everything that tars keeps of it.

use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{App, Daemon, Refusal, Result, Service, UseCase};
use tars_config::UserFile;
use tars_store::StoreError;

/// Renames a collection. Its notes are neither read nor embedded again, and former ids lead to the new ones.
///
/// It is no operation for other programs: the configuration is the person's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameCollectionRequest {
    /// Its name.
    pub from: String,
    /// Its new name.
    pub to: String,
}

/// A renamed collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RenameCollectionResponse {
    /// Number of its notes in the index.
    pub notes: usize,
    /// Things that still have the former name, a sentence each.
    pub remarks: Vec<String>,
}

impl UseCase for RenameCollectionRequest {
    type Response = RenameCollectionResponse;

    /// Renames it.
    ///
    /// # Errors
    /// A watcher runs, which would bring the former name back; there is no such collection; or the new name is taken or invalid.
    fn run(&self, service: &Service<'_>) -> Result<RenameCollectionResponse> {
        let Self { from, to } = self;
        let app = service.app;
        if Daemon::of(app).running().is_some() {
            let message = "a watcher runs with the former name, and would bring it back".into();
            return Err(Refusal { message, hint: "tars watch --stop".into() }.into());
        }
        let _lock = service.lock_index()?;
        UserFile::locate(&app.environment)?.rename_collection(from, to)?;
        let mut remarks = Vec::new();
        let notes = renamed_in_index(app, from, to).unwrap_or_else(|error| {
            remarks.push(format!("the index has the former name until the next 'tars index': {error}"));
            0
        });
        if let Err(error) = renamed_in_ledger(app, from, to) {
            remarks.push(format!("the recall ledger has the former name: {error}"));
        }
        Ok(RenameCollectionResponse { notes, remarks })
    }
}

/// Renames the collection in the index and returns the number of its notes.
fn renamed_in_index(app: &App, from: &str, to: &str) -> Result<usize, StoreError> {
    let Some(mut store) = app.existing_index()? else { return Ok(0) };
    let collections = store.snapshot()?.collections()?;
    let named = |name: &str| collections.iter().find(|collection| collection.name == name).map(|one| one.id);
    let Some(id) = named(from) else { return Ok(0) };
    // A removed collection stays in the index until the next run.
    if let Some(left) = named(to) {
        store.remove_collection(left)?;
    }
    store.rename_collection(id, to)?;
    let size = store.snapshot()?.collection_size(id)?;
    Ok(size.files)
}

fn renamed_in_ledger(app: &App, from: &str, to: &str) -> io::Result<()> {
    let ledger = app.recall_ledger();
    if ledger.exists() {
        ledger.rename_collection(from, to)?;
        app.update_uses();
    }
    Ok(())
}
