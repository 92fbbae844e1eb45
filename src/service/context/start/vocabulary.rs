//! The subjects that a project's sessions have discussed lately, by the words of their notes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::ToSpan;
use jiff::civil::Date;

use super::{SPOKEN, Unit};
use crate::App;
use crate::context::ProjectRef;
use crate::context::memory::Logs;
use tars_agent::context_block::Piece;
use tars_agent::digest::subject_words;
use tars_agent::project::short_name;

/// Days of logs to read.
const RECENT: i64 = 90;
/// Maximum number of lines to read, newest first.
const ENOUGH: usize = 1_500;

/// The lines noted in sessions of the project, and in sessions of other projects.
pub(in crate::context) struct SessionVocabulary {
    pub(super) own: SpokenLines,
    pub(super) foreign: SpokenLines,
    /// Words of the project's name.
    pub(super) name: BTreeSet<String>,
}

/// Lines indexed by their words. The newest line has the number 0.
#[derive(Default)]
pub(super) struct SpokenLines {
    count: usize,
    /// The numbers of the lines that hold a word.
    holding: HashMap<String, Vec<usize>>,
}

impl SpokenLines {
    pub(super) fn add(&mut self, line: &str) {
        for word in subject_words(line) {
            self.holding.entry(word).or_default().push(self.count);
        }
        self.count += 1;
    }

    /// Returns the maximum number of these words in one line.
    fn most_shared(&self, words: &BTreeSet<String>) -> usize {
        self.shared(words).into_values().max().unwrap_or_default()
    }

    /// Returns the number of these words in each line that holds at least one.
    fn shared(&self, words: &BTreeSet<String>) -> HashMap<usize, usize> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for line in words.iter().filter_map(|word| self.holding.get(word)).flatten() {
            *shared.entry(*line).or_default() += 1;
        }
        shared
    }
}

impl SessionVocabulary {
    /// Reads the recent logs.
    pub(in crate::context) fn read(
        app: &App,
        logs: &Logs<'_>,
        (name, key): ProjectRef<'_>,
        page: Option<&Piece>,
        today: Date,
    ) -> Self {
        let name_words = subject_words(short_name(name));
        let mut vocabulary = Self { own: SpokenLines::default(), foreign: SpokenLines::default(), name: name_words };
        vocabulary.add_logs(app, logs, (name, key), today);
        page.into_iter().flat_map(Piece::numbered).for_each(|(_, line)| vocabulary.own.add(line));
        vocabulary
    }

    fn add_logs(&mut self, app: &App, logs: &Logs<'_>, (name, key): ProjectRef<'_>, today: Date) {
        let Ok(folder) = app.memory_folder() else { return };
        let first = today.saturating_sub(RECENT.days());
        let day = |file: &String| file.strip_suffix(".md").and_then(|day| day.parse::<Date>().ok());
        let recent = |file: &String| day(file).is_some_and(|day| first <= day);
        let mut files: Vec<String> = folder.files().unwrap_or_default().into_iter().filter(recent).collect();
        files.sort_unstable();
        for file in files.into_iter().rev() {
            if self.own.count + self.foreign.count >= ENOUGH {
                break;
            }
            let Some(log) = logs.read(&file) else { continue };
            for line in log.lines.iter().filter(|line| line.section.anchor.is_some()) {
                let is_own = line.section.project.is(name, key);
                let of = if is_own { &mut self.own } else { &mut self.foreign };
                of.add(&line.text);
            }
        }
    }

    /// Returns how long ago sessions of the project mentioned a text: the number of the line that did, 0 being the newest.
    pub(super) fn last_spoken(&self, text: &str) -> Option<usize> {
        let shared = self.own.shared(&subject_words(text)).into_iter();
        shared.filter(|(_, words)| *words >= SPOKEN).map(|(line, _)| line).min()
    }

    /// Returns the maximum number of words that a text shares with one line of this project's sessions, and of other sessions.
    fn shared(&self, text: &str) -> (usize, usize) {
        let words = subject_words(text);
        (self.own.most_shared(&words), self.foreign.most_shared(&words))
    }

    /// Whether sessions of the project mention it, and at least as closely as other sessions.
    pub(super) fn is_own(&self, text: &str) -> bool {
        let (own, foreign) = self.shared(text);
        own >= SPOKEN && own >= foreign
    }

    /// Whether sessions of other projects mention it more closely than this project's sessions.
    pub(super) fn is_foreign(&self, text: &str) -> bool {
        let (own, foreign) = self.shared(text);
        foreign >= SPOKEN && foreign > own
    }

    /// Returns the headings of the project's facts: those that contain its name, or whose lines mostly belong to it.
    pub(super) fn headings<'u>(&self, units: &'u [Unit]) -> BTreeSet<&'u str> {
        let mut found: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
        for unit in units {
            let (all, own, foreign) = found.entry(&unit.under).or_default();
            *all += 1;
            *own += usize::from(self.is_own(&unit.text));
            *foreign += usize::from(self.is_foreign(&unit.text));
        }
        let is_own = |heading: &str, (all, own, foreign): (usize, usize, usize)| {
            !subject_words(heading).is_disjoint(&self.name) || own > foreign && own * 3 >= all
        };
        found.into_iter().filter(|(heading, counts)| is_own(heading, *counts)).map(|(heading, _)| heading).collect()
    }
}
