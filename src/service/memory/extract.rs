//! Extracts facts from a session or a text into the daily log, where they wait for a review.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::{App, Context, Refusal, Result, Service, UseCase};
use tars_agent::digest::SessionDigest;
use tars_agent::transcript;
use tars_base::data_files;
use tars_base::domain::{ContentHash, MemoryType, Reading, hex};
use tars_base::private;
use tars_chat::tasks::{MAX_FACTS, SourceLine, Task};
use tars_memory::upkeep::{
    Conversation, FoundFact, MAX_TEXT_BYTES, facts_by_rules, facts_of_claims, text_lines, unknown_facts,
};
use tars_memory::{EXTRACTED, Fact};
use tars_text::redact::redact_turn;
use tars_vault::{Author, LineCredit, MemoryFolder};

/// Maximum number of bytes to read of a file with a model's earlier answer.
const LARGEST: u64 = 64 << 10;

/// Extracts facts from a session or a text. If the settings name a language model, it reads a text only once; otherwise rules
/// extract them from a person's own words. A program's line of JSON cannot make this request, because it names a file whose text
/// goes to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractRequest {
    /// The source of the facts.
    pub source: ExtractSource,
    /// Whether to ask the model even if it has read the text before.
    pub again: bool,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// The source of facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtractSource {
    /// A file of text, a transcript (`.jsonl`), or otherwise a session's log by its id or a prefix of it.
    Named(String),
    /// A text.
    Text(String),
}

/// The result of the extraction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExtractResponse {
    /// The extractor: `rules`, or the model.
    pub by: String,
    /// Whether the model had read the text before and was not asked again.
    pub read_before: bool,
    /// Number of lines that did not fit into the call and were not read.
    pub unread: usize,
    /// The facts that are new to the memory, [`MAX_FACTS`] at most.
    pub facts: Vec<String>,
    /// The written lines; none in a dry run.
    pub written: Vec<MemoryLine>,
}

/// A text, with the lines that facts may be based on.
struct ExtractInput {
    lines: Vec<SourceLine>,
    /// The facts that the rules find in it.
    by_rules: Vec<FoundFact>,
    /// Its session, if it is one; the facts go into that session's section in the daily log.
    session: Option<String>,
    /// The origin of the text that the agent had read, if an agent spoke in it.
    reading: Reading,
}

/// A model's facts about a text, as cached on disk.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
struct CachedFacts {
    facts: Vec<String>,
}

impl UseCase for ExtractRequest {
    type Response = ExtractResponse;

    fn run(&self, service: &Service<'_>) -> Result<ExtractResponse> {
        let app = service.app;
        let folder = app.memory_folder()?;
        let source = match &self.source {
            ExtractSource::Text(text) => of_text(text),
            ExtractSource::Named(name) => named(&folder, name)?,
        };
        let (found, mut response) = find(app, &source, self.again)?;
        let today = app.environment.clock.today();
        let found = unknown_facts(&folder, found, today, MAX_FACTS)?;
        response.facts = found.iter().map(|fact| fact.text.clone()).collect();
        if !self.dry_run && !found.is_empty() {
            response.written = write(app, &folder, &found, &source)?;
        }
        Ok(response)
    }
}

/// Asks the model, or the rules if the settings name no model.
fn find(app: &App, source: &ExtractInput, again: bool) -> Result<(Vec<FoundFact>, ExtractResponse)> {
    let mut response =
        ExtractResponse { by: "rules".into(), read_before: false, unread: 0, facts: Vec::new(), written: Vec::new() };
    let Some(by) = app.notes_author() else { return Ok((source.by_rules.clone(), response)) };
    response.by = by;
    let name = kept_name(&source.lines);
    let kept = if again { None } else { kept(&app.model_folder().join(&name))? };
    let as_found = |text: &String| FoundFact { at: None, text: text.clone(), by: None };
    if let Some(kept) = kept {
        response.read_before = true;
        return Ok((
            kept.facts.iter().filter_map(|text| tars_memory::fact_text(text)).map(|text| as_found(&text)).collect(),
            response,
        ));
    }
    if source.lines.is_empty() {
        return Ok((Vec::new(), response));
    }
    let Some(model) = app.task_model(Task::Extract)? else { return Ok((source.by_rules.clone(), response)) };
    let said = model.claims(&source.lines).inspect_err(|error| app.count_unusable(Task::Extract, error))?;
    response.unread = source.lines.len() - said.sent;
    let found = facts_of_claims(&said.claims, &source.lines);
    let kept = CachedFacts { facts: found.iter().map(|fact| fact.text.clone()).collect() };
    let model_folder = app.model_folder();
    data_files::write(&model_folder, &name, &serde_json::to_vec(&kept)?)
        .with_context(|| format!("cannot write {}", model_folder.join(&name).display()))?;
    Ok((found, response))
}

