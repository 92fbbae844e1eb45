//! Questions and their answers.

use super::*;
use crate::layout::Regions;
use crate::request::Tab;
use crate::state::Focus;

#[test]
fn enter_before_the_answer_opens_no_hit_that_the_person_has_not_seen() {
    let after_enter = |answer: Vec<Item>, then: &dyn Fn(&mut State)| {
        let mut state = picker(80, 24);
        ask(&mut state, "pump", hits(2));
        press(&mut state, KeyCode::Down);
        let Some(Action::Ask(Request::Search { number, .. })) = type_in(&mut state, "s") else { panic!() };
        assert_eq!(press(&mut state, KeyCode::Enter), None);
        assert!(state.message.contains("if the new question finds it too"));
        then(&mut state);
        let action = state.apply(Reply::Hits(Answer { number, hits: answer, ..Answer::default() }));
        (action, state.message)
    };
    let (seen, unseen) = (hits(3), hits(3).split_off(2));
    let (Some(Action::Open(place)), _) = after_enter(seen.clone(), &|_| ()) else { panic!() };
    assert_eq!(place.path, "n1.md", "the selected hit is in the answer too");
    assert_eq!(after_enter(unseen, &|_| ()), (None, "the answer is there: Enter opens this hit".into()));
    assert_eq!(after_enter(Vec::new(), &|_| ()), (None, String::new()));
    let goes_on = |state: &mut State| drop(press(state, KeyCode::Up));
    assert_eq!(after_enter(seen, &goes_on), (None, String::new()), "another key takes Enter back");

    let mut state = picker(80, 24);
    type_in(&mut state, "pump");
    assert_eq!(press(&mut state, KeyCode::Enter), None);
    assert_eq!(state.message, "the answer is not there yet");
}

#[test]
fn the_list_grows_at_its_end_until_there_are_no_more_hits() {
    let mut state = picker(80, 24);
    let answer = |state: &State, count, has_more| {
        Reply::Hits(Answer { number: state.number, hits: hits(count), has_more, ..Answer::default() })
    };
    type_in(&mut state, "pump");
    state.apply(answer(&state, 3, true));
    assert_eq!(press(&mut state, KeyCode::Down), None);
    let more = |number, extra| Some(Action::Ask(Request::Search { number, query: "pump".into(), extra }));
    assert_eq!(press(&mut state, KeyCode::Down), more(state.number, 3));
    assert_eq!((press(&mut state, KeyCode::Down), state.message.as_str()), (None, ""), "one request is enough");
    state.apply(answer(&state, 6, true));
    assert_eq!((state.page().selected, state.page().items.len()), (2, 6));
    press(&mut state, KeyCode::Esc);
    assert_eq!(press(&mut state, KeyCode::End), more(state.number, 9));
    state.apply(answer(&state, 6, false));
    assert_eq!((press(&mut state, KeyCode::Down), state.message.as_str()), (None, "there are no more hits"));
    press(&mut state, KeyCode::Up);
    assert_eq!(state.message, "");
    // A write asks again for as many; another question begins anew.
    let again = state.apply(Reply::Done("noted".into()));
    assert_eq!(again, more(state.number, 9));
    state.apply(answer(&state, 5, false));
    assert_eq!(state.page().items.len(), 5, "a line that is gone does not stay in the list");
    press(&mut state, KeyCode::Char('/'));
    let Some(Action::Ask(Request::Search { extra: 0, .. })) = type_in(&mut state, "s") else { panic!() };
}

#[test]
fn the_last_hit_says_how_many_irrelevant_ones_follow() {
    let mut state = picker(80, 24);
    let Some(Action::Ask(Request::Search { number, .. })) = type_in(&mut state, "pump") else { panic!() };
    let irrelevant = hits(5).split_off(2);
    state.apply(Reply::Hits(Answer { number, hits: hits(2), irrelevant, has_more: true, ..Answer::default() }));
    press(&mut state, KeyCode::Down);
    assert_eq!(press(&mut state, KeyCode::Down), None);
    assert_eq!(state.message, "no more relevant hits; Alt-a adds 3 irrelevant");
    alt(&mut state, 'a');
    state.page_mut().select(3);
    let Some(Action::Ask(Request::Search { number, extra: 5, .. })) = press(&mut state, KeyCode::Down) else {
        panic!()
    };
    let irrelevant = hits(8).split_off(2);
    state.apply(Reply::Hits(Answer { number, hits: hits(2), irrelevant, ..Answer::default() }));
    assert_eq!((state.page().items.len(), state.irrelevant.len()), (8, 0), "irrelevant hits stay in the list");
}

