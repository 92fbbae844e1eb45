//! The typed settings, section by section. `defaults.toml` documents each key and its values.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Unexpected};

use super::chat_section::ChatSettings;
use super::choices::{Color, Kernel, Polling, Provider, Scope, SummaryProvider};
use super::collections::CollectionSettings;
use super::deserializers::{optional_choice, optional_text, seconds};
use super::size::parse_size;
use tars_base::domain::Mode;
use tars_rank::{Balance, Fusion};

/// All settings, checked, with absolute paths.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Profile of the machine, as configured.
    pub profile: String,
    /// The vault.
    pub vault: VaultSettings,
    /// Further folders to index, by name; never one named `vault`.
    pub collections: BTreeMap<String, CollectionSettings>,
    /// Location of the index.
    pub data: DataSettings,
    /// Location and source of models.
    pub models: ModelsSettings,
    /// The files to index.
    pub index: IndexSettings,
    /// Splitting of documents into chunks.
    pub chunk: ChunkSettings,
    /// Embedding of text.
    pub embedding: EmbeddingSettings,
    /// Search.
    pub search: SearchSettings,
    /// Constants of the adaptive fusion: the balance of words and meaning.
    pub fusion: Balance,
    /// Context for an agent.
    pub context: ContextSettings,
    /// Limits for agents that use the Model Context Protocol.
    pub mcp: McpSettings,
    /// The agent hooks.
    pub hooks: HooksSettings,
    /// Summaries of sessions.
    pub summary: SummarySettings,
    /// Budget of the language models.
    pub model: ModelSettings,
    /// Conversations: the model and its permissions.
    pub chat: ChatSettings,
    /// Automatic work on the memory.
    pub auto: AutoSettings,
    /// The watcher.
    pub watch: WatchSettings,
    /// The HTTP server.
    pub http: HttpSettings,
    /// Printed output.
    pub output: OutputSettings,
}

/// `[vault]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VaultSettings {
    /// Root of the vault; `None` until the user sets it. It need not exist.
    #[serde(deserialize_with = "optional_path")]
    pub path: Option<PathBuf>,
    /// Memory folder relative to the root: separated by `/`, without a leading or trailing `/`, never empty, never upwards.
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
    /// Address of the hub, without a trailing slash.
    pub hub: String,
    /// Variable that holds the hub's token; `None` sends no token.
    #[serde(deserialize_with = "optional_text")]
    pub hub_token_env: Option<String>,
}

/// `[index]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexSettings {
    /// Maximum size of an indexed file, in bytes.
    #[serde(deserialize_with = "bytes")]
    pub max_file_size: u64,
    /// Extensions of the files to index, lower case, without the dot; never empty.
    pub extensions: Vec<String>,
    /// Whether the text of PDFs is indexed.
    pub pdf: bool,
    /// Patterns to exclude, in gitignore syntax.
    pub exclude: Vec<String>,
    /// Links to folders that are followed: paths below the vault, or absolute ones.
    pub follow_links: Vec<String>,
    /// Whether `.gitignore` files apply.
    pub gitignore: bool,
    /// Whether Obsidian's excluded files and templates are left out.
    pub obsidian: bool,
    /// Whether conflict copies of sync programs are indexed.
    pub conflict_copies: bool,
    /// Whether the notes that clients' agents keep for themselves are indexed.
    pub client_memory: bool,
}

/// `[chunk]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkSettings {
    /// Target length of a chunk, in tokens.
    pub target_tokens: usize,
    /// Maximum length of a passage, in tokens.
    pub passage_tokens: usize,
    /// Share of a chunk that the next one repeats, in [0, 0.5].
    pub overlap: f64,
    /// Whether a passage is embedded with its title and headings.
    pub context_prefix: bool,
}

/// `[embedding]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// Backend that computes vectors.
    pub provider: Provider,
    /// Name of the model.
    pub model: String,
    /// Whether the previous model answers while the notes are embedded with a new one.
    pub keep_former: bool,
    /// Threads of `tars index`; `None` uses every core.
    #[serde(deserialize_with = "optional_count")]
    pub threads: Option<usize>,
    /// Backend that runs the model.
    pub kernel: Kernel,
    /// Instruction set of the kernel; `None` uses the fastest.
    #[serde(deserialize_with = "optional_choice")]
    pub instructions: Option<String>,
    /// Path of the ONNX Runtime library; `None` searches for it.
    #[serde(deserialize_with = "optional_path")]
    pub runtime: Option<PathBuf>,
    /// Address of the server, without a trailing slash; `None` until the user sets it.
    #[serde(deserialize_with = "optional_text")]
    pub base_url: Option<String>,
    /// Requested dimensions; `None` leaves them to the model.
    #[serde(deserialize_with = "optional_count")]
    pub dimensions: Option<usize>,
    /// Window of a server's model, in tokens.
    pub window: usize,
    /// Variable that holds the server's key; `None` sends no key.
    #[serde(deserialize_with = "optional_text")]
    pub api_key_env: Option<String>,
    /// Passages per request to the model.
    pub batch_size: usize,
    /// Timeout of a request to the server.
    #[serde(rename = "timeout_seconds", deserialize_with = "seconds")]
    pub timeout: Duration,
    /// Text before a query; `None` uses the model's description.
    #[serde(deserialize_with = "optional_text")]
    pub query_prefix: Option<String>,
    /// Text before a passage; `None` uses the model's description.
    #[serde(deserialize_with = "optional_text")]
    pub passage_prefix: Option<String>,
}

