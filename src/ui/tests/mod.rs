//! Whole screens, and the state machine behind them.

mod answers;
mod picture;
mod screens;
mod steps;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use crate::item::{Item, Kind};
use crate::place::Place;
use crate::request::{Answer, Reply, Request};
use crate::state::{Action, State};
use crate::view::draw;
use tars_base::domain::Relevance;

fn hit(name: &str, heading: &str, score: f64, text: &str) -> Item {
    let relevance = Relevance::of_score(score);
    Item {
        kind: Kind::Hit("0655909e".into()),
        place: Some(Place::in_vault(name, 7)),
        name: format!("{name}:7"),
        heading: heading.into(),
        remark: format!("{score:.2} {}", relevance.as_str()),
        relevance: Some(relevance),
        line: text.lines().next().unwrap().into(),
        text: text.into(),
        expanded: None,
    }
}

fn hits(count: usize) -> Vec<Item> {
    (0..count).map(|number| hit(&format!("n{number}.md"), "H", 0.9, &["word"; 60].join("\n"))).collect()
}

/// A picker of this size.
fn picker(columns: u16, rows: u16) -> State {
    let mut state = State { size: (columns, rows), ..State::default() };
    state.roots.insert("vault".into(), "/home/ada/notes".into());
    state
}

fn press(state: &mut State, code: KeyCode) -> Option<Action> {
    state.handle(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn alt(state: &mut State, letter: char) -> Option<Action> {
    state.handle(&Event::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::ALT)))
}

/// Types letters, and returns the last question.
fn type_in(state: &mut State, text: &str) -> Option<Action> {
    text.chars().map(|letter| press(state, KeyCode::Char(letter))).last().flatten()
}

/// Types a question, and answers it.
fn ask(state: &mut State, question: &str, hits: Vec<Item>) {
    let Some(Action::Ask(Request::Search { number, .. })) = type_in(state, question) else { panic!("no question") };
    state.apply(Reply::Hits(Answer { number, hits, ..Answer::default() }));
}

/// Returns the screen, without blanks at the ends of lines.
fn screen(state: &State) -> String {
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).unwrap();
    terminal.draw(|frame| draw(frame, state)).unwrap();
    let buffer = terminal.backend().buffer();
    let rows = buffer.content().chunks(buffer.area.width.into()).map(|cells| {
        let mut row = String::new();
        let mut hidden = 0;
        for cell in cells {
            if hidden == 0 {
                row.push_str(cell.symbol());
                hidden = crate::snippet::columns(cell.symbol());
            }
            hidden = hidden.saturating_sub(1);
        }
        row.trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}
