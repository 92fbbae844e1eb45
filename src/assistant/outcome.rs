//! Writes the outcome of a conversation into the memory: the section in the daily log, facts, the session log, and proposals.

use std::collections::HashSet;

use tars_service::Result;

use super::conversation::{Entry, Stamped};
use super::echoes::Echoes;
use super::tool_calls::reading_of;
use super::tools::{self, one_line};
use super::{Assistant, ChatFrontend, TurnEvent};
use tars_agent::digest::{SessionDigest, TurnDigest};
use tars_base::domain::{Reading, Turn, TurnEnd};
use tars_chat::tasks::{MAX_FACTS, SessionKnowledge, SessionTurn, SourceLine, Task, TaskModel, session_notes};
use tars_config::Consolidate;
use tars_memory::upkeep::{
    self, Change, Conversation as ConversationSources, Destination, FoundFact, Job, Line, Proposal,
};
use tars_memory::{
    EXTRACTIVE, ExtractedFact, Fact, LayerFile, MEMORY, NotedTurn, PROCEDURAL, SessionLog, SessionNote, note_facts,
    note_session, short_turn, write_session_log,
};
use tars_text::redact::redact_turn;

/// Project name of the notes about conversations.
const PROJECT: &str = "chat";
/// Maximum number of known lines that are sent to the model.
const KNOWN: usize = 100;

/// Results of ending a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationOutcome {
    /// Path of the session log within the memory folder.
    pub log: Option<String>,
    /// Number of proposals that wait for the person.
    pub proposed: usize,
    /// Number of proposals that were applied immediately.
    pub applied: usize,
}

impl Assistant<'_, '_> {
    /// Ends the conversation: notes its outcome, and asks the model what to keep. Errors become notices and lose nothing,
    /// because the conversation stays on disk.
    pub fn end(&mut self, frontend: &mut dyn ChatFrontend) -> ConversationOutcome {
        let is_new = self.new_entries().iter().any(|stamped| stamped.entry.user_text().is_some());
        let mut ending = ConversationOutcome { log: self.note(frontend), ..ConversationOutcome::default() };
        if is_new && self.settings.consolidate == Consolidate::Propose && self.model.is_some() {
            match self.consolidate() {
                Ok((proposed, applied)) => (ending.proposed, ending.applied) = (proposed, applied),
                Err(error) => notice(frontend, "nothing was proposed for the memory", &error),
            }
        }
        ending
    }

    /// Leaves a conversation that may be continued: rules note its outcome, without a model.
    pub fn note_without_model(&mut self, frontend: &mut dyn ChatFrontend) {
        self.note_by(frontend, false);
    }

    /// Notes everything new in the daily log and the session log. Returns the path of the session log.
    pub(super) fn note(&mut self, frontend: &mut dyn ChatFrontend) -> Option<String> {
        self.note_by(frontend, true)
    }

    fn note_by(&mut self, frontend: &mut dyn ChatFrontend, with_model: bool) -> Option<String> {
        let new = self.new_entries().iter().find(|stamped| stamped.entry.user_text().is_some())?.at;
        match self.try_to_note(new, with_model, frontend) {
            Ok(log) => log,
            Err(error) => {
                notice(frontend, "the conversation was not noted in the log of the day", &error);
                None
            }
        }
    }

    /// Whether every message is noted.
    pub fn is_noted(&self) -> bool {
        self.new_entries().iter().all(|stamped| stamped.entry.user_text().is_none())
    }

    fn new_entries(&self) -> &[Stamped] {
        let entries = self.conversation.entries();
        let noted = entries.iter().rposition(|stamped| stamped.entry == Entry::Noted).map_or(0, |at| at + 1);
        &entries[noted..]
    }

    fn try_to_note(
        &mut self,
        new: jiff::Timestamp,
        with_model: bool,
        frontend: &mut dyn ChatFrontend,
    ) -> Result<Option<String>> {
        let app = self.service.app();
        let (id, zone) = (self.conversation.id().to_owned(), app.environment.clock.zone());
        let turns = self.turns()?;
        if turns.is_empty() {
            self.add(Entry::Noted)?;
            return Ok(None);
        }
        let mut digest = SessionDigest::default();
        let mut sources = ConversationSources::default();
        let mut log = SessionLog::new(&id, None, zone.clone()).with_fallback_name(PROJECT);
        for turn in &turns {
            digest.add(&redact_turn(turn));
            sources.add(turn);
            log.add(turn);
        }
        let is_new = |turn: &Turn| turn.at.is_some_and(|at| at >= new);
        let said: Vec<&Turn> = turns.iter().filter(|turn| is_new(turn)).collect();
        let facts = match with_model {
            true => self.facts(&sources, &digest, said, frontend),
            false => self.facts_by_rules(&sources, &digest),
        };
        let folder = app.memory_folder()?;
        let today = app.environment.clock.today();
        let facts = upkeep::unknown_facts(&folder, facts, today, MAX_FACTS)?;
        self.service.set_reading(Some(sources.reading()));
        let mut writer = self.service.writer(&folder, "chat")?;
        self.service.set_reading(None);
        writer.set_source(None, &id);
        for note in notes(&id, digest.turns(), &zone, new) {
            note_session(&mut writer, &note)?;
        }
        let mut facts: Vec<ExtractedFact> = facts.iter().map(|fact| fact.dated(&zone, new)).collect();
        facts.sort_by_key(|fact| fact.time);
        note_facts(&mut writer, &id, None, &facts)?;
        let mut logged = tars_memory::logged_sessions(&folder)?;
        let written = write_session_log(&mut writer, &log, &mut logged)?;
        drop(writer);
        self.add(Entry::Noted)?;
        Ok(written.map(|_| folder.vault_path(logged.get(&id).map_or("", String::as_str))))
    }

