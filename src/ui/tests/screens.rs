use super::*;

const TEXT: &str = "The shed pump drains into the ditch behind the compost, because the gutter was too narrow for it.\n- checked in May";

fn pumps(columns: u16, rows: u16) -> State {
    let mut state = picker(columns, rows);
    let of =
        |number: u8| hit(&format!("Home/Shed pump {number}.md"), "Shed › Pump", 0.97 - f64::from(number) / 10.0, TEXT);
    ask(&mut state, "shed pump", (1..=6).map(of).collect());
    state
}

#[track_caller]
fn assert_screen(state: &State, expected: &str) {
    let shown = screen(state);
    assert_eq!(shown, expected, "\n{shown}");
}

#[test]
fn five_hits_and_the_answering_lines_fill_a_small_terminal() {
    let expected = "\
\x201 search  2 today  3 memory  4 sessions  5 review  6 recalled  7 status
> shed pump
› Home/Shed pump 1.md:7         │ Shed › Pump
  Shed › Pump                   │
  0.87 relevant  0655909e       │ The shed pump drains into the ditch behind the
                                │ compost, because the gutter was too narrow for
  Home/Shed pump 2.md:7         │ it.
  Shed › Pump                   │ - checked in May
  0.77 relevant  0655909e       │
                                │
  Home/Shed pump 3.md:7         │
  Shed › Pump                   │
  0.67 kinda relevant  0655909e │
                                │
  Home/Shed pump 4.md:7         │
  Shed › Pump                   │
  0.57 kinda relevant  0655909e │
                                │
  Home/Shed pump 5.md:7         │
  Shed › Pump                   │
  0.47 maybe relevant  0655909e │
                                │
                                │
                                                               Esc list  F1 keys";
    assert_screen(&pumps(80, 24), expected);
}

#[test]
fn a_narrow_terminal_shows_the_text_below_the_list() {
    let expected = "\
\x201 search  2  3  4  5  6  7
> shed pump
› Home/Shed pump 1.md:7             0.87
  Home/Shed pump 2.md:7             0.77
  Home/Shed pump 3.md:7             0.67
  Home/Shed pump 4.md:7             0.57
────────────────────────────────────────
Shed › Pump

The shed pump drains into the ditch
behind the compost, because the gutter ↓
                                Esc list";
    assert_screen(&pumps(40, 12), expected);
}

#[test]
fn the_help_lists_all_keys_and_scrolls_where_they_do_not_fit() {
    let expected = "\
\x201 search  2 today  3 memory  4 sessions  5 review  6 recalled  7 status
> shed pump
letters    ask as you type              i          copy the id
Esc        to the list, to the question t          copy the text
Up Down    select (also k and j)        e          the whole section, or back
PgUp PgDn  scroll the text              r          related notes
Enter      open at the line             a          irrelevant hits too
Tab, 1-7   other tabs (typing: Alt-1)   m          remember this line, edited
Alt-LETTER a key of the list (typing)   f          forget a line of the memory
F1 or ?    these keys                   + -        an agent did well, or wrong
Ctrl-Z     stop, until fg               u U        undo the last write; redo
Ctrl-C     leave                        q          leave

in the list                             in the review
/          to the question              y          accept, remember as a fact
p          copy the path of the file    P          remember as a rule
l          copy a link: [[NOTE]]        n          refuse, or remove






                                                               any key goes back";
    let mut state = pumps(80, 24);
    press(&mut state, KeyCode::F(1));
    assert_screen(&state, expected);
    let expected = "\
\x201 search  2  3  4  5  6  7
> shed pump
Esc        to the list, to the question
Up Down    select (also k and j)
PgUp PgDn  scroll the text
Enter      open at the line
Tab, 1-7   other tabs (typing: Alt-1)
Alt-LETTER a key of the list (typing)
F1 or ?    these keys
Ctrl-Z     stop, until fg
Ctrl-C     leave                       ↓
                Up Down scroll  Esc back";
    let mut state = pumps(40, 12);
    press(&mut state, KeyCode::F(1));
    press(&mut state, KeyCode::Down);
    assert_screen(&state, expected);
    for _ in 0..9 {
        press(&mut state, KeyCode::PageDown);
    }
    assert!(screen(&state).contains("\nn          refuse, or remove\n"), "{}", screen(&state));
    for (columns, rows) in [(60, 15), (80, 15)] {
        let mut state = pumps(columns, rows);
        press(&mut state, KeyCode::F(1));
        press(&mut state, KeyCode::PageDown);
        press(&mut state, KeyCode::PageDown);
        assert!(screen(&state).contains("n          refuse, or remove"), "{}", screen(&state));
        press(&mut state, KeyCode::PageUp);
        press(&mut state, KeyCode::PageUp);
        assert!(screen(&state).contains("letters    ask as you type"), "{}", screen(&state));
        press(&mut state, KeyCode::Enter);
        assert!(!state.has_help);
    }
}

