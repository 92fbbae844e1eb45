//! Arguments of the commands about this machine: the state of tars, its processes and its models.

use std::time::Duration;

use clap::{Args, Subcommand};

use super::completions::models;
use super::values::duration;

/// `tars status`
#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the status line of an agent's client; standard input may contain the client's JSON.
    #[arg(long, conflicts_with = "json")]
    pub(crate) line: bool,
    /// Also list the parts of notes that are not indexed.
    #[arg(long, conflicts_with_all = ["json", "line"])]
    pub(crate) verbose: bool,
}

/// `tars doctor`
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Set a damaged index aside and rebuild it, delete leftovers, and restrict permissions.
    #[arg(long)]
    pub(crate) repair: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars watch`
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Start in the background and return when it answers.
    #[arg(long, group = "what")]
    pub(crate) detach: bool,
    /// Show the state of the watcher.
    #[arg(long, group = "what")]
    pub(crate) status: bool,
    /// End the watcher.
    #[arg(long, group = "what")]
    pub(crate) stop: bool,
    /// End after this time without a question or a change (90s, 30m, 2h).
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) idle_exit: Option<Duration>,
    /// Run until this process ends (with several: until the last one ends). Repeatable; later starts can add more.
    #[arg(long, value_name = "PID")]
    pub(crate) with_client: Vec<u32>,
    /// Print the status as JSON.
    #[arg(long, requires = "status")]
    pub(crate) json: bool,
    /// Started by `--detach`.
    #[arg(long, hide = true, group = "what")]
    pub(crate) detached: bool,
}

/// `tars service`
#[derive(Debug, Subcommand)]
pub(crate) enum Service {
    /// Install and start it: a systemd user unit, or a launchd agent.
    Install {
        /// Serve HTTP as well, like `tars serve`.
        #[arg(long)]
        serve: bool,
    },
    /// Stop and remove it.
    Uninstall,
    /// Show whether it is installed and runs.
    Status,
}

/// `tars models`
#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// Show the installed models.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model from the hub.
    Pull {
        /// hf:OWNER/NAME, optionally @REVISION and #path/of/a.onnx or #model.safetensors.
        spec: String,
        /// Cut its vectors to this length. Only models trained for it (Matryoshka) stay nearly as good.
        #[arg(long, value_name = "N")]
        dimensions: Option<usize>,
    },
    /// Embed (or rerank) with this model from now on.
    Use {
        /// Id of an installed model.
        #[arg(add = models())]
        id: String,
    },
    /// Measure two installed models on your notes, and say which one to take.
    ///
    /// Both embed all notes in a temporary index and answer the same questions, made of names in the notes as by 'tars eval --self'.
    Compare {
        /// Id of an installed model.
        #[arg(add = models())]
        first: String,
        /// Id of another one.
        #[arg(add = models())]
        second: String,
        /// Maximum number of questions.
        #[arg(long, value_name = "N", default_value_t = 200)]
        sample: u16,
        /// Seed of the sample: another number asks other questions.
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u64,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Prepare a model so that tars can run it without ONNX Runtime, with a much faster start; the first use does it automatically.
    Prepare {
        /// Id of an installed model. Default: the one in use.
        id: Option<String>,
    },
    /// Compare the files of a model, and the runtime library, with their hashes.
    Verify {
        /// Id of an installed model. Default: all of them.
        id: Option<String>,
    },
}
