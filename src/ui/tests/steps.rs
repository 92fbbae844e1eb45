use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::*;
use crate::request::Tab;
use crate::state::{Bar, Focus};
use tars_service::memory::{MemoryLine, PromoteTo, Settlement};

fn memory_line(id: &str) -> MemoryLine {
    MemoryLine {
        id: id.into(),
        path: "tars/Memory.md".into(),
        line: 7,
        heading: "Facts".into(),
        text: "The pump drains.".into(),
    }
}

#[test]
fn the_search_gets_back_the_focus_that_it_had() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", hits(2));
    press(&mut state, KeyCode::Esc);
    press(&mut state, KeyCode::Char('3'));
    press(&mut state, KeyCode::Char('1'));
    assert_eq!((state.tab, state.focus), (Tab::Search, Focus::List));
    press(&mut state, KeyCode::Char('1'));
    assert_eq!(state.focus, Focus::List, "the same tab again changes nothing");
    press(&mut state, KeyCode::Esc);
    alt(&mut state, '3');
    press(&mut state, KeyCode::Char('1'));
    assert_eq!(state.focus, Focus::Query);
}

#[test]
fn the_hint_of_a_narrow_terminal_names_the_way_to_the_list_and_back() {
    for (columns, query, list) in [(60, "Esc list  F1 keys", "Esc question  ? keys"), (40, "Esc list", "Esc question")]
    {
        let mut state = picker(columns, 15);
        ask(&mut state, "pump", hits(2));
        assert!(screen(&state).ends_with(query));
        press(&mut state, KeyCode::Esc);
        assert!(screen(&state).ends_with(list));
    }
}

#[test]
fn a_message_goes_with_the_next_key() {
    for code in [KeyCode::Down, KeyCode::PageDown, KeyCode::Esc] {
        let mut state = picker(80, 24);
        ask(&mut state, "pump", hits(2));
        state.message = "opened n0.md:7".into();
        press(&mut state, code);
        assert_eq!(state.said(), "");
    }
}

#[test]
fn letters_are_keys_in_the_list_and_text_in_the_question() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", hits(3));
    press(&mut state, KeyCode::Down);
    let Some(Action::Open(place)) = press(&mut state, KeyCode::Enter) else { panic!() };
    assert_eq!((place.path.as_str(), place.line), ("n1.md", 7));
    assert_eq!(alt(&mut state, 'i'), Some(Action::Copy { label: "id", text: "0655909e".into() }));
    press(&mut state, KeyCode::Esc);
    assert_eq!(state.focus, Focus::List);
    let copied = |state: &mut State, letter| press(state, KeyCode::Char(letter));
    let text = "/home/ada/notes/n1.md".to_owned();
    assert_eq!(copied(&mut state, 'p'), Some(Action::Copy { label: "path", text }));
    assert_eq!(copied(&mut state, 'l'), Some(Action::Copy { label: "link", text: "[[n1]]".into() }));
    assert_eq!(copied(&mut state, 'e'), Some(Action::Ask(Request::Expand { id: "0655909e".into(), line: 7 })));
    assert_eq!(state.query.text(), "pump");
    press(&mut state, KeyCode::Char('/'));
    assert_eq!(state.focus, Focus::Query);
    assert_eq!(alt(&mut state, 'q'), Some(Action::Quit));
    let quit = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(state.handle(&Event::Key(quit)), Some(Action::Quit));
}

#[test]
fn a_line_is_forgotten_only_after_it_was_shown_and_confirmed() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", vec![hit("tars/Memory.md", "Facts", 0.9, "The pump drains.")]);
    let find = Request::FindLine { query: "The pump drains.".into(), path: "tars/Memory.md".into(), line: 7 };
    assert_eq!(alt(&mut state, 'f'), Some(Action::Ask(find)));
    let then = Box::new(Request::Forget(Box::new(memory_line("0655909e"))));
    let confirm = Reply::Confirm { question: "forget this line?".into(), line: "The pump drains.".into(), then };
    for key in [KeyCode::Char('n'), KeyCode::Esc, KeyCode::Enter] {
        state.apply(confirm.clone());
        assert_eq!((press(&mut state, key), state.bar.clone()), (None, None), "{key:?} is no");
        assert_eq!(state.message, "nothing was changed");
        alt(&mut state, 'f');
    }
    state.apply(confirm);
    assert!(screen(&state).contains("The pump drains.\nforget this line? [y/N]"), "{}", screen(&state));
    let forget = Request::Forget(Box::new(memory_line("0655909e")));
    assert_eq!(press(&mut state, KeyCode::Char('y')), Some(Action::Ask(forget)));
    // The hits are asked for again, and the message stays.
    let again = state.apply(Reply::Done("removed the line".into()));
    assert!(matches!(again, Some(Action::Ask(Request::Search { .. }))) && state.message == "removed the line");
}

