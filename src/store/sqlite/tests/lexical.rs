use super::*;

#[test]
fn the_rarest_parts_propose_where_too_much_would_be_found() {
    use super::super::lexical::{Bounds, selective_parts};
    let mut fixture = Fixture::new();
    fill(&mut fixture);
    fixture.put(&draft("zebra.md", &["a zebra in the weather"]));
    let query = words("weather zebra gardens");
    let parts = ["weather", "zebra", "gardens"].map(str::to_owned);
    let chosen = |scored, enough| {
        let bounds = Bounds { scored, enough };
        let found = selective_parts(&fixture.store.connection, &query, &parts, bounds).unwrap();
        found.map(|found| found.into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    assert_eq!(chosen(63, 1), None, "three parts of 21 chunks");
    assert_eq!(chosen(42, 1), None, "they stand in 1 + 20 + 21");
    assert_eq!(chosen(41, 1).unwrap(), ["zebra"]);
    assert_eq!(chosen(41, 2).unwrap(), ["zebra", "gardens"]);
    assert_eq!(chosen(41, 22), None, "all parts are needed");
}

#[test]
fn joining_parts_of_the_full_text_changes_no_answer() {
    let mut fixture = Fixture::new();
    for round in 0..3 {
        for number in 0..60 {
            fixture.put(&draft(&format!("{number}.md"), &[&format!("garden number{number} round{round} zebra")]));
        }
    }
    let parts = |fixture: &Fixture| fixture.count("SELECT count(DISTINCT segid) FROM chunks_fts_idx");
    let (before, found) = (parts(&fixture), fixture.reader().lexical(&words("zebra round2"), None, 500).unwrap());
    fixture.store.merge_full_text(Duration::from_secs(60)).unwrap();
    assert!(parts(&fixture) < before, "{before} parts");
    assert_eq!(fixture.reader().lexical(&words("zebra round2"), None, 500).unwrap(), found);
    fixture.check();
}
