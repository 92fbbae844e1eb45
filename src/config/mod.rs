//! Settings: built-in defaults, a profile for the machine, the user's file, a project's file, `TARS_*` variables and flags,
//! weakest first.
//!
//! [`load`] merges the layers into one checked [`Config`] and remembers where each value came from; [`UserFile`] edits
//! the user's file and keeps its comments. Every setting stands in `defaults.toml`, which is also the reference; the keys
//! that tune the ranking stand in `tuning.toml`, for `tars eval --set` alone.
//!
//! This module never prints, never reads the process's environment but through [`Environment`], and never holds a
//! secret: keys of services are named by the variable that carries them. A project's `.tars.toml` comes with whatever
//! was checked out, so it can ask for less (`project.rs`) and can never name a path, a program or an address.

mod chat_section;
mod choices;
mod cron;
mod edit;
mod environment;
mod error;
mod file;
mod key;
mod layers;
mod mcp_servers;
mod origin;
mod profile;
mod project;
mod rule;
mod schedules;
mod sections;
mod settings;
mod shapes;
mod size;
mod sources;
mod tables;
mod user_file;
mod user_file_place;
mod user_file_schedules;

#[cfg(test)]
mod tests;

pub use chat_section::ChatSettings;
pub use choices::{ChatProvider, Color, Consolidate, Kernel, Permission, Polling, Provider, Scope, SummaryProvider};
pub use cron::CronTimes;
pub use environment::Environment;
pub use error::ConfigError;
pub use key::{keys, variable_of};
pub use mcp_servers::{EnvValue, McpPlace, McpServerSettings};
pub use origin::Origin;
pub use schedules::{DEFAULT_TIMEOUT, Delivery, ScheduleSettings, When};
pub use sections::{
    AutoSettings, ChunkSettings, Config, ContextSettings, DataSettings, EmbeddingSettings, HttpSettings, IndexSettings,
    McpSettings, ModelSettings, ModelsSettings, OutputSettings, SearchSettings, SummarySettings, VaultSettings,
    WatchSettings,
};
pub use settings::{Setting, Settings};
pub use sources::{data_dir_without_files, load};
pub use user_file::UserFile;

/// The key under which the tables of schedules stand in the user's file.
const SCHEDULE: &str = "schedule";

/// The key under which the tables of servers of tools stand in the user's file.
const MCP_SERVERS: &str = "mcp.servers";

/// The text of the built-in defaults: every setting, commented.
pub const DEFAULTS: &str = include_str!("defaults.toml");

/// The text of the keys that tune the ranking, with their defaults, commented. Only `tars eval --set` takes them.
pub const TUNING: &str = include_str!("tuning.toml");
