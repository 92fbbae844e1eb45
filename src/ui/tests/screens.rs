use super::*;

#[test]
fn five_hits_and_the_answering_lines_fill_a_small_terminal() {
    let mut state = picker(80, 24);
    let text = "The shed pump drains into the ditch behind the compost, because the gutter was too narrow for it.\n- checked in May";
    let hits = (1..=6).map(|number| {
        hit(&format!("Home/Shed pump {number}.md"), "Shed › Pump", 0.97 - f64::from(number) / 10.0, text)
    });
    ask(&mut state, "shed pump", hits.collect());
    println!("{}", screen(&state));
    press(&mut state, KeyCode::F(1));
    println!("{}", screen(&state));
    press(&mut state, KeyCode::F(1));
    let mut state = State { size: (40, 12), ..state };
    println!("{}", screen(&state));
    press(&mut state, KeyCode::F(1));
    println!("{}", screen(&state));
    let mut state = picker(80, 24);
    ask(&mut state, "nothing", Vec::new());
    println!("{}", screen(&state));
    let mut state = picker(80, 24);
    ask(
        &mut state,
        "战国",
        vec![
            hit("歴史/战国史模式.md", "战国史", 0.8, &"战国史模式是主打".repeat(8)),
            hit("Cafe\u{301}.md", "Cafe\u{301}", 0.6, "e\u{301}te\u{301}"),
        ],
    );
    println!("{}", screen(&state));
}
