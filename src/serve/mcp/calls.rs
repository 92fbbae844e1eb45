//! Converts the arguments of a call into a request of the service.

use rmcp::model::{JsonObject, Tool};
use serde_json::Value;

use super::ServerOptions;
use super::arguments::Arguments;
use super::failure::Failure;
use tars_base::domain::{MemoryType, Mode};
use tars_service::memory::{DailyRequest, RememberRequest};
use tars_service::{ContextRequest, GetRequest, Length, SearchRequest, budget_hits};

/// Most hits per call, whatever the call requests.
const MAX_HITS: usize = 60;
/// Tokens of the results of a search, unless the call requests another number.
const SEARCH_BUDGET: usize = 1500;
/// Fewest tokens that hold a result.
const MIN_BUDGET: usize = 200;
/// Most chunks on either side of a result.
const MAX_WINDOW: usize = 50;

/// A parsed call.
#[derive(Debug)]
pub(super) enum Call {
    /// Searches; the results take at most this number of tokens.
    Search(SearchRequest, usize),
    Get(GetRequest),
    Context(ContextRequest),
    Remember(RememberRequest),
    Daily(DailyRequest),
    /// Lists matching lines.
    Find(String),
    /// Removes lines by their ids.
    Remove(Vec<String>),
    Status,
}

impl Call {
    /// Parses the arguments of a call of `tool`.
    ///
    /// # Errors
    /// An argument is missing, malformed, or unknown to the tool.
    pub(super) fn read(tool: &Tool, arguments: Option<JsonObject>, options: &ServerOptions) -> Result<Self, Failure> {
        let mut given = Arguments::new(arguments);
        let call = match tool.name.as_ref() {
            "memory_search" => search(&mut given, options),
            "memory_get" => get(&mut given, options),
            "memory_context" => context(&mut given, options),
            "memory_remember" => remember(&mut given),
            "memory_daily" => daily(&mut given, options),
            "memory_forget" => forget(&mut given),
            _ => Ok(Self::Status),
        }?;
        let properties = tool.input_schema.get("properties").and_then(Value::as_object);
        let known: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        given.finish(&known)?;
        Ok(call)
    }
}

fn search(given: &mut Arguments, options: &ServerOptions) -> Result<Call, Failure> {
    let query = given.required(&["query", "q"])?;
    let mode = given.text(&["mode"])?;
    let mode = mode.map(|mode| serde_json::from_value::<Mode>(Value::String(mode))).transpose();
    let budget = given.number("budget", options.budget)?.unwrap_or(SEARCH_BUDGET).max(MIN_BUDGET).min(options.budget);
    let limit = given.number("limit", MAX_HITS)?.unwrap_or_else(|| budget_hits(&query));
    let request = SearchRequest {
        query,
        mode: mode.map_err(|_| Failure::invalid("'mode' is hybrid, keyword or vector"))?,
        limit: Some(limit),
        paths: given.list(&["paths", "path"], Some(','))?,
        tags: given.list(&["tags", "tag"], Some(','))?,
        collections: collections(given, options)?,
        since: given.text(&["since"])?,
        until: given.text(&["until"])?,
        as_of: given.text(&["as_of"])?,
        requests: true,
        ..SearchRequest::default()
    };
    Ok(Call::Search(request, budget))
}

fn get(given: &mut Arguments, options: &ServerOptions) -> Result<Call, Failure> {
    let names = given.list(&["name", "names", "id", "ids", "path", "paths"], None)?;
    if names.is_empty() {
        return Err(missing("name"));
    }
    Ok(Call::Get(GetRequest {
        names,
        lines: given.lines("lines")?,
        section: given.text(&["section"])?,
        window: given.number("window", MAX_WINDOW)?.and_then(|window| u32::try_from(window).ok()),
        budget: Some(options.budget),
        collections: options.collections.clone(),
    }))
}

fn context(given: &mut Arguments, options: &ServerOptions) -> Result<Call, Failure> {
    Ok(Call::Context(ContextRequest {
        query: given.text(&["query", "q", "topic"])?,
        project: given.text(&["project"])?,
        length: Some(Length::Tokens(options.budget)),
        collections: options.collections.clone(),
        ..ContextRequest::default()
    }))
}

fn remember(given: &mut Arguments) -> Result<Call, Failure> {
    let text = given.required(&["text"])?;
    let memory_type = match given.text(&["type"])?.map(|word| word.parse()) {
        None => MemoryType::Semantic,
        Some(Ok(kind @ (MemoryType::Semantic | MemoryType::Procedural))) => kind,
        Some(_) => return Err(Failure::invalid("'type' is fact or rule; memory_daily writes into the log of the day")),
    };
    Ok(Call::Remember(RememberRequest {
        text,
        memory_type,
        to: given.text(&["to"])?,
        section: given.text(&["section"])?,
        replace: given.text(&["replace"])?,
        force: given.flag("force")?,
        ..RememberRequest::default()
    }))
}

fn daily(given: &mut Arguments, options: &ServerOptions) -> Result<Call, Failure> {
    let append = if options.read_only { None } else { given.text(&["append", "text"])? };
    let day = given.text(&["day", "date"])?;
    Ok(Call::Daily(DailyRequest { day, append, channel: None }))
}

fn forget(given: &mut Arguments) -> Result<Call, Failure> {
    let ids = given.list(&["ids", "id"], Some(','))?;
    match (given.text(&["query", "q"])?, ids.is_empty()) {
        (Some(query), true) => Ok(Call::Find(query)),
        (None, false) => Ok(Call::Remove(ids)),
        (None, true) => Err(missing("query")),
        (Some(_), false) => {
            Err(Failure::invalid("give words to find lines, or the ids of lines to remove them, not both"))
        }
    }
}

/// Returns the collections to search: the named ones, which must be among the exposed ones.
fn collections(given: &mut Arguments, options: &ServerOptions) -> Result<Vec<String>, Failure> {
    let named = given.list(&["collections", "collection"], Some(','))?;
    if options.collections.is_empty() || named.is_empty() {
        return Ok(if named.is_empty() { options.collections.clone() } else { named });
    }
    match named.iter().find(|name| !options.collections.contains(name)) {
        Some(_) => Err(Failure::invalid(format!("the collections are: {}", options.collections.join(", ")))),
        None => Ok(named),
    }
}

fn missing(name: &str) -> Failure {
    Failure::invalid(format!("'{name}' is missing"))
}
