//! The keys: how an event of the terminal changes the state.

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEventKind};

use crate::input::Input;
use crate::item::Kind;
use crate::layout::{Regions, last_help_row, last_scroll};
use crate::place::wikilink;
use crate::request::{Request, Tab};
use crate::state::{Action, Asks, Bar, Focus, State};
use tars_service::VAULT;
use tars_service::memory::{PromoteTo, Settlement};

impl State {
    /// Applies an event of the terminal. May return a step outside of the state.
    pub(crate) fn handle(&mut self, event: &Event) -> Option<Action> {
        let is_step = match event {
            Event::Key(key) => key.kind != KeyEventKind::Release,
            Event::Mouse(mouse) => matches!(mouse.kind, MouseEventKind::Down(_)),
            Event::Paste(_) => true,
            _ => false,
        };
        let is_wheel = matches!(
            event,
            Event::Mouse(mouse) if matches!(mouse.kind, MouseEventKind::ScrollUp | MouseEventKind::ScrollDown)
        );
        self.steps += u64::from(is_step);
        let reason_of = self.shows_reason().then(|| self.query.text().to_owned());
        if is_step || is_wheel {
            self.message.clear();
            self.opens = false;
        }
        let action = self.applied(event);
        // Somebody who types on has not looked at the last row yet.
        if is_step && reason_of.is_some_and(|query| query == self.query.text()) {
            self.leave_reason();
        }
        if let Some(Action::Ask(
            request @ (Request::Related { .. }
            | Request::Remember { .. }
            | Request::FindLine { .. }
            | Request::FindWrite),
        )) = &action
        {
            self.asked = Some((self.steps, request.clone()));
        }
        action
    }

    fn applied(&mut self, event: &Event) -> Option<Action> {
        match event {
            Event::Resize(columns, rows) => self.size = (*columns, *rows),
            Event::Paste(text) => return self.paste(text),
            Event::Mouse(mouse) => return self.mouse(*mouse),
            Event::Key(key) if key.kind != KeyEventKind::Release => return self.key(*key),
            _ => {}
        }
        None
    }

    fn paste(&mut self, text: &str) -> Option<Action> {
        match &mut self.bar {
            Some(Bar::Text { input, .. }) => input.insert(text),
            None if self.focus == Focus::Query && !self.has_help => {
                self.query.insert(text);
                return self.ask();
            }
            _ => {}
        }
        None
    }

    fn key(&mut self, key: KeyEvent) -> Option<Action> {
        let (control, alt) = (key.modifiers.contains(KeyModifiers::CONTROL), key.modifiers.contains(KeyModifiers::ALT));
        match key.code {
            KeyCode::Char('c') if control => return Some(Action::Quit),
            KeyCode::Char('l') if control => return Some(Action::Redraw),
            KeyCode::Char('z') if control => return Some(Action::Suspend),
            _ if self.has_help => return self.help_key(key),
            _ if self.bar.is_some() => return self.bar_key(key),
            KeyCode::F(1) => self.help(true),
            KeyCode::Tab => return self.show(self.neighbour(1)),
            KeyCode::BackTab => return self.show(self.neighbour(Tab::ALL.len() - 1)),
            KeyCode::Up => return self.step(-1),
            KeyCode::Down => return self.step(1),
            KeyCode::Char('p') if control => return self.step(-1),
            KeyCode::Char('n') if control => return self.step(1),
            KeyCode::PageUp => self.scroll(-self.page_rows()),
            KeyCode::PageDown => self.scroll(self.page_rows()),
            KeyCode::Enter => return self.open(),
            KeyCode::Esc => return self.back(),
            KeyCode::Char(letter) if alt && !control => return self.command(letter),
            KeyCode::Char('?') if self.focus == Focus::Query && self.query.text().is_empty() => self.help(true),
            _ if self.focus == Focus::Query => {
                let before = self.query.text().to_owned();
                if self.query.edit(key) && self.query.text() != before {
                    return self.ask();
                }
            }
            KeyCode::Home => self.page_mut().select(0),
            KeyCode::End => return self.step(isize::MAX),
            KeyCode::Char(letter) if !control => return self.command(letter),
            _ => {}
        }
        None
    }

