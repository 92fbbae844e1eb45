//! The project's memory for a model that makes notes: only lines that an agent in this project could be given.

use std::path::Path;

use jiff::ToSpan;

use super::content::SessionContent;
use super::event::SessionEvent;
use super::model_queue::OpenLine;
use crate::App;
use tars_agent::digest::have_common_subject;
use tars_agent::project::{Branches, Project};
use tars_base::domain::Outcome;
use tars_chat::tasks::{SessionKnowledge, TurnNotes};
use tars_memory::upkeep::{ProjectView, decisions_since};
use tars_memory::{
    Bullet, LogSection, MEMORY, OpenEnd, PROCEDURAL, bullets_of, day_file, nearest_bullets, open_ends_of, short_form,
};
use tars_text::markdown::is_private;
use tars_text::redact::redact;

/// Days to look back for decisions, and for open ends.
const DECISION_DAYS: i64 = 90;
const OPEN_DAYS: i64 = 21;
/// Most decisions, open ends and lines of the memory that are sent.
const MAX_DECISIONS: usize = 20;
const MAX_OPEN: usize = 12;
const MAX_MEMORY: usize = 8;

/// The part of a project's memory that is sent, with the lines behind it.
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
        let branches = Branches::of(Path::new(directory));
        Self::read(app, &project, branches.as_ref(), (&event.session, session)).unwrap_or_else(|error| {
            tracing::warn!("the model is not told what the project's memory holds: {error:#}");
            Self::default()
        })
    }

    fn read(
        app: &App,
        project: &Project,
        branches: Option<&Branches>,
        (id, session): (&str, &SessionContent),
    ) -> crate::Result<Self> {
        let folder = app.memory_folder()?;
        let today = app.environment.clock.today();
        let of = ProjectView { name: &project.name, key: Some(&project.key), branches };
        let clean = |text: &str| redact(text).text.into_owned();
        // A file that cannot be read is not sent either.
        let may_be_sent = |file: &str| {
            let text = folder.read(file).ok().flatten();
            text.is_some_and(|text| !is_private(&tars_vault::text_of(&text)))
        };
        // The notes of this very session are no knowledge of earlier ones.
        let mut decided = decisions_since(&folder, of, today.saturating_sub(DECISION_DAYS.days()), Some(id))?;
        decided.retain(|(day, _)| day_file(&folder, *day).is_ok_and(|file| may_be_sent(&file)));
        let decided = decided.split_off(decided.len().saturating_sub(MAX_DECISIONS));
        let is_earlier = |section: &LogSection| {
            section.project.is(&project.name, Some(&project.key))
                && !section.anchor.as_ref().is_some_and(|anchor| anchor.is_of(id))
        };
        let mut open = open_ends_of(&folder, today.saturating_sub(OPEN_DAYS.days()), is_earlier)?;
        open.retain(|end| may_be_sent(&end.bullet.file));
        open.truncate(MAX_OPEN);
        let mut memory: Vec<Bullet> = Vec::new();
        for file in [MEMORY, PROCEDURAL].into_iter().filter(|file| may_be_sent(file)) {
            memory.extend(bullets_of(&folder, file)?);
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
            let old =
                places.iter().filter_map(|place| Some((self.days.get(*place)?, self.sent.decisions.get(*place)?)));
            let old: String = old
                .filter(|(_, old)| have_common_subject(old, &outcome.text))
                .map(|(day, old)| format!(" (before, {day}: {})", short_form(old)))
                .collect();
            match old.is_empty() {
                true => outcome.clone(),
                false => Outcome { text: outcome.text.trim_end_matches('.').to_owned() + &old, ..outcome.clone() },
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
