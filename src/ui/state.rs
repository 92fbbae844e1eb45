//! The state of the picker, and how replies change it. `keys` and `mouse` say how the person's events do.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use crate::input::Input;
use crate::item::{Item, Kind};
use crate::place::Place;
use crate::request::{Reply, Request, Tab};

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
    fn fill(&mut self, items: Vec<Item>, stays: bool) {
        let selected = if stays { self.selected.min(items.len().saturating_sub(1)) } else { 0 };
        let is_same =
            self.items.get(self.selected).map(|item| &item.place) == items.get(selected).map(|item| &item.place);
        self.scroll = if is_same { self.scroll } else { 0 };
        (self.items, self.selected, self.is_loaded) = (items, selected, true);
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
    /// The roots of the collections, for the paths of files.
    pub(crate) roots: HashMap<String, PathBuf>,
    pub(crate) tab: Tab,
    pub(crate) focus: Focus,
    pub(crate) query: Input,
    /// The question of the shown hits, whose words are marked.
    pub(crate) answered: String,
    pub(crate) pages: [Page; 7],
    /// Hits that are not relevant; a key adds them.
    pub(crate) irrelevant: Vec<Item>,
    /// A list over the tab.
    pub(crate) over: Option<Page>,
    pub(crate) bar: Option<Bar>,
    pub(crate) has_help: bool,
    /// The first row of the help that is shown.
    pub(crate) help_row: usize,
    /// The last message.
    pub(crate) message: String,
    /// Remarks on the answer whose hits are shown, such as why it is degraded.
    pub(crate) remarks: Vec<String>,
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
    /// The number of the question whose first hit is opened once it is there.
    pub(crate) opens: Option<u64>,
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

    /// Returns what the last rows say: the last message, else the remarks on the hits in sight.
    pub(crate) fn said(&self) -> Cow<'_, str> {
        if !self.message.is_empty() || !self.shows_hits() {
            return Cow::Borrowed(&self.message);
        }
        let nearest = self.irrelevant.first().filter(|_| self.pages[0].items.is_empty()).map(|nearest| {
            let (name, score) = (&nearest.name, nearest.remark.split(' ').next().unwrap_or_default());
            format!("nothing relevant; nearest: {name} ({score}); Alt-a lists it")
        });
        let parts: Vec<&str> = nearest.as_deref().into_iter().chain(self.remarks.iter().map(String::as_str)).collect();
        Cow::Owned(parts.join("; "))
    }

    /// Whether the person went on since a request was made, and did not wait for its reply.
    fn went_on(&self, is_asked: impl Fn(&Request) -> bool) -> bool {
        self.asked.as_ref().is_some_and(|(at, request)| *at != self.steps || !is_asked(request))
    }

    /// Asks the question as it is typed now. Without one the list is empty.
    pub(crate) fn ask(&mut self) -> Option<Action> {
        self.number += 1;
        self.over = None;
        self.message.clear();
        let query = self.query.text().trim().to_owned();
        if query.is_empty() {
            (self.pages[0], self.irrelevant, self.is_waiting) = (Page::default(), Vec::new(), false);
            self.remarks.clear();
            return None;
        }
        self.is_waiting = true;
        Some(Action::Ask(Request::Search { number: self.number, query }))
    }

    /// Shows a tab, and loads it.
    pub(crate) fn show(&mut self, tab: Tab) -> Option<Action> {
        (self.tab, self.over) = (tab, None);
        self.focus = if tab == Tab::Search { Focus::Query } else { Focus::List };
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

    /// Applies a reply. May return a further step.
    pub(crate) fn apply(&mut self, reply: Reply) -> Option<Action> {
        match reply {
            // Answers to older questions are dropped.
            Reply::Hits { number, .. } | Reply::Unanswered { number, .. } if number != self.number => {}
            Reply::Hits { hits, irrelevant, remarks, .. } => {
                let stays = self.answered == self.query.text();
                self.query.text().clone_into(&mut self.answered);
                self.is_waiting = false;
                (self.irrelevant, self.remarks) = (irrelevant, remarks);
                self.pages[0].fill(hits, stays);
                if self.opens.take() == Some(self.number) && self.shows_hits() && self.item().is_some() {
                    return self.open();
                }
            }
            // The question may be half typed, so the hits stay.
            Reply::Unanswered { problem, .. } => (self.message, self.is_waiting) = (problem, false),
            Reply::Tab(tab, items) => self.pages[tab as usize].fill(items, true),
            Reply::Text { id, text } => {
                let text = if text.is_empty() { "(no text)".to_owned() } else { text };
                // The person may be on another tab, or on the hits below the related notes.
                for item in self.pages.iter_mut().chain(&mut self.over).flat_map(|page| &mut page.items) {
                    match item.kind {
                        Kind::Hit(_) if item.id() == Some(&id) => item.expanded = Some(text.clone()),
                        _ if item.key() == Some(&id) => item.text.clone_from(&text),
                        _ => {}
                    }
                }
            }
            Reply::Related { title, .. } if self.went_on(|asked| matches!(asked, Request::Related { .. })) => {
                self.message = format!("found late, so not shown: {title}");
            }
            Reply::Related { title, items, remark } => {
                self.message = remark.unwrap_or_default();
                if !items.is_empty() {
                    self.over = Some(Page { title, items, is_loaded: true, ..Page::default() });
                    self.focus = Focus::List;
                }
            }
            // A letter of a question that is being typed must decide nothing.
            Reply::Near { text, line, .. } if self.went_on(|asked| matches!(asked, Request::Remember { .. })) => {
                self.message = format!("not remembered yet, nearly the same is: {line} (m goes on)");
                self.undecided = Some(text);
            }
            Reply::Confirm { question, line, .. }
                if self.went_on(|asked| matches!(asked, Request::FindLine { .. } | Request::FindWrite)) =>
            {
                self.message = format!("not done, because you went on: {question} {line}");
            }
            Reply::Near { text, id, line } => self.bar = Some(Bar::Near { text, id, line }),
            Reply::Confirm { question, line, then } => {
                self.bar = Some(Bar::Confirm { question, line, then: *then });
            }
            Reply::Done(message) => {
                self.message = message;
                return self.reload();
            }
            Reply::Said(message) => self.message = message,
        }
        None
    }
}
