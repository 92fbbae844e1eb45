//! `tars serve`: the HTTP interface for programs and browsers.

use clap::Subcommand;

/// `tars serve`
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Serve {
    /// Address and port to listen on, instead of the configured ones (127.0.0.1:8746); port 0 takes any free one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Option<ServeCommand>,
}

/// The subcommands of `tars serve`.
#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    /// Create, list, rotate and revoke the tokens of programs.
    #[command(subcommand)]
    Token(Token),
}

/// `tars serve token`
#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// List tokens and signed-in browsers, without secrets.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Create a token and print it once.
    Add {
        /// The program or device it is for. `tars log` shows it beside its writes.
        name: String,
    },
    /// Replace the secret of a token and print it once.
    Rotate {
        /// Its name.
        name: String,
    },
    /// Revoke a token, or sign out a browser.
    Revoke {
        /// The token's name or id; `page` means all browsers.
        name: String,
    },
}
