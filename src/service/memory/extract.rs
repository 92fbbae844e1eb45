//! Facts out of a session or a text, into the log of the day, where they wait for a review.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::app::App;
use crate::digest::SessionDigest;
use crate::disk::{self, Folder};
use crate::domain::{ContentHash, MemoryType, hex};
use crate::memory::{self, EXTRACTED, Fact};
use crate::private;
use crate::redact::redact_turn;
use crate::service::{Refusal, Service, UseCase};
use crate::tasks::{MOST_FACTS, SourceLine, Task};
use crate::transcript;
use crate::upkeep::{Conversation, FoundFact, LONGEST_TEXT, facts_by_rules, of_claims, text_lines, unknown};
use crate::vault::MemoryFolder;

/// The largest file of kept facts that is read, in bytes.
const LARGEST: u64 = 64 << 10;

/// Has facts drawn out of a session or a text. Where the settings name a language model, it is asked once for the same text; else the
/// rules find what a person's own words hold. A request of a program's line of JSON cannot ask for this: it names a file that would be
/// sent to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractRequest {
    /// What they are drawn out of.
    pub source: ExtractSource,
    /// Whether the model is asked about a text that it has read before.
    pub again: bool,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// What facts are drawn out of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtractSource {
    /// A file of text, a transcript (`.jsonl`), or else a session's log by its id or a start of it.
    Named(String),
    /// A text.
    Text(String),
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExtractResponse {
    /// Who found it: `rules`, or the model.
    pub by: String,
    /// Whether the model had read the text before and was not asked again.
    pub read_before: bool,
    /// Lines of the text that did not fit into the call and were not read.
    pub unread: usize,
    /// The facts that the memory did not hold yet, [`MOST_FACTS`] at most.
    pub facts: Vec<String>,
    /// The lines that were written; none in a dry run.
    pub written: Vec<MemoryLine>,
}

/// A text with what facts may rest on.
struct Material {
    lines: Vec<SourceLine>,
    /// What the rules find in it.
    by_rules: Vec<FoundFact>,
    /// The session that it is, whose section in the log of its day the facts belong in.
    session: Option<String>,
}

/// What a model said of a text, as it is kept.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
struct Kept {
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
        let found = unknown(&folder, found, today, MOST_FACTS)?;
        response.facts = found.iter().map(|fact| fact.text.clone()).collect();
        if !self.dry_run && !found.is_empty() {
            response.written = write(app, &folder, &found, source.session.as_deref())?;
        }
        Ok(response)
    }
}

/// Asks the model, or the rules where the settings name none.
fn find(app: &App, source: &Material, again: bool) -> Result<(Vec<FoundFact>, ExtractResponse)> {
    let mut response =
        ExtractResponse { by: "rules".into(), read_before: false, unread: 0, facts: Vec::new(), written: Vec::new() };
    let Some(by) = app.notes_by() else { return Ok((source.by_rules.clone(), response)) };
    response.by = by;
    let name = kept_name(&source.lines);
    let kept = if again { None } else { kept(&app.model_folder().join(&name))? };
    let as_found = |text: &String| FoundFact { at: None, text: text.clone() };
    if let Some(kept) = kept {
        response.read_before = true;
        return Ok((
            kept.facts.iter().filter_map(|text| memory::fact_text(text)).map(|text| as_found(&text)).collect(),
            response,
        ));
    }
    if source.lines.is_empty() {
        return Ok((Vec::new(), response));
    }
    let Some(model) = app.task_model(Task::Extract)? else { return Ok((source.by_rules.clone(), response)) };
    let said = model.claims(&source.lines).inspect_err(|error| app.count_unusable(Task::Extract, error))?;
    response.unread = source.lines.len() - said.sent;
    let found = of_claims(&said.claims, &source.lines);
    let kept = Kept { facts: found.iter().map(|fact| fact.text.clone()).collect() };
    let model_folder = app.model_folder();
    private::create_folder(&model_folder)?;
    disk::put(&Folder::open(&model_folder)?, &name, &serde_json::to_vec(&kept)?, 0o600)
        .with_context(|| format!("cannot write {}", model_folder.join(&name).display()))?;
    Ok((found, response))
}

