//! Finds open ends, and ticks those that are done.

use jiff::ToSpan;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::{Refusal, Result, Service, UseCase};
use tars_memory::{Bullet, OpenEnd, matching_items};

/// Days to look back for open ends.
const DAYS: i64 = 180;

/// Asks for the open ends of the last half year, and ticks some of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DoneRequest {
    /// Words of the open ends, or the prefix of an id; empty for all of them.
    pub query: String,
    /// Which of those that match to tick.
    pub tick: Tick,
}

/// Which of the found open ends to tick.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tick {
    /// None: only find them.
    #[default]
    None,
    /// The only one; several are refused.
    One,
    /// All of them.
    All,
}

/// The open ends that match, and those that were ticked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoneResponse {
    /// Open ends that match, newest first.
    pub found: Vec<OpenEndLine>,
    /// Lines that were ticked, also earlier ones that say the same.
    pub ticked: Vec<MemoryLine>,
}

/// An open end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OpenEndLine {
    /// The day of its newest line.
    pub day: Date,
    /// The project of its session.
    pub project: Option<String>,
    /// Its text, without time and label.
    pub said: String,
    /// The newest line.
    #[serde(flatten)]
    pub line: MemoryLine,
}

impl UseCase for DoneRequest {
    type Response = DoneResponse;

    fn run(&self, service: &Service<'_>) -> Result<DoneResponse> {
        let folder = service.app.memory_folder()?;
        let since = service.app.environment.clock.today().saturating_sub(DAYS.days());
        let all = tars_memory::open_ends(&folder, since)?;
        let found: Vec<&OpenEnd> = match self.query.trim().is_empty() {
            true => all.iter().collect(),
            false => matching_items(&all, &self.query, |end| (&end.bullet.id, &end.text)),
        };
        let unticked: Vec<&OpenEnd> = match self.tick {
            Tick::None => Vec::new(),
            Tick::One if found.len() > 1 => {
                let message = format!("{} open ends match: nothing was ticked", found.len());
                return Err(Refusal { message, hint: "tars done ID for one of them, or --all for all".into() }.into());
            }
            Tick::One | Tick::All => found.clone(),
        };
        let lines: Vec<Bullet> =
            unticked.iter().flat_map(|end| end.earlier.iter().chain([&end.bullet])).cloned().collect();
        let ticked = match lines.is_empty() {
            true => Vec::new(),
            false => tars_memory::tick(&mut service.writer(&folder, "done")?, &lines)?,
        };
        let line = |end: &OpenEnd| OpenEndLine {
            day: end.day,
            project: end.project.name.clone(),
            said: end.text.clone(),
            line: MemoryLine::new(&folder, &end.bullet),
        };
        Ok(DoneResponse { found: found.into_iter().map(line).collect(), ticked: MemoryLine::list(&folder, &ticked) })
    }
}
