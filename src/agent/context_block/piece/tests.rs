use super::*;

fn piece(text: &str, keep: Keep) -> Piece {
    let source =
        Source { collection: None, path: "tars/a.md".into(), answer: None, date: None, kind: MemoryType::Daily };
    Piece::new(source, 1, text, keep).unwrap()
}

#[test]
fn the_first_lines_or_the_last_entries_are_kept() {
    let text = "- one\n  more\n- two\n  more\n- three\n";
    let start = piece(text, Keep::Start);
    let start = start.cut_to(start.cost() - 1).unwrap();
    assert_eq!((start.text().as_str(), start.lines()), ("- one\n  more\n- two\n  more\n…", (1, 4)));
    let end = piece(text, Keep::End);
    let end = end.cut_to(end.cost() - 1).unwrap();
    assert_eq!((end.text().as_str(), end.lines()), ("…\n- two\n  more\n- three", (3, 5)));
    assert_eq!(end.cut_to(10), None);
}

#[test]
fn a_word_beyond_the_whole_budget_is_skipped() {
    let text = format!("a\n{}\nb\n", "x".repeat(500));
    for keep in [Keep::Start, Keep::End] {
        assert_eq!(piece(&text, keep).cut_to(200).unwrap().text(), "a\n…\nb");
    }
    assert_eq!(piece(&"x".repeat(500), Keep::Start).cut_to(200), None);
}

#[test]
fn a_line_beyond_the_whole_budget_is_cut_to_the_sentence_that_answers() {
    let said = |number: usize| format!("Sentence {number} of the talk is about boats. ");
    let text: String = (0..60).map(said).collect();
    let column = text.find("Sentence 41").unwrap();
    let answer = Some(AnswerLine { line: 7, column, heading: String::new() });
    let source = Source { collection: None, path: "a.md".into(), answer, date: None, kind: MemoryType::Note };
    let piece = Piece::new(source, 7, &text, Keep::Start).unwrap();
    let cut = piece.cut_to(400).unwrap();
    assert!(cut.text().starts_with("…\nSentence 41 of the talk is about boats. Sentence 42 "), "{}", cut.text());
    assert!(cut.text().ends_with("boats.\n…") && cost(&cut.rendered()) <= 400);
    assert_eq!((cut.lines(), cut.answer().is_some()), ((7, 7), true));
    let hyphens = text.replacen("Sentence", "Sen\u{ad}\u{ad}\u{ad}\u{ad}\u{ad}\u{ad}\u{ad}\u{ad}tence", 40);
    let hidden = hyphens[..hyphens.find("Sentence 41").unwrap()].chars().count();
    let answer = Some(AnswerLine { line: 7, column: hidden, heading: String::new() });
    let source = Source { collection: None, path: "a.md".into(), answer, date: None, kind: MemoryType::Note };
    let shown = Piece::new(source, 7, &hyphens, Keep::Start).unwrap().cut_to(400).unwrap().text();
    assert!(shown.starts_with("…\nSentence 41 of the talk"), "invisible characters do not move the answer: {shown}");
    let brief = piece.retain_sentences(600, |text| text.contains("Sentence 5 "));
    let expected = "…\nSentence 5 of the talk is about boats.\n…\nSentence 41 of the talk is about boats.\n…";
    assert_eq!(brief.text(), expected);
    assert_eq!(brief.retain_sentences(600, |_| false), brief, "short lines stay");
}

fn found(text: &str, line: usize, heading: &str) -> Piece {
    let answer = Some(AnswerLine { line, column: 0, heading: heading.into() });
    let source = Source { collection: None, path: "a.md".into(), answer, date: None, kind: MemoryType::Note };
    Piece::new(source, 7, text, Keep::Start).unwrap()
}

fn source_of(piece: &Piece) -> String {
    piece.rendered().lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn a_source_names_the_heading_of_the_answering_line() {
    let piece = found("one\n## Keys\ntwo", 9, "A > \"Keys\"");
    let expected = "<source at=\"a.md:7-9\" line=\"9\" heading=\"A &gt; &quot;Keys&quot;\" kind=\"note\"/>";
    assert_eq!(source_of(&piece), expected);
    assert_eq!(source_of(&found("one", 7, "A")), "<source at=\"a.md:7\" heading=\"A\" kind=\"note\"/>");
    assert_eq!(source_of(&found("one\ntwo", 8, "")), "<source at=\"a.md:7-8\" line=\"8\" kind=\"note\"/>");
    let hidden = found("one\n<!-- two -->\nthree", 8, "A");
    assert_eq!(source_of(&hidden), "<source at=\"a.md:7-9\" kind=\"note\"/>", "the line is not shown");
    let long = found("one", 7, &"Chapter > ".repeat(50));
    assert!(source_of(&long).contains("heading=\"…") && source_of(&long).len() < 250, "{}", source_of(&long));
}

#[test]
fn an_attribute_is_escaped_and_costs_its_room() {
    let plain = found("one\ntwo", 8, "");
    let scored = plain.clone().with_attribute("score", "0.80 \"relevant\"");
    let expected = "<source at=\"a.md:7-8\" line=\"8\" kind=\"note\" score=\"0.80 &quot;relevant&quot;\"/>";
    assert_eq!(source_of(&scored), expected);
    assert!(scored.cost() > plain.cost());
}

#[test]
fn headings_alone_say_nothing() {
    let says = |text: &str| piece(text, Keep::Start).says_something();
    assert!(!says("# Memory\n\n## Facts\n#\n###### Deep"));
    assert!(says("# Memory\n- tea") && says("#tag") && says("####### seven"));
}

#[test]
fn the_answering_line_survives_a_cut() {
    let text: String = (7..60).map(|number| format!("line {number} of this note\n")).collect();
    let cut = found(&text, 50, "A").cut_to(200).unwrap();
    assert_eq!((cut.lines().0, cut.answer().map(|answer| answer.line)), (50, Some(50)));
    assert!(cut.text().starts_with("…\nline 50 ") && cut.text().ends_with("\n…"), "{}", cut.text());
    assert!(cost(&cut.rendered()) <= 200);
    let near = found(&text, 8, "A").cut_to(200).unwrap();
    assert_eq!((near.lines().0, near.answer().map(|answer| answer.line)), (7, Some(8)));
}

#[test]
fn line_numbers_are_those_of_the_file() {
    let cut = piece("<!-- x -->\n\na\r\n\n\n<!-- y -->\nb\u{2028}c\n\n", Keep::Start);
    assert_eq!((cut.text().as_str(), cut.lines()), ("a\n\nb\nc", (3, 7)));
}

#[test]
fn invisible_text_gives_no_piece() {
    let source = Source { collection: None, path: "a.md".into(), answer: None, date: None, kind: MemoryType::Note };
    assert_eq!(Piece::new(source, 1, "\u{feff}<!-- x -->\r\n \u{200b}\n", Keep::Start), None);
}

proptest::proptest! {
    #[test]
    fn a_cut_piece_fits(text in "([ -~中]{0,30}\n){1,12}", units in 0usize..400, end in proptest::bool::ANY, line in 90usize..110) {
        let answer = Some(AnswerLine { line, column: 0, heading: "A > B".into() });
        let source = Source { collection: None, path: "a.md".into(), answer, date: None, kind: MemoryType::Note };
        let keep = if end { Keep::End } else { Keep::Start };
        if let Some(cut) = Piece::new(source, 95, &text, keep).and_then(|piece| piece.cut_to(units)) {
            proptest::prop_assert!(cost(&cut.rendered()) <= units);
        }
    }
}
