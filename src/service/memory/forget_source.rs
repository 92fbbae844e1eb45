//! Takes back what agents and imports wrote from one source: a session, a client, or all since a day.

use std::collections::{BTreeSet, HashSet};

use jiff::Timestamp;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::daily::day;
use crate::sessions::forget_session;
use crate::{App, IndexRequest, Refusal, Result, Service, UseCase};
use tars_agent::recall::is_prefix_of_line;
use tars_base::domain::sanitize_line;
use tars_engine::index::RunPart;
use tars_memory::{SourceLine, clean_id, source_lines, take_back};
use tars_vault::{Author, LineOrigin, MemoryFolder, Origin, Origins};

/// The command that the journal records.
const COMMAND: &str = "forget";
/// Shortest beginning of a session's id that names it.
const SHORTEST_ID: usize = 4;

/// Asks what agents and imports wrote from a source, and takes it back if requested. Several conditions hold together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ForgetSourceRequest {
    /// The session's id or its beginning, or an imported chat.
    pub session: Option<String>,
    /// The client or the program that an import comes from: `claude-code`, `codex`, `chatgpt`.
    pub client: Option<String>,
    /// The first day of the writes, as in `2026-11-17` or `yesterday`.
    pub since: Option<String>,
    /// Whether to take it back; otherwise it is only listed.
    pub remove: bool,
}

/// The lines of a source, and the ones that were taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ForgetSourceResponse {
    /// The lines and whole notes that nobody has edited since.
    pub found: Vec<LineOfSource>,
    /// The lines that somebody has edited since; they stay.
    pub edited: Vec<LineOfSource>,
    /// The lines that were taken back.
    pub taken: Vec<LineOfSource>,
    /// The sessions and chats that are not noted or imported again.
    pub sessions: Vec<String>,
    /// The steps that failed, a line each.
    pub warnings: Vec<String>,
}

/// A line from a source, or a whole note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineOfSource {
    /// Path of its file, relative to the vault.
    pub path: String,
    /// Number of its line, from 1; absent for a whole note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Its text; for a whole note its title.
    pub text: String,
    /// The author.
    pub origin: LineOrigin,
    /// The fact that it had replaced, which returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns: Option<String>,
}

impl UseCase for ForgetSourceRequest {
    type Response = ForgetSourceResponse;

    fn run(&self, service: &Service<'_>) -> Result<ForgetSourceResponse> {
        let app = service.app;
        if self.session.is_none() && self.client.is_none() && self.since.is_none() {
            let hint = "tars forget --session ID, --client NAME or --since DAY".to_owned();
            return Err(Refusal { message: "no source is named: nothing was taken back".into(), hint }.into());
        }
        let folder = app.memory_folder()?;
        if !app.journal(&folder)?.entries()?.is_empty() {
            // A folder of an older version takes over what the journal knows.
            drop(app.open_writer(&folder, Origin::of(COMMAND))?);
        }
        let origins = app.journal(&folder)?.origins(None)?;
        let source = self.source(app, &origins)?;
        let is_meant = |origin: &LineOrigin, time: Timestamp| source.holds(app, origin, time);
        let found = source_lines(&folder, &origins, &is_meant)?;
        let view = |lines: &[SourceLine]| lines.iter().map(|line| LineOfSource::new(&folder, line)).collect();
        let mut response = ForgetSourceResponse {
            found: view(&found.unedited),
            edited: view(&found.edited),
            ..ForgetSourceResponse::default()
        };
        if !self.remove || found.unedited.is_empty() {
            return Ok(response);
        }
        let texts = texts(&folder, &found.unedited)?;
        let mut writer = service.writer(&folder, COMMAND)?.exempt_from_trim();
        let taken = take_back(&mut writer, &origins, &is_meant)?;
        let sessions: BTreeSet<String> = taken.iter().filter_map(|line| line.origin.session.clone()).collect();
        response.sessions = sessions.into_iter().collect();
        writer.forget_sessions(response.sessions.clone())?;
        drop(writer);
        response.taken = view(&taken);
        response.warnings = clear_traces(service, &folder, &texts);
        for session in &response.sessions {
            forget_session(app, session)?;
        }
        Ok(response)
    }
}

impl ForgetSourceRequest {
    /// Returns the source that the request means.
    fn source(&self, app: &App, origins: &Origins) -> Result<WrittenBy> {
        let today = app.environment.clock.today();
        let since = self.since.as_deref().map(|word| day(Some(word), today)).transpose()?;
        let client = self.client.as_ref().map(|client| client.trim().to_lowercase());
        let session = self.session.as_deref().map(|id| named_session(origins, id.trim())).transpose()?;
        Ok(WrittenBy { session, client, since })
    }
}

/// A source of lines.
struct WrittenBy {
    session: Option<String>,
    client: Option<String>,
    since: Option<Date>,
}

impl WrittenBy {
    fn holds(&self, app: &App, origin: &LineOrigin, time: Timestamp) -> bool {
        // Tars' own lines count if they were written for a session, such as its proposals.
        let is_source = match origin.by {
            Author::Person => false,
            Author::Machine => origin.session.is_some(),
            Author::Agent | Author::Untrusted | Author::Unknown | Author::Import => true,
        };
        let day = || time.to_zoned(app.environment.clock.zone()).date();
        is_source
            && self.session.as_ref().is_none_or(|session| origin.session.as_ref() == Some(session))
            && self
                .client
                .as_ref()
                .is_none_or(|client| origin.client.as_ref().is_some_and(|name| name.to_lowercase() == *client))
            && self.since.is_none_or(|since| day() >= since)
    }
}