    /// Applies a key of the list.
    pub(crate) fn command(&mut self, letter: char) -> Option<Action> {
        self.message.clear();
        match letter {
            'q' => return Some(Action::Quit),
            '?' => self.help(true),
            '/' => {
                let was_search = self.tab == Tab::Search;
                (self.tab, self.over, self.focus) = (Tab::Search, None, Focus::Query);
                return if was_search { None } else { self.reload() };
            }
            '1'..='7' => return self.show(Tab::ALL[letter as usize - '1' as usize]),
            'k' => return self.step(-1),
            'j' => return self.step(1),
            'o' => return self.open(),
            'p' | 'l' | 'i' | 't' => return self.copy(letter),
            'e' => return self.expand(),
            'r' => return self.related(),
            'a' => self.add_irrelevant(),
            'm' => {
                let line =
                    self.undecided.take().or_else(|| self.item().map(|item| item.line.clone())).unwrap_or_default();
                self.bar = Some(Bar::Text { asks: Asks::Remember, input: Input::new(&line) });
            }
            '+' => self.bar = Some(Bar::Text { asks: Asks::Good, input: Input::default() }),
            '-' => self.bar = Some(Bar::Text { asks: Asks::Wrong, input: Input::default() }),
            'f' => return self.forget(),
            'U' => return Some(Action::Ask(Request::Undo { redo: true })),
            'u' => return Some(Action::Ask(Request::FindWrite)),
            'y' | 'n' | 'P' => return self.decide(letter),
            _ => {}
        }
        None
    }

    fn bar_key(&mut self, key: KeyEvent) -> Option<Action> {
        let bar = self.bar.take()?;
        match (bar, key.code) {
            (Bar::Text { asks, input }, KeyCode::Enter) => {
                return match input.text().trim().is_empty() {
                    true => self.say("nothing was written"),
                    false => Some(Action::Ask(asks.request(input.text()))),
                };
            }
            (Bar::Text { asks, mut input }, code) if code != KeyCode::Esc => {
                input.edit(key);
                self.bar = Some(Bar::Text { asks, input });
            }
            (Bar::Confirm { then, .. }, KeyCode::Char('y' | 'Y')) => return Some(Action::Ask(then)),
            (Bar::Near { text, .. }, KeyCode::Char('a')) => {
                return Some(Action::Ask(Request::Remember { text, replace: None, force: true }));
            }
            (Bar::Near { text, id, .. }, KeyCode::Char('r')) => {
                return Some(Action::Ask(Request::Remember { text, replace: Some(id), force: false }));
            }
            // A slip of the finger must not hide the question.
            (bar @ Bar::Near { .. }, KeyCode::Char(letter)) if letter != 'l' => self.bar = Some(bar),
            _ => return self.say("nothing was changed"),
        }
        None
    }

    fn help_key(&mut self, key: KeyEvent) -> Option<Action> {
        let page = isize::from(Regions::of(self).help.height.cast_signed()).max(2) - 1;
        match key.code {
            _ if last_help_row(self) == 0 => self.help(false),
            KeyCode::Up => self.scroll_help(-1),
            KeyCode::Down => self.scroll_help(1),
            KeyCode::PageUp => self.scroll_help(-page),
            KeyCode::PageDown => self.scroll_help(page),
            _ => self.help(false),
        }
        None
    }

    pub(crate) fn scroll_help(&mut self, by: isize) {
        self.help_row = self.help_row.saturating_add_signed(by).min(last_help_row(self));
    }

    fn help(&mut self, shown: bool) {
        (self.has_help, self.help_row) = (shown, 0);
    }

    /// Shows a message; no further step follows.
    fn say(&mut self, message: &str) -> Option<Action> {
        message.clone_into(&mut self.message);
        None
    }

    fn neighbour(&self, steps: usize) -> Tab {
        Tab::ALL[(self.tab as usize + steps) % Tab::ALL.len()]
    }

    /// Selects another entry. At the last hit the list grows.
    pub(crate) fn step(&mut self, by: isize) -> Option<Action> {
        let page = self.page_mut();
        let before = page.selected;
        page.select(before.saturating_add_signed(by));
        match by > 0 && page.selected + 1 >= page.items.len() {
            true => {
                let goes_on = page.selected == before;
                self.more(goes_on)
            }
            false => None,
        }
    }

    /// Scrolls the text, as far as there is some.
    pub(crate) fn scroll(&mut self, by: isize) {
        let most = self.item().map_or(0, |item| last_scroll(item, Regions::of(self).text));
        let page = self.page_mut();
        page.scroll = page.scroll.saturating_add_signed(by).min(most);
    }

    fn page_rows(&self) -> isize {
        Regions::of(self).text.height.saturating_sub(1).max(1).cast_signed().into()
    }

    /// Leaves what lies over the tab, then changes between the question and the list.
    fn back(&mut self) -> Option<Action> {
        if self.over.take().is_some() {
            self.message.clear();
        } else if self.tab != Tab::Search {
            return self.command('/');
        } else {
            let has_list = !self.pages[0].items.is_empty();
            self.focus = if self.focus == Focus::Query && has_list { Focus::List } else { Focus::Query };
        }
        None
    }

