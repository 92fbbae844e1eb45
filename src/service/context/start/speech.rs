//! What the sessions of a project have spoken of lately, by the words of what was noted of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::ToSpan;
use jiff::civil::Date;

use super::{SPOKEN, Unit};
use crate::app::App;
use crate::digest::subject_words;
use crate::injection::Piece;
use crate::project::without_owner;
use crate::service::context::Own;
use crate::service::context::memory::Log;

/// Days whose logs tell what a project's sessions speak of.
const RECENT: i64 = 90;
/// Lines of them that are enough, the newest.
const ENOUGH: usize = 1_500;

/// What the sessions of the project, and those of others, have spoken of.
pub(in crate::service::context) struct Speech {
    pub(super) own: SpokenLines,
    pub(super) foreign: SpokenLines,
    /// Words of the project's name.
    pub(super) name: BTreeSet<String>,
}

/// Lines by their words, those that were noted last first.
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

    /// Returns how many of these words one line holds at most.
    fn most_shared(&self, words: &BTreeSet<String>) -> usize {
        self.shared(words).into_values().max().unwrap_or_default()
    }

    /// Returns how many of these words each line holds that holds one.
    fn shared(&self, words: &BTreeSet<String>) -> HashMap<usize, usize> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for line in words.iter().filter_map(|word| self.holding.get(word)).flatten() {
            *shared.entry(*line).or_default() += 1;
        }
        shared
    }
}

impl Speech {
    /// Reads what was noted lately.
    pub(in crate::service::context) fn read(
        app: &App,
        (name, key): Own<'_>,
        page: Option<&Piece>,
        today: Date,
    ) -> Self {
        let name_words = subject_words(without_owner(name));
        let mut speech = Self { own: SpokenLines::default(), foreign: SpokenLines::default(), name: name_words };
        speech.add_logs(app, (name, key), today);
        page.into_iter().flat_map(Piece::numbered).for_each(|(_, line)| speech.own.add(line));
        speech
    }

    fn add_logs(&mut self, app: &App, (name, key): Own<'_>, today: Date) {
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
            let Some(log) = Log::read(app, &file) else { continue };
            for line in log.lines.iter().filter(|line| line.section.anchor.is_some()) {
                let is_own = line.section.project.is(name, key);
                let of = if is_own { &mut self.own } else { &mut self.foreign };
                of.add(&line.text);
            }
        }
    }

    /// Returns how long ago sessions of the project spoke of it: the place of the line among those that were noted, 0 being the last.
    pub(super) fn last_spoken(&self, text: &str) -> Option<usize> {
        let shared = self.own.shared(&subject_words(text)).into_iter();
        shared.filter(|(_, words)| *words >= SPOKEN).map(|(line, _)| line).min()
    }

    /// Returns how many words a line shares with one line of this project's sessions at most, and with one of others.
    fn shared(&self, text: &str) -> (usize, usize) {
        let words = subject_words(text);
        (self.own.most_shared(&words), self.foreign.most_shared(&words))
    }

    /// Whether sessions of the project speak of it, and no less than those of others.
    pub(super) fn is_own(&self, text: &str) -> bool {
        let (own, foreign) = self.shared(text);
        own >= SPOKEN && own >= foreign
    }

    /// Whether sessions of other projects speak of it more than this project's.
    pub(super) fn is_foreign(&self, text: &str) -> bool {
        let (own, foreign) = self.shared(text);
        foreign >= SPOKEN && foreign > own
    }

    /// Returns the headings under which facts of the project stand: those that its name is in, or of whose lines it spoke most.
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
