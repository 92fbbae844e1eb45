//! `tars serve` and `tars open`: the door of programs and of browsers over HTTP.

use clap::Subcommand;

/// `tars serve`
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct Serve {
    /// Address and port to listen on, instead of the configured ones (127.0.0.1:8746); port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(in crate::cli) listen: Option<String>,
    #[command(subcommand)]
    pub(in crate::cli) command: Option<ServeCommand>,
}

/// What can be done beside serving.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ServeCommand {
    /// Make, list, exchange and revoke the tokens by which programs may ask.
    #[command(subcommand)]
    Token(Token),
}

/// `tars serve token`
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Token {
    /// List tokens and the browsers that are signed in, never a secret.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make a token and print it, this once.
    Add {
        /// What it is for: a program or a device. It is shown in `tars log` beside what was written by it.
        name: String,
    },
    /// Give a token another secret and print it, this once.
    Rotate {
        /// Its name.
        name: String,
    },
    /// Refuse a token, or a browser, from now on.
    Revoke {
        /// Its name or id; `page` is all browsers.
        name: String,
    },
}

/// `tars open`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Open {
    /// Show the link as a QR code, for a phone.
    #[arg(long)]
    pub(in crate::cli) qr: bool,
}