/// Writes facts below their session's notes, or into today's log if there are no notes.
fn write(app: &App, folder: &MemoryFolder, found: &[FoundFact], source: &ExtractInput) -> Result<Vec<MemoryLine>> {
    let session = source.session.as_deref();
    // The lines of a text are imported; those of an agent are as good as what it had read.
    let of_agent = Some(Author::Untrusted).filter(|_| source.reading == Reading::Foreign);
    let now = app.environment.clock.now();
    let zone = app.environment.clock.zone();
    let mut writer = app.writer(folder, "extract")?;
    let mut written = Vec::new();
    for fact in found {
        let by = fact.by.or(of_agent);
        let dated = FoundFact { by, ..fact.clone() }.dated(&zone, now.timestamp());
        writer.credit(by.map(|by| LineCredit { line: fact.text.clone(), by, model: None }));
        let noted = match session {
            Some(session) => tars_memory::note_facts(&mut writer, session, None, &[dated])?,
            None => Vec::new(),
        };
        let bullet = match noted.into_iter().next() {
            Some(bullet) => bullet,
            None => {
                let line = Fact::new(MemoryType::Daily, None, &format!("{EXTRACTED} {}", fact.text))?;
                tars_memory::remember(&mut writer, &line, &now.datetime(), None, false)?.bullet
            }
        };
        written.push(MemoryLine::written(folder, &bullet)?);
    }
    Ok(written)
}

fn of_text(text: &str) -> ExtractInput {
    // Nobody knows who wrote the text.
    let by_rules = facts_by_rules(text).into_iter().map(|fact| FoundFact { by: None, ..fact }).collect();
    ExtractInput { lines: text_lines(text), by_rules, session: None, reading: Reading::Local }
}

/// Reads a file, or otherwise the transcript of a session by its log's id.
fn named(folder: &MemoryFolder, name: &str) -> Result<ExtractInput> {
    let path = Path::new(name);
    if path.is_file() {
        return if path.extension().is_some_and(|extension| extension == "jsonl") {
            of_transcript(path, None)
        } else {
            of_text_file(path)
        };
    }
    let refusal = |message: String, hint: &str| Refusal { message, hint: hint.into() };
    let found = tars_memory::session(folder, name)?;
    let session = match found.as_slice() {
        [session] => session,
        [] => {
            return Err(
                refusal(format!("{name} is neither a file nor the id of a session log"), "tars sessions").into()
            );
        }
        several => {
            return Err(refusal(format!("{} session logs begin with {name}", several.len()), "tars sessions").into());
        }
    };
    let log = String::from_utf8_lossy(&folder.read(&session.file)?.unwrap_or_default()).into_owned();
    let field = |field: &str| tars_memory::log_field(&log, field);
    let transcript = field("transcript").map(PathBuf::from).filter(|path| path.is_file());
    let (Some(path), Some(id)) = (transcript, field("session")) else {
        let message = format!("the transcript of the session {} is not there", session.id);
        return Err(refusal(message, "tars extract FILE").into());
    };
    of_transcript(&path, Some(&id))
}

fn of_text_file(path: &Path) -> Result<ExtractInput> {
    let failed = || format!("cannot read {}", path.display());
    let mut bytes = Vec::new();
    let file = private::open_untrusted_path(path).with_context(failed)?;
    file.take(MAX_TEXT_BYTES as u64 + 1).read_to_end(&mut bytes).with_context(failed)?;
    if bytes.len() > MAX_TEXT_BYTES {
        let message = format!("{} is longer than {MAX_TEXT_BYTES} bytes", path.display());
        return Err(Refusal { message, hint: "give a part of it on standard input: tars extract -".into() }.into());
    }
    Ok(of_text(&tars_vault::text_of(&bytes)))
}

/// Reads a transcript. `expected` is the session whose turns the file must hold: a log names its transcript, and the vault with
/// the log may come from elsewhere.
fn of_transcript(path: &Path, expected: Option<&str>) -> Result<ExtractInput> {
    let mut conversation = Conversation::default();
    let mut digest = SessionDigest::default();
    let mut session = None;
    let mut is_other = false;
    transcript::turns(path, &mut |turn| {
        is_other |= expected.is_some_and(|expected| tars_memory::clean_id(&turn.session) != expected);
        if is_other {
            return ControlFlow::Break(());
        }
        session.get_or_insert_with(|| turn.session.clone());
        conversation.add(&turn);
        digest.add(&redact_turn(&turn));
        ControlFlow::Continue(())
    })?;
    if is_other {
        let message = format!("{} holds turns of another session", path.display());
        return Err(Refusal { message, hint: "tars extract FILE".into() }.into());
    }
    let (lines, by_rules) = (conversation.lines(), conversation.by_rules(digest.turns()));
    Ok(ExtractInput { lines, by_rules, session, reading: conversation.reading() })
}

/// Returns the name of the cache file for a model's answer about these lines.
fn kept_name(lines: &[SourceLine]) -> String {
    let parts = lines.iter().flat_map(|line| [line.of.as_bytes(), b"\t", line.text.as_bytes(), b"\n"]);
    let hash = ContentHash::of_parts(parts.collect::<Vec<_>>());
    format!("extract-{}.json", hex(&hash.as_bytes()[..16]))
}

fn kept(file: &Path) -> Result<Option<CachedFacts>> {
    data_files::read_json(file, LARGEST).with_context(|| format!("cannot read {}", file.display()))
}
