//! Tools on the memory and the notes.

use super::{Arguments, BuiltIn, RESULT, ToolContext, ToolEffect, one_line};
use tars_base::domain::MemoryType;
use tars_memory::{MEMORY, PROCEDURAL};
use tars_service::memory::{DailyRequest, DailyResponse, DayFiles, MemoryLine, RememberRequest, RememberStatus};
use tars_service::{GetRequest, NotesRequest, Result, SearchRequest, agent_text, budget_hits, mark_untrusted};

/// Maximum number of hits.
const MAX_HITS: usize = 60;

pub(super) const TOOLS: &[BuiltIn] = &[
    BuiltIn {
        name: "memory_search",
        description: "Finds passages of the user's notes and of what was remembered, by words and by meaning. Use it before \
            you say that you do not know something about the user, their projects or what was decided.",
        arguments: &[
            ("query", "string", "A question or words, in the language of the notes if you know it"),
            ("limit", "integer", "Passages at most (30)"),
            ("since", "string", "Only from this day on: a date, 'yesterday', 'last week'"),
            ("until", "string", "Only up to this day"),
            ("path", "string", "Only notes whose path matches this glob"),
        ],
        run: search,
        ..BuiltIn::READ_ONLY
    },
    BuiltIn {
        name: "memory_get",
        description: "Reads the section of a passage that memory_search found, by its path and lines, or the log of a day.",
        arguments: &[
            ("path", "string", "Path of the note, or a date or 'yesterday' for the log of that day"),
            ("first_line", "integer", "The first line to read"),
            ("last_line", "integer", "The last line to read"),
        ],
        run: get,
        ..BuiltIn::READ_ONLY
    },
    BuiltIn {
        name: "memory_remember",
        description: "Remembers one durable fact about the user or one rule of how they want things done, as one sentence that \
            stands for itself. Not for what only matters today (memory_daily).",
        arguments: &[
            ("text", "string", "The sentence"),
            ("type", "string", "fact (usual) or rule"),
            ("to", "string", "A topic's file instead of Memory.md: context/work, timelines/current-goals"),
            ("section", "string", "The heading that it goes under"),
            ("replace", "string", "The id or the words of the line that is no longer true"),
        ],
        effect: |given| match given.text("to") {
            Ok(Some(_)) => ToolEffect::Layers,
            _ => ToolEffect::Core,
        },
        run: remember,
        propose: Some(propose),
        ..BuiltIn::READ_ONLY
    },
    BuiltIn {
        name: "memory_daily",
        description: "Puts a line into the log of today: what was done, decided, or is to be done.",
        arguments: &[("text", "string", "The line")],
        effect: |_| ToolEffect::Layers,
        run: daily,
        ..BuiltIn::READ_ONLY
    },
    BuiltIn {
        name: "note_read",
        description: "Reads a note of the user, or a section of it.",
        arguments: &[
            ("name", "string", "Path of the note, or its name"),
            ("section", "string", "A heading: only what stands under it"),
        ],
        run: read,
        ..BuiltIn::READ_ONLY
    },
    BuiltIn {
        name: "note_list",
        description: "Lists notes whose path holds these words.",
        arguments: &[("name", "string", "Words of the path; none for all"), ("limit", "integer", "Names at most (20)")],
        required: 0,
        run: list,
        ..BuiltIn::READ_ONLY
    },
];

fn search(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    let query = given.required("query")?;
    let mut answer = context.service.call(&SearchRequest {
        limit: Some(given.number("limit", MAX_HITS)?.unwrap_or_else(|| budget_hits(&query))),
        query,
        paths: given.text("path")?.into_iter().collect(),
        collections: context.allowed()?,
        since: given.text("since")?,
        until: given.text("until")?,
        requests: true,
        ..SearchRequest::default()
    })?;
    mark_untrusted(context.service.app(), &mut answer.results);
    Ok(agent_text::search_results(&answer, RESULT))
}

fn get(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    let path = given.required("path")?;
    let lines = match (given.number("first_line", usize::MAX)?, given.number("last_line", usize::MAX)?) {
        (None, None) => None,
        (first, last) => Some((first.unwrap_or(1), last.unwrap_or_else(|| first.unwrap_or(1).saturating_add(80)))),
    };
    let is_path = path.contains(['/', '.', '[']);
    if lines.is_none() && !is_path && context.check_memory().is_ok() {
        let day = DailyRequest { day: Some(path.clone()), ..DailyRequest::default() };
        if let Ok(DailyResponse::Day(DayFiles { log: file, .. })) = context.service.call(&day) {
            return Ok(agent_text::log(&file.path, &file.content.unwrap_or_default(), RESULT));
        }
    }
    note(context, GetRequest { names: vec![path], lines, ..GetRequest::default() })
}

