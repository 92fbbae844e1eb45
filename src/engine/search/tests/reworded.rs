use super::*;
use tars_base::domain::{Retriever, Rewording, SearchAnswer};

fn fixture() -> Fixture {
    Fixture::new(&[
        ("garden.md", "# Garden\n\nApples and pears grow in the garden behind the house.\n"),
        ("storage.md", "# Storage\n\nThe storage engine keeps every row in one file.\n"),
        ("walk.md", "# Walk\n\nA morning walk along the river, past the garden gate.\n"),
        ("doctor.md", "# Doctor\n\nThe physician told me to rest my knee.\n"),
    ])
}

fn rewording(rewrites: &[&str], answer: Option<&str>) -> Rewording {
    Rewording { rewrites: rewrites.iter().map(|text| (*text).to_owned()).collect(), answer: answer.map(str::to_owned) }
}

fn ask(fixture: &Fixture, query: &Query, rewording: &Rewording) -> Result<SearchAnswer, SearchError> {
    let semantics = VectorSearch::Model(&fixture.embedder);
    search_reworded(&*fixture.reader(), semantics, Reworded { query, rewording }, &search_options())
}

fn keyword(text: &str) -> Query {
    Query { mode: Mode::Keyword, ..query(text) }
}

#[test]
fn a_rewrite_finds_what_the_question_does_not() {
    let fixture = fixture();
    let asked = keyword("medical advice");
    assert!(fixture.ask(&asked).hits.is_empty());
    let answer = ask(&fixture, &asked, &rewording(&["what the physician told me"], None)).unwrap();
    assert_eq!(paths(&answer.hits), ["doctor.md"]);
    assert_eq!((answer.query.as_str(), answer.mode), ("medical advice", Mode::Keyword));
    // The list of the question is unsure, and it counts twice against the one that is sure.
    let alone = fixture.ask(&keyword("what the physician told me")).hits[0].score;
    assert!((answer.hits[0].score - alone / 3.0).abs() < 1e-9);
}

#[test]
fn an_invented_answer_is_compared_by_meaning_alone() {
    let fixture = fixture();
    let invented = rewording(&[], Some("The physician told me to rest my knee."));
    assert!(ask(&fixture, &keyword("medical advice"), &invented).unwrap().hits.is_empty());
    let by_meaning = Query { mode: Mode::Vector, ..query("storage file") };
    let answer = ask(&fixture, &by_meaning, &invented).unwrap();
    assert_eq!(answer.hits[0].path, "storage.md", "the question counts twice");
    assert_eq!(answer.hits[1].path, "doctor.md");
    assert!(answer.hits.iter().all(|hit| hit.matched_by == [Retriever::Vector]));
    assert!((answer.hits[0].score - fixture.ask(&by_meaning).hits[0].score).abs() < 1e-9);
}

#[test]
fn the_question_leads_until_several_rewordings_agree() {
    let fixture = fixture();
    let asked = keyword("pears");
    let one = ask(&fixture, &asked, &rewording(&["river"], None)).unwrap();
    assert_eq!(paths(&one.hits), ["garden.md", "walk.md"]);
    let three = ask(&fixture, &asked, &rewording(&["river", "morning walk", "gate"], None)).unwrap();
    assert_eq!(paths(&three.hits), ["walk.md", "garden.md"]);
    assert!(three.hits[0].score >= fixture.ask(&asked).hits[0].score, "other words never lower the confidence");
}

#[test]
fn limits_apply_to_the_merged_answer() {
    let fixture = fixture();
    let words = rewording(&["river", "physician", "!?", "storage"], Some("row"));
    assert_eq!(ask(&fixture, &Query { limit: 2, ..keyword("pears") }, &words).unwrap().hits.len(), 2);
    let all = ask(&fixture, &keyword("pears"), &words).unwrap().hits;
    let min_score = (all[0].score + all[1].score) / 2.0;
    let high = ask(&fixture, &Query { min_score, ..keyword("pears") }, &words).unwrap();
    assert_eq!(paths(&high.hits), ["garden.md"]);
    for demanding in ["pears path:garden.md", "pears -river -storage -physician", "\"apples and pears\""] {
        assert_eq!(paths(&ask(&fixture, &keyword(demanding), &words).unwrap().hits), ["garden.md"], "{demanding}");
    }
    let filter = Filter { paths: vec!["garden.md".into()], ..Filter::default() };
    assert_eq!(paths(&ask(&fixture, &Query { filter, ..query("pears") }, &words).unwrap().hits), ["garden.md"]);
}

#[test]
fn without_a_model_rewordings_are_searched_by_words_with_a_remark() {
    let fixture = fixture();
    let no_model = VectorSearch::Unavailable { reason: "no model", report: true };
    let words = rewording(&["physician"], Some("The physician told me."));
    let ask = |query: &Query| {
        let asked = Reworded { query, rewording: &words };
        search_reworded(&*fixture.reader(), no_model, asked, &search_options())
    };
    let answer = ask(&query("pears")).unwrap();
    assert_eq!(paths(&answer.hits), ["garden.md", "doctor.md"]);
    assert_eq!(answer.degraded.as_deref(), Some("searched by words only: no model"));
    assert!(matches!(ask(&query("!?")), Err(SearchError::NoWords)));
}

#[test]
fn a_hit_in_several_lists_names_all_their_retrievers() {
    let fixture = fixture();
    let answer = ask(&fixture, &Query { mode: Mode::Vector, ..query("pears") }, &rewording(&[], None)).unwrap();
    assert!(answer.hits.iter().all(|hit| hit.matched_by == [Retriever::Vector]));
    let answer = ask(&fixture, &query("unheard of"), &rewording(&["pears"], None)).unwrap();
    let garden = answer.hits.iter().find(|hit| hit.path == "garden.md").unwrap();
    assert_eq!(garden.matched_by, [Retriever::Keyword, Retriever::Vector]);
}

#[test]
fn an_explanation_names_the_rewordings() {
    let fixture = fixture();
    let words = rewording(&["river path:x"], Some("Rows."));
    assert!(ask(&fixture, &query("pears"), &words).unwrap().remarks.is_empty());
    let told = ask(&fixture, &Query { explain: true, ..query("pears") }, &words).unwrap();
    assert_eq!(told.remarks, ["also looked for: river path:x", "also looked for: Rows."]);
}