#[test]
fn long_messages_take_three_rows_a_remark_one_and_an_id_ends_before_the_rule() {
    let mut state = picker(80, 24);
    let id = Kind::Hit("2c1a3830f2e3".into());
    ask(
        &mut state,
        "pump",
        vec![Item { kind: id, ..hit("Home/Garden/Shed/All about the shed pump.md", "Pump", 0.7, TEXT) }],
    );
    let long = ["a vault that another process is indexing at the moment has notes not in here"; 4].join("; ");
    state.message.clone_from(&long);
    let shown = screen(&state);
    let rows: Vec<&str> = shown.split('\n').collect();
    assert!(rows[2].starts_with("› H…All about the shed pump.md:7│"), "{shown}");
    assert!(rows[4].starts_with("  0.70 kinda relevant  2c1a3830 │"), "{shown}");
    assert!(rows[21].starts_with("a vault that another process") && rows[23].contains('…'), "{shown}");
    assert!(rows[23].ends_with("Esc list  F1 keys") && rows.len() == 24, "{shown}");
    (state.message, state.remarks) = (String::new(), vec![long]);
    let shown = screen(&state);
    let rows: Vec<&str> = shown.split('\n').collect();
    assert!(
        rows[22].ends_with('│') && rows[23].starts_with("a vault") && rows[23].contains('…'),
        "a remark takes one row: {shown}"
    );
}

#[test]
fn a_question_without_a_hit_says_so() {
    let expected = "\
\x201 search  2 today  3 memory  4 sessions  5 review  6 recalled  7 status
> nothing





















nothing found in 12 notes                                                F1 keys";
    let mut state = picker(80, 24);
    let Some(Action::Ask(Request::Search { number, .. })) = type_in(&mut state, "nothing") else { panic!() };
    let remarks = vec!["nothing found in 12 notes".to_owned()];
    state.apply(Reply::Hits(Answer { number, remarks, ..Answer::default() }));
    assert_screen(&state, expected);
    let expected = "\
\x201 search  2 today  3 memory  4 sessions  5 review  6 recalled  7 status
>
type a question; F1 lists the keys




















                                                                         F1 keys";
    assert_screen(&picker(80, 24), expected);
}

#[test]
fn wide_and_combining_characters_keep_their_columns() {
    let expected = "\
\x201 search  2 today  3 memory  4 sessions  5 review  6 recalled  7 status
> 战国
› 歴史/战国史模式.md:7          │ 战国史
  战国史                        │
  0.80 relevant  0655909e       │ 战国史模式是主打战国史模式是主打战国史模式是主
                                │ 打战国史模式是主打战国史模式是主打战国史模式是
  Cafe\u{301}.md:7                     │ 主打战国史模式是主打战国史模式是主打
  Cafe\u{301}                          │
  0.60 kinda relevant  0655909e │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                │
                                                               Esc list  F1 keys";
    let mut state = picker(80, 24);
    let wide = hit("歴史/战国史模式.md", "战国史", 0.8, &"战国史模式是主打".repeat(8));
    ask(&mut state, "战国", vec![wide, hit("Cafe\u{301}.md", "Cafe\u{301}", 0.6, "e\u{301}te\u{301}")]);
    assert_screen(&state, expected);
}

#[test]
fn without_colours_the_words_of_the_question_are_underlined() {
    use ratatui::style::{Color, Modifier};
    let mut state = pumps(80, 24);
    for color in [false, true] {
        state.color = color;
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        terminal.draw(|frame| draw(frame, &state)).unwrap();
        let cells = terminal.backend().buffer().content();
        assert_eq!(cells.iter().any(|cell| cell.fg != Color::Reset), color);
        assert_eq!(cells.iter().any(|cell| cell.modifier.contains(Modifier::UNDERLINED)), !color);
        assert!(cells.iter().all(|cell| cell.bg == Color::Reset), "the background is the terminal's own");
    }
}