/// `[search]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSettings {
    /// Maximum number of hits.
    pub limit: usize,
    /// Active retrievers.
    #[serde(deserialize_with = "mode")]
    pub mode: Mode,
    /// Method that fuses the retrievers' lists.
    pub fusion: Fusion,
    /// Minimum score of a hit, in [0, 1].
    pub min_score: f64,
    /// Minimum score of a hit in unprompted context, in [0, 1].
    pub gate: f64,
    /// Weight of meaning against words, in [0, 1].
    pub vector_weight: f64,
    /// Share of its score that a hit lends to its neighbours, in [0, 1].
    pub neighbour_credit: f64,
    /// Weight of words in titles and headings.
    pub title_weight: f64,
    /// Weight of words in tags, properties and dates.
    pub meta_weight: f64,
    /// Weight of adjacent words.
    pub pair_credit: f64,
    /// Share of the best hit's score that its link targets receive, in [0, 1].
    pub link_credit: f64,
    /// Share of its score that a hit loses if it repeats a better one, in [0, 1].
    pub repeat_penalty: f64,
    /// Maximum share of its score that a hit loses for its age, in [0, 1].
    pub recency: f64,
    /// Maximum share by which the recorded use of a line moves its place, in [0, 1]; 0 learns nothing.
    pub use_credit: f64,
    /// Share by which notes of the current project are raised, in [0, 1].
    pub project_credit: f64,
    /// Number of candidates per retriever.
    pub candidates: usize,
    /// Share of the weight of a part's words from which a hit covers the part of a question, in [0, 1].
    pub part_cover: f64,
    /// Number of first hits that should cover all parts of a question; 0 looks for no part by itself.
    pub part_places: usize,
    /// Maximum number of hits that a part lets in.
    pub part_hits: usize,
    /// Minimum score of such a hit in the list of its part, in [0, 1].
    pub part_score: f64,
    /// Whether a cross-encoder reranks the best hits.
    pub rerank: bool,
    /// Id of the cross-encoder; `None` uses the installed one.
    #[serde(deserialize_with = "optional_text")]
    pub rerank_model: Option<String>,
    /// Number of hits to rerank.
    pub rerank_hits: usize,
    /// Whether a language model rewords questions.
    pub expand: bool,
    /// Timeout of the rewording.
    #[serde(rename = "expand_timeout_seconds", deserialize_with = "seconds")]
    pub expand_timeout: Duration,
}

/// `[context]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextSettings {
    /// Maximum tokens of a context block.
    pub budget_tokens: usize,
    /// Maximum share of its score that a note loses for its age, in [0, 1].
    pub recency: f64,
}

/// `[mcp]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpSettings {
    /// Maximum tokens of an answer.
    pub budget_tokens: usize,
    /// Maximum writes of all agents together per day.
    pub daily_writes: usize,
}

/// `[hooks]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HooksSettings {
    /// Maximum characters of the context at the start of a session.
    pub session_characters: usize,
    /// Maximum characters of the context for a prompt.
    pub prompt_characters: usize,
    /// Time after which a prompt continues without memory.
    #[serde(rename = "deadline_ms", deserialize_with = "milliseconds")]
    pub deadline: Duration,
    /// Whether each turn is noted.
    pub notes: bool,
    /// Projects whose session notes are part of unprompted context.
    pub scope: Scope,
}

/// `[summary]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SummarySettings {
    /// Backend that summarizes sessions.
    pub provider: SummaryProvider,
    /// The program and its arguments; empty until the user sets them.
    pub command: Vec<String>,
    /// Address of the server, without a trailing slash; `None` until the user sets it.
    #[serde(deserialize_with = "optional_text")]
    pub base_url: Option<String>,
    /// The server's name for the model; `None` until the user sets it.
    #[serde(deserialize_with = "optional_text")]
    pub model: Option<String>,
    /// Variable that holds the server's key; `None` sends no key.
    #[serde(deserialize_with = "optional_text")]
    pub api_key_env: Option<String>,
    /// Timeout of the program or the server.
    #[serde(rename = "timeout_seconds", deserialize_with = "seconds")]
    pub timeout: Duration,
}

/// `[model]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// Maximum tokens that language models may receive and return per day; 0 means no limit.
    pub daily_tokens: u64,
}

/// `[auto]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoSettings {
    /// Whether facts of a session are extracted into the log of its day.
    pub extract: bool,
}

/// `[watch]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WatchSettings {
    /// Debounce time of a change.
    #[serde(rename = "debounce_ms", deserialize_with = "milliseconds")]
    pub debounce: Duration,
    /// Interval of the full comparisons with the disk.
    #[serde(rename = "reconcile_seconds", deserialize_with = "seconds")]
    pub reconcile: Duration,
    /// Time after which an unused model is unloaded.
    #[serde(rename = "unload_seconds", deserialize_with = "seconds")]
    pub unload: Duration,
    /// Maximum threads of `tars watch`; `None` uses every idle core.
    #[serde(deserialize_with = "optional_count")]
    pub threads: Option<usize>,
    /// Method of detecting changes.
    pub polling: Polling,
    /// Polling interval.
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
    /// Address that the server listens on.
    pub listen: SocketAddr,
    /// Further host names of the server, with or without a port.
    pub hosts: Vec<String>,
    /// Origins of pages that may send requests.
    pub origins: Vec<String>,
    /// Base address of links to the server, without a trailing slash; `None` uses the listening address.
    #[serde(deserialize_with = "optional_text")]
    pub url: Option<String>,
}

/// `[output]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputSettings {
    /// Use of colours.
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
