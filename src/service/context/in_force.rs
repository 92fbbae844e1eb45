//! Which noted lines of a project still hold.

use std::collections::BTreeSet;

use jiff::civil::Date;

use crate::Service;
use tars_base::domain::collapse_whitespace;
use tars_memory::upkeep::{ProjectView, decisions_since, refused};
use tars_memory::{Superseded, content_words, superseded, word_similarity};

/// Minimum number of words that a line shares with a superseded one.
const SHARED: usize = 2;
/// Lines that share this part of their words say the same.
const SAME: f64 = 0.8;

/// The noted decisions of a project that hold, and what was superseded or refused.
#[derive(Default)]
pub(crate) struct LinesInForce {
    decided: Vec<(Date, String)>,
    gone: Vec<Superseded>,
    refused: Vec<String>,
}

impl LinesInForce {
    /// Reads the decisions since a day. Unreadable files leave decisions out and are logged.
    pub(crate) fn read(service: &Service<'_>, of: ProjectView<'_>, since: Date) -> Self {
        let Ok(folder) = service.app().memory_folder() else { return Self::default() };
        let decided = decisions_since(&folder, of, since, None).unwrap_or_else(|error| {
            tracing::warn!("decisions of the last days are left out: {error}");
            Vec::new()
        });
        let (gone, refused) = (superseded(&folder).unwrap_or_default(), refused(&folder).unwrap_or_default());
        Self { decided, gone, refused }
    }

    /// Returns the days of the decisions, oldest first.
    pub(crate) fn days(&self) -> Vec<Date> {
        let mut days: Vec<Date> = self.decided.iter().map(|(day, _)| *day).collect();
        days.dedup();
        days
    }

    /// Whether the decision that was noted on a day with these words holds.
    pub(crate) fn holds(&self, day: Date, text: &str) -> bool {
        let said = collapse_whitespace(text);
        self.decided.iter().any(|(noted, decided)| *noted == day && *decided == said)
            && !self.is_superseded(text)
            && !self.refused.iter().any(|refused| word_similarity(refused, text) >= SAME)
    }

    /// Whether a line states something superseded.
    pub(crate) fn is_superseded(&self, text: &str) -> bool {
        self.gone.iter().any(|old| is_overtaken(text, old))
    }
}

/// Whether a line states something superseded: it uses the words that went, and none of those that came.
pub(super) fn is_overtaken(line: &str, old: &Superseded) -> bool {
    let (line, was, now) = (content_words(line), content_words(&old.bullet.text), content_words(&old.successor));
    let went: BTreeSet<&String> = was.difference(&now).collect();
    let held = went.iter().filter(|word| line.contains(**word)).count();
    let shared = line.intersection(&was).count();
    let is_new = now.difference(&was).any(|word| line.contains(word));
    !is_new && held > 0 && held * 2 >= went.len() && shared >= SHARED && shared * 5 >= was.len() * 2
}
