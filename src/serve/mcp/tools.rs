//! The tools: their list, and the execution of their calls.
//!
//! An answer is one text, without `structuredContent` and without an output schema. Clients give a model either the text or the
//! structure: of both, some pass the structure alone, as JSON without the block that marks notes as data, and some pass both, so that
//! everything costs twice. Every client passes the text of an answer that has no structure.

use std::sync::LazyLock;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use serde_json::Value;

use super::ServerOptions;
use super::calls::Call;
use super::failure::Failure;
use tars_base::domain::{ApproximateTokens, CountTokens, sanitize_line};
use tars_memory::{MIN_ID_LENGTH, Relation};
use tars_service::memory::{
    DailyRequest, DailyResponse, DayFiles, ForgetRequest, MemoryLine, NearLine, RememberRequest, RememberResponse,
    RememberStatus, Remove,
};
use tars_service::{ContextRequest, GetRequest, SearchRequest, Service, StatusRequest, agent_text, mark_untrusted};
use tars_text::redact::redact;

/// Most notes read by one call.
const MAX_NOTES: usize = 20;
/// Most lines removed by one call, so that it stays within what a person could have named.
const MAX_REMOVED: usize = 20;
/// Most lines listed.
const MAX_LISTED: usize = 20;

/// All tools with their schemas, as clients receive them.
static TOOLS: LazyLock<Vec<Tool>> =
    LazyLock::new(|| serde_json::from_str(include_str!("tools.json")).expect("the list of tools is a list of tools"));

type ToolResult = Result<String, Failure>;

/// Returns the tools that `options` allow.
pub(super) fn list(options: &ServerOptions) -> Vec<Tool> {
    let is_offered = |tool: &&Tool| match tool.name.as_ref() {
        "memory_context" | "memory_daily" => options.exposes_memory(),
        "memory_remember" | "memory_forget" => options.exposes_memory() && !options.read_only,
        _ => true,
    };
    TOOLS
        .iter()
        .filter(is_offered)
        .map(|tool| if options.read_only { without_writes(tool) } else { tool.clone() })
        .collect()
}

/// Returns a tool in its read-only form.
fn without_writes(tool: &Tool) -> Tool {
    let mut tool = tool.clone();
    if tool.name == "memory_daily" {
        let mut schema = JsonObject::clone(&tool.input_schema);
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.shift_remove("append");
        }
        tool.input_schema = schema.into();
        tool.description = Some("Reads the log of a day.".into());
        tool.annotations = TOOLS.iter().find(|one| one.name == "memory_status").and_then(|one| one.annotations.clone());
    }
    tool
}

/// Returns the tool of that name, if it is exposed.
pub(super) fn named(options: &ServerOptions, name: &str) -> Option<Tool> {
    list(options).into_iter().find(|tool| tool.name == name)
}

/// Executes a call of an exposed tool.
pub(super) fn call(
    service: &Service<'_>,
    options: &ServerOptions,
    tool: &Tool,
    arguments: Option<JsonObject>,
) -> CallToolResult {
    let answered = Call::read(tool, arguments, options).and_then(|call| match call {
        Call::Search(request, budget) => search(service, &request, budget),
        Call::Get(request) => get(service, options, &request),
        Call::Context(request) => context(service, &request),
        Call::Remember(request) => remember(service, options, &request),
        Call::Daily(request) => daily(service, options, &request),
        Call::Find(query) => find(service, options, query),
        Call::Remove(ids) => remove(service, &ids),
        Call::Status => status(service, options),
    });
    match answered {
        // Files of the memory may contain secrets that a person typed.
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(redact(&text).text)]),
        Err(failure) => CallToolResult::error(vec![ContentBlock::text(failure.text)]),
    }
}

fn search(service: &Service<'_>, request: &SearchRequest, budget: usize) -> ToolResult {
    let mut answer = service.call(request)?;
    mark_untrusted(service.app(), &mut answer.results);
    Ok(agent_text::search_results(&answer, budget))
}

