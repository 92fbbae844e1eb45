//! The state of the picker. `keys` and `mouse` say how the person's events change it, `replies` how answers do, `status` says what the
//! last rows tell about it.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::input::Input;
use crate::item::{Item, Kind};
use crate::names::Names;
use crate::place::Place;
use crate::request::{MOST_HITS, Request, Tab};

/// Where typed letters go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Focus {
    /// Into the question.
    #[default]
    Query,
    /// They are keys for the list.
    List,
}

/// A list of entries, one of which is selected.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Page {
    /// Its title, if it lies over a tab.
    pub(crate) title: String,
    pub(crate) items: Vec<Item>,
    pub(crate) selected: usize,
    /// The first row of the text that is shown.
    pub(crate) scroll: usize,
    /// Whether its entries have arrived.
    pub(crate) is_loaded: bool,
}

impl Page {
    /// Replaces the entries. The selection stays where it is if `stays`.
    pub(crate) fn fill(&mut self, items: Vec<Item>, stays: bool) {
        let selected = if stays { self.selected.min(items.len().saturating_sub(1)) } else { 0 };
        let is_same =
            self.items.get(self.selected).map(|item| &item.place) == items.get(selected).map(|item| &item.place);
        // A new entry shows its short text.
        let was_expanded = self.item().is_some_and(|item| item.expanded.is_some());
        self.scroll = if is_same && !was_expanded { self.scroll } else { 0 };
        (self.items, self.selected, self.is_loaded) = (items, selected, true);
    }

    /// Adds the entries that the list does not have.
    pub(crate) fn grow(&mut self, items: Vec<Item>) {
        let is_new = |item: &Item| !self.items.iter().any(|one| (&one.kind, &one.place) == (&item.kind, &item.place));
        let new: Vec<Item> = items.into_iter().filter(is_new).collect();
        self.items.extend(new);
    }

    /// Selects an entry.
    pub(crate) fn select(&mut self, at: usize) {
        let at = at.min(self.items.len().saturating_sub(1));
        if at != self.selected {
            (self.selected, self.scroll) = (at, 0);
        }
    }

    pub(crate) fn item(&self) -> Option<&Item> {
        self.items.get(self.selected)
    }
}

/// The question in the bar at the bottom.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Bar {
    /// A step that y confirms.
    Confirm { question: String, line: String, then: Request },
    /// A line of text.
    Text { asks: Asks, input: Input },
    /// Whether to add a line that is nearly remembered already.
    Near { text: String, id: String, line: String },
}

/// The line of text that a bar asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    Remember,
    Good,
    Wrong,
}

impl Asks {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Remember => "remember: ",
            Self::Good => "an agent did well: ",
            Self::Wrong => "an agent did wrong: ",
        }
    }

    pub(crate) fn request(self, text: &str) -> Request {
        let text = text.trim().to_owned();
        match self {
            Self::Remember => Request::Remember { text, replace: None, force: false },
            Self::Good | Self::Wrong => Request::Feedback { good: self == Self::Good, note: text },
        }
    }
}

/// A step outside of the state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// The worker answers.
    Ask(Request),
    /// The command line opens a note.
    Open(Place),
    /// The terminal copies a text. The label names it.
    Copy { label: &'static str, text: String },
    /// The screen is drawn again.
    Redraw,
    /// The program stops until the shell continues it.
    Suspend,
    /// The picker ends.
    Quit,
}

/// The state of the picker.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Columns and rows of the screen.
    pub(crate) size: (u16, u16),
    /// Whether there are colours.
    pub(crate) color: bool,
    /// How messages name a key.
    pub(crate) names: Names,
    /// The roots of the collections, for the paths of files.
    pub(crate) roots: HashMap<String, PathBuf>,
    pub(crate) tab: Tab,
    pub(crate) focus: Focus,
    /// The focus that the tab of the search had when another tab was shown.
    pub(crate) search_focus: Focus,
    pub(crate) query: Input,
    /// The question of the shown hits, whose words are marked.
    pub(crate) answered: String,
    pub(crate) pages: [Page; 7],
    /// Hits that are not relevant; a key adds them.
    pub(crate) irrelevant: Vec<Item>,
    /// Whether that key was pressed for this question.
    pub(crate) lists_irrelevant: bool,
    /// Hits to ask for beyond the usual number.
    pub(crate) extra: usize,
    /// Whether there may be hits beyond those of the answer.
    pub(crate) has_more: bool,
    /// Whether the answer under way adds hits to the list.
    pub(crate) grows: bool,
    /// A list over the tab.
    pub(crate) over: Option<Page>,
    pub(crate) bar: Option<Bar>,
    pub(crate) has_help: bool,
    /// The first row of the help that is shown.
    pub(crate) help_row: usize,
    /// The last message.
    pub(crate) message: String,
    /// Remarks on the answer whose hits are shown.
    pub(crate) remarks: Vec<String>,
    /// Why that answer is degraded.
    pub(crate) degraded: Option<String>,
    /// The last such reason that the person has seen, without its numbers. It is not shown again.
    pub(crate) seen_reason: String,
    /// The number of keys, clicks and pastes so far.
    pub(crate) steps: u64,
    /// That number at the last request whose reply changes what the next key does. If the person has gone on since, it must not.
    pub(crate) asked: Option<(u64, Request)>,
    /// A text to remember that the person still has to decide on.
    pub(crate) undecided: Option<String>,
    /// The number of the newest question.
    pub(crate) number: u64,
    /// Whether that question waits for its answer.
    pub(crate) is_waiting: bool,
    /// Whether an answer is under way for so long that the person wonders.
    pub(crate) is_late: bool,
    /// Whether the selected hit, which answers an older question, is opened if the answer contains it too.
    pub(crate) opens: bool,
}