    /// Opens the selected entry. As long as the list holds the hits of an older question, it waits for the answer, and opens the hit
    /// only if the answer has it too.
    pub(crate) fn open(&mut self) -> Option<Action> {
        if self.shows_hits() && self.is_waiting && !self.is_answered() {
            self.opens = true;
            return self.say(match self.item() {
                Some(_) => "opens this hit if the new question finds it too",
                None => "the answer is not there yet",
            });
        }
        match self.item().and_then(|item| item.place.clone()) {
            Some(place) => Some(Action::Open(place)),
            None => self.say("there is no note to open"),
        }
    }

    fn copy(&mut self, letter: char) -> Option<Action> {
        let Some(item) = self.item() else { return self.say("there is nothing to copy") };
        let place = item.place.as_ref();
        let copied = match letter {
            'p' => (
                "path",
                place
                    .and_then(|place| Some(self.roots.get(&place.collection)?.join(&place.path)))
                    .map(|file| file.to_string_lossy().into_owned()),
            ),
            'l' => ("link", place.map(|place| wikilink(&place.path))),
            'i' => ("id", item.id().map(str::to_owned)),
            _ => ("text", Some(item.shown().to_owned()).filter(|text| !text.is_empty())),
        };
        match copied {
            (label, Some(text)) => Some(Action::Copy { label, text }),
            (label, None) => self.say(&format!("there is no {label} to copy")),
        }
    }

    fn expand(&mut self) -> Option<Action> {
        let page = self.page_mut();
        let item = page.items.get_mut(page.selected)?;
        page.scroll = 0;
        if item.expanded.take().is_some() {
            return None;
        }
        let line = item.place.as_ref().map_or(0, |place| place.line);
        match &item.kind {
            Kind::Hit(id) => Some(Action::Ask(Request::Expand { id: id.clone(), line })),
            _ => self.say(&format!("this is the whole text; {} opens the note", self.names.of('o'))),
        }
    }

    fn related(&mut self) -> Option<Action> {
        let Some((item, place)) = self.item().and_then(|item| Some((item, item.place.as_ref()?))) else {
            return self.say("there is no note");
        };
        let name = match &item.kind {
            Kind::Hit(id) => id.clone(),
            _ => place.path.clone(),
        };
        let request = Request::Related { name, collection: place.collection.clone() };
        "looks for related notes…".clone_into(&mut self.message);
        Some(Action::Ask(request))
    }

    fn add_irrelevant(&mut self) {
        let irrelevant = std::mem::take(&mut self.irrelevant);
        if self.shows_hits() && !irrelevant.is_empty() {
            self.pages[0].items.extend(irrelevant);
            self.lists_irrelevant = true;
        } else {
            self.irrelevant = irrelevant;
            self.message = "all hits are listed".into();
        }
    }

    /// Asks for the line to forget; the worker finds it before the person confirms.
    fn forget(&mut self) -> Option<Action> {
        let item = self.item()?;
        let (query, path, line) = match (&item.kind, &item.place) {
            (Kind::Line(line) | Kind::Waiting(line), _) => (line.id.clone(), line.path.clone(), line.line),
            (Kind::Hit(_) | Kind::Note, Some(place)) if place.collection == VAULT && !item.line.is_empty() => {
                (item.line.clone(), place.path.clone(), place.line)
            }
            _ => return self.say("this is no line of the memory folder; tars removes no other"),
        };
        Some(Action::Ask(Request::FindLine { query, path, line }))
    }

    /// Decides on what waits for a review. A removal is confirmed first.
    fn decide(&mut self, letter: char) -> Option<Action> {
        let Some(item) = self.item().filter(|_| self.tab == Tab::Review && self.over.is_none()) else {
            let [yes, rule, no] = ['y', 'P', 'n'].map(|key| self.names.of(key));
            return self.say(&format!("{yes}, {rule} and {no} decide in the tab review"));
        };
        let name = item.name.clone();
        let request = match (&item.kind, letter) {
            (Kind::Proposal(id), 'P') => {
                return self.say(&format!("{} accepts the proposal {id}", self.names.of('y')));
            }
            (Kind::Proposal(id), _) => Request::Decide { id: id.clone(), accept: letter == 'y' },
            (Kind::Waiting(line), _) => {
                let promote = |to| Settlement::Promote { to, text: None, replace: None };
                let settlement = match letter {
                    'y' => promote(PromoteTo::Semantic),
                    'P' => promote(PromoteTo::Procedural),
                    _ => Settlement::Drop,
                };
                Request::Settle { line: Box::new(line.clone()), settlement }
            }
            _ => return None,
        };
        if letter == 'n' {
            self.bar = Some(Bar::Confirm { question: "refuse this?".into(), line: name, then: request });
            return None;
        }
        Some(Action::Ask(request))
    }
}
