//! The typed settings, section by section. What each key means and takes stands in `defaults.toml`.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Unexpected};

use super::chat_section::ChatSettings;
use super::choices::{Color, Kernel, Polling, Provider, Scope, SummaryProvider};
use super::shapes::{optional_choice, optional_text, seconds};
use super::size::parse_size;
use crate::domain::Mode;
use crate::rank::{Balance, Fusion};

/// All settings, checked, with absolute paths.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Which defaults suit the machine: the word as it was given.
    pub profile: String,
    /// The vault.
    pub vault: VaultSettings,
    /// Further folders to index, read only, by name; never one named `vault`.
    pub collections: BTreeMap<String, PathBuf>,
    /// Where the index lives.
    pub data: DataSettings,
    /// Where models live and come from.
    pub models: ModelsSettings,
    /// What is indexed.
    pub index: IndexSettings,
    /// How documents are cut.
    pub chunk: ChunkSettings,
    /// Who turns text into vectors.
    pub embedding: EmbeddingSettings,
    /// How questions are answered.
    pub search: SearchSettings,
    /// How the adaptive fusion weighs words against meaning.
    pub fusion: Balance,
    /// What is put before an agent.
    pub context: ContextSettings,
    /// What agents may ask for through the Model Context Protocol.
    pub mcp: McpSettings,
    /// What an agent's hooks do.
    pub hooks: HooksSettings,
    /// Who makes notes of sessions.
    pub summary: SummarySettings,
    /// What language models may cost.
    pub model: ModelSettings,
    /// Who answers in a conversation, and what it may do.
    pub chat: ChatSettings,
    /// What tars does for the memory by itself.
    pub auto: AutoSettings,
    /// How the watcher behaves.
    pub watch: WatchSettings,
    /// How other programs are answered.
    pub http: HttpSettings,
    /// How results are printed.
    pub output: OutputSettings,
}

/// `[vault]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VaultSettings {
    /// Root of the vault; `None` until the user names one. It need not exist.
    #[serde(deserialize_with = "optional_path")]
    pub path: Option<PathBuf>,
    /// Memory folder relative to the root: `/` between its parts, none at its ends, never empty, never upwards.
    pub memory_folder: String,
}

/// `[data]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSettings {
    /// Folder of the index.
    pub dir: PathBuf,
}

/// `[models]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelsSettings {
    /// Folder of the installed models.
    pub dir: PathBuf,
    /// Address of the hub, without a slash at its end.
    pub hub: String,
    /// Variable that holds the hub's token; `None` sends none.
    #[serde(deserialize_with = "optional_text")]
    pub hub_token_env: Option<String>,
}

/// `[index]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexSettings {
    /// Largest file that is indexed, in bytes.
    #[serde(deserialize_with = "bytes")]
    pub max_file_size: u64,
    /// Extensions of the files to index, lower case, without the dot; never empty.
    pub extensions: Vec<String>,
    /// Patterns to leave out, in gitignore syntax.
    pub exclude: Vec<String>,
    /// Whether `.gitignore` files count.
    pub gitignore: bool,
    /// Whether what Obsidian is told to exclude, and its templates, are left out.
    pub obsidian: bool,
    /// Whether copies that sync programs make of a conflict are indexed.
    pub conflict_copies: bool,
    /// Whether the memory that Claude Code keeps for itself is indexed.
    pub client_memory: bool,
}

/// `[chunk]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkSettings {
    /// Length that a chunk aims at, in tokens.
    pub target_tokens: usize,
    /// Greatest length of a passage, in tokens.
    pub passage_tokens: usize,
    /// Share of a chunk that the next one repeats, in [0, 0.5].
    pub overlap: f64,
    /// Whether title and headings are embedded with a passage.
    pub context_prefix: bool,
}

/// `[embedding]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// Who computes vectors.
    pub provider: Provider,
    /// Name of the model.
    pub model: String,
    /// Whether the former model answers while the notes are embedded with another.
    pub keep_former: bool,
    /// Threads of `tars index`; `None` takes every core.
    #[serde(deserialize_with = "optional_count")]
    pub threads: Option<usize>,
    /// Who runs the model.
    pub kernel: Kernel,
    /// Instructions that the kernel computes with; `None` takes the fastest.
    #[serde(deserialize_with = "optional_choice")]
    pub instructions: Option<String>,
    /// Path of the ONNX Runtime library; `None` looks for it.
    #[serde(deserialize_with = "optional_path")]
    pub runtime: Option<PathBuf>,
    /// Address of the server, without a slash at its end; `None` until the user names one.
    #[serde(deserialize_with = "optional_text")]
    pub base_url: Option<String>,
    /// Dimensions to ask the server for; `None` leaves them to the model.
    #[serde(deserialize_with = "optional_count")]
    pub dimensions: Option<usize>,
    /// Window of a server's model, in tokens.
    pub window: usize,
    /// Variable that holds the server's key; `None` sends none.
    #[serde(deserialize_with = "optional_text")]
    pub api_key_env: Option<String>,
    /// Passages sent to the model at once.
    pub batch_size: usize,
    /// How long to wait for the server.
    #[serde(rename = "timeout_seconds", deserialize_with = "seconds")]
    pub timeout: Duration,
    /// Text before a query; `None` is what the model's description says.
    #[serde(deserialize_with = "optional_text")]
    pub query_prefix: Option<String>,
    /// Text before a passage; `None` is what the model's description says.
    #[serde(deserialize_with = "optional_text")]
    pub passage_prefix: Option<String>,
}