impl State {
    /// Returns the list in sight.
    pub(crate) fn page(&self) -> &Page {
        self.over.as_ref().unwrap_or(&self.pages[self.tab as usize])
    }

    pub(crate) fn page_mut(&mut self) -> &mut Page {
        self.over.as_mut().unwrap_or(&mut self.pages[self.tab as usize])
    }

    /// Returns the selected entry.
    pub(crate) fn item(&self) -> Option<&Item> {
        self.page().item()
    }

    /// Whether the list in sight holds the hits of the question.
    pub(crate) fn shows_hits(&self) -> bool {
        self.tab == Tab::Search && self.over.is_none()
    }

    /// Whether the last answer is that of the typed question.
    pub(crate) fn is_answered(&self) -> bool {
        self.answered.trim() == self.query.text().trim()
    }

    /// Whether the person went on since a request was made, and did not wait for its reply.
    pub(crate) fn went_on(&self, is_asked: impl Fn(&Request) -> bool) -> bool {
        self.asked.as_ref().is_some_and(|(at, request)| *at != self.steps || !is_asked(request))
    }

    /// Asks the question as it is typed now. Without one the list is empty.
    pub(crate) fn ask(&mut self) -> Option<Action> {
        self.number += 1;
        (self.over, self.grows) = (None, false);
        self.message.clear();
        if !self.is_answered() {
            (self.extra, self.lists_irrelevant) = (0, false);
        }
        let query = self.query.text().trim().to_owned();
        if query.is_empty() {
            (self.pages[0], self.irrelevant, self.is_waiting) = (Page::default(), Vec::new(), false);
            (self.remarks, self.degraded) = (Vec::new(), None);
            return None;
        }
        self.is_waiting = true;
        Some(Action::Ask(Request::Search { number: self.number, query, extra: self.extra }))
    }

    /// Asks for twice as many hits. If there are no more, says so to a person who goes on past the last one.
    pub(crate) fn more(&mut self, goes_on: bool) -> Option<Action> {
        let count = self.pages[0].items.len();
        if !self.shows_hits() || self.is_waiting || count == 0 || !self.is_answered() {
            return None;
        }
        // Irrelevant hits are the last ones.
        if self.has_more && self.irrelevant.is_empty() {
            self.extra += count;
            let action = self.ask();
            self.grows = true;
            return action;
        }
        if goes_on {
            self.message = match self.irrelevant.len() {
                0 if 2 * count > MOST_HITS => format!("these are the first {count} hits: further words find fewer"),
                0 => "there are no more hits".into(),
                more => format!("no more relevant hits; {} adds {more} irrelevant", self.names.of('a')),
            };
        }
        None
    }

    /// Shows a tab, and loads it.
    pub(crate) fn show(&mut self, tab: Tab) -> Option<Action> {
        if self.tab == Tab::Search {
            self.search_focus = self.focus;
        }
        (self.tab, self.over) = (tab, None);
        self.focus = match tab {
            Tab::Search if self.pages[0].items.is_empty() => Focus::Query,
            Tab::Search => self.search_focus,
            _ => Focus::List,
        };
        self.message.clear();
        self.reload()
    }

    /// Loads the tab again.
    pub(crate) fn reload(&mut self) -> Option<Action> {
        if self.tab != Tab::Search {
            return Some(Action::Ask(Request::Tab(self.tab)));
        }
        let message = std::mem::take(&mut self.message);
        let action = if self.over.is_some() { None } else { self.ask() };
        self.message = message;
        action
    }

    /// Returns the request for the text of the selected entry, if that text is not there yet.
    pub(crate) fn missing_text(&mut self) -> Option<Request> {
        let page = self.page_mut();
        let item = page.items.get_mut(page.selected).filter(|item| item.text.is_empty())?;
        let request = match &item.kind {
            Kind::Session(id) => Request::Session(id.clone()),
            Kind::Recalled(id) => Request::Recalled(id.clone()),
            Kind::Related(key) => Request::Note { key: key.clone(), place: item.place.clone()? },
            _ => return None,
        };
        item.text = "…".into();
        Some(request)
    }
}