#[test]
fn a_line_is_edited_before_it_is_remembered() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", hits(1));
    alt(&mut state, 'm');
    type_in(&mut state, "s?");
    let Some(Action::Ask(request)) = press(&mut state, KeyCode::Enter) else { panic!() };
    let remember = |replace, force| Request::Remember { text: "words?".into(), replace, force };
    assert_eq!(request, remember(None, false));
    let near = Reply::Near { text: "words?".into(), id: "0655909e".into(), line: "words!".into() };
    state.apply(near.clone());
    assert_eq!(press(&mut state, KeyCode::Char('x')), None);
    assert!(matches!(state.bar, Some(Bar::Near { .. })), "another letter decides nothing");
    assert_eq!(press(&mut state, KeyCode::Char('r')), Some(Action::Ask(remember(Some("0655909e".into()), false))));
    state.apply(near);
    assert_eq!(press(&mut state, KeyCode::Char('a')), Some(Action::Ask(remember(None, true))));
}

#[test]
fn a_review_promotes_at_once_and_confirms_a_removal() {
    let mut state = picker(80, 24);
    assert_eq!(alt(&mut state, '5'), Some(Action::Ask(Request::Tab(Tab::Review))));
    let waiting = Item::of_line(Kind::Waiting(memory_line("a1b2c3d4")), None, "Run the tests first.");
    let proposal = Item { kind: Kind::Proposal("p1".into()), name: "add it".into(), ..Item::default() };
    state.apply(Reply::Tab(Tab::Review, vec![waiting, proposal]));
    let settle = |settlement| Action::Ask(Request::Settle { line: Box::new(memory_line("a1b2c3d4")), settlement });
    let rule = Settlement::Promote { to: PromoteTo::Procedural, text: None, replace: None };
    assert_eq!(press(&mut state, KeyCode::Char('P')), Some(settle(rule)));
    assert_eq!(press(&mut state, KeyCode::Char('n')), None);
    assert_eq!(press(&mut state, KeyCode::Char('y')), Some(settle(Settlement::Drop)));
    press(&mut state, KeyCode::Down);
    let accept = Request::Decide { id: "p1".into(), accept: true };
    assert_eq!(press(&mut state, KeyCode::Char('y')), Some(Action::Ask(accept)));
}

#[test]
fn the_mouse_selects_opens_and_scrolls() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", hits(12));
    let mut at = |kind, column, row| {
        let mouse = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        let action = state.handle(&Event::Mouse(mouse));
        (action, state.page().selected, state.page().scroll)
    };
    let click = MouseEventKind::Down(MouseButton::Left);
    assert_eq!(at(click, 5, 2 + 4 * 2), (None, 2, 0));
    assert!(matches!(at(click, 5, 2 + 4 * 2), (Some(Action::Open(_)), 2, 0)));
    assert_eq!(at(MouseEventKind::ScrollDown, 5, 5), (None, 3, 0));
    assert_eq!(at(MouseEventKind::ScrollDown, 60, 5), (None, 3, 3));
    assert_eq!(at(MouseEventKind::ScrollUp, 60, 5), (None, 3, 0));
    for _ in 0..99 {
        at(MouseEventKind::ScrollDown, 60, 5);
    }
    let (_, _, scroll) = at(MouseEventKind::ScrollDown, 60, 5);
    assert_eq!(scroll, 62 - 21, "two rows of the heading and sixty of the text, 21 of them in sight");
    assert!(matches!(at(click, 15, 0).0, Some(Action::Ask(Request::Tab(Tab::Today)))));
    assert_eq!(at(click, 79, 23), (None, 0, 0));
}

#[test]
fn related_notes_lie_over_the_hits() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", hits(2));
    let Some(Action::Ask(Request::Related { name, .. })) = alt(&mut state, 'r') else { panic!() };
    assert_eq!(name, "0655909e");
    state.apply(Reply::Related { title: "related to n0.md".into(), items: hits(1), remark: None });
    assert!(screen(&state).contains("related to n0.md: 1 note; Esc goes back"));
    press(&mut state, KeyCode::Esc);
    assert_eq!((state.page().items.len(), state.over.is_none()), (2, true));
}