    /// Returns the turns, without those during a pause.
    fn turns(&self) -> Result<Vec<Turn>> {
        let id = self.conversation.id();
        let paused = self.service.app().pauses().times(id)?;
        let mut turns = turns(id, self.conversation.entries());
        turns.retain(|turn| !paused.overlaps(turn));
        let echoes = self.echoes()?;
        for turn in &mut turns {
            turn.answer = echoes.removed_from(&turn.answer);
            turn.closing = echoes.removed_from(&turn.closing);
        }
        Ok(turns)
    }

    /// Returns what the model may repeat of the memory and of the results of tars' own tools.
    fn echoes(&self) -> Result<Echoes> {
        let folder = self.service.app().memory_folder()?;
        let mut echoes = Echoes::default();
        for file in [MEMORY, PROCEDURAL] {
            echoes.add(&String::from_utf8_lossy(&folder.read(file)?.unwrap_or_default()));
        }
        let mut own: HashSet<&str> = HashSet::new();
        for stamped in self.conversation.entries() {
            match &stamped.entry {
                Entry::Assistant { calls, .. } => {
                    let calls = calls.iter().filter(|call| tools::named(&call.name).is_some());
                    own.extend(calls.map(|call| call.id.as_str()));
                }
                Entry::Tool { call, text, .. } if own.remove(call.as_str()) => echoes.add(text),
                _ => {}
            }
        }
        Ok(echoes)
    }

    /// Extracts facts from the turns: with the model if there is one, else by rules. The call has no tools.
    fn facts(
        &self,
        sources: &ConversationSources,
        digest: &SessionDigest,
        new: Vec<&Turn>,
        frontend: &mut dyn ChatFrontend,
    ) -> Vec<FoundFact> {
        let app = self.service.app();
        let by_rules = || self.facts_by_rules(sources, digest);
        let Some(model) = self.model.as_ref().filter(|_| app.settings.config.auto.extract) else { return by_rules() };
        let asked: Vec<SessionTurn> = new
            .iter()
            .map(|turn| SessionTurn::new(&short_turn(&turn.id), turn, &app.environment.clock.zone()))
            .collect();
        let asked = (&SessionKnowledge::default(), asked.as_slice());
        match session_notes(&model.model, &app.prompt(Task::Notes).instructions, asked, self.settings.timeout) {
            Ok(notes) => sources.supported(&notes.facts, |id| new.iter().any(|turn| turn.id == id)),
            Err(error) => {
                notice(frontend, "facts were extracted by rules", &error.into());
                by_rules()
            }
        }
    }

    fn facts_by_rules(&self, sources: &ConversationSources, digest: &SessionDigest) -> Vec<FoundFact> {
        match self.service.app().settings.config.auto.extract && sources.is_long_enough() {
            true => sources.by_rules(digest.turns()),
            false => Vec::new(),
        }
    }