fn read(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    let (name, section) = (given.required("name")?, given.text("section")?);
    note(context, GetRequest { names: vec![name], section, ..GetRequest::default() })
}

fn note(context: &ToolContext<'_, '_>, request: GetRequest) -> Result<String> {
    let collections = context.allowed()?;
    let answer = context.service.call(&GetRequest { budget: Some(RESULT), collections, ..request })?;
    Ok(agent_text::notes(&answer.notes, &[], RESULT))
}

/// The answer to a model that had read text of strangers.
const PROPOSED: &str =
    "It is proposed to the user and not remembered yet, because results of other tools were read in this conversation.";

fn remember(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    let memory_type = kind(given)?;
    let done = context.service.call(&RememberRequest {
        text: given.required("text")?,
        memory_type,
        to: given.text("to")?,
        section: given.text("section")?,
        replace: given.text("replace")?,
        ..RememberRequest::default()
    })?;
    // A line that the rules find near needs only its place; the model judges the nearest lines. Private files hold neither.
    let line = done.line.as_ref().or_else(|| done.near.first().map(|near| &near.line));
    let (path, id) = line.map_or(("memory", ""), |line| (line.path.as_str(), line.id.as_str()));
    let said = match done.status {
        RememberStatus::Added => format!("Remembered in {path}."),
        RememberStatus::Replaced => format!("Replaced the old line in {path}."),
        RememberStatus::Known => format!("It was there already: {path}."),
        RememberStatus::Proposed => PROPOSED.to_owned(),
        RememberStatus::Close => format!(
            "Nothing was written, since nearly the same stands in {path}. Call it again with replace: \"{id}\" if that line is \
             no longer true."
        ),
    };
    if done.nearest.is_empty() {
        return Ok(said);
    }
    let nearest: Vec<MemoryLine> = done.nearest.into_iter().map(|nearest| nearest.line).collect();
    let lines = agent_text::lines(&nearest, RESULT);
    Ok(format!(
        "{said} The nearest lines of the memory; if one is no longer true, call again with replace and its id:\n{lines}"
    ))
}

/// Saves a fact or a rule as a proposal, for the person to decide later.
fn propose(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    if let Some(line) = given.text("replace")? {
        let line = one_line(&line, 80);
        tars_service::bail!("nobody can be asked now: '{line}' was not replaced. Tell the user what is true now");
    }
    let (usual, section) = match kind(given)? {
        MemoryType::Procedural => (PROCEDURAL, "Rules"),
        _ => (MEMORY, "Facts"),
    };
    let path = given.text("to")?.unwrap_or_else(|| usual.to_owned());
    super::propose_line(context, path, given, section)
}

/// Returns the kind of memory: a fact or a rule.
fn kind(given: &Arguments) -> Result<MemoryType> {
    match given.text("type")?.map(|word| word.parse()) {
        None => Ok(MemoryType::Semantic),
        Some(Ok(kind @ (MemoryType::Semantic | MemoryType::Procedural))) => Ok(kind),
        Some(_) => tars_service::bail!("'type' is fact or rule; memory_daily writes into the log of the day"),
    }
}

fn daily(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    let request = DailyRequest { append: Some(given.required("text")?), ..DailyRequest::default() };
    Ok(match context.service.call(&request)? {
        DailyResponse::Added { line, .. } => format!("It stands in {}.", line.path),
        DailyResponse::Day(day) => format!("Nothing was added to {}.", day.log.path),
    })
}

fn list(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    let found = context.service.call(&NotesRequest {
        name: given.text("name")?.unwrap_or_default(),
        limit: Some(given.number("limit", 200)?.unwrap_or(20)),
        collections: context.allowed()?,
    })?;
    let mut lines: Vec<String> = found.notes.iter().map(|note| one_line(&note.path, 200)).collect();
    if lines.is_empty() {
        lines.push("No note has such a path.".into());
    }
    if found.more > 0 {
        lines.push(format!("and {} more", found.more));
    }
    Ok(lines.join("\n"))
}