/// Reads the notes one by one, so that a missing one does not block the others.
fn get(service: &Service<'_>, options: &ServerOptions, request: &GetRequest) -> ToolResult {
    let (mut notes, mut missing) = (Vec::new(), Vec::new());
    let (mut left, mut failure) = (options.budget, None);
    for name in request.names.iter().take(MAX_NOTES) {
        let one = GetRequest { names: vec![name.clone()], budget: Some(left), ..request.clone() };
        match service.call(&one) {
            Ok(found) => {
                left = found
                    .notes
                    .iter()
                    .fold(left, |left, note| left.saturating_sub(ApproximateTokens.count(&note.text.content)));
                notes.extend(found.notes);
            }
            Err(error) => {
                let error = Failure::from(error);
                missing.push(error.text.clone());
                failure.get_or_insert(error);
            }
        }
    }
    if request.names.len() > MAX_NOTES {
        missing.push(format!("only the first {MAX_NOTES} names were read"));
    }
    if let Some(failure) = failure.filter(|_| notes.is_empty()) {
        return Err(failure);
    }
    Ok(agent_text::notes(&notes, &missing, options.budget))
}

fn context(service: &Service<'_>, request: &ContextRequest) -> ToolResult {
    let found = service.call(request)?;
    let mut said: Vec<String> = found.block.into_iter().collect();
    if said.is_empty() {
        said.push(
            if request.query.is_some() { "Nothing relevant was found." } else { "Nothing is remembered yet." }.into(),
        );
    }
    said.extend(found.degraded.iter().map(|reason| format!("The answer is less than it could be: {reason}.")));
    Ok(said.join("\n"))
}

fn remember(service: &Service<'_>, options: &ServerOptions, request: &RememberRequest) -> ToolResult {
    service.check_agent_writes(1)?;
    let remembered = service.call(request)?;
    let RememberResponse { status, line, removed, near, nearest, warnings, .. } = &remembered;
    let mut said = vec![match (status, line) {
        (RememberStatus::Added, Some(line)) => format!("Remembered in {}.", place(line)),
        (RememberStatus::Replaced, Some(line)) => format!("Replaced; it stands in {} now.", place(line)),
        (RememberStatus::Known, Some(line)) => format!("It was there already, in {}.", place(line)),
        (RememberStatus::Proposed, _) => "Not remembered yet: it is proposed to the user, because this session has read from the network \
             or used a tool that tars does not know. The user decides with tars review --proposals."
            .to_owned(),
        _ => "Not written: nearly the same is there. Pass replace with its id if it is no longer true, or force if both are."
            .to_owned(),
    }];
    if !removed.is_empty() {
        said.push(format!("Taken out before it was written: {}.", removed.join(", ")));
    }
    said.extend(warnings.iter().map(|warning| sanitize_line(warning)));
    if !near.is_empty() {
        let lines: Vec<MemoryLine> = near.iter().take(MAX_LISTED).map(|near| near.line.clone()).collect();
        let conflicts = near.iter().any(|near: &NearLine| near.relation == Relation::Conflict);
        let near = match (conflicts, status) {
            (true, _) => "It may contradict:",
            (false, RememberStatus::Added) => {
                "Nearly the same; if it is no longer true, pass replace with its id, if both say the same, forget one:"
            }
            (false, _) => "Near it:",
        };
        said.push(near.to_owned());
        said.push(agent_text::lines(&lines, options.budget));
    }
    let others = nearest.iter().map(|nearest| &nearest.line);
    let others: Vec<MemoryLine> =
        others.filter(|line| !near.iter().any(|near| near.line.id == line.id)).cloned().collect();
    if !others.is_empty() {
        said.push("Nearest in meaning; if one is no longer true, pass replace with its id:".to_owned());
        said.push(agent_text::lines(&others, options.budget));
    }
    Ok(said.join("\n"))
}

fn daily(service: &Service<'_>, options: &ServerOptions, request: &DailyRequest) -> ToolResult {
    if request.append.is_some() {
        service.check_agent_writes(1)?;
    }
    Ok(match service.call(request)? {
        DailyResponse::Day(DayFiles { log: file, .. }) => match file.content {
            Some(content) => agent_text::log(&file.path, &content, options.budget),
            None => "There is no log of that day.".to_owned(),
        },
        DailyResponse::Added { line, removed } if removed.is_empty() => format!("Written to {}.", place(&line)),
        DailyResponse::Added { line, removed } => {
            format!("Written to {}. Taken out before: {}.", place(&line), removed.join(", "))
        }
    })
}

