//! Old open ends about which the start of a session has asked once. If nobody ticks them, the end of a later session sets them aside.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::writer::SessionWriter;
use crate::{App, Context, Result};
use tars_base::data_files;
use tars_memory::{Bullet, open_ends, set_aside};

/// The file in the data directory.
pub(crate) const FILE: &str = "asked-open-ends.json";
const MAX_BYTES: u64 = 256 << 10;
/// Days for which an id is kept: longer than a start of a session looks back.
const KEPT_DAYS: i64 = 200;

/// Days after a question in which the end of a session looks whether it was answered.
const SETTLED_AFTER: i64 = 30;

/// The ids of the open ends, each with the day of the question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedOpenEnds(BTreeMap<String, Date>);

impl AskedOpenEnds {
    /// Reads the list. One that cannot be read is empty: then a question comes twice.
    pub(crate) fn read(app: &App) -> Self {
        let file = app.settings.config.data.dir.join(FILE);
        data_files::read_json(&file, MAX_BYTES).ok().flatten().unwrap_or_default()
    }

    /// Whether a session was asked about the open end with this id.
    pub(crate) fn holds(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// Records that a session is asked about these open ends today.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub fn add(app: &App, ids: &[String]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let today = app.environment.clock.today();
        let mut asked = Self::read(app);
        asked.0.retain(|_, day| *day >= today.saturating_sub(KEPT_DAYS.days()));
        asked.0.extend(ids.iter().map(|id| (id.clone(), today)));
        let bytes = serde_json::to_vec(&asked).context("cannot record the questions about open ends")?;
        data_files::replace(&app.data_dir()?.join(FILE), &bytes).context("cannot record the questions about open ends")
    }
}

/// Sets aside the open ends about which a session was asked on an earlier day, and equal ones. Lines that a person has edited stay.
///
/// # Errors
/// The memory folder cannot be read or written.
pub(super) fn set_aside_asked(writes: &mut SessionWriter<'_>) -> Result<()> {
    let today = writes.app.environment.clock.today();
    let mut asked = AskedOpenEnds::read(writes.app);
    // Older questions were settled by earlier sessions, or their lines are a person's.
    asked.0.retain(|_, day| *day < today && *day >= today.saturating_sub(SETTLED_AFTER.days()));
    if asked.0.is_empty() {
        return Ok(());
    }
    let since = today.saturating_sub(KEPT_DAYS.days());
    let ends = open_ends(&writes.folder, since)?.into_iter().filter(|end| asked.holds(&end.bullet.id));
    let lines: Vec<Bullet> = ends.flat_map(|end| end.earlier.into_iter().chain([end.bullet])).collect();
    if !lines.is_empty() {
        writes.write(|writer| set_aside(writer, &lines).map(drop))?;
    }
    Ok(())
}
