//! What a model is told about a project before it makes notes: only lines that an agent in this project could be given.

use std::path::Path;

use jiff::ToSpan;

use super::content::SessionContent;
use super::event::SessionEvent;
use super::model_queue::OpenLine;
use crate::App;
use tars_agent::digest::have_common_subject;
use tars_agent::project::Project;
use tars_base::domain::{Outcome, OutcomeKind};
use tars_chat::tasks::{SessionKnowledge, TurnNotes};
use tars_memory::upkeep::{ProjectIdentity, decisions_since};
use tars_memory::{Bullet, MEMORY, OpenEnd, PROCEDURAL, bullets_of, nearest_bullets, open_ends, short_form};
use tars_text::markdown::is_private;
use tars_text::redact::redact;

/// Days to look back for decisions, and for open ends.
const DECISION_DAYS: i64 = 90;
const OPEN_DAYS: i64 = 21;
/// Most decisions, open ends and lines of the memory that are sent.
const MAX_DECISIONS: usize = 20;
const MAX_OPEN: usize = 12;
const MAX_MEMORY: usize = 8;

/// What a project's memory holds, and what of it is sent.
#[derive(Debug, Default)]
pub(super) struct ProjectKnowledge {
    pub(super) sent: SessionKnowledge,
    /// The days of the decisions.
    days: Vec<jiff::civil::Date>,
    open: Vec<OpenEnd>,
}

impl ProjectKnowledge {
    /// Reads what is known about the session's project. A part that cannot be read is left out with a warning, because the notes do not
    /// depend on it.
    pub(super) fn of(app: &App, event: &SessionEvent, session: &SessionContent) -> Self {
        let directory = session.directory.as_deref().unwrap_or(&event.directory);
        let project = Project::of(Path::new(directory));
        Self::read(app, &project, session).unwrap_or_else(|error| {
            tracing::warn!("the model is not told what the project's memory holds: {error:#}");
            Self::default()
        })
    }

    fn read(app: &App, project: &Project, session: &SessionContent) -> crate::Result<Self> {
        let folder = app.memory_folder()?;
        let today = app.environment.clock.today();
        let of = ProjectIdentity { name: &project.name, key: Some(&project.key) };
        let clean = |text: &str| redact(text).text.into_owned();
        let mut decided = decisions_since(&folder, of, today.saturating_sub(DECISION_DAYS.days()))?;
        let decided = decided.split_off(decided.len().saturating_sub(MAX_DECISIONS));
        let mut open = open_ends(&folder, today.saturating_sub(OPEN_DAYS.days()))?;
        open.retain(|end| end.project.is(&project.name, Some(&project.key)));
        open.truncate(MAX_OPEN);
        let mut memory: Vec<Bullet> = Vec::new();
        for file in [MEMORY, PROCEDURAL] {
            let text = folder.read(file)?.unwrap_or_default();
            if !is_private(&String::from_utf8_lossy(&text)) {
                memory.extend(bullets_of(&folder, file)?);
            }
        }
        let said: Vec<String> = session.conversation.lines().into_iter().map(|line| line.text).collect();
        let memory = nearest_bullets(&said.join("\n"), &memory, MAX_MEMORY, None)?;
        let sent = SessionKnowledge {
            project: Some(project.name.clone()),
            decisions: decided.iter().map(|(_, text)| clean(text)).collect(),
            open: open.iter().map(|end| clean(&end.text)).collect(),
            memory: memory.iter().map(|near| clean(&near.bullet.text)).collect(),
        };
        Ok(Self { sent, days: decided.iter().map(|(day, _)| *day).collect(), open })
    }

    /// Returns the outcomes of a turn for which `is_supported`; a decision that replaces another one names that with its day.
    pub(super) fn with_replaced(&self, said: &TurnNotes, is_supported: impl Fn(&Outcome) -> bool) -> Vec<Outcome> {
        let replaced = |(outcome, places): (&Outcome, &Vec<usize>)| {
            let old = places.first().and_then(|place| Some((self.days.get(*place)?, self.sent.decisions.get(*place)?)));
            let is_about = |old: &str| have_common_subject(old, &outcome.text);
            match old.filter(|(_, old)| outcome.kind == OutcomeKind::Decided && is_about(old)) {
                Some((day, old)) => {
                    let text = format!("{} (before, {day}: {})", outcome.text.trim_end_matches('.'), short_form(old));
                    Outcome { text, ..outcome.clone() }
                }
                None => outcome.clone(),
            }
        };
        let outcomes = said.outcomes.iter().zip(&said.replaces);
        outcomes.filter(|(outcome, _)| is_supported(outcome)).map(replaced).collect()
    }

    /// Returns the lines of the open ends that a turn closes: it must speak of their subject.
    pub(super) fn closed(&self, session: &SessionContent, turn: &str, said: &TurnNotes) -> Vec<OpenLine> {
        let ends = said.closes.iter().filter_map(|place| self.open.get(*place));
        let is_about = |end: &&OpenEnd| session.conversation.speaks_of(turn, &end.text);
        let lines = ends.filter(is_about).flat_map(|end| end.earlier.iter().chain([&end.bullet]));
        lines.map(|bullet| OpenLine { file: bullet.file.clone(), id: bullet.id.clone() }).collect()
    }
}