#[test]
fn late_related_notes_do_not_take_the_keys_away() {
    let late = Reply::Related { title: "related to n0.md".into(), items: hits(1), remark: None };
    let typing = |state: &mut State| type_in(state, "s");
    let selecting = |state: &mut State| press(state, KeyCode::Down);
    let tab = |state: &mut State| alt(state, '3');
    for goes_on in [typing as fn(&mut State) -> Option<Action>, selecting, tab] {
        let mut state = picker(80, 24);
        ask(&mut state, "pump", hits(2));
        alt(&mut state, 'r');
        goes_on(&mut state);
        let (tab, focus, selected) = (state.tab, state.focus, state.page().selected);
        state.apply(late.clone());
        assert_eq!((state.tab, state.focus, state.page().selected), (tab, focus, selected));
        assert!(state.over.is_none() && state.message.contains("found late"), "{}", state.message);
    }
}

#[test]
fn a_late_question_is_not_answered_by_a_letter_of_the_next_one() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", vec![hit("tars/Memory.md", "Facts", 0.9, "The pump drains.")]);
    let forget = Box::new(Request::Forget(Box::new(memory_line("0655909e"))));
    alt(&mut state, 'f');
    type_in(&mut state, "s in");
    state.apply(Reply::Confirm { question: "forget this line?".into(), line: "The pump.".into(), then: forget });
    assert_eq!((state.bar.clone(), state.message.contains("you went on")), (None, true));
    assert!(matches!(type_in(&mut state, " my"), Some(Action::Ask(Request::Search { .. }))));

    alt(&mut state, 'm');
    press(&mut state, KeyCode::Enter);
    type_in(&mut state, "r");
    state.apply(Reply::Near { text: "The pump drains.".into(), id: "a1".into(), line: "The pump drains?".into() });
    assert_eq!(state.bar, None);
    alt(&mut state, 'm');
    let Some(Bar::Text { input, .. }) = &state.bar else { panic!() };
    assert_eq!(input.text(), "The pump drains.", "the text is not lost");
}

#[test]
fn the_text_of_a_related_note_is_fetched_when_it_is_selected() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", hits(1));
    alt(&mut state, 'r');
    let near = Item { kind: Kind::Related("b.md:4".into()), text: String::new(), ..hit("b.md", "B", 0.5, "x") };
    state.apply(Reply::Related { title: "related".into(), items: vec![near], remark: None });
    let Some(Request::Note { key, place }) = state.missing_text() else { panic!() };
    assert_eq!((key.as_str(), place.path.as_str()), ("b.md:4", "b.md"));
    state.apply(Reply::Text { id: key, text: "Beds of leeks".into(), line: 0 });
    assert_eq!(state.item().unwrap().shown(), "Beds of leeks");
    assert_eq!(press(&mut state, KeyCode::Char('i')), None);
    assert_eq!(state.message, "there is no id to copy");
    let stop = KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL);
    assert_eq!(state.handle(&Event::Key(stop)), Some(Action::Suspend));
}

#[test]
fn a_text_is_fetched_once() {
    let mut state = picker(80, 24);
    alt(&mut state, '4');
    let session = |id: &str| Item { kind: Kind::Session(id.into()), name: id.into(), ..Item::default() };
    state.apply(Reply::Tab(Tab::Sessions, vec![session("one"), session("two")]));
    assert_eq!(state.missing_text(), Some(Request::Session("one".into())));
    assert_eq!(state.missing_text(), None);
    press(&mut state, KeyCode::Down);
    assert_eq!(state.missing_text(), Some(Request::Session("two".into())));
    state.apply(Reply::Text { id: "one".into(), text: "Decided: the ditch".into(), line: 0 });
    press(&mut state, KeyCode::Up);
    assert_eq!(state.missing_text(), None);
    assert_eq!(state.item().unwrap().shown(), "Decided: the ditch");
}

#[test]
fn any_key_at_any_size_draws() {
    let keys = [
        KeyCode::Char('a'),
        KeyCode::Char('?'),
        KeyCode::Char('m'),
        KeyCode::Char('战'),
        KeyCode::Esc,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Down,
        KeyCode::Up,
        KeyCode::End,
        KeyCode::PageDown,
        KeyCode::Enter,
        KeyCode::Char('e'),
        KeyCode::F(1),
        KeyCode::Char('f'),
        KeyCode::Char('+'),
        KeyCode::Backspace,
        KeyCode::Home,
    ];
    proptest::proptest!(|(steps in proptest::collection::vec((0..keys.len(), 1..100u16, 1..40u16), 0..30))| {
        let mut state = picker(80, 24);
        state.apply(Reply::Hits(Answer { hits: hits(7), irrelevant: hits(2), has_more: true, ..Answer::default() }));
        for (key, columns, rows) in steps {
            state.handle(&Event::Resize(columns, rows));
            press(&mut state, keys[key]);
            screen(&state);
        }
    });
}
