//! `tars mcp`

use super::{mcp_install, mcp_servers};
use crate::Outcome;
use crate::args::{Args, Mcp, McpCommand, McpServerArgs};
use tars_service::{App, Result};

pub(crate) fn run(app: App, mcp: &Mcp, args: &Args) -> Result<Outcome> {
    match &mcp.command {
        Some(McpCommand::Install { client, print, remove, offer }) => {
            let Some(client) = *client else { return mcp_install::list(&app) };
            match (print, remove) {
                (_, true) => mcp_install::remove(&app, client),
                (true, false) => mcp_install::print(args, client, offer),
                (false, false) => mcp_install::install(&app, args, client, offer),
            }
        }
        Some(McpCommand::Servers(servers)) => mcp_servers::run(&app, servers),
        None => serve(app, &mcp.offer),
    }
}

/// Serves on standard input and output until the input ends.
#[cfg(feature = "serve")]
fn serve(app: App, offer: &McpServerArgs) -> Result<Outcome> {
    use tars_service::Context;

    use tars_serve::mcp::{MemoryServer, ServerOptions, serve};
    use tars_service::{Backend, Pool, Service};

    let usual = ServerOptions::of(&app.settings.config.mcp);
    let options = ServerOptions {
        read_only: offer.read_only,
        collections: offer.collections.clone(),
        budget: offer.budget.map_or(usual.budget, |budget| budget as usize),
        ..usual
    };
    let app = app.without_private_files();
    // Report a misspelt name at the start: clients show why a server does not start.
    if !options.collections.is_empty() {
        app.resolve_collections(&options.collections)?;
    }
    let app = std::sync::Arc::new(app);
    // One thread: the model is loaded once and stays loaded for the next question.
    let pool = Pool::start(1, move |jobs| jobs.serve(&Service::new(&app, Backend::Fallback)));
    serve(MemoryServer::new(pool.context("cannot start a thread")?, options)).context("cannot start the runtime")?;
    Ok(Outcome::Done)
}

#[cfg(not(feature = "serve"))]
fn serve(_: App, _: &McpServerArgs) -> Result<Outcome> {
    let message = "this build of tars cannot serve other programs".to_owned();
    Err(tars_service::Refusal { message, hint: "build it with the feature 'serve'".into() }.into())
}