#[test]
fn a_late_answer_and_older_hits_are_named() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", hits(2));
    let Some(Action::Ask(Request::Search { number, .. })) = type_in(&mut state, "s") else { panic!() };
    assert_eq!(state.said(), "", "a quick answer needs no remark");
    state.is_late = true;
    assert_eq!(state.said(), "searching…; the hits answer: pump");
    state.is_late = false;
    state.apply(Reply::Unanswered { number, problem: "a quote has no end".into() });
    assert_eq!(state.said(), "a quote has no end; the hits answer: pump");
    press(&mut state, KeyCode::Backspace);
    assert_eq!(state.said(), "");
}

#[test]
fn the_whole_section_begins_at_the_line_of_the_hit() {
    let section: String = (1..=60).map(|line| format!("line {line} {}\n", "of the pump ".repeat(8))).collect();
    for (size, line) in [((80, 24), 29), ((60, 15), 29), ((80, 24), 0)] {
        let mut state = picker(size.0, size.1);
        ask(&mut state, "pump", hits(2));
        assert_eq!(alt(&mut state, 'e'), Some(Action::Ask(Request::Expand { id: "0655909e".into(), line: 7 })));
        state.apply(Reply::Text { id: "0655909e".into(), text: section.clone(), line });
        let shown = screen(&state);
        let first = if line == 0 { "H\n".to_owned() } else { format!("line {} of", line + 1) };
        let row = Regions::of(&state).text.y;
        let at_top = shown.split('\n').nth(row.into()).unwrap();
        assert!(format!("{at_top}\n").contains(&first), "{shown}");
    }
    // The end of a section is no reason for blank rows below it, and without the section its text begins at the top.
    let mut state = picker(80, 24);
    ask(&mut state, "pump", hits(1));
    alt(&mut state, 'e');
    state.apply(Reply::Text { id: "0655909e".into(), text: "one\ntwo\nthree".into(), line: 2 });
    assert_eq!(state.page().scroll, 0);
    state.apply(Reply::Text { id: "0655909e".into(), text: section, line: 40 });
    state.reload();
    state.apply(Reply::Hits(Answer { number: state.number, hits: hits(1), ..Answer::default() }));
    assert_eq!((state.page().scroll, state.item().unwrap().expanded.is_none()), (0, true));
}

#[test]
fn a_degraded_answer_says_so_until_the_person_has_seen_it() {
    let mut state = picker(80, 24);
    let answer = |state: &State, missing| {
        let degraded = Some(format!("{missing} of 9 passages are not embedded yet"));
        Reply::Hits(Answer { number: state.number, hits: hits(2), degraded, ..Answer::default() })
    };
    type_in(&mut state, "pum");
    state.apply(answer(&state, 4));
    type_in(&mut state, "p");
    assert_eq!(state.said(), "4 of 9 passages are not embedded yet", "somebody who types on has not seen it");
    press(&mut state, KeyCode::Down);
    assert_eq!(state.said(), "");
    type_in(&mut state, "s");
    state.apply(answer(&state, 3));
    assert_eq!(state.said(), "", "only its number is new");
}

#[test]
fn a_remark_on_the_hits_hides_no_message_and_stays() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", hits(2));
    state.message = "no editor is set".into();
    let Some(Action::Ask(Request::Search { number, .. })) = state.reload() else { panic!() };
    let remarks = vec!["no note holds 'pmp': looked for 'pump'".to_owned()];
    state.apply(Reply::Hits(Answer { number, hits: hits(2), remarks, ..Answer::default() }));
    assert_eq!(state.said(), "no editor is set");
    press(&mut state, KeyCode::Esc);
    press(&mut state, KeyCode::Char('x'));
    assert_eq!(state.said(), "no note holds 'pmp': looked for 'pump'");
    press(&mut state, KeyCode::Char('3'));
    assert_eq!(state.said(), "", "it belongs to the hits");
    assert!(matches!(press(&mut state, KeyCode::Esc), Some(Action::Ask(Request::Search { .. }))));
    assert_eq!((state.tab, state.focus), (Tab::Search, Focus::Query), "Esc leads from a tab to the question");
}

#[test]
fn an_answer_to_an_older_question_is_dropped() {
    let mut state = picker(80, 24);
    ask(&mut state, "pump", hits(2));
    let Some(Action::Ask(Request::Search { number, query, .. })) = type_in(&mut state, "s") else { panic!() };
    assert_eq!(query, "pumps");
    let older = Reply::Hits(Answer { number: number - 1, ..Answer::default() });
    state.apply(older);
    assert_eq!((state.page().items.len(), state.is_waiting), (2, true), "the hits stay until the newest answer");
    // A half-typed operator cannot be answered: the hits stay too.
    state.apply(Reply::Unanswered { number, problem: "a quote has no end".into() });
    assert_eq!((state.page().items.len(), state.message.as_str()), (2, "a quote has no end"));
    for _ in 0..5 {
        press(&mut state, KeyCode::Backspace);
    }
    assert!(state.page().items.is_empty() && !state.is_waiting, "no question has no hits");
}