/// `[search]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSettings {
    /// Hits at most.
    pub limit: usize,
    /// Which retrievers take part.
    #[serde(deserialize_with = "mode")]
    pub mode: Mode,
    /// How lists become one.
    pub fusion: Fusion,
    /// Least score of a hit, in [0, 1].
    pub min_score: f64,
    /// Least score of a hit that is put before an agent unasked, in [0, 1].
    pub gate: f64,
    /// Weight of meaning against words, in [0, 1].
    pub vector_weight: f64,
    /// Share of its score that a hit lends to its neighbours, in [0, 1].
    pub neighbour_credit: f64,
    /// Weight of words in titles and headings.
    pub title_weight: f64,
    /// Weight of words among tags, properties and dates.
    pub meta_weight: f64,
    /// Weight of words side by side.
    pub pair_credit: f64,
    /// Share of the best hit's score that goes along its links, in [0, 1].
    pub link_credit: f64,
    /// Share that a hit loses which says what a better one says, in [0, 1].
    pub repeat_penalty: f64,
    /// Share that age takes at most, in [0, 1].
    pub recency: f64,
    /// Share by which notes of the project are raised, in [0, 1].
    pub project_credit: f64,
    /// Candidates of each retriever.
    pub candidates: usize,
    /// Whether a cross-encoder orders the best hits anew.
    pub rerank: bool,
    /// Id of the cross-encoder; `None` is the one that is installed.
    #[serde(deserialize_with = "optional_text")]
    pub rerank_model: Option<String>,
    /// Hits that it looks at.
    pub rerank_hits: usize,
    /// Whether a language model rewords questions.
    pub expand: bool,
    /// How long to wait for it.
    #[serde(rename = "expand_timeout_seconds", deserialize_with = "seconds")]
    pub expand_timeout: Duration,
}

/// `[context]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextSettings {
    /// Tokens of a block at most.
    pub budget_tokens: usize,
    /// Share that age takes at most, in [0, 1].
    pub recency: f64,
}

/// `[mcp]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpSettings {
    /// Tokens of one answer at most.
    pub budget_tokens: usize,
    /// Writes of all agents together a day at most.
    pub daily_writes: usize,
}

/// `[hooks]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HooksSettings {
    /// Characters that an agent is given when a session begins.
    pub session_characters: usize,
    /// Characters that an agent is given with a prompt.
    pub prompt_characters: usize,
    /// Time after which a prompt goes on without memory.
    #[serde(rename = "deadline_ms", deserialize_with = "milliseconds")]
    pub deadline: Duration,
    /// Whether each turn leaves a note.
    pub notes: bool,
    /// Whose notes of sessions an agent is given unasked.
    pub scope: Scope,
}

/// `[summary]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SummarySettings {
    /// Who makes notes of sessions.
    pub provider: SummaryProvider,
    /// The program and its arguments; empty until the user names one.
    pub command: Vec<String>,
    /// Address of the server, without a slash at its end; `None` until the user names one.
    #[serde(deserialize_with = "optional_text")]
    pub base_url: Option<String>,
    /// The server's name for the model; `None` until the user names one.
    #[serde(deserialize_with = "optional_text")]
    pub model: Option<String>,
    /// Variable that holds the server's key; `None` sends none.
    #[serde(deserialize_with = "optional_text")]
    pub api_key_env: Option<String>,
    /// How long to wait for the program or the server.
    #[serde(rename = "timeout_seconds", deserialize_with = "seconds")]
    pub timeout: Duration,
}

/// `[model]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// Tokens that language models may be sent and send back on one day; 0 sets no bound.
    pub daily_tokens: u64,
}

/// `[auto]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct AutoSettings {
    /// Whether facts of a session are put into the log of its day.
    pub extract: bool,
}

/// `[watch]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WatchSettings {
    /// Quiet after a change before it is indexed.
    #[serde(rename = "debounce_ms", deserialize_with = "milliseconds")]
    pub debounce: Duration,
    /// Time between two comparisons of everything with the disk.
    #[serde(rename = "reconcile_seconds", deserialize_with = "seconds")]
    pub reconcile: Duration,
    /// Time after which an unused model is unloaded.
    #[serde(rename = "unload_seconds", deserialize_with = "seconds")]
    pub unload: Duration,
    /// Threads of `tars watch` at most; `None` takes every core that nobody else needs.
    #[serde(deserialize_with = "optional_count")]
    pub threads: Option<usize>,
    /// How changes are noticed.
    pub polling: Polling,
    /// Time between two looks where tars polls.
    #[serde(rename = "poll_seconds", deserialize_with = "seconds")]
    pub poll: Duration,
    /// Load per core above which embedding waits; 0 never waits.
    pub max_load: f64,
    /// Whether embedding waits on battery.
    pub pause_on_battery: bool,
}

/// `[http]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpSettings {
    /// Where the server listens.
    pub listen: SocketAddr,
    /// Further names that it goes by, with or without a port.
    pub hosts: Vec<String>,
    /// Origins of pages that may ask.
    pub origins: Vec<String>,
    /// Address that links to it begin with, without a slash at its end; `None` is the one that it listens on.
    #[serde(deserialize_with = "optional_text")]
    pub url: Option<String>,
}

/// `[output]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputSettings {
    /// When to use colours.
    pub color: Color,
}

fn optional_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    optional_text(deserializer).map(|text| text.map(PathBuf::from))
}

fn optional_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    usize::deserialize(deserializer).map(|count| (count > 0).then_some(count))
}

fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_millis)
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_size(&text).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &"a size such as 5 MiB"))
}

fn mode<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Mode, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}