/// Returns the only session or chat whose id is or begins with `id`.
fn named_session(origins: &Origins, id: &str) -> Result<String> {
    let wanted = clean_id(id);
    let known: HashSet<&str> = origins.sessions().collect();
    if known.contains(wanted.as_str()) {
        return Ok(wanted);
    }
    let is_meant = |session: &&&str| wanted.len() >= SHORTEST_ID && session.starts_with(&wanted);
    let found: Vec<&&str> = known.iter().filter(is_meant).collect();
    match found.as_slice() {
        [one] => Ok((**one).to_owned()),
        several => {
            let id = sanitize_line(id);
            let message = match several.len() {
                0 => format!("no session {id} has written anything"),
                count => format!("{count} sessions have an id that begins with {id}"),
            };
            Err(Refusal { message, hint: "tars log shows the sessions of writes".into() }.into())
        }
    }
}

/// Returns the lines of what goes, to take them out of the recall ledger.
fn texts(folder: &MemoryFolder, lines: &[SourceLine]) -> Result<Vec<String>> {
    let mut texts: Vec<String> = Vec::new();
    for line in lines {
        let text = match line.line {
            Some(_) => line.text.clone(),
            None => tars_vault::text_of(&folder.read(&line.file)?.unwrap_or_default()).into_owned(),
        };
        texts.extend(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()));
    }
    Ok(texts)
}

/// Removes the lines from the recall ledger and from the index. Returns what failed.
fn clear_traces(service: &Service<'_>, folder: &MemoryFolder, texts: &[String]) -> Vec<String> {
    let app = service.app;
    let mut warnings = Vec::new();
    let ledger = app.recall_ledger();
    let is_gone = |kept: &str| texts.iter().any(|line| is_prefix_of_line(kept, line));
    if ledger.exists()
        && let Err(error) = ledger.forget(&is_gone)
    {
        warnings.push(format!("the recall ledger in {} still holds removed lines: {error}", ledger.folder().display()));
    }
    let paths = vec![folder.path().to_owned()];
    if app.database().exists()
        && let Err(error) = service.call(&IndexRequest { paths, full: false, part: RunPart::Words })
    {
        warnings.push(format!("the index still holds removed lines until the next update: {error:#}"));
    }
    warnings
}

impl LineOfSource {
    fn new(folder: &MemoryFolder, line: &SourceLine) -> Self {
        Self {
            path: folder.vault_path(&line.file),
            line: line.line,
            text: line.text.clone(),
            origin: line.origin.clone(),
            returns: line.returns.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use crate::memory::RememberRequest;
    use crate::memory::files::tests::Home;

    #[test]
    fn a_fact_that_an_agent_replaced_returns() {
        let home = Home::new(&[("Memory.md", "# Memory\n\n## Facts\n\n- Anna works at the harbour office.\n- Tea.\n")]);
        let before = home.text("Memory.md");
        let service = Service::new(&home.app, Backend::Local);
        service.set_agent("codex", 100);
        let remember = |text: &str, replace: &str| {
            let replace = Some(replace.to_owned());
            service.call(&RememberRequest { text: text.into(), replace, ..RememberRequest::default() }).unwrap();
        };
        remember("Anna works at the museum.", "harbour office");
        remember("Anna works at the library.", "museum");
        let request = ForgetSourceRequest { client: Some("codex".into()), ..ForgetSourceRequest::default() };
        let found = home.call(&request).unwrap().found;
        assert_eq!(found[0].returns.as_deref(), Some("Anna works at the harbour office."), "{found:?}");
        assert!(found.iter().all(|line| line.origin.by == Author::Unknown), "{found:?}");
        let changed = home.files();
        home.call(&ForgetSourceRequest { remove: true, ..request.clone() }).unwrap();
        assert_eq!(home.text("Memory.md"), before);
        assert!(!home.text("archive/superseded.md").unwrap().contains("Anna"));
        home.undo();
        assert_eq!(home.files(), changed);
    }

    #[test]
    fn edited_lines_and_a_persons_lines_stay() {
        let home = Home::new(&[]);
        let remember = |channel: Option<&str>, text: &str| {
            let service = Service::new(&home.app, Backend::Local);
            service.set_client(channel);
            service.call(&RememberRequest { text: text.into(), ..RememberRequest::default() }).unwrap();
        };
        remember(None, "The port is 8080.");
        remember(Some("codex"), "The relay sticks at night.");
        remember(Some("codex"), "Bread rests overnight.");
        let memory = home.text("Memory.md").unwrap();
        home.put("Memory.md", &memory.replace("- Bread rests overnight.", "- Bread rests overnight.\n  - only rye"));
        let all = ForgetSourceRequest { since: Some("today".into()), remove: true, ..ForgetSourceRequest::default() };
        let receipt = home.call(&all).unwrap();
        assert_eq!((receipt.taken.len(), receipt.edited.len()), (1, 1), "{receipt:?}");
        let left = home.text("Memory.md").unwrap();
        assert!(left.contains("8080") && left.contains("Bread") && !left.contains("relay"), "{left}");
        assert!(home.refuses(&ForgetSourceRequest::default()).contains("no source is named"));
        let unknown = ForgetSourceRequest { session: Some("abcd".into()), ..ForgetSourceRequest::default() };
        assert!(home.refuses(&unknown).contains("no session abcd"));
    }
}