fn find(service: &Service<'_>, options: &ServerOptions, query: String) -> ToolResult {
    let found = service.call(&ForgetRequest { query, remove: Remove::None })?.found;
    let shown = &found[..found.len().min(MAX_LISTED)];
    let mut said = match found.len() {
        0 => return Ok("No remembered line matches.".to_owned()),
        1 => "One line matches. Nothing was removed: call again with its id to remove it.".to_owned(),
        more => format!("{more} lines match. Nothing was removed: call again with the ids of those to remove."),
    };
    if shown.len() < found.len() {
        said.push_str(&format!(" The first {} are:", shown.len()));
    }
    Ok(format!("{said}\n{}", agent_text::lines(shown, options.budget)))
}

fn remove(service: &Service<'_>, ids: &[String]) -> ToolResult {
    if ids.len() > MAX_REMOVED {
        return Err(Failure::invalid(format!("{} ids are too many: at most {MAX_REMOVED} at once", ids.len())));
    }
    if let Some(id) = ids.iter().find(|id| id.len() < MIN_ID_LENGTH || !id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    {
        return Err(Failure::invalid(format!("'{}' is no id: call with a query first", sanitize_line(id))));
    }
    service.check_agent_writes(ids.len())?;
    let (mut said, mut commands) = (Vec::new(), 0);
    for id in ids {
        let request = ForgetRequest { query: id.clone(), remove: Remove::One };
        // Words that happen to look like an id would match other lines.
        let found = service.call(&ForgetRequest { remove: Remove::None, ..request.clone() })?.found;
        if found.is_empty() || !found.iter().all(|line| line.id.starts_with(&id.to_ascii_lowercase())) {
            said.push(format!("{id}: no line has this id"));
            continue;
        }
        match service.call(&request) {
            Ok(done) => {
                commands += usize::from(!done.removed.is_empty());
                said.extend(
                    done.removed.iter().map(|line| format!("{id}: removed from {}", sanitize_line(&line.path))),
                );
            }
            Err(error) => said.push(format!("{id}: {}", Failure::from(error).text)),
        }
    }
    match commands {
        0 => {}
        1 => said.push("The user can bring it back: tars undo.".to_owned()),
        // Each removal is a separate write, so that the person can undo one of them.
        more => said.push(format!("The user can bring them back: tars undo {more}.")),
    }
    Ok(said.join("\n"))
}

fn status(service: &Service<'_>, options: &ServerOptions) -> ToolResult {
    Ok(agent_text::status(&service.call(&StatusRequest {})?, &options.collections))
}

fn place(line: &MemoryLine) -> String {
    let heading =
        if line.heading.is_empty() { String::new() } else { format!(", under {}", sanitize_line(&line.heading)) };
    match line.line {
        // It was written to a private place.
        0 => sanitize_line(&line.path),
        number => format!("{}:{number}{heading} (id {})", sanitize_line(&line.path), line.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(read_only: bool, collections: &[&str]) -> ServerOptions {
        let collections = collections.iter().map(|name| (*name).to_owned()).collect();
        ServerOptions { read_only, collections, budget: 2000, daily_writes: 50 }
    }

    fn names(options: &ServerOptions) -> Vec<String> {
        list(options).into_iter().map(|tool| tool.name.trim_start_matches("memory_").to_owned()).collect()
    }

    #[test]
    fn the_list_of_tools_stays_within_its_token_budget() {
        let tools = list(&options(false, &[]));
        assert!(tools.len() <= 7);
        let list = serde_json::to_string(&tools).unwrap();
        assert!(ApproximateTokens.count(&list) < 1_500, "{}", ApproximateTokens.count(&list));
    }

    /// A client that gets a structure beside the text passes the structure alone to its model, or both.
    #[test]
    fn no_tool_promises_a_structure() {
        assert!(list(&options(false, &[])).iter().all(|tool| tool.output_schema.is_none()));
    }

    #[test]
    fn read_only_and_collection_options_hide_tools() {
        assert_eq!(names(&options(true, &[])), ["search", "get", "context", "daily", "status"]);
        assert_eq!(names(&options(false, &["recipes"])), ["search", "get", "status"]);
        assert_eq!(names(&options(false, &["recipes", "vault"])).len(), 7);
        for tool in list(&options(true, &[])) {
            assert_eq!(tool.annotations.as_ref().and_then(|hints| hints.read_only_hint), Some(true), "{}", tool.name);
            assert!(!serde_json::to_string(&tool.input_schema).unwrap().contains("append"), "{}", tool.name);
        }
    }
}