/// Writes facts below their session's notes, or into today's log where there are none.
fn write(app: &App, folder: &MemoryFolder, found: &[FoundFact], session: Option<&str>) -> Result<Vec<MemoryLine>> {
    let now = app.environment.clock.now();
    let zone = app.environment.clock.zone();
    let mut writer = app.writer(folder, "extract")?;
    let mut written = Vec::new();
    for fact in found {
        let dated = fact.dated(&zone, now.timestamp());
        let noted = match session {
            Some(session) => memory::note_facts(&mut writer, session, &[dated])?,
            None => Vec::new(),
        };
        let bullet = match noted.into_iter().next() {
            Some(bullet) => bullet,
            None => {
                let line = Fact::new(MemoryType::Daily, None, &format!("{EXTRACTED} {}", fact.text))?;
                memory::remember(&mut writer, &line, &now.datetime(), None, false)?.bullet
            }
        };
        written.push(MemoryLine::new(folder, &bullet));
    }
    Ok(written)
}

fn of_text(text: &str) -> Material {
    Material { lines: text_lines(text), by_rules: facts_by_rules(text), session: None }
}

/// Reads what a word names: a file, else the log of a session, whose transcript is read.
fn named(folder: &MemoryFolder, name: &str) -> Result<Material> {
    let path = Path::new(name);
    if path.is_file() {
        return if path.extension().is_some_and(|extension| extension == "jsonl") {
            of_transcript(path, None)
        } else {
            of_text_file(path)
        };
    }
    let refusal = |message: String, hint: &str| Refusal { message, hint: hint.into() };
    let found = memory::session(folder, name)?;
    let session = match found.as_slice() {
        [session] => session,
        [] => {
            return Err(refusal(format!("{name} is no file, and no session log is called so"), "tars sessions").into());
        }
        several => {
            return Err(refusal(format!("{} session logs begin with {name}", several.len()), "tars sessions").into());
        }
    };
    let log = String::from_utf8_lossy(&folder.read(&session.file)?.unwrap_or_default()).into_owned();
    let field = |field: &str| memory::log_field(&log, field);
    let transcript = field("transcript").map(PathBuf::from).filter(|path| path.is_file());
    let (Some(path), Some(id)) = (transcript, field("session")) else {
        let message = format!("the transcript of the session {} is not there", session.id);
        return Err(refusal(message, "tars extract FILE").into());
    };
    of_transcript(&path, Some(&id))
}

fn of_text_file(path: &Path) -> Result<Material> {
    let failed = || format!("cannot read {}", path.display());
    let mut bytes = Vec::new();
    let file = private::open_named(path).with_context(failed)?;
    file.take(LONGEST_TEXT as u64 + 1).read_to_end(&mut bytes).with_context(failed)?;
    if bytes.len() > LONGEST_TEXT {
        let message = format!("{} is longer than {LONGEST_TEXT} bytes", path.display());
        return Err(Refusal { message, hint: "give a part of it on standard input: tars extract -".into() }.into());
    }
    Ok(of_text(&String::from_utf8_lossy(&bytes)))
}

/// Reads a transcript. A log of the vault names its transcript, and a vault may come from elsewhere: `expected` is the session whose
/// turns the file must hold.
fn of_transcript(path: &Path, expected: Option<&str>) -> Result<Material> {
    let mut conversation = Conversation::default();
    let mut digest = SessionDigest::default();
    let mut session = None;
    let mut is_other = false;
    transcript::turns(path, &mut |turn| {
        is_other |= expected.is_some_and(|expected| memory::clean_id(&turn.session) != expected);
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
    Ok(Material { lines: conversation.lines(), by_rules: conversation.by_rules(digest.turns()), session })
}

/// Returns the name of the file that keeps what a model said of these lines.
fn kept_name(lines: &[SourceLine]) -> String {
    let parts = lines.iter().flat_map(|line| [line.of.as_bytes(), b"\t", line.text.as_bytes(), b"\n"]);
    let hash = ContentHash::of_parts(parts.collect::<Vec<_>>());
    format!("extract-{}.json", hex(&hash.as_bytes()[..16]))
}

fn kept(file: &Path) -> Result<Option<Kept>> {
    match private::read(file, LARGEST) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}
