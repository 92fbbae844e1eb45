//! Settings in layers, weakest first: built-in defaults, a profile for the machine, the user's file, a project's file, `TARS_*` variables
//! and flags.
//!
//! [`load`] merges the layers into one checked [`Config`] and records the origin of each value. [`UserFile`] edits the user's file and
//! keeps its comments. `defaults.toml` lists every setting and is also the reference. `tuning.toml` holds the keys that tune the ranking,
//! for `tars eval --set` only.
//!
//! This module never prints. It reads the process environment only through [`Environment`]. It never holds a secret: the settings name
//! the variable that carries a service's key. A project's `.tars.toml` arrives with a checkout, so it can only narrow settings
//! (`project.rs`) and can never name a path, a program or an address.

mod chat_section;
mod choices;
mod collections;
mod cron;
mod deserializers;
mod edit;
mod environment;
mod error;
mod file;
mod key;
mod layers;
mod locked_user_file;
mod mcp_servers;
mod origin;
mod profile;
mod project;
mod rule;
pub mod schedule;
mod schedules;
mod sections;
mod settings;
mod size;
mod sources;
mod tables;
mod user_file;
mod user_file_collections;
mod user_file_edit;
mod user_file_schedules;
mod user_file_servers;

#[cfg(test)]
mod tests;

pub use chat_section::ChatSettings;
pub use choices::{
    ChatProvider, Color, Consolidate, Kernel, NotesAuthor, OLLAMA, Permission, Polling, Provider, Scope,
    SummaryProvider,
};
pub use collections::CollectionSettings;
pub use cron::CronTimes;
pub use environment::Environment;
pub use error::{ConfigError, EntryKind};
pub use key::{keys, variable_of};
pub use mcp_servers::{EnvValue, McpServerSettings, McpTransport};
pub use origin::Origin;
pub use schedules::{DEFAULT_TIMEOUT, Delivery, ScheduleSettings, ScheduleTimes};
pub use sections::{
    AutoSettings, ChunkSettings, Config, ContextSettings, DataSettings, EmbeddingSettings, HttpSettings, IndexSettings,
    McpSettings, ModelSettings, ModelsSettings, OutputSettings, SearchSettings, SummarySettings, VaultSettings,
    WatchSettings,
};
pub use settings::{Setting, Settings};
pub use sources::{data_dir_without_files, load};
pub use user_file::UserFile;
pub use user_file_edit::EditedText;

/// Key of the schedule tables in the user's file.
const SCHEDULE: &str = "schedule";

/// Key of the tool server tables in the user's file.
const MCP_SERVERS: &str = "mcp.servers";

/// The built-in defaults: every setting, with comments.
pub const DEFAULTS: &str = include_str!("defaults.toml");

/// The keys that tune the ranking, with their defaults and comments. Only `tars eval --set` accepts them.
pub const TUNING: &str = include_str!("tuning.toml");