    /// Asks the model, without tools, what to keep. Returns the numbers of proposals made and of proposals applied.
    fn consolidate(&mut self) -> Result<(usize, usize)> {
        let app = self.service.app();
        let Some(model) = &self.model else { return Ok((0, 0)) };
        let mut sources = ConversationSources::default();
        self.turns()?.iter().for_each(|turn| sources.add(turn));
        let folder = app.memory_folder()?;
        let known = tars_memory::remembered_bullets(&folder)?;
        let mut lines: Vec<SourceLine> = sources.lines();
        let said = lines.len();
        if said == 0 {
            return Ok((0, 0));
        }
        // If the memory is private, known lines are only filtered out below.
        let told = known.iter().take(if self.has_memory() { KNOWN } else { 0 });
        lines.extend(told.map(|bullet| SourceLine { text: bullet.text.clone(), of: "known".into() }));
        let task = TaskModel {
            model: Box::new(model.model.clone()),
            task: Task::Consolidate,
            instructions: app.prompt(Task::Consolidate).instructions,
            timeout: self.settings.timeout,
        };
        let claims = task.claims(&lines)?.claims;
        let mut proposals = Vec::new();
        for claim in claims.into_iter().filter(|claim| claim.from.iter().any(|line| *line < said)) {
            let Some(place) = place(claim.to.as_deref()) else { continue };
            let Some(text) = sources.supported(&[claim.text], |_| true).pop().map(|fact| fact.text) else { continue };
            if !tars_memory::new_facts(vec![text.clone()], &known).is_empty() {
                let from = claim.from.iter().filter(|line| **line < said).map(|line| &lines[*line]);
                let from = from.map(|line| Line {
                    file: format!("conversation {}", self.conversation.id()),
                    id: String::new(),
                    section: line.of.clone(),
                    text: one_line(&line.text, 200),
                });
                let sources = from.collect();
                proposals.push(Proposal { job: Job::Chat, change: Change::Add { to: place, text }, sources });
            }
        }
        if proposals.is_empty() {
            return Ok((0, 0));
        }
        let is_free = |proposal: &Proposal| match &proposal.change {
            Change::Add { to, .. } => self.settings.apply.iter().any(|layer| to.file.starts_with(&format!("{layer}/"))),
            _ => false,
        };
        // Words of strangers become no fact unasked, and no rule at all.
        let is_foreign = sources.reading() == Reading::Foreign;
        let is_rule = |proposal: &Proposal| matches!(&proposal.change, Change::Add { to, .. } if to.file == PROCEDURAL);
        proposals.retain(|proposal| !is_foreign || !is_rule(proposal));
        if proposals.is_empty() {
            return Ok((0, 0));
        }
        self.service.set_reading(Some(sources.reading()));
        let (free, asked): (Vec<Proposal>, Vec<Proposal>) =
            proposals.into_iter().partition(|proposal| !is_foreign && is_free(proposal));
        let mut writer = self.service.writer(&folder, "chat")?;
        for proposal in &free {
            if let Change::Add { to, text } = &proposal.change {
                let fact = Fact::of_file(&to.file, Some(to.section.clone()), text)?;
                tars_memory::remember_in(&mut writer, &to.file, &fact)?;
            }
        }
        let proposed = upkeep::propose(&mut writer, &asked)?.len();
        self.service.set_reading(None);
        Ok((proposed, free.len()))
    }
}

fn notice(frontend: &mut dyn ChatFrontend, what: &str, error: &tars_service::Error) {
    tracing::debug!("{what}: {error:#}");
    frontend.show(TurnEvent::Notice(&one_line(&format!("{what}: {error:#}"), 300)));
}

/// Returns the file and section for a target that the model names.
fn place(to: Option<&str>) -> Option<Destination> {
    let (file, section) = match to?.trim() {
        "fact" | "person" | "Memory.md" => (MEMORY.to_owned(), "Facts"),
        "rule" | "Procedural.md" => (PROCEDURAL.to_owned(), "Rules"),
        layer => (LayerFile::parse(layer)?.as_str().to_owned(), "Facts"),
    };
    Some(Destination { file, section: section.into() })
}

/// Converts a conversation into turns, like those of agent sessions. A turn that was stopped has ended without an answer.
fn turns(id: &str, entries: &[Stamped]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut reading = Reading::Local;
    for (number, stamped) in entries.iter().enumerate() {
        reading = reading.max(reading_of(&stamped.entry));
        match (&stamped.entry, turns.last_mut()) {
            (Entry::User { text }, _) => turns.push(Turn {
                session: id.to_owned(),
                id: format!("{id}-{number}"),
                at: Some(stamped.at),
                request: text.clone(),
                reading,
                ..Turn::default()
            }),
            (Entry::Assistant { text, calls, stopped, .. }, Some(turn)) => {
                turn.ended = Some(stamped.at);
                turn.reading = reading;
                // Neither the beginning of an answer nor words before a tool settle anything.
                let is_answer = !stopped && calls.is_empty();
                turn.end = if is_answer { TurnEnd::Answered } else { TurnEnd::Interrupted };
                if *stopped {
                    continue;
                }
                if !text.trim().is_empty() {
                    let gap = if turn.answer.is_empty() { "" } else { "\n\n" };
                    turn.answer.push_str(&format!("{gap}{text}"));
                    turn.closing.clone_from(text);
                }
                for call in calls.iter().filter(|call| !turn.tools.contains(&call.name)).collect::<Vec<_>>() {
                    turn.tools.push(call.name.clone());
                }
                turn.is_complete = calls.is_empty();
            }
            _ => {}
        }
    }
    turns
}

/// Returns the notes about the turns, one note per day.
fn notes(id: &str, turns: &[TurnDigest], zone: &jiff::tz::TimeZone, new: jiff::Timestamp) -> Vec<SessionNote> {
    let mut days: std::collections::BTreeMap<jiff::civil::Date, Vec<NotedTurn>> = std::collections::BTreeMap::new();
    for turn in turns {
        let Some(at) = turn.at else { continue };
        let time = at.to_zoned(zone.clone()).datetime();
        let noted = NotedTurn {
            id: turn.id.clone(),
            time,
            branch: None,
            outcomes: turn.outcomes.clone(),
            wording: turn.wording.clone(),
            is_new: at >= new,
        };
        days.entry(time.date()).or_default().push(noted);
    }
    let note = |turns| SessionNote {
        session: id.to_owned(),
        project: PROJECT.into(),
        project_key: None,
        turns,
        by: EXTRACTIVE.into(),
        prompt: None,
        instead_of: None,
        abandoned: Vec::new(),
    };
    days.into_values().map(note).collect()
}
