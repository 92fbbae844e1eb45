use super::*;

/// Six notes about the half of the question with more words, one about the other half, and others.
fn fixture() -> Fixture {
    let mut fixture = Fixture::new(&[("fence.md", "# Garden\n\nIlse painted the whole fence on dry days.\n")]);
    let visits = ["rust sieve", "new gasket", "quiet pump", "low flame", "hard water", "warm flue"];
    for (number, visit) in visits.into_iter().enumerate() {
        let text = format!("Safety valve, gas boiler, cellar, serviced by plumber: {visit}\n");
        fixture.put(&format!("boiler{number}.md"), &text);
    }
    for number in 0..20 {
        fixture.put(&format!("walk{number}.md"), &format!("Walk {number} along the river with the dog.\n"));
    }
    fixture
}

fn ask(fixture: &Fixture, text: &str, parts: PartOptions) -> SearchAnswer {
    let options = SearchOptions { parts, ..search_options() };
    let asked = Query { explain: true, ..query(text) };
    search(&*fixture.reader(), VectorSearch::Model(&fixture.embedder), &asked, &options).unwrap()
}

fn off() -> PartOptions {
    PartOptions { places: 0, ..PartOptions::default() }
}

const COMPOUND: &str =
    "When was the safety valve of the gas boiler in the cellar serviced by the plumber and who painted the fence?";

#[test]
fn a_part_that_no_first_hit_covers_lets_its_best_hit_in() {
    let fixture = fixture();
    let without = ask(&fixture, COMPOUND, off());
    let parts = PartOptions { places: 3, score: 0.1, ..PartOptions::default() };
    let with = ask(&fixture, COMPOUND, parts);
    assert!(!paths(&without.hits[..3]).contains(&"fence.md"), "{:?}", paths(&without.hits));
    assert_eq!(with.hits[2].path, "fence.md");
    // The first stay, the displaced one follows, and the limit holds.
    let others = |answer: &SearchAnswer| -> Vec<String> {
        paths(&answer.hits).into_iter().filter(|path| *path != "fence.md").map(str::to_owned).collect()
    };
    assert_eq!(others(&with), others(&without)[..others(&with).len()]);
    assert_eq!(with.hits.len(), without.hits.len());
    assert!(with.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert!(with.remarks.iter().any(|remark| remark.starts_with("the question has 2 parts: ")), "{:?}", with.remarks);
    assert!(
        with.remarks.iter().any(|remark| remark.ends_with("its own list proposes fence.md:3")),
        "{:?}",
        with.remarks
    );
}

#[test]
fn other_questions_and_covered_parts_change_nothing() {
    let fixture = fixture();
    let always = PartOptions { places: 5, score: 0.0, ..PartOptions::default() };
    for text in ["gas and boiler valve", "Who painted the fence?", "\"gas boiler\" painted fence", "fence"] {
        let (with, without) = (ask(&fixture, text, always), ask(&fixture, text, off()));
        assert_eq!(format!("{with:?}"), format!("{without:?}"), "{text}");
    }
    let prose = Query { language: QuerySyntax::Prose, ..query(COMPOUND) };
    assert!(fixture.ask(&prose).remarks.is_empty());
}

#[test]
fn a_let_in_hit_passes_the_conditions_of_the_question() {
    let fixture = fixture();
    let parts = PartOptions { places: 3, score: 0.0, ..PartOptions::default() };
    let answer = ask(&fixture, &format!("{COMPOUND} path:boiler*"), parts);
    assert!(!answer.hits.is_empty() && !paths(&answer.hits).contains(&"fence.md"), "{:?}", paths(&answer.hits));
    let none = ask(&fixture, COMPOUND, PartOptions { score: 1.0, ..parts });
    assert_eq!(paths(&none.hits), paths(&ask(&fixture, COMPOUND, off()).hits), "a hit that scores too little");
}
