//! Clients of agents in which the plugin of tars is installed and does less than it could.

use std::io::Read;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::App;
use tars_agent::client::{AgentClient, codex};
use tars_base::private;

/// The most that is read of a client's settings, in bytes.
const MAX_SETTINGS: u64 = 1 << 20;

/// A remark about a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientRemark {
    /// The client.
    pub client: AgentClient,
    /// The state, and the step that helps.
    pub detail: String,
}

/// Returns the remarks about the clients on this machine.
pub(super) fn remarks(app: &App) -> Vec<ClientRemark> {
    codex_remark(app).into_iter().collect()
}

/// Says that Codex skips hooks that nobody has approved.
fn codex_remark(app: &App) -> Option<ClientRemark> {
    let client = AgentClient::Codex;
    let (folder, _) = app.client_folder(client)?;
    let mut settings = String::new();
    let file = private::open_untrusted_path(&folder.join(codex::SETTINGS)).ok()?;
    file.take(MAX_SETTINGS).read_to_string(&mut settings).ok()?;
    let approved = codex::approved_hooks(&settings)?;
    (approved < codex::PLUGIN_HOOKS).then(|| ClientRemark {
        client,
        detail: format!(
            "runs {approved} of the {} hooks of its plugin: approve them in its terminal with /hooks; until then `codex exec` skips them \
             without a word",
            codex::PLUGIN_HOOKS
        ),
    })
}
